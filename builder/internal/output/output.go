package output

import (
	"slices"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/controls"
	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/analysis"
)

// Output is the output of a build. Its passes are Complete, Adjacency, Measure and Sum.
type Output struct {
	*build.Build
	Controls *controls.Controls
	Groups   *copies.Groups
	Most     int // rows of one group in a list; 0: any number

	Made
	truth *recall.Lists                                     // of the reporting rows; nil: not computed yet
	lists func(place uint32) (ids []uint32, keys []float32) // of the graph
	sum   func() error                                      // waits for Checksum; nil: it is not computed yet
}

// Made holds the results of the passes.
type Made struct {
	Completed  int             // number of lists that were short
	Counts     job.Counts      // of completing them
	Recall     recall.Estimate // on rows that steered nothing
	Control    int64           // comparisons for it
	Components int
	Checksum   string
}

// Length returns the length of the lists of the graph.
func (o *Output) Length() int { return min(o.Set.K, o.N()+o.Groups.Len()-1) }

// rows returns the number of rows of the store, including isolated ones, without dropped ones.
func (o *Output) rows() int { return o.Source.Len() }

func (o *Output) expansion() *copies.Expansion {
	return o.Groups.Expand(o.Build, o.rows(), o.Length(), o.Most)
}

// room requires disk space for the adjacency with its view and catalog.
func (o *Output) room() error {
	if _, done, err := o.Draft.Adjacency(); done || err != nil {
		return err
	}
	rows := len(o.Good) + o.Groups.Len()
	return o.RoomFor("the adjacency with its view and catalog", job.ListBytes(rows, o.Length())+5*int64(rows), 0)
}

// onDisk returns a method that never holds all lists in memory; nil: the lists are in memory.
func (o *Output) onDisk() build.OnDisk {
	if m, onDisk := o.Method.(build.OnDisk); onDisk && o.K > 0 {
		return m
	}
	return nil
}

// Adjacency commits the lists in input order, and begins the checksum. A method with lists on disk completes
// them at the same time, and keeps those of the reporting rows.
func (o *Output) Adjacency() (err error) {
	if m := o.onDisk(); m != nil {
		err = o.writeOnDisk(m)
	} else {
		err = o.write()
	}
	if err == nil && o.sum == nil {
		o.begin(o.sumOfStored)
	}
	return err
}

func (o *Output) writeOnDisk(m build.OnDisk) (err error) {
	m.Release()
	if err := o.report(); err != nil {
		return err
	}
	w, err := m.Write(o.rows(), o.truth.Places)
	if err != nil {
		return err
	}
	o.Completed, o.Counts, o.Components, o.lists = w.Completed, w.Counts, w.Components, w.List
	return nil
}

func (o *Output) write() error {
	if _, done, err := o.Draft.Adjacency(); done || err != nil {
		return err
	}
	p := o.Begin("adjacency", "rows", int64(o.rows()))
	defer p.End("")
	if o.Groups.Len() > 0 {
		return o.expansion().Write(p)
	}
	o.begin(o.sumOfLists)
	lists := o.outputLists()
	return o.Draft.CommitAdjacency(o.K, func(add func([]uint32, []float32) error) error {
		return o.InOrder(o.Ctx, o.rows(), lists, func(l *store.Lists) error {
			for i := range l.Rows {
				from, to := l.Starts[i], l.Starts[i+1]
				if err := add(l.Neighbors[from:to], l.Keys[from:to]); err != nil {
					return err
				}
			}
			p.Add(len(l.Rows))
			return nil
		})
	})
}

// touchedRows is the number of lists that are read at a time: the cache misses of about 64 lines overlap.
const touchedRows = 16

// eachList passes the lists of output rows to use, in order, with places in them; isolated rows have empty
// lists.
func (o *Output) eachList(placeOf []uint32, use func(places []uint32, keys []float32)) {
	var room [touchedRows]uint32
	for rows := range slices.Chunk(placeOf, touchedRows) {
		soon := room[:0]
		for _, p := range rows {
			if p != points.NoPlace && o.K > 0 {
				soon = append(soon, p)
			}
		}
		o.Lists.Touch(soon)
		for _, p := range rows {
			if p == points.NoPlace || o.K == 0 {
				use(nil, nil)
			} else {
				use(o.Lists.List(p))
			}
		}
	}
}

// outputLists returns a function that appends the lists of rows of the output.
func (o *Output) outputLists() func(from, to int, l *store.Lists) {
	placeOf := o.PlaceOf(o.rows())
	return func(from, to int, l *store.Lists) {
		row := uint32(from)
		o.eachList(placeOf[from:to], func(places []uint32, keys []float32) {
			l.Append(row, places, keys)
			neighbors := l.Neighbors[l.Starts[len(l.Rows)-1]:]
			for i, p := range neighbors {
				neighbors[i] = o.Order[p]
			}
			row++
		})
	}
}

// components counts the connected components of the symmetrised graph.
func (o *Output) components() int {
	if o.Groups.Len() > 0 {
		return o.expansion().Components()
	}
	return analysis.Components(o.N(), func(yield func(a, b uint32)) {
		for p := range uint32(o.N()) {
			if o.K == 0 {
				return
			}
			ids, _ := o.Lists.List(p)
			for _, id := range ids {
				yield(p, id)
			}
		}
	})
}
