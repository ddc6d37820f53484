package plan

import (
	"math"

	"github.com/knng/knng/builder/internal/fixed"
)

// parts are the passes of the parts method, one division after the other.
func (s *Shape) parts() []Pass {
	if s.Inner {
		return s.looking()
	}
	n := s.n()
	stored, divisions := s.storedRows(), math.Ceil(float64(s.Divisions)/float64(s.Overlap))
	share := float64(s.Divisions) / (divisions * float64(s.Overlap)) // of the leaves of whole divisions
	lists, first, pairs := s.partial(n, s.K), s.partsUnits(), s.partsPairs()*share
	firstCosts := partsFirst
	if !s.KeyCodes { // keys take most of the time in each division
		firstCosts = keyedFirst
	}
	units := first * (1 + LaterUnits*(divisions-1)) // of all divisions
	record := float64(s.RowBytes) + 4 + 2*float64(s.Overlap)
	spill := s.partsCopies() * n * record
	spilled := math.Min(spill, math.Max(fixed.SpillShare*s.rowBytes(), spill/s.groups())) // a batch at a time
	batches := math.Ceil(spill / spilled)
	folded := lists * math.Min(1, divisions-1) // the lists of the divisions before

	grown, beyond := s.grownWithRows()
	held, ofGroups := s.groupMemory(grown)
	lead := Pass{Name: "leaders", Does: "reads all rows in order, to find the leaves that each stands in", Times: divisions,
		ReadBytes: int64(divisions * s.rowBytes()), DiskBytes: int64(stored + folded + beyond),
		work: work{tile: divisions * n * fixed.Headed(float64(s.Parts.Leaders)), touched: divisions * (s.rowBytes()/16 + n*ledWords)}, held: grown}
	lead.held.heap += float64(s.Parts.Leaders)*float64(2*(s.RowBytes+s.CodeBytes)+24) + s.assigning()
	if s.Planes {
		lead.held.heap += planesRow * n
	}
	does, besides := "read all rows for every batch of groups, write and read its spill, write what its leaves give", 0.0
	if inMemory, bytes := s.batchesInMemory(); inMemory > 0 {
		does, besides = "read all rows for every batch of groups, whose rows stand in memory, write what its leaves give", bytes
		batches, spill, spilled = float64(inMemory), 0, 0
	}
	divide := Pass{Name: "divisions", Does: does,
		Times: divisions, ReadBytes: int64(divisions * (batches*s.rowBytes() + spill)), WrittenBytes: int64(divisions*spill + units),
		DiskBytes: int64(stored + math.Max(folded+LaterUnits*first*(1-1/batches), first*(1-1/batches)) + spilled + beyond),
		work:      work{leaf: pairs * laterDivisions(divisions, firstCosts), touched: divisions * n * (s.partsCopies()*float64(s.K+s.Slack) + memberWords*float64(s.Overlap))}, held: held, First: firstCosts, groups: ofGroups}
	divide.held.block(besides)
	fold := Pass{Name: "folds", Does: "unite what a division gave with the lists before", Times: divisions - 1,
		ReadBytes: int64(units - lastUnits(first, divisions) + lists*math.Max(0, divisions-2)), WrittenBytes: int64(lists * (divisions - 1)),
		DiskBytes: int64(stored + lists + math.Max(first, (lists+LaterUnits*first)*math.Min(1, math.Max(0, divisions-2)))),
		work:      work{touched: foldedWords * (units - lastUnits(first, divisions) + lists*math.Max(0, divisions-2))}, held: s.stripes(0)}
	if !s.ViewCodes { // codes are made for the leaders, and again in every group
		lead.work.touched += 4 * divisions * n * float64(s.Dim)
		divide.work.touched += 4 * divisions * s.partsCopies() * n * float64(s.Dim)
	}
	if !s.KeyCodes {
		divide.work.keys = divisions * s.partsCopies() * n * float64(s.K+s.Slack)
	}
	passes := append(s.read(), s.write("copy", "copies the rows", work{}, memory{}), lead, divide)
	if divisions > 1 {
		passes = append(passes, fold)
	}
	last := folded + lastUnits(first, divisions)
	end := s.sealed(stored+last, work{touched: unitedWords * last}, s.stripes(0))
	end[0].Does = "unites what the last division gave with the lists before, and writes them in input order"
	end[0].ReadBytes += int64(last)
	return append(append(passes, s.measured(divisions*pairs)), end...)
}

// planesRow is the memory of a row while hyperplanes divide all of them.
const planesRow = 20

// assigning is the memory of rows whose leaders are looked for: each thread has some (package
// groups), all of them together no more than there are.
func (s *Shape) assigning() float64 {
	deep, looks, levels := s.Parts.Leaders >= fixed.HeadsOfHeads, fixed.NearHeads, 1
	if deep {
		looks, levels = fixed.DeepHeads, 2
	}
	row := int(s.RowBytes) + s.Dim + levels*fixed.FollowBytes(looks)
	together := float64(fixed.AssignRows(row, fixed.Heads(s.Parts.Leaders, deep), looks))
	return math.Min(float64(s.Threads)*together, s.n()) * float64(row)
}

// stripes is the memory of stripes of lists: one for each thread and one that is written. beside is
// how many bytes other blocks have of the ledger.
func (s *Shape) stripes(beside float64) memory {
	lists := 8 * s.n() * float64(s.K)
	each := math.Min(float64(s.Parts.Stripe), lists)
	span := fixed.StripeSpan(s.Parts.Ledger-int64(beside), int(s.Rows), s.Threads, int(s.K), int(s.Parts.Stripe))
	wide := math.Min(float64(span)*each, lists)
	count := math.Min(float64(s.Threads+1), math.Ceil(lists/math.Max(1, wide)))
	held := memory{mapped: s.database(), heap: (count + 2) * 1.1 * each} // a block offered to each, one written, and what that is packed to
	for range int(count) {
		held.block(wide)
	}
	return held
}

// foldedWords and unitedWords are the cost of uniting a byte of lists in folds and in the
// last pass, in words touched: lists are decoded, merged and packed again, which no kernel
// speeds up. Processor time on SIFT, 150,000 rows: 9 words a byte in folds, 5 in the last
// pass. Of 1 to 20 million rows (nine builds, bench/results/larger) the wall time, with its
// waits for a disk, was 7 to 27 and 8 to 22.
const (
	foldedWords = 10
	unitedWords = 10
)

// ledWords is the cost of a row beside its comparisons with leaders, in words touched: its
// cells are sorted, its nearest leaders kept. Processor time on SIFT, 150,000 rows: 0.32 s
// a division, of which 0.1 are comparisons.
const ledWords = 1000

// ballsFirst, partsFirst, keyedFirst and paperFirst are how many times as long as a later division the first takes:
// lists that are empty take whatever their leaf has. Processor time on SIFT, 150,000 rows by
// parts: 1.70, 1.07, 0.92 s; 30,000 by the paper's method: 0.32 s, then 0.16 to 0.19; by balls SIFT,
// 200,000 rows: 1.16, 0.73, 0.73 s; 1,000,000 generated rows of 50: 5.19,
// 3.01 s; GIST: 0.67, 0.45 s. By parts 10,000,000 floats of 50: 87, 79, 87 s; 2,000,000 float16 of 1,024:
// 93, 99, 97 s; 20,000,000 of 128 bytes: 111, 72, 72, 70 s, and 1.2 to 1.6 in five such builds of 1 to 10 million
// (bench/results/larger).
const (
	ballsFirst = 1.55
	partsFirst = 1.5
	keyedFirst = 1.1
	paperFirst = 1.8
)

// laterDivisions is how many times the first division all of them take.
func laterDivisions(divisions, first float64) float64 {
	return math.Min(divisions, 1) + math.Max(0, divisions-1)/first
}

// LaterUnits is the number of entries of a later division as a share of those of the first:
// the entries that are nearer than the last of a row's list. Measured on SIFT.
const LaterUnits = 0.45

// lastUnits is the bytes of units of the last division.
func lastUnits(first, divisions float64) float64 {
	if divisions > 1 {
		return LaterUnits * first
	}
	return first
}

// grown adds a block that grows with the rows, and reports whether it stands in memory:
// in the parts method a ledger may have no room for it beside the blocks before, and puts it on disk.
func (s *Shape) grown(m *memory, bytes float64) bool {
	if s.Kind == Groups && m.ledger+bytes > float64(s.Parts.Ledger) {
		return false
	}
	m.ledger += bytes
	m.block(bytes)
	return true
}

// batchesInMemory are those that the ledger has room for beside the blocks that it holds
// then: the leaves of rows, which rows are good, and the bounds of lists.
func (s *Shape) batchesInMemory() (batches int, bytes float64) {
	h := fixed.Held{Rows: s.n(), RowBytes: float64(s.RowBytes), Leaves: float64(s.Overlap), Groups: s.groups()}
	return h.Batches(float64(s.Parts.Ledger) - s.n()*float64(4*s.Overlap+4+2))
}

// groups is how many groups of leaves a division has.
func (s *Shape) groups() float64 {
	return math.Max(1, math.Ceil(s.n()*float64(s.Overlap)/float64(max(1, s.Parts.GroupRows))))
}

// partsCopies is in how many groups a row stands.
func (s *Shape) partsCopies() float64 { return fixed.Copies(float64(s.Overlap), s.groups()) }

// partsUnits is the bytes that a division gives.
func (s *Shape) partsUnits() float64 { return s.partial(s.partsCopies()*s.n(), s.K) }

// partsPairs is how many pairs the leaves of a division have. Leaves differ in size, and
// a large one costs the square of its rows: measured 3,000 pairs a row on SIFT, where
// equal leaves would have 2,000.
func (s *Shape) partsPairs() float64 {
	leaf := s.n() * float64(s.Overlap) / float64(max(1, s.Parts.Leaders))
	return 1.5 * s.n() * float64(s.Overlap) * leaf / 2
}

// grownWithRows is the memory of the blocks of a division that grow with the rows, as far as
// the ledger has room for them. The leaves of rows are on disk as well, for a process that goes on, but for those
// of hyperplanes, which are there where memory has no room.
func (s *Shape) grownWithRows() (held memory, beyond float64) {
	s.good(&held)
	leaves := s.n() * 4 * float64(s.Overlap)
	if !s.grown(&held, leaves) || !s.Planes {
		beyond = leaves
	}
	return held, beyond
}

// groupMemory adds the memory of a large group: its rows, its candidates, and the lists of the
// one before, which are in the memory of candidates. of is the memory of its blocks.
func (s *Shape) groupMemory(grown memory) (held, of memory) {
	rows := s.largeGroup()
	for _, bytes := range []float64{s.candidates(rows), s.candidates(rows), rows * float64(s.RowBytes)} {
		of.block(bytes)
	}
	held = memory{mapped: grown.mapped + of.mapped + s.database(), heap: grown.heap + of.heap}
	held.heap += rows*float64(8+6*s.Overlap+int(s.CodeBytes)) + s.spilling()
	held.heap += math.Min(1<<20, rows*float64(s.RowBytes)) + 3*math.Min(float64(s.Parts.Stripe), rows*float64(8*s.K))/2 // read, and written
	return held, of
}

// database is the memory that Pebble has from C for tables of many lists, and that stays with
// malloc. Measured: 19 MiB with the units of 200,000 rows of SIFT.
func (s *Shape) database() float64 { return math.Min(16e6, s.partsUnits()) }

// candidates is the memory of lists of candidates and of their ends.
func (s *Shape) candidates(rows float64) float64 { return rows * float64(8*(s.K+s.Slack)+4) }

// largeGroup is the rows of the largest group to expect. Its leaves share rows, so that
// it is seldom full. Measured: 1.15 to 1.28 times the mean in 2 to 49 groups of SIFT, GIST and
// generated rows. A larger one stands in files.
func (s *Shape) largeGroup() float64 {
	const over = 1.35
	most := math.Min(float64(s.Parts.GroupRows), s.n())
	return math.Min(most, over*s.partsCopies()*s.n()/s.groups())
}

// spilling is the memory of the rows of groups on their way to a spill: 128 KiB of each group of a
// batch, 32 MiB in all at the most (package groups). They are written before a group is read.
func (s *Shape) spilling() float64 {
	batch := math.Min(1, fixed.SpillShare/s.partsCopies()) * s.groups()
	return math.Min(fixed.GroupBuffers, math.Min(batch*fixed.GroupBuffer, s.partsCopies()*s.rowBytes()))
}

// cellRow is the memory of a row in cells of inner products: its norm, its cell, and its place in
// that, and as much while cells are made. innerCode is that of its code beside the elements.
const (
	cellRow   = 32
	innerCode = 12
)

// looking are the passes under inner products: rows look into cells, those of a stretch at a time.
func (s *Shape) looking() []Pass {
	n, stored, divisions := s.n(), s.storedRows(), math.Ceil(float64(s.Divisions)/float64(s.Overlap))
	cell := float64(fixed.CellRows(int(s.Rows)))
	looks := math.Min(float64(s.Divisions), math.Ceil(n/cell))
	lists, pairs := s.partial(n, s.K), n*(looks+divisions)*cell // those with centers, in each division about as many as with a cell
	units := lists * (1 + LaterUnits*(divisions-1))
	folded := lists * math.Min(1, divisions-1)
	beyond := 0.0
	grow := func(m *memory, bytes float64) {
		if !s.grown(m, bytes) {
			beyond += bytes
		}
	}
	var held memory
	s.good(&held)
	held.heap += cellRow / 2 * n
	codes := n * math.Ceil(float64(s.Dim)/4) * 4
	grow(&held, codes)
	grow(&held, innerCode*n)
	making := held
	making.heap += cellRow / 2 * n
	grow(&making, codes+innerCode*n)
	looked := held
	looked.block(float64(min(s.Parts.Stretch, s.Rows)) * float64(8*s.K+4))
	looked.heap += s.database() + 8*float64(fixed.Looks(int(s.Rows)))
	good := memory{}
	s.good(&good)
	fold := s.stripes(held.ledger - good.ledger)
	fold.mapped, fold.heap = fold.mapped+held.mapped, fold.heap+held.heap
	passes := append(s.read(), s.write("copy", "copies the rows", work{}, memory{}),
		Pass{Name: "leaders", Does: "reads all rows, to find balls of near directions and like lengths", Times: 1, ReadBytes: int64(2 * s.rowBytes()),
			DiskBytes: int64(stored + beyond), work: work{tile: n * fixed.Headed(math.Sqrt(n)), touched: 4 * n * float64(s.Dim)}, held: making},
		Pass{Name: "divisions", Does: "every row looks into the balls that promise it most", Times: divisions, ReadBytes: int64(divisions * s.rowBytes()),
			WrittenBytes: int64(units), DiskBytes: int64(stored + folded + lists + beyond), work: work{screen: pairs}, held: looked})
	if divisions > 1 {
		passes = append(passes, Pass{Name: "folds", Does: "unite what a division gave with the lists before", Times: divisions - 1,
			ReadBytes: int64(units), WrittenBytes: int64(lists * (divisions - 1)), DiskBytes: int64(stored + 2*lists + beyond),
			work: work{touched: foldedWords * units}, held: fold})
	}
	last := folded + lastUnits(lists, divisions)
	end := s.sealed(stored+last, work{touched: unitedWords * last}, s.stripes(0))
	end[0].ReadBytes += int64(last)
	return append(append(passes, s.measured(pairs)), end...)
}
