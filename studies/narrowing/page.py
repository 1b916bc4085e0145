"""The words and the table of docs/encoders.md, from the committed lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from candidly.stats import Summary, interval, summarise
from studies.kit.cells import signed
from studies.kit.words import grid, prose
from studies.narrowing.runs import DRAWS, KNOWN, MASSES, PROCESSES, ROWS

Line = Mapping[str, Any]


def gain(lines: Sequence[Line], way: str) -> Summary:
    """Of a way on the sets as they are, by draw."""
    return summarise([line[way] - line["the sets"] for line in lines])


def mean(lines: Sequence[Line], name: str) -> float:
    return sum(line[name] for line in lines) / len(lines)


def told(lines: Sequence[Line]) -> str:
    """The result first, and the table."""
    by = {process: [line for line in lines if line["process"] == process] for process in PROCESSES}
    ways = [(known, mass) for known in KNOWN for mass in MASSES]
    ahead, behind, worse = 0, 0, 0
    rows = []
    for process, about in PROCESSES.items():
        some = by[process]
        base = mean(some, "the sets")
        for known in KNOWN:
            alone = mean(some, f"{known} known")
            cells = []
            for mass in MASSES:
                way = f"{known} known, {mass:g}"
                found = gain(some, way)
                ends = interval(found)
                if ends is not None:
                    ahead += ends[0] > 0
                    behind += ends[1] < 0
                    worse += ends[1] < 0 and alone < base
                cells.append(signed(found))
            rows.append([about, f"{100 * base:.1f}", str(known), f"{100 * alone:.1f}", *cells])
    head = ["the sets hold", "CC from them", "true labels a class", "a model of these alone"]
    head += [f"mass {mass:g}" for mass in MASSES]
    compared = len(PROCESSES) * len(ways)
    answer = f"""Narrowing pays where the model knows more than the sets: of {compared} comparisons
        it is clearly ahead in {ahead} and clearly behind in {behind}, and of these {worse} have a
        model that alone is right less often than CC from the sets as they are. Test accuracy in
        percent, and points gained by CC from narrowed sets, with 95 % intervals over {DRAWS} draws;
        bold where 0 lies outside. {ROWS:,} pictures of CIFAR-10 by EfficientNet-Lite0, a linear
        layer; the model is a logistic regression of so many true labels
        (`python -m studies.narrowing`)."""
    return "\n\n".join(["", prose(answer), grid(head, rows), ""])
