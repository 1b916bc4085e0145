"""What the pages of frozen features share: verdicts counted, gains and epochs as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from studies.kit.cells import percent, signed
from studies.kit.rows import Row, Rows
from studies.kit.words import grid, minus

from .numbers import AHEAD, ALPHA, BEHIND, MARGIN, OPEN, SAME, Against

Study = Mapping[str, Rows]  # by label set, in the order of the page
Found = Mapping[tuple[str, str], Against]


def counted(study: Study, found: Found) -> dict[str, Any]:
    """What the macros of ``verdicts.md`` say."""
    names = sorted({name for _, name in found})
    in_all = [name for name in names if len(verdicts_of(found, name)) == len(study)]
    rows = [row for one in study.values() for row in one.values()]
    lost = [np.nanmean(row.selected) - np.nanmean(row.last) for row in rows if len(row.selected)]
    against_best = [np.nanmean(row.best) - np.nanmean(row.selected) for row in rows]
    (label_set, name), most = max(found.items(), key=lambda item: item[1].gain.difference or -1)
    return {
        "names": len(names),
        "found": len(found),
        "verdicts": dict.fromkeys((AHEAD, BEHIND, SAME, OPEN), 0)
        | Counter(one.verdict for one in found.values()),
        "margin": MARGIN,
        "alpha": ALPHA,
        "ahead_on": _of_each(study, found, AHEAD),
        "behind_on": _of_each(study, found, BEHIND),
        "always_ahead": [one for one in in_all if set(verdicts_of(found, one)) == {AHEAD}],
        "always_same": [one for one in in_all if set(verdicts_of(found, one)) == {SAME}],
        "means": _means(study, found, in_all),
        "most": {"name": name, "label_set": label_set, "gain": most.gain.difference or 0},
        "against_best": np.mean(against_best),
        "over_last": np.mean(lost),
    }


def gains(study: Study, found: Found) -> str:
    """Every algorithm against the plain one."""
    lines = []
    for name in dict.fromkeys(name for _, name in found):
        cells = [f"`{name}`"]
        for label_set in study:
            one = found.get((label_set, name))
            told = "–" if one is None else f"{signed(one.gain, one.verdict in (AHEAD, BEHIND))}"
            cells.append(told if one is None else f"{told} {one.verdict}")
        lines.append(cells)
    return grid(["algorithm", *study], lines, numbers=False)


def epochs(study: Study) -> str:
    """Accuracies of the best, the selected and the last epoch."""
    lines = []
    for name in dict.fromkeys(name for rows in study.values() for name in rows):
        cells = [f"`{name}`"]
        for label_set in study:
            cells += _three(study[label_set].get(name))
        lines.append(cells)
    head = [f"{label_set} {what}" for label_set in study for what in ("best", "selected", "last")]
    return grid(["algorithm", *head], lines, numbers=False)


def verdicts_of(found: Found, name: str) -> list[str]:
    return [one.verdict for (_, other), one in found.items() if other == name]


def _of_each(study: Study, found: Found, verdict: str) -> list[str]:
    """How many have this verdict on each label set."""
    counts = {
        name: sum(
            one.verdict == verdict for (label_set, _), one in found.items() if label_set == name
        )
        for name in study
    }
    return [f"{count} on {name}" for name, count in counts.items() if count]


def _means(study: Study, found: Found, names: Sequence[str]) -> list[str]:
    """Mean gains of the algorithms that every label set has, by label set."""
    gained = {each: [found[each, one].gain.difference or 0.0 for one in names] for each in study}
    return [f"{minus(100 * float(np.mean(some)), 1)} on {each}" for each, some in gained.items()]


def _three(row: Row | None) -> list[str]:
    if row is None:
        return ["–"] * 3
    return [percent(row.best), percent(row.selected), percent(row.last)]
