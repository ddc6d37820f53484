"""Spark in local mode: a DataFrame in Parquet to a graph and back, with workers killed. Skipped without pyspark and Java."""

import os
import shutil
import signal
import subprocess
import threading
import time

import numpy
import pytest

from knng import _command, cluster

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
if shutil.which("java") is None:
    pytest.skip("no java", allow_module_level=True)

from knng.cluster import spark  # noqa: E402

N, DIM, K = 3000, 8, 6


@pytest.fixture(scope="module")
def session():
    import sys

    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.task.maxFailures", "1").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def frame(session, tmp_path_factory):
    """A DataFrame that Spark wrote as Parquet and reads again, and its rows."""
    folder = str(tmp_path_factory.mktemp("frame") / "vectors")
    x = numpy.random.default_rng(1).normal(size=(N, DIM)).astype(numpy.float32)
    rows = [(f"name {i}", x[i].tolist()) for i in range(N)]
    session.createDataFrame(rows, "name string, features array<float>").repartition(3, "name").write.parquet(folder)
    return session.read.parquet(folder), x


class Killer(threading.Thread):
    """Kills processes of Python and of the command that work for this one, every so often."""

    def __init__(self, times):
        super().__init__(daemon=True)
        self.times, self.killed, self.done = times, [], threading.Event()

    def run(self):
        for pattern in self.times:
            while not self.done.wait(0.02) and not self.kill(pattern):
                pass
            self.done.wait(3)

    def kill(self, pattern):
        listed = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True).stdout.splitlines()[1:]
        parents = {int(line.split()[0]): (int(line.split()[1]), line) for line in listed}
        for pid, (_, line) in parents.items():
            above = pid
            while above in parents and above != os.getpid():
                above = parents[above][0]
            if pattern in line and above == os.getpid():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    return False
                self.killed.append(pattern)
                return True
        return False


def test_a_frame_to_a_graph_and_back(session, frame, tmp_path):
    frame, x = frame
    paths, ids = spark.write_rows(frame, "features", tmp_path / "rows", id_column="name")
    names = open(ids, encoding="utf-8").read().splitlines()
    written = numpy.concatenate([numpy.load(p) for p in paths])
    assert sorted(names) == sorted(f"name {i}" for i in range(N))
    assert numpy.array_equal(written, x[[int(n.split()[1]) for n in names]])

    options = ["-k", str(K), "--recall", "0.9", "--ids", ids]
    killer = Killer(["stage work", "pyspark.daemon", "stage work"])
    killer.start()
    began = time.monotonic()
    result = cluster.build(paths, tmp_path / "run", "spark:local[2]", [*options, "--shard-rows", "1000"], memory=256 << 20)
    killer.done.set()
    killer.join()
    print(f"{time.monotonic() - began:.0f} s, killed {killer.killed}, {result['retries']} tried again")
    assert killer.killed and result["retries"] >= 1
    out = tmp_path / "graph.knng"
    one = _command.run(["build", *paths, "-o", str(tmp_path / "one.knng"), "--method", "parts", *options, "--search", "off"])
    assert _command.run(["unite", result["run"], "-o", str(out), "--search", "off"])["checksum"] == one["checksum"]

    subprocess.run([_command.find(), "export", str(out), "-o", str(tmp_path / "graph.parquet")], check=True)
    graph = spark.read_graph(session, tmp_path / "graph.parquet")
    assert graph.count() == N
    for row in graph.where("row % 500 = 7").collect():
        assert row["id"] == names[row["row"]]
        near = numpy.linalg.norm(written[list(row["neighbors"]["ids"])] - written[row["row"]], axis=1)
        assert numpy.allclose(near, row["neighbors"]["distances"], atol=1e-4)


@pytest.mark.parametrize("vectors, said", [([[1.0, 2.0], [1.0]], "want one number"), ([[1.0, 2.0], None], "nulls"), ([[1.0, None]], "nulls")])
def test_bad_frames(session, tmp_path, vectors, said):
    frame = session.createDataFrame([(v,) for v in vectors], "features array<float>").coalesce(1)
    with pytest.raises(Exception, match=said):
        spark.write_rows(frame, "features", tmp_path)
    assert not list(tmp_path.glob("*.npy"))
