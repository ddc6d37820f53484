"""Spark in local mode, a DataFrame in Parquet to a graph and back; and a master with two workers. Workers are killed. Skipped without pyspark and Java."""

import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy
import pytest

import knng
from knng import _command, cluster

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
if shutil.which("java") is None:
    pytest.skip("no java", allow_module_level=True)

from knng.cluster import spark  # noqa: E402

N, DIM, K = 3000, 8, 6


@pytest.fixture(scope="module")
def session():
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
    with pytest.raises(knng.InputError, match=said):
        spark.write_rows(frame, "features", tmp_path)
    assert not list(tmp_path.glob("*.npy"))


class Master:
    """A master of Spark and two workers of a core each, on 127.0.0.1."""

    def __init__(self, folder):
        import pyspark

        source = str(Path(cluster.__file__).resolve().parents[2])
        self.folder, self.home, self.processes = folder, Path(pyspark.__file__).parent, []
        self.env = {**os.environ, "SPARK_HOME": str(self.home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m", "PYSPARK_PYTHON": sys.executable,
                    "PYTHONPATH": os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))}
        port, seen = free_port(), str(free_port())
        self.address = f"spark://127.0.0.1:{port}"
        self.start("master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", seen)
        self.wait_for("Starting Spark master", 1)
        self.workers = [self.worker() for _ in range(2)]
        self.wait_for("Registering worker", 2)

    def start(self, name, *words):
        with open(self.folder / "spark.log", "ab") as log:
            process = subprocess.Popen([str(self.home / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *words], stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=self.env)
        self.processes.append(process)
        return process

    def worker(self):
        return self.start("worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", str(free_port()), "--work-dir", str(self.folder / f"work{len(self.processes)}"), self.address)

    def wait_for(self, words, times):
        end = time.monotonic() + 400
        while (self.folder / "spark.log").read_text(errors="replace").count(words) < times:
            assert time.monotonic() < end, (self.folder / "spark.log").read_text(errors="replace")
            time.sleep(0.1)

    def stop(self):
        for process in self.processes:
            process.terminate()
            process.wait()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


def test_a_master_and_a_worker_that_is_killed(tmp_path):
    rng = numpy.random.default_rng(2)
    x = (rng.normal(size=(60, 8))[rng.integers(0, 60, 6000)] + rng.normal(size=(6000, 8)) * 0.3).astype(numpy.float32)
    numpy.save(tmp_path / "x.npy", x)
    options = ["-k", str(K), "--recall", "0.9"]
    master = Master(tmp_path)
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "knng.cluster", "build", str(tmp_path / "x.npy"), "-o", str(tmp_path / "run"), "--engine", master.address, "--memory", "256MiB", "--shard-rows", "1000", "--json", *options],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=master.env)
        end = time.monotonic() + 400
        while not glob.glob(str(tmp_path / "run" / "*" / "d*" / "*" / "*")) and process.poll() is None:
            assert time.monotonic() < end, "no division begins"
            time.sleep(0.02)
        master.workers[0].kill()
        out, said = process.communicate(timeout=400)
    finally:
        master.stop()
    assert process.returncode == 0, said
    one = _command.run(["build", str(tmp_path / "x.npy"), "-o", str(tmp_path / "one.knng"), "--method", "parts", *options, "--search", "off"])
    assert _command.run(["unite", json.loads(out)["run"], "-o", str(tmp_path / "g.knng"), "--search", "off"])["checksum"] == one["checksum"]
