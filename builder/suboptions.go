package builder

import (
	"cmp"
	"context"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/builder/internal/audit"
	"github.com/knng/knng/builder/internal/balls"
	"github.com/knng/knng/builder/internal/choose"
	"github.com/knng/knng/builder/internal/input"
	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/limits"
	"github.com/knng/knng/builder/internal/paper"
	"github.com/knng/knng/store"
)

// The options of the internal packages, made from Options.

// input returns the options that say how rows are compared.
func (o *Options) input() input.Options {
	return input.Options{Metric: o.Metric, Own: o.Distance != nil, Reference: o.Reference, Collapse: o.Duplicates == Collapse, Scale: o.Scale}
}

// ids returns the external ids of the rows.
func (o *Options) ids() *input.IDs {
	return &input.IDs{Path: o.IDs, Name: o.IDsName, Names: o.Names}
}

// draft returns the options of the store's draft. Its cache is a small share of the memory: the
// final lists are read in order, to be hashed, and hardly need one. Cancelling ctx ends the draft's
// wait for readers.
func (o *Options) draft(ctx context.Context) *store.DraftOptions {
	d := &store.DraftOptions{Context: ctx, Scratch: o.Scratch, Logger: o.Logger, FS: o.files, Early: store.Early,
		CacheBytes: min(8*limits.MiB, max(limits.MiB/2, o.Memory/32))}
	if o.files != nil {
		d.Early = o.early
	}
	return d
}

// audit returns the rules by which rows are bad, and their treatment.
func (o *Options) audit() audit.Options {
	a := audit.Options{Refuse: o.BadRows == Reject, Drop: o.BadRows == Drop, Reference: o.Reference}
	if o.Distance == nil {
		a.Rules = audit.RulesOf(o.Metric)
	}
	return a
}

// goal returns the condition under which a build stops.
func (o *Options) goal() job.Goal {
	return job.Goal{Recall: o.Recall, Divisions: o.Divisions, Rounds: o.Rounds, Propagate: o.Propagation == On,
		Screened: o.Distance == nil && o.Metric.Coded()}
}

// choice returns the options that decide which method Auto takes.
func (o *Options) choice() choose.Options {
	return choose.Options{Method: string(o.Method), K: o.K, LeafSize: o.LeafSize, Recall: cmp.Or(o.Recall, DefaultRecall), Divisions: o.Divisions, Rounds: o.Rounds,
		Slack: o.planned().Slack, Metric: o.Metric, Own: o.Distance != nil, PaperOnly: o.paperOnly() != "", Collapse: o.Duplicates == Collapse, Threads: o.Threads}
}

// balls returns the options that only the balls method reads.
func (o *Options) balls() balls.Options {
	b := balls.Options{K: o.K, Aim: cmp.Or(o.Recall, DefaultRecall), Slack: o.Balls.Slack, Most: o.Balls.Most, Under: o.Balls.Under}
	if o.Start != nil {
		b.Known, b.Ends, b.Before = o.Start.Near, o.Start.Ends, xxhash.Sum64String(o.Start.Name)
	}
	return b
}

// paper returns the options that only the paper's method reads.
func (o *Options) paper() paper.Options {
	return paper.Options{Trigger: o.Paper.Trigger, Visits: o.Paper.Visits, Pairwise: o.Paper.Pairwise != Off, InPlace: o.Paper.InPlace, Reuse: o.PairCache != Off}
}

// planned returns the schedule of the balls method.
func (o *Options) planned() job.Schedule {
	b := o.balls()
	return b.Schedule()
}
