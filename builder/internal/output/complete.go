package output

import (
	"slices"
	"sync/atomic"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/vectors"
)

// Complete makes the lists from the results of the stages. It fills lists that these left short by comparing
// their rows with all others. It is not a stage: repeating it after an interruption gives the same lists.
func (o *Output) Complete() (err error) {
	if err := o.room(); err != nil {
		return err
	}
	if o.K == 0 || o.onDisk() != nil {
		return nil
	}
	if err := o.Method.Finish(); err != nil {
		return err
	}
	o.Completed, o.Counts, err = o.complete()
	return err
}

// complete returns the number of short lists, and the pairs compared for them.
func (o *Output) complete() (completed int, counts job.Counts, err error) {
	var short []uint32
	o.Lists.Short(o.K, func(place uint32) { short = append(short, place) })
	short = append(short, o.Outliers...)
	slices.Sort(short)
	short = slices.Compact(short)
	if len(short) == 0 {
		return 0, counts, nil
	}
	p := o.Begin("complete", "rows", int64(len(short)))
	all := make([]uint32, o.N())
	for i := range all {
		all[i] = uint32(i)
	}
	var evaluated atomic.Int64
	err = vectors.Ranges(o.Job.Threads, len(short), 1, func() func(from, to int) error {
		return func(i, _ int) error {
			n, err := o.completeRow(short[i], all)
			evaluated.Add(int64(n))
			p.Add(1)
			return err
		}
	})
	p.End("%d rows, left short or far from all others, were completed exactly", len(short))
	counts = job.Counts{Requested: int64(len(short)) * int64(o.N()-1), Evaluated: evaluated.Load()}
	return len(short), counts, err
}

// completeRow compares a place with all others.
func (o *Output) completeRow(place uint32, all []uint32) (evaluated int, err error) {
	return o.scan(place, all, func(id uint32, key float32) { o.Lists.Offer(place, id, key) })
}

// scan evaluates the keys of a place and each other place in turn.
func (o *Output) scan(place uint32, all []uint32, found func(id uint32, key float32)) (evaluated int, err error) {
	keys := o.Keys()
	out := make([]float32, 4096)
	for _, side := range [][]uint32{all[:place], all[place+1:]} {
		for part := range slices.Chunk(side, len(out)) {
			if err := o.Ctx.Err(); err != nil {
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
