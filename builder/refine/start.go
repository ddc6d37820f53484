package refine

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/propagation"
	"github.com/knng/knng/store"
)

// entry is a neighbor, by place, with its key.
type entry struct {
	key float32
	id  uint32
}

// compare orders entries by (key, row).
func (r *run) compare(x, y entry) int {
	if x.key != y.key {
		return cmp.Compare(x.key, y.key)
	}
	return cmp.Compare(r.Order[x.id], r.Order[y.id])
}

// evaluateStart evaluates every list of G1 under the new distance.
func (r *run) evaluateStart() error {
	if r.K == 0 || len(r.State.Stages) >= startStage {
		return nil
	}
	sum, err := r.doUnits("start", func() unitWork {
		return (&evaluation{run: r, given: r.given.reader(), keys: r.keys()}).unit
	})
	if err != nil {
		return err
	}
	return r.endStage("start", sum)
}

// evaluation is one goroutine's tools.
type evaluation struct {
	*run
	given *listReader
	keys  propagation.Keys
	list  []entry
}

func (e *evaluation) unit(from, to int) ([]store.Lists, job.Counts, error) {
	var block store.Lists
	var c job.Counts
	ids, keys := make([]uint32, e.given.file.k), make([]float32, e.given.file.k)
	for p := uint32(from); p < uint32(to); p++ {
		if err := e.Ctx.Err(); err != nil {
			return nil, c, err
		}
		rows, _ := e.given.List(p)
		for i, row := range rows {
			ids[i] = e.placeOf[row]
		}
		n, err := e.keys(p, ids, keys)
		c.Add(job.Counts{Requested: int64(len(ids)), Evaluated: int64(n)})
		if err != nil {
			return nil, c, err
		}
		e.sort(ids, keys)
		block.Append(p, ids, keys)
	}
	return []store.Lists{block}, c, nil
}

// sort orders a list by (key, row).
func (e *evaluation) sort(ids []uint32, keys []float32) {
	e.list = e.list[:0]
	for i, id := range ids {
		e.list = append(e.list, entry{keys[i], id})
	}
	slices.SortFunc(e.list, e.compare)
	for i, x := range e.list {
		ids[i], keys[i] = x.id, x.key
	}
}

// writeStart writes the start lists, as committed, by place to a file, and notes
// how near a row must be to enter the list of a place: a new list holds at least
// the nearest of the start list.
func (r *run) writeStart() error {
	if r.K == 0 || len(r.State.Stages) >= walkStage {
		return nil
	}
	path, err := r.scratch("start-lists")
	if err != nil {
		return err
	}
	r.bounds = make([]entry, 0, r.N())
	r.start, err = writeLists(path, r.N(), r.g1.K(), func(add func([]uint32, []float32) error) error {
		err := r.Draft.Replay(startStage, func(_ uint32, l *store.Lists) error {
			for i, place := range l.Rows {
				if int(place) != len(r.bounds) || int(place) >= r.N() {
					return fmt.Errorf("%w: start list of place %d, want %d", store.ErrCorrupt, place, len(r.bounds))
				}
				ids, keys := l.Neighbors[l.Starts[i]:l.Starts[i+1]], l.Keys[l.Starts[i]:l.Starts[i+1]]
				if id := slices.Max(ids); int(id) >= r.N() {
					return errPlace(id, r.N())
				}
				if err := add(ids, keys); err != nil {
					return err
				}
				bound := entry{key: float32(math.Inf(1))}
				if len(keys) >= r.K {
					bound = entry{keys[r.K-1], ids[r.K-1]}
				}
				r.bounds = append(r.bounds, bound)
			}
			return nil
		})
		return err
	})
	return err
}

func errPlace(place uint32, n int) error {
	return fmt.Errorf("%w: place %d in a block, want below %d", store.ErrCorrupt, place, n)
}
