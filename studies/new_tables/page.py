"""The part of docs/which-algorithm.md that is about tables which had no part in its advice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from candidly.show.words import listed
from candidly.stats import PairedT
from studies.kit.words import minus

from .data import ROWS
from .judged import (
    ANY,
    CHEAP,
    KINDS,
    Found,
    LeftOut,
    Tested,
    base_of,
    judge,
    left_out_of_each,
    over_tables,
)
from .study import LABELS, NOISES, SETS, SETTINGS

CHOSEN = ["labels", "time", "chosen by all", "when a table is left out", "gain on it", "p"]
BEFORE = ["recommended", "for", "gain, points", "gains on", "p"]
SAID = {
    "symmetric": "30 % symmetric",
    "pair": "30 % pair",
    "instance": "30 % instance",
    "flip": "each wrong label in a set with probability 0.3",
    "instance-sets": "the same, by instance",
}


def found_on(found: Found) -> dict[str, Any]:
    """What the macros of ``on_tables.md`` say."""
    ways = left_out_of_each(found, CHEAP)
    good = {kind: way for kind, way in ways.items() if way.clear}
    near, nearest = min(ways.items(), key=lambda one: one[1].adjusted)
    judged = judge(found)
    named = [one for one in judged if one.advice.named == "use"]
    sizes = [len([table for table in found.values() if kind in table]) for kind in LABELS]
    close = {"kind": near, "name": nearest.now, "gain": _points(nearest.gain)}
    return {
        "tables": len(found),
        "good": [(k, {"name": way.now, "gain": _points(way.gain)}) for k, way in good.items()],
        "rest": [kind for kind in ways if kind not in good],
        "nearest": None if near in good else close | {"p": nearest.adjusted},
        "named": len(named),
        "kept": sum(one.clear for one in named),
        "noises": len(NOISES),
        "sets": len(SETS),
        "rows": ROWS,
        "settings": SETTINGS,
        "sizes": [size for size in sizes if size],
        "cheap": CHEAP,
        "chosen": _table(CHOSEN, _rows(found)),
        "every": _every(found),
        "before": _table(BEFORE, [_advised(one) for one in judged]),
    }


def _advised(one: Tested) -> list[str]:
    """A line on what was recommended before."""
    advice = one.advice
    return [
        f"`{advice.algorithm}`" + (" (next)" if advice.named == "next" else ""),
        f"{advice.kind}: {listed([SAID[k] for k in advice.labels])}",
        _points(one.gain),
        f"{one.ahead} of {one.of}",
        f"{one.adjusted:.2g}",
    ]


def _rows(found: Found) -> Iterable[list[str]]:
    """A line for each kind of labels, and another where slow algorithms change the choice."""
    anything = left_out_of_each(found, ANY)
    for kind, way in left_out_of_each(found, CHEAP).items():
        yield _row(kind, way)
        if anything[kind].chosen != way.chosen:
            yield _row(kind, anything[kind])


def _row(kind: str, way: LeftOut) -> list[str]:
    base = base_of(way.labels)
    often = sorted(way.chosen, key=lambda name: -way.chosen[name])
    return [
        f"{kind} (`{base}`)",
        "any" if way.budget == ANY else f"≤ {way.budget:g} ×",
        f"`{way.now}`",
        listed([f"`{name}` ({way.chosen[name]})" for name in often]),
        _points(way.gain),
        f"{way.adjusted:.2g}",
    ]


def _every(found: Found) -> list[str]:
    """A table for one label, and one for sets."""
    tables = []
    for base in ("ce", "CC"):
        kinds = {kind: labels for kind, labels in KINDS.items() if base_of(labels) == base}
        columns = {kind: over_tables(found, labels) for kind, labels in kinds.items()}
        names = next(iter(columns.values()))
        rows = [[f"`{name}`", *(_points(of[name]) for of in columns.values())] for name in names]
        tables.append(_table([f"less `{base}`", *columns], rows))
    return tables


def _points(test: PairedT) -> str:
    """A gain and its interval, in points."""
    if test.difference is None:
        return "–"
    mean, *ends = (
        minus(100 * value, 1) for value in (test.difference, test.low or 0, test.high or 0)
    )
    return f"{mean} ({ends[0]} to {ends[1]})"


def _table(header: list[str], rows: Iterable[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, ["---"] * len(header), *rows))
