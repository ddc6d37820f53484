package recall

// An Estimate is a measured recall@k with its 95 % interval.
type Estimate struct {
	Recall float64 `json:"recall"` // mean of the sample, 0 to 1
	Low    float64 `json:"low"`    // of the interval
	High   float64 `json:"high"`
	Sample int     `json:"sample"` // rows whose exact lists were computed
	Seed   uint64  `json:"seed"`   // by which they were drawn
}

// EstimateOf estimates the mean recall of n rows from the recalls of rows that a seed has drawn
// among them. The interval is that of one sample: where others were drawn before, and this one because of
// them, Interval takes their number. Without any the lists are taken as exact: the recall is 1, and so is
// its interval.
func EstimateOf(recalls []float64, n int, seed uint64) Estimate {
	e := Estimate{Recall: 1, Low: 1, High: 1, Sample: len(recalls), Seed: seed}
	if len(recalls) > 0 {
		e.Recall, e.Low, e.High = Interval(recalls, n, 1)
	}
	return e
}
