"""What a worker runs: a command that does one task after the other, and what each took."""

import atexit
import contextlib
import os
import sys
import threading
import time

from .. import _command, _errors
from . import _objects


def do(run, words, memory=None, threads=None, slots=1, owner=None):
    """Do one task of a run by the command knng of this machine. Returns numbers and what it said, never rows.

    memory and threads are those of the worker, which does ``slots`` tasks at a time. The process that
    did a task waits for the next one of its owner: it has read already what tasks of a stage have in common.
    """
    began = time.monotonic()
    try:
        command = _command.find()
    except _errors.CommandNotFound as error:  # another machine may have it
        return _told({"code": 1, "said": str(error), "cpu": 0.0, "peak": 0}, began)
    args = [command, "stage", "work", run, "--attached", "--quiet", "--threads", str(max(1, (threads or os.cpu_count() or 1) // slots))]
    if memory:
        args += ["--memory", str(memory // slots)]
    process = _processes.take(args, owner)
    outcome = process and process.do(words)
    if outcome is None or outcome["code"] is None:  # there was none, or it had just ended: nobody had asked it for a while
        process = _processes.start(args, owner)
        outcome = process.do(words)
        if outcome["code"] is None:
            outcome.update(code=1, said="the command ended without an answer")
    _processes.put(process)
    return _told(outcome, began)


def _told(outcome, began):
    """An outcome with how long it took, and where."""
    return {**outcome, "said": outcome["said"].removeprefix("knng: "), "seconds": time.monotonic() - began, "host": os.uname().nodename if hasattr(os, "uname") else ""}


class _Process(_command.Answering):
    """A command that does tasks. It ends when its stdin does, or when no task comes."""

    def __init__(self, args, owner):
        super().__init__(args, _objects.environment())
        self.args, self.owner, self.alive, self.given_up, self.cpu = args, owner, True, False, 0.0

    def do(self, words):
        """Do a task. The code is None where the process ended by itself before, 1 where it was told to give up."""
        answer = self.ask(" ".join(words))
        if answer is None:
            outcome = self.ended()
            return {**outcome, "code": outcome["code"] or (1 if self.given_up else None)}
        cpu, peak = self.usage()
        took, self.cpu = cpu - self.cpu, cpu
        return {"code": answer["code"], "said": answer["said"][-4000:], "cpu": took, "peak": peak, "pid": self.process.pid}

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
        return {"code": code, "said": self.said(), "cpu": max(0.0, cpu - self.cpu), "peak": peak}

    def give_up(self):
        """Have it give up its task, and end."""
        self.given_up = True
        with contextlib.suppress(OSError):
            self.process.stdin.close()

    def hang_up(self):
        self.alive = False
        super().hang_up()

    def is_gone(self):
        """Whether it ended by itself."""
        if self.process.poll() is None:
            return False
        self.hang_up()
        self.errors.close()
        return True


class _Processes:
    """The processes of this one: those without a task, and those at work."""

    def __init__(self):
        self.lock = threading.Lock()
        self.own()

    def own(self):
        """Begin with none: those of the process that this one was forked from are not ours."""
        self.owner, self.idle, self.busy = os.getpid(), [], []

    def start(self, args, owner):
        process = _Process(args, owner)
        with self.lock:
            self.busy.append(process)
        return process

    def take(self, args, owner):
        """One without a task that its owner started with these words; None where there is none."""
        with self.lock:
            if self.owner != os.getpid():
                self.own()
            for i in reversed(range(len(self.idle))):
                if self.idle[i].args == args and self.idle[i].owner is owner:
                    self.busy.append(self.idle.pop(i))
                    return self.busy[-1]
        return None

    def put(self, process):
        """Take back one that has done its task; end one that was told to give up meanwhile."""
        with self.lock:
            self.busy = [p for p in self.busy if p.alive and p is not process]
            self.idle = [p for p in self.idle if not p.is_gone()] + ([process] if process.alive and not process.given_up else [])
        if process.alive and process.given_up:
            process.ended()

    def end(self, owner=None):
        """Of an owner, or of all: end those without a task, and have the others give up."""
        with self.lock:
            if self.owner != os.getpid():
                self.own()
            idle = [p for p in self.idle if owner in (None, p.owner)]
            self.idle = [p for p in self.idle if p not in idle]
            for process in self.busy:
                if owner in (None, process.owner):
                    process.give_up()
        for process in idle:
            process.ended()


_processes = _Processes()
end = _processes.end
atexit.register(end)


def _wait(process):
    """The exit code, seconds of CPU, and the most bytes that were resident."""
    if not hasattr(os, "wait4"):
        return process.wait(), 0.0, 0
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
