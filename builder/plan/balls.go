package plan

import (
	"cmp"
	"fmt"
	"math"

	"github.com/knng/knng/builder/internal/fixed"
)

// balls returns the passes of the balls method; see package builder.
func (s *Shape) balls(r Rates) []Pass {
	b := ballsPlan{Shape: s, k: float64(s.K + s.Slack), divisions: float64(s.Divisions) / float64(s.Overlap), dealt: ballDivisionsOf(s)}
	b.leaf, b.tile = s.division()
	b.hold()
	divide, join := b.divide(b.held), b.join(b.held)
	passes := append(s.read(), s.ordered(b.tile), s.measured(b.leaf*b.divisions+b.tile*b.dealt.times+s.joined()))
	passes = append(append(passes, b.reduced()...), divide)
	if s.Rounds > 0 {
		passes = append(passes, join)
	}
	kept := s.storedRows()
	if fold, ok := s.fold(r.seconds(&divide)+r.seconds(&join), b.held); ok {
		passes = append(passes, fold)
		kept += fold.once()
	}
	return append(append(passes, b.rank()), s.sealed(kept, work{}, b.held)...)
}

// A ballsPlan plans the passes of the balls method.
type ballsPlan struct {
	*Shape
	k          float64 // candidates of a row
	divisions  float64
	dealt      ballDivisions
	leaf, tile float64 // pairs of a division
	held       memory  // by all passes
	reducing   memory  // while codes are made that are compared faster
}

// hold finds the memory.
func (b *ballsPlan) hold() {
	n := b.n()
	b.held.heap = float64(b.CodeBytes)*n + b.tiles()
	b.good(&b.held)
	b.held.block(8*b.k*n + 4*n) // lists and their ends
	b.reducing = b.held
	if b.AxesBytes > 0 {
		b.reducing.heap += (2*float64(b.AxesBytes) + leadBytes) * n // bytes, then short codes
	}
	if b.Shortens {
		b.reducing.block(n * math.Ceil(float64(b.Dim)/4) * 4)
		b.reducing.heap += 8 * n // their sums
	}
	if b.ViewCodes { // others are given up for those along axes, and for short ones
		b.held = b.reducing
	}
}

// axesCost is the cost of a byte of a row's codes along axes, in pairs compared with leaders: rows are compared with
// axes, and some of them with all others to see whether the axes suffice. Processor time by AVX-512 0.10 s on GIST, 0.14 s on
// MNIST; by AVX2 0.36 and 0.28 s.
const axesCost = 2

// shortWords is the cost of a short code, in words touched: most of it is the first touch of its memory. 1,000,000 x 128
// took 0.05 to 0.2 s on two threads, 6,000,000 x 50 0.5 s.
const shortWords = 3

// reduced are the passes that make codes which are compared faster.
func (b *ballsPlan) reduced() (passes []Pass) {
	n := b.n()
	if b.AxesBytes > 0 {
		passes = append(passes, Pass{Name: "axes", Does: "looks for axes along which fewer bytes tell what is near", Times: 1,
			DiskBytes: int64(b.storedRows()), work: work{tile: axesCost * n * float64(b.AxesBytes)}, held: b.reducing})
	}
	if b.Shortens {
		passes = append(passes, Pass{Name: "short codes", Does: "makes codes of six bits, which are compared faster", Times: 1,
			DiskBytes: int64(b.storedRows()), work: work{tile: fixed.ShortQueries * n, touched: shortWords * n * float64(b.Dim)}, held: b.reducing})
	}
	return passes
}

// divide is all divisions.
func (b *ballsPlan) divide(held memory) Pass {
	n, first := b.n(), float64(b.dealt.most)
	held.block(4*n + 2*first*n)
	held.block(4 * first * n)
	return Pass{Name: "divisions", Does: fmt.Sprintf("solve the leaves of the balls that a row stands in, %s", b.dealt),
		Times: math.Ceil(b.dealt.times), ReadBytes: int64(float64(b.Divisions) * b.rowBytes()), DiskBytes: int64(b.storedRows()),
		work: work{leaf: b.leaf * laterDivisions(b.divisions, ballsFirst), tile: b.dealt.times * b.tile, touched: float64(b.Divisions) * n * 20},
		held: held, First: ballsFirst + float64(b.dealt.first)/float64(b.Overlap) - 1}
}

// join is all rounds of propagation.
func (b *ballsPlan) join(held memory) Pass {
	n := b.n()
	held.block(b.k*n + 9*n)
	held.block(17.0 / 32 * b.k * n)
	return Pass{Name: "propagation", Does: "joins neighbors of neighbors, row after row", Times: b.Rounds,
		ReadBytes: int64(math.Ceil(b.Rounds) * 2 * b.rowBytes()), DiskBytes: int64(b.storedRows()),
		work: work{leaf: joinCost * b.farther() * b.joined(), touched: (8*math.Ceil(b.Rounds) + 38*b.Rounds) * n * b.k * b.farther()}, held: held}
}

// rank orders candidates.
func (b *ballsPlan) rank() Pass {
	n := b.n()
	rank := Pass{Name: "rerank", Does: "orders candidates by their keys", Times: 1, DiskBytes: int64(b.storedRows()), work: work{touched: 6 * n * b.k}, held: b.held}
	if !b.KeyCodes || b.AxesBytes > 0 || b.Shortens { // codes that tell no keys
		rank.ReadBytes = int64(b.rowBytes())
		rank.work.keys = b.nearKeys() * n * b.k
	}
	return rank
}

// ballDivisions says how the leaves of a row are distributed over divisions by balls.
type ballDivisions struct {
	first, overlap int     // of the first division, as expected, and of each that follows
	most           int     // of the first division
	times          float64 // divisions, of which the last may be a part
}

func ballDivisionsOf(s *Shape) ballDivisions {
	d := ballDivisions{first: s.Overlap, overlap: s.Overlap, most: s.Overlap}
	if s.Fewer > 0 && !s.Planes {
		d.first = fixed.FirstLeaves(s.Rows, s.LeafSize, s.Overlap, cmp.Or(s.Outset, s.Divisions), s.Fewer)
		d.most = fixed.MostLeaves(s.Rows, s.LeafSize, s.Overlap, s.Fewer)
	}
	d.times = 1 + math.Max(0, float64(s.Divisions-d.first))/float64(s.Overlap)
	return d
}

func (d ballDivisions) String() string {
	if d.most > d.overlap {
		return fmt.Sprintf("up to %d in the first division, %d in any other", d.most, d.overlap)
	}
	return fmt.Sprintf("%d a division", d.overlap)
}

// nearKeys returns the cost of a candidate's key relative to Rates.Keys, which is measured on random rows.
// Near rows are near in memory, but among millions they are no longer in a cache. Processor time: 0.5 to 0.9
// on MNIST and SIFT; 1.5 to 2 on GIST and on 500,000 and 1,000,000 generated rows of floats; on two quiet
// cores 2 to 2.3 for 1,000,000 to 6,000,000 of these, and 1.2 for 1,000,000 of SIFT.
func (s *Shape) nearKeys() float64 {
	if s.ViewCodes {
		return 0.85
	}
	return 2
}

// leadBytes is the memory of a row's codes along leading axes, with their sums.
const leadBytes = 64 + 24

// tiles is the memory of threads for the leaf at hand: its codes once more, as the kernels want
// them, at most two bytes each, with room for half as many rows more.
func (s *Shape) tiles() float64 { return float64(s.Threads) * 3 * float64(s.LeafSize) * float64(s.Dim) }

// ordered returns the pass that finds the locality order by codes, comparing rows with leaders, and writes
// the rows in it.
func (s *Shape) ordered(tile float64) Pass {
	held, w := memory{heap: float64(s.CodeBytes)*s.n() + 17*s.n()}, work{tile: orderCost * tile}
	if !s.ViewCodes {
		held.heap += float64(s.CodeBytes)*s.n() + 8*fixed.FitRows*float64(s.Dim) // in the old order and in the new; what fits them
		w.touched = 4 * s.n() * float64(s.Dim)
	}
	return s.write("order", "divides the rows once, and writes them in that order", w, held)
}

// orderCost is the ratio of the pairs with leaders for the order, to those of a division of four balls a row.
// From the times of the builds in testdata/left: 0.4 to 0.6.
const orderCost = 0.5

// fold returns the pass that writes the lists between stages; ok is false for a short build, which has none.
func (s *Shape) fold(seconds float64, held memory) (Pass, bool) {
	stages := math.Ceil(ballDivisionsOf(s).times) + math.Ceil(s.Rounds)
	times := math.Floor(math.Min(stages, seconds/fixed.FoldEvery(int(s.Rows), int(s.K+s.Slack)).Seconds()))
	lists := s.partial(s.n(), s.K+s.Slack)
	return Pass{Name: "fold", Does: "writes the lists as they are, to go on from after an interruption", Times: times,
		WrittenBytes: int64(times * lists), DiskBytes: int64(s.storedRows() + math.Min(times, 2)*lists), held: held,
		work: work{touched: packedWords * times * lists}}, times > 0
}

// packedWords is the cost of packing a byte of lists, in words touched. Processor time of two folds
// of 1,000,000 rows of 50: 6 a byte.
const packedWords = 5

// once is the bytes that a pass writes each time.
func (p *Pass) once() float64 { return float64(p.WrittenBytes) / p.Times }

// joinCost is how many pairs of a leaf a joined pair costs: its rows are gathered for
// some dozen others instead of some hundreds. It was 2.2 before rounds looked at all lists once.
const joinCost = 1.8

// farther returns the factor by which joins take longer than among 60,000 rows, because the rows that they
// gather are farther apart. Ratio of a round to a later division: 2.1 on GIST (60,000 rows) and MNIST
// (70,000); on SIFT 2.7 with 200,000 rows, 3.5 with 500,000, 3.7 with 1,000,000 (bench/results/speed); on
// generated rows 2.7 with 500,000 and 2.3 with 1,000,000. These were measured before a faster way to gather
// the rows that list a place, which takes a third off a round of SIFT.
func (s *Shape) farther() float64 { return 1 + 0.12*math.Max(0, math.Log2(s.n()/60_000)) }

// division returns how many pairs one division of the balls method compares in leaves, and with leaders. On
// average leaves have four tenths of the rows that LeafSize allows: in four leaves of at most 1,000 a row
// meets 1,440 others on GIST and MNIST, 1,640 on SIFT.
func (s *Shape) division() (leaf, tile float64) {
	n, g, overlap := s.n(), float64(s.LeafSize), float64(s.Overlap)
	if n < g {
		return n * n / 2, 0
	}
	leaders := math.Max(2, math.Floor(4*n/g))
	if overlap > 1 && leaders > 4*fixed.RootLeaders { // places look into cells
		return n * overlap * 0.4 * g, n * fixed.Headed(leaders)
	}
	tile = math.Min(fixed.RootLeaders, leaders)
	overlap = math.Min(overlap, tile)
	for size := n * overlap / tile; size >= g; {
		l := math.Max(4, math.Min(fixed.NodeLeaders, math.Floor(2*size/g)))
		tile += overlap * l
		size /= l
	}
	return n * overlap * 0.4 * g, n * tile
}

// laterRound is the ratio of the pairs of a round to those of the round before.
const laterRound = 0.4

// joined returns how many pairs the rounds compare. In the first round a row joins its list with at most
// thirty rows that list it: with lists of 28, 848 pairs a row on GIST, 787 on SIFT, 701 on MNIST; with lists
// of 18, 426 on GIST. Each later round takes four tenths of the one before, because fewer entries are new.
func (s *Shape) joined() (pairs float64) {
	k := float64(s.K + s.Slack)
	first := k*k/2 + (k+fixed.ListingRows)*(k+fixed.ListingRows)/8
	for done := 0.0; done < s.Rounds; done++ {
		pairs += math.Min(1, s.Rounds-done) * first
		first *= laterRound
	}
	return pairs * s.n()
}
