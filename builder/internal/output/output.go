package output

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/points"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/analysis"
)

// Output is the output of a build.
type Output struct {
	*build.Build
	Rows   int // of the store: isolated ones included, dropped ones not
	K      int // length of its lists
	Groups *copies.Groups
	Most   int // rows of one group in a list; 0: any number
}

func (o *Output) expansion() *copies.Expansion { return o.Groups.Expand(o.Build, o.Rows, o.K, o.Most) }

// Room requires room on the disk for the adjacency with its view and catalog.
func (o *Output) Room() error {
	if _, done, err := o.Draft.Adjacency(); done || err != nil {
		return err
	}
	rows := len(o.Good) + o.Groups.Len()
	return o.RoomFor("the adjacency with its view and catalog", job.ListBytes(rows, o.K)+5*int64(rows), 0)
}

// WriteAdjacency commits the lists in input order.
func (o *Output) WriteAdjacency() error {
	if _, done, err := o.Draft.Adjacency(); done || err != nil {
		return err
	}
	p := o.Begin("adjacency", "rows", int64(o.Rows))
	defer p.End("")
	if o.Groups.Len() > 0 {
		return o.expansion().Write(p)
	}
	lists := o.outputLists()
	return o.Draft.CommitAdjacency(o.Build.K, func(add func([]uint32, []float32) error) error {
		return o.InOrder(o.Ctx, o.Rows, lists, func(l *store.Lists) error {
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

// outputLists returns a function that appends the lists of rows of the output.
func (o *Output) outputLists() func(from, to int, l *store.Lists) {
	placeOf := o.PlaceOf(o.Rows)
	return func(from, to int, l *store.Lists) {
		for row := from; row < to; row++ {
			l.Append(uint32(row), nil, nil)
			place := placeOf[row]
			if place == points.NoPlace || o.Build.K == 0 {
				continue
			}
			ids, keys := o.Lists.List(place)
			for i, id := range ids {
				l.Add(o.Order[id], keys[i])
			}
		}
	}
}

// Components counts the connected components of the symmetrised graph.
func (o *Output) Components() int {
	if o.Groups.Len() > 0 {
		return o.expansion().Components()
	}
	return analysis.Components(o.N(), func(yield func(a, b uint32)) {
		for p := range uint32(o.N()) {
			if o.Build.K == 0 {
				return
			}
			ids, _ := o.Lists.List(p)
			for _, id := range ids {
				yield(p, id)
			}
		}
	})
}

// Checksum computes the graph's checksum from the store while others go on: one
// hash over everything keeps only one thread busy.
func (o *Output) Checksum() <-chan Checksum {
	c := make(chan Checksum, 1)
	go func() {
		sum, err := o.Draft.Checksum(o.Ctx)
		c <- Checksum{sum, err}
	}()
	return c
}

// Checksum is a checksum, or why there is none.
type Checksum struct {
	Sum string
	Err error
}
