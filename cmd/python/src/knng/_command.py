"""Finds the command knng and runs it."""

import contextlib
import errno
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
from pathlib import Path

from . import _errors
from ._version import __version__

_NAME = "knng.exe" if os.name == "nt" else "knng"
_NOT_OF_THE_FILE = {errno.ENOMEM: _errors.Resumable, errno.EAGAIN: _errors.Resumable, errno.E2BIG: _errors.Error, errno.EMFILE: _errors.Error}


def find():
    """The path of the command: $KNNG_BINARY, the one installed with this package, or one on PATH."""
    given = os.environ.get("KNNG_BINARY")
    if given:
        if not os.path.isfile(given):
            raise _errors.CommandNotFound(f"KNNG_BINARY is {given}, where there is no file")
        if not os.access(given, os.X_OK):
            raise _errors.CommandNotFound(f"KNNG_BINARY is {given}, which is not executable")
        return given
    for folder in _folders():
        path = os.path.join(folder, _NAME)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    path = shutil.which(_NAME)
    if path is None:
        raise _errors.CommandNotFound(f"no command {_NAME}: it comes with the wheel of this package; else set KNNG_BINARY to its path")
    return path


def _folders():
    """Where installers put the scripts of this environment, of this user, or beside the package."""
    yield sysconfig.get_path("scripts")
    with contextlib.suppress(KeyError, AttributeError):
        yield sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user"))
    yield str(Path(__file__).resolve().parent.parent / "bin")  # pip install --target


@functools.lru_cache(maxsize=None)
def has(command, binary):
    """Whether the command has a subcommand: its help says how it is used."""
    return f"knng {command} " in _printed(binary, command, "--help")


def _printed(*args):
    """What a short command prints."""
    with _starting(args[0]):
        done = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", errors="replace")
    return done.stdout


@contextlib.contextmanager
def _starting(binary):
    """Errors of the system name the file that it does not run."""
    try:
        yield
    except OSError as error:
        kind = _NOT_OF_THE_FILE.get(error.errno, _errors.CommandNotFound)
        raise kind(f"{binary} cannot be run: {error.strerror}") from error
    except ValueError as error:  # an argument with a zero byte
        raise _errors.UsageError(f"{binary} cannot be run: {error}") from error


def _unknown_option(error, binary):
    """The error with the versions, where the command is not of this package's: it may lack an option that others have."""
    known = _object(_printed(binary, "version", "--json"))
    version = known.get("version") if isinstance(known, dict) else None
    if version == __version__:
        return error
    which = f"{binary} is of version {version}, this package of {__version__}" if version else f"{binary} has no version, is it knng?"
    if re.match(r"there is no option (json|progress):", str(error)):  # which every call gives
        return _errors.CommandNotFound(f"this command is too old, or another program: {which}")
    error.args = (f"{error}; {which}", *error.args[1:])
    return error


def run(args, feed=None, progress=None, env=None, called=True):
    """Run ``knng ARGS --json`` and return the object that it prints.

    feed yields buffers for stdin; progress is called with every event; env is the command's
    environment, None for that of this process; errors name flags as arguments of functions where it was
    called by one. Where this is interrupted, the command is told to stop and waited for, and what it has done stays.
    """
    binary = find()
    options = ["--json", "--progress", "json" if progress else "none"]
    with _starting(binary):
        process = subprocess.Popen(
            [binary, *options, *args], env=env,
            stdin=subprocess.PIPE if feed else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **_apart())
    out = _Reader(process.stdout)
    fed = _Feeder(process, feed) if feed else None
    said = []
    try:
        _listen(process, said, progress)
        process.wait()
    except BaseException:  # Ctrl-C, or an error of progress
        _stop(process)
        raise
    finally:
        for thread in filter(None, (out, fed)):
            thread.join()
        process.stderr.close()
    if fed and fed.error:
        raise fed.error
    if process.returncode != 0:
        text = "\n".join(said)
        error = _errors.of(process.returncode, _in_python(text) if called else text, args[0])
        error.result = _object(out.data)
        raise _unknown_option(error, binary) if isinstance(error, _errors.UnknownOption) else error
    result = _object(out.data)
    if not isinstance(result, dict):
        raise _errors.CommandNotFound(f"{binary} printed no JSON object: is it knng?")
    return result


def _in_python(text):
    """A message with flags as the arguments of functions: --bad-rows is bad_rows; what it says to run stays, and so do paths."""
    text = re.sub(r'^invalid argument ("(?:[^"\\]|\\.)*") for "(?:-\w, )?(--[a-z-]+)" flag: ([^;]*).*', r"\2 is \1: \3", text)
    parts = re.split(r'("(?:[^"\\]|\\.)*"|\bpython -c .*)', text)
    parts[::2] = [re.sub(r"(?<![\w./\\-])-(?:-([a-z][a-z-]*)|k)(?:(?<=-header)=(true|false))?(?![\w/\\-]|\.\w)", _argument, part) for part in parts[::2]]
    return "".join(parts)


def _argument(flag):
    """The argument that stands for a flag, by its name but for two, and its value where it has one."""
    name = flag[1] or "k"
    return {"filter-ids": "only", "for": "library"}.get(name, name.replace("-", "_")) + (f"={flag[2].title()}" if flag[2] else "")


def _apart():
    """A group of its own: Ctrl-C comes to this process alone, which passes it on once.

    A second signal would end the command at once.
    """
    if os.name == "nt":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _listen(process, said, progress):
    """Read what the command says: events, which are JSON, and lines for people."""
    for line in process.stderr:
        line = line.decode("utf-8", "replace").rstrip("\r\n")
        event = _object(line) if line.startswith("{") else None
        if event is None:
            said.append(line[6:] if line.startswith("knng: ") else line)
        elif progress:
            progress(event)


def _stop(process):
    """Ask for a clean stop and wait for it; a second Ctrl-C kills, after which too the same call goes on."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(signal.CTRL_BREAK_EVENT if os.name == "nt" else signal.SIGINT)
    try:
        for _ in process.stderr:
            pass
        process.wait()
    except BaseException:
        process.kill()
        process.wait()
        raise


class Answering:
    """A command that answers each line on its stdin by an object on a line. It ends when its stdin does, so it outlives no process that asks."""

    def __init__(self, args, env=None, apart=False):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(args, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, **(_apart() if apart else {}))

    def ask(self, line):
        """The answer; None where the command has ended, or ends without one."""
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except (OSError, ValueError):  # ValueError: stdin was closed before
            return None
        return json.loads(answer) if answer.endswith(b"\n") else None

    def hang_up(self):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.stdout.close()

    def said(self):
        """The end of its stderr. It is asked once, of a command that has ended."""
        self.errors.seek(max(0, self.errors.seek(0, os.SEEK_END) - 4000))
        said = self.errors.read().decode("utf-8", "replace").strip()
        self.errors.close()
        return said


def _object(text):
    """The JSON object of a text, or None."""
    try:
        return json.loads(text)
    except ValueError:
        return None


class _Reader(threading.Thread):
    """Reads a pipe to its end."""

    def __init__(self, pipe):
        super().__init__(daemon=True)
        self.pipe, self.data = pipe, b""
        self.start()

    def run(self):
        with self.pipe:
            self.data = self.pipe.read()


class _Feeder(threading.Thread):
    """Writes buffers to a command's stdin. One that reads no further is not an error: it has the rows, or says why."""

    def __init__(self, process, feed):
        super().__init__(daemon=True)
        self.process, self.feed, self.error = process, feed, None
        _widen(process.stdin)
        self.start()

    def run(self):
        pipe = self.process.stdin
        try:
            for buffer in self.feed:
                pipe.write(buffer)
            pipe.flush()
        except (BrokenPipeError, ConnectionResetError):
            pass
        except OSError as error:
            if os.name != "nt":  # where a pipe that nobody reads is "Invalid argument"
                self.fail(error)
        except BaseException as error:
            self.fail(error)
        finally:
            with contextlib.suppress(OSError):
                pipe.close()

    def fail(self, error):
        """The rows could not be read: the command must not take those that came for all."""
        self.error = error
        self.process.kill()


def _widen(pipe):
    """A pipe of a megabyte takes a sixteenth of the switches; a hint."""
    if sys.platform == "linux":
        import fcntl

        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe.fileno(), 1031, 1 << 20)  # F_SETPIPE_SZ
