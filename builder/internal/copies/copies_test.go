package copies

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/knng/knng/builder/internal/build"
	"github.com/knng/knng/builder/internal/buildtest"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/builder/knn"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// collapsed returns a build over rows of which few differ, and its groups.
func collapsed(t *testing.T, rng *rand.Rand, k int) (*build.Build, *Groups, *vectors.Rows, *distance.Space) {
	t.Helper()
	rows, space := rowstest.Bytes(t, rng, 1+rng.IntN(120), 2, 1+rng.IntN(12))
	b := buildtest.New(t, rows, space, k)
	g, called := new(Groups), 0
	for range 2 { // the second time from the store
		b.Good = build.InputOrder(rows.Len())
		g = new(Groups)
		if err := g.Collapse(b, func() error { called++; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if called != 1 {
		t.Fatalf("the input was read %d times", called)
	}
	return b, g, rows, space
}

// TestGroups: groups are those of a map by the bytes of rows.
func TestGroups(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 10 {
		b, g, rows, _ := collapsed(t, rng, 1)
		first := map[string]uint32{}
		var solved, copied []uint32
		for row := range uint32(rows.Len()) {
			key := string(rows.Row(int(row)))
			if of, known := first[key]; known {
				copied = append(copied, row)
				if g.First[row] != of {
					t.Fatalf("row %d is a copy of %d, want %d", row, g.First[row], of)
				}
				continue
			}
			first[key] = row
			solved = append(solved, row)
		}
		if !slices.Equal(b.Good, solved) || !slices.Equal(g.Copies, copied) || g.Len() != len(copied) {
			t.Fatalf("solved are %v, copies %v, want %v and %v", b.Good, g.Copies, solved, copied)
		}
	}
}

// TestExpansion: exact lists of the solved rows expand to the exact lists of all rows.
// With a limit of copies a list has at most so many of a group, as long as others fill it.
func TestExpansion(t *testing.T) {
	const single = 17269084076852072386 // has a set of one row
	for _, seed := range []uint64{single, rand.Uint64()} {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { expands(t, rand.New(rand.NewPCG(seed, 2))) })
	}
}

func expands(t *testing.T, rng *rand.Rand) {
	for range 10 {
		k := 1 + rng.IntN(8)
		b, g, rows, space := collapsed(t, rng, k)
		var bytes []byte
		order := rng.Perm(len(b.Good))
		b.Order = nil
		for _, at := range order {
			b.Order = append(b.Order, b.Good[at])
			bytes = append(bytes, rows.Row(int(b.Good[at]))...)
		}
		if err := b.Over(bytes, len(order)); err != nil {
			t.Fatal(err)
		}
		b.K = min(k, b.N()-1)
		if b.K > 0 {
			b.Lists = knn.New(b.N(), b.K, b.Order)
			for x := range b.N() {
				for y := range b.N() {
					if x != y {
						b.Lists.Offer(uint32(x), uint32(y), space.Key(b.Rows.Row(x), b.Rows.Row(y), 0, 0))
					}
				}
			}
		}
		length := min(k, rows.Len()-1)
		for _, most := range []int{0, 1, 2} {
			e := g.Expand(b, rows.Len(), length, most)
			for row := range rows.Len() {
				got, _ := e.of(uint32(row))
				want := limited(rows, space, row, length, most)
				if !slices.Equal(got, want) {
					t.Fatalf("k %d, at most %d of a group: row %d of %d has %v, want %v", k, most, row, rows.Len(), got, want)
				}
			}
		}
	}
}

// limited is the list of a row by comparing it with all others: the nearest k, at most so many of a
// group first, and others where these are too few; ascending by (key, row).
func limited(rows *vectors.Rows, space *distance.Space, row, k, most int) (ids []uint32) {
	all, _ := buildtest.Nearest(rows, space, row, rows.Len())
	if most == 0 {
		most = rows.Len()
	}
	taken, counts := make([]bool, len(all)), map[string]int{}
	for _, again := range []bool{false, true} {
		for i, id := range all {
			group := string(rows.Row(int(id)))
			if len(ids) == k || taken[i] || !again && counts[group] == most {
				continue
			}
			taken[i] = true
			counts[group]++
			ids = append(ids, id)
		}
	}
	rank := map[uint32]int{}
	for i, id := range all {
		rank[id] = i
	}
	slices.SortFunc(ids, func(a, b uint32) int { return rank[a] - rank[b] })
	return ids
}

// TestOption: the limit of copies is read from a manifest as it was written.
func TestOption(t *testing.T) {
	for _, c := range []struct {
		treatment string
		most      int
	}{{Keep, 0}, {Collapse, 0}, {Collapse, 1}, {Collapse, 4096}} {
		m := store.Manifest{Options: []store.Option{{Name: "k", Value: "collapse to 9"}, Option(c.treatment, c.most)}}
		if got := Most(m); got != c.most {
			t.Errorf("%s to %d is read as %d", c.treatment, c.most, got)
		}
	}
}
