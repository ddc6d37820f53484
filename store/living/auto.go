package living

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// A compaction is due where an eighth of the rows is dead, or so many were put as a quarter of the
// base. Lists have entries to spare, of which an eighth of dead rows takes 0.004 to 0.006 of
// recall, and a fifth 0.015; a row that is integrated costs 100 to 200 us, one that is built 30
// to 50, so that after a quarter a build costs as much as integrating did. Compacting at
// these counts costs some 200 us of a processor for every row that is put or deleted.
const (
	dueDead = 8
	duePut  = 4
	dueRows = 4096 // too few to compact for
)

// due reports whether a compaction pays: of all rows so many are dead, and of a base of some rows
// so many were put since.
func due(all, dead, base, put, few int) bool {
	return dead > max(all/dueDead, few) || put > max(base/duePut, few)
}

// few is how many rows are too few to compact for.
func (o *Options) few() int {
	if o.due > 0 {
		return o.due
	}
	return dueRows
}

// auto integrates and compacts after a transaction, as Options.Auto asks for.
func (db *DB) auto() error {
	if db.waits() {
		if err := db.Integrate(context.Background()); err != nil && !errors.Is(err, ErrBusy) {
			return fmt.Errorf("%w: %w", ErrIntegrate, err)
		}
	}
	if db.opts.Rebuild == nil {
		return nil
	}
	if err := db.autoCompact(); err != nil {
		return fmt.Errorf("%w: %w", ErrCompact, err)
	}
	return nil
}

// A background is the compaction that Update began last.
type background struct {
	mu     sync.Mutex
	stop   context.CancelFunc // nil: there was none
	done   chan struct{}      // closed at its end
	err    error              // after done
	failed bool               // it was told: no other is begun until the store is opened anew
	row    uint64             // the first that it leaves out
	live   int                // rows that it has
	closed bool               // none begins any more
}

// end interrupts it and waits.
func (b *background) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	if b.stop != nil {
		b.stop()
		<-b.done
	}
}

// Wait waits for the compaction in the background, if one runs, and returns its error, which no
// Update returns any more.
func (db *DB) Wait() error {
	b := &db.background
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stop == nil {
		return nil
	}
	b.await()
	return b.result()
}

// await waits for its end. b.mu is held, but not meanwhile, so that Close can interrupt it and
// transactions go on; another may have begun then.
func (b *background) await() {
	if b.running() {
		done := b.done
		b.mu.Unlock()
		<-done
		b.mu.Lock()
	}
}

// slow has a transaction wait for the compaction in the background where three quarters of the
// rows that may wait do, so that none fails for want of room.
func (db *DB) slow() {
	b := &db.background
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.running() {
		return
	}
	if st, s, err := db.hold(context.Background()); err == nil {
		n := int(s.part.Len())
		st.release()
		if n >= db.opts.Tail/4*3 {
			b.await()
		}
	}
}

// running reports whether it has not ended.
func (b *background) running() bool {
	if b.stop == nil {
		return false
	}
	select {
	case <-b.done:
		return false
	default:
		return true
	}
}

// result is the error that was not told yet.
func (b *background) result() error {
	if b.stop == nil || b.failed || b.running() || b.err == nil {
		return nil
	}
	b.failed = true
	return b.err
}

// autoCompact begins a compaction where one is due by the operations since the last one began.
func (db *DB) autoCompact() error {
	b := &db.background
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.closed && db.overdue() {
		if err := b.result(); err != nil || b.failed {
			return err
		}
		if !b.running() {
			return db.compactBehind()
		}
		b.await()
	}
	if b.closed { // Close interrupted it
		return nil
	}
	return b.result()
}

// overdue counts from the compaction in the background, where there is one, else from the base.
// It does not depend on how far that has come.
func (db *DB) overdue() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.usable() != nil {
		return false
	}
	st, b := db.st, &db.background
	row, live := st.first, 0
	if st.base != nil {
		live = st.base.count
	}
	if b.running() {
		row, live = b.row, b.live
	}
	put := int(st.nextRow() - row)
	return put > db.opts.Tail/2 || due(live+put, live+put-st.now.Load().live(), live, put, db.opts.few())
}

// compactBehind begins a compaction, or goes on with one, in the background. b.mu is held.
func (db *DB) compactBehind() error {
	if db.background.closed || !db.compacting.TryLock() {
		return nil // somebody compacts or integrates
	}
	c, err := db.behind()
	if c == nil || err != nil {
		db.compacting.Unlock()
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	b, done := &db.background, make(chan struct{})
	b.stop, b.done, b.err = stop, done, nil
	b.row, b.live = c.st.logs[c.note.Logs].FirstRow, c.cut.live()
	go func() {
		defer close(done)
		defer db.compacting.Unlock()
		b.err = spaceError(errors.Join(c.run(ctx, db.opts.Rebuild), c.close()))
	}()
	return nil
}

// behind is the compaction to do; nil where one by options of a caller's own is to be
// continued.
func (db *DB) behind() (*compaction, error) {
	db.mu.Lock()
	note := db.st.man.Compact
	db.mu.Unlock()
	if note != nil && note.Options != "" {
		return nil, nil
	}
	return db.beginCompact(context.Background(), "")
}

// resume goes on with a compaction that Close or the end of a process interrupted.
func (db *DB) resume() error {
	if !db.opts.Auto || db.opts.Rebuild == nil || db.st.man.Compact == nil {
		return nil
	}
	db.background.mu.Lock()
	defer db.background.mu.Unlock()
	return db.compactBehind()
}
