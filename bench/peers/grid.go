package peers

import (
	"math"
	"slices"

	"github.com/knng/knng/vectors/distance"
)

// p abbreviates parameters.
type p = map[string]any

// Grid lists the settings for n rows. It was written down before the runs, each
// peer being given the parameters that its documentation names for trading
// accuracy for time, from its defaults up. Added later: PyNNDescent's last, as none
// of the others found 0.99 of GIST; its first four and those of rinnd that are cheaper than the defaults,
// which on MNIST find 0.95 in half the time; rinnd, ann-search, pipnn and pyglass, which are newer.
func Grid(n int) (grid []Setting) {
	add := func(peer string, all ...p) {
		for _, parameters := range all {
			grid = append(grid, Setting{peer, parameters})
		}
	}
	add("pynndescent", p{"n_iters": 1}, p{"n_iters": 2}, p{"n_iters": 3}, p{"n_trees": 4, "n_iters": 3}, p{}, p{"n_neighbors": 26}, p{"n_neighbors": 31}, p{"n_neighbors": 41}, p{"n_neighbors": 31, "max_candidates": 60},
		p{"n_neighbors": 41, "max_candidates": 60})
	add("rinnd", p{"n_iters": 1}, p{"n_iters": 2}, p{"n_iters": 3}, p{}, p{"n_neighbors": 30}, p{"n_neighbors": 40}, p{"n_neighbors": 40, "max_candidates": 60})
	add("ann-search", p{"max_iter": 1}, p{"max_iter": 2}, p{}, p{"max_candidates": 40}, p{"max_candidates": 60}, p{"n_neighbors": 41, "max_candidates": 60})
	add("pipnn", p{"fanout": 1}, p{"c_max": 1024}, p{}, p{"fanout": 3}, p{"runs": 2})
	add("pyglass", p{"R": 16, "L": 40, "ef": 24}, p{"R": 24, "L": 50, "ef": 48}, p{"R": 32, "L": 50, "ef": 64}, p{"R": 32, "L": 100, "ef": 128})
	add("faiss-nndescent", p{"S": 10, "R": 60, "L": 10, "iter": 5}, p{"S": 10, "R": 100, "L": 20, "iter": 8}, p{"S": 15, "R": 100, "L": 40, "iter": 10})
	add("faiss-hnsw", p{"M": 12, "efConstruction": 40, "efSearch": 24}, p{"M": 16, "efConstruction": 40, "efSearch": 48}, p{"M": 16, "efConstruction": 80, "efSearch": 96}, p{"M": 24, "efConstruction": 100, "efSearch": 160})
	add("hnswlib", p{"M": 12, "ef_construction": 40, "ef": 24}, p{"M": 16, "ef_construction": 60, "ef": 48}, p{"M": 16, "ef_construction": 100, "ef": 96}, p{"M": 24, "ef_construction": 120, "ef": 160})
	add("usearch", p{"M": 12, "add": 40, "search": 24}, p{"M": 16, "add": 60, "search": 48}, p{"M": 16, "add": 100, "search": 96}, p{"M": 24, "add": 120, "search": 160})
	lists := int(2 * math.Sqrt(float64(n)))
	for _, probes := range []int{4, 8, 16, 32, 64} {
		add("faiss-ivf", p{"nlist": lists, "nprobe": probes})
		add("faiss-ivf", p{"nlist": lists, "nprobe": probes, "sq8": true})
	}
	if n <= bruteRows {
		add("faiss-flat", p{})
	}
	brute := p{}
	if n > bruteRows {
		brute["sample"] = bruteSample
	}
	add("openblas", brute)
	return grid
}

// A brute force of more than bruteRows rows is timed on bruteSample of them, which
// takes seconds, and scaled.
const (
	bruteRows   = 100_000
	bruteSample = 2048
)

// Targets are the recalls that knng is asked for.
var Targets = []float64{0.85, 0.90, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995}

// OurGrid is Targets as settings.
func OurGrid() (grid []Setting) {
	for _, target := range Targets {
		grid = append(grid, Setting{Ours, p{"recall": target}})
	}
	return grid
}

// Kernels are the arithmetics that knng is run in to tell them from the algorithm:
// all that the machine has, AVX-512 without AMX, float32 alone, AVX2 with products of bytes,
// and AVX2.
var Kernels = []string{"", "avx512", "avx512-f32", "avxvnni", "avx2"}

// partTargets are the recalls that are asked for in every arithmetic.
var partTargets = []float64{0.90, 0.95, 0.99}

// Parts are the settings of knng that show the gain of its arithmetic over others that the
// machine has.
func Parts() (grid []Setting) {
	for _, kernel := range Kernels[1:] {
		if !slices.Contains(distance.Kernels()[1:], kernel) {
			continue
		}
		for _, target := range partTargets {
			grid = append(grid, Setting{Ours, p{"recall": target, "kernel": kernel}})
		}
	}
	return grid
}
