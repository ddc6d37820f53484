// Package tuning finds the effort of searches by rows that are held out of them.
package tuning

import (
	"cmp"
	"fmt"
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

// Find tries efforts that grow by a quarter, over n rows, on the first half of so many queries; the others report. recalls
// tells those of queries from to end-1 by an effort.
func (o Options) Find(n, queries int, recalls func(from, end, effort int) ([]float64, error)) (f Found, err error) {
	half, most := queries/2, min(n, maxEffort)
	for f.Effort = min(o.K, most); ; f.Effort = min(max(f.Effort+1, f.Effort*5/4), most) {
		per, err := recalls(0, half, f.Effort)
		if err != nil {
			return f, err
		}
		if f.Reached = mean(per) >= o.Recall; f.Reached || f.Effort == most {
			break
		}
	}
	f.PerQuery, err = recalls(half, queries, f.Effort)
	f.Recall = mean(f.PerQuery)
	return f, err
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}
