package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
)

// commitBytes is how many bytes of vectors a transaction of append has.
const commitBytes = 16 << 20

// A putting puts the rows of an input into a graph.
type putting struct {
	db    *living.DB
	in    *vectors.Input
	ids   []string // nil: the rows have none
	dir   string
	names string       // of the input
	full  func() error // makes room where no more rows may wait
	steps *steps
	sum   appended
	noted bool // there is a note about the rows
}

// all puts all rows: those with ids in several transactions, of which an interrupted command skips those that are there when
// it is given again. Rows without ids are put in one transaction where one takes them, else in several, with a note about
// the first, by which the same command goes on behind the last.
func (p *putting) all(ctx context.Context, g *globals) error {
	from, batch, err := p.begin()
	if err != nil {
		return err
	}
	if from > 0 {
		g.say("the first %d rows of %s are in %s already: the append of them was interrupted, and goes on", from, p.names, p.dir)
	}
	for ; from < p.in.Len(); from += batch {
		if err := p.some(ctx, from, min(from+batch, p.in.Len())); err != nil {
			if p.noted && from > 0 {
				err = fmt.Errorf("%w (the first %d rows of %s are put, and this command goes on behind them)", err, from, p.names)
			}
			return err
		}
	}
	return nil
}

// end removes the note, once all that follows the rows is done as well: until then the same command puts none of them again.
func (p *putting) end() error {
	if !p.noted {
		return nil
	}
	return p.db.NoteAppending(nil)
}

// begin returns how many rows are put already, and how many a transaction takes. It writes a note about the first row where rows without
// ids are so many that an interruption may well come between them or while they are linked.
func (p *putting) begin() (from, batch int, err error) {
	batch = max(1, min(commitBytes/(p.in.Dim()*p.in.Type().Size()), 1<<16, p.db.Most()))
	v, err := p.db.View()
	if err != nil {
		return 0, 0, err
	}
	defer v.Close() // before a compaction, which cannot remove the files that it reads
	from, err = p.interrupted(v)
	switch {
	case err != nil || from > 0 || p.ids != nil:
		p.noted = from > 0
		return from, batch, err
	case p.in.Len() <= p.db.Most():
		batch = max(1, p.in.Len())
	}
	if p.in.Len() <= min(fewRows, p.db.Most()) {
		return 0, batch, nil
	}
	p.noted = true
	return 0, batch, p.db.NoteAppending(&living.Appending{First: v.State().NextRow})
}

// interrupted returns how many rows of the input an append that was interrupted has put, as its note and the rows tell. While some
// of its rows live, other rows are refused: it could not be told any more how many of its own are there.
func (p *putting) interrupted(v *living.View) (rows int, err error) {
	note, err := p.db.Appending()
	if note == nil || err != nil {
		return 0, err
	}
	next := v.State().NextRow
	live, same := 0, p.ids == nil && next-note.First <= uint64(p.in.Len())
	c := newComparer(v)
	raw, values := make([]byte, p.in.Dim()*p.in.Type().Size()), make([]float32, p.in.Dim())
	for row := note.First; row < next && (same || live == 0); row++ {
		id, err := v.ID(store.Row(row))
		if errors.Is(err, living.ErrNoRow) { // deleted since
			continue
		}
		if err != nil {
			return 0, err
		}
		live++
		if same = same && id == ""; !same {
			continue
		}
		i := int(row - note.First)
		if err := p.in.ReadRows(i, raw); err != nil {
			return 0, err
		}
		vectors.Decode(p.in.Type(), raw, values)
		if same, err = c.equal(store.Row(row), values); err != nil {
			return 0, err
		}
	}
	switch {
	case live == 0: // of an append that put nothing, or was given up
		return 0, p.db.NoteAppending(nil)
	case !same:
		return 0, usageError{fmt.Errorf("an append of rows without ids to %s was interrupted, and these are other rows: give that append again first, or delete the rows that it put, %d to %d (knng delete %s --rows FILE)",
			p.dir, note.First, next-1, operand(p.dir))}
	}
	return int(next - note.First), nil
}

// some puts some rows in one transaction.
func (p *putting) some(ctx context.Context, from, to int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	one, err := p.transaction(from, to)
	if errors.Is(err, living.ErrFull) {
		p.steps.end()
		if err = p.full(); err == nil {
			one, err = p.transaction(from, to)
		}
	}
	if errors.Is(err, living.ErrVector) {
		err = fmt.Errorf("%s: %w", p.names, err)
	}
	p.sum.Put, p.sum.Replaced, p.sum.Same = p.sum.Put+one.Put, p.sum.Replaced+one.Replaced, p.sum.Same+one.Same
	if err == nil {
		p.steps.tell("put", "rows", int64(to), int64(p.in.Len()))
	}
	return err
}

func (p *putting) transaction(from, to int) (sum appended, err error) {
	raw, values := make([]byte, p.in.Dim()*p.in.Type().Size()), make([]float32, p.in.Dim())
	v, err := p.db.View()
	if err != nil {
		return sum, err
	}
	defer v.Close()
	c := newComparer(v)
	err = p.db.Update(func(tx *living.Tx) error {
		for i := from; i < to; i++ {
			if err := p.in.ReadRows(i, raw); err != nil {
				return err
			}
			vectors.Decode(p.in.Type(), raw, values)
			id := ""
			if p.ids != nil {
				id = p.ids[i]
				same, err := sum.there(tx, c, id, values)
				if err != nil {
					return err
				}
				if same {
					continue
				}
			}
			if _, err := tx.Put(id, values); err != nil {
				return fmt.Errorf("row %d: %w", i, err)
			}
			sum.Put++
		}
		return nil
	})
	if err != nil {
		sum = appended{}
	}
	return sum, err
}

// whenFull compacts where as many rows were put as may wait. Where no row of a transaction is put yet, an interruption
// loses nothing: the same command goes on with the compaction.
func (f *appendFlags) whenFull(ctx context.Context, g *globals, db *living.DB, dir string, o rebuild.Options) error {
	g.say("no more rows wait for a compaction of %s: it is compacted before others are put", dir)
	if err := f.rebuild(ctx, db, o); err != nil {
		return fmt.Errorf("compacting %s, before more rows are put: %w", dir, err)
	}
	return nil
}

// fewRows is how many rows are linked into a graph rather than that it is built anew, however small it is.
const fewRows = 4096

// link brings rows that were put into the graph. Where none was, it goes on with those that an append left
// waiting, and else writes nothing. A row that is linked takes three to five times as long as one that is built, and fifty
// times where a small graph has grown to many times its rows: where more rows wait than half of the others, it is built anew.
func (f *appendFlags) link(ctx context.Context, g *globals, db *living.DB, put int, o rebuild.Options) error {
	v, err := db.View()
	if err != nil {
		return err
	}
	st := v.State()
	if err := v.Close(); err != nil {
		return err
	}
	if put == 0 && st.Pending < st.Chunk {
		return nil
	}
	if st.Pending > max((st.Rows-st.Pending)/2, fewRows) {
		g.say("%d rows wait to be linked, and the graph has %d: it is compacted, which takes less time", st.Pending, st.Rows-st.Pending)
		return f.rebuild(ctx, db, o)
	}
	return db.Integrate(ctx)
}
