"""The driver: it asks the command for the next tasks and has an engine do them."""

import os
import subprocess
import time

from .. import _command, _errors, _progress
from . import _course, _engines, _objects

TRIES = 3  # of a task
TICK = 0.5  # seconds after which the time left is told anew


class TaskFailed(_errors.Error):
    """A task failed in all its tries, or cannot succeed in any. What was built stays.

    ``exit_code`` is 3 where a worker had no space or too little memory, 6 where rows are refused, else 1.
    """


class RowsRefused(TaskFailed, _errors.InputError):
    """A task refused its rows: an InputError, and so a ValueError too."""


def build(inputs, run, engine="local:1", options=(), memory=None, threads=None, report=None, progress=None):
    """Build a graph into the folder ``run``, or go on with it, and return its result.

    inputs and run are paths that all machines see, or addresses in an object store that all
    machines reach, such as s3://bucket/run.

    options are words for ``knng stage begin``: -k, --metric, --recall, --divisions, --seed,
    --bad-rows, --ids, --shard-rows, --solvers, --range-rows. memory and threads are those of a
    worker. report is called with lines for people. progress=True shows how far the run is, on stderr
    or in a notebook; a function is called with that: the phase, the tasks done of it and their total,
    its seconds, share (of the whole run, 0 to 1) and left_seconds where they are known.
    """
    report, shown = report or (lambda line: None), _progress.shower(progress)
    _engines.check(engine)
    began = _command.run(["stage", "begin", *_objects.expand(inputs), "-o", _objects.local(run), *options], env=_objects.environment(), called=False)
    at = began["run"]
    for other in began.get("others") or ():
        report(other)
    tally = _Tally(report, shown)
    workers, waves = None, _Waves(at)
    try:
        while True:
            wave = waves.next()
            if wave["ended"]:
                break
            if workers is None:  # a run that is finished needs none
                workers = _engines.connect(engine, memory, threads, report)
                report(f"{began['rows']} rows of {began['dim']} {began['type']}, run {at}, {workers.workers} workers, {workers.slots} tasks at a time")
                tally.course = _course.Course(workers.slots, seen=_objects.read_json(_seen(at)))
            tally.wave(wave)
            _do(workers, waves, [words.split() for words in wave["tasks"]], tally)
            tally.ended()
            _objects.write_json(_seen(at), tally.course.seen)
    finally:
        waves.close()
        tally.others()
        if workers is not None:
            workers.close()
        if hasattr(shown, "close"):
            shown.close()
    return dict(wave["result"], run=at, **tally.sums())


def _seen(run):
    """The file in which a driver leaves how long stages took, for one that goes on with the run."""
    return f"{run}/seen.json"


class _Waves:
    """Asks what is to be done next, of one process of the command. It reads files of the run, and removes those that no task needs: it may be killed."""

    def __init__(self, run):
        self.run, self._process = run, None

    def next(self):
        """The wave that ``knng stage next`` tells."""
        if self._process is None or self._process.process.poll() is not None:  # whatever ended it, another one tells the same
            self.close()
            self._process = _command.Answering([_command.find(), "stage", "next", self.run, "--each-line"], _objects.environment(), apart=True)
        wave = self._process.ask("next")
        if wave is None:
            raise self._failed()
        return wave

    def _failed(self):
        """The error with which the process ended."""
        process, self._process = self._process, None
        process.hang_up()
        code = process.process.wait()
        return _errors.of(code, "\n".join(line.removeprefix("knng: ") for line in process.said().splitlines()))

    def close(self):
        """End the process, be it that it waits for a store."""
        if self._process is not None:
            self._process.process.kill()
            self._process.hang_up()
            self._process.process.wait()
            self._process.errors.close()
        self._process = None


def _do(workers, waves, tasks, tally):
    """Have tasks done, each in up to three tries."""
    failed = [0] * len(tasks)
    where_failed = [set() for _ in tasks]
    for i, words in enumerate(tasks):
        workers.submit(i, waves.run, words)
    left = len(tasks)
    while left:
        ended = workers.wait(TICK)
        if ended is None:
            tally.tick()
            continue
        i, outcome = ended
        name = " ".join(tasks[i])
        if not isinstance(outcome, BaseException) and outcome["code"] == 0:
            left -= 1
            tally.task(outcome)
            continue
        failed[i] += 1
        said, where, code = _why(outcome)
        hopeless = code in (2, 6)
        if hopeless or failed[i] == TRIES:
            if not _is_wanted(waves, name):
                left -= 1
                continue
            times = "" if hopeless else f" {TRIES} times"
            kind = RowsRefused if code == 6 else TaskFailed
            raise kind(f"task {name} failed{times}{where}: {said}\nnothing that was built is lost: when the cause is gone, give the same command again", code if code in (3, 6) else 1)
        tally.retried(name, failed[i], said)
        if not isinstance(outcome, BaseException):
            where_failed[i].add(outcome.get("worker"))
        workers.submit(i, waves.run, tasks[i], avoid=where_failed[i])


def _is_wanted(waves, name):
    """Whether a task is still to be done. Another driver of the same run may have gone on, and removed the files that it reads."""
    try:
        return name in waves.next()["tasks"]
    except _errors.Error:
        return True


def _why(outcome):
    """What is said of a failure, where it was, and its exit code: after 2 and 6 another try would fail alike."""
    if isinstance(outcome, ImportError):
        return f"its worker has not the packages that this driver has: {outcome}", "", 1
    if isinstance(outcome, BaseException):
        return f"its worker was lost ({type(outcome).__name__}: {outcome})", "", 1
    said = outcome["said"] or f"exit code {outcome['code']}"
    if outcome["code"] < 0:
        said = f"killed by signal {-outcome['code']}; {said}"
    where = f" on {outcome['host']}" if outcome["host"] else ""
    return said, where, outcome["code"]


class _Tally:
    """Counts what tasks took, and tells how far the run is."""

    def __init__(self, report, shown):
        self.report, self.shown, self.began = report, shown, time.monotonic()
        self.course = _course.Course(1)
        self.tasks = self.retries = self.untold = 0
        self.cpu = self.peak = 0
        self.processes, self.told = {}, -1.0

    def wave(self, wave):
        self.doing, self.done, self.of = wave["doing"], wave["done"], wave["done"] + len(wave["tasks"])
        self.since = time.monotonic()
        self.course.wave(wave)
        self.tick()

    def task(self, outcome):
        self.tasks += 1
        self.done += 1
        self.cpu += outcome["cpu"]
        self.peak = max(self.peak, outcome["peak"])
        if outcome.get("pid"):
            at = self.processes.setdefault((outcome["host"], outcome["pid"]), {"host": outcome["host"], "pid": outcome["pid"], "tasks": 0, "cpu_seconds": 0.0, "peak_bytes": 0})
            at.update(tasks=at["tasks"] + 1, cpu_seconds=at["cpu_seconds"] + outcome["cpu"], peak_bytes=max(at["peak_bytes"], outcome["peak"]))
        self.course.task()
        self.tick()

    def retried(self, name, times, said):
        """Tell of a task that is tried again, of many at once of one a second."""
        self.retries += 1
        if time.monotonic() < self.told + 1:
            self.untold += 1
            return
        others = f" (and {self.untold} others before it)" if self.untold else ""
        self.told, self.untold = time.monotonic(), 0
        self.report(f"task {name} failed, try {times} of {TRIES}: {said.splitlines()[-1]}{others}")

    def others(self):
        """Tell how many were tried again that were not told."""
        if self.untold:
            self.report(f"and {self.untold} {'others' if self.untold > 1 else 'other'} failed and {'were' if self.untold > 1 else 'was'} tried again")
        self.untold = 0

    def ended(self):
        self.others()
        self.course.ended()
        self.tick(end=True)

    def tick(self, end=False):
        """Tell how far the run is."""
        if not self.shown:
            return
        event = {"phase": self.doing, "done": self.done, "total": self.of, "unit": "tasks", "seconds": time.monotonic() - self.since, "memory_bytes": self.peak, "end": end}
        known = self.course.look()
        if known is not None:
            event["share"], event["left_seconds"] = known
        self.shown(event)

    def sums(self):
        return {"wall_seconds": time.monotonic() - self.began, "task_cpu_seconds": self.cpu, "tasks": self.tasks, "retries": self.retries, "peak_task_bytes": self.peak,
                "processes": list(self.processes.values())}


def plan(inputs, options=(), workers="2x1"):
    """What a build by so many workers would take, as text."""
    words = [w for pair in _pairs(options) if pair[0] not in ("--shard-rows", "--solvers", "--range-rows") for w in pair]
    done = subprocess.run([_command.find(), "plan", *_objects.expand(inputs), "--method", "parts", "--cluster", workers, *words], env=_objects.environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        raise _errors.of(done.returncode, done.stderr.strip().removeprefix("knng: ").replace("--cluster is", "--plan is"))
    return done.stdout


def unite(run, out, options=()):
    """Make one graph of a finished run, as ``knng unite`` does, which cannot reach object stores. Returns its exit code."""
    return subprocess.call([_command.find(), "unite", _objects.local(run), "-o", os.fspath(out), *options], env=_objects.environment())


def _pairs(options):
    options = list(options)
    return list(zip(options[::2], options[1::2]))

