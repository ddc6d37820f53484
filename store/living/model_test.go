package living_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/knng/knng/builder"
	"github.com/knng/knng/builder/rebuild"
	"github.com/knng/knng/store"
	"github.com/knng/knng/store/living"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

var (
	histories = flag.Int("histories", 60, "how many histories TestHistories runs")
	seedFlag  = flag.Uint64("seed", 0, "run a randomised test with this seed")
)

// A model is a living store as it should be: a map, and every row compared with every other.
type model struct {
	metric distance.Metric
	k      int
	next   uint64
	rows   map[uint64]entry
	ids    map[string]uint64
}

type entry struct {
	id     string
	vector []float32
}

func (m *model) clone() *model {
	c := *m
	c.rows, c.ids = maps.Clone(m.rows), maps.Clone(m.ids)
	return &c
}

func (m *model) put(id string, v []float32) uint64 {
	row := m.next
	m.next++
	if old, ok := m.ids[id]; ok && id != "" {
		m.drop(old)
	}
	m.rows[row] = entry{id, v}
	if id != "" {
		m.ids[id] = row
	}
	return row
}

func (m *model) drop(row uint64) {
	if id := m.rows[row].id; id != "" {
		delete(m.ids, id)
	}
	delete(m.rows, row)
}

func (m *model) dist(a, b []float32) float64 {
	if m.metric == distance.Correlation {
		a, b = centered(a), centered(b)
	}
	var sum, dot, na, nb, absolute, most float64
	for i := range a {
		d := float64(a[i] - b[i])
		sum, absolute, most = sum+d*d, absolute+math.Abs(d), max(most, math.Abs(d))
		dot += float64(a[i]) * float64(b[i])
		na += float64(a[i]) * float64(a[i])
		nb += float64(b[i]) * float64(b[i])
	}
	switch m.metric {
	case distance.Cosine, distance.Correlation:
		return 1 - dot/math.Sqrt(na*nb)
	case distance.IP:
		return -dot
	case distance.SqEuclidean:
		return sum
	case distance.L1:
		return absolute
	case distance.Chebyshev:
		return most
	}
	return math.Sqrt(sum)
}

// centered is a vector less its mean.
func centered(v []float32) []float32 {
	sum := float32(0)
	for _, x := range v {
		sum += x
	}
	less := slices.Clone(v)
	for i := range less {
		less[i] -= sum / float32(len(v))
	}
	return less
}

// nearest are the distances of the k nearest rows but one.
func (m *model) nearest(q []float32, k int, but uint64) []float64 {
	var all []float64
	for row, e := range m.rows {
		if row != but {
			all = append(all, m.dist(q, e.vector))
		}
	}
	slices.Sort(all)
	return all[:min(k, len(all))]
}

// chunk is how many rows are integrated at a time.
const chunk = 5

const nobody = ^uint64(0)

// A history is a living store beside its model.
type history struct {
	t    *testing.T
	rng  *rand.Rand
	dir  string
	m    *model
	dim  int
	typ  vectors.Type
	db   *living.DB
	opts *living.Options

	width int // so many values has an element; 0: 64

	reader  *living.View
	kept    *living.View // an old view, and what it must show
	keptM   *model
	actions []string
}

func (h *history) note(format string, a ...any) {
	h.actions = append(h.actions, fmt.Sprintf(format, a...))
}

func (h *history) fatal(format string, a ...any) {
	h.t.Helper()
	h.t.Fatalf(format+"\nafter %v", append(a, h.actions)...)
}

func (h *history) must(err error) {
	h.t.Helper()
	if err != nil {
		h.fatal("%v", err)
	}
}

// vector is one that rows may have, now and then the same as another.
func (h *history) vector() []float32 {
	if at := uint64(h.rng.IntN(int(h.m.next) + 1)); h.rng.IntN(4) == 0 && h.m.rows[at].vector != nil {
		return h.m.rows[at].vector
	}
	v, width := make([]float32, h.dim), cmp.Or(h.width, 64)
	for {
		for i := range v {
			switch h.typ {
			case vectors.Uint8:
				v[i] = float32(h.rng.IntN(width))
			case vectors.Int8:
				v[i] = float32(h.rng.IntN(width) - width/2)
			default:
				v[i] = float32(h.rng.IntN(width)-width/2) / 4
			}
		}
		zero := !slices.ContainsFunc(v, func(x float32) bool { return x != 0 })
		equal := !slices.ContainsFunc(v, func(x float32) bool { return x != v[0] })
		if !(zero && h.m.metric.ZeroIsBad()) && !(equal && h.m.metric.ConstantIsBad()) {
			return v
		}
	}
}

var oddIDs = []string{"é", "e\u0301", "日本", " ", "\ra", "a\x00", "00", "-0", "\u2028", strings.Repeat("x", 4096), strings.Repeat("x", 4095) + "y"}

func (h *history) id() string {
	switch h.rng.IntN(6) {
	case 0:
		return ""
	case 1:
		return living.Int(int64(h.rng.IntN(30)) - 5)
	case 2:
		return oddIDs[h.rng.IntN(len(oddIDs))]
	}
	return "name " + strconv.Itoa(h.rng.IntN(40))
}

// anyRow is a live row, or one that is not.
func (h *history) anyRow() uint64 {
	rows := slices.Sorted(maps.Keys(h.m.rows))
	if len(rows) == 0 || h.rng.IntN(8) == 0 {
		return uint64(h.rng.IntN(int(h.m.next) + 2))
	}
	return rows[h.rng.IntN(len(rows))]
}

var errChanged = errors.New("changed its mind")

// update runs a transaction of some operations, which may fail.
func (h *history) update(most int) {
	m, fails := h.m.clone(), h.rng.IntN(6) == 0
	n := 1 + h.rng.IntN(most)
	err := h.db.Update(func(tx *living.Tx) error {
		for range n {
			h.operate(tx, m)
		}
		if fails {
			return errChanged
		}
		return nil
	})
	h.note("update of %d, fails: %v", n, fails)
	if fails {
		if !errors.Is(err, errChanged) {
			h.fatal("error %v", err)
		}
		return
	}
	h.must(err)
	h.m = m
}

func (h *history) operate(tx *living.Tx, m *model) {
	switch h.rng.IntN(10) {
	case 0, 1:
		id := h.id()
		row, err := tx.RowOf(id)
		want, ok := m.ids[id]
		if ok != (err == nil) || ok && uint64(row) != want {
			h.fatal("id %q is of row %d, error %v, want %d, %v", id, row, err, want, ok)
		}
		if err = tx.Delete(id); ok != (err == nil) || !ok && !errors.Is(err, living.ErrNoID) {
			h.fatal("delete %q: %v, want %v", id, err, ok)
		}
		if ok {
			m.drop(want)
		}
	case 2:
		row := h.anyRow()
		_, ok := m.rows[row]
		if err := tx.DeleteRow(store.Row(row)); ok != (err == nil) || !ok && !errors.Is(err, living.ErrNoRow) {
			h.fatal("delete row %d: %v, want %v", row, err, ok)
		}
		if ok {
			m.drop(row)
		}
	default:
		id, v := h.id(), h.vector()
		row, err := tx.Put(id, v)
		h.must(err)
		if want := m.put(id, v); uint64(row) != want {
			h.fatal("put gave row %d, want %d", row, want)
		}
	}
}

// same compares a view with a model.
func (h *history) same(v *living.View, m *model) {
	h.t.Helper()
	rows := slices.Sorted(maps.Keys(m.rows))
	got := []uint64{}
	for row := range v.Rows() {
		got = append(got, uint64(row))
	}
	if !slices.Equal(got, rows) && len(rows)+len(got) > 0 || v.Len() != len(rows) {
		h.fatal("rows %v (%d), want %v", got, v.Len(), rows)
	}
	for row, e := range m.rows {
		id, err := v.ID(store.Row(row))
		vec, err2 := v.Vector(store.Row(row), nil)
		if err != nil || err2 != nil || id != e.id || !slices.Equal(vec, e.vector) {
			h.fatal("row %d is %q %v (%v, %v), want %q %v", row, id, vec, err, err2, e.id, e.vector)
		}
		if id == "" {
			continue
		}
		if at, err := v.RowOf(id); err != nil || uint64(at) != row {
			h.fatal("id %q is of row %d (%v), want %d", id, at, err, row)
		}
	}
	for range 5 {
		id := h.id()
		if _, ok := m.ids[id]; !ok {
			if at, err := v.RowOf(id); !errors.Is(err, living.ErrNoID) {
				h.fatal("id %q is of row %d (%v), want none", id, at, err)
			}
		}
	}
	if st := v.State(); st.NextRow != m.next || st.Rows != len(rows) {
		h.fatal("state %+v, want next row %d, %d rows", st, m.next, len(rows))
	}
}

// searched compares what searches find with the truth.
func (h *history) searched(v *living.View, m *model) {
	h.t.Helper()
	for range 3 {
		q, k := h.vector(), 1+h.rng.IntN(12)
		for _, exact := range []bool{true, false} {
			found, err := v.Search(q, living.Query{K: k, Exact: exact})
			h.must(err)
			h.list(m, q, found, m.nearest(q, k, nobody), nobody, exact)
		}
		filter := func(r store.Row) bool { return r%3 != 0 }
		within := float32(6)
		found, err := v.Search(q, living.Query{Within: &within, Exact: true, Keep: filter})
		h.must(err)
		want := 0
		for row, e := range m.rows {
			if d := m.dist(q, e.vector); filter(store.Row(row)) && float32(d) <= within {
				want++
			}
		}
		if len(found) != want {
			h.fatal("%d rows within %v, want %d", len(found), within, want)
		}
		only, err := v.Only([]store.Row{store.Row(h.anyRow()), store.Row(h.anyRow()), 1 << 40})
		h.must(err)
		found, err = v.Search(q, living.Query{K: 3, Only: only})
		h.must(err)
		if len(found) > 2 {
			h.fatal("%d rows of a set of 2", len(found))
		}
	}
	rows := slices.Sorted(maps.Keys(m.rows))
	for range min(4, len(rows)) {
		row := rows[h.rng.IntN(len(rows))]
		q := m.rows[row].vector
		for _, o := range []*living.NeighborsOptions{nil, {Exact: true}} {
			found, err := v.Neighbors(store.Row(row), o)
			h.must(err)
			h.list(m, q, found, m.nearest(q, m.k, row), row, o != nil)
		}
	}
}

// graph compares the lists of all live rows, counted from 0, with the truth.
func (h *history) graph(v *living.View, m *model) {
	h.t.Helper()
	g, err := v.Graph()
	h.must(err)
	rows := slices.Sorted(maps.Keys(m.rows))
	if g.Len() != len(rows) || g.K() != max(0, min(m.k, len(rows)-1)) {
		h.fatal("a graph of %d rows, k=%d, want %d rows, k=%d or all", g.Len(), g.K(), len(rows), m.k)
	}
	next := 0
	h.must(g.EachKeyed(func(i store.Row, neighbors []uint32, distances []float32) error {
		row := rows[next]
		e := m.rows[row]
		if id, err := g.ID(i); int(i) != next || uint64(g.Number(i)) != row || err != nil || id != cmp.Or(e.id, strconv.FormatUint(row, 10)) {
			h.fatal("row %d of the graph is %d, %q (%v), want %d, %q", i, g.Number(i), id, err, row, e.id)
		}
		found := make([]store.Neighbor, len(neighbors))
		for j, to := range neighbors {
			found[j] = store.Neighbor{Row: store.Row(rows[to]), Distance: g.Shown(distances[j])}
		}
		h.list(m, e.vector, found, m.nearest(e.vector, m.k, row), row, false)
		list, err := g.Neighbors(i, nil)
		h.must(err)
		for j, n := range list {
			if j >= len(neighbors) || n.Row != store.Row(neighbors[j]) || n.Distance != g.Shown(distances[j]) {
				h.fatal("neighbor %d of row %d is %v, want those of the pass: %v", j, i, n, neighbors)
			}
		}
		if e.id != "" {
			if at, err := g.RowOf(e.id); at != i || err != nil {
				h.fatal("%q is row %d of the graph (%v), want %d", e.id, at, err, i)
			}
		}
		next++
		return nil
	}))
	if next != len(rows) {
		h.fatal("%d lists, want %d", next, len(rows))
	}
}

// list holds a list against the least distances.
func (h *history) list(m *model, q []float32, found []store.Neighbor, want []float64, but uint64, exact bool) {
	h.t.Helper()
	if len(found) != len(want) {
		h.fatal("%d found, want %d: %v, want %v", len(found), len(want), found, want)
	}
	seen := map[store.Row]bool{}
	for i, n := range found {
		e, ok := m.rows[uint64(n.Row)]
		if !ok || seen[n.Row] || uint64(n.Row) == but {
			h.fatal("row %d found, which is dead, found twice, or the query's", n.Row)
		}
		seen[n.Row] = true
		if d := m.dist(q, e.vector); math.Abs(d-float64(n.Distance)) > 1e-4 {
			h.fatal("row %d is at %v, want %v", n.Row, n.Distance, d)
		}
		if exact && math.Abs(want[i]-float64(n.Distance)) > 1e-4 {
			h.fatal("entry %d is at %v, want %v", i, n.Distance, want[i])
		}
	}
	if !slices.IsSortedFunc(found, func(a, b store.Neighbor) int { return cmp.Compare(a.Distance, b.Distance) }) {
		h.fatal("not sorted: %v", found)
	}
}

func (h *history) view() *living.View {
	v, err := h.db.View()
	h.must(err)
	return v
}

// step does one thing.
func (h *history) step() {
	switch h.rng.IntN(20) {
	case 17, 18, 19:
		h.integrate()
	case 0:
		h.note("reopen")
		h.must(h.db.Close())
		h.open()
	case 1, 2:
		h.compact()
	case 3:
		h.note("keep a view")
		if h.kept != nil {
			h.must(h.kept.Close())
		}
		h.kept, h.keptM = h.view(), h.m.clone()
	case 4:
		h.note("refresh the reader")
		v, err := h.reader.Refresh()
		h.must(err)
		h.must(h.reader.Close())
		h.reader = v
		h.same(v, h.m)
		h.searched(v, h.m)
		h.graph(v, h.m)
	case 6:
		h.deleteAll()
	case 5:
		h.note("backup")
		dir := filepath.Join(h.t.TempDir(), "b")
		v := h.view()
		h.must(v.Backup(context.Background(), dir))
		h.must(v.Close())
		b, err := living.OpenReader(dir, nil)
		h.must(err)
		h.same(b, h.m)
		h.must(b.Close())
	default:
		h.update(12)
	}
}

func (h *history) deleteAll() {
	h.note("delete all %d rows", len(h.m.rows))
	rows := slices.Sorted(maps.Keys(h.m.rows))
	h.must(h.db.Update(func(tx *living.Tx) (err error) {
		for _, row := range rows {
			err = errors.Join(err, tx.DeleteRow(store.Row(row)))
		}
		return err
	}))
	for _, row := range rows {
		h.m.drop(row)
	}
}

func (h *history) integrate() {
	h.note("integrate")
	h.must(h.db.Wait())
	h.must(h.db.Integrate(context.Background()))
	v := h.view()
	defer v.Close()
	if st := v.State(); st.Base != "" && (st.Layered+st.Pending > int(h.m.next) || st.Pending >= chunk) {
		h.fatal("after integration %+v", st)
	}
	recalls, err := v.Controls(context.Background(), 1)
	h.must(err)
	for _, r := range recalls {
		if r > 1 {
			h.fatal("recall %v", r)
		}
	}
	h.searched(v, h.m)
}

func (h *history) compact() {
	v := h.view()
	before, err := v.Content(context.Background())
	h.must(err)
	h.must(v.Close())
	h.note("compact %d rows", len(h.m.rows))
	h.must(h.db.Wait())
	h.must(rebuild.Compact(context.Background(), h.db, rebuild.Options{Threads: 1}))
	v = h.view()
	defer v.Close()
	after, err := v.Content(context.Background())
	h.must(err)
	if after != before {
		h.fatal("content %v, before %v", after, before)
	}
	if st := v.State(); st.Pending != 0 || st.Dead != 0 {
		h.fatal("after compaction %+v", st)
	}
}

func (h *history) open() {
	var err error
	h.db, err = living.Open(h.dir, h.opts)
	h.must(err)
}

// begin makes a store that was built, or an empty one.
func begin(t *testing.T, seed uint64) *history {
	rng := rand.New(rand.NewPCG(seed, 2))
	h := &history{t: t, rng: rng, dir: filepath.Join(t.TempDir(), "g"), opts: new(living.Options)}
	h.opts = h.opts.Chunk(chunk)
	if h.opts.Auto = rng.IntN(3) == 0; rng.IntN(2) == 0 {
		h.opts = h.opts.Due(10)
		h.opts.Rebuild = rebuild.Auto(rebuild.Options{Threads: 1})
	}
	h.typ = []vectors.Type{vectors.Uint8, vectors.Int8, vectors.Float16, vectors.Float32}[rng.IntN(4)]
	metric := []distance.Metric{distance.Euclidean, distance.SqEuclidean, distance.Cosine, distance.IP, distance.L1, distance.Chebyshev, distance.Correlation}[rng.IntN(7)]
	if h.dim = 1 + rng.IntN(6); metric.ConstantIsBad() {
		h.dim++
	}
	h.width = []int{3, 40, 64}[rng.IntN(3)]
	h.m = &model{metric: metric, k: []int{1, 2, 4, 6, 60}[rng.IntN(5)], rows: map[uint64]entry{}, ids: map[string]uint64{}}
	if rng.IntN(3) == 0 {
		h.opts.Create = &living.Shape{Dim: h.dim, Type: h.typ, Metric: metric, K: h.m.k}
	} else {
		h.built(1 + rng.IntN(60))
	}
	h.note("%v, %v, %d dimensions, k %d, %d rows", h.typ, metric, h.dim, h.m.k, len(h.m.rows))
	h.open()
	h.reader = h.openReader()
	return h
}

func (h *history) openReader() *living.View {
	r, err := living.OpenReader(h.dir, nil)
	h.must(err)
	return r
}

// built builds a store of the format that package store describes.
func (h *history) built(n int) {
	size := h.dim * h.typ.Size()
	data := make([]byte, n*size)
	for i := range n {
		v := h.vector()
		h.must(vectors.Encode(h.typ, v, data[i*size:(i+1)*size]))
		h.m.put("", v)
	}
	rows, err := vectors.RowsOf(data, n, h.dim, size, h.typ)
	h.must(err)
	o := builder.Options{K: h.m.k, Metric: h.m.metric, Threads: 1}
	if h.rng.IntN(2) == 0 {
		o.IDs = filepath.Join(h.t.TempDir(), "ids")
		h.writeIDs(o.IDs, n)
	}
	_, err = builder.Build(context.Background(), h.dir, vectors.NewInput(rows), o)
	h.must(err)
}

func (h *history) end() {
	h.must(h.reader.Close())
	if h.kept != nil {
		h.same(h.kept, h.keptM)
		h.graph(h.kept, h.keptM)
		h.must(h.kept.Close())
	}
	h.must(h.db.Close())
}

// TestHistories runs histories beside the model.
func TestHistories(t *testing.T) {
	first, n := *seedFlag, *histories
	if first == 0 {
		first = rand.Uint64()
	}
	if testing.Short() {
		n = min(n, 10)
	}
	t.Logf("again: go test ./store/living -run '^TestHistories$' -histories %d -seed %d", n, first)
	for i := range uint64(n) {
		t.Run(strconv.FormatUint(first+i, 10), func(t *testing.T) { aHistory(t, first+i) })
	}
}

func aHistory(t *testing.T, seed uint64) {
	t.Logf("again: go test ./store/living -run '^TestHistories$' -histories 1 -seed %d", seed)
	h := begin(t, seed)
	for range 12 {
		h.step()
		v := h.view()
		h.same(v, h.m)
		h.must(v.Close())
	}
	v := h.view()
	h.searched(v, h.m)
	h.graph(v, h.m)
	h.must(v.Close())
	h.end()
}
