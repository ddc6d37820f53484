package propagation

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/rowstest"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// joined is a random graph over random rows.
type joined struct {
	m     *codes.Matrix
	lists *candidates.Lists
	part  []uint16 // of every row: only those of different parts are compared; nil: all
	fresh int      // entries of a list that count as new
}

func randomLists(t testing.TB, rng *rand.Rand, n, k int) joined {
	m := rowstest.Codes(t, rng, n, 4, 8)
	l, rare := candidates.New(n, k, 2), 1+rng.IntN(20) // entries with marks
	for p := range uint32(n) {
		var entries []candidates.Entry
		for _, q := range rng.Perm(n)[:rng.IntN(min(k, n)+1)] {
			if uint32(q) != p {
				entries = append(entries, candidates.MakeEntry(m.Distance(p, uint32(q)), uint32(q), rng.Uint32N(4)*uint32(1/(1+rng.IntN(rare)))))
			}
		}
		slices.Sort(entries)
		l.Set(p, entries)
	}
	return joined{m: m, lists: l, fresh: k}
}

func (g joined) list(p uint32) (list []candidates.Entry) {
	for i := range g.lists.Len(p) {
		list = append(list, g.lists.At(p, i))
	}
	return list
}

// slow is a round written down from its definition, with maps: the lists after it.
func (g joined) slow() (lists [][]candidates.Entry, pairs int) {
	for p := range uint32(g.lists.N) {
		lists = append(lists, g.list(p))
	}
	for from := 0; from < Parts; from += enterParts {
		pairs += g.slowPart(lists, from)
	}
	return lists, pairs
}

// slowPart joins around the places of the parts that are entered together, from one on.
func (g joined) slowPart(lists [][]candidates.Entry, from int) (pairs int) {
	around, offered := make([]map[uint32]bool, len(lists)), make([]map[uint32]bool, len(lists))
	for p := range lists {
		around[p], offered[p] = map[uint32]bool{}, map[uint32]bool{}
	}
	entered := func(p uint32) bool { return from <= Part(p) && Part(p) < from+enterParts }
	for p := range uint32(len(lists)) {
		for i, e := range lists[p] {
			if entered(p) { // what a row lists itself counts before who lists it
				around[p][e.Place()] = e.Marks()&candidates.NewHere != 0 && i < g.fresh
				lists[p][i] &^= candidates.NewHere
			}
		}
	}
	for p := range uint32(len(lists)) {
		for i, e := range lists[p] {
			q := e.Place()
			mine := slices.ContainsFunc(lists[q], func(f candidates.Entry) bool { return f.Place() == p })
			if entered(q) && !mine {
				around[q][p] = e.Marks()&candidates.NewThere != 0 && i < g.fresh
			}
			if entered(q) {
				lists[p][i] &^= candidates.NewThere
			}
		}
	}
	for p := range around {
		for a, newA := range around[p] {
			for b, newB := range around[p] {
				if a < b && (newA || newB) && (g.part == nil || g.part[a] != g.part[b]) {
					offered[a][b], offered[b][a] = true, true
					pairs++
				}
			}
		}
	}
	for p := range uint32(len(lists)) {
		for _, e := range lists[p] {
			delete(offered[p], e.Place())
		}
		for q := range offered[p] {
			lists[p] = append(lists[p], candidates.MakeEntry(g.m.Distance(p, q), q, candidates.NewHere|candidates.NewThere))
		}
		slices.Sort(lists[p])
		lists[p] = lists[p][:min(len(lists[p]), g.lists.K)]
	}
	return pairs
}

// TestJoinEqualsDefinition: also where rows are of one to five parts, of which only different ones are
// compared.
func TestJoinEqualsDefinition(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range 100 {
		n, k := 3+rng.IntN(70), 1+rng.IntN(12)
		if i == 0 {
			n, k = 3, 1 // so few that a round begins without room for entries
		}
		g := randomLists(t, rng, n, k)
		if parts := rng.IntN(6); parts > 0 {
			for range n {
				g.part = append(g.part, uint16(rng.IntN(parts)))
			}
		}
		round := NewRound(g.lists, n)
		round.Across(g.part)
		if i%2 == 1 {
			g.fresh = rng.IntN(k + 1)
			round.Fresh(g.fresh)
		}
		want, wantPairs := g.slow()
		round.Begin(1)
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
	const n, k = 3*enterRows + 100, 4
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rounds := func(threads int, cuts *rand.Rand) (lists [][]candidates.Entry, pairs int64) {
		g := nearLists(t, rand.New(rand.NewPCG(seed, 1)), n, k)
		round := NewRound(g.lists, 6)
		defer round.Free()
		for number := range uint64(2) {
			round.Begin(number)
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
func nearLists(t testing.TB, rng *rand.Rand, n, k int) joined {
	g := joined{m: rowstest.Codes(t, rng, n, 4, 8), lists: candidates.New(n, k, 2), fresh: k}
	for p := range uint32(n) {
		var entries []candidates.Entry
		for i := range uint32(k) {
			q := (p + 1 + i*20 + rng.Uint32N(20)) % uint32(n)
			entries = append(entries, candidates.MakeEntry(g.m.Distance(p, q), q, candidates.NewHere|candidates.NewThere))
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

func must(t testing.TB, err error) {
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
				entries = append(entries, candidates.MakeEntry(g.m.Distance(p, q), q, candidates.NewHere|candidates.NewThere))
			}
		}
		slices.Sort(entries)
		g.lists.Set(p, entries)
	}
	want, wantPairs := g.slow()
	round := NewRound(g.lists, n)
	defer round.Free()
	room, pairs := len(round.gathered), int64(0)
	round.Begin(1)
	for from := 0; from < Parts; {
		must(t, round.Enter(from, 2))
		pairs += g.joinAll(t, round, from, round.Entered(), 2)
		from = round.Entered()
	}
	if len(round.gathered) <= room || pairs != int64(wantPairs) {
		t.Errorf("room for %d after %d, %d pairs, want %d", len(round.gathered), room, pairs, wantPairs)
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
				g.lists.Set(p, []candidates.Entry{candidates.MakeEntry(g.m.Distance(p, 0), 0, candidates.NewHere|candidates.NewThere)})
			}
		}
		round := NewRound(g.lists, 30)
		round.Begin(7)
		must(t, round.Enter(Part(0)/enterParts*enterParts, 1))
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

// BenchmarkJoin is a round over 3,000 rows of 32 dimensions, lists of 10.
func BenchmarkJoin(b *testing.B) {
	const n, k = 3000, 10
	for b.Loop() {
		b.StopTimer()
		g := nearLists(b, rand.New(rand.NewPCG(1, 1)), n, k)
		round := NewRound(g.lists, 6)
		b.StartTimer()
		round.Begin(1)
		pairs := 0
		for part := range Parts {
			if part == round.Entered() {
				must(b, round.Enter(part, 1))
			}
			join := round.Join(g.m)
			for p := range uint32(n) {
				if Part(p) == part {
					pairs += join.Around(p)
				}
			}
		}
		b.ReportMetric(float64(pairs)/n, "pairs/row")
		round.Free()
	}
}
