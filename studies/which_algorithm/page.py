"""docs/which-algorithm.md, from the committed results."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from pathlib import Path

from candidly.learn.algorithms import ALGORITHMS, algorithm
from studies.claims.shelf import Shelf
from studies.kit.template import rendered
from studies.kit.words import grid
from studies.new_tables.page import found_on
from studies.new_tables.study import read

from .advice import Advice, advise, code, points
from .kinds import ORACLE, read_kinds
from .remarks import UNKNOWN, WEAK, Advices, better_labels, losers, surprises
from .rule import ANY, CHEAP, CLEAR, FEW, LISTED

PAGE = "which-algorithm.md"
COMMAND = "python -m studies.which_algorithm"


def make_page(shelf: Shelf) -> str:
    """The page as Markdown: the same from the same results."""
    advice = {key: advise(kind) for key, kind in read_kinds(shelf).items()}
    new = read(shelf.of("new_tables") / "tables.json")
    unknown = advice[UNKNOWN].choices[CHEAP].first
    kinds = [one.kind for key, one in advice.items() if key != UNKNOWN]
    told = [name for name in _named(advice) if algorithm(name).told]
    values = {
        "command": COMMAND,
        "tables": found_on(new),
        "rows": len(advice),
        "without_name": sum(not one.names for one in advice.values()),
        "unknown": None
        if unknown is None
        else {"first": unknown, "gain": points(advice[UNKNOWN].checked(CHEAP))},
        "decisions": _decisions(advice),
        "criteria": _criteria(advice),
        "told": code(told) if told else "",
        "complementary": _of_kind("complementary"),
        "noisy_candidates": _of_kind("noisy candidates"),
        "few": FEW,
        "at_most": LISTED,
        "cheap": CHEAP,
        "clear": CLEAR,
        "weak": WEAK,
        "oracle": ORACLE,
        "compared": [len(one.choices[ANY].rows) for one in advice.values()],
        "seen": statistics.fmean(one.seen(CHEAP).mean for one in advice.values()),
        "left_out": statistics.fmean(one.checked(CHEAP).mean for one in advice.values()),
        "trust": _trust(advice),
        "whole": [f"*{one.kind.title}*" for one in advice.values() if one.kind.by_data],
        "losers": losers(advice),
        **surprises(shelf, advice),
        "better_labels": better_labels(advice),
        "label_sets": sum(len(kind.sets) for kind in kinds),
        "data_sets": len({each.data for kind in kinds for each in kind.sets}),
    }
    return rendered(Path(__file__).with_name("page.md"), values)


def _named(advice: Advices) -> list[str]:
    return list(dict.fromkeys(name for one in advice.values() for name in one.names))


def _criteria(advice: Advices) -> list[str]:
    found = {one.kind.baseline: one.kind.criterion for one in advice.values()}
    return [f"by {by} in the rows of `{base}`" for base, by in found.items()]


def _of_kind(kind: str) -> str:
    return code(name for name, page in ALGORITHMS.items() if page.kind == kind)


def _decisions(advice: Advices) -> str:
    header = (
        *("labels and inputs", "simple", "choice", "gain, points"),
        *("clear gains", "training time"),
    )
    return grid(header, [row for one in advice.values() for row in _rows(one)], words=3)


def _rows(advice: Advice) -> Iterable[list[str]]:
    base, best = advice.kind.baseline, advice.choices[CHEAP].first
    lines = [_line(advice, name, f"`{name}`") for name in advice.names]
    if not lines:
        lines = [[f"`{base}`", "–", "–", "1.0 ×"]]
        if best is not None:
            lines.append(_line(advice, best, f"next: `{best}`"))
    for number, line in enumerate(lines):
        yield [*(["", ""] if number else [advice.where, f"`{base}`"]), *line]


def _line(advice: Advice, name: str, shown: str) -> list[str]:
    row = advice.choices[ANY].rows[name]
    return [
        shown,
        points(row.gain),
        f"{row.ahead} of {len(row.each)}",
        f"{row.cost:.1f} ×",
    ]


def _trust(advice: Advices) -> str:
    rows = []
    for one in advice.values():
        rows.append(_check(one, CHEAP))
        if one.choices[ANY].first != one.choices[CHEAP].first:
            rows.append(_check(one, ANY))
    header = ("labels and inputs", "time", "first choice", "chosen when left out")
    return grid([*header, "gain", "gain left out", "above 0"], rows, words=4)


def _check(advice: Advice, budget: float) -> list[str]:
    left, choice = advice.left_out[budget], advice.choices[budget]
    base = advice.kind.baseline
    return [
        advice.kind.title,
        "any" if budget == ANY else f"≤ {budget:g} ×",
        f"`{choice.first or base}`",
        code(dict.fromkeys(one.chosen or base for one in left)),
        points(advice.seen(budget)),
        points(advice.checked(budget)),
        f"{sum(one.gain.mean > 0 for one in left)} of {len(left)}",
    ]
