package refine

import (
	"fmt"
	"slices"
	"sync"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// finish writes the new lists, measures, and seals.
func (r *run) finish() (*Result, error) {
	w := &writer{run: r, marks: make([]uint32, r.g1.Len())}
	if err := w.adjacency(); err != nil {
		return nil, err
	}
	sum := r.State.Sums()
	sum.Add(w.completing)
	m := r.Draft.Manifest()
	res := &Result{
		Rows: r.g1.Len(), Dim: m.Dim, Type: m.Type, K: r.K, Metric: r.distanceName(), Method: Method,
		RefinedFrom: r.g1.Info().Checksum, Visits: r.opts.Visits, Completed: w.completed,
		RequestedPairs: sum.Requested, Comparisons: sum.Evaluated, CacheHits: sum.Requested - sum.Evaluated,
		ScanRate: sum.ScanRate(r.N()), PairCache: "off", Resumed: r.State.Runs - 1, Threads: r.opts.Threads,
	}
	if n := float64(r.N()); n > 1 {
		res.Kept = float64(w.kept) / (n * float64(r.K))
	}
	if r.pairs != nil {
		res.PairCache = "pairs"
	}
	p := r.Begin("checksum", "", 0)
	var err error
	if res.Checksum, err = r.Draft.Checksum(r.Ctx); err != nil {
		return nil, err
	}
	p.End("")
	if err := r.Save(); err != nil {
		return nil, err
	}
	res.Seconds, res.Phases = r.State.Usage.Seconds, r.State.Phases
	return res, r.Draft.Seal(r.Ctx, res)
}

// writer writes the adjacency: as many rows at a time as memory allows, each
// time reading all that was offered.
type writer struct {
	*run
	marks []uint32 // marks[row] is the last row that listed it, plus one

	mu         sync.Mutex
	completing job.Counts
	completed  int
	kept       int64
}

// adjacency is not a unit of its own: doing it again after an interruption
// writes the same.
func (w *writer) adjacency() error {
	total := w.g1.Len()
	at := total
	if w.K > 0 {
		at = int(min(int64(total), max(1, w.opts.Memory/int64(entryBytes*w.K))))
	}
	p := w.Begin("adjacency", "rows", int64(total))
	defer p.End("")
	return w.Draft.CommitAdjacency(w.K, func(add func([]uint32, []float32) error) error {
		for from := 0; from < total; from += at {
			to := min(from+at, total)
			if err := w.batch(from, to, add); err != nil {
				return err
			}
			p.Add(to - from)
		}
		return nil
	})
}

// batch writes the lists of the rows from up to to.
func (w *writer) batch(from, to int, add func([]uint32, []float32) error) error {
	if w.K == 0 {
		return w.put(nil, from, to, add)
	}
	lists := knn.New(to-from, w.K, nil)
	defer lists.Free()
	if err := w.gather(lists, from, to); err != nil {
		return err
	}
	return w.put(lists, from, to, add)
}

// gather unites the offers to the rows from up to to: lists by row less
// from, neighbors by row. It completes those that stayed short.
func (w *writer) gather(lists *knn.Lists, from, to int) error {
	err := w.Draft.Replay(walkStage, func(_ uint32, l *store.Lists) error {
		if err := w.Ctx.Err(); err != nil {
			return err
		}
		for i, place := range l.Rows {
			if int(place) >= w.N() {
				return errPlace(place, w.N())
			}
			row := int(w.Order[place])
			if row < from || row >= to {
				continue
			}
			for j := l.Starts[i]; j < l.Starts[i+1]; j++ {
				if int(l.Neighbors[j]) >= w.N() {
					return errPlace(l.Neighbors[j], w.N())
				}
				lists.Offer(uint32(row-from), w.Order[l.Neighbors[j]], l.Keys[j])
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	var short []uint32 // places
	lists.Short(w.K, func(i uint32) {
		if place := w.placeOf[from+int(i)]; place != noPlace {
			short = append(short, place)
		}
	})
	return w.complete(lists, from, short)
}

// complete compares places whose component of G1 was too small with all others.
func (w *writer) complete(lists *knn.Lists, from int, short []uint32) error {
	if len(short) == 0 {
		return nil
	}
	p := w.Begin("complete", "rows", int64(len(short)))
	w.completed += len(short)
	all := make([]uint32, w.N())
	for i := range all {
		all[i] = uint32(i)
	}
	err := vectors.Ranges(w.opts.Threads, len(short), 1, func() func(from, to int) error {
		keys, out := w.keys(), make([]float32, tick)
		return func(i, _ int) error {
			place := short[i]
			for _, side := range [][]uint32{all[:place], all[place+1:]} {
				for part := range slices.Chunk(side, tick) {
					if err := w.Ctx.Err(); err != nil {
						return err
					}
					n, err := keys(place, part, out[:len(part)])
					if err != nil {
						return err
					}
					for j, id := range part {
						lists.Offer(w.Order[place]-uint32(from), w.Order[id], out[j])
					}
					w.mu.Lock()
					w.completing.Add(job.Counts{Requested: int64(len(part)), Evaluated: int64(n)})
					w.mu.Unlock()
				}
			}
			p.Add(1)
			return nil
		}
	})
	p.End("%d rows had too few others within reach and were compared with all", len(short))
	return err
}

// put adds the lists of the rows from up to to.
func (w *writer) put(lists *knn.Lists, from, to int, add func([]uint32, []float32) error) error {
	var given *listReader
	if w.given != nil {
		given = w.given.reader()
	}
	for row := from; row < to; row++ {
		var neighbors []uint32
		var keys []float32
		if place := w.placeOf[row]; place != noPlace && w.K > 0 {
			neighbors, keys = lists.List(uint32(row - from))
			if err := w.distinct(row, neighbors); err != nil {
				return err
			}
			before, _ := given.List(place)
			for _, x := range before {
				if w.marks[x] == uint32(row)+1 {
					w.kept++
				}
			}
		}
		if err := add(neighbors, keys); err != nil {
			return err
		}
	}
	return nil
}

// distinct marks the neighbors of a row. One that stands there twice has two
// keys: the function is not symmetric.
func (w *writer) distinct(row int, neighbors []uint32) error {
	for _, x := range neighbors {
		if w.marks[x] == uint32(row)+1 {
			return fmt.Errorf("refine: distance %s gives rows %d and %d two values, one from each side: it must be symmetric", w.distanceName(), row, x)
		}
		w.marks[x] = uint32(row) + 1
	}
	return nil
}
