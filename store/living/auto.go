package living

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/knng/knng/store"
)

// A compaction is due if an eighth of the rows is dead, or if the rows put are a quarter of the base. Lists
// have spare entries: an eighth of dead rows costs 0.004 to 0.006 of recall, a fifth 0.015. A row costs 100
// to 200 us to integrate and 30 to 50 us to build, so after a quarter a build costs as much as the
// integrations did. With these numbers compacting costs about 200 us of processor time per row put or
// deleted.
const (
	dueDead = 8
	duePut  = 4
	dueRows = 4096 // fewer rows are not worth a compaction
)

// due reports whether a compaction pays: dead of all rows are dead, and put rows were put since a base of
// base rows.
func due(all, dead, base, put, few int) bool {
	return dead > max(all/dueDead, few) || put > max(base/duePut, few)
}

// few returns the number of rows below which no compaction pays.
func (o *Options) few() int {
	if o.due > 0 {
		return o.due
	}
	return dueRows
}

// auto integrates and compacts after a transaction, as Options.Auto requires.
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

// A background is the latest compaction that Update began.
type background struct {
	mu     sync.Mutex
	stop   context.CancelFunc // nil: there was none
	done   chan struct{}      // closed at its end
	err    error              // after done
	failed bool               // its error was returned: no other begins until the store is opened again
	row    uint64             // the first row that it leaves out
	live   int                // rows that it contains
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

// Wait waits for the compaction in the background, if one runs, and returns its error, which no later Update
// returns.
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

// await waits for its end. The caller holds b.mu, which is released meanwhile so that Close can interrupt it
// and transactions go on; another may have begun then.
func (b *background) await() {
	if b.running() {
		done := b.done
		b.mu.Unlock()
		<-done
		b.mu.Lock()
	}
}

// slow makes a transaction wait for the compaction in the background if three quarters of Options.Tail are
// used, so that none fails with ErrFull.
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

// result returns the error that was not returned yet.
func (b *background) result() error {
	if b.stop == nil || b.failed || b.running() || b.err == nil {
		return nil
	}
	b.failed = true
	return b.err
}

// autoCompact begins a compaction if one is due, counting operations since the last one began.
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

// overdue counts from the compaction in the background, if there is one, else from the base. It does not
// depend on the progress of that compaction.
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

// compactBehind begins or continues a compaction in the background. The caller holds b.mu.
func (db *DB) compactBehind() error {
	if db.background.closed || !db.compacting.TryLock() {
		return nil // another goroutine compacts or integrates
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
		b.err = store.SpaceError(errors.Join(c.run(ctx, db.opts.Rebuild), c.close()))
	}()
	return nil
}

// behind returns the compaction to do; nil if one with the caller's own options is to be continued.
func (db *DB) behind() (*compaction, error) {
	db.mu.Lock()
	note := db.st.man.Compact
	db.mu.Unlock()
	if note != nil && note.Options != "" {
		return nil, nil
	}
	return db.beginCompact(context.Background(), "")
}

// resume continues a compaction that Close or the end of a process interrupted.
func (db *DB) resume() error {
	if !db.opts.Auto || db.opts.Rebuild == nil || db.st.man.Compact == nil {
		return nil
	}
	db.background.mu.Lock()
	defer db.background.mu.Unlock()
	return db.compactBehind()
}
