package exact

import (
	"github.com/knng/knng/builder/internal/fixed"
	"github.com/knng/knng/builder/internal/tiers"
)

// A schedule is the order in which blocks of rows are compared with each other: stages of units, which are
// committed one by one. A unit is some rounds in sequence. The pairs of a round have no block in common, so
// that threads never use the same list.
type schedule interface {
	stages() int
	units(stage int) int // stages count from 0
	rounds(stage, unit int) [][][2]int
	block(dst []uint32, b int) []uint32 // appends the places of a block, which ascend
}

// tournament compares blocks of consecutive places, every two of them once.
type tournament struct{ rows, side int }

func (t tournament) blocks() int { return (t.rows + t.side - 1) / t.side }

// seats returns the number of blocks rounded up to an even number: the last seat may be empty.
func (t tournament) seats() int { return (t.blocks() + 1) / 2 * 2 }

func (t tournament) stages() int {
	return (t.seats() + fixed.ExactRounds - 1) / fixed.ExactRounds
}

func (t tournament) units(stage int) int {
	return min(fixed.ExactRounds, t.seats()-stage*fixed.ExactRounds)
}

func (t tournament) rounds(stage, unit int) [][][2]int {
	return [][][2]int{roundPairs(stage*fixed.ExactRounds+unit, t.seats(), t.blocks())}
}

func (t tournament) block(dst []uint32, b int) []uint32 {
	for p := b * t.side; p < min((b+1)*t.side, t.rows); p++ {
		dst = append(dst, uint32(p))
	}
	return dst
}

// roundPairs returns the pairs of blocks of a round: seat `seats-1` stays, the others rotate; pairs with an
// empty seat are left out. Round 0 pairs each block with itself, rounds 1 to seats-1 every two blocks once.
func roundPairs(round, seats, blocks int) (pairs [][2]int) {
	if round == 0 {
		for b := range blocks {
			pairs = append(pairs, [2]int{b, b})
		}
		return pairs
	}
	turning := seats - 1
	add := func(a, b int) {
		if a < blocks && b < blocks {
			pairs = append(pairs, [2]int{min(a, b), max(a, b)})
		}
	}
	add(round%turning, seats-1)
	for i := 1; i < seats/2; i++ {
		add((round+i)%turning, (round-i+turning)%turning)
	}
	return pairs
}

// tiered compares each tier in turn with itself and with all later ones; after that its rows have met all
// rows. A stage is a tier, a unit a tier that it is compared with.
type tiered struct {
	order []uint32 // places, tier after tier, ascending within each
	ends  []int    // of the tiers in order
	side  int      // rows of a block
}

// tierBlocks is the least number of blocks of a tier: so many threads can compare two tiers.
const tierBlocks = 8

// newTiered returns the schedule for places whose tiers are known.
func newTiered(tierOf []uint32) *tiered {
	t := &tiered{order: make([]uint32, 0, len(tierOf)), ends: make([]int, tiers.Count)}
	for tier := range t.ends {
		for place, of := range tierOf {
			if int(of) == tier {
				t.order = append(t.order, uint32(place))
			}
		}
		t.ends[tier] = len(t.order)
	}
	perTier := len(tierOf) / tiers.Count
	t.side = min(fixed.MostBlock, max(64, (perTier+tierBlocks-1)/tierBlocks))
	return t
}

func (t *tiered) stages() int { return len(t.ends) }

func (t *tiered) units(stage int) int { return len(t.ends) - stage }

// blocks returns the numbers of the blocks of a tier, from first to end-1.
func (t *tiered) blocks(tier int) (first, end int) {
	for before := range tier {
		first += t.count(before)
	}
	return first, first + t.count(tier)
}

func (t *tiered) begin(tier int) int {
	if tier == 0 {
		return 0
	}
	return t.ends[tier-1]
}

// count returns the number of blocks of a tier.
func (t *tiered) count(tier int) int {
	return (t.ends[tier] - t.begin(tier) + t.side - 1) / t.side
}

func (t *tiered) rounds(stage, unit int) (rounds [][][2]int) {
	first, end := t.blocks(stage)
	if unit == 0 {
		of := tournament{end - first, 1}
		for r := range of.seats() {
			round := roundPairs(r, of.seats(), of.blocks())
			for i := range round {
				round[i][0], round[i][1] = round[i][0]+first, round[i][1]+first
			}
			rounds = append(rounds, round)
		}
		return rounds
	}
	other, otherEnd := t.blocks(stage + unit)
	rows, columns := end-first, otherEnd-other
	wide := max(rows, columns)
	for r := range wide {
		var round [][2]int
		for i := range wide {
			if a, b := i, (i+r)%wide; a < rows && b < columns {
				round = append(round, [2]int{first + a, other + b})
			}
		}
		rounds = append(rounds, round)
	}
	return rounds
}

func (t *tiered) block(dst []uint32, b int) []uint32 {
	for tier := range t.ends {
		first, end := t.blocks(tier)
		if b < end {
			from := t.begin(tier) + (b-first)*t.side
			return append(dst, t.order[from:min(from+t.side, t.ends[tier])]...)
		}
	}
	return dst
}
