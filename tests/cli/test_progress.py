"""Progress of long commands: what is said when, and what an estimate rests on."""

from __future__ import annotations

import time

import pytest

from candidly.cli import _progress
from candidly.compare.sweep.run import RunProgress
from candidly.ground.progress import part


@pytest.fixture
def now(monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(_progress.time, "monotonic", lambda: clock[0])
    return clock


def at(work, fresh=None, runs_done=0):
    return RunProgress(work, 1000.0, runs_done, 4, work if fresh is None else fresh)


def test_there_is_no_estimate_before_there_is_something_to_go_by(now):
    times = _progress.Times()
    times.note(0, 1000)
    now[0] = 60  # workers start
    times.note(1, 1000)
    assert str(times) == "1:00 elapsed"
    now[0] = 61
    times.note(50, 1000)  # enough work, too few seconds
    assert times.left_s() is None
    now[0] = 70
    times.note(101, 1000)
    assert times.left_s() == pytest.approx(89.9)  # 10 a second; the first minute does not count
    now[0] = 75
    assert str(times) == "1:15 elapsed · about 1:25 left"  # it goes on between reports
    slow = _progress.Times()
    for seconds, done in ((100, 1), (200, 2)):  # many seconds, too little work
        now[0] = seconds
        slow.note(done, 1000)
    assert slow.left_s() is None


def test_what_was_there_before_is_no_speed_of_this_run(now, monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: False, raising=False)
    times = _progress.Times()
    _progress._note(times, at(500, fresh=0))
    now[0] = 10
    _progress._note(times, at(900, fresh=10))  # most of it from checkpoints
    now[0] = 30
    _progress._note(times, at(940, fresh=50))
    assert times.left_s() == pytest.approx(30)


def test_steps_that_count_other_things_are_one_work(now, capsys, monkeypatch):
    """The first half counts twenty pictures, the second ten thousand updates."""
    monkeypatch.setattr(_progress, "_is_terminal", lambda: False)
    with _progress.reading("training", "trained") as told:
        first, second = (part(told, k, k + 1, 2) for k in (0, 1))
        for watch, total, start in ((first, 20, 0), (second, 10_000, 50)):
            for step in range(11):
                now[0] = start + 5 * step
                watch(step * total // 10, total)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "5 % trained · 0:05 elapsed",
        "15 % trained · 0:15 elapsed · about 1:25 left",
        "35 % trained · 0:35 elapsed · about 1:05 left",
        "75 % trained · 1:15 elapsed · about 0:25 left",
    ]


@pytest.mark.parametrize(("scale", "first"), [(1, 20), (50, 20), (1, 10_000)])
def test_a_bar_is_full_when_the_work_is_done(now, monkeypatch, scale, first):
    bars = []

    class Bar:
        def __init__(self, times, transient):
            bars.append(self)
            self.at = 0.0

        def add_task(self, name, total):
            self.total = total
            return 0

        def update(self, task, completed):
            self.at = completed / self.total

        start = stop = lambda self: None

    monkeypatch.setattr(_progress, "_is_terminal", lambda: True)
    monkeypatch.setattr(_progress, "_new_bar", Bar)
    with _progress.reading() as told:
        now[0] = 3
        part(told, 0, 1, 2)(1, first)
        assert bars[0].at == pytest.approx(0.5 / first)
        part(told, 1, 2, 2)(7 * scale, 10 * scale)
        assert bars[0].at == pytest.approx(0.85)
        told(scale, scale)
        assert bars[0].at == 1


def test_lines_come_without_any_news_and_at_growing_intervals(monkeypatch, capsys):
    monkeypatch.setattr(_progress, "FIRST_LINE_S", 0.05)
    with _progress._lines() as watch:
        watch(at(0))
        time.sleep(0.5)  # behind 0.05, 0.15, 0.35 s
    lines = capsys.readouterr().err.splitlines()
    assert 3 <= len(lines) <= 5
    assert set(lines) == {"0 % · 0 of 4 runs · 0:00 elapsed", lines[-1]}


def test_a_run_that_has_nothing_to_do_says_so_once(capsys):
    with _progress._lines() as watch:
        watch(RunProgress(1000.0, 1000.0, 4, 4))
    assert capsys.readouterr().err == "100 % · 4 of 4 runs · 0:00 elapsed\n"


def test_a_reader_that_has_left_stops_no_run(monkeypatch):
    class Closed:
        def write(self, text):
            raise BrokenPipeError

        flush = isatty = lambda self: False

    monkeypatch.setattr("sys.stderr", Closed())
    with _progress._lines() as watch:
        watch(at(0))
        watch(at(1000))
