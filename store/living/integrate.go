package living

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/knng/knng/store/living/internal/disk"
	"github.com/knng/knng/store/living/internal/layer"
	"github.com/knng/knng/store/living/internal/pointer"
)

// Rows are integrated so many at a time: a share of the base, within bounds. Fewer wait, and are
// compared with every query, which takes about as long as the search of the base.
const (
	chunkShare = 128
	leastChunk = 1024
	mostChunk  = 8192
)

func chunkOf(rows int) int { return min(max(rows/chunkShare, leastChunk), mostChunk) }

func (db *DB) chunk(st *state) int {
	if db.opts.chunk > 0 {
		return db.opts.chunk
	}
	return chunkOf(st.base.count)
}

// Integrate brings put rows into the graph, State.Chunk at a time, and leaves less than a chunk
// pending: each gets a list, found by a search of the graph and a comparison with all rows of
// its chunk, and comes into the lists of the rows that the search met. No file of the base changes:
// what its lists learn is in a file beside it, of some 300 bytes a row, written anew for every
// chunk. A search then follows the links of integrated rows.
//
// Where the disk is full, or fails, while a chunk is integrated, its rows stay pending, and transactions go on: State.Unintegrated
// tells the error until an integration succeeds. With Options.Auto Update tries again after some further rows.
//
// A chunk is integrated as of the operation that put its last row, whenever that is done: lists
// are a function of the base and of the operations, not of transactions, threads or
// interruptions. Each chunk counts when it is durable. Without a base there is nothing to do:
// compact first. Cancelling ctx stops it between rows, and while it waits for a transaction. Errors: ErrBusy, ErrClosed, ErrBroken,
// ErrCorrupt, store.ErrSpace, ctx's.
func (db *DB) Integrate(ctx context.Context) error {
	if !db.compacting.TryLock() {
		return ErrBusy
	}
	defer db.compacting.Unlock()
	tell := db.tellIntegrated(ctx)
	for {
		more, err := db.integrateOne(ctx)
		err = spaceError(err)
		tell()
		if err != nil || !more {
			db.integrated(ctx, err)
			return err
		}
	}
}

// tellIntegrated tells Options.Integrated how many rows wait in whole chunks, and returns a function that tells how many of
// these are integrated.
func (db *DB) tellIntegrated(ctx context.Context) (tell func()) {
	st, first, err := db.hold(ctx)
	if err != nil || db.opts.Integrated == nil || st.base == nil {
		if err == nil {
			st.release()
		}
		return func() {}
	}
	defer st.release()
	total := int(first.part.Len() - first.covered())
	total -= total % db.chunk(st)
	tell = func() {
		if st, now, err := db.hold(ctx); err == nil {
			defer st.release()
			db.opts.Integrated(min(int(now.covered()-first.covered()), total), total)
		}
	}
	tell()
	return tell
}

// unintegrated is an integration that failed.
type unintegrated struct {
	err   error
	first uint64 // row that the tail begins with
	next  uint32 // rows of the tail by which Update tries again
}

// triesAgain is the share of a chunk that is put before Update tries again to integrate, which costs as much as if it succeeded.
const triesAgain = 8

// integrated notes how the last integration ended.
func (db *DB) integrated(ctx context.Context, err error) {
	if err == nil {
		db.waiting.Store(nil)
		return
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || db.mu.LockWith(ctx) != nil {
		return
	}
	defer db.mu.Unlock()
	if db.usable() != nil {
		return
	}
	u := &unintegrated{err: err, first: db.st.first}
	if db.st.base != nil {
		u.next = db.st.now.Load().part.Len() + uint32(max(1, db.chunk(db.st)/triesAgain))
	}
	db.waiting.Store(u)
}

// waits reports whether a chunk waits to be integrated.
func (db *DB) waits() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.usable() != nil || db.st.base == nil {
		return false
	}
	s := db.st.now.Load()
	if u := db.waiting.Load(); u != nil && u.first == db.st.first && s.part.Len() < u.next {
		return false
	}
	return int(s.part.Len()-s.covered()) >= db.chunk(db.st)
}

// hold is the state as it is, which the caller releases.
func (db *DB) hold(ctx context.Context) (*state, *snapshot, error) {
	if err := db.mu.LockWith(ctx); err != nil {
		return nil, nil, err
	}
	defer db.mu.Unlock()
	if err := db.usable(); err != nil {
		return nil, nil, err
	}
	return db.st.retain(), db.st.now.Load(), nil
}

// integrateOne makes the next layer, and reports whether another may follow.
func (db *DB) integrateOne(ctx context.Context) (more bool, err error) {
	st, snap, err := db.hold(ctx)
	if err != nil {
		return false, err
	}
	defer st.release()
	if st.base == nil {
		return false, nil
	}
	to := snap.covered() + uint32(db.chunk(st))
	if to > snap.part.Len() {
		if snap.layer != nil {
			return false, nil
		}
		to = 0
	}
	if uint64(st.positions())+uint64(to) >= uint64(layer.NoRef) {
		return false, fmt.Errorf("living: %d rows of the base and %d others are more than are integrated: compact the store", st.positions(), to)
	}
	threads := db.opts.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	l, err := st.nextLayer(ctx, snap, to, threads)
	if err != nil {
		return false, err
	}
	return to > 0, db.publishLayer(ctx, l)
}

// publishLayer writes a layer and lets it count. The layer is derived: until its manifest may count, a disk that is full, or fails,
// leaves the store as it is, and rows wait in the tail.
func (db *DB) publishLayer(ctx context.Context, l *layer.Layer) error {
	data := l.Encode()
	if err := db.mu.LockWith(ctx); err != nil {
		return err
	}
	defer db.mu.Unlock()
	if err := db.usable(); err != nil {
		return err
	}
	m := *db.st.man
	m.Number++
	m.Layer = pointer.Layer(m.Number)
	if err := disk.Write(db.fs, pointer.Folder, m.Layer[len(pointer.Folder)+1:], data); err != nil {
		return errors.Join(err, db.sweep()) // what is half made takes space
	}
	if err := db.log.Finish(); err != nil { // readers must see all the rows that the layer covers
		return db.fail(err)
	}
	if err := pointer.Prepare(db.fs, &m); err != nil {
		return errors.Join(err, db.sweep())
	}
	if err := pointer.Commit(db.fs); err != nil {
		return db.fail(err)
	}
	db.st.takeLayer(&m, l)
	return db.sweep()
}

// takeLayer has views that are opened from now on see a layer.
func (st *state) takeLayer(m *pointer.Manifest, l *layer.Layer) {
	st.writing.Lock()
	defer st.writing.Unlock()
	st.man, st.layer = m, l
	st.publish(st.now.Load().end)
}

// cut is a snapshot as it was when the tail got its last of some rows, with the layer of then.
func (st *state) cut(s *snapshot, rows uint32) *snapshot {
	c := *s
	c.ops = 0
	if rows > 0 {
		c.ops = s.part.Born(rows - 1)
	}
	c.part = s.part.Cut(rows, c.ops)
	c.liveBase, c.liveTail = 0, 0
	st.each(&c, func(row uint64, _, _ uint32) bool {
		if row < st.first {
			c.liveBase++
		} else {
			c.liveTail++
		}
		return true
	})
	return &c
}
