package living

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/disk"
	"github.com/knng/knng/store/living/internal/layer"
	"github.com/knng/knng/store/living/internal/pointer"
)

// Rows are integrated in chunks: a share of the base, within bounds. Fewer rows wait, and are compared with
// every query, which takes about as long as the search of the base.
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

// Integrate brings put rows into the graph, State.Chunk at a time, and leaves less than a chunk pending. Each
// row gets a list, found by a search of the graph and a comparison with all rows of its chunk, and enters the
// lists of the rows that the search met. The base does not change: additions to its lists are in a separate
// file of about 300 bytes a row, which is rewritten for every chunk. Later searches follow the links of
// integrated rows.
//
// If the disk is full or fails during a chunk, its rows stay pending, and transactions go on;
// State.Unintegrated holds the error until an integration succeeds. With Options.Auto, Update tries again
// after some further rows.
//
// A chunk is integrated as of the operation that put its last row, whenever that is done, so lists depend on
// the base and the operations, not on transactions, threads or interruptions. Each chunk takes effect when it
// is durable. Without a base there is nothing to do: compact first. Cancelling ctx stops Integrate between
// rows, and while it waits for a transaction. Errors: ErrBusy, ErrClosed, ErrBroken, ErrCorrupt,
// store.ErrSpace, ctx's.
func (db *DB) Integrate(ctx context.Context) error {
	if !db.compacting.TryLock() {
		return ErrBusy
	}
	defer db.compacting.Unlock()
	tell := db.tellIntegrated(ctx)
	for {
		more, err := db.integrateOne(ctx)
		err = store.SpaceError(err)
		tell()
		if err != nil || !more {
			db.integrated(ctx, err)
			return err
		}
	}
}

// tellIntegrated calls Options.Integrated with the rows that wait in whole chunks, and returns a function
// that calls it with how many of these are integrated.
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

// unintegrated describes a failed integration.
type unintegrated struct {
	err   error
	first uint64 // first row of the tail
	next  uint32 // row of the tail at which Update tries again
}

// triesAgain sets when Update tries again: when a chunk divided by it was put, since a failed integration costs
// as much as a successful one.
const triesAgain = 8

// integrated records the result of the last integration.
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

// hold returns the present state, which the caller releases.
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

// publishLayer writes a layer and makes it current. A layer is derived: if the disk is full or fails before
// its manifest takes effect, the store is unchanged, and rows wait in the tail.
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
		return errors.Join(err, db.sweep()) // half-made files take space
	}
	if err := db.log.Finish(); err != nil { // readers must see all rows of the layer
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

// takeLayer shows a layer to new views.
func (st *state) takeLayer(m *pointer.Manifest, l *layer.Layer) {
	st.writing.Lock()
	defer st.writing.Unlock()
	st.man, st.layer = m, l
	st.publish(st.now.Load().end)
}

// cut returns the snapshot at the moment when the tail got its given number of rows, with the layer of that
// time.
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
