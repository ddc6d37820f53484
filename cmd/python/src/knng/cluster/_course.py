"""How far a run is, and the time that it still takes."""

import math
import time

_BETWEEN = 0.1  # seconds that a stage takes beside its tasks: the driver looks what comes next
_TRUST = 0.3  # seconds of the plan after which the time that stages took says more than the plan
_AT_MOST = 0.9  # of a task that is under way
_INERTIA = 0.02  # share of the whole time in which the time left goes most of the way to another estimate


class Course:
    """Estimates by the plan of the legs of a run (``knng stage next``) and by the time that those took which are done.

    slots is how many tasks are done at a time. seen is what an earlier driver saw, as ``self.seen`` told it.
    """

    def __init__(self, slots, now=time.monotonic, seen=None):
        self.slots, self._now = slots, now
        self._legs, self._at, self._of = [], 0, 0
        self._before = None  # when the wave before ended
        self.seen = _times(seen)  # stage: seconds that its waves took, and those of the plan
        self._share = self._left = 0.0
        self._told = None

    def wave(self, wave):
        """A wave begins, or goes on."""
        self._legs, self._at = wave.get("course") or [], wave.get("at", 0)
        self._done, self._of = wave["done"], wave["done"] + len(wave["tasks"])
        self._earlier = self._round = self._done
        self._round_began = self._now()
        self._began = self._round_began if self._before is None else self._before
        self._told_anew = True

    def task(self):
        """A task of the wave is done."""
        self._done += 1
        if self._done - self._round >= self.slots:  # all that began together
            self._round, self._round_began = self._done, self._now()

    def ended(self):
        """The wave is done: it tells how fast such stages are."""
        self._before = self._now()
        if self._legs and self._of > self._earlier:
            stage = self._legs[self._at]["stage"]
            took, planned = self.seen.get(stage, (0.0, 0.0))
            mine = self._planned(self._at, self._of - self._earlier)
            self.seen[stage] = took + self._now() - self._began, planned + mine

    def look(self):
        """The share that is done, which never falls, and the seconds left; None where nothing is planned."""
        if not self._legs:
            return None
        past = sum(self._estimate(i) for i in range(self._at)) + max(0.0, self._estimate(self._at) - self._wave_left())
        left = self._wave_left() + sum(self._estimate(i) for i in range(self._at + 1, len(self._legs)))
        self._tell(past, left)
        return self._share, self._left

    def _tell(self, past, left):
        """Take an estimate into the time left that is told, which goes there at once where a wave has begun."""
        now = self._now()
        since = 0.0 if self._told is None else now - self._told
        before = self._left - since
        whole = past + left
        if not self._told_anew and before > 0 and left > 0:
            left = before * (left / before) ** (1 - math.exp(-since / (_INERTIA * whole)))
        self._share = max(self._share, past / max(whole, 1e-9))
        self._left, self._told, self._told_anew = left, now, False

    def _task(self, i):
        """The seconds of a task of a leg, by the plan."""
        return self._legs[i]["seconds"] / self._legs[i]["tasks"]

    def _planned(self, i, tasks):
        """The seconds of so many tasks of a leg, by the plan: they are given out in rounds."""
        return _BETWEEN + self._task(i) * math.ceil(tasks / self.slots)

    def _speed(self, stage):
        """Seconds that one of the plan takes: of this stage as far as it was seen, else of those that were."""
        took, planned = map(sum, zip(*self.seen.values(), (0.0, 0.0)))
        every = (took + _TRUST) / (planned + _TRUST)
        took, planned = self.seen.get(stage, (0.0, 0.0))
        return (took + _TRUST * every) / (planned + _TRUST)

    def _estimate(self, i):
        """The seconds of a leg, of those that may not come by their chance."""
        leg = self._legs[i]
        tasks = self._of if i == self._at else leg["tasks"]
        return self._planned(i, tasks) * self._speed(leg["stage"]) * leg["chance"]

    def _wave_left(self):
        """The seconds of the wave under way."""
        left = self._of - self._round
        if left <= 0:
            return 0.0
        task = self._task(self._at) * self._speed(self._legs[self._at]["stage"])
        passed = self._now() - self._round_began
        done = max(min(_AT_MOST, passed / max(task, 1e-9)), (self._done - self._round) / min(self.slots, left))
        return max(task, passed if self._round == self._earlier else 0.0) * (math.ceil(left / self.slots) - done)


def _times(seen):
    """Those of a file, as far as they are such."""
    if not isinstance(seen, dict):
        return {}
    return {stage: tuple(pair) for stage, pair in seen.items() if isinstance(pair, (list, tuple)) and len(pair) == 2 and all(isinstance(s, (int, float)) and 0 <= s < math.inf for s in pair)}
