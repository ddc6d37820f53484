package division

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// Cells hold leaders on two levels: heads, and around each head a cell of the leaders nearest to it. A row
// is compared with the heads, and then with the leaders in the cells of its nearest heads. If leaders are
// very many, the heads are in cells around heads of their own. Goroutines share the Cells: a billion rows
// have four million leaders.
type Cells struct {
	heads, leaders numbered
	ends           []int  // cell c has leaders ends[c] to ends[c+1]-1
	upper          *Cells // whose leaders are the heads; nil where rows are compared with all of these
	looks          int    // cells that a row looks into, where there are as many
}

// NearHeads is how many cells a row looks into. Missing its nearest leader costs little: the one found
// instead is nearly as near.
const NearHeads = fixed.NearHeads

// deepFrom is the number of leaders from which the heads have heads of their own. Rows are then compared
// with the upper heads, with the heads in the nearest cells of these, and with the leaders in the nearest
// cells of those.
//
// With n leaders a row is compared with 2*sqrt(8n) heads and leaders on one level, and with 3*cbrt(16*16*n)
// on two levels of 16 cells. Looking into a cell costs as much as 50 pairs with AVX2, more with AMX, and two
// levels have 24 cells more. With 416,000 leaders, for 100,000,000 rows, a row takes on two levels and on one
// 13 and 16 microseconds with AVX2, 7.2 and 6.6 with VNNI, 6.6 and 3.4 with AMX. A billion rows have
// 4,000,000 leaders. A division of 200,000 rows of SIFT finds 0.734 of the neighbors with one level, 0.703
// with two levels of 8 cells, 0.747 with two of 16.
var deepFrom = fixed.HeadsOfHeads // a variable for tests

// deepHeads is how many cells a row looks into on each of two levels.
const deepHeads = fixed.DeepHeads

// looks returns how many cells a row looks into, if there are so many leaders.
func looks(leaders int) int {
	if leaders >= deepFrom {
		return deepHeads
	}
	return NearHeads
}

// HeadsOf returns the number of heads for which a row meets the fewest heads and leaders.
func HeadsOf(leaders int) int { return fixed.Heads(leaders, leaders >= deepFrom) }

// NewCells makes the cells of some heads. It sorts leaders, in place, by their nearest head. The number of
// a leader is its position afterwards.
func NewCells(ctx context.Context, heads, leaders Rows, threads int) (*Cells, error) {
	c, err := EmptyCells(ctx, heads, len(leaders.Places), threads)
	if err != nil {
		return nil, err
	}
	return c, c.sort(ctx, leaders, threads)
}

// EmptyCells makes the cells of some heads for so many leaders, without the leaders: Homes finds their
// cells, Fill puts them there.
func EmptyCells(ctx context.Context, heads Rows, leaders, threads int) (*Cells, error) {
	c := &Cells{looks: looks(leaders)}
	if leaders >= deepFrom {
		picked := Rows{heads.Codes, make([]uint32, max(1, int(math.Sqrt(float64(deepHeads*len(heads.Places))))))}
		for i := range picked.Places {
			picked.Places[i] = heads.Places[i*len(heads.Places)/len(picked.Places)]
		}
		c.upper = &Cells{looks: deepHeads, heads: picked.count()}
		heads.Places = slices.Clone(heads.Places)
		if err := c.upper.sort(ctx, heads, threads); err != nil {
			return nil, err
		}
	}
	c.heads = heads.count()
	return c, nil
}

// sort sorts leaders into cells.
func (c *Cells) sort(ctx context.Context, leaders Rows, threads int) error {
	homes := make([]uint32, len(leaders.Places))
	if err := c.Homes(ctx, leaders, threads, homes); err != nil {
		return err
	}
	return c.Fill(leaders, homes)
}

// Homes writes to homes the number of the cell of each leader, that of its nearest head. It may be called
// for any part of the leaders, since each is compared by itself.
func (c *Cells) Homes(ctx context.Context, leaders Rows, threads int, homes []uint32) error {
	return vectors.Ranges(threads, len(homes), 4096, func() func(from, to int) error {
		find := c.finder(1)
		return func(from, to int) error {
			find(Rows{leaders.Codes, leaders.Places[from:to]}, homes[from:to])
			return ctx.Err()
		}
	})
}

// Fill puts leaders into the cells that homes names. It sorts leaders in place by cell, stably, and keeps
// the slice.
func (c *Cells) Fill(leaders Rows, homes []uint32) error {
	if len(homes) != len(leaders.Places) {
		return fmt.Errorf("division: %d leaders have cells, want %d", len(homes), len(leaders.Places))
	}
	c.ends = make([]int, len(c.heads.Places)+1)
	for i, home := range homes {
		if int(home) >= len(c.heads.Places) {
			return fmt.Errorf("division: leader %d is in cell %d of %d", i, home, len(c.heads.Places))
		}
		c.ends[home+1]++
	}
	for i := range c.heads.Places {
		c.ends[i+1] += c.ends[i]
	}
	next := slices.Clone(c.ends)
	places := slices.Clone(leaders.Places)
	for i, home := range homes {
		leaders.Places[next[home]] = places[i]
		next[home]++
	}
	c.leaders = leaders.count()
	return nil
}

// finder returns a function that finds the heads nearest to each of some rows, through the upper heads or
// by comparing with all, and returns how many pairs it compared.
func (c *Cells) finder(count int) func(rows Rows, found []uint32) int64 {
	if c.upper != nil {
		return c.upper.Follower(count).Follow
	}
	var near nearby
	var all []uint32
	tile := c.heads.Codes.NewTile()
	return func(rows Rows, found []uint32) int64 {
		if len(all) < len(rows.Places) {
			all = numbers(len(rows.Places))
		}
		near.reset(rows, count)
		compared := near.compare(tile, c.heads, all[:len(rows.Places)])
		for i, e := range near.found() {
			found[i] = number(e)
		}
		return compared
	}
}

// Leaders are the leaders, by number.
func (c *Cells) Leaders() Rows { return c.leaders.Rows }

// cell is the leaders of cell c, none after the last.
func (c *Cells) cell(i int) numbered {
	return c.leaders.part(c.ends[min(i, len(c.ends)-1)], c.ends[min(i+1, len(c.ends)-1)])
}

// Together returns the best number of rows for one call of Follower.Follow, if a row and its codes take
// rowBytes.
func (c *Cells) Together(rowBytes int) int {
	for level := c; level != nil; level = level.upper {
		rowBytes += fixed.FollowBytes(level.looks)
	}
	return fixed.AssignRows(rowBytes, len(c.heads.Places), c.lookedInto())
}

// A Follower finds the leaders that rows follow: one per goroutine.
type Follower struct {
	cells   *Cells
	overlap int
	leaders *codes.Tile
	near    nearby
	find    func(rows Rows, found []uint32) int64 // the nearest heads
	all     []uint32                              // 0, 1, ... of the rows at hand
	into    []uint32                              // cells that rows look into, row after row
	looking []uint32                              // rows at hand that look into cells, cell after cell
	ends    []int                                 // of the cells in looking
}

// Follower returns a Follower for rows that follow overlap leaders each. There must be as many leaders.
func (c *Cells) Follower(overlap int) *Follower {
	return &Follower{cells: c, overlap: overlap, leaders: c.leaders.Codes.NewTile(),
		find: c.finder(c.lookedInto()), ends: make([]int, len(c.ends))}
}

// lookedInto is how many cells a row looks into.
func (c *Cells) lookedInto() int { return min(c.looks, len(c.heads.Places)) }

// Follow writes to assigned the numbers of the leaders that each row follows, nearest first, and returns how
// many pairs it compared. Near rows look into the same cells, so some thousands of them keep tiles full.
func (f *Follower) Follow(rows Rows, assigned []uint32) (compared int64) {
	if len(f.all) < len(rows.Places) {
		f.all = numbers(len(rows.Places))
	}
	compared = f.look(rows)
	f.near.reset(rows, f.overlap)
	begin := 0
	for c, end := range f.ends[:len(f.ends)-1] {
		f.leaders.Expect(f.cells.cell(c + 1).Places)
		compared += f.near.compare(f.leaders, f.cells.cell(c), f.looking[begin:end])
		begin = end
	}
	for i := range rows.Places {
		for j, e := range f.settled(i) {
			assigned[i*f.overlap+j] = number(e)
		}
	}
	return compared
}

// look notes which rows look into which cell, and returns how many pairs it compared.
func (f *Follower) look(rows Rows) (compared int64) {
	each := f.cells.lookedInto()
	count := each * len(rows.Places)
	f.into = slices.Grow(f.into[:0], count)[:count]
	compared = f.find(rows, f.into)
	clear(f.ends)
	for _, c := range f.into {
		f.ends[c+1]++
	}
	for c := range f.cells.heads.Places {
		f.ends[c+1] += f.ends[c]
	}
	f.looking = slices.Grow(f.looking[:0], count)[:count]
	for i, c := range f.into { // the beginning of a cell becomes its end
		f.looking[f.ends[c]] = uint32(i / each)
		f.ends[c]++
	}
	return compared
}

// settled returns the entries of the leaders nearest to a row. If its cells had too few, it compares the row
// with all leaders.
func (f *Follower) settled(i int) []uint64 {
	best := f.near.of(i)
	if best[len(best)-1] == none {
		for j := range best {
			best[j] = none
		}
		f.near.compare(f.leaders, f.cells.leaders, f.all[i:i+1])
	}
	return best
}
