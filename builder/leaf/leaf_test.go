package leaf

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// key is a symmetric function that tells pairs apart.
func key(a, b uint32) float32 { return float32(min(a, b))*1000 + float32(max(a, b)) }

func keys(x uint32, ids []uint32, out []float32) (int, error) {
	for i, id := range ids {
		out[i] = key(x, id)
	}
	return len(ids), nil
}

func block(xs, ys []uint32, out []float32) {
	for i, x := range xs {
		for j, y := range ys {
			out[i*len(ys)+j] = key(x, y)
		}
	}
}

// collect counts how often each ordered pair of positions is emitted and checks
// every key.
func collect(t *testing.T, places []uint32) (Emit, map[[2]int]int) {
	got := map[[2]int]int{}
	return func(i int, js []uint32, keys []float32) {
		for n, j := range js {
			got[[2]int{i, int(j)}]++
			if want := key(places[i], places[j]); keys[n] != want {
				t.Fatalf("positions %d, %d: key %v, want %v", i, j, keys[n], want)
			}
		}
	}, got
}

func TestEveryPairOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := range 70 {
		places := make([]uint32, n)
		for i, p := range rng.Perm(200)[:n] {
			places[i] = uint32(p)
		}
		slices.Sort(places)
		words := (n + 63) / 64
		seen := make([]uint64, n*words)
		for i := range n {
			for j := range n {
				if (i*j+i+j)%3 == 0 {
					seen[i*words+j/64] |= 1 << (j % 64)
				}
			}
		}
		for _, b := range []Block{nil, block} {
			for _, marks := range [][]uint64{nil, seen} {
				s := &Solver{Keys: keys, Block: b}
				emit, got := collect(t, places)
				c, err := s.Solve(places, marks, words, emit)
				want := 0
				for i := range n {
					for j := i + 1; j < n; j++ {
						expect := 1
						if marks != nil && (i*j+i+j)%3 == 0 {
							expect = 0
						}
						if got[[2]int{i, j}] != expect {
							t.Fatalf("n=%d: pair %d, %d emitted %d times, want %d", n, i, j, got[[2]int{i, j}], expect)
						}
						want += expect
					}
				}
				if err != nil || len(got) != want || c.Evaluated != int64(want) || c.Requested != int64(n*(n-1)/2) {
					t.Fatalf("n=%d: %d pairs, count %+v, err %v, want %d", n, len(got), c, err, want)
				}
			}
		}
	}
}

func TestBothWaysAndCross(t *testing.T) {
	places := []uint32{3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377}
	s := &Solver{Keys: keys, Block: block}
	emit, got := collect(t, places)
	if c, _ := s.SolveBothWays(places, emit); len(got) != 110 || c.Requested != 110 {
		t.Fatalf("%d ordered pairs, want 110", len(got))
	}
	for split := 1; split < len(places); split++ {
		for _, b := range []Block{nil, block} {
			s := &Solver{Keys: keys, Block: b}
			emit, got := collect(t, places)
			c, err := s.Cross(places, split, emit)
			if want := split * (len(places) - split); err != nil || len(got) != want || c.Evaluated != int64(want) {
				t.Fatalf("split %d: %d pairs, want %d", split, len(got), want)
			}
			for p := range got {
				if p[0] >= split || p[1] < split {
					t.Fatalf("split %d: pair %v on one side", split, p)
				}
			}
		}
	}
}
