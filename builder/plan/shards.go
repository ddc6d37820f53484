package plan

import (
	"math"

	"github.com/knng/knng/builder/internal/fixed"
)

// A Stage is the work of one stage of a build by shards: all its tasks, in all divisions.
type Stage struct {
	Name       string  `json:"name"`
	Times      float64 `json:"times"`       // the divisions, or 1
	CPUSeconds float64 `json:"cpu_seconds"` // of all times together
}

// Stages returns the stages of a build by shards (package shards) that compute. The parts method on one
// machine does the same work, and copies, hashes and seals a store besides.
func (p *Plan) Stages() []Stage { return p.Basis.Shape.stages(p, p.Basis.Rates) }

// Groups returns how many groups of leaves each division of the parts method has.
func (p *Plan) Groups() int { return int(p.Basis.Shape.groups()) }

// The costs of tasks, in words touched: of a row in a leaf beside its pairs, of a byte of a record that is
// written and read again, of a byte of lists that are packed; and of a pair of the exact lists, in screened pairs.
// Processor time on SIFT (go run ./bench/cmd/shards F): 50,000 rows, whose leaves have 223, take 0.40 s to solve,
// 200,000 rows 1.9, 1,000,000 rows 15.8: 0.7 µs a row in a leaf, beside pairs at the nominal rate.
const (
	memberWords = 400
	recordWords = 2
	packedBytes = 10
	listedPairs = 3
)

// headPairs is the pairs of a head that finds its place among heads: with the leaders of two levels of balls.
const headPairs = fixed.RootLeaders + fixed.NodeLeaders

// leastLeaf is the least rate of pairs in leaves, as a share of the nominal rate of the kernel. Where
// twenty others had the machine, trials of some milliseconds had 0.3 to 0.7 of it, and tasks, beside the words
// of their rows, 0.8 to 1; with AVX2, 1,000,000 rows, 0.75.
const leastLeaf = 0.75

// stages plans the tasks of shards from the passes of one machine. Words are touched as fast as the nominal
// machine does, whatever a trial found: the words of tasks are mostly bytes that go through files, and a trial of
// four megabytes, which a cache holds or not, found from a third to 2.4 times that rate on one machine, where
// folds and spills took 1.9 to 3.1 and 1.2 to 2.1 s of 1,000,000 rows, from 1 to 16 millions of them.
func (s *Shape) stages(p *Plan, r Rates) []Stage {
	if s.Kind != Groups {
		return nil
	}
	nominal := Nominal(*s, 1)
	r.Touched, r.Leaf = nominal.Touched, math.Max(r.Leaf, leastLeaf*nominal.Leaf)
	divisions, leaders := p.Pass("leaders").Times, float64(s.Parts.Leaders)
	heads := float64(fixed.Heads(s.Parts.Leaders, s.Parts.Leaders >= fixed.HeadsOfHeads))
	found := s.partsUnits() * (1 + LaterUnits*(divisions-1))
	solve := p.Pass("divisions").work
	exact := work{screen: listedPairs * fixed.ControlRows * s.n()}
	var all []Stage
	add := func(name string, times float64, w work) {
		parallel, alone := r.cpu(w)
		all = append(all, Stage{name, times, parallel + alone})
	}
	add("audit", 1, work{touched: s.rowBytes()})
	if s.Recall > 0 {
		add("controls", 1, exact)
	}
	if s.Recall > 0 && !s.KeyCodes {
		add("near", 1, work{screen: fixed.ControlRows * s.n()})
	}
	add("heads", divisions, work{tile: divisions * headPairs * heads})
	add("lead", divisions, work{tile: divisions * leaders * fixed.Homed(leaders)})
	add("assign", divisions, p.Pass("leaders").work)
	add("spill", divisions, work{touched: recordWords * divisions * s.partsCopies() * s.rowBytes()})
	add("solve", divisions, solve)
	add("fold", divisions, work{touched: foldedWords * found})
	add("report", 1, exact)
	add("adjacency", 1, work{touched: packedBytes * s.partial(s.n(), s.K)})
	return all
}
