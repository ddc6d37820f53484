package exact

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/tiers"
)

// TestSchedules: however many rows there are and however they fall into tiers, every two rows are
// compared once, and no block stands twice in a round; after some tiers all of their rows have met all.
func TestSchedules(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 8 {
		n := 2 + rng.IntN(150)
		of := make([]uint32, n)
		for i := range of {
			of[i] = uint32(rng.IntN(1 + rng.IntN(tiers.Count)))
		}
		tiered := newTiered(of)
		tiered.side = 1 + rng.IntN(n)
		for name, s := range map[string]schedule{"tournament": tournament{n, 1 + rng.IntN(n)}, "tiers": tiered} {
			met := make([][]int, n)
			for i := range met {
				met[i] = make([]int, n)
			}
			for stage := range s.stages() {
				for unit := range s.units(stage) {
					for _, round := range s.rounds(stage, unit) {
						meet(t, s, round, met)
					}
				}
				for x := range n {
					for y := range n {
						if done := name == "tiers" && min(of[x], of[y]) <= uint32(stage) || stage == s.stages()-1; done && x != y && met[x][y] != 1 {
							t.Fatalf("seed %d: %s of %d rows, after stage %d: rows %d and %d were compared %d times", seed, name, n, stage, x, y, met[x][y])
						}
					}
				}
			}
		}
	}
}

// meet counts the pairs of a round.
func meet(t *testing.T, s schedule, round [][2]int, met [][]int) {
	t.Helper()
	taken := map[int]bool{}
	for _, pair := range round {
		rows, columns := s.block(nil, pair[0]), s.block(nil, pair[1])
		if taken[pair[0]] || taken[pair[1]] || !slices.IsSorted(rows) || !slices.IsSorted(columns) {
			t.Fatalf("blocks %v of a round: %v and %v", pair, rows, columns)
		}
		taken[pair[0]], taken[pair[1]] = true, true
		for i, x := range rows {
			for j, y := range columns {
				if pair[0] == pair[1] && j <= i {
					continue
				}
				met[x][y]++
				met[y][x]++
			}
		}
	}
}
