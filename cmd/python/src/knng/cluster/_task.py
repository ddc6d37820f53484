"""What a worker runs: one command, and what it took."""

import os
import subprocess
import sys
import time

from .. import _command
from . import _objects


def do(run, words, memory=None, threads=None, slots=1):
    """Do one task of a run by the command knng of this machine. Returns numbers and what it said, never rows.

    memory and threads are those of the worker, which does ``slots`` tasks at a time.
    """
    args = [_command.find(), "stage", "do", run, *words, "--quiet", "--threads", str(max(1, (threads or os.cpu_count() or 1) // slots))]
    if memory:
        args += ["--memory", str(memory // slots)]
    began = time.monotonic()
    process = subprocess.Popen(args, env=_objects.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read().decode("utf-8", "replace").strip()
    process.stderr.close()
    code, cpu, peak = _wait(process)
    return {"code": code, "said": said[-4000:], "seconds": time.monotonic() - began, "cpu": cpu, "peak": peak, "host": os.uname().nodename if hasattr(os, "uname") else ""}


def _wait(process):
    """The exit code, seconds of CPU, and the most bytes that were resident."""
    if not hasattr(os, "wait4"):
        return process.wait(), 0.0, 0
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
