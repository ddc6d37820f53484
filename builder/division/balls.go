package division

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/builder/lot"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// Balls divides by hyperspheres, which the paper allows in place of hyperplanes
// (Wang et al., section "Multiple random divide-and-conquer"): a node draws some
// of its rows as leaders, and every row follows the nearest leader. At the root
// it follows the Overlap nearest ones, so that one division has the leaves of
// several, and the leaders need be found only once.
//
// Everything is decided by code distances, so by integers. Places are given in
// ascending order and named by hashes of the seed alone: the leaves depend on
// the order of places, on nothing else.
type Balls struct {
	Codes    *codes.Matrix
	Seed     uint64
	LeafSize int // leaves have fewer places
	Overlap  int // balls that a place stands in
	Threads  int

	// Room is where Root puts the places of its balls, Overlap times all of them; where there
	// is less Root makes some.
	Room []uint32
}

// A place's ball is a byte, and tiles compare whole panels of 16 leaders: 240 are the most.
// The more of them the root has, the nearer lie those that follow one. Every place
// is compared with the leaders of four nodes below it: of more than 96, on ten million
// rows, that would be most of what a division costs beside its leaves. Where places stand in
// one ball each, as for an order, 96 do at the root as well.
const (
	maxLeaders  = 240
	nodeLeaders = 96
	fewLeaders  = 4
	panel       = 16
)

// leaders is how many a node of n places has. Balls are a quarter of a leaf at the root and
// half of one below, on average, because small ones are joined again with those nearest to
// them, which fills leaves better than dividing what is too large. Measured with the recall
// after 3 divisions of GIST and SIFT and one of MNIST, in about the same time: half of a
// leaf at most 96 times everywhere 0.8745, 0.8563, 0.8823; this 0.8856, 0.8623, 0.9197; a
// third at the root 0.8853, 0.8623, 0.9195; 8 leaders at least 0.8924, 0.8598, 0.9225, with 5,
// 3 and 9 % more pairs.
func (b *Balls) leaders(n int, root bool) int {
	count, most := max(2*n/b.LeafSize, fewLeaders), nodeLeaders
	if root && b.Overlap > 1 {
		count, most = 4*n/b.LeafSize, maxLeaders
	}
	if 2*count >= panel { // what would fill the last panel comes for nothing
		count = (count + panel - 1) / panel * panel
	}
	return max(2, min(most, count, n))
}

// Root divides all places into overlapping balls, each ascending, and tells how
// many rows were compared with leaders. One ball that is small enough is a leaf
// already.
func (b *Balls) Root(ctx context.Context, division uint32) (balls [][]uint32, compared int64, err error) {
	n := b.Codes.Len()
	all := make([]uint32, n)
	for i := range all {
		all[i] = uint32(i)
	}
	if n < b.LeafSize {
		return [][]uint32{all}, 0, nil
	}
	w := b.Worker(division)
	w.node(1, all, true)
	count := len(w.chosen)
	overlap := min(b.Overlap, count)
	assigned := make([]uint8, n*overlap)
	err = vectors.Ranges(b.Threads, n, 1024, func() func(from, to int) error {
		own := b.Worker(division)
		own.tile.Columns(w.chosen, w.numbers)
		own.best = make([]uint64, overlap, overlap+8)
		return func(from, to int) error {
			own.assign(all[from:to], count, overlap, assigned[from*overlap:to*overlap])
			return ctx.Err()
		}
	})
	if err != nil {
		return nil, 0, err
	}
	return gather(all, assigned, count, overlap, b.Room), int64(n) * int64(count), nil
}

// gather collects the places of every ball, in room if there is enough.
func gather(places []uint32, assigned []uint8, count, overlap int, room []uint32) [][]uint32 {
	var next [maxLeaders]int // where the next place of each ball goes
	for _, a := range assigned {
		next[a]++
	}
	if len(room) < len(assigned) {
		room = make([]uint32, len(assigned))
	}
	balls := make([][]uint32, count)
	at := 0
	for i := range balls {
		at, next[i] = at+next[i], at
		balls[i] = room[next[i]:at:at]
	}
	for i, p := range places {
		for _, a := range assigned[i*overlap : (i+1)*overlap] {
			room[next[a]] = p
			next[a]++
		}
	}
	return balls
}

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
	w := &BallWorker{Balls: b, division: division, tile: b.Codes.NewTile()}
	for i := range uint32(maxLeaders) {
		w.numbers = append(w.numbers, i)
	}
	return w
}

// Carve divides ball number i of Root into leaves. leaf's argument, whose places are in
// no order, may be changed, and is reused.
func (w *BallWorker) Carve(i int, ball []uint32, leaf func(places []uint32) error) error {
	w.leaf = w.leaf[:0]
	if err := w.carve(uint64(maxLeaders+i), 0, ball, leaf); err != nil {
		return err
	}
	return w.flush(leaf)
}

// maxDepth stops what no leader divides: many identical rows, or nearly so.
const maxDepth = 12

// carve divides a node. Balls smaller than a leaf wait in w.leaf for their
// neighbors to fill it; leaders stand in a chain from near to near, so what
// follows in order is near.
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
	w.node(id, places, false)
	count := len(w.chosen)
	w.tile.Columns(w.chosen, w.numbers)
	assigned := make([]uint8, len(places))
	w.assign(places, count, 1, assigned)
	for i, ball := range gather(places, assigned, count, 1, nil) {
		if err := w.carve(lot.Mix(id)+uint64(i), depth+1, ball, leaf); err != nil {
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
func (w *BallWorker) node(id uint64, places []uint32, root bool) {
	rng := rand.New(rand.NewPCG(nodeKey(w.Seed, w.division, id), uint64(len(places))))
	count := w.leaders(len(places), root)
	w.chosen = w.chosen[:0]
	for len(w.chosen) < count {
		// One of each stretch: no leader is drawn twice.
		i := len(w.chosen)
		lo, hi := i*len(places)/count, (i+1)*len(places)/count
		w.chosen = append(w.chosen, places[lo+rng.IntN(hi-lo)])
	}
	w.chain()
}

// chain orders the leaders: after each comes the nearest of those that are left.
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
func (w *BallWorker) assign(places []uint32, count, overlap int, assigned []uint8) {
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
				assigned[r] = uint8(leader)
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
func (w *BallWorker) nearest(r int, assigned []uint8) {
	for i := range w.best {
		w.best[i] = ^uint64(0)
	}
	distances, ids := w.tile.Within(r, w.tile.Bound(r, len(assigned)))
	w.tile.Merge(w.best, distances, ids, ^uint32(0))
	for i := range assigned {
		assigned[i] = uint8(uint32(w.best[i]) >> 2)
	}
}
