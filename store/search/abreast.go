package search

import "github.com/knng/knng/vectors"

// abreast is the number of walks that a goroutine interleaves: while memory or the disk fetches the rows that
// one walk has requested, another computes distances.
const abreast = 4

// together answers n queries. begin gives each to a walker, and done takes its results. Exact queries share
// the rows that are read. failed is the query with the error; -1 if the error is of rows that all share.
func (s *Searcher) together(n int, exact bool, begin, done func(i int, w *walker) error) (failed int, err error) {
	b := &band{s: s, n: n, begin: begin, done: done}
	run := b.run
	if exact {
		run = b.scan
	}
	err = vectors.Guard(run)
	return b.now, err
}

// A band is queries that are answered together.
type band struct {
	s     *Searcher
	n     int // queries
	at    int // the next query to begin
	now   int // the current query
	begin func(i int, w *walker) error
	done  func(i int, w *walker) error
}

// scan compares all queries with all rows.
func (b *band) scan() error {
	ws := make([]*walker, 0, b.n)
	defer func() {
		for _, w := range ws {
			b.s.give(w)
		}
	}()
	for b.now = range b.n {
		w := b.s.take()
		ws = append(ws, w)
		if err := b.begin(b.now, w); err != nil {
			return err
		}
	}
	b.now = -1
	if b.n == 0 {
		return nil
	}
	b.s.scan(ws...)
	for i, w := range ws {
		if err := b.done(i, w); err != nil {
			b.now = i
			return err
		}
	}
	return nil
}

// A turn is a walk of a band.
type turn struct {
	w       *walker // nil: no query is left for it
	query   int
	place   uint32 // followed next
	compare bool   // the rows that it leads to were requested
}

// run lets the walks take turns.
func (b *band) run() error {
	var turns [abreast]turn
	defer func() {
		for _, t := range turns {
			if t.w != nil {
				b.s.give(t.w)
			}
		}
	}()
	going := 0
	for i := range turns {
		if err := b.start(&turns[i]); err != nil {
			return err
		}
		if turns[i].w != nil {
			going++
		}
	}
	for going > 0 {
		for i := range turns {
			t := &turns[i]
			if t.w == nil {
				continue
			}
			if err := b.step(t); err != nil {
				return err
			}
			if t.w == nil {
				going--
			}
		}
	}
	return nil
}

// step does half a hop: it requests rows, or compares the requested ones.
func (b *band) step(t *turn) error {
	b.now = t.query
	if !t.compare {
		t.compare = true
		return t.w.follow(t.place)
	}
	t.w.compare()
	return b.goOn(t)
}

// goOn requests the links of the next place, or ends the walk and begins another.
func (b *band) goOn(t *turn) error {
	place, more, err := t.w.next()
	if err != nil {
		return err
	}
	if !more {
		t.w.arrive()
		return b.end(t)
	}
	t.place, t.compare = place, false
	if t.w.expect(place); b.s.sparse {
		t.w.askLinks(place)
	}
	return nil
}

// end takes the results of a query, and begins the next query.
func (b *band) end(t *turn) error {
	if err := b.done(t.query, t.w); err != nil {
		return err
	}
	b.s.give(t.w)
	t.w = nil
	return b.start(t)
}

// start begins the next query that needs a walk; it answers those before that need none.
func (b *band) start(t *turn) error {
	for b.at < b.n {
		t.w, t.query, b.now = b.s.take(), b.at, b.at
		b.at++
		if err := b.begin(t.query, t.w); err != nil {
			return err
		}
		if !t.w.few() {
			if err := t.w.depart(); err != nil {
				return err
			}
			return b.goOn(t)
		}
		b.s.scan(t.w)
		if err := b.done(t.query, t.w); err != nil {
			return err
		}
		b.s.give(t.w)
		t.w = nil
	}
	return nil
}
