package calibrate

import (
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/leaves"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/builder/screen"
	"github.com/knng/knng/vectors/codes"
)

// trialLeaf is the number of rows of a leaf, the mean of balls.
const trialLeaf = 400

// leafTrial solves leaves of rows drawn at random, as the method does. Lists begin empty and fill, as in a
// build. The call that is not timed does the first pass, which fills them: that is an eighth of a build's
// leaves, but would be all of a short trial (GIST: 0.6 hundred million pairs a second instead of 1.0).
func (ps *sample) leafTrial(slack int) (work timed, free func()) {
	rng := rand.New(rand.NewPCG(1, 1))
	own := ps.trial()
	n := ps.Rows.Len()
	places := slices.Clone(ps.Numbers(n))
	size := min(trialLeaf, n)
	var solve func(leaf []uint32)
	reset := func() {}
	if ps.Codes != nil {
		found := candidates.New(n, min(own.K+slack, n-1), 1)
		reset, free = func() { found.Clear(1) }, found.Free
		solve = leaves.NewTile(own.Codes, found).Solve
	} else {
		lists := knn.New(n, own.K, nil)
		free = lists.Free
		solver := own.Solver()
		solve = func(leaf []uint32) {
			solver.Solve(leaf, nil, 0, func(i int, js []uint32, keys []float32) { lists.OfferBoth(leaf, i, js, keys) })
		}
	}
	at, passes := n, 0
	next := func() float64 {
		if at+size > n {
			if passes++; passes%8 == 0 {
				reset()
			}
			rng.Shuffle(n, func(i, j int) { places[i], places[j] = places[j], places[i] })
			at = 0
		}
		leaf := slices.Clone(places[at : at+size])
		slices.Sort(leaf)
		at += size
		solve(leaf)
		return float64(size) * float64(size-1) / 2
	}
	return func() (pairs float64) {
		for pairs = next(); passes == 1 && at+size <= n; {
			pairs += next()
		}
		return pairs
	}, free
}

// tileTrial compares rows with a hundred others, as with leaders.
func (ps *sample) tileTrial() timed {
	tile := ps.Codes.NewTile()
	n := ps.Rows.Len()
	columns := ps.Numbers(n)[:min(96, n)]
	tile.Columns(columns, nil)
	at := 0
	return func() float64 {
		for range 16 {
			if at+codes.BandRows > n {
				at = 0
			}
			band := ps.Ascending[at:min(at+codes.BandRows, n)]
			tile.Rows(band, len(columns))
			for i := range band {
				tile.Within(i, tile.Bound(i, 4))
			}
			at += codes.BandRows
		}
		return 16 * float64(codes.BandRows*len(columns))
	}
}

// screenTrial compares rows with others as exact lists do.
func (ps *sample) screenTrial() timed {
	own := ps.trial()
	newScreen, err := own.Screens()
	n := ps.Rows.Len()
	if err != nil || newScreen == nil || n < 2 {
		return func() float64 { time.Sleep(time.Millisecond); return 1 }
	}
	s := newScreen()
	columns := ps.Ascending[:min(own.ScreenColumns(), n)]
	s.Columns(columns, nil, columns)
	at := 0
	return func() float64 {
		if at+screen.BandRows > n {
			at = 0
		}
		band := ps.Ascending[at:min(at+screen.BandRows, n)]
		s.Rows(band)
		for i := range band {
			s.Near(i, float32(math.Inf(-1)))
		}
		at += screen.BandRows
		return float64(len(band) * len(columns))
	}
}

// touchTrial reads and writes words that are far apart: five touches as plans count them.
func touchTrial() timed {
	words := make([]uint32, 1<<20)
	at, sum := uint32(1), uint32(0)
	return func() float64 {
		for range 4096 {
			at = at*1664525 + 1013904223
			sum += words[at>>12]
			words[at>>12] = sum
		}
		return 5 * 4096
	}
}

// keyTrial computes keys of rows that are far apart.
func (ps *sample) keyTrial() timed {
	if ps.Own != nil {
		return func() float64 { return 1 }
	}
	evaluate, n := ps.KernelKeys(), ps.Rows.Len()
	rng := rand.New(rand.NewPCG(2, 2))
	ids, out := make([]uint32, 32), make([]float32, 32)
	return func() float64 {
		for i := range ids {
			ids[i] = uint32(rng.IntN(n))
		}
		evaluate(ids[0], ids, out)
		return float64(len(ids))
	}
}

func hashTrial() timed {
	data := make([]byte, 1<<20)
	return func() float64 {
		sha256.Sum256(data)
		return float64(len(data))
	}
}
