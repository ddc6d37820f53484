"""The time left of a run by many machines, by a clock of the test's own, and how it is shown."""

import io
import json
import random
import re
import sys

import pytest

from knng import _progress
from knng.cluster import _course, _driver, _show


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def legs(rng, divisions):
    """A course as ``knng stage next`` tells it."""
    course = [{"stage": "audit", "tasks": 16, "seconds": 2.0, "chance": 1}]
    for division in range(1, divisions + 1):
        course += [{"stage": stage, "division": division, "tasks": tasks, "seconds": seconds, "chance": 1}
                   for stage, tasks, seconds in (("lead", 1, 0.5), ("assign", 16, 12), ("solve", 24, rng.uniform(30, 60)), ("fold", 3, 2))]
    return course + [{"stage": "adjacency", "tasks": 3, "seconds": 2, "chance": 1}]


def run(course, slots, speed, clock, estimate, begin=0, end=None, between=0.05):
    """Do the tasks of a course, each speed(stage) times as long as planned; yield (share, left, true seconds) as time goes by."""
    told, began = [], clock.now
    for at, leg in enumerate(course[begin:end], begin):
        estimate.wave({"course": course, "at": at, "done": 0, "tasks": ["x"] * leg["tasks"]})
        told.append((clock.now, *estimate.look()))
        ends = []  # of the tasks that are under way
        free = [clock.now] * slots
        for _ in range(leg["tasks"]):
            start = min(free)
            free[free.index(start)] = start + leg["seconds"] / leg["tasks"] * speed(leg["stage"])
            ends.append(start + leg["seconds"] / leg["tasks"] * speed(leg["stage"]))
        for end in sorted(ends):
            while clock.now + 0.5 < end:
                clock.now += 0.5
                told.append((clock.now, *estimate.look()))
            clock.now = max(clock.now, end)
            estimate.task()
            told.append((clock.now, *estimate.look()))
        estimate.ended()
        clock.now += between
    return [(share, left, clock.now - at, clock.now - began) for at, share, left in told]


@pytest.mark.parametrize("slots", [1, 2, 7, 100])
@pytest.mark.parametrize("slower", [1, 4, 0.3])
def test_time_left(slots, slower):
    """The share rises from 0 to 1; the time left is right within a factor, sooner or later by how right the plan was."""
    rng, clock = random.Random(slots), Clock()
    factors = {}
    told = run(legs(rng, 4), slots, lambda stage: factors.setdefault(stage, slower * rng.uniform(0.8, 1.25)), clock, _course.Course(slots, clock))
    shares = [share for share, *_ in told]
    assert shares == sorted(shares) and 0 <= shares[0] < 0.05 and 0.9 < shares[-1] <= 1
    for share, left, true, whole in told:
        assert left >= 0
        if true > 0.1 * whole and true < 0.6 * whole:  # the first division is over
            assert true / 1.6 < left < true * 1.6, f"{share:.2f}: {left:.1f} s left, it took {true:.1f} of {whole:.1f}"


def test_after_a_resume():
    """A driver that begins in the middle tells how much is done and about how long it takes, at once."""
    rng, clock = random.Random(3), Clock()
    course = legs(rng, 4)
    middle = len(course) // 2 + 1
    share, left, true, _ = run(course, 4, lambda stage: 1.2, clock, _course.Course(4, clock), begin=middle)[0]
    assert 0.35 < share < 0.75 and true / 1.5 < left < true * 1.5


def test_speeds_of_an_earlier_driver():
    """One that goes on knows from the file of the one before that tasks take five times as long as planned; a file of others is none."""
    rng, clock = random.Random(4), Clock()
    course = legs(rng, 4)
    middle = len(course) // 2 + 1
    first = _course.Course(4, clock)
    run(course, 4, lambda stage: 5, clock, first, end=middle)
    seen = json.loads(json.dumps(first.seen))
    _, left, true, _ = run(course, 4, lambda stage: 5, clock, _course.Course(4, clock, seen), begin=middle)[0]
    assert true / 1.3 < left < true * 1.3
    for other in ([1], {"solve": "fast"}, {"solve": [1]}, {"solve": [1, -2]}, {"solve": [None, 1]}, None):
        assert _course.Course(4, clock, other).seen == {}, other


def test_divisions_that_may_not_come():
    """They count by their chance; a run whose recall is reached sooner comes to its end sooner."""
    course = legs(random.Random(1), 3)
    for leg in course:
        leg["chance"] = 0.3 if leg.get("division") == 3 else 1
    clock = Clock()
    estimate = _course.Course(2, clock)
    estimate.wave({"course": course, "at": 0, "done": 0, "tasks": ["x"] * 16})
    some = estimate.look()[1]
    for leg in course:
        leg["chance"] = 1
    sure = _course.Course(2, clock)
    sure.wave({"course": course, "at": 0, "done": 0, "tasks": ["x"] * 16})
    assert some < sure.look()[1] * 0.85


def test_a_run_without_a_plan():
    estimate = _course.Course(2)
    estimate.wave({"course": None, "at": 0, "done": 0, "tasks": ["audit 0"]})
    estimate.task()
    estimate.ended()
    assert estimate.look() is None


def test_a_wave_that_is_told_to_the_end(capsys):
    """A driver tells the share before anything is done, and the processes that did tasks."""
    events, lines = [], []
    tally = _driver._Tally(lines.append, events.append)
    course = [{"stage": "audit", "tasks": 2, "seconds": 3, "chance": 1}, {"stage": "seal", "tasks": 1, "seconds": 1, "chance": 1}]
    tally.wave({"doing": "reading the input", "done": 1, "tasks": ["audit 1"], "course": course, "at": 0})
    assert events[0]["done"] == 1 and events[0]["total"] == 2 and 0.2 < events[0]["share"] < 0.6 and events[0]["left_seconds"] > 0, events[0]
    tally.task({"cpu": 1.5, "peak": 7, "host": "here", "pid": 12})
    tally.task({"cpu": 0.5, "peak": 5, "host": "here", "pid": 12})
    tally.ended()
    assert events[-1]["end"] and events[-1]["memory_bytes"] == 7
    for i in range(5):
        tally.retried(f"audit {i}", 1, "a\nthe cause")
    assert lines == ["task audit 0 failed, try 1 of 3: the cause"]
    tally.ended()
    tally.ended()
    assert lines[1:] == ["and 4 others failed and were tried again"], "those after which none failed are told too"
    sums = tally.sums()
    assert sums["retries"] == 5 and sums["processes"] == [{"host": "here", "pid": 12, "tasks": 2, "cpu_seconds": 2.0, "peak_bytes": 7}]


def events(count, **more):
    return [{"phase": "division 1: solving groups", "done": i, "total": count, "unit": "tasks", "seconds": i * 0.1, "share": i / count, "left_seconds": 5400.0, "end": False, **more} for i in range(count)]


@pytest.mark.parametrize("way, most", [("plain", 3), ("json", 21)])
def test_lines_are_few(way, most, monkeypatch):
    """At most one a second of JSON, one in ten seconds for people; the first comes at once."""
    clock, out = Clock(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    shown = {"plain": _show._Plain, "json": _show._Json}[way](clock)
    first = events(200)
    shown.event(first[0])
    assert out.getvalue().count("\n") == 1, "the first comes at once"
    for event in first[1:]:
        clock.now += 0.1
        shown.event(event)
    shown.line("a line")
    lines = out.getvalue().splitlines()
    assert 2 < len(lines) <= most + 1, lines
    if way == "json":
        told = [json.loads(line) for line in lines]
        assert told[3]["share"] > 0 and told[3]["left_seconds"] == 5400 and told[-1]["message"] == "a line"
    else:
        assert re.fullmatch(r"knng: 50 % division 1: solving groups: 10\d of 200 tasks, 90 min left", lines[1]), lines


def test_the_last_event_is_told_in_json(monkeypatch):
    """Also where another came within the second before; once."""
    clock, out = Clock(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    shown = _show._Json(clock)
    for event in (*events(3), events(1, end=True, share=1.0)[0]):
        shown.event(event)
    shown.close()
    shown.close()
    told = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [event["end"] for event in told] == [False, True] and told[-1]["share"] == 1
    shown.event(events(1, end=True)[0])
    clock.now += 1
    shown.event(events(1, share=0.5)[0])
    shown.close()
    assert len(out.getvalue().splitlines()) == 3, "one that another followed is not the last"


def test_bar(monkeypatch):
    """It is drawn over, never longer than the terminal, and gone before a line."""
    out = io.StringIO()
    monkeypatch.setattr(sys, "stderr", out)
    monkeypatch.setenv("COLUMNS", "50")
    shown = _show.shown("bar")
    for event in events(3):
        shown._bar.last = 0.0
        shown.event(event)
    shown.line("a line")
    shown.close()
    drawn = out.getvalue()
    assert "\r[################........] 67 % division 1" in drawn and drawn.endswith("\rknng: a line\n"), repr(drawn)
    assert all(len(part) < 50 for part in drawn.replace("\n", "\r").split("\r"))


def test_the_bar_of_tqdm_has_the_time_left_of_the_command():
    tqdm = pytest.importorskip("tqdm")
    out = io.StringIO()
    bar = _progress._Tqdm(lambda **how: tqdm.tqdm(file=out, ncols=90, mininterval=0, **how))
    bar({"phase": "divide", "share": 0.25, "left_seconds": 90})
    bar.bar.refresh()
    assert "25%" in out.getvalue() and "divide, 90 s left" in out.getvalue() and "?" not in out.getvalue().splitlines()[-1]
    bar.close()


def test_times():
    event = {"phase": "a", "done": 1, "total": 2, "unit": "tasks", "share": 0.5}
    assert [_progress.text_of({**event, "left_seconds": s}).rsplit(", ", 1)[1] for s in (3, 119, 600, 9000)] == ["3 s left", "119 s left", "10 min left", "2.5 h left"]
