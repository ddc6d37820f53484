package codes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/knng/knng/vectors/internal/simd"
)

// TestMixing: the directions are orthogonal, each of AxesStep axes, of every block of axes alike.
func TestMixing(t *testing.T) {
	kernel, err := simd.Choose()
	if err != nil {
		t.Fatal(err)
	}
	for _, count := range []int{32, 64, 96, 160} {
		m := mixing(kernel, count)
		for a := range count {
			for b := range count {
				dot, want := 0, 0
				for i, x := range m.row(a) {
					dot += (int(x) - 128) * (int(m.row(b)[i]) - 128)
				}
				if a == b {
					want = AxesStep
				}
				if dot != want {
					t.Fatalf("directions %d and %d of %d: product %d, want %d", a, b, count, dot, want)
				}
			}
			for first := 0; first < count; first += count / AxesStep {
				used := 0
				for _, x := range m.row(a)[first : first+count/AxesStep] {
					if x != 128 {
						used++
					}
				}
				if used != 1 {
					t.Fatalf("direction %d of %d has %d of the axes from %d on, want 1", a, count, used, first)
				}
			}
		}
	}
}

// TestShortAlong: short codes along axes are below 64, their distances are those of bytes by a scale,
// but for rounding, and tiles give them, with the share of residuals.
func TestShortAlong(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 41))
	for _, directions := range []int{10, 70} {
		m := flatMatrix(t, rng, 200+rng.IntN(100), 130, directions, 20)
		b, err := m.Basis(96, 2)
		if err != nil {
			t.Fatal(err)
		}
		a, err := b.Axes(96, 2)
		if err != nil {
			t.Fatal(err)
		}
		n, err := m.Nested(a, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, count := range []int{32, 64, 96} {
			n.Shorten(false)
			bytes, err := n.First(count)
			if err != nil {
				t.Fatal(err)
			}
			n.Shorten(true)
			short, err := n.First(count)
			if err != nil {
				t.Fatal(err)
			}
			view := *bytes
			e, err := newEvener(n.kernel, &view, 1)
			if err != nil {
				t.Fatal(err)
			}
			checkShortAlong(t, rng, bytes, short, e)
		}
		if taken := n.Take(64); !taken.Short || taken.Count != 64 {
			t.Errorf("taken are %d axes, short %v", taken.Count, taken.Short)
		}
	}
}

func checkShortAlong(t *testing.T, rng *rand.Rand, bytes, short *Matrix, e *evener) {
	t.Helper()
	if !short.Reduced() || short.Exact() || short.Len() != bytes.Len() || short.Dim() != bytes.Dim() {
		t.Fatalf("%d rows of %d codes, reduced %v, exact %v", short.Len(), short.Dim(), short.Reduced(), short.Exact())
	}
	clipped := make([]bool, short.Len())
	for i := range short.Len() {
		for j, x := range short.row(i) {
			sum := 0.0
			for c, y := range e.mixing.row(j) {
				sum += (float64(y) - 128) * (float64(bytes.row(i)[c]) - 128)
			}
			want := math.Floor(sum*float64(e.factor)/(4<<simd.StepsShift)+0.5) + shortMiddle
			if clipped[i] = clipped[i] || want < 0 || want > 63; math.Abs(float64(x)-max(0, min(63, want))) > 1 {
				t.Fatalf("row %d, direction %d of %d: code %d, want %v", i, j, short.Dim(), x, want)
			}
		}
	}
	slack := math.Sqrt(float64(short.Dim())) // half a step each, of both rows
	tile, off := short.NewTile(), uint32(rng.IntN(short.Len()))
	tile.Columns(numbers(short.Len()), nil)
	tile.Rows([]uint32{off}, short.Len())
	distances, _ := tile.Within(0, math.MaxUint32)
	for i, d := range distances {
		plain := short.Distance(off, uint32(i))
		if want := plain + short.rest[off]/2 + short.rest[i]/2; d != want {
			t.Fatalf("row %d is %d from row %d, want %d", i, d, off, want)
		}
		want := math.Sqrt(float64(bytes.Distance(off, uint32(i))) * e.scale())
		if !clipped[i] && !clipped[off] && math.Abs(math.Sqrt(float64(plain))-want) > slack*1.1 {
			t.Fatalf("row %d is %v from row %d, want %v, to within %v", i, math.Sqrt(float64(plain)), off, want, slack)
		}
	}
}
