package shards

import (
	"context"
	"errors"
	"fmt"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// Takes returns nil if a build by shards supports the metric, else vectors.ErrUsage.
func Takes(m distance.Metric) error {
	if m.Gathers() && m.Coded() {
		return nil
	}
	return vectors.Misused(fmt.Errorf("builder: a build in tasks does not know the metric %v: build on one machine, where method %s does", m, builder.Parts))
}

// Begin begins a run below folder and returns the folder of the run. If a run of the same input and
// options was begun there, it returns that one's. src may be closed afterwards.
func Begin(ctx context.Context, folder string, src *vectors.Input, opts builder.Options, cut Cut) (string, error) {
	if opts.Method == "" || opts.Method == builder.Auto {
		opts.Method = builder.Parts
	}
	if err := opts.Validate(); err != nil {
		return "", err
	}
	opts = opts.WithDefaults()
	switch {
	case opts.Names != nil:
		return "", vectors.Misused(errors.New("builder: ids of a build in tasks are read by another process: want a file in IDs, not Names"))
	case opts.Method != builder.Parts:
		return "", vectors.Misused(fmt.Errorf("builder: method %s cannot be built by shards, only parts can", opts.Method))
	case opts.Reference:
		return "", fmt.Errorf("%w: a build by shards copies its rows", builder.ErrReference)
	}
	if err := Takes(opts.Metric); err != nil {
		return "", err
	}
	if err := input.Given(src); err != nil {
		return "", err
	}
	if err := readable(src); err != nil {
		return "", err
	}
	manifest, err := builder.Manifest(ctx, src, opts)
	if err != nil {
		return "", err
	}
	spec := runSpec{Manifest: manifest, Scale: manifest.Scale(), Metric: opts.Metric.String(),
		Recall: opts.Recall, Divisions: opts.Divisions, Seed: opts.Seed, BadRows: string(opts.BadRows), IDs: opts.IDs}
	if err := spec.cut(cut); err != nil {
		return "", err
	}
	return spec.record(folder)
}
