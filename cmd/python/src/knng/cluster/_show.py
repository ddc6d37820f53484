"""Shows a run on stderr: a bar on a terminal, lines in a pipe, or JSON."""

import json
import sys
import time

from .. import _progress

WAYS = ("auto", "bar", "plain", "json", "none")
_CELLS = 24  # of the bar itself


def shown(way):
    """How a run is shown: ``line`` is called with lines for people, ``event`` with how far it is."""
    if way == "auto":
        way = "bar" if sys.stderr.isatty() else "plain"
    return {"bar": _Bar, "plain": _Plain, "json": _Json, "none": _Nothing}[way]()


def say(line):
    print(f"knng: {line}", file=sys.stderr, flush=True)


class _Nothing:
    """Shows nothing."""

    def line(self, line):
        pass

    def event(self, event):
        pass

    def close(self):
        pass


class _Plain(_Nothing):
    """How far it is at once, ten seconds after the last line, and where a stage ends that took three seconds."""

    def __init__(self, now=time.monotonic):
        self._now, self._next = now, 0.0

    def line(self, line):
        say(line)

    def event(self, event):
        at = self._now()
        if at < self._next and not (event["end"] and event["seconds"] >= 3):
            return
        self._next = at + 10
        say(f"{event['phase']} done ({event['seconds']:.0f} s)" if event["end"] else _progress.text_of(event))


class _Bar(_Nothing):
    """One line that is drawn over, and lines for people above it."""

    def __init__(self):
        self._bar = _progress.Bar()

    def line(self, line):
        self._bar.close()
        say(line)

    def event(self, event):
        share = event.get("share")
        full = int(_CELLS * share) if share is not None else 0
        self._bar.show(f"[{'#' * full}{'.' * (_CELLS - full)}] " * (share is not None) + _progress.text_of(event))

    def close(self):
        self._bar.close()


class _Json(_Nothing):
    """An object a line, of events one a second at most, and the last one of all."""

    def __init__(self, now=time.monotonic):
        self._now, self._next, self._unsaid = now, 0.0, None

    def line(self, line):
        self._print({"message": line})

    def event(self, event):
        if self._now() < self._next:
            self._unsaid = event
            return
        self._next, self._unsaid = self._now() + 1, None
        self._print(event)

    def close(self):
        if self._unsaid is not None:
            self._print(self._unsaid)
        self._unsaid = None

    def _print(self, fields):
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        print(json.dumps({"time": at, **fields}), file=sys.stderr, flush=True)
