"""Records reach trackers once, in order, whatever happens to either side."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest

from candidly.compare.sweep.journal import Journal, lines_of, read_new, read_results
from candidly.compare.sweep.records import Record
from candidly.compare.tracking import Follower, TensorBoardSink, follow, following, make_sink, track
from candidly.compare.tracking._tensorboard import name_of
from candidly.ground.names import UnknownName
from compare.report.fake_results import make_results

from small_sweeps import make_directory

pytest.importorskip("tensorboard")


class Kept:
    """A sink that keeps what it is sent."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.got: list[tuple[str, int]] = []
        self.closed = 0
        self.fails_at = fails_at

    def send(self, run, records):
        if self.fails_at is not None and len(self.got) >= self.fails_at:
            raise OSError("the server is away")
        self.got += [(run.key, record.step) for record in records]

    def close(self):
        self.closed += 1


@pytest.fixture
def folder(tmp_path):
    make_directory(tmp_path / "lost", ["CC", "LWS"], lambda run, step: 0.5 + step / 10_000)
    return tmp_path / "lost"


def everything(folder) -> list[tuple[str, int]]:
    return [(r.key, one.step) for r in read_results(folder).runs for one in r.records]


def scalars(folder):
    """What TensorBoard reads: by run and tag, steps and values."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = {}
    for path in {file.parent for file in folder.rglob("events*")}:
        events = EventAccumulator(str(path))
        events.Reload()
        name = path.relative_to(folder).as_posix()
        for tag in events.Tags()["scalars"]:
            found[name, tag] = [(one.step, one.value) for one in events.Scalars(tag)]
    return found


def test_every_record_is_sent_once_and_in_order(folder, tmp_path):
    sink, memory = Kept(), tmp_path / "sent.json"
    assert track(folder, sink, memory) == len(everything(folder))
    assert sorted(sink.got) == sorted(everything(folder))
    for key in {key for key, _ in sink.got}:
        steps = [step for one, step in sink.got if one == key]
        assert steps == sorted(steps)
    assert sink.closed == 1
    again = Kept()
    assert track(folder, again, memory) == 0
    assert (again.got, again.closed) == ([], 1)
    assert track(folder, Kept()) == len(sink.got)  # without a memory


def test_a_journal_that_grows_is_read_once_and_half_a_line_waits(folder):
    [run, *_] = read_results(folder).runs
    follower = Follower(folder, sink := Kept())
    first = follower.step()
    assert first == len(everything(folder))
    more = [replace(run.records[0], step=step) for step in (7_000, 8_000)]
    text = lines_of(more)
    path = folder / "journal" / "later.jsonl"
    path.write_bytes(text[:-20])
    assert follower.step() == 1
    with path.open("ab") as file:
        file.write(text[-20:])
    assert follower.step() == 1
    assert sink.got[-2:] == [(run.key, 7_000), (run.key, 8_000)]
    # repeated after a kill, and of a plan that is not this one
    path.with_name("again.jsonl").write_bytes(text + lines_of([replace(more[0], key="other")]))
    assert follower.step() == 0


def test_a_journal_that_is_compacted_meanwhile_sends_nothing_twice(folder):
    from candidly.compare.sweep.compact import compact

    follower = Follower(folder, sink := Kept())
    follower.step()
    compact(folder)
    assert follower.step() == 0
    assert sorted(sink.got) == sorted(everything(folder))
    assert track(folder, fresh := Kept()) == len(sink.got)
    assert sorted(fresh.got) == sorted(sink.got)


def test_what_was_not_sent_is_sent_next_time(folder, tmp_path):
    memory = tmp_path / "sent.json"
    with pytest.raises(OSError, match="away"):
        track(folder, away := Kept(fails_at=6), memory)
    assert away.closed == 1
    back = Kept()
    track(folder, back, memory)
    # nothing is lost; what came before the failure may come again, as nobody wrote that it came
    assert set(away.got) | set(back.got) == set(everything(folder))


def test_a_tracker_that_fails_stops_no_training(folder):
    with following(folder, Kept(fails_at=0), every=0.01) as failed:
        journal = Journal(folder / "journal")
        [run, *_] = read_results(folder).runs
        journal.write([replace(run.records[0], step=9_000)])
        journal.close()
    assert [str(error) for error in failed] == ["the server is away"]
    with following(folder, sink := Kept(), every=60) as failed:
        pass
    assert sorted(sink.got) == sorted([*everything(folder), (run.key, 9_000)])
    assert (failed, sink.closed) == ([], 1)


def test_following_ends_when_asked_with_everything_sent(folder):
    ended = threading.Event()
    looks = []

    def until():
        looks.append(1)
        if len(looks) > 2:
            ended.set()
        return ended.is_set()

    assert follow(folder, sink := Kept(), until=until, every=0.01) == len(everything(folder))
    assert sink.closed == 1


def test_event_files_hold_what_the_journal_says(folder, tmp_path):
    board = tmp_path / "board"
    track(folder, TensorBoardSink(board))
    found = scalars(board)
    runs = read_results(folder).runs
    assert {name for name, _ in found} == {name_of(run) for run in runs}
    for run in runs:
        said = found[name_of(run), "test/top1"]
        assert [step for step, _ in said] == [one.step for one in run.records]
        values = [one.test["top1"] for one in run.records]
        assert [value for _, value in said] == pytest.approx(values)
        assert found[name_of(run), "validation/AA:plench"][0][0] == run.records[0].step
        assert found[name_of(run), "memory_mib"][0][1] == pytest.approx(1 / 2**20)


def test_many_runs_need_few_open_files_and_what_diverged_is_said(tmp_path):
    runs = make_results(algorithms=("CC",), configs=20, splits=2, steps=1000).runs
    sink = TensorBoardSink(tmp_path)
    gone = replace(
        runs[0].records[1],
        test=dict.fromkeys(runs[0].records[1].test),
        validation={},
        loss=None,
        diverged_at=700,
    )
    for records in (0, 1):
        for run in runs:
            sink.send(run, [gone if records and run is runs[0] else run.records[records]])
        assert len(sink._open) == 32
    sink.close()
    found = scalars(tmp_path)
    assert found[name_of(runs[0]), "diverged"] == [(1000, 1.0)]
    assert [step for step, _ in found[name_of(runs[0]), "test/top1"]] == [0]
    last = found[name_of(runs[-1]), "test/top1"]
    assert [step for step, _ in last] == [0, 1000]


def test_names_of_runs_are_paths_inside_the_folder():
    [run, *_] = make_results(("../../etc",), ("a/b:c", "CC"), configs=1, splits=1).runs
    name = name_of(run)
    assert name.count("/") == 2
    assert ".." not in name
    twin = replace(run, dataset="..-..-etc", key="other")
    assert name_of(twin) != name


def test_a_memory_that_is_damaged_is_said(folder, tmp_path):
    memory = tmp_path / "sent.json"
    for text in ("{", "[]", json.dumps({"schema": 9, "sent": {}})):
        memory.write_text(text)
        with pytest.raises(ValueError, match="Delete it, and everything is sent again"):
            track(folder, Kept(), memory)


def test_names_of_trackers(tmp_path):
    with pytest.raises(ValueError, match="nothing stands behind tensorboard"):
        make_sink("tensorboard")
    with pytest.raises(UnknownName, match="did you mean 'tensorboard'"):
        make_sink("tensorbord:x")
    make_sink(f"TensorBoard:{tmp_path}").close()
    with pytest.raises(FileNotFoundError, match="candidly bench run"):
        track(tmp_path, Kept())


def test_records_are_those_of_the_journal(folder):
    places: dict[str, int] = {}
    found = read_new(folder / "journal", places)
    assert all(isinstance(one, Record) for one in found)
    assert len(found) == len(everything(folder))
    assert read_new(folder / "journal", places) == []
