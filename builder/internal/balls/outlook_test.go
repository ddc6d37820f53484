package balls

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/knng/knng/builder/internal/job"
	"github.com/knng/knng/builder/internal/tiers"
)

// TestLost: builds of bench/cmd/shapes, stage by stage, with the share of all pairs that tiers would have taken
// and that of the missing neighbors that joins would have found. Tiers come first where neither divisions nor
// joins pay, soon enough, and not where either does.
func TestLost(t *testing.T) {
	type step struct {
		kind                  string
		pairs                 float64 // a row
		recall, tiers, joined float64
	}
	divided := func(pairs, recall, tiers, joined float64) step {
		return step{job.DivisionStage, pairs, recall, tiers, joined}
	}
	hubs := func(pairs, recall float64) step { return step{job.HubsStage, pairs, recall, 1, 0} }
	random := []step{divided(623, 0.240, 0.996, 0.122), divided(623, 0.380, 0.984, 0.162), divided(623, 0.478, 0.984, 0.178),
		divided(623, 0.545, 0.984, 0.185), divided(623, 0.593, 0.984, 0.203), divided(623, 0.640, 0.984, 0.2), divided(623, 0.677, 0.859, 0.2), divided(623, 0.705, 0.859, 0.2), divided(623, 0.728, 0.859, 0.2)}
	for _, c := range []struct {
		name   string
		rows   int
		means  string
		target float64
		coded  bool
		steps  []step
		want   int // the stage after which tiers come first; 0: none
	}{
		{"random hashes, which took 1.76 of all pairs", 40_000, job.ByKeys, 0.99, false, random, 3},
		{"for 0.95, which take 0.81", 40_000, job.ByKeys, 0.95, false, random, 0},
		{"for 0.9, which take 0.51", 40_000, job.ByKeys, 0.9, false, random, 0},
		{"under jaccard, which took 2.11", 40_000, job.ByKeys, 0.9, false,
			[]step{divided(623, 0.1615, 0.809, 0.171), hubs(2000, 0.3420), divided(623, 0.4162, 0.809, 0.2), divided(623, 0.4670, 0.809, 0.2),
				divided(623, 0.5008, 0.750, 0.2), divided(623, 0.5273, 0.750, 0.2), divided(623, 0.5543, 0.750, 0.2), divided(623, 0.5766, 0.750, 0.2),
				divided(623, 0.5938, 0.684, 0.2), divided(623, 0.6086, 0.684, 0.2), divided(623, 0.6240, 0.684, 0.2)}, 11},
		{"hashes of rows, which take 0.57 with joins", 50_000, job.ByKeys, 0.99, false,
			[]step{divided(780, 0.6584, 0.996, 0.503), divided(780, 0.7707, 0.984, 0.622), divided(780, 0.8154, 0.984, 0.717), divided(780, 0.8428, 0.984, 0.756),
				divided(780, 0.8703, 0.984, 0.794)}, 0},
		{"hubs under cosine, which take 0.73", 60_000, "", 0.99, true,
			[]step{divided(1863, 0.3303, 0.984, 0.2), divided(1893, 0.5477, 0.984, 0.2), divided(1845, 0.7023, 0.965, 0.2), divided(1857, 0.7988, 0.965, 0.2)}, 0},
		{"one huge cluster under cosine, which takes 0.55", 60_000, "", 0.99, true,
			[]step{divided(1848, 0.4785, 0.984, 0.2), divided(1914, 0.6984, 0.965, 0.2), divided(1899, 0.8146, 0.965, 0.2)}, 0},
		{"islands, by keys beside codes, which take 0.043", 200_000, job.ByKeys, 0.99, true,
			[]step{divided(780, 0.8035, 0.938, 0.2), divided(780, 0.8947, 0.902, 0.2), divided(780, 0.9334, 0.809, 0.2), divided(780, 0.9559, 0.609, 0.2)}, 0},
		{"columns of GIST under chebyshev, which took 1.6", 30_000, job.ByKeys, 0.99, false,
			[]step{divided(936, 0.574, 0.996, 0.221), divided(936, 0.712, 0.996, 0.225), divided(936, 0.783, 0.984, 0.220)}, 2},
		{"sets of very different size under jaccard, which took 1.48", 40_000, job.ByKeys, 0.99, false,
			[]step{divided(623, 0.234, 0.996, 0.088), divided(623, 0.337, 0.996, 0.113), divided(623, 0.410, 0.996, 0.12)}, 3},
		{"twins under cosine, which take 1.05 to 1.2 either way", 40_000, "", 0.99, true,
			[]step{divided(1780, 0.381, 0.984, 0.058), divided(1780, 0.593, 0.984, 0.088), divided(1813, 0.740, 0.965, 0.089)}, 1},
		{"triplets under cosine, which took 1.2 to 1.45", 30_000, "", 0.99, true, []step{divided(1688, 0.444, 0.984, 0.037)}, 1},
		{"clouds of 1 to 64 dimensions, which took 1.33", 64_000, "", 0.99, true,
			[]step{divided(1945, 0.497, 0.902, 0.105), divided(1890, 0.683, 0.902, 0.147), divided(1906, 0.776, 0.859, 0.203),
				divided(1914, 0.834, 0.809, 0.201), divided(1877, 0.870, 0.809, 0.218)}, 4},
		{"which of GIST's elements are large, which took 1.42", 30_000, job.ByKeys, 0.99, false, []step{divided(936, 0.465, 0.984, 0.231), divided(936, 0.629, 0.984, 0.271)}, 2},
		{"drawn values under cosine, which take 0.63", 100_000, "", 0.99, true, []step{divided(1850, 0.270, 0.996, 0.092), divided(1850, 0.467, 0.984, 0.147)}, 0},
		{"SIFT, of which tiers need not be looked at", 1_000_000, "", 0.95, true, []step{divided(2500, 0.6, math.NaN(), 0.5)}, 0},
		{"cubes, which take 0.22", 60_000, "", 0.99, true,
			[]step{divided(1803, 0.7926, 0.938, 0.2), divided(1743, 0.9244, 0.809, 0.2), divided(1713, 0.9674, 0.527, 0.2)}, 0},
	} {
		g := &job.Goal{Recall: c.target, Propagate: true, Screened: c.coded}
		s, got := &job.State{Rows: c.rows, Steer: 256, Means: c.means}, 0
		for i, step := range c.steps {
			s.Stages = append(s.Stages, job.Stage{Kind: step.kind, Requested: int64(step.pairs * float64(c.rows)), Recall: step.recall, Margin: 0.01})
			take := func() float64 {
				if math.IsNaN(step.tiers) {
					t.Errorf("%s: tiers are looked at", c.name)
				}
				return step.tiers
			}
			if (outlook{take: take, joined: func() float64 { return step.joined }}).lost(s, g) {
				got = i + 1
				break
			}
		}
		if got != c.want {
			t.Errorf("%s: tiers come first after stage %d, want %d", c.name, got, c.want)
		}
	}
}

// TestLeads: joins come before another division where this one found little and they find much: not where both
// do, not after hubs, nor after the first division.
func TestLeads(t *testing.T) {
	after := func(kind string, before, last float64) *job.State {
		return &job.State{Rows: 1000, Steer: 256, Stages: []job.Stage{{Kind: job.DivisionStage, Recall: before}, {Kind: kind, Recall: last}}}
	}
	for _, c := range []struct {
		name   string
		s      *job.State
		joined float64
		want   bool
	}{
		{"molecules after five divisions", after(job.DivisionStage, 0.747, 0.777), 0.493, true},
		{"random hashes", after(job.DivisionStage, 0.478, 0.545), 0.185, false},
		{"a division that finds much", after(job.DivisionStage, 0.5, 0.6), 0.9, false},
		{"hubs", after(job.HubsStage, 0.747, 0.777), 0.493, false},
		{"all found", after(job.DivisionStage, 1, 1), 0, false},
		{"the first division", &job.State{Rows: 1000, Stages: []job.Stage{{Kind: job.DivisionStage, Recall: 0.1}}}, 0.9, false},
	} {
		if got := (outlook{joined: func() float64 { return c.joined }}).leads(c.s); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// TestDeclines: builds of bench/cmd/shapes after the first joins, with the share of all pairs that tiers would
// have taken. Tiers come where they take less, or while they still are in time; not once they come too late.
func TestDeclines(t *testing.T) {
	type step struct{ divided, recall, joined, after, tiers float64 }
	twins := []step{{1756, 0.953, 490, 0.962, 0.750}, {1735, 0.975, 21, 0.975, 0.609}, {1754, 0.982, 10, 0.982, 0.527}, {1770, 0.987, 6, 0.987, 0.340}}
	for _, c := range []struct {
		name  string
		rows  int
		spent float64 // pairs a row, before the division of the first step
		from  float64 // the recall there
		steps []step
		want  int // the step after which tiers come; 0: none
	}{
		{"twins under cosine, of which tiers in the second step took 1.41 of all pairs", 40_000, 12_493 - 1756, 0.929, twins, 0},
		{"of which tiers are in time", 40_000, 12_493 - 1756, 0.929, []step{{1756, 0.953, 490, 0.962, 0.45}}, 1},
		{"of which tiers take less", 40_000, 12_493 - 1756, 0.929, []step{{1756, 0.953, 490, 0.955, 0.234}}, 1},
		{"soon done", 40_000, 12_493 - 1756, 0.929, []step{{1756, 0.992, 490, 0.993, 0.121}}, 0},
	} {
		g := &job.Goal{Recall: 0.99, Propagate: true}
		row := float64(c.rows)
		s := &job.State{Rows: c.rows, Steer: 256, Stages: []job.Stage{{Kind: job.DivisionStage, Requested: int64(c.spent * row), Recall: c.from}}}
		got := 0
		for i, step := range c.steps {
			s.Stages = append(s.Stages, job.Stage{Kind: job.DivisionStage, Requested: int64(step.divided * row), Recall: step.recall, Margin: 0.0019},
				job.Stage{Kind: job.PropagationStage, Requested: int64(step.joined * row), Recall: step.after, Margin: 0.0019})
			if (outlook{take: func() float64 { return step.tiers }}).declines(s, g) {
				got = i + 1
				break
			}
		}
		if got != c.want {
			t.Errorf("%s: tiers come after step %d, want %d", c.name, got, c.want)
		}
	}
}

// TestJoinable: the neighbors that a row meets by another that few list, by looking at all rows.
func TestJoinable(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 30 {
		n, k := uint32(40+rng.IntN(60)), 1+rng.IntN(5)
		near, lists := make([][]uint32, n), make([][]uint32, n)
		by := make([]int, n)
		for place := range n {
			for range k {
				other := rng.Uint32N(n)
				if rng.IntN(3) == 0 {
					other = rng.Uint32N(3) // few rows are listed by many
				}
				if other != place && !slices.Contains(near[place], other) {
					near[place] = append(near[place], other)
					by[other]++
				}
				lists[place] = append(lists[place], rng.Uint32N(n))
			}
		}
		most := 1 + rng.IntN(10)
		missing, joined := 0, 0
		var places []uint32
		for place := range n {
			places = append(places, place)
			for _, other := range lists[place] {
				if slices.Contains(near[place], other) {
					continue
				}
				missing++
				for via := range n {
					here, there := slices.Contains(near[place], via), slices.Contains(near[other], via)
					on, back := slices.Contains(near[via], other), slices.Contains(near[via], place)
					if by[via] <= most && (here && there || here && on || there && back) {
						joined++
						break
					}
				}
			}
		}
		reused := []uint32{}
		l := &tiers.Lists{N: int(n), Near: func(place uint32) []uint32 {
			reused = append(reused[:0], near[place]...)
			return reused
		}}
		got := joinable(l, most, &tiers.Truth{Places: places, Near: func(i int) []uint32 { return lists[i] }})
		if want := float64(joined) / float64(max(1, missing)); got != want {
			t.Fatalf("seed %d: %v of the missing neighbors, want %v", seed, got, want)
		}
	}
}
