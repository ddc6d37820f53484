package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/knng/knng/store/internal/pebblefs"
	"github.com/knng/knng/store/internal/rooted"
)

// FS is a file system as Pebble sees one.
type FS = vfs.FS

// DraftOptions tunes a build's store. The zero value works.
type DraftOptions struct {
	CacheBytes int64                            // Pebble's block cache; 0 is 8 MiB: a build reads in order
	Scratch    string                           // where scratch files go, in a folder of their own; "" is DIR/scratch
	Logger     func(format string, args ...any) // Pebble's complaints; nil drops them
	FS         FS                               // where all but scratch files are written; nil is the system. Tests put in ones that fail
	Early      time.Duration                    // how long a new build syncs nothing: if killed by then, it begins anew
	Context    context.Context                  // cancels the wait for readers of the unfinished store; nil: it cannot be canceled
}

// A Draft is a store being built, locked against other processes. Its methods
// are durable when they return, and all-or-nothing under crashes. Units may be
// committed, and blocks and records read, from several goroutines; everything else
// belongs to one.
//
// A build is a sequence of stages numbered from 1 (a division, a propagation
// round, a run of exact blocks); a stage is a set of units, done in any order.
// The state after stage s is: the lists last folded, united with the blocks of
// all units of the stages after it, up to s.
type Draft struct {
	dir        string
	home       *rooted.Dir // dir, as it was opened
	opts       DraftOptions
	fs         vfs.FS
	early      *early // nil: it syncs as it goes
	lock       io.Closer
	engine     *engine
	manifest   Manifest
	scratch    scratch
	resumed    bool
	tables     atomic.Int64 // names temporary tables
	logged     atomic.Int64 // bytes of blocks that went through the log
	tableBytes int          // 0: the constant. Tests want several tables
	closed     bool
	rowsSound  bool // the store's own rows were compared with those written
	made       bool // the directory was not there before
	discarded  bool // nothing of the build is wanted any more

	telling sync.Mutex
	silent  bool // no report of progress is written any more
}

// OpenDraft creates dir, or resumes the unfinished build in it.
//
// Errors: ErrFinished where the store in dir is sealed and m matches it;
// ErrMismatch (a *MismatchError) where m differs from the manifest there,
// finished or not; ErrLocked naming the holder; ErrNotStore where dir exists,
// is not empty and holds something else, or is "".
func OpenDraft(dir string, m Manifest, opts *DraftOptions) (d *Draft, err error) {
	if dir == "" { // which would be the current folder
		return nil, fmt.Errorf("%w: the path of its directory is empty", ErrNotStore)
	}
	dir = filepath.Clean(dir) // whose parent is synced
	state, err := StateOf(dir)
	if err != nil {
		return nil, err
	}
	switch state {
	case Other:
		return nil, fmt.Errorf("%w: %s has other files in it", ErrNotStore, dir)
	case Finished:
		return nil, alreadyFinished(dir, &m)
	}
	d = &Draft{dir: dir}
	if opts != nil {
		d.opts = *opts
	}
	if err := scratchApart(dir, d.opts.Scratch); err != nil {
		return nil, err
	}
	if err := d.enter(m); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// enter makes the directory, locks it, and opens the database in it.
func (d *Draft) enter(m Manifest) (err error) {
	_, missing := os.Lstat(d.dir)
	d.made = errors.Is(missing, fs.ErrNotExist)
	if err := makeFolder(vfs.Default, d.dir); err != nil {
		return err
	}
	if d.home, err = openHome(d.dir); err != nil {
		return err
	}
	d.scratch = scratch{dir: d.dir, home: d.home, given: d.opts.Scratch}
	if d.fs = d.opts.FS; d.fs == nil {
		d.fs = pebblefs.Of(d.home)
	}
	ctx := d.opts.Context
	if ctx == nil {
		ctx = context.Background()
	}
	if d.lock, err = lockDir(ctx, d.home); err != nil {
		return err
	}
	if err := sweep(d.home, scratchName); err != nil {
		return err
	}
	state, err := StateOf(d.dir) // it may have changed before the lock
	if err != nil {
		return err
	}
	if state == Finished {
		return alreadyFinished(d.dir, &m)
	}
	m.Format, m.Created = FormatVersion, time.Now().UTC().Format(time.RFC3339)
	if state, err = d.openEarly(state, &m); err != nil {
		return err
	}
	return d.open(state == Unfinished, m)
}

// alreadyFinished compares a sealed store with the manifest requested.
func alreadyFinished(dir string, m *Manifest) error {
	s, err := openBuilt(dir)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := compareManifests(dir, &s.info.Manifest, m); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s", ErrFinished, dir)
}

// open opens the database, after making it where there is none.
func (d *Draft) open(resume bool, m Manifest) (err error) {
	if !resume {
		if err := d.create(m); err != nil {
			return err
		}
	}
	cache := d.opts.CacheBytes
	if cache == 0 {
		cache = 8 << 20
	}
	if d.engine, err = openEngine(d.fs, filepath.Join(d.dir, graphName), cache, toWrite, d.opts.Logger); err != nil {
		return err
	}
	ok, err := d.engine.load("manifest", &d.manifest)
	if err == nil && !ok {
		err = fmt.Errorf("%w: %s has no manifest", ErrCorrupt, d.dir)
	}
	if err == nil {
		err = d.manifest.Check()
	}
	if err == nil && resume {
		err = compareManifests(d.dir, &d.manifest, &m)
	}
	if err != nil {
		return err
	}
	d.resumed = resume
	if err := d.engine.knownForm(); err != nil {
		return fmt.Errorf("store: %s: %w", d.dir, err)
	}
	return dropStale(d)
}

// create makes a database with a manifest in a folder of its own and renames
// it: a crash while Pebble creates a database leaves one that does not open.
func (d *Draft) create(m Manifest) error {
	path := filepath.Join(d.dir, graphName)
	if err := makeFolder(d.fs, d.dir); err != nil {
		return err
	}
	if err := d.fs.RemoveAll(path + newSuffix); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	e, err := openEngine(d.fs, path+newSuffix, 1<<20, toCreate, d.opts.Logger)
	if err != nil {
		return err
	}
	value, err := json.Marshal(m)
	if err == nil {
		err = e.set(recordKey("manifest"), value)
	}
	if err = errors.Join(err, e.close()); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	if err := d.fs.Rename(path+newSuffix, path); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	return syncDir(d.fs, d.dir)
}

// Dir is the directory of the store.
func (d *Draft) Dir() string { return d.dir }

// Resumed reports whether OpenDraft found earlier work.
func (d *Draft) Resumed() bool { return d.resumed }

// Manifest returns the manifest as stored.
func (d *Draft) Manifest() Manifest { return d.manifest }

// RowsPath is where the store's own rows belong: DIR/vectors/rows.
func (d *Draft) RowsPath() string { return filepath.Join(d.dir, vectorsName, rowsName) }

// Holds reports whether a path, which need not exist yet, is in the folder of the store at dir, directly or through
// links. A file written there would damage a finished store, which is sealed as a whole.
func Holds(dir, path string) bool {
	if _, within := inFolder(dir, path); within {
		return true
	}
	whole, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return false
	}
	_, within := inFolder(whole, filepath.Join(parent, filepath.Base(path)))
	return within
}

// inFolder returns a path relative to a folder that it lies in.
func inFolder(dir, path string) (rel string, within bool) {
	whole, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	part, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	rel, err = filepath.Rel(whole, part)
	return rel, err == nil && filepath.IsLocal(rel)
}

// ScratchDir returns a folder for derived files, which may be deleted at any
// time between runs, and makes it where it is not there. Within a folder that was
// given it is one of this build's own, which Seal removes: builds may share the
// folder.
func (d *Draft) ScratchDir() (string, error) { return d.scratch.make(d.manifest.Created) }

// Record keeps v as JSON under a name: small things, such as the audit's
// findings and the build's state.
func (d *Draft) Record(name string, v any) error {
	return d.engine.record(name, v)
}

func (e *engine) record(name string, v any) error {
	value, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("store: record %s: %w", name, err)
	}
	if err := e.set(recordKey(name), value); err != nil {
		return fmt.Errorf("store: record %s: %w", name, err)
	}
	return nil
}

// Load reads a record back into v and reports whether it was there. Errors are those of
// Store.Record.
func (d *Draft) Load(name string, v any) (ok bool, err error) {
	return d.engine.loadFor(name, v)
}

// load decodes a record of the store's own into its type: all errors are ErrCorrupt.
func (e *engine) load(name string, v any) (bool, error) {
	value, ok, err := e.get(recordKey(name))
	if err != nil || !ok {
		return false, err
	}
	if err := json.Unmarshal(value, v); err != nil {
		return false, fmt.Errorf("%w: record %s: %w", ErrCorrupt, name, err)
	}
	return true, nil
}

// loadFor decodes a record into a caller's value.
func (e *engine) loadFor(name string, v any) (bool, error) {
	value, ok, err := e.get(recordKey(name))
	if err != nil || !ok {
		return false, err
	}
	return decodeFor("record "+name, value, v)
}

// decodeFor decodes JSON into a caller's value. The text was read under checksums. So if it is valid JSON, an error
// is about the caller's type and not ErrCorrupt, upon which a program would restore a copy.
func decodeFor(name string, text []byte, v any) (ok bool, err error) {
	switch err := json.Unmarshal(text, v); {
	case err == nil:
		return true, nil
	case json.Valid(text):
		return false, fmt.Errorf("store: %s: %w", name, err)
	default:
		return false, fmt.Errorf("%w: %s: %w", ErrCorrupt, name, err)
	}
}

// DiskBytes is the size of the directory now, scratch files left out.
func (d *Draft) DiskBytes() (int64, error) { return dirBytes(d.home) }

// Close releases the lock and leaves the build to be resumed. After Seal it
// does nothing.
func (d *Draft) Close() (err error) {
	if d.closed {
		return nil
	}
	d.closed = true
	d.silence()
	if d.engine != nil {
		err = d.engine.close()
	}
	if d.lock != nil {
		err = errors.Join(err, d.endEarly())
	}
	if d.discarded {
		vanish(d)
	}
	if d.lock != nil {
		err = errors.Join(err, d.lock.Close())
	}
	if d.home != nil {
		err = errors.Join(err, d.home.Close())
	}
	return err
}
