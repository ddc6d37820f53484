package postings

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
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

// validate refuses options that have no meaning for sparse rows: store.ErrSparse.
func validate(o builder.Options) error {
	if err := o.Validate(); err != nil {
		return err
	}
	var faults []string
	refuse := func(is bool, text string) {
		if is {
			faults = append(faults, text)
		}
	}
	refuse(!sparse.Metric(o.Metric), fmt.Sprintf("metric %v, want cosine or ip", o.Metric))
	refuse(o.Method != "" && o.Method != builder.Auto && o.Method != builder.Exact, fmt.Sprintf("method %s, want auto or exact", o.Method))
	refuse(o.Divisions > 0 || o.Rounds > 0, "divisions or rounds: all pairs are compared")
	refuse(o.Reference, "vectors by reference: the store copies sparse rows")
	refuse(o.Duplicates == builder.Collapse, "duplicates collapse, want keep")
	refuse(o.Distance != nil, "a distance of your own")
	refuse(o.Names != nil, "ids without a file")
	if len(faults) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s", store.ErrSparse, strings.Join(faults, "; "))
}

// manifestOf describes the input and the options that name the result.
func manifestOf(src *sparse.Source, o *builder.Options) (m store.Manifest, err error) {
	if src.Len() == 0 {
		return m, errors.New("postings: the input has no rows")
	}
	ids, err := idsOf(o, src.Len())
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

// idsOf names the contents of the ids.
func idsOf(o *builder.Options, rows int) (string, error) {
	if o.IDs == "" {
		return "off", nil
	}
	f, err := os.Open(o.IDs)
	if err != nil {
		return "", fmt.Errorf("postings: ids: %w", err)
	}
	defer f.Close()
	h := xxhash.New()
	if o.BadRows == builder.Drop { // the lines of rows that will be dropped may be anything
		_, err = io.Copy(h, f)
	} else {
		err = store.CheckIDs(io.TeeReader(f, h), cmp.Or(o.IDsName, o.IDs), rows)
	}
	if err != nil {
		return "", fmt.Errorf("postings: ids: %w", err)
	}
	return strconv.FormatUint(h.Sum64(), 16), nil
}

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
	f, err := os.Open(r.opts.IDs)
	if err != nil {
		return fmt.Errorf("postings: ids: %w", err)
	}
	defer f.Close()
	var dropped []uint32
	if r.opts.BadRows == builder.Drop {
		dropped = r.audit.Rows
	}
	return r.Draft.CommitIDs(r.Ctx, f, cmp.Or(r.opts.IDsName, r.opts.IDs), r.outputs, dropped)
}
