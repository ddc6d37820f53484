"""Errors: those of the command by its exit code, and those of arguments. All are Error, and a kind of Python's own beside it."""

from __future__ import annotations

import importlib
import os
import re
import signal
import typing

if typing.TYPE_CHECKING:
    import numpy

    from ._graph import Graph


class Error(Exception):
    """Anything that fails; the text of the command is its own, ``exit_code`` its exit code."""

    exit_code = 1

    def __init__(self, text, exit_code=None):
        super().__init__(text)
        if exit_code is not None:
            self.exit_code = exit_code

    __str__ = Exception.__str__  # KeyError's puts quotes around it


class UsageError(Error, ValueError):
    """Options are wrong, contradict the build in the directory or suit no such file; a file is not there; a folder or an address is no file, or a folder no graph (exit code 2)."""

    exit_code = 2


class UnknownOption(UsageError, TypeError):
    """There is no such option."""


class OutputExists(UsageError, FileExistsError):
    """An export's path is there already: give another, or force=True."""


class InputError(Error, ValueError):
    """The data are refused: NaN, rows of other lengths, ids that are missing or there twice, a damaged file (exit code 6)."""

    exit_code = 6


class InputTypeError(Error, TypeError):
    """Data or an argument of a type that is not taken."""

    exit_code = 2


class NotFound(InputError, KeyError):
    """No such id, column or dataset."""


class NoRow(InputError, IndexError):
    """No such row."""


class Resumable(Error):
    """Stopped, and the same call goes on, where it has a path: no space, no memory, a signal (3, 129, 130, 137, 143)."""

    exit_code = 3


class BelowTarget(Error):
    """Finished below the recall that was asked for (exit code 4); ``graph`` is the graph, ``hits`` the results of a search."""

    exit_code = 4
    graph: Graph | None = None
    hits: tuple[numpy.ndarray, numpy.ndarray] | None = None


class Locked(Error):
    """Another process builds in the directory (exit code 5)."""

    exit_code = 5


class CommandNotFound(Error, FileNotFoundError):
    """There is no command knng, or the file that was found does not run, or is another program or too old."""


class MissingLibrary(Error, ImportError):
    """A library that the call takes is not installed, or fails to import; the text names its package."""


class NoInput(Error, FileNotFoundError):
    """A file of rows is not there, and the store has no copy of them yet; or no store is there."""


def library(module, package, use):
    """A module of another library, imported for a use of it, in words."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        own = isinstance(error, ModuleNotFoundError) and error.name == module.partition(".")[0]
        raise MissingLibrary(f"{use} needs {package}: pip install {package}" + ("" if own else f" ({error})")) from error


def of_inputs(error, inputs):
    """The exception for a failed command, NoInput where one of its files is not there."""
    gone = [path for path in inputs if path != "-" and "://" not in path and not os.path.exists(path)]
    return NoInput(str(error), error.exit_code) if type(error) in (Error, UsageError) and gone else error


def of_rows(error, files):
    """The exception for rows that this package handed on, read from files or not: the command knows the first bad row by its number among all."""

    def in_file(found):
        row = before = int(found[2])
        for path, count in files:
            if before < count:
                return f"{found[1]} {before} of {path}" + (f" (row {row} of all)" if row != before else "")
            before -= count
        return found[0]

    text = str(error).removeprefix("stdin: ")
    return type(error)(re.sub(r"(first row|^query) (\d+)(?=:)", in_file, text), error.exit_code)


_BY_CODE = {2: UsageError, 3: Resumable, 4: BelowTarget, 5: Locked, 6: InputError, 129: Resumable, 130: Resumable, 137: Resumable, 143: Resumable}
_OF_GRAPHS = ("append", "compact", "delete", "export", "neighbors", "recall", "search")


def of(code, text, command="build"):
    """The exception for an exit code, negative for a signal, and what the command said."""
    crash = re.search(r"^(fatal error|panic): .*", text, re.MULTILINE)
    if crash and (code == 2 or code < 0):  # Go ends with 2, which is the code of usage
        return _crashed(crash, text)
    if code < 0:
        return _killed(-code, text)
    kind = _BY_CODE.get(code, Error)
    unknown = re.match(r"unknown flag: ([\w-]+)", text) if kind is UsageError else None
    if unknown:
        function = f"knng.Graph.{command}" if command in _OF_GRAPHS else "knng.build"
        kind, text = UnknownOption, f'there is no option {unknown[1]}: help({function}) and "python -m knng {command} --help" list them'
    elif kind is UsageError and text.endswith("exists (force overwrites it)"):
        kind = OutputExists
    elif kind is InputError and re.match(r"(\S+: line \d+: )?no such id", text):
        kind = NotFound
    elif kind is InputError and re.match(r"(\S+: line \d+: )?no such row", text):
        kind = NoRow
    return kind(text or f"knng ended with exit code {code} and said nothing", code)


_ANEW = "without a path the build begins anew; with one the same call goes on"


def begins_anew(error):
    """The exception for a build in a temporary directory, which is gone: nothing is there to go on with."""
    text = re.sub(r"[:;] (the same call goes on|give the same command again to continue)", "", str(error)).strip()
    return type(error)(f"{text}; {_ANEW}", error.exit_code)


def _crashed(crash, text):
    """The exception for an error of Go's runtime: no memory, or a defect, of which the whole trace is given."""
    if crash[1] == "fatal error" and re.search("memory|map pages|newosproc", crash[0]):
        return Resumable(f"the system has no memory left ({crash[0]}): free some, or give a lower memory limit; the same call goes on")
    return Error(f"knng crashed, which is a defect: please report it with these lines\n{text}")


def _killed(number, text):
    """The exception for a signal that ended the command. Its exit code is that of shells."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    code = 128 + number
    kind = _BY_CODE.get(code, Error)
    said = f"knng was ended by {name}"
    if name == "SIGKILL":
        said += ", which the system sends where memory runs out"
    if kind is Resumable:
        said += ": the same call goes on"
    return kind("\n".join(filter(None, (said, text))), code)
