package written

import (
	"errors"
	"os"
	"sync"

	"github.com/cespare/xxhash/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// An Account is a file system that writes the account of a folder as files in it are
// synced. It is safe for concurrent use, as far as the one behind it is.
type Account struct {
	vfs.FS
	dir string

	mu    sync.Mutex
	file  vfs.File
	known map[string]bool       // names that the account tells of
	left  map[string]bool       // tables that it tells no more of, which is not synced
	open  map[string]*accounted // files being written, by name
}

// Open checks a folder and goes on with its account. Later writes there go
// through the result. Errors: those of Check.
func Open(files vfs.FS, dir string) (*Account, error) {
	claims, err := check(files, dir)
	if err != nil {
		return nil, err
	}
	a := &Account{FS: files, dir: dir, known: map[string]bool{}, left: map[string]bool{}, open: map[string]*accounted{}}
	for name := range claims {
		a.known[name] = true
	}
	if a.file, err = begin(files, dir, claims); err != nil {
		return nil, err
	}
	return a, nil
}

// Close closes the account. Later writes are not in it.
func (a *Account) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.file == nil {
		return nil
	}
	err := a.file.Close()
	a.file = nil
	return err
}

// of is the name of a file that the account tells of, or could.
func (a *Account) of(path string) (name string, ok bool) {
	name = a.FS.PathBase(path)
	return name, a.FS.PathDir(path) == a.dir && tracked(name)
}

// add writes a line. The caller holds the mutex.
func (a *Account) add(text string) error {
	if a.file == nil {
		return nil
	}
	_, err := a.file.Write([]byte(text))
	return err
}

// forget has the account tell no more of a file, before it goes.
func (a *Account) forget(path string) error {
	name, ok := a.of(path)
	if !ok {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.open, name)
	if !a.known[name] {
		return nil
	}
	if err := a.add(gone(name)); err != nil {
		return err
	}
	delete(a.known, name)
	if isTable(name) { // which may be missing; but its name may come again
		a.left[name] = true
		return nil
	}
	return a.sync()
}

// sync syncs the account. The caller holds the mutex.
func (a *Account) sync() error {
	if a.file == nil {
		return nil
	}
	clear(a.left)
	return a.file.Sync()
}

// again has the account outlive a crash before a name comes again of which it told.
func (a *Account) again(name string) error {
	if !a.left[name] {
		return nil
	}
	return a.sync()
}

// began begins to count the writes to a file that is new or written over.
func (a *Account) began(path string, f vfs.File, err error) (vfs.File, error) {
	name, ok := a.of(path)
	if err != nil || !ok {
		return f, err
	}
	of := &accounted{File: f, a: a, name: name, hash: xxhash.New()}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open[name] = of
	if err := a.again(name); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return of, nil
}

// Link gives a table that was made elsewhere a name in the folder, and accounts for it once
// that outlives a crash.
func (a *Account) Link(from, to string) error {
	name, ok := a.of(to)
	if !ok || !isTable(name) {
		return a.FS.Link(from, to)
	}
	c, err := endsAt(a.FS, from)
	if err != nil {
		return err
	}
	a.mu.Lock()
	err = a.again(name)
	a.mu.Unlock()
	if err == nil {
		err = a.FS.Link(from, to)
	}
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open[name] = &accounted{a: a, name: name, synced: c}
	return nil
}

func (a *Account) Create(path string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := a.forget(path); err != nil {
		return nil, err
	}
	f, err := a.FS.Create(path, c)
	return a.began(path, f, err)
}

func (a *Account) ReuseForWrite(from, to string, c vfs.DiskWriteCategory) (vfs.File, error) {
	if err := errors.Join(a.forget(from), a.forget(to)); err != nil {
		return nil, err
	}
	f, err := a.FS.ReuseForWrite(from, to, c)
	return a.began(to, f, err)
}

func (a *Account) Remove(path string) error {
	if err := a.forget(path); err != nil {
		return err
	}
	return a.FS.Remove(path)
}

func (a *Account) Rename(from, to string) error {
	if err := errors.Join(a.forget(from), a.forget(to)); err != nil {
		return err
	}
	return a.FS.Rename(from, to)
}

func (a *Account) OpenDir(path string) (vfs.File, error) {
	f, err := a.FS.OpenDir(path)
	if err != nil || path != a.dir {
		return f, err
	}
	return &folder{f, a}, nil
}

func (a *Account) MkdirAll(dir string, perm os.FileMode) error { return a.FS.MkdirAll(dir, perm) }

// Unwrap makes Account a vfs.FS.
func (a *Account) Unwrap() vfs.FS { return a.FS }

// folder is the folder of the account, opened to be synced.
type folder struct {
	vfs.File
	a *Account
}

func (f *folder) Sync() error     { return f.a.named(f.File.Sync) }
func (f *folder) SyncData() error { return f.a.named(f.File.SyncData) }

// named syncs the folder: the names of all files that stand in it outlive a crash from now
// on, and the account may tell of them.
func (a *Account) named(sync func() error) error {
	a.mu.Lock()
	var before []*accounted
	for _, f := range a.open {
		if !f.named {
			before = append(before, f)
		}
	}
	a.mu.Unlock()
	if err := sync(); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range before {
		f.named = true
		if f.synced.bytes > 0 {
			if err := f.tell(f.synced); err != nil {
				return err
			}
		}
	}
	return nil
}

// accounted is a file of which the account tells.
type accounted struct {
	vfs.File
	a    *Account
	name string

	// Under the mutex of the account.
	hash   *xxhash.Digest
	bytes  int64
	named  bool  // its name outlives a crash
	synced claim // the last that was synced
}

// tell writes a claim, unless the file goes. The caller holds the mutex.
func (f *accounted) tell(c claim) error {
	f.synced = c
	if !f.named || f.a.open[f.name] != f {
		return nil
	}
	f.a.known[f.name] = true
	return f.a.add(c.line(f.name))
}

// Write counts its bytes. A write that fails ends the file (package fence).
func (f *accounted) Write(p []byte) (int, error) {
	f.a.mu.Lock()
	f.hash.Write(p) // before, since a Write may change its argument
	f.bytes += int64(len(p))
	f.a.mu.Unlock()
	return f.File.Write(p)
}

// syncing runs a sync and accounts for the bytes that were written before it.
func (f *accounted) syncing(sync func() (full bool, err error)) (full bool, err error) {
	f.a.mu.Lock()
	now := claim{bytes: f.bytes, sum: f.hash.Sum64()}
	f.a.mu.Unlock()
	if full, err = sync(); err != nil || !full {
		return full, err
	}
	f.a.mu.Lock()
	defer f.a.mu.Unlock()
	if now == f.synced {
		return full, nil
	}
	return full, f.tell(now)
}

func (f *accounted) Sync() error {
	_, err := f.syncing(func() (bool, error) { return true, f.File.Sync() })
	return err
}

func (f *accounted) SyncData() error {
	_, err := f.syncing(func() (bool, error) { return true, f.File.SyncData() })
	return err
}

func (f *accounted) SyncTo(length int64) (full bool, err error) {
	return f.syncing(func() (bool, error) { return f.File.SyncTo(length) })
}
