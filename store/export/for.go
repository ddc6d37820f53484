package export

import (
	"fmt"
	"slices"
	"strings"
)

// A Library is a consumer of graphs, and how it wants them.
type Library struct {
	Name      string
	Formats   []Format // the first where nothing else is asked for
	Self      bool
	Symmetric Symmetric
	Use       string // what to do with the file or folder PATH; K is the length of a list
}

// Libraries are those that For knows.
var Libraries = []Library{
	{"sklearn", []Format{NPZ}, true, Directed, `NearestNeighbors(n_neighbors=K, metric="precomputed").fit(scipy.sparse.load_npz("PATH"))`},
	{"umap", []Format{NPY}, true, Directed, `UMAP(n_neighbors=K+1, precomputed_knn=(numpy.load("PATH/indices.npy"), numpy.load("PATH/distances.npy")))`},
	{"scanpy", []Format{NPZ}, false, Directed, `scanpy.pp.neighbors(adata, n_neighbors=K+1, distances=scipy.sparse.load_npz("PATH"))`},
	{"opentsne", []Format{NPY}, false, Directed, `openTSNE.nearest_neighbors.PrecomputedNeighbors(numpy.load("PATH/indices.npy"), numpy.load("PATH/distances.npy"))`},
	{"hdbscan", []Format{NPZ}, false, Union, `hdbscan.HDBSCAN(metric="precomputed").fit(scipy.sparse.load_npz("PATH").astype(float))`},
	{"networkx", []Format{GraphML, EdgeList, GEXF}, false, Union, `networkx.read_graphml("PATH", node_type=int)`},
	{"gephi", []Format{GEXF, GraphML}, false, Union, `File, Open, PATH`},
	{"metis", []Format{METIS}, false, Union, `gpmetis PATH 16`},
	{"igraph", []Format{CSV, NPZ, GraphML}, false, Union, `igraph.Graph.DataFrame(pandas.read_csv("PATH").query("row < neighbor")[["row", "neighbor", "distance"]], directed=False)`},
}

// For returns the export that a library expects.
func For(name string) (Library, error) {
	at := slices.IndexFunc(Libraries, func(l Library) bool { return l.Name == name })
	if at < 0 {
		var known []string
		for _, l := range Libraries {
			known = append(known, l.Name)
		}
		return Library{}, fmt.Errorf("export: library %q, want %s", name, listed(known))
	}
	return Libraries[at], nil
}

// listed is names as a sentence lists them: a, b or c.
func listed[T ~string](names []T) string {
	var text strings.Builder
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			text.WriteString(" or ")
		case i > 0:
			text.WriteString(", ")
		}
		text.WriteString(string(name))
	}
	return text.String()
}
