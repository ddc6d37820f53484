"""Every block of recipes/README.md as it stands, beside the library's own exact neighbors."""

import importlib
import re
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

PAGE = Path(__file__).resolve().parent.parent / "recipes" / "README.md"
BLOCKS = dict(re.findall(r"^## (.+?)\n.*?^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S))


def need(*libraries):
    for name in libraries:
        pytest.importorskip(name, reason=f"{name} is not installed", exc_type=ImportError)
    return importlib.import_module(libraries[0])


def run(title, **given):
    """The names that a recipe makes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(BLOCKS[title], f"{PAGE.name}, {title}", "exec"), given)
    return given


@pytest.fixture(scope="module")
def digits():
    """1,797 digits as 20 principal components, and what they are."""
    need("sklearn")
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA

    x, y = load_digits(return_X_y=True)
    return PCA(20, random_state=0).fit_transform(x).astype(np.float32), y


@pytest.fixture
def x(digits):
    return digits[0]


@pytest.fixture
def y(digits):
    return digits[1]


@pytest.fixture
def adata(digits):
    anndata = need("anndata", "scanpy")
    adata = anndata.AnnData(np.zeros((len(digits[0]), 64), np.float32))  # more than the 50 variables that scanpy takes as they are
    adata.obs_names = [f"cell{i}" for i in range(adata.n_obs)]
    adata.obsm["X_pca"] = digits[0]
    return adata


def alike(a, b):
    from sklearn.metrics import adjusted_rand_score

    return adjusted_rand_score(a, b)


def equal(a, b, tolerance=1e-5):
    """Sparse matrices of the same entries."""
    difference = abs(a - b)
    assert a.shape == b.shape and difference.max() <= tolerance, difference.max()


def test_umap(x):
    need("umap", "sklearn")
    from umap.umap_ import fuzzy_simplicial_set
    from sklearn.neighbors import NearestNeighbors

    made = run("UMAP", x=x)
    distances, indices = NearestNeighbors(n_neighbors=15, algorithm="kd_tree").fit(x).kneighbors(x)
    own, _, _ = fuzzy_simplicial_set(x, 15, np.random.RandomState(0), "euclidean", knn_indices=indices, knn_dists=distances.astype(np.float32))
    own.data[own.data < own.data.max() / 500] = 0  # as UMAP does, where an edge would not be drawn in 500 epochs
    equal(made["reducer"].graph_, own)
    assert made["embedding"].shape == (len(x), 2)


def exact_scanpy(adata):
    """What scanpy makes of scikit-learn's exact neighbors (by brute force a row has a distance to itself)."""
    import scanpy
    from sklearn.neighbors import KNeighborsTransformer

    own = adata.copy()
    scanpy.pp.neighbors(own, transformer=KNeighborsTransformer(n_neighbors=15, algorithm="kd_tree"))
    return own


def test_scanpy(adata, y):
    run("scanpy", adata=adata)
    own = exact_scanpy(adata)
    for name in ("connectivities", "distances"):
        equal(adata.obsp[name], own.obsp[name], 1e-4)
    assert alike(adata.obs["leiden"], y) > 0.6


def test_scanpy_from_a_graph(adata, path):
    scanpy = need("scanpy")
    made = run("scanpy, from a graph that is there", adata=adata, path=path)
    assert adata.uns["neighbors"]["params"]["n_neighbors"] == 15
    for method in ("umap", "gauss"):
        own = adata.copy()
        scanpy.pp.neighbors(own, n_neighbors=15, method=method)
        made["graph"].to_scanpy(adata, n_neighbors=15, method=method)
        assert (adata.obsp["distances"].getnnz(axis=1) == own.obsp["distances"].getnnz(axis=1)).all()
        for name in ("connectivities", "distances"):
            equal(adata.obsp[name], own.obsp[name], 1e-4)


def test_scanpy_where_cells_are_equal():
    """Zeros are stored as distances: each list is whole."""
    anndata = need("anndata", "scanpy")
    from oracle import nearest
    import knng

    x = np.random.default_rng(0).normal(size=(200, 10)).astype(np.float32)
    x[-5:] = x[:5]
    cells = anndata.AnnData(x)
    knng.build(cells, k=14, progress=False).to_scanpy(cells, n_neighbors=15)
    distances = cells.obsp["distances"]
    assert (distances.getnnz(axis=1) == 14).all()
    np.testing.assert_allclose(np.sort(distances.data.reshape(200, 14)), nearest(x, 14)[1], rtol=1e-5)
    assert cells.obsp["connectivities"][0, 195] == 1


def test_scanpy_refuses_other_cells(adata, path):
    import knng

    graph = knng.build(adata, path, k=5, progress=False)
    turned = adata[::-1].copy()
    with pytest.raises(knng.InputError, match="cell 0 is 'cell1796', row 0 of the graph 'cell0': adata.graph.ids"):
        graph.to_scanpy(turned)
    graph.to_scanpy(turned[graph.ids].copy())
    turned.obs_names = [f"other{i}" for i in range(turned.n_obs)]
    with pytest.raises(knng.InputError, match="'cell0': where they are the same cells"):
        graph.to_scanpy(turned)
    turned.obs_names = [str(i) for i in range(turned.n_obs)]
    graph.to_scanpy(turned)
    copy = graph.to_scanpy(turned, copy=True)
    assert copy is not turned and "connectivities" in copy.obsp
    with pytest.raises(knng.UsageError, match="metric is 'cosine'"):
        graph.to_scanpy(turned, metric="cosine")
    with pytest.raises(knng.UsageError, match="transformer"):
        graph.to_scanpy(turned, transformer="pynndescent")


def test_scanpy_by_distances(adata):
    import inspect

    scanpy = need("scanpy")
    if "distances" not in inspect.signature(scanpy.pp.neighbors).parameters:
        pytest.skip(f"this scanpy takes no distances=, 1.12 does")
    run("scanpy, by distances", adata=adata)
    equal(adata.obsp["connectivities"], exact_scanpy(adata).obsp["connectivities"], 1e-4)


def test_nearest_neighbors(x):
    from sklearn.neighbors import NearestNeighbors

    made = run("NearestNeighbors", x=x)
    distances, indices = NearestNeighbors(n_neighbors=15, algorithm="brute").fit(x.astype(np.float64)).kneighbors()
    assert (made["indices"] == indices).mean() > 0.9999
    np.testing.assert_allclose(made["distances"], distances, rtol=1e-5)


def test_classifier(x, y):
    from sklearn.neighbors import KNeighborsClassifier

    given = {"x_train": x[:1200], "y_train": y[:1200], "x_test": x[1200:]}
    made = run("KNeighborsClassifier", **given)
    own = KNeighborsClassifier(n_neighbors=10).fit(x[:1200], y[:1200])
    assert (made["predicted"] == own.predict(x[1200:])).mean() > 0.998
    assert (made["model"].predict(x[:1200]) == own.predict(x[:1200])).mean() > 0.998


def test_dbscan(x):
    from sklearn.cluster import DBSCAN

    eps = 18.0
    made = run("DBSCAN", x=x, eps=eps)
    own = DBSCAN(eps=eps, min_samples=5).fit_predict(x)
    assert own.max() >= 3 and alike(made["labels"], own) == 1.0 and (made["labels"] == -1).sum() == (own == -1).sum()


def test_sklearn_hdbscan(x):
    need("sklearn.cluster")
    from sklearn import cluster

    if not hasattr(cluster, "HDBSCAN"):
        pytest.skip("scikit-learn has HDBSCAN from 1.3 on")
    made = run("HDBSCAN of scikit-learn", x=x)
    own = cluster.HDBSCAN(min_cluster_size=20).fit_predict(x)
    assert own.max() >= 5 and alike(made["labels"], own) > 0.95


def test_outliers(x):
    from sklearn.neighbors import LocalOutlierFactor

    own = LocalOutlierFactor(n_neighbors=20).fit(x)
    np.testing.assert_allclose(run("LocalOutlierFactor", x=x)["factors"], own.negative_outlier_factor_, rtol=1e-4)


def test_isomap(x):
    from sklearn.manifold import Isomap

    own = Isomap(n_neighbors=15).fit_transform(x)
    made = run("Isomap", x=x)["embedding"]
    signs = np.sign((made * own).sum(axis=0))
    assert np.abs(made * signs - own).max() < 1e-3 * np.abs(own).max()


def test_weights_of_long_lists(rng):
    """Time and memory are proportional to the lists, not to the square of their length."""
    import tracemalloc
    import knng
    from knng import _convert

    graph = knng.build(rng.normal(size=(500, 8)), k=200, progress=False)
    pairs = np.random.default_rng(1).integers(0, 500, (2, 1 << 14))
    tracemalloc.start()
    shares = _convert._jaccard(graph.indices, *pairs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200 << 20
    sets = [{row, *found} for row, found in enumerate(graph.indices.tolist())]
    a, b = pairs[:, :100].tolist()
    np.testing.assert_allclose(shares[:100], [len(sets[i] & sets[j]) / len(sets[i] | sets[j]) for i, j in zip(a, b)])


def test_spectral_clustering(x):
    from sklearn.cluster import SpectralClustering

    own = SpectralClustering(n_clusters=10, n_neighbors=15, affinity="nearest_neighbors", random_state=0).fit_predict(x)
    assert alike(run("SpectralClustering", x=x)["labels"], own) > 0.95


def test_hdbscan(x):
    hdbscan = need("hdbscan", "sklearn")
    own = hdbscan.HDBSCAN(min_cluster_size=20).fit_predict(x)
    assert own.max() >= 5 and alike(run("hdbscan", x=x)["labels"], own) > 0.95


def test_opentsne(x):
    openTSNE = need("openTSNE", "sklearn")
    made = run("openTSNE", x=x, n_iter=20)
    own = openTSNE.affinity.PerplexityBasedNN(x.astype(np.float64), perplexity=30, method="exact")
    equal(made["affinities"].P, own.P, 1e-7)
    assert made["embedding"].shape == (len(x), 2)


def test_igraph(x, y):
    need("igraph", "leidenalg")
    from oracle import nearest

    made = run("igraph and leidenalg", x=x)
    graph, found = made["graph"], nearest(x, 15)[0]
    want = {(min(a, b), max(a, b)) for a, row in enumerate(found.tolist()) for b in row}
    assert len(want ^ set(graph.get_edgelist())) <= 4  # rows at one distance may change places
    sets = [{a, *row} for a, row in enumerate(found.tolist())]
    edges = graph.es[:50]
    np.testing.assert_allclose(edges["weight"], [len(sets[e.source] & sets[e.target]) / len(sets[e.source] | sets[e.target]) for e in edges], atol=0.08)
    assert alike(made["labels"], y) > 0.6


def test_drawings(x, tmp_path):
    networkx = need("networkx")
    names = [f"digit <{i}> & more" for i in range(len(x))]
    made = run("networkx, Gephi, METIS", x=x, names=names, folder=tmp_path)
    want = made["graph"].csr(symmetric="union").astype(float)
    for drawing in (made["drawing"], networkx.read_gexf(tmp_path / "x.gexf", node_type=int)):
        assert not drawing.is_directed() and drawing.number_of_nodes() == len(x)
        equal(networkx.to_scipy_sparse_array(drawing, nodelist=range(len(x)), weight="distance"), want)
        assert [drawing.nodes[i]["label"] for i in range(len(x))] == names
    counts, *lists = (tmp_path / "x.metis").read_text().split("\n")[:-1]
    assert counts == f"{len(x)} {want.nnz // 2}" and [sorted(int(n) - 1 for n in line.split()) for line in lists] == want.tolil().rows.tolist()


def test_drawings_in_igraph(x, tmp_path):
    igraph = need("igraph")
    import knng

    graph = knng.build(x, k=5)
    lists = {(a, b): d for a, (row, far) in enumerate(zip(graph.indices.tolist(), graph.distances.tolist())) for b, d in zip(row, far)}
    for format, read in {"graphml": igraph.Graph.Read_GraphML, "edgelist": lambda f: igraph.Graph.Read_Ncol(f, names=True, weights=True, directed=True)}.items():
        drawn = read(str(graph.export(tmp_path / f"x.{format}")))
        assert drawn.is_directed() and drawn.vcount() == len(x)
        number = [int(v["name" if format == "edgelist" else "id"]) for v in drawn.vs]
        found = {(number[e.source], number[e.target]): e["weight" if format == "edgelist" else "distance"] for e in drawn.es}
        assert found == pytest.approx(lists, rel=1e-6)


@pytest.fixture(scope="module")
def built(digits, tmp_path_factory):
    """A graph with ids, its exact lists, and the export of it for a library: the file and the line that loads it."""
    import knng
    from knng import _command

    folder = tmp_path_factory.mktemp("lines")
    graph = knng.build(digits[0], folder / "x.knng", k=15, ids=[f"digit {i}" for i in range(len(digits[0]))])

    def line(library, file):
        said = subprocess.run([_command.find(), "export", graph.path, "-o", folder / file, "--for", library], check=True, capture_output=True, text=True)
        return said.stdout.split("use ", 1)[1].strip()

    return graph, line


def union(graph):
    return graph.csr(symmetric="union").astype(float)


def test_line_for_sklearn(built, x):
    from sklearn.neighbors import NearestNeighbors
    import scipy

    graph, line = built
    distances, indices = eval(line("sklearn", "sklearn.npz")).kneighbors()
    assert (indices == graph.indices).all() and (distances == graph.distances).all()


def test_line_for_umap(built, x):
    UMAP = need("umap").UMAP
    import numpy

    graph, line = built
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reducer = eval(line("umap", "umap").replace("UMAP(", "UMAP(random_state=0, n_epochs=11, "))
        own = UMAP(n_neighbors=16, random_state=0, n_epochs=11, precomputed_knn=graph.to_umap(16)).fit(x)
        equal(reducer.fit(x).graph_, own.graph_)


def test_line_for_scanpy(built, adata):
    import inspect
    import scipy

    scanpy = need("scanpy")
    if "distances" not in inspect.signature(scanpy.pp.neighbors).parameters:
        pytest.skip("this scanpy takes no distances=, 1.12 does")
    graph, line = built
    adata.obs_names = graph.ids
    own = adata.copy()
    eval(line("scanpy", "scanpy.npz"))
    graph.to_scanpy(own, n_neighbors=16)
    for name in ("connectivities", "distances"):
        equal(adata.obsp[name], own.obsp[name], 1e-5)


def test_line_for_opentsne(built, x):
    openTSNE = need("openTSNE")
    import numpy

    graph, line = built
    indices, distances = eval(line("opentsne", "opentsne")).build()
    assert (indices == graph.indices).all() and (distances == graph.distances).all()


def test_line_for_hdbscan(built, x):
    hdbscan = need("hdbscan")
    import scipy

    graph, line = built
    own = hdbscan.HDBSCAN(metric="precomputed").fit(union(graph))
    assert (eval(line("hdbscan", "hdbscan.npz")).labels_ == own.labels_).all()


def test_lines_for_networkx(built, x):
    networkx = need("networkx")
    graph, line = built
    for file in ("networkx.graphml", "networkx.gexf", "networkx.edgelist"):
        drawn = eval(line("networkx", file))
        weight = "weight" if file.endswith("edgelist") else "distance"
        nodes = [str(i) for i in range(len(x))] if file.endswith("gexf") else range(len(x))
        equal(networkx.to_scipy_sparse_array(drawn, nodelist=nodes, weight=weight), union(graph))


def test_lines_for_igraph(built, x):
    igraph = need("igraph", "pandas")
    import pandas, scipy
    networkx = need("networkx")

    graph, line = built
    want = scipy.sparse.triu(union(graph)).tocoo()
    want = dict(zip(zip(want.row.tolist(), want.col.tolist()), want.data))
    for file in ("igraph.csv", "igraph.graphml"):
        drawn = eval(line("igraph", file).split(", networkx")[0])
        found = dict(zip((tuple(sorted(e)) for e in drawn.get_edgelist()), drawn.es["distance"]))
        assert not drawn.is_directed() and drawn.vcount() == len(x) and found == pytest.approx(want, rel=1e-6)
    matrix = eval(line("igraph", "igraph.npz"))
    assert igraph.Graph.Weighted_Adjacency(matrix, mode="undirected").ecount() == len(want)


def test_metis_reads(built, x):
    """The file by the rules of METIS's manual: counts first, then lists of nodes from 1, each edge at both of its ends, once."""
    graph, line = built
    _, file, parts = line("metis", "x.metis").split()
    counts, *lists = Path(file).read_text().removesuffix("\n").split("\n")
    n, edges = map(int, counts.split())
    assert n == len(lists) == len(x) and parts == "16"
    pairs = [(a, int(b)) for a, row in enumerate(lists, 1) for b in row.split()]
    assert len(pairs) == len(set(pairs)) == 2 * edges and {(b, a) for a, b in pairs} == set(pairs) and all(a != b and 1 <= b <= n for a, b in pairs)
    rows, columns = union(graph).nonzero()
    assert set(pairs) == set(zip((rows + 1).tolist(), (columns + 1).tolist()))


def test_atlas(x, tmp_path):
    """The column of neighbors that Embedding Atlas takes, as its documents describe it."""
    need("pyarrow.parquet")
    import knng
    import pyarrow.parquet

    graph = knng.build(x, k=5)
    column = pyarrow.parquet.read_table(graph.export(tmp_path / "x.parquet")).column("neighbors").to_pylist()
    assert [row["ids"] for row in column] == graph.indices.tolist()
    np.testing.assert_allclose([row["distances"] for row in column], graph.distances)


def test_pandas(x):
    need("pandas")
    names = [f"digit {i}" for i in range(len(x))]
    made = run("pandas", x=x, names=names)
    assert made["ids"].tolist() == [names[i] for i in made["graph"].indices[0, :5]]


def test_polars(x, tmp_path):
    need("polars", "pyarrow")
    names = [f"digit {i}" for i in range(len(x))]
    made = run("polars and Parquet", x=x, names=names, path=str(tmp_path / "x.parquet"))
    table, graph = made["table"], made["graph"]
    assert table["nearest"].to_list() == [names[i] for i in graph.indices[:, 0]] and table["name"].to_list() == names


def test_every_recipe_has_a_test():
    """A block that no test runs is no recipe."""
    source = Path(__file__).read_text(encoding="utf-8")
    assert not [title for title in BLOCKS if f'"{title}"' not in source]


@pytest.fixture
def atlas(x, tmp_path):
    """The rows as Embedding Atlas is given them, read as it reads them."""
    pandas = need("pandas", "pyarrow")
    file = tmp_path / "x.parquet"
    run("Embedding Atlas", x=x, names=[f"n{i}" for i in range(len(x))], path=file)
    return pandas.read_parquet(file)


def test_atlas_column(x, atlas):
    """{"ids": [row, ...], "distances": [...]}, rows from 0, the row itself at a distance of 0, as its documents have it."""
    from oracle import nearest

    ids, distances = np.stack(list(atlas["neighbors"].map(lambda n: n["ids"]))), np.stack(list(atlas["neighbors"].map(lambda n: n["distances"])))
    assert ids.dtype.kind == "i" and ids.shape == distances.shape == (len(x), 15)
    assert (ids[:, 0] == np.arange(len(x))).all() and not distances[:, 0].any()
    np.testing.assert_allclose(distances[:, 1:], nearest(x, 14)[1], rtol=1e-4)


def test_atlas_counts_in_it(x, atlas):
    """Embedding Atlas's own code makes of the column what it makes of exact neighbors."""
    metrics = need("embedding_atlas.graph_metrics")
    from oracle import nearest

    found, far = nearest(x, 14)
    exact = atlas[["name"]].copy()
    exact["neighbors"] = [{"ids": [row, *i], "distances": [0.0, *d]} for row, (i, d) in enumerate(zip(found.tolist(), far.tolist()))]
    for mine, own in zip(metrics.compute_degree_columns(atlas, neighbors="neighbors"), metrics.compute_degree_columns(exact, neighbors="neighbors")):
        assert (np.asarray(mine) == np.asarray(own)).mean() > 0.999
    assert (metrics.compute_kcore_column(atlas, neighbors="neighbors") == metrics.compute_kcore_column(exact, neighbors="neighbors")).mean() > 0.99
