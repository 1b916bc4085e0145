"""docs/studies/long-tail.md, from the committed results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from candidly.show.words import listed
from candidly.stats import PairedT
from studies.kit.by_rows import (
    AHEAD,
    ALPHA,
    BEHIND,
    OPEN,
    Line,
    Runs,
    by_way,
    gains,
    mean_of,
    points,
)
from studies.kit.by_rows import verdicts as verdicts_of
from studies.kit.cells import signed
from studies.kit.words import grid
from studies.votes.cases import OF_PICTURES

from .runs import BATCH, CASES, PARTS, SEEDS, STEPS, TRUTH, WAYS

PAGE = "studies/long-tail.md"
COMMAND = "python -m studies.long_tail"
BASE, SCORED = "PRODEN", 10_000
REBALANCED = ("RECORDS", "RECORDS:corr", "SoLar")
NAMED = {TRUTH: "on the truth: an oracle"}

Gains = Mapping[tuple[str, str], PairedT]
Verdicts = Mapping[tuple[str, str], str]


def gains_of(runs: Runs) -> dict[tuple[str, str], PairedT]:
    return gains(runs, BASE, lambda case: SCORED)


def make_page(lines: Iterable[Line]) -> tuple[str, dict[str, str]]:
    """The page's text; it has no figures."""
    runs = by_way(lines)
    found = gains_of(runs)
    said = verdicts_of(found, TRUTH)
    parts = [
        "# Candidate sets whose classes are of unequal size",
        _answer(found, said),
        "## What was run",
        f"Written by `{COMMAND}` from `studies/long_tail/results/runs.jsonl`.",
        f"CIFAR-10 as `{OF_PICTURES}` sees it. Of the training pictures each class keeps fewer "
        "than the one before, the last a 50th or a 100th of the first; each wrong class enters a "
        "candidate set with probability 0.3 or 0.5. Every algorithm trains a linear layer with its "
        f"defaults, {STEPS:,} updates of {BATCH} rows, {SEEDS} times, with another tail and other "
        "sets each time. The 10,000 test pictures have equally many of each class; nothing was "
        "chosen by them. *Head* are the three largest classes, *tail* the three smallest.",
        f"*Gain*: points of accuracy minus those of `{BASE}`, with a 95 % interval over other "
        "tails, sets and trainings and other test pictures; in bold where the difference is shown, "
        f"at {100 * ALPHA:g} % by Holm's correction over all {len(said)} comparisons.",
        *(
            part
            for case in CASES
            for part in (f"## {_title(case)}", _scores(runs, found, said, case))
        ),
        "## What this does not say",
        "One encoder, one data set, a linear layer and defaults; no views, of which `CRDPLL`, "
        "`RECORDS:corr` and `SoLar` make use on pictures: here both views of a row are the row. "
        "Published numbers are of networks that learn their features, for hundreds of epochs.",
    ]
    return "\n\n".join(parts) + "\n", {}


def _title(case: str) -> str:
    factor, rate = CASES[case]
    return f"Largest class {factor} times the smallest, wrong candidates at {rate:g}"


def _answer(found: Gains, said: Verdicts) -> str:
    """The answer first."""
    told = []
    for way in REBALANCED:
        counts = Counter(verdict for (_, name), verdict in said.items() if name == way)
        values = [found[case, way] for case in CASES]
        least, most = (f(values, key=lambda one: one.difference or 0) for f in (min, max))
        told.append(
            f"`{way}` in {counts[AHEAD]} (behind in {counts[BEHIND]}; {points(least)} to "
            f"{points(most)} points)"
        )
    others = [way for way in WAYS if way not in (*REBALANCED, BASE, TRUTH)]
    best = {case: max(others, key=lambda way: found[case, way].difference or 0) for case in CASES}
    values = [found[case, way] for case, way in best.items()]
    ways = ", ".join(f"`{way}`" for way in dict.fromkeys(best.values()))
    least, most = (f(values, key=lambda one: one.difference or 0) for f in (min, max))
    return (
        f"**Of methods for unequal classes, ahead of `{BASE}` are, of {len(CASES)} cases, "
        f"{listed(told)}.** The others are open. The best of other methods gain {points(least)} to "
        f"{points(most)} points ({ways})."
    )


def _scores(runs: Runs, found: Gains, said: Verdicts, case: str) -> str:
    rows = []
    for way in WAYS:
        mine = runs.get((case, way), ())
        if not mine:
            continue
        gain = ""
        if way != BASE:
            gain = signed(found[case, way], said.get((case, way), OPEN) != OPEN)
        shares = [mean_of(mine, key, ".1f", 100) for key in ("right", *PARTS)]
        rows.append([NAMED.get(way, f"`{way}`"), shares[0], gain, *shares[1:]])
    return grid(["", "accuracy, %", "gain", *PARTS], rows, numbers=False)
