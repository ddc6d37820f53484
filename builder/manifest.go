package builder

import (
	"context"
	"fmt"
	"strconv"

	"github.com/knng/knng/builder/internal/copies"
	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/builder/internal/stopped"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// request is the input and the options of a build: checked, and without zero fields.
type request struct {
	opts     Options
	given    *vectors.Input
	compared *vectors.Input // the rows given, as they are compared
	scale    input.Scale    // of compared, beside those given
}

// newRequest checks the options, and decides whether the rows of src are scaled to be compared. dir
// may hold a build of them.
func newRequest(dir string, src *vectors.Input, opts Options) (*request, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	o := &request{opts: opts.WithDefaults(), given: src}
	var err error
	o.compared, o.scale, err = input.Scaled(dir, src, o.opts.input())
	return o, err
}

// Manifest is the manifest of the store that Build makes of src with these options: it
// describes the input and the options that name the result. Builds of equal manifests make equal graphs.
func Manifest(ctx context.Context, src *vectors.Input, opts Options) (store.Manifest, error) {
	o, err := newRequest("", src, opts)
	if err != nil {
		return store.Manifest{}, err
	}
	return o.manifest(ctx)
}

func (r *request) manifest(ctx context.Context) (m store.Manifest, err error) {
	src, o := r.compared, &r.opts
	m = store.Manifest{
		Rows: src.Len(), Dim: src.Dim(), Type: src.Type().String(),
		Metric: o.Metric.String(), K: o.K, Vectors: "copy",
		Options: o.fingerprint(), Files: src.Files,
	}
	if o.Reference {
		m.Vectors = "reference"
	}
	ids, err := o.ids().Hash(src.Len(), o.BadRows == Drop)
	if err != nil {
		return m, err
	}
	m.Options = append(m.Options, store.Option{Name: "ids", Value: ids})
	if len(src.Files) == 0 {
		sum, err := input.Hash(ctx, src)
		if err != nil {
			return m, stopped.Error(ctx, err)
		}
		m.Options = append(m.Options, store.Option{Name: "rows-hash", Value: sum})
	}
	r.scale.Record(&m)
	return m, nil
}

// fingerprint lists the options that name the result, in a fixed order. Two
// builds with equal fingerprints of equal input make equal graphs.
func (o Options) fingerprint() []store.Option {
	onOff := func(on bool) string { return map[bool]string{true: "on", false: "off"}[on] }
	list := []store.Option{
		{Name: "k", Value: strconv.Itoa(o.K)},
		{Name: "metric", Value: o.Metric.String()},
		{Name: "method", Value: string(o.Method)},
		{Name: "recall", Value: fmt.Sprint(o.Recall)},
		{Name: "divisions", Value: strconv.Itoa(o.Divisions)},
		{Name: "rounds", Value: strconv.Itoa(o.Rounds)},
		{Name: "leaf-size", Value: strconv.Itoa(o.LeafSize)},
		{Name: "trigger", Value: fmt.Sprint(o.Paper.Trigger)},
		{Name: "visits", Value: strconv.Itoa(o.Paper.Visits)},
		{Name: "sample", Value: strconv.Itoa(o.Paper.Sample)},
		{Name: "directions", Value: string(o.Paper.Directions)},
		{Name: "propagation", Value: onOff(o.Propagation == On)},
		{Name: "pairwise", Value: onOff(o.Paper.Pairwise == On)},
		{Name: "in-place", Value: onOff(o.Paper.InPlace)},
		{Name: "seed", Value: strconv.FormatUint(o.Seed, 10)},
		{Name: "bad-rows", Value: string(o.BadRows)},
		copies.Option(string(o.Duplicates), o.Copies),
	}
	if o.Balls != (BallsOptions{}) {
		list = append(list, store.Option{Name: "course", Value: fmt.Sprintf("%+v", o.Balls)})
	}
	if o.Spare > 0 {
		list = append(list, store.Option{Name: "spare", Value: strconv.Itoa(o.Spare)})
	}
	if o.Start != nil {
		list = append(list, store.Option{Name: "start", Value: fmt.Sprintf("%s, parts %v", o.Start.Name, o.Start.Ends)})
	}
	if o.Distance != nil {
		list = append(list, store.Option{Name: "distance", Value: fmt.Sprintf("%s v%d", o.Distance.Name, o.Distance.Version)})
	}
	return list
}
