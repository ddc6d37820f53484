package builder

import (
	"strings"

	"github.com/knng/knng/builder/internal/arrange"
)

// audit reads the input and lists its good rows.
func (r *run) audit() error {
	return r.bad.Pass(&r.Build, r.opts.audit())
}

// collapse leaves of identical rows the first among the good rows.
func (r *run) collapse() error {
	if r.opts.Duplicates != Collapse {
		return nil
	}
	return r.Groups.Collapse(&r.Build, func() error {
		choice := r.chooser.ByCounts(len(r.Good), r.Source.Dim())
		return r.cost.EnoughToCollapse(choice)
	})
}

// layout decides the method, gives every row its place, and writes the store's
// own rows in that order: rows that are near each other come to lie near each
// other, so that leaves and propagation find them in the same pages. The order
// is one more division. Of the graph only the first leaves of the balls method depend
// on it.
func (r *run) layout() (err error) {
	if err := r.arranged().Load(); err != nil {
		return err
	}
	if r.Order == nil {
		if err := r.chooseMethod(); err != nil {
			return err
		}
		if err := r.arranged().Make(r.Method.Arrange); err != nil {
			return err
		}
	}
	if !r.opts.Reference {
		if err := r.given.Drop(); err != nil {
			return err
		}
		r.Received.Store(r.given.Received())
		_ = r.given.Rest() // the store has rows of its own; a hint
	}
	var dropped []uint32
	if r.opts.BadRows == Drop {
		dropped = r.bad.Rows
	}
	return r.opts.ids().Commit(&r.Build, r.Source.Len(), dropped)
}

// arranged is the order of the rows.
func (r *run) arranged() *arrange.Rows { return &arrange.Rows{Build: &r.Build, Groups: &r.Groups} }

// chooseMethod settles auto once and for all.
func (r *run) chooseMethod() error {
	r.State.Rows = len(r.Good)
	if err := r.choose(); err != nil {
		return err
	}
	r.Method.Settle()
	return r.Save()
}

// enough refuses a build whose memory cannot stay under the limit.
func (r *run) enough() error {
	method, err := r.chooser.Choose(r.Source, r.Good)
	if err != nil {
		return err
	}
	return r.cost.Enough(method)
}

// expect plans the build at its head, and tells. A build that goes on has its plan.
func (r *run) expect() error {
	if r.State.Expected != nil || r.State.Rows > 0 {
		return nil
	}
	if err := r.choose(); err != nil {
		return err
	}
	if names := r.opts.unused(Method(r.State.Method)); len(names) > 0 {
		r.Say("method %s has no use for: %s", r.State.Method, strings.Join(names, ", "))
	}
	return r.cost.Begin()
}

// openLedger gives the ledger the memory of blocks that grow with the rows.
func (r *run) openLedger() (err error) {
	r.Ledger.Limit = r.cost.Between()
	r.Ledger.Dir, err = r.Draft.ScratchDir()
	return err
}

// load loads the results of the committed stages.
func (r *run) load() (err error) {
	if err := r.arranged().MapRows(); err != nil {
		return err
	}
	r.K = min(r.opts.K, r.N()-1)
	if r.K == 0 {
		return nil
	}
	if !r.Traits.InOrder {
		if r.Norms, err = r.NormsOf(r.Rows); err != nil {
			return err
		}
	}
	if err := r.Method.Resume(); err != nil || r.Traits.Overlaps {
		return err
	}
	return r.pairs.Choose(&r.Build)
}
