package living

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"sync"

	"github.com/knng/knng/store"
	"github.com/knng/knng/store/internal/inflight"
	"github.com/knng/knng/store/living/internal/pointer"
	"github.com/knng/knng/store/living/internal/tail"
	"github.com/knng/knng/store/search"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// A View is a living store at one moment. Later writes do not change it. It is safe for concurrent use. Until
// Close its files stay on disk, even if the store is compacted meanwhile.
type View struct {
	st   *state
	snap *snapshot
	db   *DB // nil if OpenReader opened the view
	opts ReadOptions

	calls   inflight.Calls // those that read files
	walkers sync.Pool      // of *walker
}

// ReadOptions tunes OpenReader. The zero value works.
type ReadOptions struct {
	Search *search.Options // of the base; nil: the zero value
}

// OpenReader opens the present state of the store in dir, in any number of processes, while another writes.
// It also opens a built store that this package never wrote to. Errors: store.ErrNotStore and the others of
// store.Open, search.ErrOwnDistance, ErrCorrupt.
func OpenReader(dir string, opts *ReadOptions) (*View, error) {
	if opts == nil {
		opts = new(ReadOptions)
	}
	h, err := openHome(dir)
	if err != nil {
		return nil, err
	}
	defer h.release()
	st, err := openLatest(h, nil, opts.Search)
	if err != nil {
		return nil, err
	}
	return newView(st, nil, *opts), nil
}

// newView takes over one reference to a state.
func newView(st *state, db *DB, opts ReadOptions) *View {
	return &View{st: st, snap: st.now.Load(), db: db, opts: opts}
}

// openLatest opens the current files. If a writer replaces the manifest meanwhile and removes old files, it
// begins again.
func openLatest(h *home, keep *state, o *search.Options) (*state, error) {
	var last error
	for range 100 {
		m, err := readManifest(h)
		if err != nil {
			return nil, err
		}
		st, err := openState(h, m, keep, o)
		if err == nil {
			if err = st.replay(false); err == nil {
				return st, nil
			}
			st.release()
		}
		if now, gone := readManifest(h); gone == nil && now.Number == m.Number {
			if !errors.Is(err, errGoing) {
				return nil, err
			}
		}
		last = err
	}
	return nil, last
}

// readManifest reads the current manifest, or makes one for a store without it.
func readManifest(h *home) (*pointer.Manifest, error) {
	m, err := pointer.Read(h.Dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return m, err
	}
	if err := h.neverWritten(); err != nil {
		if m, now := pointer.Read(h.Dir); !errors.Is(now, fs.ErrNotExist) { // a writer created it meanwhile
			return m, now
		}
		return nil, err
	}
	g, err := store.Open(h.Name(), &store.Options{AsBuilt: true}) // a writer may write meanwhile
	if err != nil {
		return nil, err
	}
	defer g.Close()
	if g.OwnDistance() {
		return nil, fmt.Errorf("%s: %w", h.Name(), search.ErrOwnDistance)
	}
	info := g.Info()
	if _, err := info.Manifest.RowType(); err != nil {
		return nil, err
	}
	return &pointer.Manifest{Dim: info.Manifest.Dim, Type: info.Manifest.Type, Metric: info.Manifest.Metric, K: info.Manifest.K,
		Base: pointer.Here, Checksum: info.Checksum, FirstRow: uint64(g.Len())}, nil
}

// Close waits for running calls, then releases the view, so it must not be called from within one, for
// example from Query.Keep. Later calls that return an error return ErrClosed. The view's Searcher and Base,
// and every Source and Graph of it, must not be used afterwards.
func (v *View) Close() error {
	if !v.calls.Close() {
		return nil
	}
	return v.st.release()
}

// Refresh returns a view of the present state of the store. The old view does not change, and has its own
// Close. Errors: those of OpenReader, ErrClosed.
func (v *View) Refresh() (*View, error) {
	if !v.calls.Enter() {
		return nil, ErrClosed
	}
	defer v.calls.Leave()
	if v.db != nil {
		return v.db.View()
	}
	m, err := readManifest(v.st.dir)
	if err != nil {
		return nil, err
	}
	if ok, err := v.st.follow(m); err != nil {
		return nil, err
	} else if ok {
		return newView(v.st.retain(), nil, v.opts), nil
	}
	st, err := openLatest(v.st.dir, v.st, v.opts.Search)
	if err != nil {
		return nil, err
	}
	return newView(st, nil, v.opts), nil
}

// follow updates a state to a manifest that changed only the layer, and reports whether it did. If the layer
// file is gone, a newer manifest is current.
func (st *state) follow(m *pointer.Manifest) (ok bool, err error) {
	have := st.now.Load().man
	if len(m.Logs) == 0 || m.Base != have.Base || m.Checksum != have.Checksum || m.Rows != have.Rows || !slices.Equal(m.Logs, have.Logs) {
		return false, nil
	}
	if m.Number == have.Number {
		return true, st.replay(false)
	}
	l, err := st.openLayer(m)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	st.writing.Lock()
	if m.Number > st.man.Number {
		st.man, st.layer = m, l
	}
	st.writing.Unlock()
	return true, st.replay(false)
}

// State holds the counts of a view.
type State struct {
	Rows    int    `json:"rows"`     // live rows
	Layered int    `json:"layered"`  // of these, rows put since the base was built and integrated
	Pending int    `json:"pending"`  // of these, rows not in the graph yet: every query is compared with them
	Chunk   int    `json:"chunk"`    // rows that Integrate takes at a time; 0 if there is no base
	Dead    int    `json:"dead"`     // dead rows that take space until the store is compacted
	Ops     uint64 `json:"ops"`      // operations so far
	Logs    int    `json:"logs"`     // files that hold those since the base was built
	NextRow uint64 `json:"next_row"` // the number of the next row
	K       int    `json:"k"`        // entries of a list
	Dim     int    `json:"dim"`      // elements of a row
	Type    string `json:"type"`     // of an element: vectors.Type.String
	Metric  string `json:"metric"`   // distance.Metric.String
	Base    string `json:"base"`     // folder of the graph; "" if there is none
	Due     bool   `json:"due"`      // a compaction would pay: an eighth of the rows is dead, or the rows put are a quarter of the base
	Unended bool   `json:"unended"`  // a compaction was begun and is to be continued

	Unintegrated string `json:"unintegrated,omitempty"` // why the last integration by this DB failed
}

// State returns the counts of the view.
func (v *View) State() State {
	s, n := v.snap, 0
	if v.st.base != nil {
		n = v.st.base.count
	}
	all := n + int(s.part.Len())
	layered := 0
	for at := range s.covered() {
		if s.part.Live(at) {
			layered++
		}
	}
	st := State{Rows: s.live(), Layered: layered, Pending: s.liveTail - layered, Dead: all - s.live(), NextRow: v.st.first + uint64(s.part.Len()), Logs: len(s.man.Logs),
		K: v.st.k, Dim: v.st.dim, Type: v.st.typ.String(), Metric: v.st.metric.String(), Unended: s.man.Compact != nil}
	if next := v.st.firstOp + uint64(s.ops); next > 0 { // they count from 1
		st.Ops = next - 1
	}
	if s.man.Base != "" {
		st.Base = v.st.path(s.man.Base)
	}
	if v.st.base != nil {
		st.Chunk = chunkOf(n)
	}
	st.Due = due(all, st.Dead, n, s.liveTail, dueRows)
	if v.db != nil {
		if u := v.db.waiting.Load(); u != nil {
			st.Unintegrated = u.err.Error()
		}
	}
	return st
}

// Len returns the number of live rows.
func (v *View) Len() int { return v.snap.live() }

// Dim returns the number of elements of a vector.
func (v *View) Dim() int { return v.st.dim }

// Type returns the type of the vectors.
func (v *View) Type() vectors.Type { return v.st.typ }

// Metric returns the distance.
func (v *View) Metric() distance.Metric { return v.st.metric }

// Searcher returns the searcher of the view's base, or nil if it has none. It does not include the operations
// since. The view owns and closes it.
func (v *View) Searcher() *search.Searcher {
	if v.st.base == nil {
		return nil
	}
	return v.st.base.s
}

// Base returns the store that was last built, or nil. It does not include the operations since, and its rows
// count from 0. The view owns and closes it.
func (v *View) Base() *store.Store {
	if v.st.base == nil {
		return nil
	}
	return v.st.base.g
}

// RowOf returns the live row of an id. Errors: ErrNoID, ErrCorrupt, ErrClosed.
func (v *View) RowOf(id string) (store.Row, error) {
	if !v.calls.Enter() {
		return 0, ErrClosed
	}
	defer v.calls.Leave()
	row, err := v.st.find(v.snap, id)
	return store.Row(row), err
}

// ID returns the id of a live row, "" if it has none. Errors: ErrNoRow, ErrCorrupt, ErrClosed.
func (v *View) ID(row store.Row) (string, error) {
	if !v.calls.Enter() {
		return "", ErrClosed
	}
	defer v.calls.Leave()
	return v.st.idOf(v.snap, uint64(row))
}

// Has reports whether a row lives.
func (v *View) Has(row store.Row) bool {
	_, _, err := v.st.locate(v.snap, uint64(row))
	return err == nil
}

// Vector appends the elements of a live row to dst[:0]. Errors: ErrNoRow, ErrClosed, vectors.ErrFault.
func (v *View) Vector(row store.Row, dst []float32) ([]float32, error) {
	if !v.calls.Enter() {
		return nil, ErrClosed
	}
	defer v.calls.Leave()
	return v.st.vector(v.snap, uint64(row), dst)
}

// Rows yields the live rows, ascending.
func (v *View) Rows() iter.Seq[store.Row] {
	return func(yield func(store.Row) bool) {
		v.st.each(v.snap, func(row uint64, _, _ uint32) bool { return yield(store.Row(row)) })
	}
}

// each calls fn with every live row, ascending, and its location, as locate gives it.
func (st *state) each(snap *snapshot, fn func(row uint64, p, at uint32) bool) {
	if st.base != nil {
		for p := range uint32(st.base.g.Len()) {
			if st.base.isPlaced(p) && st.livesAt(p, snap.ops) && !fn(st.base.rows.row(p), p, tail.NoRow) {
				return
			}
		}
	}
	for at := range snap.part.Len() {
		if snap.part.Live(at) && !fn(st.first+uint64(at), 0, at) {
			return
		}
	}
}
