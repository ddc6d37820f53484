package division

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestFollowersFindTheNearest: against distances computed one by one, exactly where a row
// looks into all cells, and elsewhere mostly, even among rows at random. What rows are asked
// for together changes nothing.
func TestFollowersFindTheNearest(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	right, all := 0, 0
	for range 30 {
		n, dim, values := 20+rng.IntN(3000), 1+rng.IntN(20), 1+rng.IntN(256)
		data := drawn(rng, n*dim, values)
		m := codesOf(t, data, dim)
		leaders := Rows{m, numbers(n)[:1+rng.IntN(n)]}
		heads := Rows{m, slices.Clone(leaders.Places[:1+rng.IntN(min(len(leaders.Places), 40))])}
		cells, err := NewCells(context.Background(), heads, leaders, 2)
		if err != nil {
			t.Fatal(err)
		}
		overlap := 1 + rng.IntN(min(20, len(leaders.Places)))
		rows := Rows{m, numbers(n)[n-1-rng.IntN(n-1):]}
		assigned := make([]uint32, len(rows.Places)*overlap)
		cells.Follower(overlap).Follow(rows, assigned)

		again, half := make([]uint32, len(assigned)), len(rows.Places)/2
		f := cells.Follower(overlap)
		f.Follow(Rows{m, rows.Places[half:]}, again[half*overlap:])
		f.Follow(Rows{m, rows.Places[:half]}, again)
		if !slices.Equal(assigned, again) {
			t.Fatalf("seed %d: rows in two parts follow others", seed)
		}
		for i, row := range rows.Places[:min(50, len(rows.Places))] {
			want := numbers(len(leaders.Places))
			slices.SortStableFunc(want, func(a, b uint32) int {
				return cmp.Compare(m.Distance(row, cells.Leaders().Places[a]), m.Distance(row, cells.Leaders().Places[b]))
			})
			got := assigned[i*overlap : (i+1)*overlap]
			for j, leader := range got {
				all++
				switch {
				case slices.Contains(got[:j], leader):
					t.Fatalf("seed %d: row %d follows leader %d twice", seed, row, leader)
				case leader == want[j] || slices.Contains(want[:overlap], leader):
					right++
				case len(heads.Places) <= NearHeads:
					t.Fatalf("seed %d: row %d, leader %d is %d, want %d", seed, row, j, leader, want[j])
				}
			}
		}
	}
	if t.Logf("%d of %d leaders are among the nearest", right, all); right < all*6/10 {
		t.Errorf("only %d of %d leaders are among the nearest", right, all)
	}
}

// TestBigRootsLookIntoCells: where balls would be large places follow the nearest of many
// leaders, most of them.
func TestBigRootsLookIntoCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	const n, dim = 5000, 6
	data := drawn(rng, n*dim, 256)
	b := &Balls{Codes: codesOf(t, data, dim), Seed: 1, LeafSize: 20, Overlap: 4, Threads: 2}
	balls, compared, err := b.Root(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if count := b.rootLeaders(n); len(balls) != count || count <= mostDirect || compared >= int64(n*count)/2 {
		t.Fatalf("%d balls, %d pairs; want %d balls and fewer pairs than half of all", len(balls), compared, count)
	}
	near := 0
	for range 2000 {
		ball := balls[rng.IntN(len(balls))]
		if len(ball) < 2 {
			continue
		}
		x, y, z := ball[0], ball[len(ball)-1], uint32(rng.IntN(n))
		if b.Codes.Distance(x, y) <= b.Codes.Distance(x, z) {
			near++
		}
	}
	if near < 1700 {
		t.Errorf("of 2000 pairs of a ball %d are nearer than a pair at random, want 1700", near)
	}
}

// TestLooks: a place that looks into more cells is compared with more leaders, and stands beside the nearest
// of all where it looks into every cell.
func TestLooks(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 3))
	const n, dim, overlap = 5000, 5, 3
	data := drawn(rng, n*dim, 256)
	m := codesOf(t, data, dim)
	var last int64
	for _, looks := range []int{1, 4, 0, mostAtRoot} {
		b := &Balls{Codes: m, Seed: 1, LeafSize: 20, Overlap: overlap, Threads: 2, Looks: looks}
		balls, compared, err := b.Root(context.Background(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if compared <= last {
			t.Errorf("places that look into %d cells take %d pairs, into fewer %d", looks, compared, last)
		}
		last = compared
		stands := make([]int, n)
		for _, ball := range balls {
			for _, place := range ball {
				stands[place]++
			}
		}
		if slices.Min(stands) != overlap || slices.Max(stands) != overlap {
			t.Errorf("places that look into %d cells stand in %d to %d balls, want %d", looks, slices.Min(stands), slices.Max(stands), overlap)
		}
		if looks < mostAtRoot {
			continue
		}
		w := b.Worker(1)
		w.draw(1, numbers(n), b.rootLeaders(n))
		for place := range uint32(200) {
			slices.SortFunc(w.chosen, func(x, y uint32) int { return cmp.Compare(m.Distance(place, x), m.Distance(place, y)) })
			if !together(balls, place, w.chosen[0]) {
				t.Errorf("place %d is not beside its nearest leader", place)
			}
		}
	}
}

// together reports whether two places stand in one ball.
func together(balls [][]uint32, x, y uint32) bool {
	return slices.ContainsFunc(balls, func(ball []uint32) bool { return slices.Contains(ball, x) && slices.Contains(ball, y) })
}

// TestHeadsOfHeads: where heads are found by heads of their own, rows follow leaders nearly as near
// for fewer pairs, and cells that are filled by what Homes told of leaders in parts are the same.
func TestHeadsOfHeads(t *testing.T) {
	defer func(before int) { deepFrom = before }(deepFrom)
	rng := rand.New(rand.NewPCG(3, 9))
	const n, dim, overlap = 30000, 8, 4
	data := drawn(rng, n*dim, 256)
	m := codesOf(t, data, dim)
	sorted := numbers(n)[:n/2]
	rows := Rows{m, numbers(n)[n-2000:]}
	sums, compared := make([]int, 2), make([]int64, 2)
	for deep := range 2 {
		deepFrom = 1 << 30 >> (20 * deep)
		var heads []uint32
		for i := range HeadsOf(len(sorted)) {
			heads = append(heads, uint32(i*len(sorted)/HeadsOf(len(sorted))))
		}
		leaders := slices.Clone(sorted)
		cells, err := NewCells(context.Background(), Rows{m, heads}, Rows{m, leaders}, 2)
		if err != nil {
			t.Fatal(err)
		}
		if (cells.upper != nil) != (deep == 1) {
			t.Fatalf("from %d leaders on heads have heads; those of %d have them: %v", deepFrom, len(leaders), cells.upper != nil)
		}
		assigned := make([]uint32, len(rows.Places)*overlap)
		compared[deep] = cells.Follower(overlap).Follow(rows, assigned)
		for i, leader := range assigned {
			sums[deep] += int(m.Distance(rows.Places[i/overlap], cells.Leaders().Places[leader]))
		}
		other, err := EmptyCells(context.Background(), Rows{m, heads}, len(sorted), 1)
		if err != nil {
			t.Fatal(err)
		}
		homes := make([]uint32, len(sorted))
		for from := 0; from < len(sorted); {
			to := min(len(sorted), from+1+rng.IntN(5000))
			if err := other.Homes(context.Background(), Rows{m, sorted[from:to]}, 2, homes[from:to]); err != nil {
				t.Fatal(err)
			}
			from = to
		}
		filled := slices.Clone(sorted)
		if err := other.Fill(Rows{m, filled}, homes); err != nil || !slices.Equal(filled, leaders) {
			t.Fatalf("leaders in parts are sorted in another way: %v", err)
		}
		if other.Fill(Rows{m, filled}, homes[1:]) == nil || other.Fill(Rows{m, filled[:1]}, []uint32{uint32(len(heads))}) == nil {
			t.Error("homes that do not fit are taken")
		}
		if err := other.Fill(Rows{m, slices.Clone(sorted)}, homes); err != nil {
			t.Fatal(err)
		}
		again := make([]uint32, len(assigned))
		if other.Follower(overlap).Follow(rows, again); !slices.Equal(assigned, again) {
			t.Fatalf("cells that are filled lead elsewhere")
		}
	}
	t.Logf("%d pairs and sum %d on one level, %d and %d on two", compared[0], sums[0], compared[1], sums[1])
	if sums[1] > sums[0]*103/100 || compared[1] >= compared[0] {
		t.Errorf("want fewer pairs on two levels, and leaders at most three hundredths farther")
	}
}
