package builder

import (
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/arrange"
	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/vectors"
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
	if err := r.loadOrder(); err != nil {
		return err
	}
	if r.Order == nil {
		if err := r.chooseMethod(); err != nil {
			return err
		}
		if err := r.makeOrder(); err != nil {
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
	return commitIDs(&r.Build, &r.opts, r.src.Len(), dropped)
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

// makeOrder finds the locality order and writes the rows in it. In parts they stay in
// the order in which they came.
func (r *run) makeOrder() (err error) {
	if err := r.roomForOrder(); err != nil {
		return err
	}
	rows := &arrange.Rows{Build: &r.Build, Source: r.src, Groups: &r.Groups, Map: r.mapRowsWritten}
	r.Order = r.Good
	switch {
	case r.opts.Reference:
		err = allReferable(r.src, len(r.Good))
	case r.traits.inOrder:
		err = rows.Copy()
	default:
		r.Order, err = rows.Order(r.method.Arrange)
	}
	if err != nil {
		return err
	}
	order := r.Order
	if len(r.Copies) > 0 {
		order = slices.Concat(order, r.Copies)
	}
	return r.Draft.CommitOrder(order)
}

// allReferable refuses to reference a file with bad rows.
func allReferable(src *vectors.Input, good int) error {
	if rows, ok := src.Mapped(); ok && good == rows.Len() {
		return nil
	}
	return fmt.Errorf("%w: a file with bad rows cannot be referenced: begin anew, and let the store copy the others", ErrReference)
}

// loadOrder reads the order, where there is one, and parts it from the copies. In
// parts rows stay in their order, and nothing collapses.
func (r *run) loadOrder() (err error) {
	if r.traits.inOrder {
		var places int
		ordered, err := r.Draft.Load("order", &places)
		if ordered {
			r.Order = r.Good
		}
		return err
	}
	if r.Order, err = r.Draft.Order(); err != nil || r.Order == nil {
		return err
	}
	r.Order, err = r.Split(r.Order, len(r.Good))
	return err
}

// commitIDs stores the external ids, without those of dropped rows.
func commitIDs(b *build.Build, o *Options, rows int, dropped []uint32) error {
	if !o.named() {
		return nil
	}
	done, err := b.Draft.IDsDone()
	if err != nil || done {
		return err
	}
	p := b.Begin("ids", "rows", int64(rows))
	defer p.End("")
	ids, name, err := o.openIDs()
	if err != nil {
		return err
	}
	defer ids.Close()
	return b.Draft.CommitIDs(b.Ctx, ids, name, rows, dropped)
}
