package output

import (
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/recall"
)

// report computes the exact lists of the rows that report.
func (o *Output) report() (err error) {
	o.truth, o.Control, err = o.Controls.Report()
	return err
}

// Measure measures recall on rows that steered nothing, and counts the components. Exact graphs
// need no measuring; a method with lists on disk has done both but for the mean.
func (o *Output) Measure() error {
	inMemory := o.onDisk() == nil
	if inMemory && o.K > 0 && (!o.Traits.Complete || o.State.Cut()) {
		if err := o.report(); err != nil {
			<-o.sum // it reads the store
			return err
		}
		o.lists = o.Lists.List
	}
	o.Recall = recall.EstimateOf(nil, o.N(), o.Set.Seed)
	if o.truth != nil {
		per := build.PerRow(o.truth, o.lists)
		o.Recall = recall.EstimateOf(per, o.N(), o.Set.Seed)
		_, o.Recall.Low, o.Recall.High = recall.Interval(per, o.N(), o.Controls.Looks())
		o.Say("recall %.4f (95 %% interval %.4f to %.4f, %d rows)", o.Recall.Recall, o.Recall.Low, o.Recall.High, o.Recall.Sample)
	}
	if inMemory {
		o.Components = o.components()
	}
	return nil
}

// A checksum is that of the graph, or why there is none.
type checksum struct {
	text string
	err  error
}

// begin computes the checksum from the store while other passes go on: one hash over everything
// keeps only one thread busy.
func (o *Output) begin() {
	sum := make(chan checksum, 1)
	o.sum = sum
	go func() {
		text, err := o.Draft.Checksum(o.Ctx)
		sum <- checksum{text, err}
	}()
}

// Sum waits for the checksum.
func (o *Output) Sum() error {
	p := o.Begin("checksum", "", 0)
	made := <-o.sum
	p.End("")
	o.Checksum = made.text
	return made.err
}
