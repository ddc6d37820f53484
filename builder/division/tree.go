package division

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/knng/knng/builder/internal/hashrand"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/distance"
)

// A Tree divides by hyperplanes. Every node projects its rows on a direction
// and splits at the exact median of (projection, hash(seed, division, node,
// row), row); a node with fewer than LeafSize rows is a leaf. The sizes of all
// nodes therefore follow from n and LeafSize alone, and identical rows are
// split by their hashes like any others.
//
// The direction is the principal direction of Sample rows of the node (those of
// smallest hash). Divisions are random by this alone: "rather than computing
// the principal direction from the whole subset of points, we compute the
// principal direction over the points randomly sampled from each subset".
//
// Nothing depends on places, threads or the order in which nodes are visited.
type Tree struct {
	Space    *distance.Space
	Base     []byte // row of place p: Base[p*Stride:]
	Stride   int
	Dim      int
	Norms    []float64 // of all places, where Space.NeedsNorms; rows are divided by them
	RowOf    []uint32  // RowOf[place] = row; nil is the identity
	N        int       // places
	Seed     uint64
	LeafSize int
	Sample   int
	Random   bool // random directions instead of principal ones (for comparison)
	Threads  int
	// Progress is told of every leaf-bound subtree that is done, with its rows.
	Progress func(rows int)
}

// entry is one row on its way down the tree.
type entry struct {
	proj  float32
	hash  uint32
	row   uint32
	place uint32
}

func (a *entry) less(b *entry) bool {
	if a.proj != b.proj {
		return a.proj < b.proj
	}
	if a.hash != b.hash {
		return a.hash < b.hash
	}
	return a.row < b.row
}

// forkRows is the smallest node that is worth a goroutine of its own or a
// parallel projection: below it a node takes well under a millisecond.
const forkRows = 8192

// Divide makes division number `division`.
func (t *Tree) Divide(ctx context.Context, division uint32) (*Leaves, error) {
	entries := make([]entry, t.N)
	for p := range entries {
		entries[p] = entry{row: t.row(uint32(p)), place: uint32(p)}
	}
	w := &walk{Tree: t, ctx: ctx, division: division}
	w.pool.New = func() any { return newScratch(t) }
	w.guard(func() { w.node(1, entries, max(t.Threads, 1)) })
	if err := w.err(); err != nil {
		return nil, err
	}
	l := &Leaves{Places: make([]uint32, t.N), Starts: starts(t.N, t.LeafSize)}
	for i, e := range entries {
		l.Places[i] = e.place
	}
	for i := range l.Len() {
		slices.Sort(l.Leaf(i))
	}
	return l, nil
}

func (t *Tree) row(place uint32) uint32 {
	if t.RowOf == nil {
		return place
	}
	return t.RowOf[place]
}

// starts computes the bounds of all leaves: halving is exact, so they are known
// before anything is divided.
func starts(n, leafSize int) []uint32 {
	bounds := []uint32{0}
	var rec func(lo, n int)
	rec = func(lo, n int) {
		if n < leafSize || n < 2 {
			bounds = append(bounds, uint32(lo+n))
			return
		}
		rec(lo, n/2)
		rec(lo+n/2, n-n/2)
	}
	if n > 0 {
		rec(0, n)
	}
	return bounds
}

// walk is one division in progress.
type walk struct {
	*Tree
	ctx      context.Context
	division uint32
	pool     sync.Pool // *scratch
	failed   atomic.Pointer[error]
}

// guard runs fn, which reads mapped rows, and keeps the first fault.
func (w *walk) guard(fn func()) {
	err := vectors.Guard(func() error {
		fn()
		return nil
	})
	if err != nil {
		w.failed.CompareAndSwap(nil, &err)
	}
}

// err is why the walk cannot go on, if it cannot.
func (w *walk) err() error {
	if err := w.failed.Load(); err != nil {
		return *err
	}
	return w.ctx.Err()
}

// node divides entries, giving its left and right halves to separate goroutines
// while there are threads to share out.
func (w *walk) node(id uint64, entries []entry, threads int) {
	if w.err() != nil {
		return
	}
	if len(entries) < w.LeafSize || len(entries) < 2 {
		w.done(len(entries))
		return
	}
	w.project(id, entries, threads)
	half := len(entries) / 2
	selectNth(entries, half)
	if threads > 1 && len(entries) >= forkRows {
		var g sync.WaitGroup
		defer g.Wait() // even where this goroutine meets a fault
		g.Go(func() { w.guard(func() { w.node(2*id, entries[:half], threads/2) }) })
		w.node(2*id+1, entries[half:], threads-threads/2)
		return
	}
	w.node(2*id, entries[:half], 1)
	w.node(2*id+1, entries[half:], 1)
}

func (w *walk) done(rows int) {
	if w.Progress != nil {
		w.Progress(rows)
	}
}

// project fills in hash and projection of every entry of a node.
func (w *walk) project(id uint64, entries []entry, threads int) {
	key := nodeKey(w.Seed, w.division, id)
	for i := range entries {
		entries[i].hash = uint32(hashrand.Mix(key^uint64(entries[i].row)) >> 32)
	}
	s := w.pool.Get().(*scratch)
	defer w.pool.Put(s)
	var dir []float32
	if w.Random {
		dir = s.randomDirection(key)
	} else {
		dir = s.principalDirection(entries, key)
	}
	if threads <= 1 || len(entries) < forkRows {
		s.dots(dir, entries)
		return
	}
	var g sync.WaitGroup
	for part := range slices.Chunk(entries, (len(entries)+threads-1)/threads) {
		g.Go(func() {
			own := w.pool.Get().(*scratch)
			w.guard(func() { own.dots(dir, part) })
			w.pool.Put(own)
		})
	}
	g.Wait()
}

// nodeKey names a node in all hashes.
func nodeKey(seed uint64, division uint32, node uint64) uint64 {
	return hashrand.Mix(hashrand.Mix(hashrand.Mix(seed)^uint64(division)) ^ node)
}
