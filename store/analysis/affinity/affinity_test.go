package affinity_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/analysis/affinity"
	"github.com/knng/knng/vectors"
)

// dense is the definition on whole matrices: similarities that are not there are
// minus infinity.
type dense struct {
	s, r, a [][]float64
	damping float64
}

func newDense(lists [][]uint32, sims [][]float32, preference float32, damping float64) *dense {
	n := len(lists)
	d := &dense{damping: damping}
	for _, m := range []*[][]float64{&d.s, &d.r, &d.a} {
		*m = make([][]float64, n)
		for i := range *m {
			(*m)[i] = make([]float64, n)
		}
	}
	for i := range n {
		for k := range n {
			d.s[i][k] = math.Inf(-1)
		}
		for j, k := range lists[i] {
			d.s[i][k] = float64(sims[i][j]) + affinity.TieBreak(0, uint32(i), k, math.Abs(float64(preference)))
		}
		d.s[i][i] = float64(preference) + affinity.TieBreak(0, uint32(i), uint32(i), math.Abs(float64(preference)))
	}
	return d
}

// iterate follows the paper's three equations and returns the exemplars.
func (d *dense) iterate() (exemplars []bool) {
	n := len(d.s)
	for i := range n {
		fresh := make([]float64, n)
		for k := range n {
			rival := math.Inf(-1)
			for l := range n {
				if l != k {
					rival = max(rival, d.a[i][l]+d.s[i][l])
				}
			}
			fresh[k] = d.s[i][k] - rival
		}
		for k := range n {
			if !math.IsInf(d.s[i][k], -1) {
				d.r[i][k] = d.damping*d.r[i][k] + (1-d.damping)*fresh[k]
			}
		}
	}
	for k := range n {
		for i := range n {
			sum := 0.0
			for l := range n {
				if l != i && l != k {
					sum += max(0, d.r[l][k])
				}
			}
			fresh := sum
			if i != k {
				fresh = min(0, d.r[k][k]+sum)
			}
			if !math.IsInf(d.s[i][k], -1) {
				d.a[i][k] = d.damping*d.a[i][k] + (1-d.damping)*fresh
			}
		}
	}
	for k := range n {
		exemplars = append(exemplars, d.r[k][k]+d.a[k][k] > 0)
	}
	return exemplars
}

// follow assigns rows as the package comment says.
func follow(exemplars []bool, lists [][]uint32, sims [][]float32) []uint32 {
	of := make([]uint32, len(lists))
	for i := range of {
		of[i] = uint32(i)
		best := float32(math.Inf(-1))
		for j, k := range lists[i] {
			if !exemplars[i] && exemplars[k] && (sims[i][j] > best || sims[i][j] == best && k < of[i]) {
				of[i], best = k, sims[i][j]
			}
		}
	}
	return of
}

// nearest makes lists of the k nearest of points in a plane.
func nearest(points [][2]float64, k int) (lists [][]uint32, sims [][]float32) {
	for i, p := range points {
		type other struct {
			row uint32
			s   float32
		}
		var all []other
		for j, q := range points {
			if j != i {
				x, y := p[0]-q[0], p[1]-q[1]
				all = append(all, other{uint32(j), float32(-x*x - y*y)})
			}
		}
		slices.SortFunc(all, func(a, b other) int { return int(a.row) - int(b.row) })
		slices.SortStableFunc(all, func(a, b other) int {
			if a.s > b.s {
				return -1
			}
			return 1
		})
		var list []uint32
		var s []float32
		for _, o := range all[:min(k, len(all))] {
			list, s = append(list, o.row), append(s, o.s)
		}
		lists, sims = append(lists, list), append(sims, s)
	}
	return lists, sims
}

func stream(lists [][]uint32, sims [][]float32) affinity.Lists {
	return func(fn func(i uint32, to []uint32, s []float32) error) error {
		for i := range lists {
			if err := fn(uint32(i), lists[i], sims[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestFollowsTheDefinition(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for trial := range 25 {
		n, k := 2+rng.IntN(40), 1+rng.IntN(12)
		points := make([][2]float64, n)
		for i := range points {
			points[i] = [2]float64{rng.NormFloat64() + float64(6*rng.IntN(3)), rng.NormFloat64()}
		}
		lists, sims := nearest(points, k)
		if trial%5 == 0 { // a row that can follow nobody
			lists[0], sims[0] = nil, nil
		}
		preference := float32(-1 - 10*rng.Float64())
		damping := 0.5 + 0.4*rng.Float64()
		iterations := 1 + rng.IntN(60)
		d := newDense(lists, sims, preference, damping)
		var exemplars []bool
		for range iterations {
			exemplars = d.iterate()
		}
		got, err := affinity.Cluster(context.Background(), n, stream(lists, sims), affinity.Options{
			Preference: &preference, Damping: damping, Iterations: iterations, Steady: iterations + 1, Scratch: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if want := follow(exemplars, lists, sims); !slices.Equal(got.Exemplars, want) {
			t.Fatalf("n %d, k %d, preference %v, damping %v, %d iterations: %v, want %v", n, k, preference, damping, iterations, got.Exemplars, want)
		}
	}
}

// TestFindsClusters: groups far apart are found, whoever is in them.
func TestFindsClusters(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	const groups, each = 8, 25
	points := make([][2]float64, groups*each)
	for i := range points {
		points[i] = [2]float64{50*float64(i%groups) + rng.NormFloat64(), rng.NormFloat64()}
	}
	lists, sims := nearest(points, each-1)
	preference := float32(-100)
	dir := t.TempDir()
	c, err := affinity.Cluster(context.Background(), len(points), stream(lists, sims), affinity.Options{Preference: &preference, Scratch: dir})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Converged || c.Clusters != groups || c.Alone != 0 {
		t.Errorf("%d clusters, %d alone, converged %v after %d iterations", c.Clusters, c.Alone, c.Converged, c.Iterations)
	}
	for i, e := range c.Exemplars {
		if int(e)%groups != i%groups || c.Exemplars[e] != e {
			t.Errorf("row %d follows %d", i, e)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%d files were left behind, %v", len(left), err)
	}
}

// TestTies: identical rows, which prefer each other equally.
// TestOneAlone: a row without a list leads from the start, which says nothing of the
// others: they are clustered as they are without it.
func TestOneAlone(t *testing.T) {
	const n = 60
	lists := func(alone int) affinity.Lists {
		return func(fn func(i uint32, to []uint32, s []float32) error) error {
			for i := range uint32(n) {
				var to []uint32
				var s []float32
				for k := i / 10 * 10; k < i/10*10+10; k++ { // groups of ten
					if k != i {
						to, s = append(to, k), append(s, -float32((i-k)*(i-k))-1)
					}
				}
				if err := fn(i, to, s); err != nil {
					return err
				}
			}
			for i := n; i < n+alone; i++ {
				if err := fn(uint32(i), nil, nil); err != nil {
					return err
				}
			}
			return nil
		}
	}
	// With little damping lost the exemplars take long to come; steadiness must not begin before.
	opts := affinity.Options{Damping: 0.99, Steady: 3}
	without, err := affinity.Cluster(context.Background(), n, lists(0), opts)
	if err != nil {
		t.Fatal(err)
	}
	with, err := affinity.Cluster(context.Background(), n+1, lists(1), opts)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(with.Exemplars[:n], without.Exemplars) || with.Iterations != without.Iterations || with.Clusters != without.Clusters+1 {
		t.Errorf("with one alone: %d iterations, %d clusters; without: %d, %d", with.Iterations, with.Clusters, without.Iterations, without.Clusters)
	}
	if c, err := affinity.Cluster(context.Background(), 3, func(func(uint32, []uint32, []float32) error) error { return nil }, opts); err != nil || !c.Converged || c.Clusters != 3 {
		t.Errorf("all alone: %+v %v", c, err)
	}
}

func TestTies(t *testing.T) {
	lists, sims := nearest(make([][2]float64, 12), 5)
	preference := float32(-1)
	c, err := affinity.Cluster(context.Background(), 12, stream(lists, sims), affinity.Options{Preference: &preference})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Converged || c.Clusters > 4 {
		t.Errorf("%+v", c)
	}
}

func TestMedian(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, n := range []int{2, 3, 10, 51} {
		points := make([][2]float64, n)
		for i := range points {
			points[i] = [2]float64{rng.NormFloat64(), float64(rng.IntN(2))}
		}
		lists, sims := nearest(points, 4)
		var all []float32
		for i := range sims {
			for j := range sims[i] {
				if rng.IntN(2) == 0 {
					sims[i][j] = -sims[i][j] // similarities of both signs
				}
			}
			all = append(all, sims[i]...)
		}
		slices.Sort(all)
		c, err := affinity.Cluster(context.Background(), n, stream(lists, sims), affinity.Options{Iterations: 1})
		if err != nil {
			t.Fatal(err)
		}
		if want := all[(len(all)-1)/2]; c.Preference != want {
			t.Errorf("the median of %d is %v, want %v", len(all), c.Preference, want)
		}
	}
}

func TestFaults(t *testing.T) {
	ok := stream([][]uint32{{1}, {0}}, [][]float32{{-1}, {-1}})
	nan := float32(math.NaN())
	for name, c := range map[string]struct {
		lists affinity.Lists
		opts  affinity.Options
	}{
		"damping":    {ok, affinity.Options{Damping: 1}},
		"preference": {ok, affinity.Options{Preference: &nan}},
		"itself":     {stream([][]uint32{{0}, {0}}, [][]float32{{-1}, {-1}}), affinity.Options{}},
		"beyond":     {stream([][]uint32{{1}, {2}}, [][]float32{{-1}, {-1}}), affinity.Options{}},
		"too many":   {stream([][]uint32{{1}, {0}, {0}}, [][]float32{{-1}, {-1}, {-1}}), affinity.Options{}},
		"NaN":        {stream([][]uint32{{1}, {0}}, [][]float32{{nan}, {-1}}), affinity.Options{}},
	} {
		if _, err := affinity.Cluster(context.Background(), 2, c.lists, c.opts); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := affinity.Cluster(ctx, 2, ok, affinity.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for n := range 2 {
		c, err := affinity.Cluster(context.Background(), n, stream(nil, nil), affinity.Options{})
		if err != nil || c.Clusters != n {
			t.Errorf("%d rows: %+v %v", n, c, err)
		}
	}
}

func ExampleCluster() {
	dir, _ := os.MkdirTemp("", "affinity")
	defer os.RemoveAll(dir)
	rows, _ := vectors.FromFloat32([]float32{0, 1, 2.5, 20, 21, 22.5}, 1)
	graph := filepath.Join(dir, "g.knng")
	if _, err := builder.Build(context.Background(), graph, vectors.NewInput(rows), builder.Options{K: 3}); err != nil {
		fmt.Println(err)
		return
	}
	s, err := store.Open(graph, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	preference := float32(-20)
	c, err := affinity.Cluster(context.Background(), s.Len(), affinity.OfStore(s), affinity.Options{Preference: &preference})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Clusters, "clusters:", c.Exemplars)
	// Output: 2 clusters: [1 1 1 4 4 4]
}

// TestIdenticalRows: groups of identical rows, among others, are clusters, though the
// median similarity, and so the preference, is 0.
func TestIdenticalRows(t *testing.T) {
	const groups, copies, k = 12, 9, 6
	points := make([]float32, groups*copies)
	for i := range points {
		points[i] = float32(i % groups * 10)
	}
	points = append(points, 1000, 1003, 1007) // and some that are alone
	rows, err := vectors.FromFloat32(points, 1)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "g")
	if _, err := builder.Build(t.Context(), dir, vectors.NewInput(rows), builder.Options{K: k}); err != nil {
		t.Fatal(err)
	}
	g, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	c, err := affinity.Cluster(t.Context(), g.Len(), affinity.OfStore(g), affinity.Options{Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if !c.Converged || c.Preference != 0 {
		t.Fatalf("converged %v after %d iterations, preference %g", c.Converged, c.Iterations, c.Preference)
	}
	exemplars := map[float32]map[uint32]bool{}
	for row, e := range c.Exemplars[:groups*copies] {
		at := points[row]
		if points[e] != at {
			t.Errorf("row %d at %g follows row %d at %g", row, at, e, points[e])
		}
		if exemplars[at] == nil {
			exemplars[at] = map[uint32]bool{}
		}
		exemplars[at][e] = true
	}
	for at, set := range exemplars {
		if len(set) > copies/3 {
			t.Errorf("%d rows at %g have %d exemplars", copies, at, len(set))
		}
	}
}
