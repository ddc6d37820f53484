package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cespare/xxhash/v2"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/store"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

const nearRows, nearDim, nearK = 5000, 8, 6

// nearBudget holds codes of 2 bytes, and neither rows nor links.
const nearBudget = 14 * nearRows

// inOrder is a store by parts, whose rows stand as they came.
func inOrder(t testing.TB, metric distance.Metric) *store.Store {
	return scattered(t, builder.Parts, metric)
}

// scattered is a store of rows around points, which come in no order, and some of which have no place.
func scattered(t testing.TB, method builder.Method, metric distance.Metric) *store.Store {
	t.Helper()
	rng := rand.New(rand.NewPCG(9, 9))
	values := make([]float32, nearRows*nearDim)
	for i := range nearRows {
		center := rng.IntN(40)
		for j := range nearDim {
			values[i*nearDim+j] = float32((center*(j+3)*7)%80) + 40*rng.Float32() + 1
		}
	}
	for i := 7; i < nearRows; i += 100 {
		values[i*nearDim+1] = float32(math.Inf(-1))
	}
	rows, err := vectors.FromFloat32(values, nearDim)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "g")
	if _, err := builder.Build(t.Context(), dir, vectors.NewInput(rows), builder.Options{K: nearK, Method: method, Metric: metric, BadRows: builder.Isolate}); err != nil {
		t.Fatal(err)
	}
	g, err := store.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

func searcher(t testing.TB, g *store.Store, o Options) *Searcher {
	t.Helper()
	s, err := Open(g, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// beside is the share of the links of all places that lead to places close by.
func beside(s *Searcher) float64 {
	near, all := 0, 0
	for i := 0; i < len(s.links.table); i += 4 {
		to, place := binary.LittleEndian.Uint32(s.links.table[i:]), i/4/s.links.width
		if to == noLink {
			continue
		}
		all++
		if d := int(to) - place; d > -32 && d < 32 {
			near++
		}
	}
	return float64(near) / float64(all)
}

// TestRowsInOrder: where memory holds no rows and links, and rows stand as they came, a copy of them in an order of locality
// is kept: more links lead to places close by, walks read fewer pages, and every answer has the distance of
// its row. Later it is read, also where memory holds all; but not by Options.Memory.
func TestRowsInOrder(t *testing.T) {
	for _, metric := range []distance.Metric{distance.Euclidean, distance.Cosine, distance.L1, distance.Chebyshev} {
		t.Run(metric.String(), func(t *testing.T) {
			g := inOrder(t, metric)
			came := searcher(t, g, Options{Memory: true})
			s := searcher(t, g, Options{Budget: nearBudget})
			if from := s.State().RowsFrom; !from.Made || !from.Kept || from.Replaced != nil || from.Why != nil || s.State().Why != nil {
				t.Fatalf("%+v", s.State())
			}
			if before, now := beside(came), beside(s); now < 4*before {
				t.Errorf("%.4f of the links lead to places close by, before %.4f", now, before)
			}
			again, whole := searcher(t, g, Options{Budget: nearBudget}), searcher(t, g, Options{})
			for _, r := range []*Searcher{again, whole} {
				if state := r.State(); !state.RowsFrom.Kept || state.RowsFrom.Made || state.Made || state.CodesFrom.Made {
					t.Errorf("%+v: made again", state)
				}
			}
			if searcher(t, g, Options{Memory: true}).near != nil || searcher(t, g, Options{Rows: true}).near != nil {
				t.Error("the copy was read")
			}
			sameAnswers(t, came, s, again, whole)
			if err := Check(t.Context(), g); err != nil {
				t.Error(err)
			}
		})
	}
}

// sameAnswers compares rows, and exact answers, and those of walks with these.
func sameAnswers(t *testing.T, came *Searcher, others ...*Searcher) {
	t.Helper()
	row, query := make([]byte, 4*nearDim), []float32(nil)
	for i := range store.Row(60) {
		var err error
		if query, err = came.Vector(i*17, query); errors.Is(err, store.ErrNoRow) {
			continue
		}
		all, err := came.Search(query, Query{K: nearRows, Exact: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range others {
			if _, err := s.Raw(i*17, row); err != nil || !bytes.Equal(row, came.rows.Row(int(came.places[i*17]))) {
				t.Fatalf("row %d is another: %v", i*17, err)
			}
			if got, err := s.Search(query, Query{K: nearRows, Exact: true}); err != nil || !slices.Equal(got, all) {
				t.Fatalf("row %d has other exact answers: %v", i*17, err)
			}
			got, err := s.Search(query, Query{K: 5})
			if err != nil || len(got) != 5 {
				t.Fatal(got, err)
			}
			for _, n := range got {
				if !slices.Contains(all, n) {
					t.Fatalf("%v is no distance of a row", n)
				}
			}
		}
	}
}

// TestRowsAreAFunction: the copy is the same to the bit on any number of threads and by any limit, and so are links made
// by it, which are those of its places.
func TestRowsAreAFunction(t *testing.T) {
	g := inOrder(t, distance.Euclidean)
	var rows, table []byte
	for i, o := range []Options{{Threads: 1}, {Threads: 3, Limit: 1}, {Threads: 2, Limit: 1 << 30}} {
		os.RemoveAll(filepath.Dir(RowsPath(g.Dir())))
		o.Budget = nearBudget
		s := searcher(t, g, o)
		file, err := os.ReadFile(RowsPath(g.Dir()))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			rows, table = file, slices.Clone(s.links.table)
			wantLinks(t, s)
		}
		if !bytes.Equal(rows, file) || !bytes.Equal(table, s.links.table) {
			t.Errorf("%+v: other rows or links", o)
		}
		for _, limit := range []int64{1, 1 << 30} {
			m := s.maker(s.links.identity)
			m.limit = limit
			if err := m.compare(s.links, "links"); err != nil {
				t.Errorf("limit %d: %v", limit, err)
			}
		}
	}
}

// wantLinks compares links with those of the comment of the package.
func wantLinks(t *testing.T, s *Searcher) {
	t.Helper()
	for place, want := range slowLinks(t, s.maker(s.links.identity)) {
		for i := range s.links.width {
			got := binary.LittleEndian.Uint32(s.links.table[4*(place*s.links.width+i):])
			if i < len(want) && want[i] != noLink && got != want[i] {
				t.Fatalf("link %d of place %d leads to %d, want %d", i, place, got, want[i])
			}
		}
	}
}

// TestRowsDamaged: a copy whose header or order changed, or that was cut, is found out and made again; rows that changed are
// found by Check. One that is damaged and not wanted is passed over.
func TestRowsDamaged(t *testing.T) {
	g := inOrder(t, distance.Euclidean)
	path := RowsPath(g.Dir())
	searcher(t, g, Options{Budget: nearBudget})
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	put := func(change func(bad []byte) []byte) {
		if err := os.WriteFile(path, change(slices.Clone(whole)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	orderAt := headerBytes + 4*nearDim*nearRows
	orderAt -= 4 * nearDim * (nearRows / 100)
	for _, at := range []int{0, 12, 50, 112, orderAt, len(whole) - 1, -1} {
		put(func(bad []byte) []byte {
			if at < 0 {
				return bad[:len(bad)-1]
			}
			bad[at] ^= 4
			return bad
		})
		if err := Check(t.Context(), g); err == nil {
			t.Errorf("byte %d: check finds nothing", at)
		}
		s := searcher(t, g, Options{Budget: nearBudget})
		if from := s.State().RowsFrom; from.Replaced == nil || !from.Made || s.State().Made || s.State().CodesFrom.Made {
			t.Errorf("byte %d: %+v", at, s.State())
		}
		if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, whole) {
			t.Errorf("byte %d: not made again: %v", at, err)
		}
	}
	for _, at := range []int{headerBytes, orderAt - 1} {
		put(func(bad []byte) []byte { bad[at] ^= 4; return bad })
		if err := Check(t.Context(), g); !errors.Is(err, ErrCorrupt) {
			t.Errorf("byte %d of the rows: %v", at, err)
		}
	}
	put(func(bad []byte) []byte { // by a stranger who can hash
		copy(bad[orderAt+4:], bad[orderAt:orderAt+4])
		d := xxhash.New()
		d.Write(bad[orderAt:])
		binary.LittleEndian.PutUint64(bad[120:], d.Sum64())
		seal(bad[:headerBytes])
		return bad
	})
	s := searcher(t, g, Options{})
	if s.near != nil || !s.State().Made {
		t.Errorf("a row that stands twice: %+v", s.State())
	}
	if s = searcher(t, g, Options{Budget: nearBudget}); !errors.Is(s.State().RowsFrom.Replaced, ErrCorrupt) {
		t.Errorf("a row that stands twice: %+v", s.State())
	}
}

// TestRowsNotKept: where the copy cannot be kept, the rows of the store are searched as they stand.
func TestRowsNotKept(t *testing.T) {
	g := inOrder(t, distance.Euclidean)
	if err := os.MkdirAll(filepath.Join(RowsPath(g.Dir()), "in the way"), 0o777); err != nil {
		t.Fatal(err)
	}
	s := searcher(t, g, Options{Budget: nearBudget})
	if state := s.State(); state.RowsFrom.Why == nil || state.RowsFrom.Kept || !state.Kept || state.Codes == 0 {
		t.Errorf("%+v", state)
	}
	sameAnswers(t, searcher(t, g, Options{Memory: true}), s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Open(g, &Options{Budget: nearBudget, Context: ctx}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(g.Dir(), "scratch", "rows*"))
	if err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// TestRowsStay: rows stay where they are under inner products, by which rows in a list are not near each other, where
// they stand in an order of locality already, and where memory holds all.
func TestRowsStay(t *testing.T) {
	for _, s := range []*Searcher{searcher(t, inOrder(t, distance.IP), Options{Budget: nearBudget}), searcher(t, inOrder(t, distance.Euclidean), Options{}),
		searcher(t, scattered(t, builder.Balls, distance.Euclidean), Options{Budget: nearBudget})} {
		if s.near != nil || s.State().RowsFrom != (Origin{}) {
			t.Errorf("%+v", s.State())
		}
	}
}

// TestMakeRows: Make makes the copy where memory holds no rows and links, so that links are made once.
func TestMakeRows(t *testing.T) {
	g := inOrder(t, distance.Euclidean)
	if err := Make(g, &Options{Budget: nearBudget}); err != nil {
		t.Fatal(err)
	}
	if state := searcher(t, g, Options{Budget: nearBudget}).State(); state.Made || state.RowsFrom.Made || !state.RowsFrom.Kept {
		t.Errorf("%+v", state)
	}
}

func someRows() (rowsIdentity, []byte) {
	id := rowsIdentity{identity{places: 5, seed: 1, order: 7, graph: "abc"}, 3}
	data := id.header(3, orderSum([]uint32{4, 0, 2, 1, 3}))
	data = append(data, make([]byte, id.orderAt()-headerBytes)...)
	for _, row := range []uint32{4, 0, 2, 1, 3} {
		data = binary.LittleEndian.AppendUint32(data, row)
	}
	return id, data
}

// TestParseRows: a file is read back as it was written, and no changed byte outside the rows passes.
func TestParseRows(t *testing.T) {
	id, data := someRows()
	if order, sum, err := id.parse(data); err != nil || sum != 3 || !slices.Equal(order, []uint32{4, 0, 2, 1, 3}) {
		t.Fatal(order, sum, err)
	}
	for at := range data {
		if at >= headerBytes && at < id.orderAt() {
			continue
		}
		data[at] ^= 0x10
		if _, _, err := id.parse(data); err == nil {
			t.Errorf("byte %d may change", at)
		}
		data[at] ^= 0x10
	}
	for size := range data {
		if _, _, err := id.parse(data[:size]); err == nil {
			t.Errorf("%d bytes pass", size)
		}
	}
	if xxhash.Sum64(data) != rowsGolden {
		t.Errorf("the file has hash %#x: its format changed", xxhash.Sum64(data))
	}
	other := id
	other.size++
	if _, _, err := other.parse(data); !errors.Is(err, errOtherRows) {
		t.Error(err)
	}
}

// FuzzParseRows: no file makes parse fail otherwise than by an error.
func FuzzParseRows(f *testing.F) {
	id, data := someRows()
	f.Add(data, false)
	f.Add(data[:headerBytes], true)
	f.Add([]byte{}, false)
	f.Fuzz(func(t *testing.T, data []byte, sealed bool) {
		if sealed && len(data) >= headerBytes {
			data = slices.Clone(data)
			copy(data[sumAt:], sumBytes(data[:sumAt]))
		}
		if order, _, err := id.parse(data); err == nil && len(order) != id.places {
			t.Errorf("%d places", len(order))
		}
	})
}

// rowsGolden is the hash of a file of this version; another format needs another version.
const rowsGolden = 0xc409a1356498b03f
