"""The cluster driver: whatever dies, the graph is that of one machine, to the byte."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy
import pytest

from knng import _command, cluster

OPTIONS = ["-k", "8", "--recall", "0.93", "--shard-rows", "7000", "--solvers", "6", "--range-rows", "9000"]


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Two files of clustered bytes."""
    folder = tmp_path_factory.mktemp("rows")
    rng = numpy.random.default_rng(3)
    centers = rng.integers(30, 220, (300, 24))
    x = numpy.clip(centers[rng.integers(0, 300, 40000)] + rng.normal(0, 20, (40000, 24)), 0, 255).astype(numpy.uint8)
    paths = [folder / "a.npy", folder / "b.npy"]
    numpy.save(paths[0], x[:15000])
    numpy.save(paths[1], x[15000:])
    return [str(p) for p in paths]


@pytest.fixture(scope="module")
def expected(rows, tmp_path_factory):
    """The checksum of one machine."""
    out = tmp_path_factory.mktemp("one") / "g.knng"
    return _command.run(["build", *rows, "-o", str(out), "--method", "parts", *OPTIONS[:4], "--search", "off"])["checksum"]


def united(run, tmp_path):
    return _command.run(["unite", run, "-o", str(tmp_path / "united.knng"), "--search", "off"])["checksum"]


@pytest.mark.parametrize("workers", [1, 2])
def test_local(rows, expected, tmp_path, workers):
    said = []
    result = cluster.build(rows, tmp_path / "run", f"local:{workers}", OPTIONS, memory=300 << 20, report=said.append)
    assert united(result["run"], tmp_path) == expected
    assert result["retries"] == 0 and 0 < result["peak_task_bytes"] < 400 << 20
    assert any("solving groups" in line for line in said)
    again = cluster.build(rows, tmp_path / "run", "dask://127.0.0.1:1", OPTIONS)  # finished: no engine is asked
    assert again["run"] == result["run"] and again["tasks"] == 0


def test_other_shards_are_another_run(rows, expected, tmp_path):
    runs = set()
    for shards in ("40000", "11111"):
        result = cluster.build(rows, tmp_path / "run", "local:2", [*OPTIONS[:4], "--shard-rows", shards])
        runs.add(result["run"])
        (tmp_path / shards).mkdir()
        assert united(result["run"], tmp_path / shards) == expected
    assert len(runs) == 2


def test_a_task_that_always_fails_ends_the_run_with_its_words(rows, tmp_path):
    bad = numpy.load(rows[0]).astype(numpy.float32)
    bad[17, 3] = numpy.nan
    numpy.save(tmp_path / "bad.npy", bad)
    with pytest.raises(cluster.TaskFailed, match=r"task settle 0 failed 3 times.*\n?.*row 17.*NaN"):
        cluster.build([tmp_path / "bad.npy"], tmp_path / "run", "local:2", ["-k", "5"])
    said = subprocess.run(
        [sys.executable, "-m", "knng.cluster", "build", str(tmp_path / "bad.npy"), "-o", str(tmp_path / "run"), "-k", "5"], capture_output=True, text=True, env=environment())
    assert said.returncode == 1 and "Traceback" not in said.stderr and "nothing that was built is lost" in said.stderr


@pytest.mark.parametrize("engine", ["dask:/nowhere", "dask://127.0.0.1:1", "flink://x", "local:0"])
def test_bad_engines(rows, tmp_path, engine):
    if engine.startswith("dask"):
        pytest.importorskip("distributed")
    with pytest.raises(cluster.EngineError, match="engine|answers"):
        cluster.build(rows, tmp_path / "run", engine, OPTIONS)


def environment():
    source = str(Path(cluster.__file__).resolve().parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))}


class Dask:
    """A scheduler and workers on 127.0.0.1."""

    def __init__(self, folder):
        self.folder, self.processes = folder, []
        self.file = folder / f"scheduler-{time.monotonic_ns()}.json"
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file))
        wait_for(self.file.exists)
        self.address = json.loads(self.file.read_text())["address"].replace("tcp://", "dask://")
        self.workers = [self.worker(), self.worker()]

    def start(self, *words):
        with open(self.folder / "dask.log", "ab") as log:
            process = subprocess.Popen([sys.executable, "-m", "dask", *words], stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=environment())
        self.processes.append(process)
        return process

    def worker(self):
        return self.start("worker", self.address.replace("dask://", "tcp://"), "--host", "127.0.0.1", "--nworkers", "1", "--nthreads", "1", "--memory-limit", "512MiB",
                          "--no-dashboard", "--no-nanny", "--local-directory", str(self.folder))

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()


def wait_for(what, seconds=90):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


@pytest.fixture
def dask(tmp_path):
    pytest.importorskip("distributed")
    from distributed import Client

    engine = Dask(tmp_path)
    with Client(engine.address.replace("dask://", "tcp://"), timeout=60) as client:
        client.wait_for_workers(2, timeout=90)
    yield engine
    engine.stop()


def driver(rows, run, engine):
    return subprocess.Popen(
        [sys.executable, "-m", "knng.cluster", "build", *rows, "-o", str(run), "--engine", engine, "--json", *OPTIONS],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())


def begun(run, stage):
    """Whether a task of a stage has begun to write."""
    return lambda: any(run.glob(f"*/{stage}/*"))


def test_dask_workers_killed(rows, expected, tmp_path, dask):
    run = tmp_path / "run"
    process = driver(rows, run, dask.address)
    for stage in ("d01/assign", "d01/solve"):
        wait_for(begun(run, stage))
        dask.workers.pop(0).send_signal(signal.SIGKILL)
        dask.workers.append(dask.worker())
    out, said = process.communicate(timeout=170)
    assert process.returncode == 0, said
    assert united(json.loads(out)["run"], tmp_path) == expected


def test_dask_worker_that_hangs_and_scheduler_that_is_killed(rows, expected, tmp_path, dask):
    run = tmp_path / "run"
    process = driver(rows, run, dask.address)
    wait_for(begun(run, "d01/spill"))
    dask.scheduler.send_signal(signal.SIGKILL)
    out, said = process.communicate(timeout=120)
    assert process.returncode == 1 and "give the same command again" in said and "Traceback" not in said, said
    dask.stop()
    again = Dask(tmp_path)
    try:
        process = driver(rows, run, again.address)
        late = threading.Timer(1, lambda: again.workers[0].send_signal(signal.SIGSTOP))  # and goes on later: a late attempt
        late.start()
        time.sleep(4)
        again.workers[0].send_signal(signal.SIGCONT)
        out, said = process.communicate(timeout=170)
        assert process.returncode == 0, said
        assert united(json.loads(out)["run"], tmp_path) == expected
        assert json.loads(out)["tasks"] < 100, "it began anew"
    finally:
        again.stop()
