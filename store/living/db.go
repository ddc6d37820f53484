package living

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/rooted"
	"github.com/knng/knng/store/living/internal/disk"
	"github.com/knng/knng/store/living/internal/oplog"
	"github.com/knng/knng/store/living/internal/pointer"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/aside"
	"github.com/knng/knng/vectors/distance"
)

// Options tunes Open. The zero value works.
type Options struct {
	// Create makes an empty store of this shape if there is none. An existing store must have its dimension,
	// type and metric.
	Create *Shape
	// Tail is the most rows that may wait for a compaction, in memory: beyond them Update returns ErrFull. 0
	// is 1<<18.
	Tail   int
	Search *search.Options // of the base; nil: the zero value
	// Auto makes Update call Integrate before it returns, whenever enough rows wait for it.
	Auto bool
	// Rebuild, with Auto, makes Update begin a compaction in the background when one is due (State.Due);
	// package builder/rebuild has one. Close interrupts it; Open continues it. The next compaction is due by
	// the operations since this one began; an Update that makes it due while this one still runs waits for
	// its end.
	Rebuild Rebuild
	// Threads is the number of goroutines of Integrate; 0 is one per core.
	Threads int
	// Integrated, if not nil, is called before the first chunk of an Integrate and after each chunk, with the
	// number of integrated rows, and of all rows that will be.
	Integrated func(done, total int)

	due   int                   // tests compact for fewer rows; 0: as State.Due says
	chunk int                   // tests integrate fewer rows at a time; 0: as State.Chunk says
	fs    func(disk.FS) disk.FS // tests put in ones that fail
}

// A Shape is common to all rows of a store.
type Shape struct {
	Dim    int
	Type   vectors.Type    // 0 is float32
	Metric distance.Metric // 0 is euclidean
	K      int             // entries of a list; 0 is 20
}

// A DB is a living store that is open for writing. It is safe for concurrent use.
type DB struct {
	home *home
	fs   disk.FS
	opts Options
	lock *os.File

	mu     turn // held by the running transaction
	log    *oplog.Writer
	broken error

	swap   sync.Mutex // held, inside mu, while these change: a view does not wait for transactions
	st     *state
	closed bool

	compacting sync.Mutex
	background background
	waiting    atomic.Pointer[unintegrated] // nil if the last integration succeeded
}

// A turn is a mutex; a context can end the wait for it.
type turn chan struct{}

func (t turn) Lock()   { t <- struct{}{} }
func (t turn) Unlock() { <-t }

// LockWith locks, or returns the error of ctx if that ends first.
func (t turn) LockWith(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	default:
	}
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

const lockName = pointer.Folder + "/lock"

// Open opens the store in dir for writing: one that was built, one that was written to before, or, with
// Options.Create, a new one. Only one DB of all processes can have it open. Open repairs the files of a
// process that ended at any moment: every transaction whose Update returned nil is there, and every other one
// is there whole or not at all.
//
// Errors: ErrLocked, store.ErrNotStore, search.ErrOwnDistance, ErrCorrupt, ErrWithin, ErrShape.
func Open(dir string, opts *Options) (*DB, error) {
	db := &DB{mu: make(turn, 1)}
	if opts != nil {
		db.opts = *opts
	}
	if db.opts.Tail <= 0 {
		db.opts.Tail = defaultTail
	}
	if err := db.begin(dir); err != nil {
		db.broken = err // so that nothing more is written
		db.release()
		return nil, err
	}
	if err := db.resume(); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// begin opens the directory and its files.
func (db *DB) begin(dir string) (err error) {
	if err := within(dir); err != nil {
		return err
	}
	if db.opts.Create != nil { // a refused store leaves nothing behind
		if _, err := db.opts.Create.manifest(); err != nil {
			return err
		}
	}
	if err := db.opts.make(dir); err != nil {
		return err
	}
	if db.home, err = openHome(dir); err != nil {
		return err
	}
	db.fs = disk.In(db.home.Dir)
	if db.opts.fs != nil {
		db.fs = db.opts.fs(db.fs)
	}
	if err := db.isStore(); err != nil {
		return err
	}
	if err := db.takeLock(); err != nil {
		return err
	}
	m, err := db.manifest()
	if err != nil {
		return err
	}
	return db.open(m)
}

// make makes the directory of a store that is to be created.
func (o *Options) make(dir string) error {
	if o.Create == nil {
		return nil
	}
	if err := os.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return aside.SyncFolder(filepath.Dir(filepath.Clean(dir))) // in case a kill came before this
}

// suits returns nil if the manifest has the dimension, type and metric of Create, or Create is nil.
func (o *Options) suits(m *pointer.Manifest) error {
	if o.Create == nil {
		return nil
	}
	want, err := o.Create.manifest()
	if err == nil && (m.Dim != want.Dim || m.Type != want.Type || m.Metric != want.Metric) {
		err = fmt.Errorf("%w: it has %d %s by %s, Options.Create %d %s by %s", ErrShape, m.Dim, m.Type, m.Metric, want.Dim, want.Type, want.Metric)
	}
	return err
}

// isStore returns nil if the directory holds a store, or one may be created there. It writes nothing.
func (db *DB) isStore() error {
	m, err := readManifest(db.home)
	if err == nil {
		return db.opts.suits(m)
	}
	if db.opts.Create == nil || !errors.Is(err, store.ErrNotStore) {
		return err
	}
	names, failed := db.home.List(".")
	if failed == nil && (len(names) == 0 || len(names) == 1 && names[0] == pointer.Folder) {
		return nil
	}
	return errors.Join(err, failed)
}

// takeLock makes this DB the only writer.
func (db *DB) takeLock() (err error) {
	if err := db.fs.Mkdir(pointer.Folder); err != nil {
		return err
	}
	if err := db.fs.SyncFolder("."); err != nil {
		return err
	}
	if db.lock, err = db.home.Edit(lockName); err != nil {
		return err
	}
	ok, err := rooted.TryLock(db.lock)
	if err == nil && !ok {
		holder, _ := io.ReadAll(io.LimitReader(db.lock, 1000))
		err = fmt.Errorf("%w: %s, by %s", ErrLocked, db.home.Name(), strings.TrimSpace(string(holder)))
	}
	if err != nil {
		return err
	}
	host, _ := os.Hostname()
	db.lock.Truncate(0)
	db.lock.WriteAt(fmt.Appendf(nil, "process %d on %s since %s\n", os.Getpid(), host, time.Now().Format(time.RFC3339)), 0)
	return nil
}

// manifest reads the current manifest, or writes the first one.
func (db *DB) manifest() (*pointer.Manifest, error) {
	m, err := readManifest(db.home)
	if errors.Is(err, store.ErrNotStore) && db.opts.Create != nil {
		m, err = db.opts.Create.manifest()
	}
	if err != nil || len(m.Logs) > 0 {
		return m, err
	}
	if m.Number, err = db.unused(); err != nil {
		return nil, err
	}
	m.Logs = []uint64{m.Number}
	log, err := db.newLog(m, 1, m.FirstRow)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(log.Abandon(), db.fs.SyncFolder(pointer.Folder)); err != nil {
		return nil, err
	}
	return m, pointer.Write(db.fs, m)
}

// unused returns a number that no manifest had: readers tell files apart by their numbers, and may hold some
// that forget left behind.
func (db *DB) unused() (number uint64, err error) {
	names, err := db.home.List(pointer.Folder)
	for _, name := range names {
		var n uint64
		if _, err := fmt.Sscanf(name, "MANIFEST-%d", &n); err == nil {
			number = max(number, n)
		}
	}
	return number + 1, err
}

func (s *Shape) manifest() (*pointer.Manifest, error) {
	m := &pointer.Manifest{Dim: s.Dim, Type: vectors.Float32.String(), Metric: distance.Euclidean.String(), K: 20}
	if s.Type != 0 {
		m.Type = s.Type.String()
	}
	if s.Metric != 0 {
		m.Metric = s.Metric.String()
	}
	if s.K != 0 {
		m.K = s.K
	}
	if m.Dim < 1 || m.Dim > vectors.MaxDim || m.K < 1 || m.K > 1<<12 {
		return nil, fmt.Errorf("living: a store of dimension %d with lists of %d, want 1 to %d and 1 to %d", m.Dim, m.K, vectors.MaxDim, 1<<12)
	}
	typ, err := vectors.ParseType(m.Type)
	if err != nil {
		return nil, fmt.Errorf("living: %w", err)
	}
	metric, err := distance.ParseMetric(m.Metric)
	if err == nil {
		_, err = distance.New(metric, typ, m.Dim) // it does not compare every type
	}
	if err != nil {
		return nil, fmt.Errorf("living: %w", err)
	}
	return m, nil
}

// newLog makes an empty log with a manifest's number. Its name is durable after the folder is synced.
func (db *DB) newLog(m *pointer.Manifest, op, row uint64) (*oplog.Writer, error) {
	typ, err := vectors.ParseType(m.Type)
	if err != nil {
		return nil, err
	}
	return oplog.Create(db.fs, pointer.Log(m.Number), oplog.Header{Number: m.Number, FirstOp: op, FirstRow: row, Type: typ, Dim: m.Dim})
}

// open opens the files of a manifest, and continues writing.
func (db *DB) open(m *pointer.Manifest) error {
	st, err := openState(db.home, m, nil, db.opts.Search)
	if err != nil {
		return err
	}
	db.st = st
	if err := st.replay(true); err != nil {
		return err
	}
	last := len(m.Logs) - 1
	if db.log, err = oplog.Continue(db.fs, pointer.Log(m.Logs[last]), st.logs[last]); err != nil {
		return err
	}
	if err := db.fs.SyncFolder(pointer.Folder); err != nil { // the last process may have ended before it did this
		return err
	}
	return db.sweep()
}

// View returns the present state of the store. Errors: ErrClosed.
func (db *DB) View() (*View, error) {
	db.swap.Lock()
	defer db.swap.Unlock()
	if db.closed {
		return nil, ErrClosed
	}
	return newView(db.st.retain(), db, ReadOptions{Search: db.opts.Search}), nil
}

// usable returns nil if the store can be written to.
func (db *DB) usable() error {
	if db.closed {
		return ErrClosed
	}
	if db.broken != nil {
		return fmt.Errorf("%w: %w", ErrBroken, db.broken)
	}
	return nil
}

// fail ends all writing. After a failed sync the contents of the disk are unknown, so nothing written later
// could be promised.
func (db *DB) fail(err error) error {
	db.broken = err
	return fmt.Errorf("%w: %w", ErrBroken, err)
}

// Close ends the writing and lets other processes write. Views stay open. It waits for a running compaction,
// and interrupts one that Update began.
func (db *DB) Close() error {
	db.background.end()
	db.compacting.Lock()
	defer db.compacting.Unlock()
	db.mu.Lock()
	defer db.mu.Unlock()
	db.swap.Lock()
	defer db.swap.Unlock()
	if db.closed {
		return nil
	}
	db.closed = true
	return db.release()
}

// release closes everything that is open.
func (db *DB) release() error {
	var errs []error
	untouched := db.untouched()
	if db.log != nil {
		if db.broken != nil {
			errs = append(errs, db.log.Abandon())
		} else {
			errs = append(errs, db.log.Close())
		}
	}
	if db.st != nil {
		errs = append(errs, db.st.release())
	}
	if untouched {
		db.forget()
	}
	if db.lock != nil {
		errs = append(errs, rooted.Locked{File: db.lock}.Close())
	}
	if db.home != nil {
		errs = append(errs, db.home.release())
	}
	return errors.Join(errs...)
}

// untouched reports whether a built store was never written to. A layer without operations has only the exact
// lists of some rows, which the next layer finds again.
func (db *DB) untouched() bool {
	return db.broken == nil && db.st != nil && db.st.ops == 0 && db.home.asBuilt(db.st.man)
}

// forget turns a store that was opened for writing, and never written to, back into the built store, which
// more commands accept. The other files stay until the next writer sweeps them: their number is used up, and
// a power cut may bring CURRENT back. If it fails the store is whole too.
func (db *DB) forget() { _ = db.fs.RemoveAll(pointer.Current) }
