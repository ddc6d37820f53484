"""Errors of the command, by its exit code."""

import os


class Error(Exception):
    """The command failed; the text is its own, ``exit_code`` its exit code."""

    exit_code = 1

    def __init__(self, text, exit_code=None):
        super().__init__(text)
        if exit_code is not None:
            self.exit_code = exit_code


class UsageError(Error, ValueError):
    """Options are wrong, or contradict the build in the directory (exit code 2)."""

    exit_code = 2


class Resumable(Error):
    """Stopped, and the same call goes on: no space, no memory, a signal (3, 129, 130, 143)."""

    exit_code = 3


class BelowTarget(Error):
    """Finished below the recall that was asked for (exit code 4); ``graph`` is what there is."""

    exit_code = 4
    graph = None


class Locked(Error):
    """Another process builds in the directory (exit code 5)."""

    exit_code = 5


class CommandNotFound(Error, FileNotFoundError):
    """There is no command knng."""


class NoInput(Error, FileNotFoundError):
    """A file of rows is not there, and the store has no copy of them yet; or no store is there."""


def of_inputs(error, inputs):
    """The exception for a failed command, NoInput where one of its files is not there."""
    gone = [path for path in inputs if path != "-" and "://" not in path and not os.path.exists(path)]
    return NoInput(str(error), error.exit_code) if type(error) is Error and gone else error


_BY_CODE = {2: UsageError, 3: Resumable, 4: BelowTarget, 5: Locked, 129: Resumable, 130: Resumable, 143: Resumable}


def of(code, text):
    """The exception for an exit code and what the command said."""
    return _BY_CODE.get(code, Error)(text or f"knng ended with exit code {code} and said nothing", code)
