package axes_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/axes"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
	"github.com/knng/knng/vectors/distance"
)

// flat is codes of n rows that vary along some directions, each a little less than the one
// before, and by noise.
func flat(t testing.TB, rng *rand.Rand, n, dim, directions, noise int) *codes.Matrix {
	t.Helper()
	mix := make([]float64, directions*dim)
	for i := range mix {
		mix[i] = rng.NormFloat64()
	}
	data := make([]byte, n*dim)
	row := make([]float64, dim)
	for i := range n {
		clear(row)
		for j := range directions {
			along := 6 * rng.NormFloat64() * float64(2*directions-j) / float64(2*directions)
			for c := range row {
				row[c] += along * mix[j*dim+c]
			}
		}
		for c, x := range row {
			data[i*dim+c] = byte(max(0, min(255, 128+x+float64(noise)*(rng.Float64()-0.5))))
		}
	}
	return codesOf(t, data, n, dim)
}

// codesOf is rows that are codes.
func codesOf(t testing.TB, data []byte, n, dim int) *codes.Matrix {
	t.Helper()
	rows, err := vectors.RowsOf(data, n, dim, dim, vectors.Uint8)
	if err != nil {
		t.Fatal(err)
	}
	space, err := distance.New(distance.SqEuclidean, vectors.Uint8, dim)
	if err != nil {
		t.Fatal(err)
	}
	m, err := codes.Of(rows, space, codes.Rounding{}, 2)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// near is the oracle: the nearest k others of each row, by code distances, one by one.
func near(m *codes.Matrix, rows []uint32, k int) ([][]uint32, error) {
	lists := make([][]uint32, len(rows))
	for i, x := range rows {
		others := make([]uint64, 0, m.Len())
		for y := range uint32(m.Len()) {
			if y != x {
				others = append(others, uint64(m.Distance(x, y))<<32|uint64(y))
			}
		}
		slices.Sort(others)
		for _, e := range others[:min(k, len(others))] {
			lists[i] = append(lists[i], uint32(e))
		}
	}
	return lists, nil
}

// missing is the share of the neighbors of some rows that are not among the candidates
// that codes along axes leave.
func missing(m, reduced *codes.Matrix, k, candidates int) float64 {
	var rows []uint32
	for x := 0; x < m.Len(); x += 1 + m.Len()/200 {
		rows = append(rows, uint32(x))
	}
	exact, _ := near(m, rows, k)
	found, _ := near(reduced, rows, candidates)
	missing := 0
	for i := range rows {
		for _, x := range exact[i] {
			if !slices.Contains(found[i], x) {
				missing++
			}
		}
	}
	return float64(missing) / float64(k*len(rows))
}

// TestChoose: axes are about as many as rows vary along directions, and lose what they may.
func TestChoose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		n, dim, directions, noise int
		least, most               int
	}{
		{2000, 256, 20, 4, 32, 64},
		{2000, 320, 100, 10, 64, 192},
		{3000, 1024, 300, 4, 224, 384}, // by a second basis
		{2000, 256, 256, 200, 0, 0},
		{300, 256, 10, 2, 32, 64},
		{30, 256, 5, 2, 32, 32},
	} {
		m := flat(t, rng, c.n, c.dim, c.directions, c.noise)
		choice := axes.Choice{K: 10, Candidates: 18, Loss: 0.01, Threads: 2, Near: near}
		chosen, err := choice.Choose(m)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		if chosen != nil {
			count = chosen.Axes.Count
		}
		t.Logf("%+v: %d axes", c, count)
		if count < c.least || count > c.most {
			t.Errorf("%+v: %d axes", c, count)
		}
		if chosen == nil {
			continue
		}
		reduced, err := chosen.Codes.First(count)
		if err != nil {
			t.Fatal(err)
		}
		if lost := missing(m, reduced, 10, 18); lost > 0.02 {
			t.Errorf("%+v: %d axes lose %v", c, count, lost)
		}
	}
}

// TestTruthHasTheLastWord: axes that lose too much of it are not taken, whatever the
// sample says.
func TestTruthHasTheLastWord(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	m := flat(t, rng, 2000, 256, 20, 4)
	lie := axes.Lists{Rows: []uint32{1, 500, 900, 1999}}
	for i := range uint32(4) { // rows that are anywhere
		lie.Neighbors = append(lie.Neighbors, []uint32{700 + i, 1300 + i})
	}
	choice := axes.Choice{K: 2, Candidates: 10, Loss: 0.01, Truth: lie, Threads: 2, Near: near}
	if chosen, err := choice.Choose(m); chosen != nil || err != nil {
		t.Fatalf("%v, %v", chosen, err)
	}
}

func TestNothingMayBeLost(t *testing.T) {
	m := flat(t, rand.New(rand.NewPCG(1, 4)), 500, 256, 10, 2)
	choice := axes.Choice{K: 5, Candidates: 9, Near: near}
	if chosen, err := choice.Choose(m); chosen != nil || err != nil {
		t.Fatalf("%v, %v", chosen, err)
	}
}

func TestErrorsOfNear(t *testing.T) {
	m := flat(t, rand.New(rand.NewPCG(1, 3)), 500, 256, 10, 2)
	failed := errors.New("stopped")
	for calls := range 3 {
		choice := axes.Choice{K: 5, Candidates: 9, Loss: 0.01, Near: func(m *codes.Matrix, rows []uint32, k int) ([][]uint32, error) {
			if calls--; calls < 0 {
				return nil, failed
			}
			return near(m, rows, k)
		}}
		if _, err := choice.Choose(m); !errors.Is(err, failed) {
			t.Fatalf("%v, want %v", err, failed)
		}
	}
}
