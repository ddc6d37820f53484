package division

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/vectors"
	"github.com/knng/knng/vectors/codes"
)

// Cells are leaders on two levels: heads, and around each head a cell of those nearest to it.
// A row is compared with the heads, and with the leaders in the cells of the nearest of
// these. All goroutines read the same ones: of a billion rows they are four million.
type Cells struct {
	heads, leaders numbered
	ends           []int // cell c has leaders ends[c] to ends[c+1]-1
}

// NearHeads is how many cells a row looks into. A leader that it misses there costs
// little: the one taken instead is nearly as near.
const NearHeads = 8

// HeadsOf is how many heads make comparing with them cost as much as comparing with the
// leaders in the nearest cells.
func HeadsOf(leaders int) int {
	return max(1, min(leaders, int(math.Sqrt(float64(NearHeads*leaders)))))
}

// NewCells makes the cells of some heads. It sorts leaders by the head that is nearest to
// each, in place; their numbers tell where they then stand.
func NewCells(ctx context.Context, heads, leaders Rows, threads int) (*Cells, error) {
	c := &Cells{heads: heads.count(), ends: make([]int, len(heads.Places)+1)}
	home := make([]uint32, len(leaders.Places)) // the head of each leader
	err := vectors.Ranges(threads, len(home), 4096, func() func(from, to int) error {
		var near nearby
		tile := heads.Codes.NewTile()
		return func(from, to int) error {
			near.reset(Rows{leaders.Codes, leaders.Places[from:to]}, 1)
			near.compare(tile, c.heads, numbers(to-from))
			for i, e := range near.found() {
				home[from+i] = number(e)
			}
			return ctx.Err()
		}
	})
	if err != nil {
		return nil, err
	}
	order := numbers(len(home))
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(home[a], home[b]) })
	for i, o := range order {
		c.ends[home[o]+1]++
		order[i] = leaders.Places[o]
	}
	for i := range heads.Places {
		c.ends[i+1] += c.ends[i]
	}
	copy(leaders.Places, order)
	c.leaders = leaders.count()
	return c, nil
}

// CellsOf makes cells of leaders that NewCells sorted before, whose ends are as Ends told.
func CellsOf(heads, leaders Rows, ends []uint32) (*Cells, error) {
	if len(ends) != len(heads.Places)+1 || ends[0] != 0 || int(ends[len(ends)-1]) != len(leaders.Places) || !slices.IsSorted(ends) {
		return nil, fmt.Errorf("division: ends of cells do not fit %d heads and %d leaders", len(heads.Places), len(leaders.Places))
	}
	for _, place := range leaders.Places {
		if int(place) >= leaders.Codes.Len() {
			return nil, fmt.Errorf("division: leader at place %d, want below %d", place, leaders.Codes.Len())
		}
	}
	c := &Cells{heads: heads.count(), leaders: leaders.count(), ends: make([]int, len(ends))}
	for i, end := range ends {
		c.ends[i] = int(end)
	}
	return c, nil
}

// Ends are the numbers of leaders at which the cells end: cell c has leaders Ends[c] to
// Ends[c+1]-1.
func (c *Cells) Ends() []uint32 {
	ends := make([]uint32, len(c.ends))
	for i, end := range c.ends {
		ends[i] = uint32(end)
	}
	return ends
}

// Leaders are the leaders, by number.
func (c *Cells) Leaders() Rows { return c.leaders.Rows }

// cell is the leaders of cell c, none after the last.
func (c *Cells) cell(i int) numbered {
	return c.leaders.part(c.ends[min(i, len(c.ends)-1)], c.ends[min(i+1, len(c.ends)-1)])
}

// A Follower finds the leaders that rows follow: one per goroutine.
type Follower struct {
	cells          *Cells
	overlap        int
	heads, leaders *codes.Tile
	near           nearby
	all            []uint32 // 0, 1, ... of the rows at hand
	looking        []uint32 // rows at hand that look into cells, cell after cell
	ends           []int    // of the cells in looking
}

// Follower returns one for rows that follow so many leaders each, of which there are as many.
func (c *Cells) Follower(overlap int) *Follower {
	return &Follower{cells: c, overlap: overlap, heads: c.heads.Codes.NewTile(), leaders: c.leaders.Codes.NewTile(),
		ends: make([]int, len(c.ends))}
}

// Follow writes the numbers of the nearest leaders of each row, as many as it follows, and
// returns how many pairs it compared. Rows that lie near look into the same cells: some
// thousands of them keep tiles full.
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
	f.near.reset(rows, min(NearHeads, len(f.cells.heads.Places)))
	compared = f.near.compare(f.heads, f.cells.heads, f.all[:len(rows.Places)])
	found := f.near.found()
	clear(f.ends)
	for _, e := range found {
		f.ends[number(e)+1]++
	}
	for c := range f.cells.heads.Places {
		f.ends[c+1] += f.ends[c]
	}
	f.looking = slices.Grow(f.looking[:0], len(found))[:len(found)]
	for i, e := range found { // the beginning of a cell becomes its end
		f.looking[f.ends[number(e)]] = uint32(i / f.near.count)
		f.ends[number(e)]++
	}
	return compared
}

// settled is the leaders nearest to a row, all of them looked at where its cells had too
// few.
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
