package propagation

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// joined is a random graph over random rows.
type joined struct {
	m     *codes.Matrix
	lists *candidates.Lists
}

func randomLists(t *testing.T, rng *rand.Rand, n, k int) joined {
	m := rowstest.Codes(t, rng, n, 4, 8)
	l := candidates.New(n, k)
	for p := range uint32(n) {
		var entries []candidates.Entry
		for _, q := range rng.Perm(n)[:rng.IntN(min(k, n)+1)] {
			if uint32(q) != p {
				entries = append(entries, candidates.MakeEntry(m.Distance(p, uint32(q)), uint32(q), rng.IntN(3) > 0))
			}
		}
		slices.Sort(entries)
		l.Set(p, entries)
	}
	return joined{m, l}
}

func (g joined) list(p uint32) (list []candidates.Entry) {
	for i := range g.lists.Len(p) {
		list = append(list, g.lists.At(p, i))
	}
	return list
}

// slow is a round written down from its definition, with maps.
func (g joined) slow() (next [][]candidates.Entry, pairs int) {
	n := g.lists.N
	around := make([]map[uint32]bool, n) // place to whether it is new there
	for p := range uint32(n) {
		around[p] = map[uint32]bool{}
		for _, e := range g.list(p) {
			around[p][e.Place()] = e.New()
		}
	}
	for p := range uint32(n) {
		for _, e := range g.list(p) {
			mine := false
			for _, f := range g.list(e.Place()) {
				mine = mine || f.Place() == p
			}
			if !mine { // what a row lists itself counts before who lists it
				around[e.Place()][p] = e.New()
			}
		}
	}
	offered := make([]map[uint32]bool, n)
	for p := range offered {
		offered[p] = map[uint32]bool{}
	}
	for p := range around {
		for a, newA := range around[p] {
			for b, newB := range around[p] {
				if a < b && (newA || newB) {
					offered[a][b], offered[b][a] = true, true
					pairs++
				}
			}
		}
	}
	for p := range uint32(n) {
		var list []candidates.Entry
		for _, e := range g.list(p) {
			list = append(list, e&^1)
			delete(offered[p], e.Place())
		}
		for q := range offered[p] {
			list = append(list, candidates.MakeEntry(g.m.Distance(p, q), q, true))
		}
		slices.Sort(list)
		next = append(next, list[:min(len(list), g.lists.K)])
	}
	return next, pairs
}

func TestJoinEqualsDefinition(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 100 {
		n := 3 + rng.IntN(70)
		g := randomLists(t, rng, n, 1+rng.IntN(12))
		want, wantPairs := g.slow()
		round := NewRound(g.lists, n)
		if err := round.Begin(1, 2); err != nil {
			t.Fatal(err)
		}
		pairs, joined := 0, 0
		for from, to := 0, 0; from < Parts; from = to {
			if from == round.Entered() {
				must(t, round.Enter(from, 2))
			}
			to = from + 1 + rng.IntN(round.Entered()-from)
			join := round.Join(g.m)
			for _, p := range rng.Perm(n) { // in any order
				if part := Part(uint32(p)); part >= from && part < to {
					pairs += join.Around(uint32(p))
					joined++
				}
			}
		}
		if joined != n {
			t.Fatalf("seed %d: %d of %d places have a part", seed, joined, n)
		}
		if pairs != wantPairs {
			t.Fatalf("seed %d: %d pairs, want %d", seed, pairs, wantPairs)
		}
		for p := range uint32(n) {
			if got := g.list(p); !slices.Equal(got, want[p]) {
				t.Fatalf("seed %d: list %d is %x, want %x", seed, p, got, want[p])
			}
		}
	}
}

// TestThreadsAndCutsDoNotMatter to what two rounds find, with rows for several goroutines.
func TestThreadsAndCutsDoNotMatter(t *testing.T) {
	const n, k = 3*beginRows + 100, 4
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rounds := func(threads int, cuts *rand.Rand) (lists [][]candidates.Entry, pairs int64) {
		g := nearLists(t, rand.New(rand.NewPCG(seed, 1)), n, k)
		round := NewRound(g.lists, 6)
		defer round.Free()
		for number := range uint64(2) {
			must(t, round.Begin(number, threads))
			for from := 0; from < Parts; {
				if from == round.Entered() {
					must(t, round.Enter(from, threads))
				}
				to := from + 1 + cuts.IntN(round.Entered()-from)
				pairs += g.joinAll(t, round, from, to, threads)
				from = to
			}
		}
		for p := range uint32(n) {
			lists = append(lists, g.list(p))
		}
		return lists, pairs
	}
	want, wantPairs := rounds(1, rand.New(rand.NewPCG(seed, 2)))
	got, pairs := rounds(4, rand.New(rand.NewPCG(seed, 3)))
	if pairs != wantPairs {
		t.Fatalf("seed %d: %d pairs by four goroutines, %d by one", seed, pairs, wantPairs)
	}
	for p := range got {
		if !slices.Equal(got[p], want[p]) {
			t.Fatalf("seed %d: list %d is %x by four goroutines, %x by one", seed, p, got[p], want[p])
		}
	}
}

// nearLists is a graph of random rows that list some of the places after theirs.
func nearLists(t *testing.T, rng *rand.Rand, n, k int) joined {
	g := joined{rowstest.Codes(t, rng, n, 4, 8), candidates.New(n, k)}
	for p := range uint32(n) {
		var entries []candidates.Entry
		for i := range uint32(k) {
			q := (p + 1 + i*20 + rng.Uint32N(20)) % uint32(n)
			entries = append(entries, candidates.MakeEntry(g.m.Distance(p, q), q, true))
		}
		slices.Sort(entries)
		g.lists.Set(p, entries)
	}
	return g
}

func (g joined) joinAll(t *testing.T, round *Round, from, to, threads int) int64 {
	var pairs atomic.Int64
	must(t, vectors.Ranges(threads, g.lists.N, 512, func() func(first, last int) error {
		join := round.Join(g.m)
		return func(first, last int) error {
			for p := uint32(first); p < uint32(last); p++ {
				if part := Part(p); part >= from && part < to {
					pairs.Add(int64(join.Around(p)))
				}
			}
			return nil
		}
	}))
	return pairs.Load()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestPartsWithoutRoom: a part that more rows list than there is room for gets more.
func TestPartsWithoutRoom(t *testing.T) {
	const n, k, crowded = 2000, 4, 3
	rng := rand.New(rand.NewPCG(4, 1))
	var named []uint32
	for p := range uint32(n) {
		if Part(p) == crowded {
			named = append(named, p)
		}
	}
	g := nearLists(t, rng, n, k)
	for p := range uint32(n) {
		var entries []candidates.Entry
		for _, i := range rng.Perm(len(named))[:k] {
			if q := named[i]; q != p {
				entries = append(entries, candidates.MakeEntry(g.m.Distance(p, q), q, true))
			}
		}
		slices.Sort(entries)
		g.lists.Set(p, entries)
	}
	want, wantPairs := g.slow()
	round := NewRound(g.lists, n)
	defer round.Free()
	room, pairs := round.room, int64(0)
	must(t, round.Begin(1, 2))
	for from := 0; from < Parts; {
		must(t, round.Enter(from, 2))
		pairs += g.joinAll(t, round, from, round.Entered(), 2)
		from = round.Entered()
	}
	if round.room <= room || pairs != int64(wantPairs) {
		t.Errorf("room for %d after %d, %d pairs, want %d", round.room, room, pairs, wantPairs)
	}
	for p := range uint32(n) {
		if got := g.list(p); !slices.Equal(got, want[p]) {
			t.Fatalf("list %d is %x, want %x", p, got, want[p])
		}
	}
}

// TestHubsAreCapped: of the many that list a hub some are drawn, the same ones
// whatever order they stand in.
func TestHubsAreCapped(t *testing.T) {
	const n = 200
	drawn := func(reverse bool) []uint32 {
		g := randomLists(t, rand.New(rand.NewPCG(1, 1)), n, 1)
		for p := range uint32(n) {
			g.lists.Set(p, nil)
			if p > 0 {
				g.lists.Set(p, []candidates.Entry{candidates.MakeEntry(g.m.Distance(p, 0), 0, true)})
			}
		}
		round := NewRound(g.lists, 30)
		if err := round.Begin(7, 1); err != nil {
			t.Fatal(err)
		}
		must(t, round.Enter(Part(0), 1))
		if reverse {
			slices.Reverse(round.listing(0))
		}
		join := round.Join(g.m)
		join.gather(0)
		return slices.Sorted(slices.Values(join.ahead.all))
	}
	a, b := drawn(false), drawn(true)
	if len(a) != 30 || !slices.Equal(a, b) {
		t.Errorf("drawn %v and %v, want the same 30", a, b)
	}
}
