"""docs/studies/long-tail.md, from the committed results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

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
from studies.kit.template import rendered
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
    values = {
        "command": COMMAND,
        "base": BASE,
        "rebalanced": [_of_way(found, said, way) for way in REBALANCED],
        "others": _others(found),
        "encoder": OF_PICTURES,
        "steps": STEPS,
        "batch": BATCH,
        "seeds": SEEDS,
        "alpha": ALPHA,
        "comparisons": len(said),
        "cases": [(*CASES[case], _scores(runs, found, said, case)) for case in CASES],
    }
    return rendered(Path(__file__).with_name("page.md"), values), {}


def _of_way(found: Gains, said: Verdicts, way: str) -> str:
    """In how many cases a method is ahead, and what it gains."""
    counts = Counter(verdict for (_, name), verdict in said.items() if name == way)
    least, most = _ends([found[case, way] for case in CASES])
    behind = counts[BEHIND]
    return f"`{way}` in {counts[AHEAD]} (behind in {behind}; {least} to {most} points)"


def _others(found: Gains) -> dict[str, Sequence[str]]:
    """The best methods that are not for unequal classes, and what they gain."""
    others = [way for way in WAYS if way not in (*REBALANCED, BASE, TRUTH)]
    best = {case: max(others, key=lambda way: found[case, way].difference or 0) for case in CASES}
    gained = [found[case, way] for case, way in best.items()]
    return {"ends": _ends(gained), "ways": list(dict.fromkeys(best.values()))}


def _ends(gained: Sequence[PairedT]) -> list[str]:
    ordered = sorted(gained, key=lambda one: one.difference or 0)
    return [points(ordered[0]), points(ordered[-1])]


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
