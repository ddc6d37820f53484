package postings

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
	"github.com/knng/knng/vectors/sparse"
)

// defaults fills in what was left out.
func defaults(o builder.Options) builder.Options {
	o.K = cmp.Or(o.K, builder.DefaultK)
	o.Threads = cmp.Or(o.Threads, runtime.GOMAXPROCS(0))
	o.Memory = cmp.Or(o.Memory, builder.DefaultMemory())
	o.BadRows = cmp.Or(o.BadRows, builder.Reject)
	o.Seed = cmp.Or(o.Seed, 1)
	return o
}

// Validate reports every fault of the options at once: those of builder.Options.Validate or, if there are
// none, options that have no meaning for sparse rows, as store.ErrSparse.
func Validate(o builder.Options) error {
	if err := o.Validate(); err != nil {
		return err
	}
	var faults []error
	refuse := func(is bool, fault error) {
		if is {
			faults = append(faults, fmt.Errorf("%w: %w", store.ErrSparse, fault))
		}
	}
	want := func(good bool, option string, value any, want string) {
		refuse(!good, &builder.OptionError{Option: option, Value: value, Want: want})
	}
	want(sparse.Metric(o.Metric), "Metric", cmp.Or(o.Metric, distance.Euclidean), "cosine or ip for sparse rows")
	want(o.Method == "" || o.Method == builder.Auto || o.Method == builder.Exact, "Method", o.Method, "auto or exact for sparse rows")
	want(o.Divisions <= 0, "Divisions", o.Divisions, "none for sparse rows: all pairs are compared")
	want(o.Rounds <= 0, "Rounds", o.Rounds, "none for sparse rows: all pairs are compared")
	want(o.Duplicates != builder.Collapse, "Duplicates", o.Duplicates, "keep for sparse rows")
	refuse(o.Reference, errors.New("vectors by reference: the store copies sparse rows"))
	refuse(o.Distance != nil, errors.New("a distance of your own"))
	refuse(o.Names != nil, errors.New("ids without a file"))
	return errors.Join(faults...)
}

// given refuses a matrix that is nil.
func given(src *sparse.Source) error {
	if src == nil {
		return vectors.Misused(errors.New("postings: no rows are given: the matrix is nil"))
	}
	return nil
}

// manifestOf describes the input and the options that name the result.
func manifestOf(src *sparse.Source, o *builder.Options) (m store.Manifest, err error) {
	if err := given(src); err != nil {
		return m, err
	}
	if src.Len() == 0 {
		return m, vectors.Refused(errors.New("postings: the input has no rows"))
	}
	ids, err := idsOf(o).Hash(src.Len(), o.BadRows == builder.Drop)
	if err != nil {
		return m, err
	}
	m = store.Manifest{Rows: src.Len(), Dim: src.Columns(), Type: store.SparseType, Metric: o.Metric.String(), K: o.K, Vectors: "copy"}
	m.Files = append(m.Files, src.File)
	m.Options = []store.Option{
		{Name: "method", Value: string(builder.Exact)},
		{Name: "k", Value: strconv.Itoa(o.K)},
		{Name: "metric", Value: o.Metric.String()},
		{Name: "bad-rows", Value: string(o.BadRows)},
		{Name: "ids", Value: ids},
	}
	return m, nil
}

// idsOf are the ids that the options name.
func idsOf(o *builder.Options) *input.IDs { return &input.IDs{Path: o.IDs, Name: o.IDsName} }

// commitIDs stores the ids, where there are any.
func (r *run) commitIDs() error {
	if r.opts.IDs == "" {
		return nil
	}
	if done, err := r.Draft.IDsDone(); done || err != nil {
		return err
	}
	p := r.Begin("ids", "rows", int64(r.src.Len()))
	defer p.End("")
	var dropped []uint32
	if r.opts.BadRows == builder.Drop {
		dropped = r.audit.Rows
	}
	return idsOf(&r.opts).Store(r.Ctx, r.Draft, r.outputs, dropped)
}
