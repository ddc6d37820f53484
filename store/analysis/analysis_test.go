package analysis_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sort"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/analysis"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// drawn is a graph of random lists: neighbors[row] and keys[row].
type drawn struct {
	k         int
	neighbors [][]uint32
	keys      [][]float32
}

func (g *drawn) Len() int                  { return len(g.neighbors) }
func (g *drawn) K() int                    { return g.k }
func (g *drawn) Shown(key float32) float32 { return 10 * key }

func (g *drawn) EachKeyed(fn func(store.Row, []uint32, []float32) error) error {
	for row := range g.neighbors {
		if err := fn(store.Row(row), g.neighbors[row], g.keys[row]); err != nil {
			return err
		}
	}
	return nil
}

// draw makes lists of k rows, some listed more often than others, and isolates
// some rows. Two rows have one key, whoever lists whom.
func draw(rng *rand.Rand) *drawn {
	n := 2 + rng.IntN(60)
	g := &drawn{k: 1 + rng.IntN(min(n-1, 6)), neighbors: make([][]uint32, n), keys: make([][]float32, n)}
	listed := rng.Perm(n)
	listed = listed[:max(g.k+1, n-rng.IntN(5))]
	salt := rng.Uint32()
	for _, row := range listed {
		for len(g.neighbors[row]) < g.k {
			near := uint32(listed[rng.IntN(1+rng.IntN(len(listed)))])
			if int(near) != row && !slices.Contains(g.neighbors[row], near) {
				g.neighbors[row] = append(g.neighbors[row], near)
			}
		}
		key := func(near uint32) float32 { return float32((uint32(row)*near + uint32(row) + near + salt) % 4) }
		sort.Slice(g.neighbors[row], func(i, j int) bool {
			a, b := g.neighbors[row][i], g.neighbors[row][j]
			return key(a) < key(b) || key(a) == key(b) && a < b
		})
		for _, near := range g.neighbors[row] {
			g.keys[row] = append(g.keys[row], key(near))
		}
	}
	return g
}

// each runs a test on many drawn graphs.
func each(t *testing.T, test func(g *drawn) error) {
	t.Helper()
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range 300 {
		if err := test(draw(rng)); err != nil {
			t.Fatalf("seed %d, graph %d: %v", seed, i, err)
		}
	}
}

// matrix is the slow form of a graph: who lists whom, with keys.
func (g *drawn) matrix() map[[2]uint32]float32 {
	m := map[[2]uint32]float32{}
	for row := range g.neighbors {
		for i, n := range g.neighbors[row] {
			m[[2]uint32{uint32(row), n}] = g.keys[row][i]
		}
	}
	return m
}

func TestPairsAgainstMatrix(t *testing.T) {
	each(t, func(g *drawn) error {
		m := g.matrix()
		want := map[analysis.Pair]bool{}
		for e, key := range m {
			_, mutual := m[[2]uint32{e[1], e[0]}]
			want[analysis.Pair{A: min(e[0], e[1]), B: max(e[0], e[1]), Key: key, Mutual: mutual}] = true
		}
		for _, memory := range []int64{0, 1, 200} { // all rows at a time, one, some
			got := map[analysis.Pair]bool{}
			for p, err := range analysis.Pairs(g, memory) {
				if err != nil || got[p] || !want[p] {
					return fmt.Errorf("memory %d: %v, seen %v, want %v, %v", memory, p, got[p], want[p], err)
				}
				got[p] = true
			}
			if len(got) != len(want) {
				return fmt.Errorf("memory %d: %d pairs, want %d", memory, len(got), len(want))
			}
		}
		for range analysis.Pairs(g, 1) {
			break // must not go on
		}
		return nil
	})
}

func TestReciprocityAgainstMatrix(t *testing.T) {
	each(t, func(g *drawn) error {
		m := g.matrix()
		var mutual [][2]uint32
		alone := map[uint32]bool{}
		for e := range m {
			alone[e[0]] = true
		}
		for e := range m {
			if _, back := m[[2]uint32{e[1], e[0]}]; back && e[0] < e[1] {
				mutual = append(mutual, e)
				delete(alone, e[0])
				delete(alone, e[1])
			}
		}
		want := analysis.Reciprocity{
			Entries: int64(len(m)), Pairs: int64(len(m) - len(mutual)), Mutual: int64(len(mutual)),
			Share: 2 * float64(len(mutual)) / float64(len(m)), Alone: len(alone), Islands: flooded(g.Len(), mutual),
		}
		got, err := analysis.MeasureReciprocity(g, 100)
		if err != nil || *got != want {
			return fmt.Errorf("%+v %v, want %+v", got, err, want)
		}
		return nil
	})
}

func TestIslandsAndDuplicatesAgainstWalking(t *testing.T) {
	each(t, func(g *drawn) error {
		for _, within := range []float32{-1, 0, 10, 30} {
			var edges [][2]uint32
			for e, key := range g.matrix() {
				if g.Shown(key) <= within {
					edges = append(edges, e)
				}
			}
			p, err := analysis.Duplicates(g, within)
			if err != nil || p.Len() != flooded(g.Len(), edges) {
				return fmt.Errorf("within %v: %d groups, %v, want %d", within, p.Len(), err, flooded(g.Len(), edges))
			}
			if err := checkGroups(p, g.Len()); err != nil {
				return err
			}
			islands, err := analysis.Islands(g)
			if within == 30 && (err != nil || islands.Len() != p.Len()) { // no key is larger
				return fmt.Errorf("%d islands, %v, want %d", islands.Len(), err, p.Len())
			}
		}
		return nil
	})
}

// checkGroups holds Groups and Of against each other.
func checkGroups(p *analysis.Partition, n int) error {
	members := map[uint32]int{}
	for row := range uint32(n) {
		if p.Of(row) > row {
			return fmt.Errorf("row %d is in the group of %d", row, p.Of(row))
		}
		members[p.Of(row)]++
	}
	groups := p.Groups(1)
	if len(groups) != p.Len() || len(groups) != len(members) {
		return fmt.Errorf("%d groups listed, %d counted, %d found", len(groups), p.Len(), len(members))
	}
	large := 0
	for i, g := range groups {
		if members[g.First] != g.Size {
			return fmt.Errorf("group %+v, want %d", g, members[g.First])
		}
		if i > 0 && (g.Size > groups[i-1].Size || g.Size == groups[i-1].Size && g.First < groups[i-1].First) {
			return fmt.Errorf("group %+v after %+v", g, groups[i-1])
		}
		if g.Size >= 3 {
			large++
		}
	}
	if got := len(p.Groups(3)); got != large {
		return fmt.Errorf("%d groups of 3 or more, want %d", got, large)
	}
	return nil
}

func TestHubnessAgainstCounting(t *testing.T) {
	shares := []float64{0, 0.3, 0.5, 1}
	each(t, func(g *drawn) error {
		in := make([]uint32, g.Len())
		for e := range g.matrix() {
			in[e[1]]++
		}
		if got, err := analysis.InDegrees(g); err != nil || !slices.Equal(got, in) {
			return fmt.Errorf("in-degrees %v %v, want %v", got, err, in)
		}
		const top = 5
		h, err := analysis.MeasureHubness(g, shares, top)
		if err != nil {
			return err
		}
		var own []uint32 // in-degrees of rows with a list
		var hubs []analysis.Hub
		for row, d := range in {
			if len(g.neighbors[row]) > 0 {
				own = append(own, d)
			}
			if d > 0 {
				hubs = append(hubs, analysis.Hub{Row: uint32(row), InDegree: d})
			}
		}
		sort.SliceStable(hubs, func(i, j int) bool { return hubs[i].InDegree > hubs[j].InDegree })
		if hubs = hubs[:min(top, len(hubs))]; !slices.Equal(h.Hubs, hubs) {
			return fmt.Errorf("hubs %v, want %v", h.Hubs, hubs)
		}
		if h.Rows != len(own) || math.Abs(h.Mean-float64(g.k)) > 1e-9 {
			return fmt.Errorf("%d rows, mean %v, want %d, %d", h.Rows, h.Mean, len(own), g.k)
		}
		for i, s := range shares {
			if want := slowQuantile(own, s); h.Quantiles[i] != want {
				return fmt.Errorf("quantile %v is %d, want %d of %v", s, h.Quantiles[i], want, own)
			}
		}
		if want := slowSkewness(own); math.Abs(h.Skewness-want) > 1e-9 {
			return fmt.Errorf("skewness %v, want %v", h.Skewness, want)
		}
		antihubs := 0
		for _, bin := range h.Histogram {
			rows := 0
			for _, d := range own {
				if d >= bin.From && d <= bin.To {
					rows++
				}
			}
			if rows != bin.Rows {
				return fmt.Errorf("bin %+v, want %d rows", bin, rows)
			}
			antihubs += rows
		}
		if antihubs != len(own) || h.Antihubs != h.Histogram[0].Rows {
			return fmt.Errorf("bins %+v hold %d rows of %d", h.Histogram, antihubs, len(own))
		}
		return nil
	})
}

// slowQuantile tries every value.
func slowQuantile[V uint32 | float32](values []V, share float64) V {
	best, found := V(0), false
	for _, v := range values {
		upTo := 0
		for _, other := range values {
			if other <= v {
				upTo++
			}
		}
		if float64(upTo) >= share*float64(len(values)) && (!found || v < best) {
			best, found = v, true
		}
	}
	return best
}

// slowSkewness is (E d^3 - 3 m E d^2 + 2 m^3) / s^3, from raw moments.
func slowSkewness(degrees []uint32) float64 {
	var m1, m2, m3 float64
	for _, d := range degrees {
		x, n := float64(d), float64(len(degrees))
		m1, m2, m3 = m1+x/n, m2+x*x/n, m3+x*x*x/n
	}
	variance := m2 - m1*m1
	if variance < 1e-12 {
		return 0
	}
	return (m3 - 3*m1*m2 + 2*m1*m1*m1) / math.Pow(variance, 1.5)
}

func TestDistancesAgainstSorting(t *testing.T) {
	shares := []float64{0, 0.25, 0.5, 0.9, 1}
	each(t, func(g *drawn) error {
		ranks := []int{1, g.k, (g.k + 1) / 2}
		got, err := analysis.MeasureDistances(g, ranks, shares)
		if err != nil {
			return err
		}
		for i, rank := range ranks {
			var values []float32
			sum := 0.0
			for _, keys := range g.keys {
				if len(keys) > 0 {
					values = append(values, g.Shown(keys[rank-1]))
					sum += float64(g.Shown(keys[rank-1]))
				}
			}
			if got[i].Rank != rank || got[i].Rows != len(values) || math.Abs(got[i].Mean-sum/float64(len(values))) > 1e-9 {
				return fmt.Errorf("%+v, want rank %d, %d rows, mean %v", got[i], rank, len(values), sum/float64(len(values)))
			}
			for j, s := range shares {
				if want := slowQuantile(values, s); got[i].Quantiles[j] != want {
					return fmt.Errorf("rank %d, quantile %v is %v, want %v", rank, s, got[i].Quantiles[j], want)
				}
			}
		}
		return nil
	})
}

func TestBadArguments(t *testing.T) {
	g := draw(rand.New(rand.NewPCG(1, 0)))
	if _, err := analysis.MeasureDistances(g, []int{0}, nil); err == nil {
		t.Error("rank 0 was taken")
	}
	if _, err := analysis.MeasureDistances(g, []int{g.k + 1}, nil); err == nil {
		t.Error("rank k+1 was taken")
	}
	if _, err := analysis.MeasureDistances(g, []int{1}, []float64{math.NaN()}); err == nil {
		t.Error("quantile NaN was taken")
	}
	if _, err := analysis.MeasureHubness(g, []float64{1.5}, 3); err == nil {
		t.Error("quantile 1.5 was taken")
	}
}

// broken ends with an error after some rows.
type broken struct{ *drawn }

var errBroken = errors.New("broken")

func (g broken) EachKeyed(fn func(store.Row, []uint32, []float32) error) error {
	if err := fn(0, g.neighbors[0], g.keys[0]); err != nil {
		return err
	}
	return errBroken
}

func TestErrorsAreReturned(t *testing.T) {
	g := broken{draw(rand.New(rand.NewPCG(1, 0)))}
	_, first := analysis.Islands(g)
	_, second := analysis.MeasureHubness(g, nil, 1)
	_, third := analysis.MeasureReciprocity(g, 0)
	_, fourth := analysis.MeasureDistances(g, []int{1}, nil)
	for i, err := range []error{first, second, third, fourth} {
		if !errors.Is(err, errBroken) {
			t.Errorf("function %d: %v", i, err)
		}
	}
	last := error(nil)
	for _, err := range analysis.Pairs(g, 0) {
		last = err
	}
	if !errors.Is(last, errBroken) {
		t.Errorf("Pairs: %v", last)
	}
}

// A graph without rows, and one of isolated rows, have an answer to everything.
func TestNothingToSee(t *testing.T) {
	for _, n := range []int{0, 3} {
		g := &drawn{neighbors: make([][]uint32, n), keys: make([][]float32, n)}
		h, err := analysis.MeasureHubness(g, []float64{0.5}, 3)
		if err != nil || h.Rows != 0 || h.Skewness != 0 || len(h.Hubs) != 0 {
			t.Errorf("%d rows: %+v %v", n, h, err)
		}
		r, err := analysis.MeasureReciprocity(g, 0)
		if err != nil || r.Entries != 0 || r.Share != 0 || r.Islands != n {
			t.Errorf("%d rows: %+v %v", n, r, err)
		}
		if p, err := analysis.Duplicates(g, 0); err != nil || p.Len() != n || len(p.Groups(2)) != 0 {
			t.Errorf("%d rows: %d groups, %v", n, p.Len(), err)
		}
	}
}

// TestDuplicatesUnderCosine: a row repeats, though rounding puts it some 1e-16 apart
// from itself; one beside it does not.
func TestDuplicatesUnderCosine(t *testing.T) {
	rows, err := vectors.FromFloat32([]float32{1, 1, 1, 1, 1, 1.001, -1, 3}, 2)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "g")
	if _, err := builder.Build(context.Background(), dir, vectors.NewInput(rows), builder.Options{K: 2, Metric: distance.Cosine}); err != nil {
		t.Fatal(err)
	}
	g, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	p, err := analysis.Duplicates(g, 0)
	if err != nil {
		t.Fatal(err)
	}
	if groups := p.Groups(2); len(groups) != 1 || groups[0].First != 0 || groups[0].Size != 2 {
		t.Errorf("groups %v, want the first two rows", groups)
	}
}

// TestUniteAll makes the groups that Unite makes, edge by edge.
func TestUniteAll(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		n := 1 + rng.IntN(60)
		all, single := analysis.NewPartition(n), analysis.NewPartition(n)
		for range rng.IntN(40) {
			a := uint32(rng.IntN(n))
			others := make([]uint32, rng.IntN(4))
			for i := range others {
				others[i] = uint32(rng.IntN(n))
				single.Unite(others[i], a)
			}
			all.UniteAll(a, others)
			for i := range uint32(n) {
				if all.Of(i) != single.Of(i) {
					t.Fatalf("seed %d: node %d is with %d, want %d", seed, i, all.Of(i), single.Of(i))
				}
			}
		}
		if all.Len() != single.Len() {
			t.Fatalf("seed %d: %d groups, want %d", seed, all.Len(), single.Len())
		}
	}
}
