"""A cluster of Ray on this machine: the bytes of one machine, with a worker killed. Skipped without its package."""

import glob
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

ray = pytest.importorskip("ray")

OPTIONS = ["-k", "6", "--recall", "0.9"]


@pytest.fixture(scope="module")
def engine():
    """A head of two CPUs, in this process's tree."""
    source = str(Path(cluster.__file__).resolve().parents[2])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_AUTH_MODE="disabled")
    os.environ.update(RAY_raylet_start_wait_time_s="300", RAY_worker_register_timeout_seconds="300", RAY_health_check_timeout_ms="60000")  # a busy machine takes minutes
    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=80 << 20)
    address = ray.get_runtime_context().gcs_address
    yield address
    ray.shutdown()


class Killer(threading.Thread):
    """Kills a process of the command, and then a worker of Ray that does a task, once each."""

    def __init__(self):
        super().__init__(daemon=True)
        self.killed, self.done = [], threading.Event()

    def run(self):
        for pattern in ("stage work", "ray::do"):
            while not self.done.wait(0.1) and not self.kill(pattern):  # ps takes time that the run needs
                pass
            self.done.wait(1)

    def kill(self, pattern):
        listed = subprocess.run(["ps", "-eo", "pid,ppid,args"], capture_output=True, text=True).stdout.splitlines()[1:]
        known = {int(line.split()[0]): (int(line.split()[1]), line) for line in listed}
        for pid, (_, line) in known.items():
            above = pid
            while above in known and above != os.getpid():
                above = known[above][0]
            if pattern in line and above == os.getpid():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    return False
                self.killed.append(pattern)
                return True
        return False


def ended(process, run, patience=240):
    """Wait for a driver as long as its run gets files: a busy machine takes minutes for what a free one does in seconds."""
    files, since = None, time.monotonic()
    while process.poll() is None:
        now = glob.glob(f"{run}/**", recursive=True)
        if now != files:
            files, since = now, time.monotonic()
        if time.monotonic() > since + patience:
            process.kill()
            raise AssertionError(f"nothing was done for {patience} s: {process.communicate()}")
        time.sleep(0.1)
    return process.communicate()


def test_within_a_program_that_is_connected(engine, tmp_path):
    """The connection of the caller is used, and left open."""
    numpy.save(tmp_path / "x.npy", numpy.random.default_rng(2).normal(size=(500, 4)).astype(numpy.float32))
    result = cluster.build([tmp_path / "x.npy"], tmp_path / "run", "ray:auto", ["-k", "4", "--divisions", "4"], memory=256 << 20)
    assert result["rows"] == 500 and ray.is_initialized()


def test_workers_killed(engine, tmp_path):
    rng = numpy.random.default_rng(1)
    x = (rng.normal(size=(60, 8))[rng.integers(0, 60, 6000)] + rng.normal(size=(6000, 8)) * 0.3).astype(numpy.float32)
    numpy.save(tmp_path / "x.npy", x)
    killer = Killer()
    killer.start()
    began = time.monotonic()
    program = "import sys; from knng.cluster.__main__ import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "build", str(tmp_path / "x.npy"), "-o", str(tmp_path / "run"), "--engine", "ray:auto", "--memory", "256MiB", "--shard-rows", "1000", "--json", *OPTIONS],
        env={**os.environ, "RAY_ADDRESS": engine}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        out, said = ended(process, tmp_path / "run")
    finally:
        killer.done.set()
        killer.join()
    assert process.returncode == 0, said
    print(f"{time.monotonic() - began:.0f} s, killed {killer.killed}")
    assert killer.killed and "failed, try 1 of 3" in said, said
    one = _command.run(["build", str(tmp_path / "x.npy"), "-o", str(tmp_path / "one.knng"), "--method", "parts", *OPTIONS, "--search", "off"])
    run = json.loads(out)["run"]
    assert _command.run(["unite", run, "-o", str(tmp_path / "g.knng"), "--search", "off"])["checksum"] == one["checksum"]
