"""Rows that are put into a finished graph and deleted from it, against all distances in memory."""

import numpy as np
import pytest

import knng
from knng import _exact


def lists(graph, x):
    """The graph's lists by the numbers of x are those of its live rows, nearly all exact."""
    live = np.asarray(graph.rows)
    assert graph.n == len(graph) == len(live) and graph.indices.shape == (graph.n, graph.k)
    exact = _exact.nearest(x[live], x[live], graph.k + 1, "euclidean")[0][:, 1:]
    assert np.mean([len(set(a) & set(b)) for a, b in zip(graph.indices.tolist(), exact.tolist())]) > 0.97 * graph.k
    wanted = np.linalg.norm(x[live][:, None] - x[live][graph.indices], axis=2)
    np.testing.assert_allclose(graph.distances, wanted, rtol=1e-4, atol=1e-5)
    for place in (0, graph.n - 1):
        rows, distances = graph.neighbors(int(live[place]), k=3)
        assert (rows == live[graph.indices[place, :3]]).all() and (distances == graph.distances[place, :3]).all()


def test_append_and_delete(rng, tmp_path):
    x = rng.normal(size=(1200, 8)).astype(np.float32)
    graph = knng.build(x[:1000], tmp_path / "x.knng", k=6, progress=False)
    before = graph.indices.copy()
    put = graph.append(x[1000:1100])
    assert put["put"] == 100 and put["rows"] == graph.n == 1100 and graph.ids is None
    assert graph.rows.tolist() == list(range(1100)) and len(before) == 1000
    lists(graph, x)
    assert graph.search(x[1050], 1)[0].tolist() == [[1050]]
    assert graph.delete([5, 1050]) == {"dir": graph.path, "deleted": 2} and graph.n == 1098
    assert 5 not in graph.rows and 1050 not in graph.rows
    lists(graph, x)
    with pytest.raises(knng.NoRow, match="row 5"):
        graph.neighbors(5)
    with pytest.raises(knng.Error, match="nothing is deleted"):
        graph.delete([6, 5])
    assert graph.n == 1098 and graph.delete([])["deleted"] == 0
    with pytest.raises(knng.InputTypeError):
        graph.delete([6, "anna"])
    with pytest.raises(knng.InputTypeError):
        graph.delete([1.5])
    with pytest.raises(ValueError, match="rows of 3 elements"):
        graph.append(x[:5, :3])
    assert 0.9 < graph.found_recall <= 1
    graph.compact()
    lists(graph, x)
    graph.append(x[1100:])
    assert graph.rows[-1] == 1199
    lists(graph, x)
    again = knng.open(tmp_path / "x.knng")
    assert (again.indices == graph.indices).all() and again.k == 6 and 0.9 < again.recall(200) <= 1
    assert again.csr().shape == (1198, 1198)


def test_ids(rng):
    x = rng.normal(size=(500, 4)).astype(np.float32)
    graph = knng.build(x, k=4, ids=[f"p{i}" for i in range(500)], progress=False)
    for _ in range(2):  # the second time they are there
        put = graph.append(x[:2] + 9, ids=["p3", "new"])
    assert put["put"] == 0 and put["same"] == 2 and graph.n == 501
    assert graph.neighbors("new", k=1)[0].tolist() == ["p3"]
    graph.delete(["p0", "new"])
    graph.append(x[:1])  # without an id
    assert graph.ids[0] == "p1" and graph.ids[-1] == str(graph.rows[-1]) and len(graph.ids) == graph.n == 500
    with pytest.raises(knng.InputError, match="no such id"):
        graph.delete("p0")
