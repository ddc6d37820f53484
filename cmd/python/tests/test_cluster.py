"""The cluster driver: whatever dies, the graph is that of one machine, to the byte."""

import glob
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy
import pytest

import knng
from knng import _command, cluster
from knng.cluster import _driver, _engines, _task

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


@pytest.fixture
def carried(monkeypatch):
    """The bytes that go through the engine, of every task and of every outcome."""
    sizes = []
    submit, wait = _engines.Local.submit, _engines.Local.wait

    def counted(self, token, run, words, avoid=()):
        sizes.append(len(pickle.dumps((token, run, words))))
        submit(self, token, run, words, avoid)

    def waited(self, seconds=None):
        ended = wait(self, seconds)
        if ended is not None:
            sizes.append(len(pickle.dumps(ended)))
        return ended

    monkeypatch.setattr(_engines.Local, "submit", counted)
    monkeypatch.setattr(_engines.Local, "wait", waited)
    return sizes


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_local(rows, expected, tmp_path, workers, carried):
    """The checksum of one machine within the memory of a worker; no row passes through the engine; the progress of the whole."""
    events = []
    result = cluster.build(rows, tmp_path / "run", f"local:{workers}", OPTIONS, memory=300 << 20, progress=events.append)
    assert united(result["run"], tmp_path) == expected
    assert result["retries"] == 0 and 0 < result["peak_task_bytes"] < 300 << 20
    assert len(carried) == 2 * result["tasks"] and max(carried) < 1000, "more than a command and some numbers"
    assert sum(p["tasks"] for p in result["processes"]) == result["tasks"] and max(p["peak_bytes"] for p in result["processes"]) == result["peak_task_bytes"]
    assert {"reading the input", "division 1: solving groups", "division 1: sorting leaders", "writing the graph"} <= {e["phase"] for e in events}
    shares = [e["share"] for e in events]
    assert shares == sorted(shares) and shares[0] < 0.2 and shares[-1] > 0.99 and events[-1]["end"] and events[-1]["left_seconds"] < 0.2 * result["wall_seconds"]
    assert {"audit", "solve", "seal"} <= json.loads((Path(result["run"]) / "seen.json").read_text()).keys(), "speeds for a driver that goes on"
    again = cluster.build(rows, tmp_path / "run", "dask://127.0.0.1:1", OPTIONS)  # finished: no engine is asked
    assert again["run"] == result["run"] and again["tasks"] == 0


def test_plan(rows):
    text = cluster.plan(rows, ["-k", "8", "--shard-rows", "7000"], "20x16")
    for words in ("20 machines of 16 threads", "core-hours", "as each stage is awaited", "read", "written", "MiB for a task of one thread", "a machine reads"):
        assert words in text, text


def test_other_shards_are_another_run(rows, expected, tmp_path):
    runs = set()
    for shards in ("40000", "11111"):
        result = cluster.build(rows, tmp_path / "run", "local:2", [*OPTIONS[:4], "--shard-rows", shards])
        runs.add(result["run"])
        (tmp_path / shards).mkdir()
        assert united(result["run"], tmp_path / shards) == expected
    assert len(runs) == 2


def test_rows_that_are_refused_end_the_run_with_its_words(rows, tmp_path):
    bad = numpy.load(rows[0]).astype(numpy.float32)
    bad[17, 3] = numpy.nan
    numpy.save(tmp_path / "bad.npy", bad)
    with pytest.raises(cluster.TaskFailed, match=r"task settle 0 failed on .*: .*first row 17 of .*bad\.npy: it has a NaN") as error:
        cluster.build([tmp_path / "bad.npy"], tmp_path / "run", "local:2", ["-k", "5"])
    assert isinstance(error.value, knng.InputError) and isinstance(error.value, ValueError) and error.value.exit_code == 6
    said = subprocess.run(
        [sys.executable, "-m", "knng.cluster", "build", str(tmp_path / "bad.npy"), "-o", str(tmp_path / "run"), "-k", "5"], capture_output=True, text=True, env=environment())
    assert said.returncode == 6 and "Traceback" not in said.stderr and "nothing that was built is lost" in said.stderr


@pytest.mark.parametrize("engine, code", [("dask:/nowhere", 2), ("dask://127.0.0.1:1", 1), ("flink://x", 2), ("local:0", 2), ("local:two", 2), ("ray:here", 2), ("ray://", 2), ("spark://", 2), ("spark:7077", 2)])
def test_bad_engines(rows, tmp_path, engine, code, monkeypatch):
    if code == 1:
        pytest.importorskip("distributed")
        monkeypatch.setattr(_engines, "ANSWERS", 1)
    with pytest.raises(cluster.EngineError, match="engine|answers") as caught:
        cluster.build(rows, tmp_path / "run", engine, OPTIONS)
    assert caught.value.exit_code == code and isinstance(caught.value, knng.UsageError if code == 2 else knng.Error)
    assert code == 1 or not (tmp_path / "run").exists(), "it began a run"


@pytest.mark.parametrize("words", [["--threads", "0"], ["--threads", "-3"], ["-k", "many"], ["-k", "0"], ["--recall", "7"], ["--memory", "lots"], ["--plan", "2by2"], ["--engine", "flink://x"]])
def test_wrong_usage_is_exit_code_2(rows, tmp_path, words):
    said = subprocess.run(
        [sys.executable, "-m", "knng.cluster", "build", *rows, "-o", str(tmp_path / "run"), *words], capture_output=True, text=True, env=environment())
    assert said.returncode == 2 and "Traceback" not in said.stderr and "knng: knng:" not in said.stderr and words[0].lstrip("-") in said.stderr, said.stderr


def test_a_machine_without_the_command(rows, tmp_path, monkeypatch):
    run = _command.run(["stage", "begin", *rows, "-o", str(tmp_path / "run"), *OPTIONS])["run"]
    with monkeypatch.context() as patch:
        patch.setenv("KNNG_BINARY", str(tmp_path / "away"))
        outcome = _task.do(run, ["audit", "0"])
    assert outcome["code"] == 1 and "where there is no file" in outcome["said"] and outcome["host"], outcome
    for words in (["build", *rows], ["unite", run]):
        said = subprocess.run(
            [sys.executable, "-m", "knng.cluster", *words, "-o", str(tmp_path / "out")], capture_output=True, text=True, env={**environment(), "KNNG_BINARY": str(tmp_path / "away")})
        assert said.returncode == 1 and "where there is no file" in said.stderr and "Traceback" not in said.stderr, said.stderr


def test_input_that_changed_is_told(rows, tmp_path):
    """A run of the rows as they were is left as it is, and another one begun."""
    copy, said = tmp_path / "rows.npy", []
    x = numpy.load(rows[0])[:2000]
    numpy.save(copy, x)
    first = _command.run(["stage", "begin", str(copy), "-o", str(tmp_path / "run"), "-k", "8"])["run"]
    numpy.save(copy, x[::-1].copy())
    result = cluster.build([copy], tmp_path / "run", "local:2", ["-k", "8"], report=said.append)
    assert result["run"] != first and sum("as they were before they changed" in line and first in line for line in said) == 1, said
    again = cluster.build([copy], tmp_path / "run", "local:2", ["-k", "7"], report=said.append)
    assert any("other options" in line and result["run"] in line for line in said) and again["run"] != result["run"], said
    outcome = _task.do(first, ["audit", "0"])  # what a driver that was under way meets
    assert outcome["code"] == 1 and "the input is not as it was when the run was begun" in outcome["said"] and not list(Path(first).glob("audit/*")), outcome


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no SIGINT to another process")
def test_interrupted_and_killed(rows, expected, tmp_path):
    """Ctrl-C ends the driver soon, and so does kill -9; then the same command goes on."""
    run = tmp_path / "run"
    later = ["d01/solve", "d01/fold", "d01/decide", "d02/*"]
    for stages, sign, code in ((["d01/assign", "d01/cut", "d01/spill", *later], signal.SIGINT, 130), (later, signal.SIGKILL, -9)):
        for _ in range(5):
            process = driver(rows, run, "local:2")
            wait_for(begun(run, *stages), process)
            process.send_signal(sign)
            said = process.communicate(timeout=120)[1]
            if process.returncode != 0:
                break
            run = run.with_name(run.name + "-anew")  # it had done all before it heard
        assert process.returncode == code and "Traceback" not in said, said
        assert code < 0 or said.endswith("knng: interrupted: give the same command again to continue\n"), said
    process = driver(rows, run, "local:2", "--progress", "json")
    out, said = process.communicate(timeout=170)
    assert process.returncode == 0, said
    assert united(json.loads(out)["run"], tmp_path) == expected
    told = [json.loads(line) for line in said.splitlines()]
    shares = [event["share"] for event in told if "share" in event]
    assert shares and shares[0] > 0.1 and shares == sorted(shares), "how far it is right after a resume"
    assert told[-1]["end"] and told[-1]["share"] == 1, told[-1]
    assert len(told) <= json.loads(out)["wall_seconds"] + 5, "more than one line a second"


def test_two_drivers_at_once(rows, expected, tmp_path):
    """They do the work twice, and neither fails."""
    drivers = [driver(rows, tmp_path / "run", "local:1") for _ in range(2)]
    said = [process.communicate(timeout=300) for process in drivers]
    assert [process.returncode for process in drivers] == [0, 0], said
    runs = {json.loads(out)["run"] for out, _ in said}
    assert len(runs) == 1 and united(runs.pop(), tmp_path) == expected


def test_a_task_that_another_driver_made_needless(rows, tmp_path, monkeypatch):
    """Its inputs are gone; it has not failed."""
    run = _command.run(["stage", "begin", *rows, "-o", str(tmp_path / "run"), *OPTIONS])["run"]
    waves(run, "settle")

    class Workers:
        def submit(self, token, run, words, avoid=()):
            self.token = token

        def wait(self, seconds=None):
            return self.token, {"code": 1, "said": "no such file or directory", "cpu": 0.0, "peak": 0, "host": ""}

    tally = _driver._Tally(lambda line: None, None)
    tally.wave({"doing": "reading the input", "done": 0, "tasks": ["audit 0"]})
    asked = _driver._Waves(run)
    _driver._do(Workers(), asked, [["audit", "0"]], tally)
    with pytest.raises(cluster.TaskFailed, match="settle 0 failed 3 times: no such file") as error:
        _driver._do(Workers(), asked, [["settle", "0"]], tally)
    asked.close()
    assert isinstance(error.value, knng.Error) and not isinstance(error.value, ValueError) and error.value.exit_code == 1


def test_waves_are_told_by_one_process(rows, tmp_path):
    """Another one takes its place when it has died; a run that is lost, or of another version, is told as by a command."""
    run = _command.run(["stage", "begin", *rows, "-o", str(tmp_path / "run"), *OPTIONS])["run"]
    asked = _driver._Waves(run)
    try:
        first, process = asked.next(), asked._process.process
        assert first["tasks"][0] == "audit 0" and asked.next() == first and asked._process.process is process
        process.kill()
        process.wait()
        assert asked.next() == first and asked._process.process is not process
        spec = Path(run) / "spec.json"
        asked._process.process.kill()
        spec.rename(tmp_path / "spec.json")
        asked._process.process.wait()
        with pytest.raises(knng.Error, match="^[^k].* has no spec.json") as error:
            asked.next()
        assert error.value.exit_code == 2
        (tmp_path / "spec.json").rename(spec)
        (Path(run) / "audit").write_text("a file where a folder was")
        with pytest.raises(knng.Error, match="not a directory"):
            asked.next()
    finally:
        asked.close()
    assert process.returncode is not None


def test_a_driver_needs_no_numpy():
    """Modules that it imports are a share of its cost, as there are builds of seconds."""
    program = "import sys, knng.cluster.__main__; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], env=environment()).returncode == 0


def test_retries_are_told_before_the_task_that_fails(rows, tmp_path, monkeypatch):
    monkeypatch.setattr(_engines.Local, "submit", lambda self, *task, **avoid: None)  # a worker might do it after all
    monkeypatch.setattr(_engines.Local, "wait", lambda self, seconds=None: (0, {"code": 1, "said": "the cause", "cpu": 0.0, "peak": 0, "host": ""}))
    told = []
    with pytest.raises(cluster.TaskFailed, match="audit 0 failed 3 times: the cause"):
        cluster.build(rows, tmp_path / "run", "local:1", OPTIONS, report=told.append)
    assert told[-2:] == ["task audit 0 failed, try 1 of 3: the cause", "and 1 other failed and was tried again"], told


def test_a_store_that_nothing_reaches(rows, tmp_path):
    pytest.importorskip("fsspec")
    for inputs in (["nostore://bucket/x*.npy"], ["nostore://bucket/x.npy"]):
        said = subprocess.run(
            [sys.executable, "-m", "knng.cluster", "build", *inputs, "-o", str(tmp_path / "run")], capture_output=True, text=True, env=environment())
        assert said.returncode == 1 and "Traceback" not in said.stderr and f"{inputs[0]}: fsspec has no such store" in said.stderr, said.stderr
    assert not (tmp_path / "run").exists()
    with pytest.raises(knng.Error) as error:
        cluster.build(["nostore://bucket/x*.npy"], tmp_path / "run")
    assert isinstance(error.value, OSError) and error.value.exit_code == 1


PROXY = """#!{python}
# The command, but that the first task of every stage is killed while it is done, and its worker with it.
import os, signal, subprocess, sys, time
real, marks, words = {real!r}, {marks!r}, sys.argv[1:]
if words[:2] != ["stage", "work"]:
    os.execv(real, [real, *words])
worker = None
for line in iter(sys.stdin.readline, ""):
    try:
        os.close(os.open(os.path.join(marks, "-".join(line.split()[:1])), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        worker = worker or subprocess.Popen([real, *words, "--idle", "1h"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        worker.stdin.write(line)
        worker.stdin.flush()
        print(worker.stdout.readline(), end="", flush=True)
        continue
    task = subprocess.Popen([real, "stage", "do", words[2], *line.split(), *(w for w in words[3:] if w != "--attached")])
    time.sleep(0.01)
    task.kill()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def proxied(folder):
    """Write such a command into a folder; the one that is returned gets a file for every stage that it killed a task of."""
    marks, proxy = folder / "marks", folder / "knng"
    marks.mkdir()
    proxy.write_text(PROXY.format(python=sys.executable, real=_command.find(), marks=str(marks)))
    proxy.chmod(0o755)
    return marks


def test_killed_in_every_stage(rows, expected, tmp_path, monkeypatch):
    marks = proxied(tmp_path)
    with monkeypatch.context() as patch:
        patch.setenv("KNNG_BINARY", str(tmp_path / "knng"))
        result = cluster.build(rows, tmp_path / "run", "local:2", OPTIONS, memory=300 << 20)
    stages = {m.name for m in marks.iterdir()}
    assert stages >= set("audit settle sample fit controls draw heads lead assign cut spill solve fold decide resample report complete adjacency seal".split())
    assert result["retries"] >= len(stages)
    assert united(result["run"], tmp_path) == expected


def test_killed_where_codes_are_tested(tmp_path, monkeypatch):
    """The stages that only rows have which are no bytes."""
    numpy.save(tmp_path / "floats.npy", numpy.random.default_rng(4).normal(size=(3000, 6)).astype(numpy.float32))
    marks, floats, options = proxied(tmp_path), str(tmp_path / "floats.npy"), ["-k", "5", "--recall", "0.9"]
    with monkeypatch.context() as patch:
        patch.setenv("KNNG_BINARY", str(tmp_path / "knng"))
        result = cluster.build([floats], tmp_path / "run", "local:2", [*options, "--shard-rows", "1000"])
    assert {"near", "sight"} <= {m.name for m in marks.iterdir()}
    one = _command.run(["build", floats, "-o", str(tmp_path / "one.knng"), "--method", "parts", *options, "--search", "off"])
    assert united(result["run"], tmp_path) == one["checksum"]


SLOW = """#!{python}
# A command whose task lasts until there is the file go, or its stdin ends.
import os, select, sys, time
for line in iter(sys.stdin.buffer.raw.readline, b""):
    open(sys.argv[3] + ".begun", "w").close()
    while not os.path.exists(sys.argv[3] + ".go"):
        if select.select([0], [], [], 0.01)[0]:
            sys.exit("interrupted")
    print('{{"code":0,"said":""}}', flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows runs no scripts by their first line")
def test_an_engine_that_ends_leaves_the_tasks_of_others(tmp_path, monkeypatch):
    """Two builds in threads of one process: the first to end gives up its own tasks alone."""
    slow, runs = tmp_path / "knng", [str(tmp_path / "run"), str(tmp_path / "other")]
    slow.write_text(SLOW.format(python=sys.executable))
    slow.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("KNNG_BINARY", str(slow))
        engines = [_engines.Local("local:1", None, None, print) for _ in runs]
        for engine, run in zip(engines, runs):
            engine.submit(run, run, ["solve", "0"])
        wait_for(lambda: all(os.path.exists(run + ".begun") for run in runs))
        engines[0].close()
        assert engines[0].wait()[1]["code"] == 1
        Path(runs[1] + ".go").touch()
        token, outcome = engines[1].wait()
        assert token == runs[1] and outcome["code"] == 0, outcome
        engines[1].close()


def test_a_process_that_was_given_up_gets_no_more_tasks(rows, tmp_path):
    """It may have done its task before it heard."""
    run = _command.run(["stage", "begin", *rows, "-o", str(tmp_path / "run"), *OPTIONS])["run"]
    args, owner = [_command.find(), "stage", "work", run, "--attached", "--quiet"], object()
    process = _task._processes.start(args, owner)
    assert process.do(["audit", "0"])["code"] == 0
    _task.end(owner)
    _task._processes.put(process)
    assert _task._processes.take(args, owner) is None and process.process.returncode is not None


def waves(run, until):
    """Do tasks until those of a stage come, and return one of these."""
    while True:
        tasks = _command.run(["stage", "next", run])["tasks"]
        if tasks[0].split()[0] == until:
            return tasks[0].split()
        feed = "\n".join(tasks) + "\n"
        done = subprocess.run([_command.find(), "stage", "work", run], input=feed, capture_output=True, text=True, check=True)
        assert done.stdout == '{"code":0,"said":""}\n' * len(tasks)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="no signal stops a process here")
def test_a_late_attempt_changes_nothing(rows, expected, tmp_path):
    """A task is stopped in the middle, another worker does it, the run ends, and then it goes on."""
    run = _command.run(["stage", "begin", *rows, "-o", str(tmp_path / "run"), *OPTIONS])["run"]
    words = waves(run, "solve")
    folder = Path(run) / "d01" / "solve"
    for pause in (0.01, 0.005, 0.002, 0):  # stop it after it began to write, and before it has ended
        late = subprocess.Popen([_command.find(), "stage", "do", run, *words], stderr=subprocess.PIPE, text=True)
        wait_for(lambda: late.poll() is not None or any(folder.glob("*")))  # noqa: B023
        time.sleep(pause)
        late.send_signal(signal.SIGSTOP)
        if not [p for p in folder.glob("*") if p.suffix != ".tmp"]:
            break
        late.kill()
        late.communicate()
        for file in folder.glob("*"):
            file.unlink()
    else:
        pytest.skip("the task always ends before it can be stopped")
    try:
        result = cluster.build(rows, tmp_path / "run", "local:2", OPTIONS)
        assert result["run"] == run and united(run, tmp_path) == expected
    finally:
        late.send_signal(signal.SIGCONT)
        said = late.communicate(timeout=60)[1]
    assert late.returncode in (0, 1) and "panic" not in said, said
    (tmp_path / "again").mkdir()
    assert _command.run(["stage", "next", run])["ended"] and united(run, tmp_path / "again") == expected


def test_another_version_is_refused(rows, tmp_path, monkeypatch):
    """A program that differs in a letter of its version, and so in its file."""
    run = _command.run(["stage", "begin", *rows, "-o", str(tmp_path / "run"), *OPTIONS])["run"]
    version = _command.run(["version"])["version"].encode()
    program, other = Path(_command.find()).read_bytes(), tmp_path / "other"
    other.write_bytes(program.replace(version, version[:-1] + (b"x" if version[-1:] != b"x" else b"y")))
    other.chmod(0o755)
    done = subprocess.run([other, "stage", "do", run, "audit", "0"], capture_output=True, text=True)
    assert done.returncode == 2 and "another version of knng began this run" in done.stderr
    outcome = {}
    with monkeypatch.context() as patch:
        patch.setenv("KNNG_BINARY", str(other))
        outcome = _task.do(run, ["audit", "0"])
    assert outcome["code"] == 2 and "another version" in outcome["said"], outcome
    assert not list(Path(run).glob("audit/*"))


def environment():
    source = str(Path(cluster.__file__).resolve().parents[2])
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")]))}


class Dask:
    """A scheduler and workers on 127.0.0.1."""

    def __init__(self, folder):
        self.folder, self.scheduler, self.processes, self.workers = folder, None, [], []

    def begin(self):
        """Start a scheduler, and two workers."""
        self.file = self.folder / f"scheduler-{time.monotonic_ns()}.json"
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file))
        wait_for(self.is_up)
        self.workers = [self.worker(), self.worker()]

    def mend(self):
        """Have a scheduler and two workers without settings of their own, whatever a test did to them."""
        from distributed import Client

        if self.scheduler is None or self.scheduler.poll() is not None:
            self.stop()
            self.begin()
        for worker in self.workers:
            if worker.settings:
                worker.kill()
                worker.wait()
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < 2:
            self.workers.append(self.worker())
        with Client(self.address.replace("dask://", "tcp://"), timeout=60, set_as_default=False) as client:
            wait_for(lambda: len(client.nthreads()) == 2)

    def is_up(self):
        """Whether the scheduler has written where it is; its file is there before its words are."""
        try:
            self.address = json.loads(self.file.read_text())["address"].replace("tcp://", "dask://")
        except (FileNotFoundError, ValueError):
            return False
        return True

    def start(self, *words, **env):
        with open(self.folder / "dask.log", "ab") as log:
            process = subprocess.Popen([sys.executable, "-m", "dask", *words], stdout=log, stderr=log, stdin=subprocess.DEVNULL, env={**environment(), **env})
        self.processes.append(process)
        return process

    def worker(self, **env):
        process = self.start("worker", self.address.replace("dask://", "tcp://"), "--host", "127.0.0.1", "--nworkers", "1", "--nthreads", "1", "--memory-limit", "512MiB",
                          "--no-dashboard", "--no-nanny", "--local-directory", str(self.folder), **env)
        process.settings = env
        return process

    def stop(self):
        for process in self.processes:
            process.kill()
            process.wait()
        self.processes = []


def wait_for(what, process=None, seconds=90):
    """Wait until it is so. A process that ends before is shown with its words, unless it did all its work."""
    end = time.monotonic() + seconds
    while not what():
        if process is not None and process.poll() is not None:
            assert process.returncode == 0, process.communicate()
            return
        if time.monotonic() > end:
            if process is not None:
                process.kill()
            raise AssertionError(f"it takes too long: {process and process.communicate()}")
        time.sleep(0.02)


@pytest.fixture(scope="module")
def all_of_dask(tmp_path_factory):
    pytest.importorskip("distributed")
    engine = Dask(tmp_path_factory.mktemp("dask"))
    try:
        yield engine
    finally:
        engine.stop()


@pytest.fixture
def dask(all_of_dask):
    """A scheduler and two workers, those of the test before as far as they live."""
    all_of_dask.mend()
    return all_of_dask


# The driver; shells let those that they start behind ignore SIGINT.
HEARS_INTERRUPTS = "import signal, runpy; signal.signal(signal.SIGINT, signal.default_int_handler); runpy.run_module('knng.cluster', run_name='__main__')"


def driver(rows, run, engine, *options):
    return subprocess.Popen(
        [sys.executable, "-c", HEARS_INTERRUPTS, "build", *rows, "-o", str(run), "--engine", engine, "--json", *OPTIONS, *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())


def begun(run, *stages):
    """Whether a task of a stage, or of one after it, has begun to write: a stage may be over, and its files gone, before anybody looks."""
    return lambda: any(glob.glob(f"{run}/*/{stage}/*") for stage in stages)  # pathlib's fails where a folder is removed meanwhile


def test_dask_workers_killed(rows, expected, tmp_path, dask):
    run = tmp_path / "run"
    process = driver(rows, run, dask.address)
    for stages in (["d01/assign", "d01/cut", "d01/spill"], ["d01/solve", "d01/fold", "d01/decide", "d02/*"]):
        wait_for(begun(run, *stages), process)
        dask.workers.pop(0).send_signal(signal.SIGKILL)
        dask.workers.append(dask.worker())
    out, said = process.communicate(timeout=170)
    assert process.returncode == 0, said
    assert united(json.loads(out)["run"], tmp_path) == expected


def test_dask_worker_killed_with_its_outcome(tmp_path, dask):
    """A task that had ended on a worker that is killed before the driver asks: the worker is lost, not the scheduler."""
    engine = _engines.Dask(dask.address, None, None, print)
    try:
        engine.submit("a task", str(tmp_path), ["nothing"])
        (future,) = engine._futures
        wait_for(lambda: future.status == "finished")
        for worker in dask.workers:
            worker.send_signal(signal.SIGKILL)
        wait_for(lambda: future.status != "finished")
        token, outcome = engine.wait()
        assert token == "a task" and isinstance(outcome, Exception), outcome
    finally:
        engine.close()


def test_dask_without_workers(rows, tmp_path, dask):
    """It waits for workers, and says so."""
    for worker in dask.workers:
        worker.kill()
        worker.wait()
    process = driver(rows, tmp_path / "run", dask.address)
    overdue = threading.Timer(120, process.kill)
    overdue.start()
    said = ""
    while "has no workers: waiting" not in said:
        line = process.stderr.readline()
        assert line, f"it ended: {said}"
        said += line
    overdue.cancel()
    dask.workers.append(dask.worker())
    out, more = process.communicate(timeout=170)
    assert process.returncode == 0, said + more


def test_dask_worker_that_hangs_and_scheduler_that_is_killed(rows, expected, tmp_path, dask):
    run = tmp_path / "run"
    process = driver(rows, run, dask.address)
    wait_for(begun(run, "d01/spill", "d01/solve", "d01/fold", "d01/decide", "d02/*"), process)
    dask.scheduler.send_signal(signal.SIGKILL)
    out, said = process.communicate(timeout=120)
    assert process.returncode == 1 and "give the same command again" in said and "Traceback" not in said, said
    dask.mend()
    process = driver(rows, run, dask.address)
    time.sleep(1)
    dask.workers[0].send_signal(signal.SIGSTOP)
    time.sleep(3)
    dask.workers[0].send_signal(signal.SIGCONT)  # a late attempt
    out, said = process.communicate(timeout=170)
    assert process.returncode == 0, said
    assert united(json.loads(out)["run"], tmp_path) == expected
    assert json.loads(out)["tasks"] < 100, "it began anew"


@pytest.fixture
def full(tmp_path):
    """A folder on a disk that is full but for some pages."""
    folder = tmp_path / "full"
    folder.mkdir()
    if not hasattr(os, "geteuid") or os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", str(folder)], capture_output=True).returncode:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_run_on_a_full_disk_and_one_that_is_only_read(rows, expected, tmp_path, full):
    def build():
        return subprocess.run(
            [sys.executable, "-m", "knng.cluster", "build", *rows, "-o", str(full / "run"), "--engine", "local:2", "--json", *OPTIONS], capture_output=True, text=True, env=environment())

    done = build()
    assert done.returncode == 3 and "failed 3 times" in done.stderr and "no space left" in done.stderr and "give the same command again" in done.stderr and "Traceback" not in done.stderr, done.stderr
    subprocess.run(["mount", "-o", "remount,ro", str(full)], check=True)
    done = build()
    assert done.returncode == 1 and "read-only file system" in done.stderr and "Traceback" not in done.stderr, done.stderr
    subprocess.run(["mount", "-o", "remount,rw,size=64m", str(full)], check=True)
    done = build()
    assert done.returncode == 0, done.stderr
    assert united(json.loads(done.stdout)["run"], tmp_path) == expected


def test_dask_worker_whose_disk_is_full(rows, expected, tmp_path, dask, full):
    dask.workers.pop().kill()
    dask.workers.append(dask.worker(TMPDIR=str(full)))
    for shard_rows in ("7000", "9000", "6000", "5000", "11000"):  # Dask gives the one task that needs the disk to either worker
        process = driver(rows, tmp_path / "run", dask.address, "--shard-rows", shard_rows)
        out, said = process.communicate(timeout=170)
        assert process.returncode == 0, said
        if json.loads(out)["retries"] > 0:
            break
    assert "no space left" in said.lower(), said
    assert united(json.loads(out)["run"], tmp_path) == expected
