// Package tuning finds the effort of searches by rows that are held out of them.
package tuning

import (
	"cmp"
	"fmt"
	"math"
)

// Options says which effort is looked for, as search.TuneOptions does.
type Options struct {
	K      int
	Recall float64
	Sample int
	Seed   uint64
}

// WithDefaults are the options with defaults for fields of 0.
func (o Options) WithDefaults() (Options, error) {
	o.K, o.Sample = cmp.Or(o.K, 10), cmp.Or(o.Sample, 200)
	o.Recall = cmp.Or(o.Recall, 0.95)
	if o.K < 1 || !(o.Recall > 0 && o.Recall <= 1) || o.Sample < 1 {
		return o, fmt.Errorf("tuning for %d results, recall %v, by %d rows", o.K, o.Recall, o.Sample)
	}
	return o, nil
}

// Found is the least effort that reaches a recall.
type Found struct {
	Effort   int
	Reached  bool      // by the queries that tell the effort
	PerQuery []float64 // recalls of the queries that report
	Recall   float64   // mean of these
}

// maxEffort is the largest effort that is tried.
const maxEffort = 1 << 14

// Find tries efforts that grow by a quarter, over n rows, on the first half of so many queries; the others report. If the recall
// that these report is below by more than chance, since the first ones were easier, the effort grows on until it is
// not. recalls returns the recalls of queries from to end-1 by an effort.
func (o Options) Find(n, queries int, recalls func(from, end, effort int) ([]float64, error)) (f Found, err error) {
	half, most := queries/2, min(n, maxEffort)
	for f.Effort = min(o.K, most); ; f.Effort = more(f.Effort, most) {
		per, err := recalls(0, half, f.Effort)
		if err != nil {
			return f, err
		}
		if f.Reached = mean(per) >= o.Recall; f.Reached || f.Effort == most {
			break
		}
	}
	for ; ; f.Effort = more(f.Effort, most) {
		if f.PerQuery, err = recalls(half, queries, f.Effort); err != nil {
			return f, err
		}
		f.Recall = mean(f.PerQuery)
		if f.Effort == most || f.Recall+doubt*standardError(f.PerQuery, n) >= o.Recall {
			return f, nil
		}
	}
}

// more is the effort that is tried after one.
func more(effort, most int) int { return min(max(effort+1, effort*5/4), most) }

// doubt is how many standard errors the recall reported may be below. It is somewhat less than the interval has that users
// are told (package recall), so that this never ends below the recall asked for where a larger effort would not.
const doubt = 1.9

// standardError is that of the mean of some values of n.
func standardError(values []float64, n int) float64 {
	m, squares := mean(values), 0.0
	for _, v := range values {
		squares += float64((v - m) * (v - m))
	}
	some := float64(max(2, len(values)))
	return math.Sqrt(squares / some / (some - 1) * max(0, 1-some/float64(n)))
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}
