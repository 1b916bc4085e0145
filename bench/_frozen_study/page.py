"""docs/frozen-study.md, from the committed results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from _text_study.cells import percent, signed, table
from _text_study.numbers import BASE, Rows

from .numbers import AHEAD, ALPHA, BEHIND, MARGIN, OPEN, SAME, Against, against
from .runs import BATCH, DECAY, ENCODER, EPOCHS, LABEL_SETS, PER_EPOCH, PICTURES, SPLITS, VALIDATION

PAGE = "frozen-study.md"
COMMAND = "python bench/frozen_study.py"
WRONG = {  # of the labels
    "worst": "40 %",
    "rand1": "17 %",
    "rand2": "18 %",
    "rand3": "18 %",
    "aggre": "9 %",
}


def make_page(study: Mapping[str, Rows]) -> tuple[str, dict[str, str]]:
    """The page's text; it has no figures."""
    found = against(study)
    parts = [
        "# Noisy labels on what a frozen encoder sees",
        f"Written by `{COMMAND}` from `bench/results/frozen_study`.",
        _answer(study, found),
        "## What was run",
        _about(study),
        "## Each algorithm against cross-entropy",
        f"Points of test accuracy, selected epoch, minus cross-entropy's, with 95 % intervals over "
        f"other trainings and other test pictures. *Same* is shown: two one-sided t tests put the "
        f"difference within ±{100 * MARGIN:g} points; *ahead* and *behind* are two-sided t tests; "
        f"both at {100 * ALPHA:g} % by Holm's correction over all {len(found)} comparisons. "
        "*Open*: neither is shown.",
        _gains(study, found),
        "## Best, selected and last epoch",
        "Test accuracy in %, means of the splits. The selected epoch is the one with the highest "
        "accuracy on validation rows, whose labels are as noisy; the best one is best on the test "
        "pictures, which nobody can choose by.",
        _epochs(study),
        "## What this does not say",
        "One encoder, one data set, a linear layer, default settings of each algorithm. ImageNet, "
        "which the encoder learned from, has most of CIFAR-10's classes. An algorithm that learns "
        "its own features, as all were published, is not tried here; from pixels and on a small "
        "scale they are in [cifarn.md](cifarn.md). What algorithms such as `elr+` need views of "
        "pictures for, they have none of here: the two views of a row are the row.",
    ]
    return "\n\n".join(parts) + "\n", {}


def _answer(study: Mapping[str, Rows], found: Mapping[tuple[str, str], Against]) -> str:
    """The answer first."""
    verdicts = Counter(one.verdict for one in found.values())
    names = sorted({name for _, name in found})
    whole = len(study)
    every = [name for name in names if _verdicts(found, name) == [SAME] * whole]
    ahead = [name for name in names if _verdicts(found, name) == [AHEAD] * whole]
    lost = [
        np.nanmean(row.selected) - np.nanmean(row.last) for row in _all(study) if len(row.selected)
    ]
    against_best = [np.nanmean(row.best) - np.nanmean(row.selected) for row in _all(study)]
    largest = max(found.items(), key=lambda item: item[1].gain.difference or -1)
    (label_set, name), most = largest
    of_sets = ", ".join(
        f"{sum(one.verdict == AHEAD for (label_set, _), one in found.items() if label_set == name)}"
        f" of {sum(label_set == name for label_set, _ in found)} on {name}"
        for name in _there(study)
    )
    return (
        f"**Of {len(found)} comparisons with cross-entropy ({len(names)} algorithms and settings, "
        f"CIFAR-10N), {verdicts[AHEAD]} are ahead of it ({of_sets}), {verdicts[BEHIND]} behind, "
        f"{verdicts[SAME]} are shown to be within ±{100 * MARGIN:g} points, and {verdicts[OPEN]} "
        f"are open. {_alike(verdicts[AHEAD])} Ahead on every label set: {_listed(ahead)}. Those "
        f"that every label set has gain in the mean, in points: {_means(study, found)}. The "
        f"largest gain is `{name}`'s on {label_set}, "
        f"{100 * (most.gain.difference or 0):.1f} points. The same as cross-entropy on every label "
        f"set: {_listed(every)}. Selection by noisy validation labels costs "
        f"{100 * np.mean(against_best):.2f} points against the best epoch in the mean, and brings "
        f"{100 * np.mean(lost):.2f} against the last one.**"
    )


def _alike(ahead: int) -> str:
    if ahead:
        return "So methods are not all alike on what a frozen encoder sees."
    return "So on what a frozen encoder sees nothing here shows that a method gains."


def _means(study: Mapping[str, Rows], found: Mapping[tuple[str, str], Against]) -> str:
    """Mean gains of the algorithms that every label set has, by label set."""
    names = {name for _, name in found}
    names = {name for name in names if len(_verdicts(found, name)) == len(study)}
    told = []
    for label_set in _there(study):
        gains = [found[label_set, name].gain.difference or 0.0 for name in names]
        told.append(f"{100 * np.mean(gains):+.1f} on {label_set}".replace("-", "−"))
    return ", ".join(told)


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def _verdicts(found: Mapping[tuple[str, str], Against], name: str) -> list[str]:
    return [one.verdict for (_, other), one in found.items() if other == name]


def _all(study: Mapping[str, Rows]) -> list:
    return [row for rows in study.values() for row in rows.values()]


def _there(study: Mapping[str, Rows]) -> list[str]:
    return [name for name in LABEL_SETS if name in study]


def _about(study: Mapping[str, Rows]) -> str:
    return (
        f"The {PICTURES:,} training pictures of CIFAR-10 with the labels that people gave them "
        f"(CIFAR-10N: {', '.join(f'{WRONG[name]} wrong in {name}' for name in _there(study))}), "
        f"seen by [`{ENCODER}`](encoders.md) at 96 pixels: 1,280 numbers a picture, standardised, "
        f"which stay as they are. A linear layer learns {EPOCHS} epochs of {PER_EPOCH} updates in "
        f"batches of {BATCH}, by Adam, each algorithm with its default settings; those that count "
        f"epochs are as in [text.md](text.md). `ce, decay {DECAY}` is cross-entropy with a weight "
        f"decay of {DECAY}, where all others have 0.00001. {SPLITS} splits draw "
        f"{100 * VALIDATION:g} % of the training pictures for validation anew, and all are tested "
        "on the 10,000 official test pictures, which have true labels."
    )


def _gains(study: Mapping[str, Rows], found: Mapping[tuple[str, str], Against]) -> str:
    there = _there(study)
    names = list(dict.fromkeys(name for rows in study.values() for name in rows if name != BASE))
    lines = []
    for name in names:
        cells = [f"`{name}`"]
        for label_set in there:
            one = found.get((label_set, name))
            told = "–" if one is None else f"{signed(one.gain, one.verdict in (AHEAD, BEHIND))}"
            cells.append(told if one is None else f"{told} {one.verdict}")
        lines.append(cells)
    return table(["algorithm", *there], lines)


def _epochs(study: Mapping[str, Rows]) -> str:
    there = _there(study)
    names = list(dict.fromkeys(name for rows in study.values() for name in rows))
    lines = []
    for name in names:
        cells = [f"`{name}`"]
        for label_set in there:
            row = study[label_set].get(name)
            cells += (
                ["–"] * 3
                if row is None
                else [percent(row.best), percent(row.selected), percent(row.last)]
            )
        lines.append(cells)
    head = [f"{label_set} {what}" for label_set in there for what in ("best", "selected", "last")]
    return table(["algorithm", *head], lines)
