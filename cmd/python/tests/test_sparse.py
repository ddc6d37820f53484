import numpy as np
import pytest

import knng

scipy_sparse = pytest.importorskip("scipy.sparse")


def texts(n=300, terms=6000, words=40, seed=3):
    """Rows of words by Zipf's law, weighted as TF-IDF weights them."""
    rng = np.random.default_rng(seed)
    p = 1 / np.arange(1, terms + 1)
    columns = rng.choice(terms, size=n * words, p=p / p.sum())
    m = scipy_sparse.csr_matrix((np.ones(n * words, np.float32), (np.repeat(np.arange(n), words), columns)), shape=(n, terms))
    idf = 1 + np.log((1 + n) / (1 + m.getnnz(axis=0)))
    return scipy_sparse.csr_matrix(m @ scipy_sparse.diags(idf), dtype=np.float32)


def brute(m, k, metric):
    dense = m.toarray().astype(np.float64)
    if metric == "cosine":
        dense /= np.linalg.norm(dense, axis=1)[:, None]
    keys = (1 if metric == "cosine" else 0) - dense @ dense.T
    np.fill_diagonal(keys, np.inf)
    return np.sort(keys, axis=1)[:, :k]


@pytest.mark.parametrize("metric", ["cosine", "ip"])
@pytest.mark.parametrize("form", ["csr", "csc", "coo", "array", "float64"])
def test_lists_are_those_of_sorting(metric, form, path):
    m = texts()
    data = {"array": scipy_sparse.csr_array, "float64": lambda m: m.astype(np.float64)}.get(form, lambda m: m.asformat(form))(m)
    graph = knng.build(data, path, k=7, metric=metric, progress=False)
    np.testing.assert_allclose(graph.distances, brute(m, 7, metric), rtol=1e-5, atol=1e-6)
    assert graph.info["type"] == "sparse float32" and graph.dim == 6000 and graph.recall(sample=50) == 1
    again = knng.build(data, path, k=7, metric=metric, progress=False)
    np.testing.assert_array_equal(again.indices, graph.indices)


def test_as_scikit_learn(path):
    neighbors = pytest.importorskip("sklearn.neighbors")
    m = texts()
    graph = knng.build(m, k=5, metric="cosine", progress=False)
    distances, _ = neighbors.NearestNeighbors(n_neighbors=5, metric="cosine", algorithm="brute").fit(m).kneighbors()
    np.testing.assert_allclose(graph.distances, distances, atol=1e-5)


def test_which_rows_are_sparse():
    m = texts()
    assert knng.build(m, k=3, metric="cosine", sparse=False, progress=False).info["type"] == "float32"
    few = m[:, :100]
    kept = few.getnnz(axis=1) > 0
    assert knng.build(few[kept], k=3, metric="cosine", progress=False).info["type"] == "float32"
    assert knng.build(few[kept], k=3, metric="cosine", sparse=True, progress=False).info["type"] == "sparse float32"
    with pytest.raises(knng.UsageError, match="want cosine or ip"):
        knng.build(m, k=3, sparse=True, progress=False)
    with pytest.raises(TypeError, match="SciPy sparse"):
        knng.build(np.ones((3, 4)), sparse=True, progress=False)
    graph = knng.build(m, k=3, metric="cosine", ids=[f"doc {i}" for i in range(300)], progress=False)
    assert graph.ids[7] == "doc 7"


@pytest.mark.parametrize("metric", ["cosine", "ip"])
def test_search_is_exact(metric):
    m, queries = texts(), texts(n=20, seed=4)
    graph = knng.build(m, k=3, metric=metric, sparse=True, progress=False)
    dense, wanted = m.toarray().astype(np.float64), queries.toarray().astype(np.float64)
    if metric == "cosine":
        dense /= np.linalg.norm(dense, axis=1)[:, None]
        wanted /= np.linalg.norm(wanted, axis=1)[:, None]
    keys = (metric == "cosine") - wanted @ dense.T
    for rows in (queries, queries.tocsc(), queries.toarray()):
        indices, distances = graph.search(rows, 5)
        np.testing.assert_allclose(distances, np.sort(keys, axis=1)[:, :5], rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(np.take_along_axis(keys, indices, axis=1), distances, rtol=1e-5, atol=1e-6)
    indices, _ = graph.search(m[7], 1, only=[7, 9])
    assert indices.tolist() == [[7]]
    with pytest.raises(knng.UsageError, match="exact"):
        graph.search(queries, 5, recall=0.9)
    with pytest.raises(knng.Error, match="columns"):
        graph.search(queries[:, :50], 5)


def test_errors_name_no_file_that_is_gone():
    m = texts()
    graph = knng.build(m, k=3, metric="cosine", progress=False)
    m.data[m.indptr[7]] = np.nan
    with pytest.raises(knng.InputError, match="first row 7: ") as error:
        knng.build(m, k=3, metric="cosine", progress=False)
    assert "knng-sparse" not in str(error.value)
    for queries in (m, texts(terms=50)):
        with pytest.raises(knng.Error) as error:
            graph.search(queries, 3)
        assert "knng-sparse" not in str(error.value), error.value
