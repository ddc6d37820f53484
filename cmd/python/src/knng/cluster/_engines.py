"""Engines behind one small interface: submit a task, wait for any that ended.

``wait`` waits for so many seconds, for as long as it takes without, and returns None where none ended.

``submit`` may be told workers to avoid, on which the task failed: one whose disk is full fails at once, and would
be given every task. Dask minds them; the other engines choose by themselves.

An engine knows commands and counts. Its ``wait`` returns (token, outcome) of a task that
ended: what ``_task.do`` returned, or an exception where its worker was lost.
"""

import concurrent.futures
import logging
import os
import re
import sys
import time
import urllib.parse

from .. import _errors
from . import _task


ANSWERS = 10  # seconds in which a scheduler of Dask answers


class EngineError(_errors.Error):
    """The engine is not there, or is lost. What was built stays."""


class WrongAddress(EngineError, _errors.UsageError):
    """No engine has such an address."""


def connect(address, memory=None, threads=None, report=lambda line: None):
    """The engine at ``local:N``, ``dask://HOST:PORT``, ``ray://HOST:PORT``, ``ray:auto``, ``spark://HOST:PORT`` or ``spark:local[N]``."""
    check(address)
    return _KINDS[address.split(":", 1)[0]](address, memory, threads, report)


def check(address):
    """Refuse what is no address of an engine, before anything is asked of one."""
    kind, _, rest = address.partition(":")
    if kind not in _KINDS:
        raise WrongAddress(f"engine {address!r}, want local:N, dask://HOST:8786, ray://HOST:10001, ray:auto or spark://HOST:7077")
    if kind == "local" and rest and not (rest.isdecimal() and int(rest) > 0):
        raise WrongAddress(f"engine {address!r}, want local:N with N of 1 or more")
    if kind == "dask" or kind == "ray" and rest != "auto":
        _host(address, 8786 if kind == "dask" else 10001)
    if kind == "spark" and not re.match(r"//[^/]|local(\[|$)", rest):  # Spark reads lists of masters, and the numbers in brackets
        raise WrongAddress(f"engine {address!r}, want spark://HOST:7077 or spark:local[N]")


class Local:
    """Processes on this machine, N at a time."""

    def __init__(self, address, memory, threads, report):
        self.slots = self.workers = int(address.partition(":")[2] or "1")
        self._pool = concurrent.futures.ThreadPoolExecutor(self.slots)
        self._share = {"memory": memory, "threads": threads or max(1, (os.cpu_count() or 1) // self.slots)}
        self._futures = {}

    def submit(self, token, run, words, avoid=()):
        self._futures[self._pool.submit(_task.do, run, words, owner=self, **self._share)] = token

    def wait(self, seconds=None):
        done, _ = concurrent.futures.wait(self._futures, seconds, concurrent.futures.FIRST_COMPLETED)
        if not done:
            return None
        future = done.pop()
        return self._futures.pop(future), future.exception() or future.result()

    def close(self):
        """End, and give up the tasks under way: those of a run that failed, or was interrupted. Other engines go on."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        while not all(future.done() for future in self._futures):
            _task.end(self)
            time.sleep(0.02)
        self._pool.shutdown()
        _task.end(self)


class Dask:
    """A scheduler of Dask and its workers. One task a thread of a worker, which shares its memory out among them."""

    def __init__(self, address, memory, threads, report):
        try:
            import distributed
        except ImportError as error:
            raise EngineError(f"the engine dask needs its package: pip install distributed ({error})") from error
        where = "tcp://" + _host(address, 8786)
        for name in ("distributed", "distributed.client", "distributed.core"):  # a lost scheduler is told below
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        try:
            self._client = distributed.Client(where, timeout=ANSWERS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise EngineError(f"no scheduler of Dask answers at {where}: {error}") from error
        threads_of = list(self._client.nthreads().values())
        self.workers, self.slots = len(threads_of), max(1, sum(threads_of))
        self._share = {"memory": memory, "threads": threads}
        self._address, self._futures, self._count = where, {}, 0
        self._report, self._look, self._missed = report, 0.0, False

    def submit(self, token, run, words, avoid=()):
        self._count += 1
        key = f"knng-{os.getpid()}-{self._count}-{words[0]}"
        try:
            others = [w for w in self._client.nthreads() if w not in avoid] if avoid else []
            where = {"workers": others} if others else {}
            self._futures[self._client.submit(_dask_task, run, words, key=key, pure=False, **where, **self._share)] = token
        except Exception as error:  # a client whose scheduler is gone
            raise self._lost() from error

    def wait(self, seconds=None):
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            self._look_for_workers()
            for future, token in self._futures.items():
                if future.status == "finished":
                    try:
                        outcome = future.result(timeout=30)
                    except Exception as error:  # its worker died when it had ended, or the scheduler
                        if self._client.status != "running":
                            raise self._lost() from error
                        outcome = error
                    break
                if future.status == "error":
                    outcome = future.exception()
                    break
                if future.status in ("cancelled", "lost"):  # with its scheduler, or with the worker that held its outcome
                    if self._client.status != "running":
                        raise self._lost()
                    outcome = EngineError("its worker died when it had ended")
                    break
                if self._client.status not in ("running", "connecting"):
                    raise self._lost()
            else:
                if self._client.status == "connecting":
                    raise self._lost()
                if end is not None and time.monotonic() > end:
                    return None
                time.sleep(0.05)
                continue
            del self._futures[future]
            return token, outcome

    def _look_for_workers(self):
        """Say that there are none, once for each time that they are missed."""
        if time.monotonic() < self._look:
            return
        self._look = time.monotonic() + 2
        try:
            missed = self._client.status == "running" and not self._client.nthreads()
        except Exception:  # a scheduler that is gone, which wait tells
            return
        if missed and not self._missed:
            self._report(f"the scheduler of Dask at {self._address} has no workers: waiting for some")
        self._missed = missed

    def _lost(self):
        return EngineError(f"the scheduler of Dask at {self._address} is gone: start it, and give the same command again")

    def close(self):
        self._futures.clear()
        self._client.close(timeout=5)


def _dask_task(run, words, memory, threads):
    from distributed import get_worker

    worker = get_worker()
    slots = worker.state.nthreads
    if memory is None and getattr(worker, "memory_manager", None) is not None and worker.memory_manager.memory_limit:
        memory = int(worker.memory_manager.memory_limit)
    return {**_task.do(run, words, memory, threads or slots, slots), "worker": worker.address}


class Ray:
    """A cluster of Ray: one task a CPU."""

    def __init__(self, address, memory, threads, report):
        try:
            import ray
        except ImportError as error:
            raise EngineError(f"the engine ray needs its package: pip install ray ({error})") from error
        self._ray, self._mine = ray, not ray.is_initialized()
        try:
            if self._mine:  # else the caller is connected already
                ray.init("auto" if address == "ray:auto" else address, log_to_driver=False)
        except (ConnectionError, OSError, RuntimeError) as error:
            raise EngineError(f"no cluster of Ray answers at {address}: {error}") from error
        self.workers = len(ray.nodes())
        self.slots = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._do = ray.remote(max_retries=0)(_task.do)
        self._share = {"memory": memory, "threads": threads or 1}
        self._futures = {}

    def submit(self, token, run, words, avoid=()):
        self._futures[self._do.remote(run, words, **self._share)] = token

    def wait(self, seconds=None):
        ended, _ = self._ray.wait(list(self._futures), num_returns=1, timeout=seconds)
        if not ended:
            return None
        future = ended[0]
        token = self._futures.pop(future)
        try:
            return token, self._ray.get(future)
        except Exception as error:  # its worker died
            return token, error

    def close(self):
        if self._mine:
            self._ray.shutdown()


class Spark:
    """A master of Spark: every task is a job of one partition, on a core of any executor. Tries are counted by the driver alone."""

    def __init__(self, address, memory, threads, report):
        try:
            from pyspark import SparkConf, SparkContext
        except ImportError as error:
            raise EngineError(f"the engine spark needs its package: pip install pyspark ({error})") from error
        master = address.replace("spark:", "", 1) if address.startswith("spark:local") else address
        if master.startswith("local"):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else the first python3 of PATH
        conf = SparkConf().setAppName("knng").setMaster(master)
        for key, value in {"spark.task.maxFailures": "1", "spark.scheduler.mode": "FAIR", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}.items():
            conf.setIfMissing(key, value)
        try:
            self._mine = SparkContext._active_spark_context is None
            self._context = SparkContext.getOrCreate(conf)
        except Exception as error:  # Py4J's own
            raise EngineError(f"no master of Spark answers at {address}: {_brief(error)}") from error
        if self._mine:
            self._context.setLogLevel("OFF")  # a task that fails is told by the driver
        self.slots = self.workers = max(1, self._context.defaultParallelism)
        self._pool = concurrent.futures.ThreadPoolExecutor(self.slots)
        self._share = {"memory": memory, "threads": threads or 1}
        self._futures = {}

    def submit(self, token, run, words, avoid=()):
        share = self._share
        job = lambda: self._context.parallelize([words], 1).map(lambda w: _task.do(run, w, **share)).collect()[0]  # noqa: E731
        self._futures[self._pool.submit(job)] = token

    def wait(self, seconds=None):
        done, _ = concurrent.futures.wait(self._futures, seconds, concurrent.futures.FIRST_COMPLETED)
        if not done:
            return None
        future = done.pop()
        token, error = self._futures.pop(future), future.exception()
        if error is None:
            return token, future.result()
        if self._context._jsc is None or self._context._jsc.sc().isStopped():
            raise EngineError("the master of Spark is gone: start it, and give the same command again") from error
        return token, RuntimeError(_brief(error))

    def close(self):
        self._pool.shutdown(wait=False, cancel_futures=True)
        if self._mine:  # else it is the caller's
            self._context.cancelAllJobs()
        self._pool.shutdown()
        if self._mine:
            self._context.stop()


def _brief(error):
    """The line of a long error of Java that says what happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    said = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Failure)\b.*:", line) or "exited unexpectedly" in line or "Lost executor" in line]
    return (said or lines or [type(error).__name__])[-1 if said else 0][:500]


_KINDS = {"local": Local, "dask": Dask, "ray": Ray, "spark": Spark}


def _host(address, port):
    at = urllib.parse.urlsplit(address)
    try:
        if not at.hostname:
            raise ValueError("no host")
        return f"{at.hostname}:{at.port or port}"
    except ValueError as error:
        raise WrongAddress(f"engine {address!r}, want {at.scheme or 'dask'}://HOST:{port}: {error}") from error
