"""The results of a challenge: every run scored, everybody ranked, from what lies in its folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...stats import Summary, interval, summarise
from ._data import Truth, read_truth
from ._manifest import sets_of
from ._protocol import TASKS, Protocol
from ._rank import Difference, Placing, differences, standings
from ._run import NOTES, BaselineTime, read_times
from ._score import MEASURES, SCORERS, RunScore, anchors
from ._submit import Submission, submissions

STOPPED = {  # what else than its own end ended a run, in words
    "time": "time was up",
    "memory": "it took more memory than allowed",
    "processes": "it started more processes than allowed",
    "output": "it wrote more than allowed",
    "environment": "its environment could not be made",
}


@dataclass(frozen=True)
class ScoredRun:
    """One run, over and scored.

    Attributes:
        submission, label_set, number: which; the number is that of the seed.
        status: ``ok``; ``time``, an answer from before time was up; ``failed``, no answer that
            counts.
        reason: why it is not ``ok``, a sentence.
        seconds, limit: that it took, and might take; None where it never began.
        memory: bytes at most.
        way: how it was confined.
        scored: its score.
        settings: hash of its hyper-parameters.
        notes: what it said of its choices (``Assignment.note``), by name.
    """

    submission: str
    label_set: str
    number: int
    status: str
    reason: str
    seconds: float | None
    limit: float
    memory: int | None
    way: str
    scored: RunScore
    settings: str
    notes: Mapping[str, Any]


@dataclass(frozen=True)
class SetScore:
    """A submission on a label set.

    Attributes:
        score: the mean over runs; None where one of them has no answer, or is not there yet.
        summary: the summary of the runs that have an answer.
        interval: Student's 95 % for the mean over seeds within [0, 1], from two runs on.
        runs: those that are over.
        missing: how many are not.
    """

    score: float | None
    summary: Summary
    interval: tuple[float, float] | None
    runs: tuple[ScoredRun, ...]
    missing: int


@dataclass(frozen=True)
class Contest:
    """What is compared: submissions of one task and track on the label sets of one data set.

    Attributes:
        cells: by submission, by label set.
        standings: best first.
        differences: by label set, of every two submissions with all their runs.
        anchors: by label set, scores that take no method.
    """

    task: str
    track: str
    data_set: str
    sets: tuple[str, ...]
    cells: Mapping[str, Mapping[str, SetScore]]
    standings: tuple[Placing, ...]
    differences: Mapping[str, tuple[Difference, ...]]
    anchors: Mapping[str, Mapping[str, float]]

    @property
    def measure(self) -> str:
        """What is compared: ``accuracy`` or ``F1``."""
        return MEASURES[self.task]


@dataclass(frozen=True)
class Result:
    """All there is to say of a challenge so far.

    Attributes:
        contests: one for each task, track and data set that somebody entered.
        times: the baseline's, by data set.
        submissions: all.
        notes: what to know: submissions that are alike, settings that differ, weak confinement.
        missing: runs that are not there yet.
    """

    protocol: Protocol
    contests: tuple[Contest, ...]
    times: Mapping[str, BaselineTime]
    submissions: tuple[Submission, ...]
    notes: tuple[str, ...]
    missing: int


def score_challenge(folder: Path | str, protocol: Protocol) -> Result:
    """Score every run that is over. Nothing that a submission wrote is unpickled or imported."""
    folder = Path(folder)
    taken = submissions(folder)
    truths = {one.name: read_truth(folder, one.name) for one in protocol.sets}
    runs: dict[str, dict[str, list[ScoredRun]]] = {}
    for one in taken:
        runs[one.name] = {
            name: _runs(folder, protocol, one, name, truths[name])
            for name in sets_of(one.manifest, protocol)
        }
    contests = []
    for task in TASKS:
        for track in protocol.tracks:
            for data_set, sets in protocol.data_sets.items():
                names = [
                    one.name
                    for one in taken
                    if (one.manifest.task, one.manifest.track) == (task, track)
                    and set(runs[one.name]) & {s.name for s in sets}
                ]
                if names:
                    which = tuple(s.name for s in sets)
                    contests.append(
                        _contest(protocol, task, track, data_set, which, names, runs, truths)
                    )
    missing = sum(c.missing for one in contests for by in one.cells.values() for c in by.values())
    notes = _notes(protocol, taken, [run for by in runs.values() for r in by.values() for run in r])
    return Result(protocol, tuple(contests), read_times(folder), tuple(taken), notes, missing)


def _contest(
    protocol: Protocol,
    task: str,
    track: str,
    data_set: str,
    sets: tuple[str, ...],
    names: Sequence[str],
    runs: Mapping[str, Mapping[str, list[ScoredRun]]],
    truths: Mapping[str, Truth],
) -> Contest:
    count = len(protocol.seeds)
    cells = {
        name: {one: _cell(runs[name][one], count) for one in sets if one in runs[name]}
        for name in names
    }
    scores = {name: {one: cell.score for one, cell in cells[name].items()} for name in names}
    compared = {}
    for one in sets:
        hits = {
            name: np.stack([run.scored.hits for run in cells[name][one].runs])  # type: ignore[misc]
            for name in names
            if scores[name].get(one) is not None
        }
        wrong = truths[one].wrong if task == "detection" else None
        compared[one] = tuple(differences(hits, wrong))
    classes = {one.name: one.classes for one in protocol.sets}
    known = {one: anchors(task, truths[one], classes[one]) for one in sets}
    ranked = tuple(standings(scores, sets))
    return Contest(task, track, data_set, sets, cells, ranked, compared, known)


def _cell(runs: list[ScoredRun], count: int) -> SetScore:
    summary = summarise([run.scored.score for run in runs])
    whole = len(runs) == count and summary.count == count
    return SetScore(
        summary.mean if whole else None,
        summary,
        _clipped(interval(summary)),
        tuple(runs),
        count - len(runs),
    )


def _clipped(found: tuple[float, float] | None) -> tuple[float, float] | None:
    """No score lies outside [0, 1]."""
    return None if found is None else (max(0.0, found[0]), min(1.0, found[1]))


def _runs(
    folder: Path, protocol: Protocol, one: Submission, label_set: str, truth: Truth
) -> list[ScoredRun]:
    found = []
    for number, seed in enumerate(protocol.seeds):
        at = folder / "runs" / one.name / label_set / str(number)
        if (at / "outcome.json").is_file():
            found.append(_run_of(at, protocol, one, label_set, number, seed, truth))
    return found


def _run_of(
    at: Path,
    protocol: Protocol,
    one: Submission,
    label_set: str,
    number: int,
    seed: int,
    truth: Truth,
) -> ScoredRun:
    outcome = json.loads((at / "outcome.json").read_text("utf-8"))
    status, reason = _status(outcome)
    scored = RunScore(None, reason)
    if status != "failed":
        files = {path.name: path.read_bytes() for path in at.glob("*.npy")}
        known = next(s for s in protocol.sets if s.name == label_set)
        scored = SCORERS[one.manifest.task](files, known, truth, protocol.subset, seed)
        if scored.score is None:
            refused = "; ".join(f"{name}: {why}" for name, why in outcome["refused"].items())
            told = scored.reason + (f" ({refused})" if refused else "")
            before = f"{reason} " if reason else ""
            status, reason = "failed", before + told
    return ScoredRun(
        submission=one.name,
        label_set=label_set,
        number=number,
        status=status,
        reason=reason,
        seconds=outcome.get("seconds"),
        limit=outcome["limit"],
        memory=outcome.get("peak_memory"),
        way=outcome.get("way", ""),
        scored=scored,
        settings=outcome["settings"],
        notes=_said(at / NOTES),
    )


def _said(path: Path) -> dict[str, Any]:
    """What a submission wrote of a run, where it is a table in JSON that can be written again."""
    try:
        found = json.loads(path.read_text("utf-8"))
        json.dumps(found, allow_nan=False)
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _status(outcome: Mapping[str, Any]) -> tuple[str, str]:
    """What a run's end means: at the deadline the best answer so far counts, after a crash none."""
    how = outcome["how"]
    if how == "time":
        return "time", f"{STOPPED['time']} after {outcome['limit']:.1f} s."
    if how in STOPPED:
        said = outcome.get("reason", "")
        return "failed", f"{STOPPED[how]}{': ' + said if said else '.'}"
    if outcome["code"] != 0:
        return "failed", f"it crashed with exit status {outcome['code']}."
    return "ok", ""


def _notes(
    protocol: Protocol, taken: Sequence[Submission], runs: Sequence[ScoredRun]
) -> tuple[str, ...]:
    notes = [
        f"{one.name} is nearly identical to {', '.join(one.alike)}: they differ in numbers, names "
        "or little else, which the rules do not allow."
        for one in taken
        if one.alike
    ]
    data_sets = {one.name: one.data_set for one in protocol.sets}
    settings: dict[tuple[str, str], set[str]] = {}
    for run in runs:
        settings.setdefault((run.submission, data_sets[run.label_set]), set()).add(run.settings)
    for (name, data_set), found in settings.items():
        if len(found) > 1:
            notes.append(f"{name} had {len(found)} tables of hyper-parameters on {data_set}.")
    weak = sorted({run.way for run in runs} - {"bubblewrap", "unshare", ""})
    if weak:
        notes.append(
            f"Runs were confined by {', '.join(weak)}: the truth and other label sets were not out "
            "of their reach. Install bubblewrap for results that count."
        )
    return tuple(notes)
