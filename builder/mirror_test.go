package builder_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// mirror does everything twice: on the disk, where it is read from, and in a
// memory that knows what has been synced and what a crash may lose. Before and
// after each sync and each rename it tells crash, with everything standing still.
type mirror struct {
	vfs.FS // the disk
	mem    *vfs.MemFS
	mu     sync.Mutex
	crash  func(op, path string)
}

// newMirror mirrors what is written below dir, which must be empty.
func newMirror(t *testing.T, dir string) *mirror {
	t.Helper()
	m := &mirror{FS: vfs.Default, mem: vfs.NewCrashableMem(), crash: func(string, string) {}}
	if err := m.mem.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		f, err := m.mem.OpenDir(at)
		if err != nil {
			t.Fatal(err)
		}
		f.Sync()
		f.Close()
		if at == filepath.Dir(at) {
			return m
		}
	}
}

// both runs one step on the disk and, where that went well, in memory.
func (m *mirror) both(disk, mem func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := disk(); err != nil {
		return err
	}
	return mem()
}

// crashing is both, around which a crash may happen.
func (m *mirror) crashing(op, path string, disk, mem func() error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.crash("before "+op, path)
	if err := disk(); err != nil {
		return err
	}
	err := mem()
	m.crash("after "+op, path)
	return err
}

// opened opens a file twice.
func (m *mirror) opened(name string, disk, mem func() (vfs.File, error)) (vfs.File, error) {
	f := &mirrored{m: m, name: name}
	err := m.both(func() (err error) { f.File, err = disk(); return err }, func() (err error) { f.mem, err = mem(); return err })
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (m *mirror) Create(name string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return m.opened(name, func() (vfs.File, error) { return m.FS.Create(name, c) }, func() (vfs.File, error) { return m.mem.Create(name, c) })
}

func (m *mirror) OpenReadWrite(name string, c vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return m.opened(name, func() (vfs.File, error) { return m.FS.OpenReadWrite(name, c, opts...) },
		func() (vfs.File, error) { return m.mem.OpenReadWrite(name, c) })
}

func (m *mirror) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	return m.opened(to, func() (vfs.File, error) { return m.FS.ReuseForWrite(from, to, c) },
		func() (vfs.File, error) { return m.mem.ReuseForWrite(from, to, c) })
}

func (m *mirror) OpenDir(name string) (vfs.File, error) {
	return m.opened(name, func() (vfs.File, error) { return m.FS.OpenDir(name) }, func() (vfs.File, error) { return m.mem.OpenDir(name) })
}

func (m *mirror) Link(from, to string) error {
	return m.both(func() error { return m.FS.Link(from, to) }, func() error { return m.mem.Link(from, to) })
}

// Lock leaves a file, which a sealed store lists.
func (m *mirror) Lock(name string) (l io.Closer, err error) {
	err = m.both(func() (err error) { l, err = m.FS.Lock(name); return err }, func() error {
		f, err := m.mem.Create(name, vfs.WriteCategoryUnspecified)
		if err != nil {
			return err
		}
		return f.Close()
	})
	return l, err
}

func (m *mirror) Remove(name string) error {
	return m.both(func() error { return m.FS.Remove(name) }, func() error { return m.mem.Remove(name) })
}

func (m *mirror) RemoveAll(name string) error {
	return m.both(func() error { return m.FS.RemoveAll(name) }, func() error { return m.mem.RemoveAll(name) })
}

func (m *mirror) MkdirAll(name string, perm os.FileMode) error {
	return m.both(func() error { return m.FS.MkdirAll(name, perm) }, func() error { return m.mem.MkdirAll(name, perm) })
}

func (m *mirror) Rename(from, to string) error {
	return m.crashing("rename", to, func() error { return m.FS.Rename(from, to) }, func() error { return m.mem.Rename(from, to) })
}

// mirrored is a file of a mirror.
type mirrored struct {
	vfs.File // on the disk
	mem      vfs.File
	m        *mirror
	name     string
}

func (f *mirrored) Close() error { return f.m.both(f.File.Close, f.mem.Close) }

func (f *mirrored) Write(p []byte) (n int, err error) {
	same := bytes.Clone(p) // a Write may change what it writes
	err = f.m.both(func() (err error) { n, err = f.File.Write(p); return err },
		func() error { _, err := f.mem.Write(same); return err })
	return n, err
}

func (f *mirrored) WriteAt(p []byte, at int64) (n int, err error) {
	same := bytes.Clone(p)
	err = f.m.both(func() (err error) { n, err = f.File.WriteAt(p, at); return err },
		func() error { _, err := f.mem.WriteAt(same, at); return err })
	return n, err
}

// The disk need not sync: its crashes are those of the memory.
func nothing() error { return nil }

func (f *mirrored) Sync() error     { return f.m.crashing("sync", f.name, nothing, f.mem.Sync) }
func (f *mirrored) SyncData() error { return f.m.crashing("sync", f.name, nothing, f.mem.SyncData) }

func (f *mirrored) SyncTo(length int64) (full bool, err error) {
	err = f.m.crashing("sync", f.name, nothing, func() (err error) { full, err = f.mem.SyncTo(length); return err })
	return full, err
}

// Fd keeps others from syncing behind our back.
func (f *mirrored) Fd() uintptr { return vfs.InvalidFd }

// after is the memory as a crash now may leave it, with a share of what was not
// synced.
func (m *mirror) after(percent int, rng *rand.Rand) *vfs.MemFS {
	return m.mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: rng})
}

// copyOut writes what is below from in a file system to a folder.
func copyOut(t *testing.T, fs vfs.FS, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o777); err != nil {
		t.Fatal(err)
	}
	names, err := fs.List(from)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		src, dst := filepath.Join(from, name), filepath.Join(to, name)
		info, err := fs.Stat(src)
		if err != nil {
			t.Fatal(err)
		}
		if info.IsDir() {
			copyOut(t, fs, src, dst)
			continue
		}
		f, err := fs.Open(src)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(f)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(dst, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// copyIn writes what is below dir on the disk into a memory, and syncs it.
func copyIn(t *testing.T, mem *vfs.MemFS, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := mem.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			copyIn(t, mem, path)
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := mem.Create(path, vfs.WriteCategoryUnspecified)
		if err != nil {
			t.Fatal(err)
		}
		f.Write(data)
		f.Sync()
		f.Close()
	}
	d, err := mem.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	d.Sync()
	d.Close()
}
