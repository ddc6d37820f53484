"""Rows and a run in an object store: a real server of S3, one that fails and is slow, and one that is gone."""

import contextlib
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import numpy
import pytest

import knng
from knng import _command, cluster
from knng.cluster import _objects

OPTIONS = ["-k", "8", "--divisions", "2", "--shard-rows", "6000", "--solvers", "2"]
SERVER = os.environ.get("KNNG_S3_SERVER") or shutil.which("versitygw")

pytestmark = pytest.mark.skipif(not SERVER, reason="no server of S3: go install github.com/versity/versitygw/cmd/versitygw@v1.8.0, or KNNG_S3_SERVER")


class Server:
    """versitygw over a folder."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        (folder / "rows").mkdir(parents=True)  # a bucket
        self.start()

    def start(self):
        with open(self.folder.parent / "s3.log", "ab") as log:
            command = [SERVER, "--quiet", "--port", f"127.0.0.1:{self.port}", "--access", "knng", "--secret", "of-this-test", "posix", str(self.folder)]
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        end = time.monotonic() + 30
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert time.monotonic() < end, "the server of S3 does not start"
                time.sleep(0.05)

    def stop(self):
        self.process.kill()
        self.process.wait()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as s:
        return s.getsockname()[1]


class BadNetwork(threading.Thread):
    """Stands before a server, lets each connection wait, and cuts some of them somewhere."""

    def __init__(self, port, seed):
        super().__init__(daemon=True)
        self.to, self.random, self.cuts = port, random.Random(seed), 0
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]
        self.start()

    def run(self):
        while True:
            try:
                client, _ = self.listening.accept()
            except OSError:
                return
            left = self.random.choice([10**9] * 12 + [0, 500, 20_000])
            threading.Thread(target=self.carry, args=(client, left, self.random.uniform(0, 0.05)), daemon=True).start()

    def carry(self, client, left, wait):
        time.sleep(wait)
        try:
            server = socket.create_connection(("127.0.0.1", self.to))
        except OSError:
            client.close()
            return
        with client, server:
            asks = threading.Thread(target=self.pump, args=(client, server, 10**9), daemon=True)
            asks.start()
            self.pump(server, client, left)
            asks.join()

    def pump(self, source, to, left):
        try:
            while left > 0:
                data = source.recv(min(65536, left))
                if not data:
                    break
                to.sendall(data)
                left -= len(data)
            else:
                self.cuts += 1
        except OSError:
            pass
        for s in (source, to):
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def server(tmp_path, monkeypatch):
    pytest.importorskip("s3fs")
    server = Server(tmp_path / "s3")
    reach(monkeypatch, server.port)
    yield server
    server.stop()


def reach(monkeypatch, port, attempts="5"):
    """Have a store at a port. attempts are those of the library, which waits for seconds between them."""
    for name, value in {"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}", "AWS_ACCESS_KEY_ID": "knng", "AWS_SECRET_ACCESS_KEY": "of-this-test", "AWS_DEFAULT_REGION": "us-east-1", "AWS_MAX_ATTEMPTS": attempts}.items():
        monkeypatch.setenv(name, value)
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def rows(server, tmp_path):
    """Two objects of clustered bytes; returned are the files that are equal to them."""
    rng = numpy.random.default_rng(3)
    centers = rng.integers(30, 220, (100, 16))
    x = numpy.clip(centers[rng.integers(0, 100, 12000)] + rng.normal(0, 20, (12000, 16)), 0, 255).astype(numpy.uint8)
    folder = server.folder / "rows" / "in"
    folder.mkdir()
    numpy.save(folder / "a.npy", x[:5000])
    numpy.save(folder / "b.npy", x[5000:])
    return [str(folder / "a.npy"), str(folder / "b.npy")]


def one_machine(rows, tmp_path):
    return _command.run(["build", *rows, "-o", str(tmp_path / "one"), "--method", "parts", *OPTIONS[:4], "--search", "off"])["checksum"]


def united(run, tmp_path):
    assert cluster.unite(run, tmp_path / "united", ["--search", "off", "--quiet"]) == 0
    return _command.run(["info", str(tmp_path / "united")])["checksum"]


def test_a_run_in_s3(rows, tmp_path, server):
    said = []
    result = cluster.build(["s3://rows/in/*.npy"], "s3://rows/run", "local:2", OPTIONS, report=said.append)
    assert result["run"].startswith("s3://rows/run/") and result["retries"] == 0
    assert "solve" in json.loads((server.folder / result["run"].removeprefix("s3://") / "seen.json").read_text())
    assert united(result["run"], tmp_path) == one_machine(rows, tmp_path)
    again = cluster.build(["s3://rows/in/a.npy", "s3://rows/in/b.npy"], "s3://rows/run", "local:2", OPTIONS)
    assert again["run"] == result["run"] and again["tasks"] == 0
    mixed = cluster.build(["s3://rows/in/*.npy"], tmp_path / "run", "local:2", OPTIONS)  # objects in, a run on a disk
    assert not _objects.is_object(mixed["run"]) and mixed["tasks"] == result["tasks"]
    assert "core-hours" in cluster.plan(["s3://rows/in/*.npy"], ["-k", "8"], "2x4")


def test_a_store_that_fails_and_is_slow(rows, tmp_path, server, monkeypatch):
    network = BadNetwork(server.port, 5)
    reach(monkeypatch, network.port, attempts="1")
    result = cluster.build(["s3://rows/in/*.npy"], "s3://rows/run", "local:2", OPTIONS)
    assert united(result["run"], tmp_path) == one_machine(rows, tmp_path)
    assert network.cuts > 0
    network.listening.close()


def test_a_store_that_is_gone(rows, tmp_path, server, monkeypatch):
    source = str(Path(cluster.__file__).resolve().parents[2])
    environment = {**os.environ, "KNNG_OBJECTS_PATIENCE": "1", "AWS_MAX_ATTEMPTS": "1", "PYTHONPATH": os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))}
    command = [sys.executable, "-m", "knng.cluster", "build", "s3://rows/in/a.npy", "s3://rows/in/b.npy", "-o", "s3://rows/run", "--engine", "local:2", "--json", *OPTIONS]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    end = time.monotonic() + 60
    while not list((server.folder / "rows").glob("run/*/audit/*")):
        assert time.monotonic() < end, "the run does not begin"
        time.sleep(0.02)
    server.stop()
    out, said = process.communicate(timeout=170)
    assert process.returncode == 1 and "s3://rows/" in said and "Traceback" not in said, said
    server.start()
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=170)
    assert done.returncode == 0, done.stderr
    assert united(json.loads(done.stdout)["run"], tmp_path) == one_machine(rows, tmp_path)


def test_what_is_not_there(rows, tmp_path):
    with pytest.raises(Exception, match="s3://rows/in/c.npy.*(not exist|no such)"):
        cluster.build(["s3://rows/in/c.npy"], "s3://rows/run", "local:1", OPTIONS)
    with pytest.raises(FileNotFoundError, match="x.*no object has such a name"):
        cluster.build(["s3://rows/in/x*.npy"], "s3://rows/run", "local:1", OPTIONS)
    with pytest.raises(Exception, match="python -m knng.cluster"):
        _command.run(["build", "s3://rows/in/a.npy", "-o", str(tmp_path / "g")])


def test_credentials_that_are_wrong_or_missing(rows, tmp_path, server, monkeypatch):
    """The error says so at once, and names the object."""
    import s3fs

    for name, value in {"AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": "/nowhere", "AWS_SHARED_CREDENTIALS_FILE": "/nowhere", "AWS_SECRET_ACCESS_KEY": "wrong"}.items():
        monkeypatch.setenv(name, value)
    for gone in ((), ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")):
        for name in gone:
            monkeypatch.delenv(name)
        s3fs.S3FileSystem.clear_instance_cache()
        for inputs, run in ((["s3://rows/in/*.npy"], "s3://rows/run"), (["s3://rows/in/a.npy"], tmp_path / "run"), ([rows[0]], "s3://rows/run")):
            began = time.monotonic()
            with pytest.raises(knng.Error, match="s3://rows/.*the store refuses the credentials of this machine, or they are missing") as error:
                cluster.build(inputs, run, "local:1", OPTIONS)
            assert error.value.exit_code != 6, "the rows are not what is wrong"
            assert time.monotonic() - began < 60


def test_a_gateway_that_is_slow_cuts_no_connection():
    """A command asks for many blocks at once."""
    with contextlib.ExitStack() as opened:
        server = opened.enter_context(_objects._Server(("127.0.0.1", 0), _objects._Handler))  # it accepts none
        for _ in range(100):
            opened.enter_context(socket.create_connection(server.server_address, 2))


def test_the_gateway_serves_nobody_else(server):
    url = urllib.parse.urlsplit(_objects.environment()["KNNG_OBJECTS"])
    for path in ("/size?at=s3://rows/x", "/wrong/size?at=s3://rows/x", f"{url.path}x/size?at=s3://rows/x"):
        with pytest.raises(urllib.error.HTTPError) as error:
            urllib.request.urlopen(f"http://{url.netloc}{path}")
        assert error.value.code == 403
