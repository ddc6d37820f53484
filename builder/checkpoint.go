package builder

import (
	"fmt"
	"math"
	"time"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/store"
)

// What the balls method keeps on disk while it runs: not what each unit of work
// gained, as the paper's method does, but now and then the lists as they are.
// Writing them takes a fraction of a second per million rows, a stage some
// seconds, and what a kill costs is the stages since they were written last.

// keepEvery is how long stages may run between two writings: a kill costs ten
// seconds or less, apart from a single stage that takes longer.
var keepEvery = 8 * time.Second // a variable for tests

// aheadRecord is the state that a fold belongs to, recorded before it. The fold
// makes it count.
const aheadRecord = "state-ahead"

// keep writes the lists after a stage, if it is time.
func (r *run) keep() error {
	if time.Since(r.kept) < keepEvery {
		return nil
	}
	if err := r.roomForFold(r.found.K); err != nil {
		return err
	}
	// A crash may have kept the state of the last fold from being recorded: then it stands
	// where this one's is put.
	if err := r.save(); err != nil {
		return err
	}
	if err := r.draft.Record(aheadRecord, &r.state); err != nil {
		return err
	}
	if err := r.foldCandidates(); err != nil {
		return err
	}
	r.durable, r.kept = len(r.state.Stages), time.Now()
	return r.save()
}

// durableState is the state without the stages whose lists are not on disk.
func (r *run) durableState() *state {
	if r.state.Method != Balls || r.durable == len(r.state.Stages) {
		return &r.state
	}
	s := r.state
	s.Stages, s.Stop = s.Stages[:r.durable], ""
	return &s
}

// foldCandidates writes the lists as the fold of the stages so far: an entry's
// low half stands as neighbor, its high half as the bits of a key.
func (r *run) foldCandidates() error {
	return r.foldLists(uint32(len(r.state.Stages)), func(from, to int, l *store.Lists) {
		for place := uint32(from); place < uint32(to); place++ {
			l.Append(place, nil, nil)
			for i := range r.found.Len(place) {
				e := r.found.At(place, i)
				l.Add(uint32(e), math.Float32frombits(e.Distance()))
			}
		}
	})
}

// loadCandidates brings into memory what the balls method needs.
func (r *run) loadCandidates() (err error) {
	p := r.begin("load", "rows", int64(r.n()))
	defer p.End("")
	if r.codes == nil {
		if r.codes, err = r.roundedRows(r.rows); err != nil {
			return err
		}
	}
	r.kept = time.Now()
	r.found = candidates.New(r.n(), r.candidatesK(), r.opts.Threads)
	folded, ok, err := r.draft.Folded()
	if err != nil || !ok {
		r.state.Stages, r.state.Stop = nil, ""
		return err
	}
	if int(folded) > len(r.state.Stages) {
		runs := r.state.Runs
		if _, err := r.draft.Load(aheadRecord, &r.state); err != nil {
			return err
		}
		r.state.Runs = runs // of which this is one more
	}
	if r.state.Plan.Marks != candidates.Marks { // a version began it whose entries were others
		r.state.Stages, r.state.Stop, r.state.Plan.Marks = nil, "", candidates.Marks
		return nil
	}
	r.durable = len(r.state.Stages)
	if int(folded) != r.durable {
		return fmt.Errorf("%w: lists of %d stages, the build records %d", store.ErrCorrupt, folded, r.durable)
	}
	return r.draft.ReadFolded(func(l *store.Lists) error { return r.setCandidates(l, p) })
}

// setCandidates reads a batch of a fold, which may come from a damaged disk.
func (r *run) setCandidates(l *store.Lists, p *phase) error {
	var entries []candidates.Entry
	for i, place := range l.Rows {
		entries = entries[:0]
		for j := l.Starts[i]; j < l.Starts[i+1]; j++ {
			e := candidates.Entry(math.Float32bits(l.Keys[j]))<<32 | candidates.Entry(l.Neighbors[j])
			if int(e.Place()) >= r.n() {
				return errPlace(e.Place(), r.n())
			}
			entries = append(entries, e)
		}
		if int(place) >= r.n() || len(entries) > r.found.K {
			return errPlace(place, r.n())
		}
		r.found.Set(place, entries)
	}
	p.Add(len(l.Rows))
	return nil
}
