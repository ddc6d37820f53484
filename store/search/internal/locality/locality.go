// Package locality orders rows by locality: near rows get near positions, so that a page of the disk holds
// neighbors. A ball of rows is divided by leaders, which are some of its rows: every row goes to the ball of
// the nearest leader, and leaders are ordered in a chain from near to near. Balls are divided the same way
// until they are small.
//
// The order is a function of the rows, their previous order, and the seed.
package locality

import (
	"math/rand/v2"
	"slices"

	"github.com/knng/knng/vectors/distance"
)

const (
	small     = 8  // rows of a ball that is not divided
	leastLead = 4  // leaders of a ball
	mostLead  = 96 // a row is compared with the leaders of three or four nested balls
	deepest   = 12 // largest depth of nested balls: rows that are nearly equal are not divided forever
)

// A Divider finds the nearest of its leaders. It serves one goroutine; Clone makes one for another.
type Divider struct {
	space *distance.Space
	size  int // bytes of a row
	seed  uint64

	leaders []byte    // their rows, next to each other
	norms   []float64 // of leaders, if the metric needs them
	numbers []uint32  // 0, 1, 2 ...
	keys    []float32
	room    []uint32
	chosen  []uint16

	// Order reuses these for every ball: garbage would double the memory beside the rows.
	chained []byte // a leader that is being moved
	rows    []byte // rows of the drawn leaders
	drawn   []int
	ends    []int // ends of the nested balls in progress
	draw    drawing
}

// New returns a Divider without leaders.
func New(space *distance.Space, seed uint64) *Divider {
	return &Divider{space: space, size: space.RowBytes(), seed: seed}
}

// Clone returns a Divider with the same leaders.
func (d *Divider) Clone() *Divider {
	c := New(d.space, d.seed)
	c.Lead(d.leaders)
	return c
}

// Lead makes rows, which are next to each other, the leaders. There are at most 65,536.
func (d *Divider) Lead(rows []byte) {
	n := len(rows) / d.size
	d.leaders = append(d.leaders[:0], rows...)
	for len(d.numbers) < n {
		d.numbers = append(d.numbers, uint32(len(d.numbers)))
	}
	d.keys = slices.Grow(d.keys[:0], n)[:n]
	d.norms = d.norms[:0]
	if d.space.NeedsNorms() {
		for i := range n {
			d.norms = append(d.norms, d.space.Norm(d.leader(i)))
		}
	}
}

func (d *Divider) leader(i int) []byte { return d.leaders[i*d.size:][:d.size] }

// compare computes the keys of a row and all leaders.
func (d *Divider) compare(row []byte) []float32 {
	norm := 0.0
	if d.space.NeedsNorms() {
		norm = d.space.Norm(row)
	}
	d.space.Keys(row, norm, d.leaders, d.size, d.norms, d.numbers[:len(d.keys)], d.keys)
	return d.keys
}

// Nearest returns the number of the leader nearest to a row; of equally near ones the first.
func (d *Divider) Nearest(row []byte) uint16 {
	best, keys := 0, d.compare(row)
	for i, key := range keys {
		if key < keys[best] {
			best = i
		}
	}
	return uint16(best)
}

// Chain orders the leaders so that each is followed by the nearest of the remaining ones.
func (d *Divider) Chain() {
	d.chained = slices.Grow(d.chained[:0], d.size)[:d.size]
	room, n := d.chained, len(d.keys)
	for i := 0; i+2 < n; i++ {
		keys, next := d.compare(d.leader(i)), i+1
		for j := i + 2; j < n; j++ {
			if keys[j] < keys[next] {
				next = j
			}
		}
		copy(room, d.leader(i+1))
		copy(d.leader(i+1), d.leader(next))
		copy(d.leader(next), room)
		if len(d.norms) > 0 {
			d.norms[i+1], d.norms[next] = d.norms[next], d.norms[i+1]
		}
	}
}

// Draw draws count of n numbers by a seed, one from each of equal ranges.
func Draw(seed uint64, n, count int) []int {
	var d drawing
	return d.draw(nil, seed, n, count)
}

// drawing is a sequence of draws.
type drawing struct {
	pcg *rand.PCG
	rng *rand.Rand
}

// draw appends the numbers that Draw returns.
func (d *drawing) draw(drawn []int, seed uint64, n, count int) []int {
	if d.rng == nil {
		d.pcg = new(rand.PCG)
		d.rng = rand.New(d.pcg)
	}
	d.pcg.Seed(seed, uint64(n))
	for i := range count {
		from, to := i*n/count, (i+1)*n/count
		drawn = append(drawn, from+d.rng.IntN(to-from))
	}
	return drawn
}

// Order puts the numbers of rows, which are next to each other, in an order of locality. It changes the
// leaders.
func (d *Divider) Order(rows []byte, numbers []uint32) { d.divide(rows, numbers, 0) }

// divide orders the rows of a ball.
func (d *Divider) divide(rows []byte, ball []uint32, depth int) {
	if len(ball) <= small || depth == deepest {
		return
	}
	count := min(max(len(ball)/small, leastLead), mostLead)
	d.lead(rows, ball, count)
	d.chosen = slices.Grow(d.chosen[:0], len(ball))[:len(ball)]
	for i, number := range ball {
		d.chosen[i] = d.Nearest(rows[int(number)*d.size:][:d.size])
	}
	d.room = append(d.room[:0], ball...)
	outer := len(d.ends)
	d.ends = slices.Grow(d.ends, count)[:outer+count]
	gather(d.room, d.chosen, ball, d.ends[outer:])
	for i, from := 0, 0; i < count; i++ {
		end := d.ends[outer+i]     // it may have moved
		if end-from == len(ball) { // these leaders do not divide it, nor would others: its rows are equal
			break
		}
		d.divide(rows, ball[from:end], depth+1)
		from = end
	}
	d.ends = d.ends[:outer]
}

// lead draws leaders of a ball.
func (d *Divider) lead(rows []byte, ball []uint32, count int) {
	d.drawn, d.rows = d.draw.draw(d.drawn[:0], d.seed, len(ball), count), d.rows[:0]
	for _, i := range d.drawn {
		d.rows = append(d.rows, rows[int(ball[i])*d.size:][:d.size]...)
	}
	d.Lead(d.rows)
	d.Chain()
}

// Gather sorts numbers by the balls that were chosen for them, and returns the end of each of the count
// balls. Within a ball the order stays. nil numbers are 0, 1, 2 and so on.
func Gather(numbers []uint32, chosen []uint16, count int, out []uint32) (ends []int) {
	ends = make([]int, count)
	gather(numbers, chosen, out, ends)
	return ends
}

// gather is Gather into given ends.
func gather(numbers []uint32, chosen []uint16, out []uint32, ends []int) {
	clear(ends)
	for _, c := range chosen {
		ends[c]++
	}
	sum := 0
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	for i, c := range chosen {
		number := uint32(i)
		if numbers != nil {
			number = numbers[i]
		}
		out[ends[c]] = number
		ends[c]++
	}
}
