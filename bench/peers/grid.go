package peers

import "math"

// A Setting is one way to run a peer: parameters as scripts/peer.py takes them.
type Setting struct {
	Peer       string         `json:"peer"`
	Parameters map[string]any `json:"parameters"`
}

// p abbreviates parameters.
type p = map[string]any

// Grid lists the settings for n rows. It was written down before the runs, each
// peer being given the parameters that its documentation names for trading
// accuracy for time, from its defaults up.
func Grid(n int) (grid []Setting) {
	add := func(peer string, all ...p) {
		for _, parameters := range all {
			grid = append(grid, Setting{peer, parameters})
		}
	}
	add("pynndescent", p{}, p{"n_neighbors": 26}, p{"n_neighbors": 31}, p{"n_neighbors": 41}, p{"n_neighbors": 31, "max_candidates": 60})
	add("faiss-nndescent", p{"S": 10, "R": 60, "L": 10, "iter": 5}, p{"S": 10, "R": 100, "L": 20, "iter": 8}, p{"S": 15, "R": 100, "L": 40, "iter": 10})
	add("faiss-hnsw", p{"M": 12, "efConstruction": 40, "efSearch": 24}, p{"M": 16, "efConstruction": 40, "efSearch": 48}, p{"M": 16, "efConstruction": 80, "efSearch": 96}, p{"M": 24, "efConstruction": 100, "efSearch": 160})
	add("hnswlib", p{"M": 12, "ef_construction": 40, "ef": 24}, p{"M": 16, "ef_construction": 60, "ef": 48}, p{"M": 16, "ef_construction": 100, "ef": 96}, p{"M": 24, "ef_construction": 120, "ef": 160})
	add("usearch", p{"M": 12, "add": 40, "search": 24}, p{"M": 16, "add": 60, "search": 48}, p{"M": 16, "add": 100, "search": 96}, p{"M": 24, "add": 120, "search": 160})
	lists := int(2 * math.Sqrt(float64(n)))
	for _, probes := range []int{4, 8, 16, 32, 64} {
		add("faiss-ivf", p{"nlist": lists, "nprobe": probes})
		add("faiss-ivf", p{"nlist": lists, "nprobe": probes, "sq8": true})
	}
	add("faiss-flat", p{})
	add("openblas", p{})
	return grid
}

// Targets are the recalls that knng is asked for.
var Targets = []float64{0.85, 0.90, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995}
