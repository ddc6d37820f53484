import copy
import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")

from sklearn.base import clone
from sklearn.neighbors import KNeighborsTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

import knng
from knng import _exact


@pytest.fixture(scope="module")
def x(rng):
    return rng.normal(size=(300, 8)).astype(np.float32)


def excused(estimator):
    return {"check_methods_sample_order_invariance": "distances of fitted rows come from the graph, of others from NumPy: they differ in the last bit of float32"}


try:
    checks = parametrize_with_checks([knng.KNNGTransformer(n_neighbors=2)], expected_failed_checks=excused)
except TypeError:  # before scikit-learn 1.6
    checks = pytest.mark.skip(reason="check_estimator names what is excused from scikit-learn 1.6 on")


@checks
def test_contract(estimator, check):
    check(estimator)


def equal(ours, theirs):
    assert ours.shape == theirs.shape and (np.diff(ours.indptr) == np.diff(theirs.indptr)).all()
    assert (ours.indices == theirs.indices).all()
    np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "manhattan", "chebyshev", "correlation"])
def test_matrices_are_those_of_kneighborstransformer(rng, x, metric):
    ours, theirs = knng.KNNGTransformer(10, metric=metric), KNeighborsTransformer(n_neighbors=10, metric=metric, algorithm="brute")
    equal(ours.fit_transform(x), theirs.fit_transform(x.astype(np.float64)))
    equal(ours.transform(x), theirs.transform(x.astype(np.float64)))
    new = rng.normal(size=(20, 8)).astype(np.float32)
    equal(ours.transform(new), theirs.transform(new.astype(np.float64)))


def test_connectivity_is_that_of_kneighborstransformer(rng, x):
    ours, theirs = (make(n_neighbors=5, mode="connectivity") for make in (knng.KNNGTransformer, KNeighborsTransformer))
    equal(ours.fit_transform(x), theirs.fit_transform(x))
    new = rng.normal(size=(20, 8)).astype(np.float32)
    equal(ours.transform(new), theirs.transform(new))


def test_what_it_gives_is_not_its_own(x):
    t = knng.KNNGTransformer(5)
    given = t.fit_transform(x)
    given.data[:] = 0
    assert t.transform(x).data.sum() > 0


def test_a_path_serves_one_fit(x, path):
    """A fit of other rows or options leaves the graph there, and says why it is refused."""
    knng.KNNGTransformer(5, path=path).fit(x)
    for other, rows in ((4, x), (5, x[:200])):
        with pytest.raises(knng.UsageError, match="a path serves one fit"):
            knng.KNNGTransformer(other, path=path).fit(rows)
    equal(knng.KNNGTransformer(5, path=path).fit_transform(x), knng.KNNGTransformer(5).fit_transform(x))


def test_parameters(x, path):
    t = knng.KNNGTransformer(5, metric="cosine", random_state=np.random.RandomState(3), n_jobs=-2, memory="1GiB", path=path)
    assert clone(t).get_params()["path"] == path
    t.fit(x)
    assert knng.open(path).k == 5 and t.graph_.metric == "cosine"
    again = pickle.loads(pickle.dumps(t))
    equal(again.transform(x), t.transform(x))
    for wrong, want in (({"n_neighbors": 300}, "n_neighbors < n_samples_fit"), ({"n_neighbors": 0}, "1 or more"), ({"n_jobs": 0}, "n_jobs"), ({"mode": "x"}, "mode"), ({"metric": "nope"}, "metric")):
        with pytest.raises(knng.UsageError, match=want):
            knng.KNNGTransformer(**{"n_neighbors": 5, **wrong}).fit(x)
    with pytest.raises(knng.UsageError, match="not fitted can be compared by euclidean"):
        _exact.nearest(x, x, 3, "nope")
    seeds = [knng.KNNGTransformer(random_state=s)._seed() for s in (None, 0, 1, 41)]
    assert seeds == [1, 1, 2, 42]


def test_rows_far_from_zero(rng):
    """Unix times beside metres: products of such numbers lose the differences of rows."""
    x = np.column_stack([1.7e9 + rng.uniform(0, 3600, 300), rng.uniform(0, 10, (300, 2))])
    for metric in ("euclidean", "sqeuclidean"):
        matrix = knng.KNNGTransformer(5, metric=metric).fit(x).transform(x[:50] + 1e-3)
        assert (matrix.indices.reshape(50, 6)[:, 0] == np.arange(50)).all()


def test_memory_of_a_batch(rng, monkeypatch):
    """Many queries of few long rows: the rows found are many times the queries."""
    import tracemalloc

    monkeypatch.setattr(_exact, "_BYTES", 1 << 22)
    rows, queries = rng.normal(size=(200, 500)), rng.normal(size=(500, 500)).astype(np.float32)
    tracemalloc.start()
    _exact.nearest(queries, rows, 16, "euclidean")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * (1 << 22)


def test_inner_products_are_refused(x):
    """Under ip a row need not be nearest to itself, and no library takes it for the nearest."""
    graph = knng.build(x, k=5, metric="ip", progress=False)
    for give in (lambda: graph.to_umap(), lambda: graph.to_sklearn(), lambda: graph.csr(include_self=True),
                 lambda: graph.csr(include_self=True, symmetric="union"), lambda: knng.KNNGTransformer(5, metric="ip").fit(x)):
        with pytest.raises(knng.UsageError, match="under ip"):
            give()
    assert graph.csr().nnz == 5 * len(x)


def test_copies_are_the_same_model(x, path, monkeypatch):
    """A copy shares the graph; a pickle has it where its path lasts."""
    monkeypatch.setattr("knng._transformer._MANY", 1)  # pairs from which on the graph is searched
    lasting, temporary = knng.KNNGTransformer(5, path=path).fit(x), knng.KNNGTransformer(5).fit(x)
    for same in (pickle.loads(pickle.dumps(lasting)), copy.deepcopy(lasting), copy.copy(lasting), copy.deepcopy(temporary), copy.copy(temporary)):
        assert same.graph_.n == len(x)
        equal(same.transform(x[:50]), lasting.transform(x[:50]))
    temporary.set_params(path=path + "-later")  # after the fit, whose graph it does not move
    lasting.set_params(path=None)
    alone = pickle.loads(pickle.dumps(temporary))
    assert not hasattr(alone, "graph_") and pickle.loads(pickle.dumps(lasting)).graph_.n == len(x)
    equal(alone.transform(x), temporary.transform(x))


def test_fewer_neighbors_than_were_fitted(x):
    """set_params after fit holds for the fitted rows as for others."""
    for mode in ("distance", "connectivity"):
        t = knng.KNNGTransformer(9, mode=mode, method="exact").fit(x).set_params(n_neighbors=4)
        whole, part = t.transform(x), t.transform(x[:50])
        assert whole.shape == (len(x), len(x)) and part.shape == (50, len(x))
        assert set(np.diff(whole.indptr)) == set(np.diff(part.indptr)) == {5 if mode == "distance" else 4}
        np.testing.assert_array_equal(whole[:50].indices, part.indices)


def test_rows_are_sorted_by_distance(x):
    """Also after the conversion to float64 that estimators ask for: SciPy's sorts others by column."""
    from sklearn.neighbors._base import _is_sorted_by_data

    t = knng.KNNGTransformer(5)
    for matrix in (t.fit_transform(x), t.transform(x[:20] + 1), knng.build(x, k=5, progress=False).to_sklearn(), t.graph_.to_sklearn("union")):
        assert matrix.dtype == np.float64 and _is_sorted_by_data(matrix.astype(np.float64, copy=False))
