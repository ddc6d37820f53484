package output

import (
	"slices"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/recall"
	"github.com/knng/knng/store"
)

// report computes the exact lists of the reporting rows.
func (o *Output) report() (err error) {
	o.truth, o.Control, err = o.Controls.Report()
	return err
}

// Measure measures recall on rows that steered nothing, and counts the components. Exact graphs need no
// measurement; a method with lists on disk has done both except for the mean.
func (o *Output) Measure() error {
	inMemory := o.onDisk() == nil
	if inMemory && o.K > 0 && (!o.Traits.Complete || o.State.Cut()) {
		if err := o.report(); err != nil {
			return err
		}
		o.lists = o.Lists.List
	}
	n := o.N() + o.Groups.Len()
	o.Recall = recall.EstimateOf(nil, n, o.Set.Seed)
	if o.truth != nil {
		per := build.PerRow(o.truth, o.lists)
		o.Recall = recall.EstimateOf(per, n, o.Set.Seed)
		_, o.Recall.Low, o.Recall.High = recall.Interval(per, n, o.Controls.Looks())
		o.Say("recall %.4f (95 %% interval %.4f to %.4f, %d rows)", o.Recall.Recall, o.Recall.Low, o.Recall.High, o.Recall.Sample)
	}
	if inMemory {
		o.Components = o.components()
	}
	return nil
}

// begin computes the checksum with a function while other passes go on: one hash over everything keeps only
// one thread busy.
func (o *Output) begin(compute func() (string, error)) {
	o.sum = job.Async(func() (err error) {
		o.Checksum, err = compute()
		return err
	})
}

// Free waits for the checksum if it is still being computed, because that reads the lists or the store.
func (o *Output) Free() {
	if o.sum != nil {
		_ = o.sum()
	}
}

// sumOfStored computes the checksum from the store.
func (o *Output) sumOfStored() (string, error) { return o.Draft.Checksum(o.Ctx) }

// sumOfLists computes it from the lists in memory, which takes a fourth of the time and need not wait for the
// store.
func (o *Output) sumOfLists() (string, error) {
	placeOf := o.PlaceOf(o.rows())
	each := func(use func(places []uint32, keys []float32)) error {
		for rows := range slices.Chunk(placeOf, summedAtOnce) {
			o.eachList(rows, use)
			if err := o.Ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	}
	neighbors := func(add func([]uint32)) error {
		room := make([]uint32, 0, o.K)
		return each(func(places []uint32, _ []float32) {
			room = room[:0]
			for _, p := range places {
				room = append(room, o.Order[p])
			}
			add(room)
		})
	}
	keys := func(add func([]float32)) error {
		return each(func(_ []uint32, keys []float32) { add(keys) })
	}
	return store.ChecksumOf(store.Shape{Rows: o.rows(), K: o.K}, neighbors, keys)
}

// summedAtOnce is the number of lists between checks whether the build was cancelled.
const summedAtOnce = 1 << 12

// Sum waits for the checksum.
func (o *Output) Sum() error {
	p := o.Begin("checksum", "", 0)
	defer p.End("")
	return o.sum()
}
