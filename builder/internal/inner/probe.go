package inner

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/knng/knng/builder/internal/candidates"
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/leaf"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// Lists receive candidates with keys (candidates.Ordered), for the places from First on.
type Lists struct {
	Found    *candidates.Lists
	First    int
	Keys     func() leaf.Keys // returns the keys for one goroutine
	Threads  int
	Progress func(rows int)
}

// rowsAtOnce is the number of rows for which cells are chosen before they are looked into, so that many rows
// look into the same cell. It is smaller if each row looks into many cells (fixed.Looks).
const rowsAtOnce = 1 << 16

// Look lets every row with a list look into its cells of ranks from to to-1, by promise, and returns the
// number of pairs, including pairs with centers. A pair is a row and a row of a cell; only the first is
// offered the other.
func (c *Cells) Look(ctx context.Context, lists Lists, reach Reach, from, to int) (pairs int64, err error) {
	end := lists.First + lists.Found.N
	to = min(to, c.Len())
	atOnce := max(codes.BandRows, min(rowsAtOnce, fixed.Looks(len(c.of))/max(1, to-from)))
	for first := lists.First; first < end; first += atOnce {
		last := min(first+atOnce, end)
		lookers, err := c.lookers(ctx, lists.Threads, reach, first, last, from, to)
		if err != nil {
			return pairs, err
		}
		pairs += int64(last-first) * int64(c.Len())
		some, err := c.look(ctx, lists, lookers)
		if err != nil {
			return pairs, err
		}
		pairs += some
		lists.Progress(last - first)
	}
	return pairs, nil
}

// lookers returns for each cell the rows from first to last-1 that look into it, ascending.
func (c *Cells) lookers(ctx context.Context, threads int, reach Reach, first, last, from, to int) ([][]uint32, error) {
	count := to - from
	chosen := make([]uint32, (last-first)*count)
	err := vectors.Ranges(threads, last-first, 1024, func() func(a, b int) error {
		o, band := c.orders(reach), make([]uint32, 0, codes.BandRows)
		return func(a, b int) error {
			for ; a < b; a += len(band) {
				band = band[:0]
				for p := a; p < min(b, a+codes.BandRows); p++ {
					band = append(band, uint32(first+p))
				}
				o.band(band)
				for r := range band {
					for i, e := range o.ranked(r, from, to) {
						chosen[(a+r)*count+i] = uint32(e)
					}
				}
			}
			return ctx.Err()
		}
	})
	if err != nil {
		return nil, err
	}
	next := make([]int, c.Len()+1)
	for _, cell := range chosen {
		next[cell+1]++
	}
	for cell := range c.Len() {
		next[cell+1] += next[cell]
	}
	all, lookers := make([]uint32, len(chosen)), make([][]uint32, c.Len())
	for cell := range lookers {
		lookers[cell] = all[next[cell]:next[cell+1]]
	}
	for i, cell := range chosen {
		all[next[cell]] = uint32(first + i/max(count, 1))
		next[cell]++
	}
	return lookers, nil
}

// look lets rows look into the cells, those of long rows first.
func (c *Cells) look(ctx context.Context, lists Lists, lookers [][]uint32) (int64, error) {
	var pairs atomic.Int64
	err := vectors.Ranges(lists.Threads, c.Len(), 1, func() func(from, to int) error {
		l := &looker{Cells: c, found: lists.Found, first: uint32(lists.First), keys: lists.Keys(), tile: c.directions.NewTile()}
		return func(cell, _ int) error {
			pairs.Add(int64(len(lookers[cell])) * int64(len(c.groups[cell])))
			if err := l.into(cell, lookers[cell]); err != nil {
				return err
			}
			return ctx.Err()
		}
	})
	return pairs.Load(), err
}

// looker looks into cells; each goroutine has one.
type looker struct {
	*Cells
	found *candidates.Lists
	first uint32 // the place of the first list
	keys  leaf.Keys
	tile  *codes.Tile

	rows      []uint32 // rows that may find neighbors in the cell
	bounds    [codes.BandRows]uint32
	ids       []uint32
	evaluated []float32
	distances []uint32
}

// none is the bound of a list that is not full.
const none = math.MaxUint32

// into compares rows with the rows of a cell.
func (l *looker) into(cell int, rows []uint32) error {
	l.rows = l.rows[:0]
	for _, p := range rows {
		if _, may := l.bound(cell, p); may {
			l.rows = append(l.rows, p)
		}
	}
	if len(l.rows) == 0 {
		return nil
	}
	group := l.groups[cell]
	l.tile.Columns(group, nil)
	for band := range slices.Chunk(l.rows, codes.BandRows) {
		l.tile.RowsOf(l.directions, band, len(group))
		for r, p := range band {
			if l.found.Bound(p-l.first) == none {
				l.bounds[r] = l.tile.Bound(r, l.found.K+1)
				_, ids := l.tile.Within(r, l.bounds[r])
				if err := l.offer(p, ids); err != nil {
					return err
				}
			}
			l.bounds[r], _ = l.bound(cell, p)
		}
		l.tile.Select(l.bounds[:len(band)])
		for r, p := range band {
			_, ids := l.tile.Near(r)
			if err := l.offer(p, ids); err != nil {
				return err
			}
		}
	}
	return nil
}

// bound returns the distance of codes beyond which no row of a cell enters the list of place. may is false if
// no row of the cell does.
func (l *looker) bound(cell int, place uint32) (bound uint32, may bool) {
	limit, e, norm := l.found.Bound(place-l.first), &l.ends[cell], l.norms[place]
	if limit == none {
		return none, true
	}
	if norm == 0 { // all rows are equally near: the list takes the first ones
		return none, true
	}
	least := -float64(candidates.KeyOf(limit)) / norm // the least component along the row that enters the list
	of := e.longest
	if least < 0 {
		of = e.shortest
	}
	// Keys and norms are rounded, and products that are too small are 0.
	least -= math.Abs(least)/(1<<20) + of/(1<<20) + math.SmallestNonzeroFloat32/norm
	switch {
	case least > e.longest:
		return 0, false
	case of == 0 || least <= -of:
		return none, true
	}
	apart := math.Sqrt(max(0, 2-2*least/of))*l.perUnit + e.residual + float64(l.directions.Residual(place))
	return l.directions.Within(apart), true
}

// offer offers rows to the list of a place.
func (l *looker) offer(place uint32, ids []uint32) error {
	if len(ids) == 0 {
		return nil
	}
	l.evaluated = slices.Grow(l.evaluated[:0], len(ids))[:len(ids)]
	if _, err := l.keys(place, ids, l.evaluated); err != nil {
		return err
	}
	limit := l.found.Bound(place - l.first)
	l.ids, l.distances = l.ids[:0], l.distances[:0]
	for i, key := range l.evaluated {
		if d := candidates.Ordered(key); d <= limit {
			l.ids, l.distances = append(l.ids, ids[i]), append(l.distances, d)
		}
	}
	if len(l.ids) > 0 {
		l.found.OfferAt(l.tile, place-l.first, place, l.distances, l.ids)
	}
	return nil
}
