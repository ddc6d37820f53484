package division

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/hashrand"
	"github.com/knng/knng/builder/internal/offheap"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// Balls divides by hyperspheres, which the paper allows in place of hyperplanes
// (Wang et al., section "Multiple random divide-and-conquer"): a node draws some
// of its rows as leaders, and every row follows the nearest leader. At the root
// it follows the Overlap nearest ones, so that one division has the leaves of
// several, and the leaders need be found only once.
//
// Code distances, which are integers, decide everything, and leaders are drawn by hashes of
// the seed. So the leaves depend on the seed, the codes and the order of places alone.
type Balls struct {
	Codes    *codes.Matrix
	Seed     uint64
	LeafSize int // leaves have fewer places
	Overlap  int // balls that a place is in
	Threads  int
	Looks    int // cells of leaders that a place looks into, if leaders are in cells; 0: NearHeads

	// Progress is called, by several goroutines, with how many places have their balls; nil: no calls.
	Progress func(places int)

	// Room is memory for the result of Root: Overlap numbers for each place. If it is smaller, Root
	// allocates.
	Room []uint32
}

// The root has so many leaders that a ball has the rows of one leaf on average. All places are compared
// with up to mostDirect leaders. If balls would then exceed bigBall leaves, there are more leaders, and
// places look into cells of them (see Cells). On 300,000 rows of SIFT both ways find the same in the same
// time. Three divisions of 1,000,000 rows of SIFT reach recall 0.855 with 240 leaders and 0.882 with cells;
// of 4,000,000 generated rows 0.873 and 0.920. Below the root a node has at most mostBelow leaders, since
// every place meets the leaders of several nodes. Tiles compare whole panels of 16.
const (
	mostDirect = fixed.RootLeaders
	bigBall    = fixed.BigBall
	mostAtRoot = 1 << 16 // numbers of 16 bits tell them apart
	mostBelow  = fixed.NodeLeaders
	fewLeaders = 4
	panel      = 16
)

// usualOverlap is the least overlap by which the number of leaders at the root is computed, also if
// Overlap is smaller: with fewer leaders balls would be larger than leaves.
const usualOverlap = 4

// rootLeaders returns how many leaders the root of n places has.
func (b *Balls) rootLeaders(n int) int {
	switch count := max(max(usualOverlap, b.Overlap)*n/b.LeafSize, fewLeaders); {
	case b.Overlap == 1:
		return b.nodeLeaders(n)
	case usualOverlap*n <= bigBall*mostDirect*b.LeafSize:
		return wholePanels(n, count, mostDirect)
	default:
		return wholePanels(n, count, mostAtRoot)
	}
}

// nodeLeaders returns how many leaders a node of n places has below the root. Balls have half of a leaf on
// average: small ones are joined with their nearest, which fills leaves better than dividing large ones.
// Recall after 3 divisions of GIST and SIFT and one of MNIST, in about the same time: with half of a leaf
// everywhere 0.8745, 0.8563, 0.8823; with a quarter at the root 0.8856, 0.8623, 0.9197; with a third there
// 0.8853, 0.8623, 0.9195; with at least 8 leaders 0.8924, 0.8598, 0.9225, for 5, 3 and 9 % more pairs.
func (b *Balls) nodeLeaders(n int) int {
	return wholePanels(n, max(2*n/b.LeafSize, fewLeaders), mostBelow)
}

// wholePanels rounds a number of leaders up to whole panels: the rest of the last panel is free.
func wholePanels(n, count, most int) int {
	if 2*count >= panel {
		count = (count + panel - 1) / panel * panel
	}
	return max(2, min(most, count, n))
}

// Root divides all places into overlapping balls, each ascending, and returns how many pairs of
// places and leaders it compared. A single ball that is small enough is a leaf already.
func (b *Balls) Root(ctx context.Context, division uint32) (balls [][]uint32, compared int64, err error) {
	n := b.Codes.Len()
	if n < b.LeafSize {
		b.followed(n)
		return [][]uint32{numbers(n)}, 0, nil
	}
	count := b.rootLeaders(n)
	overlap := min(b.Overlap, count)
	// Memory that grows with the places is freed here, not when garbage is collected.
	room := offheap.Make[uint32](n + (n*overlap+1)/2)
	defer room.Free()
	all, assigned := room.Slice[:n], unsafe.Slice((*uint16)(unsafe.Pointer(&room.Slice[n])), n*overlap)
	for i := range all {
		all[i] = uint32(i)
	}
	w := b.Worker(division)
	w.draw(1, all, count)
	if count <= mostDirect {
		w.chain()
		compared, err = w.followAll(ctx, all, overlap, assigned)
	} else {
		compared, err = w.followNearest(ctx, all, overlap, assigned)
	}
	if err != nil {
		return nil, 0, err
	}
	return gather(all, assigned, count, overlap, b.Threads, b.Room), compared, nil
}

// followed reports that so many more places have their balls.
func (b *Balls) followed(places int) {
	if b.Progress != nil {
		b.Progress(places)
	}
}

// followAll compares all places with all leaders.
func (w *BallWorker) followAll(ctx context.Context, all []uint32, overlap int, assigned []uint16) (int64, error) {
	count := len(w.chosen)
	return int64(len(all)) * int64(count), vectors.Ranges(w.Threads, len(all), 1024, func() func(from, to int) error {
		own := w.Balls.Worker(w.division)
		own.tile.Columns(w.chosen, w.numbers)
		own.best = make([]uint64, overlap, overlap+8)
		return func(from, to int) error {
			own.assign(all[from:to], count, overlap, assigned[from*overlap:to*overlap])
			own.followed(to - from)
			return ctx.Err()
		}
	})
}

// followRows is how many places look into cells at a time: their codes and the entries near them
// stay in a second-level cache. 2,048 to 16,384 made no difference.
const followRows = 4096

// followNearest compares places with heads, and with the leaders around the nearest of these.
func (w *BallWorker) followNearest(ctx context.Context, all []uint32, overlap int, assigned []uint16) (int64, error) {
	leaders := slices.Clone(w.chosen)
	heads := HeadsOf(len(leaders))
	w.chosen = w.chosen[:0]
	for i := range heads {
		w.chosen = append(w.chosen, leaders[i*len(leaders)/heads])
	}
	w.chain()
	cells, err := NewCells(ctx, Rows{w.Codes, w.chosen}, Rows{w.Codes, leaders}, w.Threads)
	if err != nil {
		return 0, err
	}
	if w.Looks > 0 {
		cells.looks = w.Looks
	}
	var compared atomic.Int64
	compared.Add(int64(heads) * int64(len(leaders)))
	err = vectors.Ranges(w.Threads, len(all), followRows, func() func(from, to int) error {
		f, own := cells.Follower(overlap), make([]uint32, followRows*overlap)
		return func(from, to int) error {
			compared.Add(f.Follow(Rows{w.Codes, all[from:to]}, own))
			for i, leader := range own[:(to-from)*overlap] {
				assigned[from*overlap+i] = uint16(leader)
			}
			w.followed(to - from)
			return ctx.Err()
		}
	})
	return compared.Load(), err
}

// gather collects the places of every ball, in their order, in room if that is large enough. Each goroutine
// takes a stretch of the places. The counts of a stretch in each ball say where the next stretch begins there.
func gather(places []uint32, assigned []uint16, count, overlap, threads int, room []uint32) [][]uint32 {
	if len(room) < len(assigned) {
		room = make([]uint32, len(assigned))
	}
	stretches := max(1, min(threads, len(places)/gatherRows))
	next := make([][]int, stretches) // where the next place of each ball goes
	each := func(do func(next []int, from, to int)) {
		_ = vectors.Ranges(threads, stretches, 1, func() func(i, _ int) error {
			return func(i, _ int) error { // which does not fail
				do(next[i], i*len(places)/stretches, (i+1)*len(places)/stretches)
				return nil
			}
		})
	}
	for i := range next {
		next[i] = make([]int, count)
	}
	each(func(next []int, from, to int) {
		for _, a := range assigned[from*overlap : to*overlap] {
			next[a]++
		}
	})
	balls := make([][]uint32, count)
	at := 0
	for ball := range balls {
		from := at
		for _, next := range next {
			at, next[ball] = at+next[ball], at
		}
		balls[ball] = room[from:at:at]
	}
	each(func(next []int, from, to int) {
		for i, p := range places[from:to] {
			for _, a := range assigned[(from+i)*overlap : (from+i+1)*overlap] {
				room[next[a]] = p
				next[a]++
			}
		}
	})
	return balls
}

// gatherRows is the least number of places for a goroutine: work of a tenth of a millisecond.
const gatherRows = 1 << 14

// BallWorker carves balls: one per goroutine.
type BallWorker struct {
	*Balls
	Compared int64 // rows with leaders, so far

	division uint32
	tile     *codes.Tile
	chosen   []uint32 // leaders of the node at hand
	numbers  []uint32 // 0, 1, ...
	best     []uint64
	leaf     []uint32
}

// Worker returns a worker for a division.
func (b *Balls) Worker(division uint32) *BallWorker {
	return &BallWorker{Balls: b, division: division, tile: b.Codes.NewTile(), numbers: numbers(HeadsOf(mostAtRoot))}
}

// Carve divides ball number i of Root into leaves. leaf's argument, whose places are in
// no order, may be changed, and is reused.
func (w *BallWorker) Carve(i int, ball []uint32, leaf func(places []uint32) error) error {
	w.leaf = w.leaf[:0]
	if err := w.carve(uint64(mostDirect+i), 0, ball, leaf); err != nil {
		return err
	}
	return w.flush(leaf)
}

// maxDepth ends the division of rows that no leader divides: identical ones, or nearly so.
const maxDepth = 12

// carve divides a node. Balls smaller than a leaf wait in w.leaf for their
// neighbors to fill it; leaders stand in a chain from near to near, so balls
// that follow each other are near.
func (w *BallWorker) carve(id uint64, depth int, places []uint32, leaf func([]uint32) error) error {
	if len(places) < w.LeafSize {
		if len(w.leaf)+len(places) >= w.LeafSize {
			if err := w.flush(leaf); err != nil {
				return err
			}
		}
		w.leaf = append(w.leaf, places...)
		return nil
	}
	if depth == maxDepth {
		for part := range slices.Chunk(places, w.LeafSize-1) {
			if err := w.carve(0, depth, part, leaf); err != nil {
				return err
			}
		}
		return nil
	}
	w.node(id, places, w.nodeLeaders(len(places)))
	count := len(w.chosen)
	w.tile.Columns(w.chosen, w.numbers)
	assigned := make([]uint16, len(places))
	w.assign(places, count, 1, assigned)
	for i, ball := range gather(places, assigned, count, 1, 1, nil) {
		if err := w.carve(hashrand.Mix(id)+uint64(i), depth+1, ball, leaf); err != nil {
			return err
		}
	}
	return nil
}

func (w *BallWorker) flush(leaf func([]uint32) error) error {
	if len(w.leaf) == 0 {
		return nil
	}
	err := leaf(w.leaf)
	w.leaf = w.leaf[:0]
	return err
}

// node draws the leaders of a node and chains them.
func (w *BallWorker) node(id uint64, places []uint32, count int) {
	w.draw(id, places, count)
	w.chain()
}

// draw draws the leaders of a node, in the order of places.
func (w *BallWorker) draw(id uint64, places []uint32, count int) {
	rng := rand.New(rand.NewPCG(nodeKey(w.Seed, w.division, id), uint64(len(places))))
	w.chosen = w.chosen[:0]
	for len(w.chosen) < count {
		// One of each stretch: no leader is drawn twice.
		i := len(w.chosen)
		lo, hi := i*len(places)/count, (i+1)*len(places)/count
		w.chosen = append(w.chosen, places[lo+rng.IntN(hi-lo)])
	}
}

// chain orders the leaders: after each comes the nearest that is left.
func (w *BallWorker) chain() {
	apart := w.distances()
	count := len(w.chosen)
	left := slices.Clone(w.numbers[:count]) // where the leaders stood
	for i := 0; i+2 < count; i++ {
		from := apart[int(left[i])*count:][:count]
		nearest := i + 1
		for j := i + 2; j < count; j++ {
			if from[left[j]] < from[left[nearest]] {
				nearest = j
			}
		}
		left[i+1], left[nearest] = left[nearest], left[i+1]
		w.chosen[i+1], w.chosen[nearest] = w.chosen[nearest], w.chosen[i+1]
	}
}

// distances are those of every two leaders, count rows of count.
func (w *BallWorker) distances() []uint32 {
	count := len(w.chosen)
	apart := make([]uint32, 0, count*count)
	w.tile.Columns(w.chosen, w.numbers)
	for first := 0; first < count; first += codes.BandRows {
		for r := range w.tile.Band(first, count, count) {
			d, _ := w.tile.Within(r, math.MaxUint32)
			apart = append(apart, d...)
		}
	}
	return apart
}

// assign writes the numbers of the overlap nearest of the tile's columns for
// each place.
func (w *BallWorker) assign(places []uint32, count, overlap int, assigned []uint16) {
	w.Compared += int64(len(places)) * int64(count)
	for len(places) > 0 {
		band := places[:min(len(places), codes.BandRows)]
		if overlap == 1 { // below the root they lie apart
			rest := places[len(band):]
			w.tile.Expect(rest[:min(len(rest), codes.BandRows)])
		}
		w.tile.Rows(band, count)
		if overlap == 1 {
			for r, leader := range w.tile.Nearest() {
				assigned[r] = uint16(leader)
			}
		} else {
			for r := range band {
				w.nearest(r, assigned[r*overlap:(r+1)*overlap])
			}
		}
		places, assigned = places[len(band):], assigned[len(band)*overlap:]
	}
}

// nearest finds several leaders of one row.
func (w *BallWorker) nearest(r int, assigned []uint16) {
	for i := range w.best {
		w.best[i] = ^uint64(0)
	}
	distances, ids := w.tile.Within(r, w.tile.Bound(r, len(assigned)))
	w.tile.Merge(w.best, distances, ids, ^uint32(0))
	for i := range assigned {
		assigned[i] = uint16(uint32(w.best[i]) >> 2)
	}
}
