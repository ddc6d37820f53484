"""What a worker runs: a command that does one task after the other, and what each took."""

import atexit
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

from .. import _command, _errors
from . import _objects


def do(run, words, memory=None, threads=None, slots=1):
    """Do one task of a run by the command knng of this machine. Returns numbers and what it said, never rows.

    memory and threads are those of the worker, which does ``slots`` tasks at a time. The process that
    did a task waits for the next one: it has read already what tasks of a stage have in common.
    """
    began = time.monotonic()
    try:
        command = _command.find()
    except _errors.CommandNotFound as error:  # another machine may have it
        return _told({"code": 1, "said": str(error), "cpu": 0.0, "peak": 0}, began)
    args = [command, "stage", "work", run, "--attached", "--quiet", "--threads", str(max(1, (threads or os.cpu_count() or 1) // slots))]
    if memory:
        args += ["--memory", str(memory // slots)]
    process = _idle.take(args)
    outcome = process and process.do(words)
    if outcome is None or outcome["code"] is None:  # there was none, or it had just ended: nobody had asked it for a while
        process = _Process(args)
        outcome = process.do(words)
        if outcome["code"] is None:
            outcome.update(code=1, said="the command ended without an answer")
    if process.alive:
        _idle.put(process)
    return _told(outcome, began)


def _told(outcome, began):
    """An outcome with how long it took, and where."""
    return {**outcome, "said": outcome["said"].removeprefix("knng: "), "seconds": time.monotonic() - began, "host": os.uname().nodename if hasattr(os, "uname") else ""}


class _Process:
    """A command that does tasks. It ends when its stdin does, so it outlives no worker, or when no task comes."""

    def __init__(self, args):
        self.args, self.alive, self.cpu = args, True, 0.0
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(args, env=_objects.environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)

    def do(self, words):
        """Do a task. The code is None where the process ended by itself before."""
        try:
            self.process.stdin.write(" ".join(words).encode() + b"\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except OSError:
            answer = b""
        if not answer.endswith(b"\n"):
            outcome = self.ended()
            return {**outcome, "code": outcome["code"] or None}
        cpu, peak = self.usage()
        took, self.cpu = cpu - self.cpu, cpu
        answer = json.loads(answer)
        return {"code": answer["code"], "said": answer["said"][-4000:], "cpu": took, "peak": peak}

    def usage(self):
        """Seconds of CPU so far, and the most bytes that were resident; 0 where the system does not tell."""
        try:
            with open(f"/proc/{self.process.pid}/stat", "rb") as file:
                fields = file.read().rsplit(b")", 1)[1].split()
            with open(f"/proc/{self.process.pid}/status", "rb") as file:
                peak = next((int(line.split()[1]) for line in file if line.startswith(b"VmHWM:")), 0)
        except OSError:
            return self.cpu, 0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), peak * 1024

    def ended(self):
        """How the process ended."""
        self.hang_up()
        code, cpu, peak = _wait(self.process)
        self.errors.seek(max(0, self.errors.seek(0, os.SEEK_END) - 4000))
        said = self.errors.read().decode("utf-8", "replace").strip()
        self.errors.close()
        return {"code": code, "said": said, "cpu": max(0.0, cpu - self.cpu), "peak": peak}


    def hang_up(self):
        self.alive = False
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.stdout.close()

    def is_gone(self):
        """Whether it ended by itself."""
        if self.process.poll() is None:
            return False
        self.hang_up()
        self.errors.close()
        return True


class _Idle:
    """Processes without a task."""

    def __init__(self):
        self.lock, self.owner, self.processes = threading.Lock(), os.getpid(), []

    def take(self, args):
        """One that was started with these words; None where there is none."""
        with self.lock:
            if self.owner != os.getpid():  # those of the process that this one was forked from are not ours
                self.owner, self.processes = os.getpid(), []
            for i in reversed(range(len(self.processes))):
                if self.processes[i].args == args:
                    return self.processes.pop(i)
        return None

    def put(self, process):
        with self.lock:
            self.processes = [p for p in self.processes if not p.is_gone()] + [process]

    def end(self):
        """End all."""
        with self.lock:
            processes, self.processes = self.processes if self.owner == os.getpid() else [], []
        for process in processes:
            process.ended()


_idle = _Idle()
end = _idle.end
atexit.register(end)


def _wait(process):
    """The exit code, seconds of CPU, and the most bytes that were resident."""
    if not hasattr(os, "wait4"):
        return process.wait(), 0.0, 0
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
