package builder

import (
	"errors"
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/choose"
	"github.com/knng/knng/store/reader"
	"github.com/knng/knng/vectors/distance"
)

// Validate reports every fault of the options at once, a fault of a single option as an OptionError.
func (o *Options) Validate() error {
	v := o.WithDefaults()
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf("builder: "+format, args...))
		}
	}
	want := func(good bool, option string, value any, format string, args ...any) {
		fault(!good, "%w", &OptionError{option, value, fmt.Sprintf(format, args...)})
	}
	want(v.K >= 1 && v.K <= MaxK, "K", v.K, "1 to %d", MaxK)
	want(v.Spare == 0 || v.Spare > 0 && v.Spare < v.K, "Spare", v.Spare, "0 or more, and fewer than the %d entries of a list", v.K)
	if v.K < 1 || v.K > MaxK { // defaults that follow from K are no faults of their own
		known := *o
		known.K, known.Spare = DefaultK, 0
		v = known.WithDefaults()
	}
	want(slices.Contains(Methods(), v.Method), "Method", v.Method, "%s", MethodNames())
	t := methods[v.Method]
	want(!t.Overlaps || v.paperOnly() == "", "Method", v.Method, "paper or auto with %s", v.paperOnly())
	if t.InOrder {
		want(v.Duplicates != Collapse, "Duplicates", v.Duplicates, "keep with method %s", v.Method)
		want(v.K <= choose.MaxPartsK, "K", v.K, "1 to %d with method %s", choose.MaxPartsK, v.Method)
		want(v.Rounds <= 0, "Rounds", v.Rounds, "none with method %s, which has no propagation", v.Method)
	}
	want(v.Metric.Known(), "Metric", v.Metric, "%s", distance.Names())
	want(v.Method != Tree || !v.Metric.Known() || v.Metric.Squares(), "Metric", v.Metric, "euclidean or sqeuclidean with method tree")
	if v.Scale != nil {
		want(*v.Scale >= -reader.MaxScale && *v.Scale <= reader.MaxScale, "Scale", *v.Scale, "-%d to %[1]d", reader.MaxScale)
	}
	want(v.Recall >= 0 && v.Recall <= 1, "Recall", v.Recall, "0 to 1")
	want(v.Divisions >= 0 && v.Divisions <= MaxDivisions, "Divisions", v.Divisions, "1 to %d", MaxDivisions)
	want(v.Rounds >= 0 && v.Rounds <= MaxDivisions, "Rounds", v.Rounds, "1 to %d", MaxDivisions)
	want(v.LeafSize >= 4 && v.LeafSize <= 1<<16, "LeafSize", v.LeafSize, "4 to %d", 1<<16)
	want(v.Paper.Trigger >= 0 && v.Paper.Trigger <= 1, "Paper.Trigger", v.Paper.Trigger, "0 to 1")
	want(v.Paper.Visits >= 1 && v.Paper.Visits <= 1<<20, "Paper.Visits", v.Paper.Visits, "1 to %d", 1<<20)
	want(v.Paper.Sample >= 2 && v.Paper.Sample <= 1<<15, "Paper.Sample", v.Paper.Sample, "2 to %d", 1<<15)
	want(v.Balls.Slack >= 0 && v.Balls.Slack <= MaxK, "Balls.Slack", v.Balls.Slack, "0 to %d", MaxK)
	want(v.Balls.Most >= 0 && v.Balls.Most <= MaxK, "Balls.Most", v.Balls.Most, "0 to %d", MaxK)
	want(v.Balls.Under >= 0 && v.Balls.Under <= 1, "Balls.Under", v.Balls.Under, "0 to 1")
	if s := v.Start; s != nil {
		want(s.Name != "", "Start.Name", s.Name, "a name")
		want(s.Near != nil, "Start.Near", nil, "a function")
		want(slices.IsSorted(s.Ends), "Start.Ends", s.Ends, "positions that ascend")
		want(len(s.Ends) <= 1<<16, "Start.Ends", fmt.Sprintf("%d positions", len(s.Ends)), "%d at most", 1<<16)
	}
	want(v.Paper.Directions == Principal || v.Paper.Directions == Random, "Paper.Directions", v.Paper.Directions, "principal or random")
	want(slices.Contains([]BadRows{Reject, Drop, Isolate}, v.BadRows), "BadRows", v.BadRows, "error, drop or isolate")
	want(v.Duplicates == Keep || v.Duplicates == Collapse, "Duplicates", v.Duplicates, "keep or collapse")
	want(v.Copies >= 0 && v.Copies <= MaxK, "Copies", v.Copies, "1 to %d, or 0 for all", MaxK)
	want(v.Copies <= 0 || v.Duplicates == Collapse, "Copies", v.Copies, "none unless duplicates collapse")
	fault(v.IDs != "" && v.Names != nil, "ids are given by a file, %s, and by Names: want one of them", v.IDs)
	want(v.Threads >= 1 && v.Threads <= 4096, "Threads", v.Threads, "1 to 4096")
	want(v.Memory >= 0, "Memory", v.Memory, "0 bytes or more")
	want(v.Held >= 0, "Held", v.Held, "0 bytes or more")
	want(!v.Paper.InPlace || v.Threads == 1, "Threads", v.Threads, "1 with updates in place, which are for measurements")
	fault(v.Paper.InPlace && v.Distance != nil, "in-place propagation takes no distance of your own")
	if d := v.Distance; d != nil {
		want(d.Name != "", "Distance.Name", d.Name, "a name")
		want(d.Key != nil, "Distance.Key", nil, "a function")
		fault(v.Duplicates == Collapse, "duplicates do not collapse with a distance of your own: rows of the same bytes may be different things to it")
		fault(v.BadRows == Drop, "bad rows cannot be dropped with a distance of your own: it knows rows by their input position")
	}
	return errors.Join(faults...)
}

// paperOnly names a given option that only the paper's method knows; "" if there is none.
func (o *Options) paperOnly() string {
	switch {
	case o.Distance != nil:
		return "a distance of your own"
	case o.Paper.Trigger != DefaultTrigger:
		return "a trigger"
	case o.Paper.Visits != o.visits():
		return "a number of visits"
	case o.Paper.Sample != DefaultSample:
		return "a sample for directions"
	case o.Paper.Pairwise != On:
		return "lists without the pairwise update"
	case o.Paper.Directions != Principal:
		return "random directions"
	case o.Paper.InPlace:
		return "updates in place"
	}
	return ""
}

// unused names the given options that a method ignores.
func (o *Options) unused(m Method) (names []string) {
	given := func(is bool, name string) {
		if is {
			names = append(names, name)
		}
	}
	t := methods[m]
	given(t.Complete && o.Divisions > 0, "divisions")
	given(o.Rounds > 0 && (!t.Rounds || o.Propagation == Off), "rounds")
	given(!t.Leaves && o.LeafSize != max(o.leafSize(), 4*o.K), "leaf size")
	given(!t.Rounds && o.Propagation == Off, "propagation")
	given(!t.PairCache && o.Distance == nil && o.PairCache == On, "pair cache")
	given(t.Complete && o.Distance == nil && o.paperOnly() != "", o.paperOnly())
	return names
}
