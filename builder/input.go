package builder

import (
	"github.com/knng/knng/builder/internal/arrange"
	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/input"
)

// audit reads the input and lists its good rows.
func (r *run) audit() error {
	src, err := r.bad.Pass(&r.Build, r.src, audit.Options{Rules: r.opts.auditRules(),
		Reject: r.opts.BadRows == Reject, Drop: r.opts.BadRows == Drop, Reference: r.opts.Reference})
	if err == nil {
		r.src = src
	}
	return err
}

// input is what a build makes of its rows.
func (o *Options) input() input.Options {
	return input.Options{Metric: o.Metric, Own: o.Distance != nil, Reference: o.Reference, Collapse: o.Duplicates == Collapse}
}

// ids are the external ids of the rows.
func (o *Options) ids() *input.IDs {
	return &input.IDs{Path: o.IDs, Name: o.IDsName, Names: o.Names}
}

// auditRules say which rows have no distances.
func (o *Options) auditRules() audit.Rules {
	if o.Distance != nil {
		return audit.Rules{}
	}
	return audit.RulesOf(o.Metric)
}

// zeroIsBad reports whether a row of zeros has no distances.
func (o *Options) zeroIsBad() bool { return o.Distance == nil && o.Metric.ZeroIsBad() }

// collapse leaves of identical rows the first among the good rows.
func (r *run) collapse() error {
	if r.opts.Duplicates != Collapse {
		return nil
	}
	return r.Groups.Collapse(&r.Build, r.src, r.enoughToCollapse)
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
		if err := r.arranged().Make(r.method.Arrange); err != nil {
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
	return r.opts.ids().Commit(&r.Build, r.src.Len(), dropped)
}

// arranged is the order of the rows, by the method that the build has now.
func (r *run) arranged() *arrange.Rows {
	return &arrange.Rows{Build: &r.Build, Source: r.src, Groups: &r.Groups, InOrder: r.traits.inOrder}
}

// chooseMethod settles auto once and for all.
func (r *run) chooseMethod() error {
	r.State.Rows = len(r.Good)
	method, err := r.choose()
	if err != nil {
		return err
	}
	r.take(method)
	r.method.Settle()
	return r.Save()
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
	if !r.traits.inOrder {
		if r.Norms, err = r.NormsOf(r.Rows); err != nil {
			return err
		}
	}
	if err := r.method.Resume(); err != nil || r.traits.overlaps {
		return err
	}
	return r.pairs.Choose(&r.Build)
}
