package distance

import (
	"fmt"
	"math"

	"github.com/knng/knng/vectors"
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

// KeyOf turns a shown distance back into a key, up to rounding.
func (m Metric) KeyOf(shown float32) float32 {
	if m == Euclidean {
		return shown * shown
	}
	return shown
}

// A Space binds a metric to rows of one type and dimension. It is immutable
// and safe for concurrent use.
//
// Norms: under cosine every call needs the norms of the rows involved; the
// caller computes them once per row with Norm and passes them in. Under the
// other metrics norms are ignored and may be nil or zero.
type Space struct {
	metric Metric
	typ    vectors.Type
	dim    int
}

// New returns the space of a metric over rows of dim elements of type t.
func New(m Metric, t vectors.Type, dim int) (*Space, error) {
	panic("stub")
}

// Metric returns the metric.
func (s *Space) Metric() Metric { return s.metric }

// NeedsNorms reports whether Key and Keys need norms (cosine).
func (s *Space) NeedsNorms() bool { return s.metric == Cosine }

// Norm returns norm(x) of the package comment.
func (s *Space) Norm(x []byte) float64 { panic("stub") }

// Key returns the key of rows x and y. Key(x,y) == Key(y,x) to the bit.
func (s *Space) Key(x, y []byte, normX, normY float64) float32 { panic("stub") }

// Keys sets out[j] to the key of x and row ids[j] of base for every j, where
// row r of base is base[r*stride : r*stride+rowbytes]. norms[r] is the norm of
// row r (ignored unless NeedsNorms). len(out) >= len(ids). It allocates nothing
// and reads nothing outside the rows named.
func (s *Space) Keys(x []byte, normX float64, base []byte, stride int, norms []float64, ids []uint32, out []float32) {
	panic("stub")
}

// Dot sets out[j] to dot(x, v) of the package comment's float rule for rows
// ids[j] of base (converted to float32 where they are integers: exact) and a
// float32 direction v of dim elements. It is what hyperplane dividers project
// with; float64 lanes make it independent of fusing.
func (s *Space) Dot(v []float32, base []byte, stride int, ids []uint32, out []float64) {
	panic("stub")
}

// Float32 converts a row to float32 elements, dst having dim elements.
func (s *Space) Float32(row []byte, dst []float32) { panic("stub") }

// Kernel names the instruction set in use: avx512, avx2, go (and later neon).
func Kernel() string { panic("stub") }
