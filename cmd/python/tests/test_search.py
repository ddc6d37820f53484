import numpy as np
import pytest

import knng
from knng import _command, _exact

if not _command.has("search", _command.find()):
    pytest.skip("this command has no search", allow_module_level=True)


@pytest.fixture(scope="module")
def x(rng):
    return rng.normal(size=(3000, 16)).astype(np.float32)


@pytest.fixture(scope="module")
def queries(rng):
    return rng.normal(size=(50, 16)).astype(np.float32)


def test_masks_are_not_numbers_of_rows(x, queries):
    """True is no row: the error says how to have the numbers."""
    graph, mask = knng.build(x, k=5, progress=False), np.arange(len(x)) < 9
    for call in (lambda: graph.search(queries, 3, only=mask), lambda: graph.neighbors(mask), lambda: graph.delete(mask)):
        with pytest.raises(knng.InputTypeError, match=r"graph\.rows\[mask\]"):
            call()
    assert graph.search(queries, 3, only=graph.rows[mask])[0].max() < 9


def test_items_are_not_lines(x, queries):
    """Errors about what a call was given name its items, not lines of a file that there is not."""
    graph = knng.build(x, k=5, progress=False)
    with pytest.raises(knng.InputError, match=r'only\[1\]: "2\.5" is not a row number'):
        graph.search(queries, 3, only=[1, 2.5])
    named = knng.build(x, k=5, ids=[f"p{i}" for i in range(len(x))], progress=False)
    with pytest.raises(knng.NotFound, match=r"only\[1\]: no such id") as error:
        named.search(queries, 3, only=["p1", "nobody"])
    assert "line" not in str(error.value)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "ip"])
def test_exact_search_is_sorting(x, queries, metric):
    graph = knng.build(x, k=10, metric=metric, progress=False)
    indices, distances = graph.search(queries, 5, exact=True)
    found, wanted = _exact.nearest(queries, x, 5, metric)
    np.testing.assert_allclose(distances, wanted, rtol=1e-5, atol=1e-6)
    assert (indices == found).mean() > 0.99


def test_search(x, queries, tmp_path):
    graph = knng.build(x, k=10, ids=[f"p{i}" for i in range(3000)], progress=False)
    exact = graph.search(queries, 5, exact=True)[0]
    for options in ({}, {"recall": 0.9}, {"effort": 200}):
        found = graph.search(queries, 5, **options)[0]
        assert np.mean([len(set(a) & set(b)) / 5 for a, b in zip(found.tolist(), exact.tolist())]) > 0.85
    np.save(tmp_path / "q.npy", queries)
    assert (graph.search(tmp_path / "q.npy", 5, exact=True)[0] == exact).all()
    one = graph.search(queries[0], 5, exact=True)
    assert one[0].tolist() == exact[:1].tolist()
    assert graph.search(x[17], 1)[0][0, 0] == 17
    assert (graph.search(queries, 5, exact=True, memory="64MiB")[0] == exact).all()
    with pytest.raises(ValueError, match="memory is .lots., want a size"):
        graph.search(queries, 5, memory="lots")
    allowed = graph.search(queries, 5, only=["p1", "p2", "p3"], exact=True)
    assert set(allowed[0].ravel().tolist()) == {1, 2, 3, -1} and np.isinf(allowed[1][:, 3:]).all()
    assert graph.search(queries, 1, only="p2")[0].tolist() == graph.search(queries, 1, only=["p2"])[0].tolist() == [[2]] * 50
    (tmp_path / "only.txt").write_text("p2\n")
    assert graph.search(queries, 1, only=tmp_path / "only.txt")[0].tolist() == [[2]] * 50
    with pytest.raises(ValueError, match="16"):
        graph.search(queries[:, :3])


def test_queries_stand_in_a_column(x, queries, tmp_path):
    graph = knng.build(x, k=3, progress=False)
    wanted = graph.search(queries, 3, exact=True)[0].tolist()
    np.savez(tmp_path / "q.npz", a=queries, b=x)
    assert graph.search(tmp_path / "q.npz", 3, exact=True, column="a")[0].tolist() == wanted
    with open(tmp_path / "q.csv", "w") as file:
        print("id", *(f"d{i}" for i in range(16)), sep=",", file=file)
        for i, row in enumerate(queries.tolist()):
            print(f"q{i}", *row, sep=",", file=file)
    assert graph.search(tmp_path / "q.csv", 3, exact=True, id_column="id")[0].tolist() == wanted
    with pytest.raises(knng.InputError, match="id_column 1"):
        graph.search(tmp_path / "q.csv", 3)
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pa.table({"v": list(queries), "w": list(queries), "id": [f"q{i}" for i in range(len(queries))]})
    parquet.write_table(table, tmp_path / "q.parquet")
    assert graph.search(table, 3, exact=True, column="v", id_column="id")[0].tolist() == wanted
    assert graph.search(tmp_path / "q.parquet", 3, exact=True, column="v")[0].tolist() == wanted


def test_queries_of_anndata(x, queries, tmp_path):
    anndata = pytest.importorskip("anndata")
    graph = knng.build(x, k=3, progress=False)
    wanted = graph.search(queries, 3, exact=True)[0].tolist()
    a = anndata.AnnData(np.zeros((len(queries), 60), np.float32), obsm={"X_pca": queries, "X_other": x[: len(queries)]})
    a.write_h5ad(tmp_path / "q.h5ad")
    for data in (a, tmp_path / "q.h5ad"):
        for column in (None, "X_pca", "obsm/X_pca"):
            assert graph.search(data, 3, exact=True, column=column)[0].tolist() == wanted
        assert graph.search(data, 1, column="X_other", exact=True)[0].ravel().tolist() == list(range(len(queries)))


def test_one_query_of_any_kind(x):
    graph = knng.build(x, k=3, progress=False)
    for one in (x[7], x[7].tolist(), tuple(x[7]), list(x[7])):
        rows = graph.search(one, 2, exact=True)[0]
        assert rows.shape == (1, 2) and rows[0, 0] == 7
    for several in (x[7:9], x[7:9].tolist(), list(x[7:9])):
        assert graph.search(several, 1, exact=True)[0].tolist() == [[7], [8]]


def test_queries_that_are_refused_name_their_file(x, queries, tmp_path):
    graph = knng.build(x, k=3, progress=False)
    queries = queries.copy()
    queries[7, 2] = np.nan
    with pytest.raises(knng.InputError, match="^query 7: .*NaN"):
        graph.search(queries, 3)
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "q.h5", "w") as file:
        file["X"] = queries
    with pytest.raises(knng.InputError, match=r"^query 7 of .*q\.h5: .*NaN") as error:
        graph.search(tmp_path / "q.h5", 3)
    assert error.value.exit_code == 6


def test_transformer_searches_where_there_is_much(x, queries, monkeypatch):
    transformer = knng.KNNGTransformer(5).fit(x)
    exact = transformer.transform(queries)
    monkeypatch.setattr("knng._transformer._MANY", 0)
    found = transformer.transform(queries)
    assert found.shape == exact.shape and found.nnz == exact.nnz
    assert np.mean([len(set(a.indices) & set(b.indices)) / 6 for a, b in zip(found, exact)]) > 0.9


def test_low_recall_is_warned_of(rng):
    x = rng.normal(size=(6000, 100)).astype(np.float32)
    graph = knng.build(x, k=10, progress=False)
    with pytest.warns(UserWarning, match="find about 0.[0-7].* recall=0.95"):
        graph.search(rng.normal(size=(250, 100)).astype(np.float32), 10)
