"""Shows a build's events: a bar on a terminal or in a notebook, else a line every ten seconds."""

import shutil
import sys
import time


def shower(progress):
    """What to call with events: progress itself where it is a function, None for False."""
    if not progress or callable(progress):
        return progress or None
    if _notebook() or sys.stderr.isatty():
        try:
            from tqdm.auto import tqdm
        except ImportError:
            pass
        else:
            return _Tqdm(tqdm)
    return Bar() if sys.stderr.isatty() else _Lines()


def _notebook():
    shell = sys.modules.get("IPython")
    shell = shell.get_ipython() if shell else None
    return getattr(shell, "kernel", None) is not None


def text_of(event):
    """An event as a line: the phase, how far it is, and the time left where the command knows it."""
    line = event.get("phase") or "knng"
    if event.get("total"):
        line += f": {event['done']:,} of {event['total']:,} {event.get('unit', '')}".rstrip()
    share = event.get("share")
    if isinstance(share, (int, float)) and share > 0:
        line = f"{100 * share:.0f} % {line}"
    return line + _left(event)


def _left(event):
    """The time left, where the command knows it."""
    left = event.get("left_seconds")
    return f", {_time(left)} left" if isinstance(left, (int, float)) and left > 0 else ""


def _time(seconds):
    """A time for people."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


class _Lines:
    """A line every ten seconds; short builds say nothing."""

    every = 10

    def __init__(self):
        self.last = time.monotonic()

    def __call__(self, event):
        if time.monotonic() - self.last >= self.every and not event.get("end"):
            self.last = time.monotonic()
            print(text_of(event), file=sys.stderr, flush=True)


class Bar:
    """One line that is drawn over, at most ten times a second."""

    def __init__(self):
        self.last, self.drawn = 0.0, 0

    def __call__(self, event):
        self.show(text_of(event))

    def show(self, line):
        now = time.monotonic()
        if now - self.last >= 0.1:
            self.last = now
            self.draw(line[: shutil.get_terminal_size().columns - 1])

    def draw(self, line):
        print("\r" + line.ljust(self.drawn), end="", file=sys.stderr, flush=True)
        self.drawn = len(line)

    def close(self):
        if self.drawn:
            self.draw("")
            print("\r", end="", file=sys.stderr, flush=True)


class _Tqdm:
    """A bar of tqdm for every phase that counts; of the whole where the command tells its share."""

    def __init__(self, tqdm):
        self.tqdm, self.bar, self.phase = tqdm, None, None

    def __call__(self, event):
        share = event.get("share")
        if isinstance(share, (int, float)):
            self.show("knng", round(1000 * share), 1000, (event.get("phase") or "") + _left(event))
        elif event.get("total"):
            self.show(event["phase"], event["done"], event["total"], None)

    def show(self, phase, done, total, postfix):
        if phase != self.phase:
            self.close()
            # tqdm's own estimate takes the rate so far for that of all phases; the command's is in postfix
            form = None if postfix is None else "{l_bar}{bar}| {elapsed}{postfix}"
            self.bar, self.phase = self.tqdm(total=total, desc=phase, leave=False, bar_format=form), phase
        if postfix:
            self.bar.set_postfix_str(postfix, refresh=False)
        self.bar.update(max(0, done - self.bar.n))

    def close(self):
        if self.bar is not None:
            self.bar.close()
            self.bar = self.phase = None
