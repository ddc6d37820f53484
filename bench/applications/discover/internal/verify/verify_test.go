package verify

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"
	"time"
)

func random(rng *rand.Rand) Place {
	return Place{complex(320*rng.Float64(), 240*rng.Float64()), cmplx.Rect(1+5*rng.Float64(), 2*math.Pi*rng.Float64())}
}

// TestBest: a known similarity is found among matches at random, with nearly all of
// the matches that it made. Frames are off by as much as those of keypoints are, so
// that a hypothesis may be too far off to be mended: rarely.
func TestBest(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	var f Finder
	const trials, center = 200, 160 + 120i
	good := 0
	for range trials {
		want := Similarity{cmplx.Rect(0.5+rng.Float64(), 2*math.Pi*rng.Float64()), complex(100*rng.NormFloat64(), 100*rng.NormFloat64())}
		matches, made := scene(rng, want)
		s, inliers := f.Best(matches)
		hits := 0
		for _, i := range inliers {
			if i < made {
				hits++
			}
		}
		off := cmplx.Abs((s.Turn-want.Turn)*center + s.Shift - want.Shift)
		if hits*10 >= made*8 && len(inliers) <= hits+3 && off < near {
			good++
		}
	}
	if good*100 < trials*95 {
		t.Errorf("found in %d of %d trials", good, trials)
	}
}

// scene is 60 matches, of which a similarity made the first.
func scene(rng *rand.Rand, s Similarity) (matches []Match, made int) {
	made = 10 + rng.IntN(20)
	for i := range 60 {
		m := Match{From: random(rng), To: random(rng), A: uint32(i), B: uint32(i)}
		if i < made {
			m.To.At = s.Turn*m.From.At + s.Shift + complex(rng.NormFloat64(), rng.NormFloat64())/2
			m.To.Frame = s.Turn * m.From.Frame * cmplx.Rect(0.9+0.2*rng.Float64(), 0.2*rng.Float64()-0.1)
		}
		matches = append(matches, m)
	}
	return matches, made
}

// TestOnce: a keypoint that matches many others the same way counts once.
func TestOnce(t *testing.T) {
	p := Place{1, 1}
	var f Finder
	matches := []Match{{p, p, 0, 0}, {p, p, 0, 1}, {p, p, 1, 0}, {p, p, 2, 2}}
	if _, inliers := f.Best(matches); len(inliers) != 2 {
		t.Errorf("inliers %v, want 2", inliers)
	}
	if _, inliers := f.Best(nil); len(inliers) != 0 {
		t.Errorf("of nothing: %v", inliers)
	}
}

// TestFit: least squares leave no similarity near that fits better.
func TestFit(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	var matches []Match
	var all []int
	for i := range 20 {
		matches = append(matches, Match{From: random(rng), To: random(rng)})
		all = append(all, i)
	}
	residual := func(s Similarity) (sum float64) {
		for _, m := range matches {
			d := cmplx.Abs(s.Turn*m.From.At + s.Shift - m.To.At)
			sum += d * d
		}
		return sum
	}
	best := fit(matches, all)
	for range 200 {
		other := best
		other.Turn += complex(rng.NormFloat64(), rng.NormFloat64()) / 100
		other.Shift += complex(rng.NormFloat64(), rng.NormFloat64())
		if residual(other) < residual(best) {
			t.Fatalf("%v fits better than %v", other, best)
		}
	}
}
