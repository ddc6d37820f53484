import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import knng
from knng import _command, _wire
from oracle import nearest

quiet = {"progress": False}


@pytest.fixture(scope="module")
def x(rng):
    return rng.normal(size=(400, 12)).astype(np.float32)


def same(graph, x, k, metric="euclidean"):
    found, distances = nearest(x, k, metric)
    assert graph.indices.shape == (len(x), k)
    np.testing.assert_allclose(graph.distances, distances, rtol=1e-5, atol=1e-6)
    assert (graph.indices == found).mean() > 0.999  # rows at one distance may change places


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "ip"])
def test_lists_are_those_of_sorting(x, metric):
    graph = knng.build(x, k=9, metric=metric, **quiet)
    same(graph, x, 9, metric)
    assert (graph.n, graph.k, graph.dim, graph.metric, graph.ids, len(graph)) == (400, 9, 12, metric, None, 400)
    assert isinstance(graph.indices, np.memmap) and graph.indices.dtype == np.int32
    assert graph.found_recall == 1 and "400 rows of 12" in repr(graph)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "uint8", "int8", "bool", "int16", "uint16", "int32", "uint64", ">f4", ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_type_and_order(rng, dtype, order):
    x = np.asarray(rng.integers(0, 2 if dtype == "bool" else 120, size=(200, 40)).astype(dtype), order=order)
    graph = knng.build(x, k=4, **quiet)
    np.testing.assert_allclose(graph.distances, nearest(x, 4)[1], rtol=1e-6)


@pytest.mark.parametrize("make, want", [
    (lambda x: x.tolist(), None), (lambda x: x[::2], None), (lambda x: x[:, ::3], None),
    (lambda x: x[0], "1 dimension, want 2"), (lambda x: x.astype(complex), "rows of complex"), (lambda x: x[:, None], "3 dimensions"),
    (lambda x: x.astype(object), "rows of object"), (lambda x: (x * 1e18).astype(np.int64), r"beyond 2\^53"),
])
def test_what_arrays_are(x, make, want):
    data = make(x)
    if want is None:
        same(knng.build(data, k=3, **quiet), data, 3)
        return
    with pytest.raises((TypeError, ValueError), match=want):
        knng.build(data, k=3, **quiet)


def test_a_mapped_file_is_not_copied(x, tmp_path, path):
    file = str(tmp_path / "x.npy")
    np.save(file, x)
    mapped = np.load(file, mmap_mode="r")
    graph = knng.build(mapped, path, k=3, **quiet)
    assert graph.info["files"][0]["path"] == file
    same(graph, x, 3)
    for part in (mapped[:100], mapped[:, :5], np.load(file, mmap_mode="c")):
        graph = knng.build(part, k=3, **quiet)
        assert graph.info["files"][0]["path"] == "-"
        same(graph, part, 3)


@pytest.mark.parametrize("shown", [True, False])
def test_a_mapped_file_that_was_replaced(x, tmp_path, monkeypatch, shown):
    """The array still maps the old file, whose rows are those of the graph."""
    if not shown:
        monkeypatch.setattr(_wire, "_file_at", lambda address: None)
    file = tmp_path / "x.npy"
    np.save(file, x)
    mapped = np.load(file, mmap_mode="r")
    assert _wire.mapped_file(mapped) == str(file)
    np.save(tmp_path / "y.npy", x[::-1])
    os.replace(tmp_path / "y.npy", file)
    assert _wire.mapped_file(mapped) is None
    np.testing.assert_array_equal(knng.build(mapped, k=5, **quiet).indices, knng.build(x, k=5, **quiet).indices)


def test_paths(x, tmp_path):
    half = [tmp_path / "a.npy", tmp_path / "b.npy"]
    np.save(half[0], x[:150]), np.save(half[1], x[150:])
    same(knng.build(half, k=3, **quiet), x, 3)
    same(knng.build(half[0], k=3, **quiet), x[:150], 3)
    with pytest.raises(FileNotFoundError, match="nope.npy"):
        knng.build(str(tmp_path / "nope.npy"), **quiet)


def test_given_again_it_opens_what_there_is(x, path):
    first = knng.build(x, path, k=5, **quiet)
    again = knng.build(x, path, k=5, **quiet)
    opened = knng.open(path)
    assert first.info["checksum"] == again.info["checksum"] == opened.info["checksum"]
    with pytest.raises(knng.UsageError, match="k: 5 there, 6 asked") as error:
        knng.build(x, path, k=6, **quiet)
    assert error.value.exit_code == 2
    with pytest.raises(knng.Error):
        knng.build(x[::-1], path, k=5, **quiet)


def test_ids(x, path):
    names = [f"row {i} Ærø" for i in range(400)]
    graph = knng.build(x, path, k=5, ids=names, **quiet)
    assert graph.ids.tolist() == names
    by_row, by_id = graph.neighbors(17), graph.neighbors(names[17])
    assert by_id[0].tolist() == [names[i] for i in by_row[0]]
    np.testing.assert_array_equal(by_id[1], by_row[1])
    assert graph.neighbors(names[3:6], k=2)[0].shape == (3, 2)
    with pytest.raises(KeyError, match="nobody") as error:
        graph.neighbors("nobody")
    assert isinstance(error.value, knng.NotFound) and str(error.value).startswith("no such id")
    for ids, want in ((names[:-1], "399 ids for 400 rows"), (["a\nb"] * 400, "line break"), ([""] * 400, r"^ids\[0\] is empty"), (["a"] * 400, "^ids: rows 0 and 1 are both")):
        with pytest.raises(knng.InputError, match=want) as error:
            knng.build(x, k=5, ids=ids, **quiet)
        assert isinstance(error.value, ValueError)


def test_a_path_of_bytes(x, path):
    graph = knng.build(x, os.fsencode(path), k=5, **quiet)
    assert graph.path == path and knng.open(os.fsencode(path)).n == 400
    with pytest.raises(knng.InputTypeError, match="path is 7"):
        knng.open(7)


def test_neighbors_of_a_filtered_series(x):
    """Its labels are not places in it."""
    pandas = pytest.importorskip("pandas")
    graph = knng.build(x, k=5, ids=[f"n{i}" for i in range(400)], **quiet)
    for series in (pandas.Series(range(400)), pandas.Series(graph.ids)):
        some = series[series.index > 390]
        for found, want in zip(graph.neighbors(some), graph.neighbors(some.tolist())):
            np.testing.assert_array_equal(found, want)


def test_an_index_names_rows(x):
    """The index of a DataFrame, which build takes for ids, is ids elsewhere too; bytes are ids."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(x).iloc[100:]
    graph = knng.build(frame, k=5, **quiet)
    index = frame.index[7:9]
    for found, want in zip(graph.neighbors(index), graph.neighbors(["107", "108"])):
        np.testing.assert_array_equal(found, want)
    for found, want in zip(graph.neighbors(b"107"), graph.neighbors("107")):
        np.testing.assert_array_equal(found, want)
    assert graph.delete(index)["deleted"] == 2 and not {"107", "108"} & set(graph.ids)
    assert graph.delete([b"109", "110"])["deleted"] == 2 and not {"109", "110"} & set(graph.ids)
    with pytest.raises(knng.InputTypeError, match="shape"):
        graph.neighbors([[1, 2], [3, 4]])


def test_neighbors_by_row(x):
    graph = knng.build(x, k=5, **quiet)
    indices, distances = graph.neighbors([1, 7], k=2)
    np.testing.assert_array_equal(indices, graph.indices[[1, 7], :2])
    assert graph.neighbors(3)[0].shape == (5,)
    with pytest.raises(IndexError, match="row 400"):
        graph.neighbors(400)
    for rows in (1.5, [0.0], True):
        with pytest.raises(TypeError, match="whole numbers"):
            knng.build(x, k=5, **quiet).neighbors(rows)
    with pytest.raises(ValueError, match="k is 6"):
        graph.neighbors(3, k=6)
    with pytest.raises(knng.InputTypeError, match="k is 2.0"):
        graph.neighbors(3, k=2.0)


def test_pickled_and_copied_it_is_its_path(x, path):
    graph = knng.build(x, path, k=5, **quiet)
    assert graph.indices.shape == (400, 5)  # which are not written along
    text = pickle.dumps(graph)
    assert len(text) < 1000
    np.testing.assert_array_equal(pickle.loads(text).indices, graph.indices)
    temporary = copy.deepcopy(knng.build(x, k=5, **quiet))
    assert temporary.n == 400 and len(temporary.indices) == 400


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of fork beside threads
def test_a_forked_child_leaves_the_temporary_graph(x):
    graph = knng.build(x, k=5, **quiet)
    child = os.fork()
    if child == 0:
        del graph
        os._exit(0)
    os.waitpid(child, 0)
    assert len(graph.indices) == 400
    path = graph.path
    del graph
    assert not os.path.exists(path)


def test_fewer_rows_than_neighbors(x):
    with pytest.warns(UserWarning, match="lists of 4 neighbors where k=15 was asked for: the graph has 5 rows"):
        assert knng.build(x[:5], **quiet).indices.shape == (5, 4)


def test_recall_has_an_interval(x):
    found = knng.build(x, k=5, **quiet).recall(sample=50)
    assert found == 1 and found.low < 1 and found.sample == 50 and "low=" in repr(found)


def test_a_graph_that_took_the_path_later_has_its_own_lists(x, path):
    import shutil

    knng.build(x, path, k=5, **quiet).indices
    shutil.rmtree(path)
    y = x[::-1].copy()
    same(knng.build(y, path, k=5, **quiet), y, 5)
    assert len(os.listdir(path + ".python")) == 1


def test_rows_without_lists(x):
    x = x.copy()
    x[7] = np.nan
    with pytest.raises(knng.InputError, match="1 of 400 rows, first row 7: it has a NaN"):
        knng.build(x, k=5, **quiet)
    graph = knng.build(x, k=5, bad_rows="isolate", **quiet)
    assert (graph.indices[7] == -1).all() and np.isinf(graph.distances[7]).all()
    matrix = graph.csr(include_self=True)
    assert matrix[7].nnz == 0 and matrix.nnz == 399 * 6
    assert graph.csr(symmetric="union", include_self=True)[7].nnz == 0


def test_progress(x):
    events = []
    knng.build(x, k=5, progress=events.append)
    assert all("phase" in e for e in events) and len(events) > 3
    with pytest.raises(ZeroDivisionError):
        knng.build(x, k=5, progress=lambda event: 1 / 0)


def test_errors_carry_code_and_text(tmp_path):
    with pytest.raises(knng.Error) as error:
        knng.open(str(tmp_path))
    assert error.value.exit_code == 2 and "not a knng store" in str(error.value)
    with pytest.raises(knng.UsageError, match="metric"):
        knng.build(np.eye(5, dtype=np.float32), metric="nope", **quiet)
    with pytest.raises(knng.UsageError, match="no option no_such"):
        knng.build(np.eye(5, dtype=np.float32), no_such=1, **quiet)


def test_below_target(rng):
    x = rng.normal(size=(20000, 64)).astype(np.float32)
    with pytest.raises(knng.BelowTarget) as error:
        knng.build(x, k=10, recall=0.99, method="balls", divisions=1, propagation="off", **quiet)
    assert error.value.exit_code == 4 and error.value.graph.indices.shape == (20000, 10)


INTERRUPTED = """
import sys, numpy as np, knng
x = np.random.default_rng(1).normal(size=(60000, 100)).astype(np.float32)
started = False
def tell(event):
    if event["phase"] not in ("receive", "audit"): print("going", flush=True)
try:
    graph = knng.build(x, sys.argv[1], k=10, method="exact", progress=tell)
except KeyboardInterrupt:
    print("interrupted", flush=True); sys.exit(7)
print(graph.info["resumed"], graph.info["checksum"])
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupted_it_goes_on(path):
    run = [sys.executable, "-c", INTERRUPTED, path]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    first = subprocess.Popen(run, stdout=subprocess.PIPE, text=True, env=env)
    assert first.stdout.readline() == "going\n"
    with pytest.raises(knng.Locked):  # while it builds
        knng.build(np.eye(5, dtype=np.float32), path, k=2, **quiet)
    first.send_signal(signal.SIGINT)
    assert first.communicate(timeout=120)[0].endswith("interrupted\n") and first.returncode == 7
    with pytest.raises(knng.Resumable):
        knng.open(path)
    second = subprocess.run(run, stdout=subprocess.PIPE, text=True, env=env, timeout=300)
    assert second.stdout.splitlines()[-1].startswith("1 "), second.stdout


def test_type_checkers_see_every_name():
    """They read imports, not __getattr__, under which a misspelt name would pass."""
    import ast

    tree = ast.parse(Path(knng.__file__).read_text(encoding="utf-8"))
    checked = [node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "typing.TYPE_CHECKING"]
    imports = [node for node in [*tree.body, *checked[0].body] if isinstance(node, ast.ImportFrom)]
    assert set(knng.__all__) <= {alias.name for node in imports for alias in node.names}
    assert "__getattr__" not in [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]


def test_in_another_thread(x):
    found = []
    thread = threading.Thread(target=lambda: found.append(knng.build(x, k=5, **quiet)))
    thread.start(), thread.join()
    same(found[0], x, 5)


def test_the_command():
    done = subprocess.run([sys.executable, "-m", "knng", "version"], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0 and "store format" in done.stdout
    assert _command.has("build", _command.find()) and not _command.has("nonexistent", _command.find())
    if os.path.dirname(_command.find()) in _command._folders():  # that of the wheel
        assert _command.run(["version"])["version"] == knng.__version__


@pytest.mark.parametrize("said, told", [
    ("drop or isolate them by --bad-rows", "drop or isolate them by bad_rows"),
    ("-k is 0; --filter-ids, --for", "k is 0; only, library"),
    ('made again by "knng analyze --view": --max-norm.', 'made again by "knng analyze --view": max_norm.'),
    (r'"a \"b\" --for" is no file of --for', r'"a \"b\" --for" is no file of library'),
    ("/tmp/--for/-k/x-k --for.npy: no file", "/tmp/--for/-k/x-k --for.npy: no file"),
    ('x: --header=true takes the line, --header=false "header=true"; --header says', 'x: header=True takes the line, header=False "header=true"; header says'),
])
def test_flags_are_named_as_arguments(said, told):
    assert _command._in_python(said) == told


def test_binary_that_is_not_there(monkeypatch):
    monkeypatch.setenv("KNNG_BINARY", "/nowhere/knng")
    with pytest.raises(knng.CommandNotFound, match="/nowhere/knng"):
        knng.build(np.eye(5), **quiet)


@pytest.mark.skipif(os.name == "nt", reason="scripts of a shell")
@pytest.mark.parametrize("script, kind, want", [
    ("echo 'fatal error: runtime: cannot allocate memory' >&2; exit 2", knng.Resumable, "no memory left .*cannot allocate memory"),
    ("echo 'runtime: out of memory' >&2; echo 'fatal error: out of memory' >&2; exit 2", knng.Resumable, "the same call goes on"),
    ("kill -9 $$", knng.Resumable, "SIGKILL.*memory runs out"),
    ("exit 137", knng.Resumable, "137"),
    ("kill -6 $$", knng.Error, "SIGABRT"),
    ("echo 'panic: runtime error: index out of range' >&2; echo 'goroutine 1 [running]:' >&2; exit 2", knng.Error, r"crashed[^$]*index[^$]*goroutine 1"),
    ("echo 'knng: unknown flag: --progress' >&2; exit 2", knng.CommandNotFound, "too old, or another program: .*knng has no version"),
    ("[ $1 != version ] || { echo '{\"version\": \"0.0.1\"}'; exit; }; echo 'knng: unknown flag: --progress' >&2; exit 2", knng.CommandNotFound, r"knng is of version 0\.0\.1"),
    ("[ $1 != version ] || { echo '{\"version\": \"0.0.1\"}'; exit; }; echo 'knng: unknown flag: --recall' >&2; exit 2", knng.UnknownOption, r"option recall: .*0\.0\.1"),
    ("echo hello", knng.CommandNotFound, "no JSON object"),
    ("exit 0", knng.CommandNotFound, "no JSON object"),
])
def test_a_command_that_fails(tmp_path, monkeypatch, script, kind, want):
    file = tmp_path / "knng"
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)
    monkeypatch.setenv("KNNG_BINARY", str(file))
    with pytest.raises(knng.Error, match=want) as error:
        knng.build(np.eye(5), **quiet)
    assert type(error.value) is kind


def test_an_empty_path():
    for call in (lambda: knng.build(np.eye(5), "", **quiet), lambda: knng.open("")):
        with pytest.raises(knng.UsageError, match="the path is empty"):
            call()


def test_without_a_path_a_build_begins_anew(path):
    """An error that can be gone on from says so where something is left."""
    for given, want in ((None, r"limit too low.*; without a path the build begins anew; with one the same call goes on$"), (path, r"limit too low(?!.*anew)")):
        with pytest.raises(knng.Resumable, match=want):
            knng.build(np.eye(500, dtype=np.float32), given, k=2, memory="1KiB", **quiet)


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
@pytest.mark.parametrize("mode, want", [(0o644, "not executable"), (0o755, "cannot be run")])
def test_a_file_that_is_no_command(tmp_path, monkeypatch, mode, want):
    file = tmp_path / "knng"
    file.write_text("garbage")
    file.chmod(mode)
    monkeypatch.setenv("KNNG_BINARY", str(file))
    with pytest.raises(knng.CommandNotFound, match=want):
        knng.build(np.eye(5), **quiet)


@pytest.mark.parametrize("make, kind, want", [
    (lambda x: (None, {}), TypeError, "rows of the type NoneType, want a 2-D array"),
    (lambda x: ({"a": x}, {}), TypeError, "rows of the type dict"),
    (lambda x: (x.astype(object), {}), TypeError, r"astype\('float32'\)"),
    (lambda x: (x, {"k": None}), TypeError, "k is None, want a whole number"),
    (lambda x: (x, {"k": 1.5}), TypeError, "k is 1.5"),
    (lambda x: (x, {"k": 0}), ValueError, "^k is 0, want 1 to"),
    (lambda x: (x, {"n_neighbors": 5}), TypeError, "k = n_neighbors - 1"),
    (lambda x: (np.ma.masked_equal(np.arange(9).reshape(3, 3), 4), {}), ValueError, "row 1 has a masked element"),
    (lambda x: ([[1, 2], [3]], {}), ValueError, "row 1 has 1 elements, row 0 has 2"),
    (lambda x: ([[1, 2], 3], {}), ValueError, "^row 1 is no vector$"),
    (lambda x: ([3, [1, 2]], {}), ValueError, "^row 0 is no vector$"),
    (lambda x: ([x[0], x[1, 0], x[2]], {}), ValueError, "^row 1 is no vector$"),
    (lambda x: (x, {"recall": "high"}), ValueError, '^recall is "high": invalid syntax$'),
    (lambda x: (x[:0], {}), ValueError, r"shape \(0, 12\)"),
    (lambda x: (np.where(x == x[3, 4], np.nan, x), {}), ValueError, "first row 3: it has a NaN or an infinity; .*drop or isolate them by bad_rows$"),
    (lambda x: (np.where(x == x[3, 4], np.inf, x), {}), ValueError, "first row 3: "),
    (lambda x: (x * 0, {"metric": "cosine"}), ValueError, "all zeros, which has no cosine"),
    (lambda x: (x.astype(float) * 1e300, {}), ValueError, "^row 0 .*column 0: .* is beyond float32$"),
    (lambda x: (x, {"no_such": 1}), TypeError, "no option no_such: help"),
    (lambda x: (x, {"output": "away"}), TypeError, "^build takes no output but path"),
    (lambda x: (x, {"json": False}), TypeError, "^build takes no json"),
    (lambda x: (x, {"help": True}), TypeError, "^build takes no help"),
    (lambda x: (x, {"path": 15}), TypeError, "^the path is 15, .* k=15$"),
    (lambda x: (x, {"memory": "1\0"}), ValueError, "null byte"),
    (lambda x: (x, {"ids": 5}), TypeError, "^ids is 5, want several"),
    (lambda x: (x, {"memory": "lots"}), ValueError, '^memory is "lots"'),
    (lambda x: (x, {"ids": "none.txt"}), FileNotFoundError, "none.txt"),
    (lambda x: (x, {"ids": ["a"] * 3 + [None] * 397}), ValueError, r"ids\[3\] is None"),
    (lambda x: (x, {"ids": ["a", float("nan")] * 200}), ValueError, r"ids\[1\] is nan"),
])
def test_mistakes_say_what_is_wanted(x, make, kind, want):
    data, options = make(x)
    with pytest.raises(kind, match=want) as error:
        knng.build(data, **{**quiet, **options})
    assert isinstance(error.value, knng.Error)


def test_an_array_that_cannot_be_made_says_why_itself():
    class Away:
        def __array__(self, *args, **kwargs):
            raise ValueError("the device is away")

    with pytest.raises(ValueError, match="^the device is away$"):
        knng.build(Away(), **quiet)


def test_errors_name_the_file_and_the_row(x, tmp_path):
    x = x.copy()
    x[250, 3] = np.nan
    np.save(tmp_path / "a.npy", x[:200]), np.save(tmp_path / "b.npy", x[200:])
    with pytest.raises(ValueError, match=r"first row 50 of .*b\.npy \(row 250 of all\): it has a NaN"):
        knng.build([tmp_path / "a.npy", tmp_path / "b.npy"], k=5, **quiet)
    (tmp_path / "half.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:1000])
    with pytest.raises(ValueError, match=r"half\.npy: .*want 200 rows"):
        knng.build(tmp_path / "half.npy", k=5, **quiet)
    (tmp_path / "x.foo").write_text("1")
    with pytest.raises(ValueError, match=r"x\.foo: unknown format"):
        knng.build(tmp_path / "x.foo", k=5, **quiet)
    with pytest.raises(ValueError, match=r"a\.npy is a file, not the directory of a graph"):
        knng.open(tmp_path / "a.npy")
    assert not issubclass(knng.Resumable, ValueError) and issubclass(knng.NoInput, FileNotFoundError)


def test_an_export_replaces_nothing(x, tmp_path):
    graph = knng.build(x, k=5, **quiet)
    graph.export(tmp_path / "g.csv")
    for format in ("csv", "npz", "parquet"):
        with pytest.raises(FileExistsError, match=r"g\.csv: file already exists \(force overwrites it\)") as error:
            graph.export(tmp_path / "g.csv", format=format)
        assert isinstance(error.value, knng.OutputExists) and error.value.exit_code == 2
    graph.export(tmp_path / "g.csv", force=True)
