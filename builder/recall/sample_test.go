package recall

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// The rows of a seed never change: stores report the seed, not the rows.
func TestSampleGolden(t *testing.T) {
	got := fmt.Sprint(Sample(1000, 8, 1, 0), Sample(1e9, 4, 1, 0), Sample(1000, 8, 2, 0), Sample(1000, 8, 1, 1))
	const want = "[66 91 145 296 312 381 464 913] [91725514 297927545 383663490 919701275] [75 136 193 272 378 656 660 816] [77 107 393 414 433 512 625 804]"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	steer, report := Disjoint(100, 5, 5, 1)
	if got, want := fmt.Sprint(steer, report), "[10 38 42 50 79] [8 9 13 18 22]"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestSampleIsDistinctAndAscending(t *testing.T) {
	for n := range 40 {
		for m := -1; m < n+3; m++ {
			rows := Sample(n, m, 3, 4)
			if len(rows) != max(0, min(m, n)) {
				t.Fatalf("%d of %d: %d rows", m, n, len(rows))
			}
			ascending(t, n, rows)
		}
	}
}

func ascending(t *testing.T, n int, rows []uint32) {
	t.Helper()
	for i, row := range rows {
		if int(row) >= n || i > 0 && row <= rows[i-1] {
			t.Fatalf("rows of %d: %v", n, rows)
		}
	}
}

func TestDisjoint(t *testing.T) {
	for n := range 40 {
		for a := range n + 3 {
			for _, b := range []int{0, 1, n / 2, n} {
				steer, report := Disjoint(n, a, b, 5)
				ascending(t, n, steer)
				ascending(t, n, report)
				if len(steer) != min(a, n) || len(report) != min(b, n-len(steer)) {
					t.Fatalf("n=%d a=%d b=%d: %d and %d rows", n, a, b, len(steer), len(report))
				}
				both := slices.Concat(steer, report)
				slices.Sort(both)
				ascending(t, n, both)
				if alone, _ := Disjoint(n, a, 0, 5); !slices.Equal(alone, steer) {
					t.Fatalf("n=%d a=%d b=%d: the steering rows depend on the reporting ones", n, a, b)
				}
			}
		}
	}
}

// Every row is drawn equally often: chi-squared of 100 rows over 20,000 draws
// of 10 + 10.
func TestSamplesAreUniform(t *testing.T) {
	const n, m, draws = 100, 10, 20000
	var steering, reporting [n]float64
	for seed := range uint64(draws) {
		steer, report := Disjoint(n, m, m, seed)
		for i := range m {
			steering[steer[i]]++
			reporting[report[i]]++
		}
	}
	for _, counts := range [][n]float64{steering, reporting} {
		const expected = draws * m / n
		var chi float64
		for _, c := range counts {
			chi += (c - expected) * (c - expected) / (expected * (1 - float64(m)/n))
		}
		// 99 degrees of freedom: standard deviation sqrt(198).
		if z := (chi - (n - 1)) / math.Sqrt(2*(n-1)); math.Abs(z) > 4 {
			t.Errorf("chi-squared %v, %v standard deviations off", chi, z)
		}
	}
}

// TestApart: samples that are drawn one after the other share no row, and are
// the same however far one goes.
func TestApart(t *testing.T) {
	const n = 60
	var taken []uint32
	for stream := range uint64(9) {
		drawn := Apart(n, taken, 7, 5, stream)
		want := min(7, n-len(taken))
		if len(drawn) != want || !slices.IsSorted(drawn) {
			t.Fatalf("drawn %v, want %d rows", drawn, want)
		}
		for _, row := range drawn {
			if row >= n || slices.Contains(taken, row) {
				t.Fatalf("row %d drawn apart from %v", row, taken)
			}
		}
		taken = append(taken, drawn...)
		slices.Sort(taken)
	}
	if len(slices.Compact(taken)) != n {
		t.Errorf("%d rows drawn in the end, want %d", len(taken), n)
	}
}
