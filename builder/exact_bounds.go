package builder

import (
	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/plan"
	"github.com/knng/knng/vectors"
)

// What is too far for the lists of the exact method. It compares all rows with all
// others by their codes, which is cheap; what costs is all that codes leave to keys, and
// what enters a list only to leave it again, while lists hold what the first blocks
// happened to have. So one division into balls goes first: the k nearest that a row met
// in it say what cannot be among its k nearest of all. Pairs are left out for no other
// reason, and the lists are the same.

// boundLists sets the bounds, where codes order rows and there are pairs to compare.
func (r *run) boundLists() error {
	if r.state.Method != Exact || r.state.count(exactStage) == r.exactStages() || r.n() < plan.BoundLeaves*r.opts.LeafSize {
		return nil
	}
	if err := r.haveCodes(); err != nil || r.codes == nil {
		return err
	}
	if err := r.bounds.take(&r.ledger, r.n()); err != nil {
		return err
	}
	b := r.balls(r.codes, overlap)
	p := r.begin("bounds", "rows", int64(r.n())*int64(b.Overlap))
	defer p.End("")
	r.found = candidates.New(r.n(), r.k)
	defer func() {
		r.found.Free()
		r.found = nil
	}()
	if _, err := r.solveBalls(b, 1, p); err != nil { // 0 made the order
		return err
	}
	return vectors.Ranges(r.opts.Threads, r.n(), 1024, func() func(from, to int) error {
		w := r.reranker()
		return func(from, to int) error {
			for place := uint32(from); place < uint32(to); place++ {
				_, keys, err := w.list(place)
				if err != nil {
					return err
				}
				if len(keys) == r.k {
					r.bounds.set(place, keys[r.k-1])
				}
			}
			return r.ctx.Err()
		}
	})
}
