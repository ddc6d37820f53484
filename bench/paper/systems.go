package paper

import (
	"fmt"
	"math"
	"slices"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/bench/baseline/brute"
	"github.com/knng/knng/bench/baseline/chenfs09"
	"github.com/knng/knng/bench/baseline/kdtrees"
	"github.com/knng/knng/bench/baseline/knng"
	"github.com/knng/knng/bench/baseline/nndescent"
	"github.com/knng/knng/bench/baseline/uno"
	"github.com/knng/knng/bench/baseline/virmajoki"
	"github.com/knng/knng/builder"
)

// A Setting is a system with its parameters, and their label.
type Setting struct {
	Name string
	baseline.System
	Cost  float64 // about how many seconds for 100,000 rows of 128 bytes and lists of 20
	Extra bool    // between or beyond the settings that suffice for a curve: run last
}

// The systems, by the names that figures and tables give them.
const (
	Divisions   = "divisions alone"
	Propagation = "divisions + propagation"
	Default     = "knng's default"
	Glue        = "ChenFS09 Glue"
	Overlap     = "ChenFS09 Overlap"
	Virmajoki   = "VirmajokiF04"
	Uno         = "UnoST09"
	KDTrees     = "kd-trees"
	NNDescent   = "NN-descent"
	Blocked     = "brute force, blocked"
	Naive       = "brute force, naive"
	Tiles       = "brute force, tiles"

	// SecondOrder stands in ablations only.
	SecondOrder = "divisions + second order"
)

// Systems is the order of figures and tables; a system's place is its color.
var Systems = []string{Divisions, Propagation, Default, Glue, Overlap, Virmajoki, Uno, KDTrees, NNDescent, Blocked, Naive, Tiles}

// Brute are those that compare all pairs: in plain Go, by the kernels that all systems
// here share, and by knng's exact method.
var Brute = []string{Naive, Blocked, Tiles}

// Rivals are the systems that the paper compares its own with. NN-descent came
// later and stands beside them without a part in the paper's claims.
var Rivals = []string{Glue, Overlap, Virmajoki, Uno, KDTrees}

const (
	// naiveRows is how many rows the naive brute force is timed on.
	naiveRows = 1000
	// allPairsRows is how many rows the blocked one compares all pairs of; beyond
	// them it is timed on blockedRows rows against all.
	allPairsRows = 200_000
	blockedRows  = 4096
)

// Grid lists the settings of a system for n rows and lists of k, the cheap ones
// first: once a setting takes too long, those after it are left out. It was
// written before the runs, with an estimate of each cost. Leaves are of 500 rows and T
// is 500 where nothing is said, as in the paper.
func Grid(system string, n, k int) (grid []Setting) {
	add := func(cost float64, extra bool, s baseline.System, format string, args ...any) {
		grid = append(grid, Setting{fmt.Sprintf(format, args...), s, cost, extra})
	}
	switch system {
	case Divisions:
		for _, m := range []int{1, 2, 4, 6, 8, 12, 16, 24, 32, 48} {
			add(division*float64(m), !among(m, 2, 8, 24), knng.Divisions(m), "M %d", m)
		}
	case Propagation:
		for _, m := range []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32} {
			if k < shortLists {
				short, long := knng.Propagated(m, 100).Longer(shortLists), knng.Propagated(m, 0).Longer(2*shortLists)
				add(division*float64(m)+round/5, !among(m, 2, 4, 8, 16), short, "M %d, T 100, lists of %d", m, shortLists)
				add(division*float64(m)+round, m != 3, long, "M %d, lists of %d", m, 2*shortLists)
				continue
			}
			few := among(m, 2, 4, 8, 16) || m == 24 && k == 20 && n > allPairsRows
			add(division*float64(m)+round, !few, knng.Propagated(m, 0), "M %d", m)
		}
		add(9*division+round, true, knng.Propagated(0, 0), "M by the effective rate")
		add(16*division+2*round, true, knng.Propagated(16, 1000), "M 16, T 1000")
		add(24*division+4*round, true, knng.Propagated(24, 2000), "M 24, T 2000")
	case Default:
		for _, recall := range []float64{0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995} {
			add(2+20*max(0, recall-0.8), !among(recall, 0.9, 0.95, 0.99), knng.Default(recall), "recall %g", recall)
		}
	case Glue, Overlap:
		for _, alpha := range []float64{0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4} {
			cost, some := 15*math.Exp(2.2*alpha), alpha == 0.05 || alpha == 0.2 && k <= 20
			if system == Overlap {
				cost, some = 20*math.Exp(4*alpha), alpha == 0.02 || alpha == 0.1 && k <= 20
			}
			add(cost, !some, chen(system, chenfs09.Options{Alpha: alpha}), "alpha %g", alpha)
			add(2*cost, true, chen(system, chenfs09.Options{Alpha: alpha, Table: true}), "alpha %g, table", alpha)
			if k < shortLists && among(alpha, 0.02, 0.05, 0.1, 0.2, 0.3) {
				add(1.7*cost, !some, chen(system, chenfs09.Options{Alpha: alpha, Lists: shortLists}), "alpha %g, lists of %d", alpha, shortLists)
			}
		}
	case Virmajoki:
		for _, third := range []float64{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6} {
			add(1.7*math.Exp(5*third), !among(third, 0.1, 0.4), virmajoki.Builder{Third: third}, "third %g", third)
		}
	case Uno:
		for _, sets := range []int{1, 2, 4, 8, 16, 32} {
			for _, errors := range []int{2, 3, 5} {
				s := unoFor(n, errors, sets)
				add(float64(sets), errors != 3 || !among(sets, 4, 16), s, "%d letters, %d errors, %d sets", s.Length, errors, sets)
			}
		}
	case KDTrees:
		for _, checks := range []int{32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384} {
			if checks >= k && checks < n/2 {
				add(4+0.01*float64(checks), !among(checks, 128, 1024), kdtrees.Builder{Trees: 4, Checks: checks}, "4 trees, %d checks", checks)
				if checks >= 512 {
					add(8+0.011*float64(checks), true, kdtrees.Builder{Trees: 8, Checks: checks}, "8 trees, %d checks", checks)
				}
			}
		}
	case NNDescent:
		for _, length := range []int{5, 10, 15, 20, 30, 50, 70, 100} {
			if length >= k {
				add(float64(length)*(0.4+0.01*float64(length)), !among(length, 10, 30, 50), nndescent.Builder{Length: length}, "K %d", length)
			}
		}
	case Blocked:
		if n > allPairsRows {
			add(5, false, brute.Blocked{Rows: blockedRows}, "%d rows, scaled", blockedRows)
		} else {
			add(50, false, brute.Blocked{}, "all pairs")
		}
	case Tiles:
		if n <= allPairsRows {
			add(25, false, knng.Builder{Options: builder.Options{Method: builder.Exact}}, "all pairs")
		}
	case Naive:
		add(15, false, brute.Naive{Rows: naiveRows}, "%d rows, scaled", naiveRows)
	}
	return grid
}

// shortLists is the k under which propagation and second-order refinement get longer
// lists: of one neighbor each they lead nowhere.
const shortLists = 10

// The cost of a division and of a round of propagation, in the units of Setting.Cost.
const (
	division = 1.2
	round    = 7.0
)

func among[T comparable](x T, some ...T) bool { return slices.Contains(some, x) }

// first are the settings that suffice for a curve, extra the others.
func first(grid []Setting) (some []Setting) {
	return slices.DeleteFunc(slices.Clone(grid), func(s Setting) bool { return s.Extra })
}

func extra(grid []Setting) (some []Setting) {
	return slices.DeleteFunc(slices.Clone(grid), func(s Setting) bool { return !s.Extra })
}

// thin picks some m settings of a grid, from the first on; 0 picks all.
func thin(grid []Setting, m int) (some []Setting) {
	if m == 0 || len(grid) <= m {
		return grid
	}
	for i := range m {
		some = append(some, grid[i*len(grid)/m])
	}
	return some
}

// Typical is one setting of a system for lists of 20, which a study of growth
// keeps while the data change. Those of the divide-and-conquer systems are the
// ones that the paper states exponents for.
func Typical(system string, n int) (s Setting, ok bool) {
	switch system {
	case Divisions:
		return Setting{Name: "M 8", System: knng.Divisions(8), Cost: 8 * division}, true
	case Propagation:
		return Setting{Name: "M 4, T 500", System: knng.Propagated(4, 0), Cost: 4*division + round}, true
	case Default:
		return Setting{Name: "recall 0.95", System: knng.Default(0.95), Cost: 5}, true
	case Glue:
		return Setting{Name: "alpha 0.2, no refinement", System: plainChen(system, 0.2), Cost: 8}, true
	case Overlap:
		return Setting{Name: "alpha 0.2, no refinement", System: plainChen(system, 0.2), Cost: 15}, true
	case Virmajoki:
		return Setting{Name: "third 0.5", System: virmajoki.Builder{Third: 0.5}, Cost: 25}, true
	case KDTrees:
		return Setting{Name: "4 trees, 512 checks", System: kdtrees.Builder{Trees: 4, Checks: 512}, Cost: 8}, true
	case Uno:
		return Setting{Name: "4 errors, 8 sets", System: unoFor(n, 4, 8), Cost: 16}, true
	case NNDescent:
		return Setting{Name: "K 20", System: nndescent.Builder{Length: 20}, Cost: 10}, true
	case Blocked:
		return Setting{Name: "all pairs", System: brute.Blocked{}, Cost: 50}, true
	}
	return s, false
}

// stating are the systems whose growth the paper speaks of.
var stating = []string{Divisions, Propagation, Glue, Overlap, Virmajoki}

func chen(system string, o chenfs09.Options) baseline.System {
	if system == Glue {
		return chenfs09.Glue{Options: o}
	}
	return chenfs09.Overlap{Options: o}
}

// plainChen leaves the refinement out, whose cost grows with n only: the
// exponents are those of the recursion.
func plainChen(system string, alpha float64) baseline.System {
	return chen(system, chenfs09.Options{Alpha: alpha, NoRefine: true})
}

// unoFor gives strings as many letters as make some 60 of n rows agree in the two
// blocks that a pair must share, if letters were independent.
func unoFor(n, errors, sets int) uno.Builder {
	blocks := errors + 2
	shared := math.Log2(float64(n) / 60)
	length := int(math.Round(shared * float64(blocks) / 2))
	return uno.Builder{Length: min(max(length, blocks), 64), Errors: errors, Blocks: blocks, Sets: sets}
}
