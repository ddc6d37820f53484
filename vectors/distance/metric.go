package distance

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/knng/knng/vectors/internal/simd"
)

// Metric names a distance.
type Metric uint8

// The metrics. The values are part of no file; files hold the names.
const (
	Euclidean Metric = 1 + iota
	SqEuclidean
	Cosine
	IP
	L1          // sum of absolute differences
	Chebyshev   // largest absolute difference
	Correlation // cosine of rows less their means
	Hamming     // differing bits of packed bits
	Jaccard     // of sets as packed bits: 1 less the share of the union that both have
)

// properties are all that the project knows about a metric. To add one, add a line to the table below,
// a function to pairs.go if no kernel computes it, its definition to doc.go, and a line to the oracle of
// the tests.
type properties struct {
	name    string
	aliases []string

	zeroIsBad     bool
	constantIsBad bool
	norms         bool
	squares       bool // the key is a sum of squared differences
	root          bool // the distance shown is its root
	differences   bool // the key is a function of the differences of elements
	gathers       bool
	coded         bool
	bits          bool
	degree        int // rows times c have the shown distances times c to this power

	moved  bool                             // products and norms are those of rows less their means
	pair   func(x, y []float32) float32     // computes a key; nil: a kernel does
	sets   func(x, y []byte) float32        // likewise of packed bits
	shares bool                             // of sets: the share of their union counts that one alone has
	floats func(k *simd.Kernel) simd.Floats // computes pair of float32 rows, where the kernel can; nil: none does
}

var table = [...]properties{
	Euclidean:   {name: "euclidean", aliases: []string{"l2"}, squares: true, root: true, differences: true, gathers: true, coded: true, degree: 1},
	SqEuclidean: {name: "sqeuclidean", squares: true, differences: true, gathers: true, coded: true, degree: 2},
	Cosine:      {name: "cosine", zeroIsBad: true, norms: true, gathers: true, coded: true},
	IP:          {name: "ip", coded: true, degree: 2},
	L1:          {name: "l1", aliases: []string{"manhattan", "cityblock"}, differences: true, gathers: true, degree: 1, pair: sumOfDifferences, floats: func(k *simd.Kernel) simd.Floats { return k.AbsoluteF32 }},
	Chebyshev:   {name: "chebyshev", aliases: []string{"linf"}, differences: true, gathers: true, degree: 1, pair: largestDifference, floats: func(k *simd.Kernel) simd.Floats { return k.LargestF32 }},
	Correlation: {name: "correlation", zeroIsBad: true, constantIsBad: true, norms: true, gathers: true, coded: true, moved: true},
	Hamming:     {name: "hamming", gathers: true, bits: true, sets: differingBits},
	Jaccard:     {name: "jaccard", gathers: true, bits: true, sets: jaccard, shares: true},
}

// All lists the metrics.
func All() []Metric {
	list := make([]Metric, 0, len(table))
	for m := Euclidean; m.Known(); m++ {
		list = append(list, m)
	}
	return list
}

// Names lists the names that ParseMetric accepts, with aliases in parentheses, for messages.
func Names() string {
	list := make([]string, 0, len(table))
	for _, m := range All() {
		name := m.String()
		if a := table[m].aliases; len(a) > 0 {
			name += " (" + strings.Join(a, ", ") + ")"
		}
		list = append(list, name)
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}

// Known reports whether m is one of the metrics.
func (m Metric) Known() bool { return m >= Euclidean && int(m) < len(table) }

// of returns the properties of a metric, none if it is unknown.
func (m Metric) of() *properties {
	if !m.Known() {
		return &table[0]
	}
	return &table[m]
}

// Alike returns the largest key of rows that differ by rounding only. Under cosine and correlation the
// multiples of a row have keys of some 1e-16, in an order without meaning. Under other metrics equal rows
// have key 0.
func (m Metric) Alike() float32 {
	if m.of().norms {
		return 1.0 / (1 << 48)
	}
	return 0
}

// String returns the name that ParseMetric accepts.
func (m Metric) String() string {
	if m.Known() {
		return table[m].name
	}
	return fmt.Sprintf("distance.Metric(%d)", uint8(m))
}

// ParseMetric reads a metric's name or an alias of it.
func ParseMetric(s string) (Metric, error) {
	for _, m := range All() {
		if p := m.of(); p.name == s || slices.Contains(p.aliases, s) {
			return m, nil
		}
	}
	return 0, fmt.Errorf("distance: unknown metric %q: want %s", s, Names())
}

// Shown turns a key into the distance that people see, which is 0 where it is -0.
func (m Metric) Shown(key float32) float32 {
	if m.of().root {
		return float32(math.Sqrt(float64(key))) + 0
	}
	return key + 0
}

// ShownOf is Shown for the rows as they were before they were multiplied by 2^exponent.
func (m Metric) ShownOf(key float32, exponent int) float32 {
	p := m.of()
	if exponent == 0 || p.degree == 0 {
		return m.Shown(key)
	}
	d := float64(key)
	if p.root {
		d = math.Sqrt(d)
	}
	return float32(math.Ldexp(d, -p.degree*exponent)) + 0
}
