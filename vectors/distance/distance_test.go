package distance

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/vectors"
)

var types = []vectors.Type{vectors.Uint8, vectors.Int8, vectors.Float16, vectors.Float32}
var metrics = []Metric{Euclidean, SqEuclidean, Cosine, IP}

// served reports whether a metric compares rows of a type.
func served(m Metric, t vectors.Type) bool { return !m.Bits() || t == vectors.Uint8 }

// literalKey follows the package comment word for word.
func literalKey(m Metric, t vectors.Type, x, y []byte, dim int) float32 {
	xs, ys := make([]float32, dim), make([]float32, dim)
	vectors.Decode(t, x, xs)
	vectors.Decode(t, y, ys)
	switch m {
	case L1, Chebyshev:
		return literalDifference(m, xs, ys)
	case Correlation:
		ratio := literalMoved(xs, ys) / float64(math.Sqrt(literalMoved(xs, xs))*math.Sqrt(literalMoved(ys, ys)))
		return float32(math.Min(math.Max(1-ratio, 0), 2))
	case Hamming, Jaccard:
		return literalSets(m, x[:dim], y[:dim])
	}
	if m == Cosine {
		norms := math.Sqrt(literalDot(xs, xs)) * math.Sqrt(literalDot(ys, ys))
		ratio := literalDot(xs, ys) / norms
		return float32(math.Min(math.Max(1-ratio, 0), 2))
	}
	if m == IP {
		dot := literalDot(xs, ys)
		if dot == 0 {
			return 0
		}
		return float32(-dot)
	}
	var lane [16]float64
	for i := range xs {
		d := xs[i] - ys[i]
		lane[i%16] += float64(d) * float64(d)
	}
	return float32(halves(lane))
}

func literalDifference(m Metric, x, y []float32) float32 {
	var lane [16]float64
	var largest float64
	for i := range x {
		d := math.Abs(float64(x[i] - y[i]))
		lane[i%16] += d
		largest = math.Max(largest, d)
	}
	if m == Chebyshev {
		return float32(largest)
	}
	return float32(halves(lane))
}

func literalMoved(x, y []float32) float64 {
	var sumX, sumY, lane [16]float64
	for i := range x {
		sumX[i%16] += float64(x[i])
		sumY[i%16] += float64(y[i])
	}
	n := float64(len(x))
	meanX, meanY := halves(sumX)/n, halves(sumY)/n
	for i := range x {
		lane[i%16] += float64((float64(x[i]) - meanX) * (float64(y[i]) - meanY))
	}
	return halves(lane)
}

// literalSets looks at one bit after the other.
func literalSets(m Metric, x, y []byte) float32 {
	var differ, both, either int
	for i := range 8 * len(x) {
		a, b := x[i/8]>>(7-i%8)&1, y[i/8]>>(7-i%8)&1
		differ += int(a ^ b)
		both += int(a & b)
		either += int(a | b)
	}
	switch {
	case m == Hamming:
		return float32(differ)
	case either == 0:
		return 0
	}
	return float32(float64(either-both) / float64(either))
}

func literalDot(x, y []float32) float64 {
	var lane [16]float64
	for i := range x {
		lane[i%16] += float64(x[i]) * float64(y[i])
	}
	return halves(lane)
}

func halves(lane [16]float64) float64 {
	for w := 8; w >= 1; w /= 2 {
		for j := 0; j < w; j++ {
			lane[j] += lane[j+w]
		}
	}
	return lane[0]
}

// randomRows makes rows of a type whose values are ordinary.
func randomRows(rng *rand.Rand, t vectors.Type, n, dim int) []byte {
	rows := make([]byte, 0, n*dim*t.Size())
	for range n * dim {
		switch t {
		case vectors.Float32:
			rows = binary.LittleEndian.AppendUint32(rows, math.Float32bits(value(rng)))
		case vectors.Float16:
			rows = binary.LittleEndian.AppendUint16(rows, vectors.Float32ToFloat16(value(rng)))
		default:
			rows = append(rows, byte(rng.Uint32()))
		}
	}
	return rows
}

// value is a float made without arithmetic that could differ between CPUs.
func value(rng *rand.Rand) float32 { return float32(int32(rng.Uint32())>>8) / (1 << 20) }

func norms(s *Space, rows []byte, n, stride int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = s.Norm(rows[i*stride:])
	}
	return list
}

func TestKeysFollowTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const n = 40
	for _, typ := range types {
		for _, m := range All() {
			if !served(m, typ) {
				continue
			}
			for _, dim := range []int{1, 2, 3, 15, 16, 17, 50, 128, 300, 784} {
				if m == Correlation && dim == 1 {
					continue // every row is constant
				}
				s, err := New(m, typ, dim)
				if err != nil {
					t.Fatal(err)
				}
				stride := dim * typ.Size()
				rows := randomRows(rng, typ, n, dim)
				norms := norms(s, rows, n, stride)
				ids := make([]uint32, n)
				for i := range ids {
					ids[i] = uint32(n - 1 - i)
				}
				out := make([]float32, n)
				x := rng.IntN(n)
				s.Keys(rows[x*stride:], norms[x], rows, stride, norms, ids, out)
				block := make([]float32, 3*n)
				s.Block(rows, stride, norms, []uint32{uint32(x), 0, 1}, ids, block)
				for j, id := range ids {
					y := rows[int(id)*stride:]
					want := literalKey(m, typ, rows[x*stride:], y, dim)
					if math.Float32bits(out[j]) != math.Float32bits(want) {
						t.Fatalf("%v %v dim %d: key %v, want %v", m, typ, dim, out[j], want)
					}
					same := func(key float32) bool { return key == want || key != key && want != want } // a row of zeros has no cosine
					if !same(block[j]) || !same(s.Key(y, rows[x*stride:], norms[id], norms[x])) {
						t.Fatalf("%v %v dim %d: Block or the other way round differ", m, typ, dim)
					}
				}
			}
		}
	}
}

func TestIdenticalRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for _, typ := range types {
		for _, m := range metrics[:3] {
			s, _ := New(m, typ, 100)
			x := randomRows(rng, typ, 1, 100)
			key := s.Key(x, x, s.Norm(x), s.Norm(x))
			if limit := float32(1e-7); key < 0 || key > limit || m != Cosine && key != 0 {
				t.Errorf("%v %v: a row is %v from itself", m, typ, key)
			}
		}
	}
}

func TestKeysAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, typ := range types {
		s, _ := New(Cosine, typ, 64)
		rows := randomRows(rng, typ, 4, 64)
		norms := norms(s, rows, 4, 64*typ.Size())
		ids, out := []uint32{0, 1, 2, 3}, make([]float32, 4)
		if a := testing.AllocsPerRun(50, func() {
			s.Keys(rows, norms[0], rows, 64*typ.Size(), norms, ids, out)
		}); a != 0 {
			t.Errorf("%v: %v allocations", typ, a)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, bad := range []struct {
		m   Metric
		t   vectors.Type
		dim int
	}{{0, vectors.Uint8, 4}, {Metric(len(table)), vectors.Uint8, 4}, {Hamming, vectors.Float32, 4}, {Jaccard, vectors.Int8, 4}, {IP, 0, 4}, {IP, vectors.Int8, 0}, {IP, vectors.Int8, vectors.MaxDim + 1}} {
		if _, err := New(bad.m, bad.t, bad.dim); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
	if m, err := ParseMetric("l2"); m != Euclidean || err != nil {
		t.Errorf("l2: %v %v", m, err)
	}
	for _, m := range All() {
		if got, err := ParseMetric(m.String()); got != m || err != nil {
			t.Errorf("%v: %v %v", m, got, err)
		}
	}
	if m, err := ParseMetric("manhattan"); m != L1 || err != nil {
		t.Errorf("manhattan: %v %v", m, err)
	}
	if _, err := ParseMetric("no metric"); err == nil {
		t.Error("ParseMetric knows \"no metric\"")
	}
}

// goldenKeys is a checksum over keys of every type and metric: the same on
// every architecture, compiler setting and kernel.
const goldenKeys = 0x53c994cbbfe9aef4

func TestGoldenKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	sum := uint64(14695981039346656037)
	for _, typ := range types {
		for _, m := range metrics {
			const n, dim = 50, 77
			s, _ := New(m, typ, dim)
			stride := dim * typ.Size()
			rows := randomRows(rng, typ, n, dim)
			norms := norms(s, rows, n, stride)
			for x := range n {
				for y := range n {
					key := s.Key(rows[x*stride:], rows[y*stride:], norms[x], norms[y])
					sum = (sum ^ uint64(math.Float32bits(key))) * 1099511628211
				}
			}
		}
	}
	if sum != goldenKeys {
		t.Fatalf("keys hash to %#x, want %#x", sum, uint64(goldenKeys))
	}
}

// TestShownZero: no metric shows -0, also where a product or a power of two is too small for float32.
func TestShownZero(t *testing.T) {
	minus := float32(math.Copysign(0, -1))
	for _, m := range All() {
		shown := []float32{m.Shown(minus), m.ShownOf(minus, 100)}
		if m == IP {
			shown = append(shown, m.ShownOf(-1e-40, 100))
		}
		for i, d := range shown {
			if d != 0 || math.Signbit(float64(d)) {
				t.Errorf("%s, %d: %g is shown", m, i, d)
			}
		}
	}
}
