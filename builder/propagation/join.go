package propagation

import (
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/knng/knng/builder/candidates"
	"github.com/knng/knng/builder/pages"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// A Round propagates by joins: the neighbors of a row, and the rows that have it
// as a neighbor, are compared with each other, because neighbors of one row are
// likely neighbors. Only pairs are compared of which one entered a list since
// the round before (Dong, Moses, Li 2011, "Efficient k-nearest neighbor graph
// construction for generic similarity measures", section 2).
//
// Where best-first propagation compares one row with others one after the
// other, a join is a small matrix product. Every pair is offered to both ends.
// The round reads the lists as they were when it began, and writes the next
// generation, so the order of joins does not matter.
type Round struct {
	lists  *candidates.Lists
	before []uint32 // N*K: place<<1 | new
	starts []uint64 // of the rows that have a place in their lists: N+1
	back   []uint32 // those rows<<1 | new
	next   []uint64 // where the next of them goes; added to atomically
	most   int      // rows in back that a join takes
	seed   uint64

	words [2]pages.Block[uint32] // before and back
	longs [2]pages.Block[uint64] // starts and next
}

const none = math.MaxUint32

// beginRows is how many lists a goroutine freezes at a time.
const beginRows = 4096

// NewRound returns a round over lists, not begun. Its memory, 8 bytes an entry and
// 16 a list, serves one round after the other until it is freed.
func NewRound(lists *candidates.Lists, most int) *Round {
	r := &Round{lists: lists, most: most}
	for i := range 2 {
		r.words[i] = pages.Make[uint32](lists.N * lists.K)
		r.longs[i] = pages.Make[uint64](lists.N + 1)
	}
	r.before, r.back = r.words[0].Slice, r.words[1].Slice
	r.starts, r.next = r.longs[0].Slice, r.longs[1].Slice[:lists.N]
	return r
}

// Free gives the memory back. The round is over.
func (r *Round) Free() {
	for i := range 2 {
		r.words[i].Free()
		r.longs[i].Free()
	}
}

// Begin freezes the lists, marks all their entries old, and gathers for every
// place the rows that list it. Nobody may be offering to them. seed draws lots.
func (r *Round) Begin(seed uint64, threads int) error {
	r.seed = seed
	lists := r.lists
	clear(r.next)
	err := ranges(threads, lists.N, func(from, to int) {
		for p := from; p < to; p++ {
			row := r.frozen(uint32(p))
			n := lists.Freeze(uint32(p), row)
			for i := n; i < len(row); i++ {
				row[i] = none
			}
			touch(r.next, row[:n])
			for _, e := range row[:n] {
				atomic.AddUint64(&r.next[e>>1], 1)
			}
		}
	})
	if err != nil {
		return err
	}
	for i := range r.next {
		r.starts[i+1] = r.starts[i] + r.next[i]
		r.next[i] = r.starts[i]
	}
	return ranges(threads, lists.N, func(from, to int) {
		at := make([]uint64, lists.K)
		for p := from; p < to; p++ {
			row := filled(r.frozen(uint32(p)))
			touch(r.next, row)
			// An atomic addition waits for the stores before it: first all of
			// those, then the stores, which wait for memory side by side.
			for i, e := range row {
				at[i] = atomic.AddUint64(&r.next[e>>1], 1) - 1
			}
			for i, e := range row {
				r.back[at[i]] = uint32(p)<<1 | e&1
			}
		}
	})
}

func ranges(threads, n int, fn func(from, to int)) error {
	return vectors.Ranges(threads, n, beginRows, func() func(from, to int) error {
		return func(from, to int) error {
			fn(from, to)
			return nil
		}
	})
}

// touch reads what is about to be added to: reads wait for memory side by side,
// atomic additions one after the other.
func touch(next []uint64, row []uint32) (sum uint64) {
	for _, e := range row {
		sum += atomic.LoadUint64(&next[e>>1])
	}
	return sum
}

// frozen is the list of p as it was when the round began: place<<1 | new, and
// none where there were fewer.
func (r *Round) frozen(p uint32) []uint32 {
	return r.before[int(p)*r.lists.K : (int(p)+1)*r.lists.K]
}

// filled cuts the empty end off.
func filled(row []uint32) []uint32 {
	n := len(row)
	for n > 0 && row[n-1] == none {
		n--
	}
	return row[:n]
}

// Join joins around one place at a time: one per goroutine.
type Join struct {
	*Round
	tile  *codes.Tile
	seen  visited
	fresh []uint32 // places that are new around the one at hand
	old   []uint32
	lots  []uint64
	all   []uint32 // fresh, then old

	bounds []uint32
	finds  []find   // of the place at hand, to be offered
	d, ids []uint32 // of the finds
}

// find is candidates d[from:to] and ids[from:to] of a place.
type find struct {
	place    uint32
	from, to int
}

// Join returns a joiner over the codes of the lists' places.
func (r *Round) Join(m *codes.Matrix) *Join {
	return &Join{Round: r, tile: m.NewTile(), seen: newVisited(r.lists.K + r.most)}
}

// Around joins around p and returns how many pairs it compared.
func (j *Join) Around(p uint32) (pairs int) {
	if !j.anyNew(p) {
		return 0
	}
	j.gather(p)
	fresh := len(j.fresh)
	j.all = append(append(j.all[:0], j.fresh...), j.old...)
	if len(j.all) < 2 {
		return 0
	}
	j.tile.Expect(j.all)
	j.bounds = j.bounds[:0]
	for _, x := range j.all {
		j.bounds = append(j.bounds, j.lists.Bound(x))
	}
	j.tile.Columns(j.all, nil)
	j.finds, j.d, j.ids = j.finds[:0], j.d[:0], j.ids[:0]
	j.compare(0, fresh, len(j.all))
	j.compare(fresh, len(j.all), fresh)
	for _, f := range j.finds {
		j.lists.Offer(j.tile, f.place, j.d[f.from:f.to], j.ids[f.from:f.to])
	}
	return fresh*(fresh-1)/2 + fresh*len(j.old)
}

// compare compares a range of the columns with the first of them and notes what is
// near. Nearly all of that stands in the frozen list already: it is looked for
// there, which takes no lock and touches half the memory. For the rest the lists
// are asked for, and offered to when the place is done and they have come.
func (j *Join) compare(from, to, wide int) {
	for ; from < to; from += codes.BandRows {
		rows := j.tile.Band(from, to, wide)
		j.tile.Select(j.bounds[from : from+rows])
		band := j.all[from : from+rows]
		j.expect(band)
		for r, x := range band {
			distances, ids := j.tile.Near(r)
			if len(ids) == 0 || len(ids) == 1 && ids[0] == x {
				continue
			}
			distances, ids = j.tile.Unlisted(j.frozen(x), distances, ids, x)
			if len(ids) > 0 {
				j.note(x, distances, ids)
			}
		}
	}
}

func (j *Join) note(x uint32, distances, ids []uint32) {
	from := len(j.ids)
	j.d, j.ids = append(j.d, distances...), append(j.ids, ids...)
	j.finds = append(j.finds, find{x, from, len(j.ids)})
	j.lists.Expect(j.tile, []uint32{x})
}

// expect asks for the frozen lists of places.
func (j *Join) expect(places []uint32) {
	k := j.lists.K
	memory := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(j.before))), 4*len(j.before))
	j.tile.Prefetch(memory, 4*k, places, 4*k)
}

// anyNew reports whether anything around p entered since the round before.
func (j *Join) anyNew(p uint32) bool {
	var marks uint32
	for _, e := range filled(j.frozen(p)) {
		marks |= e
	}
	for _, e := range j.back[j.starts[p]:j.starts[p+1]] {
		marks |= e
	}
	return marks&1 != 0
}

// gather collects the neighbors of p and the rows that list it.
func (j *Join) gather(p uint32) {
	j.fresh, j.old = j.fresh[:0], j.old[:0]
	j.seen.reset()
	for _, e := range filled(j.frozen(p)) {
		j.add(e)
	}
	back := j.back[j.starts[p]:j.starts[p+1]]
	if len(back) > j.most {
		back = j.choose(p, back)
	}
	for _, e := range back {
		j.add(e)
	}
}

func (j *Join) add(e uint32) {
	if !j.seen.add(e >> 1) {
		return
	}
	if e&1 != 0 {
		j.fresh = append(j.fresh, e>>1)
	} else {
		j.old = append(j.old, e>>1)
	}
}
