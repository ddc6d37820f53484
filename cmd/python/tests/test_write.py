"""Rows that are put into a finished graph and deleted from it, against all distances in memory."""

import shutil

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
    put = graph.append(x[1000:1100], threads=1, memory="1GiB")
    assert put["put"] == 100 and put["rows"] == graph.n == 1100 and graph.ids is None
    assert graph.rows.tolist() == list(range(1100)) and len(before) == 1000
    lists(graph, x)
    assert graph.search(x[1050], 1)[0].tolist() == [[1050]]
    assert graph.delete([5, 1050], threads=1, memory="1GiB") == {"dir": graph.path, "deleted": 2, "compacted": False} and graph.n == 1098
    assert 5 not in graph.rows and 1050 not in graph.rows
    lists(graph, x)
    with pytest.raises(knng.NoRow, match="row 5"):
        graph.neighbors(5)
    with pytest.raises(knng.Error, match="nothing is deleted"):
        graph.delete([6, 5])
    assert graph.n == 1098 and graph.delete([])["deleted"] == 0
    with pytest.raises(knng.InputTypeError):
        graph.delete([6, "anna"])
    for wrong in ([1.5], 1.0, None, np.array(2.0)):
        with pytest.raises(knng.InputTypeError):
            graph.delete(wrong)
    for name in (b"5", [b"5"]):  # bytes are ids, of which there are none
        with pytest.raises(knng.NotFound):
            graph.delete(name)
    with pytest.raises(knng.InputError, match="^rows of 3 elements"):
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


def test_numbers_as_ids_and_none(rng):
    x = rng.normal(size=(300, 4)).astype(np.float32)
    graph = knng.build(x, k=4, ids=[str(i) for i in range(300)], progress=False)
    graph.delete("7")
    assert graph.ids.tolist() == [str(i) for i in range(300) if i != 7]
    graph.append(x[:1] + 9)
    assert graph.neighbors("0", k=4)[0].shape == (4,) and graph.neighbors(str(0), k=1)[0][0] in graph.ids
    for wanted, kind in {"nobody": knng.NotFound, 100000: knng.NoRow, -1: knng.NoRow}.items():
        with pytest.raises(kind):
            graph.delete(wanted)
    with pytest.raises(knng.NoInput):
        graph.append(x[:1], ids="missing.txt")
    graph.delete({3, 4} - {3})
    few = knng.build(x[:3], k=2, progress=False)
    few.delete([0, 1, 2])
    few.compact()
    assert few.n == 0 and few.indices.shape == (0, 0) and np.isnan(few.found_recall)


def test_opened_again(rng, tmp_path):
    """A build that finds a graph that was written to has its rows; another graph at the path has its own lists."""
    x = rng.normal(size=(400, 4)).astype(np.float32)
    path = tmp_path / "x.knng"
    for gone in (5, 300):
        knng.build(x, path, k=4, progress=False).delete([gone])
        graph = knng.build(x, path, k=4, progress=False)
        lists(graph, x)
        assert graph.n == 399 and gone not in graph.rows and len(graph.rows) == 399
        shutil.rmtree(path)


@pytest.mark.parametrize("beside", [True, False])
def test_two_objects(rng, tmp_path, beside):
    """What another object writes is seen whole or not at all."""
    x = rng.normal(size=(400, 4)).astype(np.float32)
    path = tmp_path / "x.knng"
    if not beside:
        (tmp_path / "x.knng.python").write_text("no folder can be made here")
    one = knng.build(x, path, k=4, ids=[f"p{i}" for i in range(400)], progress=False)
    one.delete(["p1"])
    assert one.indices.shape == (399, 4)
    knng.open(path).delete(["p2"])
    assert len(one.ids) == len(one.rows) == one.n == len(one.indices) == 398
    one.delete("p3")
    assert len(one.indices) == len(one.rows) == one.n == 397
    lists(one, x)


def test_backup(rng, tmp_path):
    x = rng.normal(size=(430, 4)).astype(np.float32)
    graph = knng.build(x[:400], tmp_path / "x.knng", k=4, progress=False)
    built = graph.backup(tmp_path / "built.knng")
    assert (built.indices == graph.indices).all() and (built.distances == graph.distances).all()
    graph.append(x[400:420])
    graph.delete(7)
    copy = graph.backup(tmp_path / "copy.knng")
    graph.append(x[420:])
    assert (built.n, copy.n, graph.n) == (400, 419, 429)
    lists(copy, x)
    copy.append(x[420:])
    copy.compact()
    lists(copy, x)
    assert copy.rows.tolist() == graph.rows.tolist() and knng.open(tmp_path / "built.knng").n == 400
    with pytest.raises(knng.UsageError, match="is there already"):
        graph.backup(tmp_path / "copy.knng")


def test_ids_twice(rng):
    x = rng.normal(size=(103, 4)).astype(np.float32)
    graph = knng.build(x[:100], k=4, ids=[f"p{i}" for i in range(100)], progress=False)
    with pytest.raises(knng.InputError, match='^ids: rows 0 and 2 are both "a"'):
        graph.append(x[100:], ids=["a", "b", "a"])
    assert graph.n == 100 and len(graph.ids) == 100


def test_halves(rng):
    """Rows of float16 that are there are passed over."""
    x = rng.normal(size=(200, 4)).astype(np.float32)
    graph = knng.build(x.astype(np.float16), k=4, progress=False)
    put = [graph.append(x[:9] + 1, ids=[str(i) for i in range(9)]) for _ in range(2)]
    assert [p["put"] for p in put] == [9, 0] and [p["same"] for p in put] == [0, 9] and graph.n == 209


def test_tables(rng, tmp_path):
    pandas = pytest.importorskip("pandas")
    x = rng.normal(size=(200, 3)).astype(np.float32)
    graph = knng.build(x, k=4, ids=[f"p{i}" for i in range(200)], progress=False)
    frame = pandas.DataFrame(x[:5] + 3, index=list("abcde"))
    assert graph.append(frame)["put"] == 5
    (tmp_path / "more.csv").write_text("name,a,b,c\nf,1,2,3\ng,4,5,6\n")
    assert graph.append(str(tmp_path / "more.csv"), id_column="name")["put"] == 2
    assert graph.ids.tolist()[200:] == list("abcdefg") and graph.n == 207
