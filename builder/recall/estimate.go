package recall

// An Estimate is a measured recall@k with its 95 % interval.
type Estimate struct {
	Recall float64 `json:"recall"` // mean of the sample, 0 to 1
	Low    float64 `json:"low"`    // of the interval
	High   float64 `json:"high"`
	Sample int     `json:"sample"` // rows whose exact lists were computed
	Seed   uint64  `json:"seed"`   // by which they were drawn
}

// EstimateOf estimates the mean recall of n rows from the recalls of a sample of them, drawn by seed. The
// interval is that of a single look; for a sample that was drawn because of earlier ones, call Interval
// with their number. Without any recalls the lists count as exact: recall and interval are 1.
func EstimateOf(recalls []float64, n int, seed uint64) Estimate {
	e := Estimate{Recall: 1, Low: 1, High: 1, Sample: len(recalls), Seed: seed}
	if len(recalls) > 0 {
		e.Recall, e.Low, e.High = Interval(recalls, n, 1)
	}
	return e
}
