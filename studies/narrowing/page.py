"""The words and the table of docs/encoders.md, from the committed lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from candidly.show.words import percent
from candidly.stats import Summary, interval, summarise
from studies.kit.cells import signed
from studies.kit.words import grid, minus, prose
from studies.narrowing.runs import DRAWS, KNOWN, MASSES, PROCESSES, ROWS

Line = Mapping[str, Any]


def gain(lines: Sequence[Line], way: str) -> Summary:
    """Of a way on the sets as they are, by draw."""
    return summarise([line[way] - line["the sets"] for line in lines])


def mean(lines: Sequence[Line], name: str) -> float:
    return sum(line[name] for line in lines) / len(lines)


def told(lines: Sequence[Line]) -> str:
    """The answer first, and the table."""
    by = {process: [line for line in lines if line["process"] == process] for process in PROCESSES}
    rows, gains = [], {mass: [] for mass in MASSES}
    for process, about in PROCESSES.items():
        some = by[process]
        for known in KNOWN:
            cells = []
            for mass in MASSES:
                found = gain(some, f"{known} known, {mass:g}")
                gains[mass].append(found)
                cells.append(signed(found))
            alone, base = mean(some, f"{known} known"), mean(some, "the sets")
            rows.append([about, percent(base, 1), str(known), percent(alone, 1), *cells])
    head = ["a wrong label enters", "CC from the sets", "true labels a class", "a model of these"]
    head += [f"mass {mass:g}" for mass in MASSES]
    answer = f"""The less certain the model, the more should stay. {_of_mass(0.95, gains[0.95])}
        {_of_mass(0.8, gains[0.8])} {_of_mass(0.5, gains[0.5])} Test accuracy in percent, and points
        that `CC` gains by narrowed sets, with a 95 % interval each over {DRAWS} draws, in bold
        where 0 lies outside. {ROWS:,} pictures of CIFAR-10 by EfficientNet-Lite0, a linear layer;
        the model is a logistic regression of the true labels (`python -m studies.narrowing`)."""
    return "\n".join(["", prose(answer), "", grid(head, rows), ""])


def _of_mass(mass: float, gains: Sequence[Summary]) -> str:
    """How often a mass helps and harms, and by how much at most."""
    ends = [interval(one) for one in gains]
    better = sum(each is not None and each[0] > 0 for each in ends)
    worse = sum(each is not None and each[1] < 0 for each in ends)
    means = [100 * (one.mean or 0) for one in gains]
    return (
        f"With a mass of {mass:g} `CC` is clearly better in {better} of {len(gains)} cases and "
        f"clearly worse in {worse} ({minus(min(means), 1)} to {minus(max(means), 1)} points)."
    )
