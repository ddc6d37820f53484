package builder

import (
	"slices"
	"sync/atomic"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/analysis"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// finish completes short lists, writes the adjacency, measures, and seals.
func (r *run) finish() (*Result, error) {
	completed, err := r.complete()
	if err != nil {
		return nil, err
	}
	if err := r.writeAdjacency(); err != nil {
		return nil, err
	}
	result := r.report()
	result.Completed = completed
	sum := r.checksum()
	if err := r.measure(result); err != nil {
		<-sum // it reads the store
		return nil, err
	}
	result.Components = r.components()
	p := r.Begin("checksum", "", 0)
	made := <-sum
	p.End("")
	if made.err != nil {
		return nil, made.err
	}
	result.Checksum = made.sum
	return result, r.seal(result)
}

// complete fills lists that the stages left short by comparing their rows with
// all others, and returns how many there were. It is not a stage of its own:
// doing it again after an interruption gives the same lists.
func (r *run) complete() (int, error) {
	if r.K == 0 {
		return 0, nil
	}
	var short []uint32
	r.Lists.Short(r.K, func(place uint32) { short = append(short, place) })
	short = append(short, r.Outliers...)
	slices.Sort(short)
	short = slices.Compact(short)
	if len(short) == 0 {
		return 0, nil
	}
	p := r.Begin("complete", "rows", int64(len(short)))
	all := make([]uint32, r.N())
	for i := range all {
		all[i] = uint32(i)
	}
	var evaluated atomic.Int64
	err := vectors.Ranges(r.opts.Threads, len(short), 1, func() func(from, to int) error {
		return func(i, _ int) error {
			n, err := r.completeRow(short[i], all)
			evaluated.Add(int64(n))
			p.Add(1)
			return err
		}
	})
	p.End("%d rows, left short or far from all others, were completed exactly", len(short))
	r.completing = job.Counts{Requested: int64(len(short)) * int64(r.N()-1), Evaluated: evaluated.Load()}
	return len(short), err
}

// completeRow compares a place with all others.
func (r *run) completeRow(place uint32, all []uint32) (evaluated int, err error) {
	return r.scan(place, all, func(id uint32, key float32) { r.Lists.Offer(place, id, key) })
}

// scan evaluates the keys of a place and each other one of all, in turn.
func (r *run) scan(place uint32, all []uint32, found func(id uint32, key float32)) (evaluated int, err error) {
	keys := r.Keys()
	out := make([]float32, 4096)
	for _, side := range [][]uint32{all[:place], all[place+1:]} {
		for part := range slices.Chunk(side, len(out)) {
			if err := r.Ctx.Err(); err != nil {
				return evaluated, err
			}
			n, err := keys(place, part, out[:len(part)])
			evaluated += n
			if err != nil {
				return evaluated, err
			}
			for i, id := range part {
				found(id, out[i])
			}
		}
	}
	return evaluated, nil
}

// writeAdjacency commits the lists in input order.
func (r *run) writeAdjacency() error {
	if _, done, err := r.Draft.Adjacency(); done || err != nil {
		return err
	}
	p := r.Begin("adjacency", "rows", int64(r.outputRows()))
	defer p.End("")
	if len(r.copies) > 0 {
		return r.writeExpanded(p)
	}
	lists := r.outputLists()
	return r.Draft.CommitAdjacency(r.K, func(add func([]uint32, []float32) error) error {
		return r.InOrder(r.Ctx, r.outputRows(), lists, func(l *store.Lists) error {
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
func (r *run) outputLists() func(from, to int, l *store.Lists) {
	placeOf := r.placeOf()
	return func(from, to int, l *store.Lists) {
		for row := from; row < to; row++ {
			l.Append(uint32(row), nil, nil)
			place := placeOf[row]
			if place == noPlace || r.K == 0 {
				continue
			}
			ids, keys := r.Lists.List(place)
			for i, id := range ids {
				l.Add(r.Order[id], keys[i])
			}
		}
	}
}

// noPlace marks an isolated row.
const noPlace = ^uint32(0)

// outputRows is how many rows the store has: isolated ones included, dropped
// ones not.
func (r *run) outputRows() int { return r.src.Len() }

// placeOf inverts the order.
func (r *run) placeOf() []uint32 {
	places := make([]uint32, r.outputRows())
	for i := range places {
		places[i] = noPlace
	}
	for place, row := range r.Order {
		places[row] = uint32(place)
	}
	return places
}

// checksum computes the graph's checksum from the store while others go on: one
// hash over everything keeps only one thread busy.
func (r *run) checksum() <-chan checksum {
	c := make(chan checksum, 1)
	go func() {
		sum, err := r.Draft.Checksum(r.Ctx)
		c <- checksum{sum, err}
	}()
	return c
}

type checksum struct {
	sum string
	err error
}

// seal stores the result and seals the store.
func (r *run) seal(result *Result) error {
	r.judge(result)
	p := r.Begin("seal", "", 0)
	if err := r.Save(); err != nil {
		return err
	}
	u := r.State.Usage
	result.Seconds, result.CPUSeconds = u.Seconds, u.CPUSeconds
	result.PeakAnonBytes, result.PeakRSSBytes, result.PeakDiskBytes = u.PeakAnon, u.PeakRSS, u.PeakDisk
	result.ReadBytes, result.WrittenBytes = u.ReadBytes, u.Written
	result.Phases = r.State.Phases
	err := r.Draft.Seal(r.Ctx, result)
	p.End("")
	return err
}

// scanRate is comparisons over all pairs of n rows.
func scanRate(comparisons int64, n int) float64 {
	if n < 2 {
		return 0
	}
	return float64(comparisons) / (float64(n) * float64(n-1) / 2)
}

// report makes the result from the state.
func (r *run) report() *Result {
	sum := r.State.Sums()
	sum.Add(r.completing)
	res := &Result{
		Rows: r.outputRows(), Dim: r.src.Dim(), Type: r.src.Type().String(), K: r.listLength(),
		Metric: r.opts.Metric.String(), Method: Method(r.State.Method), Seed: r.opts.Seed,
		RequestedPairs: sum.Requested, Comparisons: sum.Evaluated, CacheHits: sum.Requested - sum.Evaluated,
		ControlPairs: r.State.Control, EffectiveRates: []float64{},
		Divisions: r.State.Count(job.DivisionStage), Rounds: r.State.Count(job.PropagationStage),
		Axes: r.Axes, PairCache: r.cacheForm(), Resumed: r.State.Runs - 1, Stop: r.State.Stop,
		BadRows: len(r.bad.Rows), Collapsed: len(r.copies), Kernel: distance.Kernel(), Threads: r.opts.Threads,
		Plan: r.State.Expected, RevisedPlan: r.State.Revised,
	}
	if r.opts.Distance != nil {
		res.Metric = r.opts.Distance.Name
	}
	res.ScanRate = scanRate(sum.Evaluated, r.N())
	if r.traits.overlaps {
		res.Divisions = r.Goal.BallsDone(&r.State)
	}
	for _, st := range r.State.Stages {
		if st.Kind == job.DivisionStage && !r.traits.overlaps {
			res.EffectiveRates = append(res.EffectiveRates, st.Rate)
		}
	}
	return res
}

// components counts the connected components of the symmetrised graph.
func (r *run) components() int {
	if len(r.copies) > 0 {
		return r.expandedComponents()
	}
	return analysis.Components(r.N(), func(yield func(a, b uint32)) {
		for p := range uint32(r.N()) {
			if r.K == 0 {
				return
			}
			ids, _ := r.Lists.List(p)
			for _, id := range ids {
				yield(p, id)
			}
		}
	})
}
