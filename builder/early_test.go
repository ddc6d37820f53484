package builder_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
)

// TestCrashEarly lets the power fail before and after each sync and rename of builds that put
// their syncs off: to their end, or until somewhere in the middle. Whatever is on the
// disk then, a build that goes on there makes the graph of one that was left alone.
func TestCrashEarly(t *testing.T) {
	const dim = 4
	rng := seeded(t)
	for name, early := range map[string]time.Duration{"exact": time.Hour, "brief": 4 * time.Millisecond, "balls": 4 * time.Millisecond} {
		n, o := 200, smallBuilds[name]
		if name == "brief" { // all pairs are one stage, of which nothing is kept
			n, o = 100, smallBuilds["exact"]
		}
		data := clustered(11, n, dim)
		dir := filepath.Join(t.TempDir(), "g")
		m := newMirror(t, dir)
		var after []crashed
		m.crash = func(op, path string) {
			if early < time.Hour && rng.IntN(16) > 0 {
				return
			}
			for _, percent := range []int{0, 50, 100} {
				after = append(after, crashed{op + " of " + strings.TrimPrefix(path, dir), percent, m.after(percent, rng)})
			}
		}
		want, _ := build(t, dir, input(t, data, dim), o.On(m).Early(early))
		for _, c := range after {
			again := filepath.Join(t.TempDir(), "g")
			copyOut(t, c.fs, dir, again)
			goesOn(t, name+": crash "+c.String(), again, data, dim, o, want.Checksum)
			os.RemoveAll(again)
		}
		t.Logf("%s: %d crashes", name, len(after))
	}
}

// TestCancelledEarly: what an early build had done when it was stopped is there when it goes
// on, although nothing was synced until then.
func TestCancelledEarly(t *testing.T) {
	const n, dim = 500, 4
	data, dir := clustered(12, n, dim), filepath.Join(t.TempDir(), "g")
	ctx, cancel := context.WithCancel(t.Context())
	o := smallBuilds["balls"]
	stopping := o
	stopping.Progress = func(e builder.Event) {
		if strings.HasPrefix(e.Phase, "propagation") {
			cancel()
		}
	}
	if _, err := builder.Build(ctx, dir, input(t, data, dim), stopping); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "graph.early")); err == nil {
		t.Error("the mark is there after the draft was closed")
	}
	if _, err := store.ProgressOf(dir); err != nil {
		t.Error(err)
	}
	got, err := builder.Build(t.Context(), dir, input(t, data, dim), o)
	if err != nil || got.Resumed != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestSyncFailsEarly lets one of the syncs that were put off fail, once: the build fails, also
// where a second sync of the file would tell of no fault, and the next one begins anew.
func TestSyncFailsEarly(t *testing.T) {
	const n, dim = 200, 4
	data, o := clustered(11, n, dim), smallBuilds["exact"]
	want, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
	failed := 0
	for at := int64(2); ; at++ { // the first is of the mark
		disk := &failingSync{FS: vfs.Default, at: at}
		dir := filepath.Join(t.TempDir(), "g")
		_, err := builder.Build(t.Context(), dir, input(t, data, dim), o.On(disk).Early(time.Hour))
		if disk.count.Load() < at {
			break
		}
		_, marked := os.Stat(filepath.Join(dir, "graph.early"))
		if !errors.Is(err, syscall.EIO) {
			t.Errorf("sync %d failed, the build says %v", at, err)
		}
		if marked == nil {
			failed++
		}
		goesOn(t, "after a failed sync", dir, data, dim, o, want.Checksum)
	}
	if failed < 10 {
		t.Errorf("%d builds left their mark, want one for every file", failed)
	}
}

// failingSync is a disk whose sync number at fails, once.
type failingSync struct {
	vfs.FS
	at    int64
	count atomic.Int64
}

func (d *failingSync) put(f vfs.File, err error) (vfs.File, error) {
	if err != nil {
		return nil, err
	}
	return &failingSyncFile{f, d}, nil
}

func (d *failingSync) OpenDir(name string) (vfs.File, error) { return d.put(d.FS.OpenDir(name)) }

func (d *failingSync) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return d.put(d.FS.Create(name, c))
}

func (d *failingSync) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return d.put(d.FS.OpenReadWrite(name, c, opts...))
}

func (d *failingSync) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return d.put(d.FS.ReuseForWrite(from, to, c))
}

type failingSyncFile struct {
	vfs.File
	d *failingSync
}

func (f *failingSyncFile) sync(really func() error) error {
	if f.d.count.Add(1) == f.d.at {
		return &fs.PathError{Op: "sync", Err: syscall.EIO}
	}
	return really()
}

func (f *failingSyncFile) Sync() error     { return f.sync(f.File.Sync) }
func (f *failingSyncFile) SyncData() error { return f.sync(f.File.SyncData) }
