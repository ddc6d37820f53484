"""The driver: it asks the command for the next tasks and has an engine do them."""

import os
import subprocess
import sys
import time

from .. import _command, _errors
from . import _engines, _objects

TRIES = 3  # of a task


class TaskFailed(Exception):
    """A task failed in all its tries, or cannot succeed in any. What was built stays.

    ``exit_code`` is 3 where a worker had no space or too little memory, 6 where rows are refused, else 1.
    """

    def __init__(self, text, exit_code=1):
        super().__init__(text)
        self.exit_code = exit_code


def build(inputs, run, engine="local:1", options=(), memory=None, threads=None, report=None):
    """Build a graph into the folder ``run``, or go on with it, and return its result.

    inputs and run are paths that all machines see, or addresses in an object store that all
    machines reach, such as s3://bucket/run.

    options are words for ``knng stage begin``: -k, --metric, --recall, --divisions, --seed,
    --bad-rows, --ids, --shard-rows, --solvers, --range-rows. memory and threads are those of a
    worker. report is called with lines for people.
    """
    report = report or (lambda line: None)
    _engines.check(engine)
    began = _command.run(["stage", "begin", *_objects.expand(inputs), "-o", _objects.local(run), *options], env=_objects.environment(), called=False)
    at = began["run"]
    for other in began.get("others") or ():
        report(other)
    tally = _Tally(report)
    workers = None
    try:
        while True:
            wave = _next(at)
            if wave["ended"]:
                break
            if workers is None:  # a run that is finished needs none
                workers = _engines.connect(engine, memory, threads, report)
                report(f"{began['rows']} rows of {began['dim']} {began['type']}, run {at}, {workers.workers} workers, {workers.slots} tasks at a time")
            tally.wave(wave)
            _do(workers, at, [words.split() for words in wave["tasks"]], tally)
            tally.ended()
    finally:
        if workers is not None:
            workers.close()
    result = dict(wave["result"], run=at, **tally.sums())
    return result


def _next(run):
    return _command.run(["stage", "next", run], env=_objects.environment(), called=False)


def _do(workers, run, tasks, tally):
    """Have tasks done, each in up to three tries."""
    failed = [0] * len(tasks)
    where_failed = [set() for _ in tasks]
    for i, words in enumerate(tasks):
        workers.submit(i, run, words)
    left = len(tasks)
    while left:
        i, outcome = workers.wait()
        name = " ".join(tasks[i])
        if not isinstance(outcome, BaseException) and outcome["code"] == 0:
            left -= 1
            tally.task(outcome)
            continue
        failed[i] += 1
        said, where, code = _why(outcome)
        hopeless = code in (2, 6)
        if hopeless or failed[i] == TRIES:
            if not _is_wanted(run, name):
                left -= 1
                continue
            times = "" if hopeless else f" {TRIES} times"
            raise TaskFailed(f"task {name} failed{times}{where}: {said}\nnothing that was built is lost: when the cause is gone, give the same command again", code if code in (3, 6) else 1)
        tally.retried(name, failed[i], said)
        if not isinstance(outcome, BaseException):
            where_failed[i].add(outcome.get("worker"))
        workers.submit(i, run, tasks[i], avoid=where_failed[i])


def _is_wanted(run, name):
    """Whether a task is still to be done. Another driver of the same run may have gone on, and removed the files that it reads."""
    try:
        return name in _next(run)["tasks"]
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

    def __init__(self, report):
        self.report, self.began = report, time.monotonic()
        self.tasks = self.retries = 0
        self.cpu = self.peak = 0

    def wave(self, wave):
        self.doing, self.done, self.of = wave["doing"], wave["done"], wave["done"] + len(wave["tasks"])
        self.since, self.said, self.busy = time.monotonic(), time.monotonic(), 0.0

    def task(self, outcome):
        self.tasks += 1
        self.done += 1
        self.cpu += outcome["cpu"]
        self.busy += outcome["cpu"]
        self.peak = max(self.peak, outcome["peak"])
        if time.monotonic() - self.said > 5 and self.done < self.of:
            self.said = time.monotonic()
            self.report(f"{self.doing}: {self.done} of {self.of}")

    def retried(self, name, times, said):
        self.retries += 1
        self.report(f"task {name} failed, try {times} of {TRIES}: {said.splitlines()[-1]}")

    def ended(self):
        self.report(f"{self.doing}: {self.of} tasks, {time.monotonic() - self.since:.1f} s, {self.busy:.1f} s of CPU")

    def sums(self):
        return {"wall_seconds": time.monotonic() - self.began, "task_cpu_seconds": self.cpu, "tasks": self.tasks, "retries": self.retries, "peak_task_bytes": self.peak}


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


def say(line):
    print(f"knng: {line}", file=sys.stderr, flush=True)
