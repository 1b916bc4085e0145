"""What the pages of frozen features share: verdicts counted, gains and epochs as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from studies.kit.cells import percent, signed
from studies.kit.rows import Row, Rows
from studies.kit.words import bullets, grid

from .numbers import AHEAD, ALPHA, BEHIND, MARGIN, OPEN, SAME, Against

Study = Mapping[str, Rows]  # by label set, in the order of the page
Found = Mapping[tuple[str, str], Against]


def answer(study: Study, found: Found, plain: str, data: str) -> str:
    """The answer first.

    Args:
        plain: what all are compared with. data: what it is about, in words.
    """
    verdicts = Counter(one.verdict for one in found.values())
    names = sorted({name for _, name in found})
    in_all = [name for name in names if len(verdicts_of(found, name)) == len(study)]
    every = [name for name in in_all if set(verdicts_of(found, name)) == {SAME}]
    ahead = [name for name in in_all if set(verdicts_of(found, name)) == {AHEAD}]
    rows = [row for one in study.values() for row in one.values()]
    lost = [np.nanmean(row.selected) - np.nanmean(row.last) for row in rows if len(row.selected)]
    against_best = [np.nanmean(row.best) - np.nanmean(row.selected) for row in rows]
    (label_set, name), most = max(found.items(), key=lambda item: item[1].gain.difference or -1)
    alike = _alike(verdicts[AHEAD], verdicts[BEHIND])
    return "\n\n".join(
        [
            f"**{alike} Of {len(names)} algorithms and settings, ahead of {plain} are "
            f"{_of_each(study, found, AHEAD)}; behind it are {_of_each(study, found, BEHIND)}.**",
            bullets(
                [
                    f"{len(found)} comparisons on {data}: {verdicts[AHEAD]} ahead, "
                    f"{verdicts[BEHIND]} behind, {verdicts[SAME]} shown to be within "
                    f"±{100 * MARGIN:g} points, {verdicts[OPEN]} open.",
                    f"Ahead on every label set: {_listed(ahead)}. The same as {plain} on every "
                    f"one: {_listed(every)}.",
                    "Mean gain of those that every label set has, in points: "
                    f"{_means(study, found)}.",
                    f"The largest gain is `{name}`'s on {label_set}, "
                    f"{100 * (most.gain.difference or 0):.1f} points.",
                    "Selection without clean labels costs "
                    f"{100 * np.mean(against_best):.2f} points against the best epoch in the mean, "
                    f"and brings {100 * np.mean(lost):.2f} against the last one.",
                ]
            ),
        ]
    )


def rules(found: Found, plain: str) -> str:
    """What the verdicts of ``gains`` mean."""
    return (
        f"Points of test accuracy, selected epoch, minus {plain}'s, with 95 % intervals over "
        "other trainings and other test pictures. *Same* is shown: two one-sided t tests put the "
        f"difference within ±{100 * MARGIN:g} points; *ahead* and *behind* are two-sided t tests; "
        f"both at {100 * ALPHA:g} % by Holm's correction over all {len(found)} comparisons. "
        "*Open*: neither is shown."
    )


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


def _alike(ahead: int, behind: int) -> str:
    if behind > ahead:
        return "On what a frozen encoder sees more methods lose than gain."
    if ahead:
        return "On what a frozen encoder sees methods are not all alike."
    return "On what a frozen encoder sees nothing here shows that a method gains."


def _of_each(study: Study, found: Found, verdict: str) -> str:
    """How many have this verdict on each label set."""
    counts = {
        name: sum(
            one.verdict == verdict for (label_set, _), one in found.items() if label_set == name
        )
        for name in study
    }
    return ", ".join(f"{count} on {name}" for name, count in counts.items() if count) or "none"


def _means(study: Study, found: Found) -> str:
    """Mean gains of the algorithms that every label set has, by label set."""
    names = {name for _, name in found}
    names = {name for name in names if len(verdicts_of(found, name)) == len(study)}
    told = []
    for label_set in study:
        gained = [found[label_set, name].gain.difference or 0.0 for name in names]
        number = f"{100 * np.mean(gained):+.1f}".replace("-", "−")
        told.append(f"{number} on {label_set}")
    return ", ".join(told)


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def _three(row: Row | None) -> list[str]:
    if row is None:
        return ["–"] * 3
    return [percent(row.best), percent(row.selected), percent(row.last)]
