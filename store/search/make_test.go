package search

import (
	"cmp"
	"encoding/binary"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
)

// TestLinksOfHubs: links are the list of a place, then the first of those that list it, by rank, then
// place, where rows are shuffled and some are in thousands of lists.
func TestLinksOfHubs(t *testing.T) {
	const n, dim, k = 12_000, 24, 6
	rng := rand.New(rand.NewPCG(7, 7))
	values := make([]float32, n*dim)
	for i := range values {
		values[i] = float32(rng.NormFloat64()) // of so many dimensions rows near the middle are hubs
	}
	rows, err := vectors.FromFloat32(values, dim)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "g")
	if _, err := builder.Build(t.Context(), dir, vectors.NewInput(rows), builder.Options{K: k, Recall: 0.5}); err != nil {
		t.Fatal(err)
	}
	g, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	s, err := Open(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, limit := range []int64{1, 1 << 30} { // read twice, kept
		m := s.maker(s.identity())
		m.threads, m.limit = 3, limit
		got := make([]byte, m.tableBytes())
		if _, err := m.table(func(first int, table []byte) error {
			copy(got[4*m.width*first:], table)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		most := 0
		for place, want := range slowLinks(t, m) {
			most = max(most, len(want))
			want = want[:min(len(want), m.width)]
			for i := range m.width {
				link, wanted := binary.LittleEndian.Uint32(got[4*(m.width*place+i):]), uint32(noLink)
				if i < len(want) {
					wanted = want[i]
				}
				if link != wanted {
					t.Fatalf("limit %d: link %d of place %d is %d, want %d", limit, i, place, link, wanted)
				}
			}
		}
		if most < 10*k {
			t.Errorf("a place has %d links before they are cut, want a hub", most)
		}
	}
}

// slowLinks are the links of every place, as the comment of the package says.
func slowLinks(t *testing.T, m *maker) [][]uint32 {
	type in struct{ rank, place int }
	lists, ins := make([][]uint32, m.places), make([][]in, m.places)
	for place := range lists {
		list, err := m.g.Neighbors(store.Row(m.order[place]), nil)
		if err != nil {
			t.Fatal(err)
		}
		for rank, n := range list {
			to := m.placeOf[n.Row]
			lists[place] = append(lists[place], to)
			ins[to] = append(ins[to], in{rank, place})
		}
	}
	for place, listed := range ins {
		slices.SortFunc(listed, func(a, b in) int {
			return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.place, b.place))
		})
		for i, from := range listed {
			if i < m.width && !slices.Contains(lists[place][:m.listed], uint32(from.place)) {
				lists[place] = append(lists[place], uint32(from.place))
			} else if i >= m.width {
				lists[place] = append(lists[place], noLink) // counts as one of many
			}
		}
	}
	return lists
}

// TestMakersMemory: ranges that are made at once stay within the limit, and arcs into places that all
// lists name are dropped when there are too many, for the same links.
func TestMakersMemory(t *testing.T) {
	m := &maker{identity: identity{places: 1e8, width: 40, listed: 20}, threads: 16, limit: 256 << 20}
	if one := int64(m.rangeSize()) * m.placeBytes(); one > m.limit {
		t.Errorf("a range takes %d bytes of %d", one, m.limit)
	}
	const n, lists = 10, 5000
	m = &maker{identity: identity{places: lists, width: 4, listed: 2}}
	hubs := &keptArcs{last: lists, size: rangePlaces}
	rng := rand.New(rand.NewPCG(1, 1))
	chunks, all := [][]arc{}, &partLinks{maker: m}
	for range lists / 50 {
		var chunk []arc
		for range 50 {
			chunk = append(chunk, arcOf(rng.IntN(n), rng.Uint32N(lists), rng.IntN(2)))
		}
		chunks, all.arcs = append(chunks, chunk), append(all.arcs, chunk...)
	}
	all.drop(n)
	want := slices.Clone(all.arcs)
	hubs.readers = []*arcSharer{{hubs, [][][]arc{chunks}}}
	r := &partLinks{maker: m}
	if err := r.gather(hubs, 0, n); err != nil {
		t.Fatal(err)
	}
	if most := int(mostArcs*n*4) + 50; cap(r.sorted) > 2*most || len(r.arcs) > most {
		t.Errorf("%d arcs, room for %d, want at most %d", len(r.arcs), cap(r.sorted), most)
	}
	if r.drop(n); !slices.Equal(r.arcs, want) {
		t.Error("other arcs are left")
	}
}
