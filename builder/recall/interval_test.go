package recall

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A population is the recalls of all rows of an imagined or real graph.
type population struct {
	name string
	rows []float64
}

// binomials are rows that find each of 20 neighbors with a probability drawn
// for the row.
func binomials(rng *rand.Rand, n int, probability func() float64) []float64 {
	rows := make([]float64, n)
	for i := range rows {
		p := probability()
		for range 20 {
			if rng.Float64() < p {
				rows[i]++
			}
		}
		rows[i] /= 20
	}
	return rows
}

// beta draws from a beta distribution, through two gammas.
func beta(rng *rand.Rand, mean, concentration float64) func() float64 {
	return func() float64 {
		x, y := gamma(rng, mean*concentration), gamma(rng, (1-mean)*concentration)
		return x / (x + y)
	}
}

// gamma is Marsaglia and Tsang's method.
func gamma(rng *rand.Rand, a float64) float64 {
	if a < 1 {
		return gamma(rng, a+1) * math.Pow(rng.Float64(), 1/a)
	}
	d := a - 1.0/3
	for {
		x := rng.NormFloat64()
		v := math.Pow(1+x/math.Sqrt(9*d), 3)
		if v > 0 && math.Log(rng.Float64()) < 0.5*x*x+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// twoKinds are rows of which some find half of their neighbors and most nearly
// all.
func twoKinds(rng *rand.Rand, mean float64) func() float64 {
	hard := 1.6 * (1 - mean)
	easy := 1 - (1-mean-hard/2)/(1-hard)
	half := beta(rng, 0.5, 4)
	return func() float64 {
		if rng.Float64() < hard {
			return half()
		}
		return easy
	}
}

func populations(t testing.TB) []population {
	const n = 20000
	rng := rand.New(rand.NewPCG(20260727, 2))
	list := []population{
		{name: "beta(4) 0.80", rows: binomials(rng, n, beta(rng, 0.80, 4))},
		{name: "two kinds 0.80", rows: binomials(rng, n, twoKinds(rng, 0.80))},
		{name: "beta(4) 0.95", rows: binomials(rng, n, beta(rng, 0.95, 4))},
		{name: "beta(20) 0.95", rows: binomials(rng, n, beta(rng, 0.95, 20))},
		{name: "two kinds 0.95", rows: binomials(rng, n, twoKinds(rng, 0.95))},
		{name: "beta(4) 0.99", rows: binomials(rng, n, beta(rng, 0.99, 4))},
		{name: "beta(20) 0.99", rows: binomials(rng, n, beta(rng, 0.99, 20))},
		{name: "beta(60) 0.99", rows: binomials(rng, n, beta(rng, 0.99, 60))},
	}
	for _, divisions := range []int{3, 6, 10} {
		list = append(list, population{name: fmt.Sprintf("graph of %d divisions", divisions), rows: graphRecalls(divisions)})
	}
	return list
}

// coverage is how often, in a number of draws, the interval of m rows holds the
// mean of all.
func coverage(p population, m, draws int) (covered, tooHigh, width float64) {
	truth := meanOf(p.rows)
	per := make([]float64, m)
	for _, sample := range samples(len(p.rows), m, draws) {
		for i, row := range sample {
			per[i] = p.rows[row]
		}
		_, low, high := Interval(per, len(p.rows), 1)
		switch {
		case truth < low:
			tooHigh++
		case truth <= high:
			covered++
		}
		width += high - low
	}
	return covered / float64(draws), tooHigh / float64(draws), width / float64(draws)
}

// drawn keeps samples: populations of one size are met by the same draws.
var drawn = map[[3]int][][]uint32{}

func samples(n, m, draws int) [][]uint32 {
	list, ok := drawn[[3]int{n, m, draws}]
	for draw := len(list); draw < draws; draw++ {
		list = append(list, Sample(n, m, uint64(draw), uint64(m)))
	}
	if !ok {
		drawn[[3]int{n, m, draws}] = list
	}
	return list
}

func TestIntervalCovers(t *testing.T) {
	for _, p := range populations(t) {
		for _, m := range []int{50, 100, 300, 1000} {
			const draws = 1000
			covered, tooHigh, width := coverage(p, m, draws)
			t.Logf("%-22s mean %.4f, %4d rows: covers %.3f, too high %.3f, width %.4f", p.name, meanOf(p.rows), m, covered, tooHigh, width)
			// Fifty rows at 0.99 miss ten neighbors of a thousand in all. So few
			// may be the light tail that they seem or the edge of a heavy one;
			// an interval that covers the second is wide for the first.
			most := 0.97
			if m == 50 && meanOf(p.rows) > 0.985 {
				most = 0.99
			}
			if covered < 0.93 || covered > most {
				t.Errorf("%s, %d rows of %d: covers %.3f of %d draws, want 0.93 to %.2f", p.name, m, len(p.rows), covered, draws, most)
			}
		}
	}
}

// With most of a population sampled the interval shrinks with what is left out.
func TestIntervalCoversFromLargeShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	p := population{name: "beta(20) 0.95", rows: binomials(rng, 2000, beta(rng, 0.95, 20))}
	before := 1.0
	for _, m := range []int{500, 1000, 1800} {
		covered, _, width := coverage(p, m, 1000)
		if covered < 0.93 || covered > 0.97 || width >= before {
			t.Errorf("%d rows of 2000: covers %.3f, width %.5f after %.5f", m, covered, width, before)
		}
		before = width
	}
}

func TestIntervalOfAllRows(t *testing.T) {
	for _, rows := range [][]float64{{0.5}, {1, 1, 1}, {0.5, 1, 0.75}, {0, 0}} {
		mean, low, high := Interval(rows, len(rows), 3)
		if low != mean || high != mean || mean != meanOf(rows) {
			t.Errorf("all of %v: %v [%v, %v]", rows, mean, low, high)
		}
	}
	if mean, low, high := Interval(nil, 10, 1); mean != 0 || low != 0 || high != 1 {
		t.Errorf("no rows: %v [%v, %v]", mean, low, high)
	}
}

// Where nothing varies the interval is that of a share: all that is known is
// that few rows differ.
func TestIntervalOfEqualRows(t *testing.T) {
	mean, low, high := Interval(slices.Repeat([]float64{1}, 1000), 1e6, 1)
	if mean != 1 || high != 1 || low < 0.9963 || low > 0.9964 {
		t.Errorf("1000 perfect rows of a million: %v [%v, %v], want 1 [0.9963, 1]", mean, low, high)
	}
	if mean, low, high = Interval(slices.Repeat([]float64{0.7}, 100), 1e6, 1); mean != 0.7 || low >= 0.7 || low < 0.66 || high <= 0.7 || high > 0.72 {
		t.Errorf("100 rows at 0.7: %v [%v, %v]", mean, low, high)
	}
	if _, low, _ = Interval([]float64{1}, 2, 1); low != 0.5 {
		t.Errorf("one perfect row of two: low %v, want 0.5: the other may be 0", low)
	}
	// The worst case that the bound allows for: as many rows of 0 as may go unmet.
	d := mostUnmet(1000, 1e6, 0.025)
	if p, q := missesAll(1000, 1e6, d), missesAll(1000, 1e6, d+1); p <= math.Log(0.025) || q > math.Log(0.025) {
		t.Errorf("%d rows go unmet with log probability %v, %d with %v", d, p, d+1, q)
	}
}

func TestIntervalWidensWithLooks(t *testing.T) {
	mixed := []float64{0.5, 1, 0.9, 1, 0.95, 1, 1, 0.85}
	_, low, high := Interval(mixed, 1000, 1)
	for _, looks := range []int{2, 5, 20} {
		_, l, h := Interval(mixed, 1000, looks)
		if l >= low || h < high {
			t.Errorf("%d looks: [%v, %v], fewer gave [%v, %v]", looks, l, h, low, high)
		}
		low, high = l, h
	}
}

// An interval holds its mean, stays within what the sample allows, and never
// has fewer than these properties, whatever it is given.
func TestIntervalOfAnything(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 5000 {
		m := 1 + rng.IntN(30)
		n := m + rng.IntN(40)
		per := make([]float64, m)
		var sum float64
		for i := range per {
			per[i] = float64(rng.IntN(4)) / 3
			sum += per[i]
		}
		mean, low, high := Interval(per, n, 1+rng.IntN(3))
		least, most := sum/float64(n), (sum+float64(n-m))/float64(n)
		if !(low <= mean && mean <= high) || low < least-2e-6 || high > most+2e-6 || low < 0 || high > 1 {
			t.Fatalf("%v of %d: %v [%v, %v], possible [%v, %v]", per, n, mean, low, high, least, most)
		}
	}
}

func TestQuantileT(t *testing.T) {
	// Tables: two-sided 95 % and 99 %.
	for _, c := range []struct {
		tail float64
		df   int
		want float64
	}{
		{0.025, 1, 12.706205}, {0.025, 2, 4.302653}, {0.025, 5, 2.570582}, {0.025, 49, 2.009575},
		{0.025, 99, 1.984217}, {0.005, 10, 3.169273}, {0.025, 999, 1.962341}, {0.025, 1e6, 1.959966},
	} {
		if got := quantileT(c.tail, c.df); math.Abs(got-c.want) > 2e-6 {
			t.Errorf("t(%v, %d) = %v, want %v", c.tail, c.df, got, c.want)
		}
	}
}

// graphRecalls builds a small graph of clustered points by random divisions
// along random directions and returns the recall of every row: 20 neighbors of
// 2,000 rows.
func graphRecalls(divisions int) []float64 {
	const n, dim, k, leaf = 2000, 12, 20, 250
	rng := rand.New(rand.NewPCG(11, 11))
	points := clustered(rng, n, dim)
	truth := make([][]uint32, n)
	for i := range truth {
		truth[i] = nearest(points, i, k)
	}
	met := make([]map[uint32]bool, n)
	for i := range met {
		met[i] = map[uint32]bool{}
	}
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	for range divisions {
		divide(rng, points, slices.Clone(all), leaf, func(ids []uint32) {
			for _, a := range ids {
				for _, b := range ids {
					met[a][b] = true
				}
			}
		})
	}
	recalls := make([]float64, n)
	for i := range recalls {
		for _, j := range truth[i] {
			if met[i][j] {
				recalls[i] += 1.0 / k
			}
		}
	}
	return recalls
}

func clustered(rng *rand.Rand, n, dim int) [][]float64 {
	points := make([][]float64, n)
	centers := make([][]float64, 20)
	for i := range centers {
		centers[i] = make([]float64, dim)
		for d := range centers[i] {
			centers[i][d] = 2 * rng.NormFloat64()
		}
	}
	for i := range points {
		c, spread := centers[rng.IntN(len(centers))], 0.3+2*rng.Float64()
		points[i] = make([]float64, dim)
		for d := range points[i] {
			points[i][d] = c[d] + spread*rng.NormFloat64()
		}
	}
	return points
}

func squared(a, b []float64) (sum float64) {
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return sum
}

func nearest(points [][]float64, i, k int) []uint32 {
	ids := make([]uint32, 0, len(points))
	keys := make([]float64, len(points))
	for j := range points {
		if keys[j] = squared(points[i], points[j]); j != i {
			ids = append(ids, uint32(j))
		}
	}
	slices.SortFunc(ids, func(a, b uint32) int {
		if keys[a] < keys[b] {
			return -1
		}
		return 1
	})
	return ids[:k]
}

// divide splits at the median along a random direction between two points.
func divide(rng *rand.Rand, points [][]float64, ids []uint32, leaf int, solve func([]uint32)) {
	if len(ids) < leaf {
		solve(ids)
		return
	}
	a, b := points[ids[rng.IntN(len(ids))]], points[ids[rng.IntN(len(ids))]]
	along := func(id uint32) (dot float64) {
		for d, x := range points[id] {
			dot += x * (a[d] - b[d])
		}
		return dot
	}
	slices.SortFunc(ids, func(x, y uint32) int {
		if along(x) < along(y) {
			return -1
		}
		return 1
	})
	divide(rng, points, ids[:len(ids)/2], leaf, solve)
	divide(rng, points, ids[len(ids)/2:], leaf, solve)
}
