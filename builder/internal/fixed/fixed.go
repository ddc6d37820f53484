// Package fixed holds the constants and the small rules by which rooms work and forecasts count.
// They have one home, as a limit of memory is refused by them.
package fixed

import (
	"math"
	"time"
)

// RootLeaders is the most leaders of a division by balls that all rows are compared with, and
// NodeLeaders the most of a node below the root. Tiles compare whole panels of 16. Package
// division argues for them.
const RootLeaders, NodeLeaders = 240, 96

// BigBall is how many leaves a ball may have on average where rows are compared with RootLeaders of them: where balls
// would be larger there are more leaders, and rows look into cells of these.
const BigBall = 4

// MostLeaves is in how many leaves each row stands within the first division by balls at most, of rows that stand in overlap of them
// in any other; fewer is by how many it has fewer than four divisions, and 0 if it is as any other. Where rows look into cells of leaders the first two or three
// divisions are one: they find their leaders once, and these are as many as for all of the leaves, so that they lie
// nearer. Of 1,000,000 SIFT descriptors at 0.95 three divisions of four leaves took 2.8 to 2.9 s and found 0.892, one of
// twelve 2.4 to 2.5 and 0.878; the builds 6.0 to 6.5 and 5.6 to 5.7 s by VNNI, 9.2 and 8.0 by AVX2. Of sixteen they
// took 5.7 and 8.6. 60,000 rows of GIST, which are compared with all leaders, gained nothing.
func MostLeaves(rows int64, leafSize, overlap, fewer int) int {
	if fewer == 0 || 4*rows <= BigBall*RootLeaders*int64(leafSize) {
		return overlap
	}
	return 4*overlap - fewer
}

// FirstLeaves is the same where no stretches tell how many suffice, of rows that are expected to stand in so many in all. They are some fewer
// than expected, as a forecast may be too high. At 0.8, where 8 leaves
// are expected, SIFT took 3.5 s with 8 and 3.9 with 12; at 0.9, where 12 are, 4.37 and 4.45.
func FirstLeaves(rows int64, leafSize, overlap, expected, fewer int) int {
	if expected < 2*overlap {
		return overlap
	}
	return min(MostLeaves(rows, leafSize, overlap, fewer), max(2*overlap, expected-fewer))
}

// LeavesAfterStretches is in how many leaves, of which one is a stretch of the order, rows are to stand to find the share wanted, where
// stretches alone found a share: from least to most. The logarithm of the share that b leaves miss is stretchLeaves b^0.77 times that of
// stretches: of SIFT 1M 5.4 times with 4 and 13 with 12, of 400,000 x 50 generated floats 5.8 and 10.2 with 8, of 250,000, 1,000,000 and
// 4,000,000 x 128 bytes 4.6 to 5.5 and 8.4 to 10.9, of normal values 10.0 with 8, of blobs 7.3 with 4.
func LeavesAfterStretches(found, wanted float64, least, most int) int {
	for b := least; b < most; b++ {
		if 1-math.Pow(1-found, stretchLeaves*math.Pow(float64(b), 0.77)) >= wanted {
			return b
		}
	}
	return most
}

const stretchLeaves = 1.89

// ListingRows is the most rows listing a row that a join takes, for lists that are not longer.
const ListingRows = 30

// FoldEvery is how long the balls method runs between two writings of its lists, of so many rows and entries each: a kill costs
// that, apart from a single stage that takes longer. It is 8 seconds, or twenty times what a writing takes where that is more, so
// that writings take a twentieth of a build at most. Two cores write lists of 4,000,000 rows and 28 entries in 1.9 s, which every 8 s
// cost 7 % of a build of 29 s.
func FoldEvery(rows, entries int) time.Duration {
	const least, share, entry = 8 * time.Second, 20, 17 * time.Nanosecond
	return max(least, share*entry*time.Duration(rows)*time.Duration(entries))
}

// ControlRows is how many rows steer, and how many report, where kernels compare them with all
// others; ControlShare is the part of a build's comparisons that these may cost where distances
// are expensive. Package controls argues for them.
const (
	ControlRows  = 256
	ControlShare = 0.05
)

// DirectionRows is how many rows of a node tell its principal direction, by default.
const DirectionRows = 100

// Columns is the number of rows that others are compared with at a time, as bytes.
const Columns = 2048

// AssignRows is how many rows a goroutine takes at a time to find their leaders, where each takes so
// many bytes meanwhile and looks into some of as many cells: 4 MiB of them, as the leaders are read
// through for each time, and up to 16 MiB until 128 rows look into each cell, which fill a tile. Of
// 416,000 leaders in 1,824 cells a row takes 6.6 microseconds where 20 rows look into each, 4.4 where
// 70 do, 3.4 where 175 do, by AMX; 10.1, 6.7 and 6.6 by VNNI.
func AssignRows(rowBytes, cells, looks int) int {
	return max(64, min(max(4<<20/rowBytes, 128*cells/looks), 16<<20/rowBytes))
}

// NearHeads is how many cells a row looks into, DeepHeads how many on each of two levels, and
// HeadsOfHeads the number of leaders from which on their heads have heads of their own. Package
// division argues for them.
const (
	NearHeads    = 8
	DeepHeads    = 16
	HeadsOfHeads = 1 << 19
)

// Heads is how many heads make a row be compared with the fewest heads and leaders, on one level of
// heads or, deep, on two.
func Heads(leaders int, deep bool) int {
	heads := int(math.Sqrt(float64(NearHeads * leaders)))
	if deep {
		above := cubeRoot(DeepHeads * DeepHeads * leaders)
		heads = above * above / DeepHeads
	}
	return max(1, min(leaders, heads))
}

// cubeRoot is the largest number whose cube is at most n.
func cubeRoot(n int) int {
	root := int(math.Cbrt(float64(n))) // whose last bit is not the same on all machines
	for root*root*root > n {
		root--
	}
	for (root+1)*(root+1)*(root+1) <= n {
		root++
	}
	return root
}

// Headed is how many pairs cost as much as those of a row with heads and leaders: on one level of
// heads, or of so many leaders on two, where a row looks into 24 more cells, each of which costs as
// much as 50 pairs.
func Headed(leaders float64) float64 {
	if leaders >= HeadsOfHeads {
		return 3*math.Cbrt(DeepHeads*DeepHeads*leaders) + (2*DeepHeads-NearHeads)*50
	}
	return 2 * math.Sqrt(NearHeads*leaders)
}

// Homed is likewise how many pairs cost as much as a leader that finds its cell.
func Homed(leaders float64) float64 {
	if leaders >= HeadsOfHeads {
		return 2*math.Cbrt(DeepHeads*DeepHeads*leaders) + (DeepHeads-NearHeads)*50
	}
	return math.Sqrt(NearHeads * leaders)
}

// FollowBytes is the memory of a row that looks into so many cells, beside its elements: the nearest
// heads, the cells, and a sum.
func FollowBytes(looks int) int { return 20*looks + 32 }

// GroupBuffer is how much of a group's rows is written at a time, and GroupBuffers the most that
// the buffers of a batch take: some two hundred groups have the first, more have less.
const (
	GroupBuffer  = 128 << 10
	GroupBuffers = 32 << 20
)

// ShortQueries is how many rows are compared with all others by short codes, to see whether these
// lose much. Wrong if larger: 64 take a fiftieth of the pairs of a build. Wrong if smaller: a loss
// of 0.005 is told with a standard error of 0.003 by 64 lists of 10, and of 0.006 by 16. Package
// axes allows the standard error.
const ShortQueries = 64

// SpillShare is how many times the bytes of all rows a batch of groups may take on disk. Rows
// of 128 bytes stand in 2.9 of 460 groups, which is 3.2 times their bytes: with once
// their bytes there were four batches, each of which reads all rows, now three.
const SpillShare = 17.0 / 16

// Copies is in how many groups a row stands that stands in so many leaves. Measured: 2.5 of 4 in 35 groups of
// SIFT, 2.0 in 6 groups of GIST; 1.1 in 6 of MNIST, whose rows keep together; 1.5, 1.8, 2.1 and 2.4 in 2, 5, 10 and 37
// of generated rows.
func Copies(leaves, groups float64) float64 {
	return 1 + (leaves-1)*(1-math.Pow(math.Max(1, groups), -0.2))
}

// A Held is the rows that groups of leaves are made of: so many of so many bytes, each in so many leaves.
type Held struct{ Rows, RowBytes, Leaves, Groups float64 }

// BatchRoom is how much of the room that memory has batches of groups may take: a sixteenth is left to all that a build holds beside
// its blocks. Without that 200,000 rows of SIFT in 120 MiB took 116, and 122.2 once, when they had been killed twice.
func BatchRoom(room int64) int64 { return room - room/16 }

// Batches is in how many batches groups are solved whose rows stand in memory, each once in a batch, and the bytes
// of one: as few as there is room for. It is 0 where batches on disk go through the disk less: each batch
// reads all rows, and those on disk write their records and read them again.
func (h Held) Batches(room float64) (batches int, bytes float64) {
	room = float64(BatchRoom(int64(room)))
	records := h.Rows * Copies(h.Leaves, h.Groups)
	spill, rows := records*(h.RowBytes+4+2*h.Leaves), h.Rows*h.RowBytes
	most := math.Ceil(spill/(SpillShare*rows)) + 2*spill/rows
	for b := 1.0; b <= math.Min(most, h.Groups); b++ {
		bytes = (h.Rows*Copies(h.Leaves, b)*(h.RowBytes+4) + records*(4+2*h.Leaves)) / b
		if bytes <= room {
			return int(b), bytes
		}
	}
	return 0, 0
}

// CellRows is how many of n rows stand in a cell of inner products, where there are so many: of many
// rows it is their square root, as rows compare themselves with the centers of all cells.
func CellRows(n int) int { return max(256, int(math.Sqrt(float64(n)))) }

// Looks is about how many looks of rows into cells are sorted at a time, where n rows have cells. Package
// inner says of how many rows. Of few rows each looks into many of the cells, so that sixteen a row are a
// third of all looks: more would be memory that nobody needs.
func Looks(n int) int { return min(1<<19, 16*n) }

// StripeSpan is how many stripes of lists are united at a time: as many as there is room for beside
// ten bytes a row, 32 at most, and few enough that threads take turns. In the last pass a row takes
// two bytes for the bound of its list, four for its component and four to be among the good rows.
// Every group has a block for each stripe, and the blocks of a group lie beside each other: 100,000,000
// rows have 2,445 groups and 1,908 stripes, 4.7 million reads of 4 KB where they are read one by one,
// and a fold took six minutes.
func StripeSpan(room int64, rows, threads, k, stripe int) int {
	stripe = max(1, stripe)
	fit := (room - 10*int64(rows)) / (int64(threads+1) * int64(stripe))
	turns := int64(rows) * 8 * int64(k) / (int64(stripe) * 4 * int64(threads+1))
	return int(max(1, min(32, fit, turns)))
}

// LeafNumbers is of how many divisions leaf numbers stand together: those of a row are half a cache
// line. Package cache has the same number.
const LeafNumbers = 8

// FitRows is the least number of rows that codes are fitted on, from 1,024 dimensions on; of shorter
// rows more have as many elements. Package codes has the same number.
const FitRows = 256

// ExactRounds is how many rounds of blocks make a stage of the exact method: folding may happen
// only between stages, and the blocks of a stage pile up until then.
const ExactRounds = 8

// BoundLeaves is from how many leaves of rows on the exact method divides them once, to
// bound the pairs that are too far: of 20 leaves the pairs of that are a sixth of all, and cost twice as
// much as those that are only compared.
const BoundLeaves = 20

// BlockSide is how many of n rows are a block of the exact method: one of 32 blocks, which
// keep threads busy. More than 2048 rows gain nothing: updating the lists of two blocks
// is then little beside their pairs. Nor do fewer than LeastBlock where all pairs are brief: they are
// compared sooner than finds are kept. Where all pairs are evaluated by a distance of
// the user's own the most are less: a build stops between two blocks.
func BlockSide(n int64, dim int, screened bool) int {
	least, most := int64(fewestRows), int64(MostBlock)
	if !screened {
		most = 512
	} else if Brief(n, dim) {
		least = LeastBlock
	}
	return int(min(most, max(least, n/32)))
}

// MostBlock is the most rows of a block of the exact method, and fewestRows the fewest of one whose
// pairs take long: of 1,000 rows of 20,000 floats with 256 to a block two cores would be busy, however
// many there are.
const (
	MostBlock  = 2048
	fewestRows = 16
)

// LeastBlock is the least rows of a block where all pairs are brief: 33,000 pairs,
// which take about a millisecond. With 16, until version 0.1, a build of 1,000 rows kept the
// finds of 34 rounds, which took longer than its pairs. It is a variable for tests, whose builds
// of some hundred rows have several rounds.
var LeastBlock int64 = 256

// briefWork is the elements of all pairs up to which they are brief: some hundredths of a second
// of a core. Of 1,000 rows of 128, which are a sixteenth of it, to keep the finds of rounds took as long
// as to find it.
const briefWork = 1 << 30

// Brief reports whether comparing all pairs of n rows by codes takes some hundredths of a second.
func Brief(n int64, dim int) bool { return float64(n)*float64(n)/2*float64(dim) <= briefWork }

// AfterDivision is the recall to expect of a division in which a row stands in more balls,
// after so many in which it found a recall. In builds with leaves of 1,000 rows (package plan)
// two, three and four divisions found that, given those before, within 0.024.
func AfterDivision(recall float64, balls, more int) float64 {
	return AfterLeaves(recall, balls, more, DivisionPower)
}

// AfterLeaves is the same where the logarithm of the missing neighbors grows with a power of the balls.
func AfterLeaves(recall float64, balls, more int, power float64) float64 {
	return 1 - math.Pow(1-recall, math.Pow(float64(balls+more)/float64(balls), power))
}

// DivisionPower is that power where divisions so far do not tell it.
const DivisionPower = 0.7
