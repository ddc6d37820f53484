package builder

import (
	"errors"
	"fmt"
	"slices"

	"github.com/knng/knng/builder/internal/choose"
)

// Validate reports every fault of the options at once.
func (o *Options) Validate() error {
	v := o.WithDefaults()
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf("builder: "+format, args...))
		}
	}
	fault(v.K < 1 || v.K > MaxK, "k is %d, want 1 to %d", v.K, MaxK)
	fault(v.Spare < 0 || v.Spare > 0 && v.Spare >= v.K, "%d of %d entries of a list are to spare, want fewer", v.Spare, v.K)
	fault(!slices.Contains(Methods(), v.Method), "method %q, want %s", v.Method, MethodNames())
	t := methods[v.Method]
	fault(t.Overlaps && v.paperOnly() != "", "method %s does not know %s", v.Method, v.paperOnly())
	if t.InOrder {
		fault(v.Duplicates == Collapse, "method %s does not collapse duplicates", v.Method)
		fault(v.K > choose.MaxPartsK, "k is %d, want 1 to %d with method %s", v.K, choose.MaxPartsK, v.Method)
		fault(v.Rounds > 0, "method %s has no propagation rounds", v.Method)
	}
	fault(!v.Metric.Known(), "unknown metric %d", v.Metric)
	fault(v.Method == Tree && v.Metric.Known() && !v.Metric.Squares(), "method tree is for euclidean and sqeuclidean, not %v", v.Metric)
	fault(!(v.Recall >= 0 && v.Recall <= 1), "recall is %v, want 0 to 1", v.Recall)
	fault(v.Divisions < 0 || v.Divisions > MaxDivisions, "divisions are %d, want 1 to %d", v.Divisions, MaxDivisions)
	fault(v.Rounds < 0 || v.Rounds > MaxDivisions, "rounds are %d, want 1 to %d", v.Rounds, MaxDivisions)
	fault(v.LeafSize < 4 || v.LeafSize > 1<<16, "leaf size is %d, want 4 to %d", v.LeafSize, 1<<16)
	fault(!(v.Paper.Trigger >= 0 && v.Paper.Trigger <= 1), "trigger is %v, want 0 to 1", v.Paper.Trigger)
	fault(v.Paper.Visits < 1 || v.Paper.Visits > 1<<20, "visits are %d, want 1 to %d", v.Paper.Visits, 1<<20)
	fault(v.Paper.Sample < 2 || v.Paper.Sample > 1<<15, "sample is %d, want 2 to %d", v.Paper.Sample, 1<<15)
	fault(v.Balls.Slack < 0 || v.Balls.Slack > MaxK || v.Balls.Most < 0 || v.Balls.Most > MaxK || !(v.Balls.Under >= 0 && v.Balls.Under <= 1),
		"balls %+v, want 0 to %d candidates and rows, and 0 to 1 under the target", v.Balls, MaxK)
	fault(v.Start != nil && (v.Start.Name == "" || v.Start.Near == nil), "lists to start from need a name and a function")
	fault(v.Start != nil && (!slices.IsSorted(v.Start.Ends) || len(v.Start.Ends) > 1<<16), "the ends of the parts of lists to start from do not ascend, or are more than %d", 1<<16)
	fault(v.Paper.Directions != Principal && v.Paper.Directions != Random, "directions %q, want principal or random", v.Paper.Directions)
	fault(!slices.Contains([]BadRows{Reject, Drop, Isolate}, v.BadRows), "bad rows %q, want error, drop or isolate", v.BadRows)
	fault(v.Duplicates != Keep && v.Duplicates != Collapse, "duplicates %q, want keep or collapse", v.Duplicates)
	fault(v.Copies < 0 || v.Copies > MaxK, "copies are %d, want 1 to %d, or 0 for all", v.Copies, MaxK)
	fault(v.Copies > 0 && v.Duplicates != Collapse, "copies in a list are limited only where duplicates collapse")
	fault(v.IDs != "" && v.Names != nil, "ids are given by a file, %s, and by Names: want one of them", v.IDs)
	fault(v.Threads < 1 || v.Threads > 4096, "threads are %d, want 1 to 4096", v.Threads)
	fault(v.Memory < 0, "memory is %d bytes", v.Memory)
	fault(v.Paper.InPlace && v.Threads != 1, "in-place propagation is for measurements with one thread, not %d", v.Threads)
	fault(v.Paper.InPlace && v.Distance != nil, "in-place propagation takes no distance of your own")
	if d := v.Distance; d != nil {
		fault(d.Name == "" || d.Key == nil, "a distance needs a name and a function")
		fault(v.Duplicates == Collapse, "duplicates do not collapse with a distance of your own: rows of the same bytes may be different things to it")
		fault(v.BadRows == Drop, "bad rows cannot be dropped with a distance of your own: it knows rows by their input position")
	}
	return errors.Join(faults...)
}

// paperOnly names an option that only the paper's method knows; "" if
// there is none.
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

// unused names the options that were given and that a method has no use for.
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
