package paper

import (
	"fmt"
	"math"

	"github.com/knng/knng/bench/baseline"
	"github.com/knng/knng/bench/baseline/brute"
	"github.com/knng/knng/bench/baseline/chenfs09"
	"github.com/knng/knng/bench/baseline/kdtrees"
	"github.com/knng/knng/bench/baseline/knng"
	"github.com/knng/knng/bench/baseline/nndescent"
	"github.com/knng/knng/bench/baseline/uno"
	"github.com/knng/knng/bench/baseline/virmajoki"
)

// A Setting is a system with its parameters, and what to call them.
type Setting struct {
	Name string
	baseline.System
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
)

// Systems is the order of figures and tables; a system's place is its color.
var Systems = []string{Divisions, Propagation, Default, Glue, Overlap, Virmajoki, Uno, KDTrees, NNDescent, Blocked, Naive}

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
// written before the runs. Leaves are of 500 rows and T is 500 where nothing is
// said, as in the paper.
func Grid(system string, n, k int) (grid []Setting) {
	add := func(s baseline.System, format string, args ...any) {
		grid = append(grid, Setting{fmt.Sprintf(format, args...), s})
	}
	switch system {
	case Divisions:
		for _, m := range []int{1, 2, 4, 6, 8, 12, 16, 24, 32, 48} {
			add(knng.Divisions(m), "M %d", m)
		}
	case Propagation:
		for _, m := range []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 32} {
			add(knng.Propagated(m, 0), "M %d", m)
		}
		add(knng.Propagated(0, 0), "M by the effective rate")
		add(knng.Propagated(16, 1000), "M 16, T 1000")
		add(knng.Propagated(24, 2000), "M 24, T 2000")
	case Default:
		for _, recall := range []float64{0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995} {
			add(knng.Default(recall), "recall %g", recall)
		}
	case Glue, Overlap:
		for _, alpha := range []float64{0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4} {
			add(chen(system, alpha, false), "alpha %g", alpha)
			add(chen(system, alpha, true), "alpha %g, table", alpha)
		}
	case Virmajoki:
		for _, third := range []float64{0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6} {
			add(virmajoki.Builder{Third: third}, "third %g", third)
		}
	case Uno:
		for _, sets := range []int{1, 2, 4, 8, 16, 32} {
			for _, errors := range []int{2, 3, 5} {
				s := unoFor(n, errors, sets)
				add(s, "%d letters, %d errors, %d sets", s.Length, errors, sets)
			}
		}
	case KDTrees:
		for _, checks := range []int{32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384} {
			if checks >= k && checks < n/2 {
				add(kdtrees.Builder{Trees: 4, Checks: checks}, "4 trees, %d checks", checks)
				if checks >= 512 {
					add(kdtrees.Builder{Trees: 8, Checks: checks}, "8 trees, %d checks", checks)
				}
			}
		}
	case NNDescent:
		for _, length := range []int{5, 10, 15, 20, 30, 50, 70, 100} {
			if length >= k {
				add(nndescent.Builder{Length: length}, "K %d", length)
			}
		}
	case Blocked:
		if n > allPairsRows {
			add(brute.Blocked{Rows: blockedRows}, "%d rows, scaled", blockedRows)
		} else {
			add(brute.Blocked{}, "all pairs")
		}
	case Naive:
		add(brute.Naive{Rows: naiveRows}, "%d rows, scaled", naiveRows)
	}
	return grid
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

// Typical is one setting of a system for lists of 20: what a study of growth
// keeps while the data change. Those of the divide-and-conquer systems are the
// ones that the paper states exponents for.
func Typical(system string, n int) (s Setting, ok bool) {
	switch system {
	case Divisions:
		return Setting{"M 16", knng.Divisions(16)}, true
	case Propagation:
		return Setting{"M 8, T 500", knng.Propagated(8, 0)}, true
	case Default:
		return Setting{"recall 0.95", knng.Default(0.95)}, true
	case Glue, Overlap:
		return Setting{"alpha 0.2, no refinement", plainChen(system, 0.2)}, true
	case Virmajoki:
		return Setting{"third 0.5", virmajoki.Builder{Third: 0.5}}, true
	case KDTrees:
		return Setting{"4 trees, 512 checks", kdtrees.Builder{Trees: 4, Checks: 512}}, true
	case Uno:
		s := unoFor(n, 4, 8)
		return Setting{"4 errors, 8 sets", s}, true
	case NNDescent:
		return Setting{"K 20", nndescent.Builder{Length: 20}}, true
	case Blocked:
		return Setting{"all pairs", brute.Blocked{}}, true
	}
	return s, false
}

func chen(system string, alpha float64, table bool) baseline.System {
	o := chenfs09.Options{Alpha: alpha, Table: table}
	if system == Glue {
		return chenfs09.Glue{Options: o}
	}
	return chenfs09.Overlap{Options: o}
}

// plainChen leaves the refinement out, whose cost grows with n only: the
// exponents are those of the recursion.
func plainChen(system string, alpha float64) baseline.System {
	o := chenfs09.Options{Alpha: alpha, NoRefine: true}
	if system == Glue {
		return chenfs09.Glue{Options: o}
	}
	return chenfs09.Overlap{Options: o}
}

// unoFor gives strings as many letters as make some 60 of n rows agree in the two
// blocks that a pair must share, if letters were independent.
func unoFor(n, errors, sets int) uno.Builder {
	blocks := errors + 2
	shared := math.Log2(float64(n) / 60)
	length := int(math.Round(shared * float64(blocks) / 2))
	return uno.Builder{Length: min(max(length, blocks), 64), Errors: errors, Blocks: blocks, Sets: sets}
}
