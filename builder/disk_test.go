package builder_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/vectors"
)

// failingDisk is the disk, on which operation number at of a kind fails: once,
// or with all after it.
func failingDisk(kind errorfs.OpReadWrite, at int64, once bool, why error) (vfs.FS, *atomic.Int64) {
	count := new(atomic.Int64)
	return errorfs.Wrap(vfs.Default, errorfs.InjectorFunc(func(op errorfs.Op) error {
		if op.Kind.ReadOrWrite() != kind {
			return nil
		}
		n := count.Add(1)
		if n < at || once && n > at {
			return nil
		}
		return &fs.PathError{Op: map[errorfs.OpReadWrite]string{errorfs.OpIsRead: "read", errorfs.OpIsWrite: "write"}[kind], Path: op.Path, Err: why}
	})), count
}

// TestDiskFaults lets one operation after the other fail in small builds: an
// error comes back that names the file, no call hangs, and the same command
// makes the same graph when the disk is sound again.
func TestDiskFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine's work: runs without -short")
	}
	defer builder.KeepEvery(0)()
	const n, dim = 500, 4
	data := clustered(11, n, dim)
	rng := seeded(t)
	faults, told := 0, 0
	for name, o := range smallBuilds {
		want, _ := build(t, filepath.Join(t.TempDir(), "g"), input(t, data, dim), o)
		for _, f := range []struct {
			what string
			kind errorfs.OpReadWrite
			once bool
			why  error
		}{
			{"full disk", errorfs.OpIsWrite, false, syscall.ENOSPC},
			{"failed write", errorfs.OpIsWrite, true, syscall.EIO},
			{"failed read", errorfs.OpIsRead, true, syscall.EIO},
		} {
			for at := int64(1); ; at++ {
				if !*long {
					at += rng.Int64N(150)
				}
				disk, count := failingDisk(f.kind, at, f.once, f.why)
				dir := filepath.Join(t.TempDir(), "g")
				what := name + ": " + f.what + " number " + strconv.FormatInt(at, 10)
				err := inTime(t, what, func() error {
					_, err := builder.Build(context.Background(), dir, input(t, data, dim), o.On(disk))
					return err
				})
				faults++
				var path *fs.PathError
				if err != nil {
					told++
					if !errors.Is(err, f.why) || !errors.As(err, &path) || f.why == syscall.ENOSPC && !errors.Is(err, builder.ErrSpace) {
						t.Errorf("%s: error %v, want the one injected", what, err)
					}
				}
				goesOn(t, what, dir, data, dim, o, want.Checksum)
				os.RemoveAll(dir)
				if count.Load() < at {
					break
				}
			}
		}
	}
	t.Logf("%d faults injected, %d errors told; the others Pebble dealt with", faults, told)
}

// inTime runs fn and ends the test where it hangs.
func inTime(t *testing.T, what string, fn func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- fn() }()
	select {
	case err := <-done:
		return err
	case <-time.After(2 * time.Minute):
		t.Fatalf("%s: it hangs", what)
		return nil
	}
}

// TestFullDisk builds on a small file system that is full after ever more bytes,
// then makes room: with the rows spooled and ids, every file of a build is on it.
// With -long there are more rows and more such places.
func TestFullDisk(t *testing.T) {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("mounts a file system: run it as root on Linux")
	}
	defer builder.KeepEvery(0)()
	const dim, size = 16, 64 << 20
	n := 1000
	more := func(room int64) int64 { return room + room/2 }
	if *long {
		n, more = 20000, func(room int64) int64 { return room + 256<<10 }
	}
	disk := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+strconv.Itoa(size), "knng", disk).CombinedOutput(); err != nil {
		t.Skipf("cannot mount: %v %s", err, out)
	}
	defer exec.Command("umount", "-l", disk).Run()
	data := clustered(11, n, dim)
	in := func() *vectors.Input { // of two parts: not mapped, so it is copied first
		return vectors.NewInput(spooled{input(t, data, dim)})
	}
	for name, o := range map[string]builder.Options{
		"exact": {K: 5, Method: builder.Exact},
		"paper": {K: 5, Method: builder.Paper, LeafSize: 100, Paper: builder.PaperOptions{Visits: 40}, Divisions: 3, Rounds: 1},
		"parts": {K: 5, Method: builder.Parts, Divisions: 8},
		"balls": {K: 5, Method: builder.Balls, LeafSize: 40, Divisions: 4, Rounds: 2},
	} {
		want, _ := build(t, filepath.Join(t.TempDir(), "g"), in(), o)
		phases, full := map[string]int{}, 0
		for room := int64(64 << 10); ; room = more(room) {
			dir, ballast := filepath.Join(disk, "g"), filepath.Join(disk, "ballast")
			if err := os.WriteFile(ballast, make([]byte, size-room), 0o666); err != nil {
				t.Fatal(err)
			}
			var phase string
			o.Progress = func(e builder.Event) {
				if e.Phase != "" {
					phase = e.Phase
				}
			}
			err := inTime(t, name, func() error {
				_, err := builder.Build(context.Background(), dir, in(), o)
				return err
			})
			if err != nil && !errors.Is(err, builder.ErrSpace) {
				t.Errorf("%s, %d bytes of room: error %v, want ErrSpace", name, room, err)
			}
			os.Remove(ballast)
			if err == nil {
				os.RemoveAll(dir)
				break
			}
			full++
			phases[phase]++
			got, err := builder.Build(context.Background(), dir, in(), o)
			if err != nil || got.Checksum != want.Checksum {
				t.Errorf("%s, %d bytes of room: resumed: %v", name, room, err)
			}
			os.RemoveAll(dir)
		}
		t.Logf("%s: %d full disks, in %v", name, full, phases)
	}
}

// spooled hides that rows can be mapped.
type spooled struct{ vectors.Source }
