package distance

import (
	"fmt"
	"math"
)

// Metric names a distance.
type Metric uint8

// The metrics. The values are part of no file; files hold the names.
const (
	Euclidean Metric = 1 + iota
	SqEuclidean
	Cosine
	IP
)

var names = [...]string{Euclidean: "euclidean", SqEuclidean: "sqeuclidean", Cosine: "cosine", IP: "ip"}

// String returns the name that ParseMetric accepts.
func (m Metric) String() string {
	if m >= Euclidean && m <= IP {
		return names[m]
	}
	return fmt.Sprintf("distance.Metric(%d)", uint8(m))
}

// ParseMetric reads a metric's name; l2 is an alias of euclidean.
func ParseMetric(s string) (Metric, error) {
	if s == "l2" {
		return Euclidean, nil
	}
	for m := Euclidean; m <= IP; m++ {
		if names[m] == s {
			return m, nil
		}
	}
	return 0, fmt.Errorf("distance: unknown metric %q: want euclidean (l2), sqeuclidean, cosine or ip", s)
}

// Shown turns a key into the distance that people see.
func (m Metric) Shown(key float32) float32 {
	if m == Euclidean {
		return float32(math.Sqrt(float64(key)))
	}
	return key
}
