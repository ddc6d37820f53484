package living

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"sync/atomic"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living/internal/disk"
	"github.com/knng/knng/store/living/internal/oplog"
	"github.com/knng/knng/store/living/internal/pointer"
	"github.com/knng/knng/store/living/internal/tail"
	"github.com/knng/knng/vectors"
)

// A Job describes a base to build: a sealed store of some rows. Package builder/rebuild does it.
type Job struct {
	Dir  string       // its folder; an earlier run of the same job may have begun or finished it
	Rows *Source      // the rows
	IDs  string       // file of their ids, one a line; "" if none has an id
	K    int          // entries of a list: those shown, and some spare ones for deletes
	Old  *store.Store // the previous base; nil if there was none
	Like Shape        // the shape of the living store
	// Scale is an exponent: rows are compared after multiplying them by 2^Scale, so that float32 can hold all
	// squares.
	Scale int
}

// Rebuild does a job. If it returns an error, a later Compact continues the job.
type Rebuild func(ctx context.Context, job Job) error

// Compact makes a new base of all live rows with build, while views and transactions go on. When it returns
// nil, rows that were dead when it was called are in no file, except in a base that an open view still reads,
// which is removed later. Rows keep their numbers and ids.
//
// options names the settings that shape the result: an interrupted compaction is continued by the next call
// with the same options, and begun anew by a call with others. Before the new base takes effect, its rows and
// ids are compared with the old ones (Content). Errors: ErrBusy; ErrBroken; build's; ErrCorrupt;
// store.ErrSpace; ctx's, which also ends the wait for a transaction.
func (db *DB) Compact(ctx context.Context, options string, build Rebuild) error {
	if !db.compacting.TryLock() {
		return ErrBusy
	}
	defer db.compacting.Unlock()
	for {
		c, err := db.beginCompact(ctx, options)
		if c == nil || err != nil {
			return store.SpaceError(err)
		}
		err = c.run(ctx, build)
		if err = errors.Join(err, c.close()); err != nil {
			return store.SpaceError(err)
		}
		if !c.resumed {
			return nil
		}
		if more, err := db.writtenSince(ctx); !more || err != nil {
			return err
		}
	}
}

// writtenSince reports whether there are operations after the last compaction's cut.
func (db *DB) writtenSince(ctx context.Context) (bool, error) {
	if err := db.mu.LockWith(ctx); err != nil {
		return false, err
	}
	defer db.mu.Unlock()
	return db.st.ops > 0, nil
}

// A compaction turns the base and the logs before cut into a new base.
type compaction struct {
	db      *DB
	st      *state
	cut     *snapshot
	note    pointer.Compact
	number  uint64 // number of the base
	resumed bool
	rows    []uint64 // numbers of the live rows
	sum     Content
	sizes   tail.Sizes // of rows of float32
	ids     bool
}

// beginCompact begins or continues a compaction. A new one makes further operations go to a new log. It
// returns nil if there is nothing to do.
func (db *DB) beginCompact(ctx context.Context, options string) (*compaction, error) {
	if err := db.mu.LockWith(ctx); err != nil {
		return nil, err
	}
	defer db.mu.Unlock()
	if err := db.usable(); err != nil {
		return nil, err
	}
	st := db.st
	if note := st.man.Compact; note != nil && note.Options == options {
		return db.compaction(note, true), nil
	}
	m := *st.man
	m.Number++
	if old := m.Compact; old != nil { // with other options: its base is swept
		m.Compact = nil
	} else if st.ops == 0 && options == "" {
		return nil, nil
	}
	note, err := db.rotate(&m, options)
	if err == nil {
		err = db.sweep()
	}
	if err != nil {
		return nil, err
	}
	return db.compaction(note, false), nil
}

// rotate begins a new log, and records that everything before it is being compacted. If the disk is full
// before the manifest that says so takes effect, the store is unchanged.
func (db *DB) rotate(m *pointer.Manifest, options string) (*pointer.Compact, error) {
	if err := db.log.Finish(); err != nil { // from here on nobody reads past its durable length
		return nil, db.fail(err)
	}
	log, err := db.newLog(m, db.st.firstOp+uint64(db.st.ops), db.st.nextRow())
	if err != nil {
		return nil, errors.Join(err, db.sweep())
	}
	m.Compact = &pointer.Compact{Logs: len(m.Logs), Base: pointer.Base(m.Number), Options: options}
	m.Logs = append(append([]uint64(nil), m.Logs...), m.Number)
	if err := pointer.Prepare(db.fs, m); err != nil {
		return nil, errors.Join(err, log.Abandon(), db.sweep())
	}
	return m.Compact, db.rotateTo(log, m)
}

// rotateTo makes a prepared manifest current, whose last log is new, and continues writing to that log.
func (db *DB) rotateTo(log *oplog.Writer, m *pointer.Manifest) error {
	err := db.fs.SyncFolder(pointer.Folder)
	if err == nil {
		err = pointer.Commit(db.fs)
	}
	if err != nil {
		return errors.Join(db.fail(err), log.Abandon())
	}
	err = db.log.Abandon()
	db.log = log
	if err == nil {
		err = db.st.rotated(m)
	}
	if err != nil {
		return db.fail(err)
	}
	return nil
}

// rotated adds a new log to those of a state.
func (st *state) rotated(m *pointer.Manifest) error {
	st.writing.Lock()
	defer st.writing.Unlock()
	name := pointer.Log(m.Number)
	f, err := st.dir.Open(name)
	if err != nil {
		return err
	}
	r, err := oplog.NewReader(f, st.dir.Path(name))
	if err != nil {
		return errors.Join(err, f.Close())
	}
	end, _ := r.At()
	st.logs, st.man = append(st.logs[:len(st.logs):len(st.logs)], r), m
	st.publish(end)
	return nil
}

// compaction returns the recorded compaction.
func (db *DB) compaction(note *pointer.Compact, resumed bool) *compaction {
	st := db.st.retain()
	next := st.logs[note.Logs]
	cut := *st.now.Load()
	cut.layer = nil // a layer made before the compaction continues is a different one
	cut.ops = uint32(next.FirstOp - st.firstOp)
	cut.part = cut.part.Cut(uint32(next.FirstRow-st.first), cut.ops)
	c := &compaction{db: db, st: st, cut: &cut, note: *note, resumed: resumed}
	fmt.Sscanf(note.Base, pointer.Folder+"/base-%d", &c.number)
	return c
}

func (c *compaction) close() error { return c.st.release() }

// run makes the base and makes it current. It removes a base that is damaged or has other rows, so that the
// next run builds it anew.
func (c *compaction) run(ctx context.Context, build Rebuild) error {
	err := c.make(ctx, build)
	if errors.Is(err, ErrCorrupt) && c.st.man.Compact != nil { // otherwise it is already current
		err = errors.Join(err, c.db.fs.RemoveAll(c.note.Base))
	}
	return err
}

func (c *compaction) make(ctx context.Context, build Rebuild) error {
	src := c.source()
	m := *c.st.man
	m.Base, m.Rows, m.Checksum, m.Layer = "", "", "", ""
	if src.Len() > 0 {
		if err := c.build(ctx, src, build); err != nil {
			return err
		}
		m.Base = c.note.Base
	}
	m.FirstRow = c.st.logs[c.note.Logs].FirstRow
	if m.Base != "" {
		if err := c.seal(&m); err != nil {
			return err
		}
	}
	return c.publish(ctx, &m)
}

// source returns the live rows at the cut.
func (c *compaction) source() *Source {
	src := sourceOf(c.st, c.cut)
	c.st.each(c.cut, func(row uint64, _, _ uint32) bool {
		c.rows = append(c.rows, row)
		return true
	})
	return src
}

// build writes the ids and builds the base.
func (c *compaction) build(ctx context.Context, src *Source, build Rebuild) error {
	ids := c.st.path(pointer.Folder + "/ids.tmp")
	if err := c.writeIDs(ctx, src, ids); err != nil {
		return err
	}
	defer os.Remove(ids)
	scale, err := c.scale(src)
	if err != nil {
		return err
	}
	k := c.st.k + slackOf(c.st.k)
	job := Job{Dir: c.st.path(c.note.Base), Rows: src, K: k, Like: src.Shape(), Scale: scale}
	if c.ids {
		job.IDs = ids
	}
	if c.st.base != nil {
		job.Old = c.st.base.g
	}
	return build(ctx, job)
}

// scale returns the scale for a build of the rows: by their median if that suits all rows, otherwise the
// scale with which each was accepted, which is that of the base or, without one, the one for the sizes of
// all.
func (c *compaction) scale(src *Source) (exponent int, err error) {
	if exponent, _, err = vectors.ScaleOf(src); err != nil || c.sizes.Fit(exponent) {
		return exponent, err
	}
	if c.st.base != nil {
		return c.st.scale, nil
	}
	return c.sizes.Scale(), nil
}

// slackOf returns the number of spare entries of lists of k, so that deletes do not make them short at once.
func slackOf(k int) int { return max(8, k/4) }

// writeIDs writes a line for each row, sums up the contents, and notes whether any row has an id.
func (c *compaction) writeIDs(ctx context.Context, src *Source, path string) error {
	f, err := c.st.dir.Create(pointer.Folder + "/ids.tmp")
	if err != nil {
		return err
	}
	defer f.Close()
	if c.sum, err = src.content(ctx, &c.sizes); err != nil {
		return err
	}
	w, i := bufio.NewWriterSize(f, 1<<16), 0
	c.ids = false
	for id := range src.Names(&err) {
		c.ids = c.ids || id != ""
		w.WriteString(nameOf(id, c.rows[i])) // Flush returns its error
		w.WriteByte('\n')
		i++
	}
	if err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// seal makes the built base and the numbers of its rows durable.
func (c *compaction) seal(m *pointer.Manifest) error {
	g, err := store.Open(c.st.path(m.Base), nil)
	if err != nil {
		return err
	}
	m.Checksum = g.Info().Checksum
	if err := g.Close(); err != nil {
		return err
	}
	commit := func() error { return c.db.fs.SyncFolder(pointer.Folder) }
	if !counts(c.rows) {
		m.Rows = pointer.Rows(c.number)
		name := path.Base(m.Rows)
		if err := disk.Prepare(c.db.fs, pointer.Folder, name, encodeRows(len(c.rows), func(i int) uint64 { return c.rows[i] })); err != nil {
			return err // nothing refers to the file yet
		}
		commit = func() error { return disk.Commit(c.db.fs, pointer.Folder, name) }
	}
	if err := commit(); err != nil {
		c.db.mu.Lock()
		defer c.db.mu.Unlock()
		return c.db.fail(err)
	}
	return nil
}

// counts reports whether rows are numbered from 0.
func counts(rows []uint64) bool {
	return len(rows) == 0 || rows[len(rows)-1] == uint64(len(rows)-1)
}

// publish compares the new base with the old rows, and makes it current, together with the operations written
// meanwhile.
func (c *compaction) publish(ctx context.Context, m *pointer.Manifest) error {
	db := c.db
	m.Logs, m.Compact = m.Logs[c.note.Logs:], nil
	built, err := openBase(c.st.dir.Dir, m, db.opts.Search)
	if err != nil {
		return err
	}
	defer built.release()
	if err := c.compare(ctx, built); err != nil {
		return err
	}
	if err := db.mu.LockWith(ctx); err != nil {
		return err
	}
	defer db.mu.Unlock()
	if err := db.usable(); err != nil {
		return err
	}
	m.Number = c.st.man.Number + 1
	st, err := openState(db.home, m, &state{base: built, man: m}, db.opts.Search)
	if err != nil {
		return err
	}
	if err := st.replay(false); err != nil {
		return errors.Join(err, st.release())
	}
	if err := pointer.Prepare(db.fs, m); err != nil { // a later Compact continues
		return errors.Join(err, st.release())
	}
	if err := pointer.Commit(db.fs); err != nil {
		return errors.Join(db.fail(err), st.release())
	}
	db.swap.Lock()
	old := db.st
	db.st = st
	db.swap.Unlock()
	c.st.release()
	c.st = st.retain() // so that the old base can be swept
	return errors.Join(old.release(), db.sweep())
}

// compare checks that the new base has the rows and ids of the old one.
func (c *compaction) compare(ctx context.Context, built *base) error {
	n := 0
	if built != nil {
		n = built.count
	}
	if n != len(c.rows) {
		return fmt.Errorf("%w: the new base has %d rows, want %d", ErrCorrupt, n, len(c.rows))
	}
	if built == nil {
		return nil
	}
	st := &state{base: built, typ: c.st.typ, dim: c.st.dim}
	st.dead = make([]atomic.Pointer[deadPage], (built.g.Len()+deadRows-1)/deadRows)
	v := &View{st: st, snap: &snapshot{}}
	sum, err := v.Content(ctx)
	if err == nil && sum != c.sum {
		err = fmt.Errorf("%w: %s has rows or ids whose sum is %v, want %v", ErrCorrupt, built.g.Dir(), sum, c.sum)
	}
	return err
}
