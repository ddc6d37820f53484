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
// it is given again. Rows without ids are put in one transaction where one takes them, else in several. A note about the first
// lets the same command go on behind the last.
func (p *putting) all(ctx context.Context, g *globals) error {
	from, batch, err := p.begin()
	if err != nil {
		return err
	}
	if from > 0 {
		g.say("%s rows of %s are in %s already: the append of them was interrupted, and goes on", firstOf(from, p.in.Len()), p.names, p.dir)
	}
	for ; from < p.in.Len(); from += batch {
		if err := p.some(ctx, from, min(from+batch, p.in.Len())); err != nil {
			switch {
			case p.noted && from > 0:
				err = fmt.Errorf("%w (the first %d rows of %s are put, and this command goes on behind them)", err, from, p.names)
			case !errors.Is(err, living.ErrBroken): // nothing is put
				err = errors.Join(err, p.end())
			}
			return err
		}
	}
	return nil
}

// firstOf counts the first of some rows.
func firstOf(n, all int) string {
	if n == all {
		return fmt.Sprintf("all %d", n)
	}
	return fmt.Sprintf("the first %d", n)
}

// end removes the note, once all that follows the rows is done as well: until then the same command puts none of them again.
func (p *putting) end() error {
	if !p.noted {
		return nil
	}
	return p.db.NoteAppending(nil)
}

// begin returns how many rows are put already, and how many a transaction takes. It writes a note about rows without ids.
func (p *putting) begin() (from, batch int, err error) {
	batch = max(1, min(commitBytes/(p.in.Dim()*p.in.Type().Size()), 1<<16, p.db.Most()))
	v, err := p.db.View()
	if err != nil {
		return 0, 0, err
	}
	defer v.Close() // before a compaction, which cannot remove the files that it reads
	from, err = p.interrupted(v)
	if err != nil || from > 0 || p.ids != nil {
		p.noted = from > 0
		return from, batch, err
	}
	note := &living.Appending{First: v.State().NextRow}
	if p.in.Len() <= p.db.Most() {
		batch, note.Once = max(1, p.in.Len()), p.in.Len()
	}
	p.noted = true
	return 0, batch, p.db.NoteAppending(note)
}

// interrupted returns how many rows of the input an append that was interrupted has put, as its note and the rows tell. Where
// several transactions put them, other rows are refused while some live: it could not be told any more how many of its own are there.
func (p *putting) interrupted(v *living.View) (rows int, err error) {
	note, err := p.db.Appending()
	if note == nil || err != nil {
		return 0, err
	}
	next, live, same := v.State().NextRow, 0, false
	switch put := next - note.First; {
	case next < note.First:
	case note.Once == 0:
		live, same, err = p.compare(v, note.First, put)
	case uint64(note.Once) <= put && note.Once == p.in.Len():
		if live, same, err = p.compare(v, note.First, uint64(note.Once)); !same {
			live = 0
		}
		next = note.First + uint64(note.Once)
	}
	switch {
	case err != nil:
		return 0, err
	case live == 0: // of an append that put nothing, was given up, or put all in one transaction
		return 0, p.db.NoteAppending(nil)
	case !same:
		return 0, usageError{fmt.Errorf("an append of rows without ids to %s was interrupted, and these are other rows: give that append again first, or delete the rows that it put, %d to %d (knng delete %s --rows FILE)",
			p.dir, note.First, next-1, operand(p.dir))}
	}
	return int(next - note.First), nil
}

// compare counts the rows of the graph that live of so many from a first one on, until one is no row of the input, and reports whether
// all that live are.
func (p *putting) compare(v *living.View, first, n uint64) (live int, same bool, err error) {
	same = p.ids == nil && n <= uint64(p.in.Len())
	c := newComparer(v)
	raw, values := make([]byte, p.in.Dim()*p.in.Type().Size()), make([]float32, p.in.Dim())
	for i := uint64(0); i < n && (same || live == 0); i++ {
		row := store.Row(first + i)
		id, err := v.ID(row)
		if errors.Is(err, living.ErrNoRow) { // deleted since
			continue
		}
		if err != nil {
			return 0, false, err
		}
		live++
		if same = same && id == ""; !same {
			continue
		}
		if err := p.in.ReadRows(int(i), raw); err != nil {
			return 0, false, err
		}
		vectors.Decode(p.in.Type(), raw, values)
		if same, err = c.equal(row, values); err != nil {
			return 0, false, err
		}
	}
	return live, same, nil
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
