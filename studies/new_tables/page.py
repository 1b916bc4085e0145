"""The part of docs/which-algorithm.md that is about tables which had no part in its advice."""

from __future__ import annotations

from collections.abc import Iterable

from candidly.show.words import listed
from candidly.stats import PairedT
from studies.kit.words import minus, prose

from .data import ROWS
from .judged import (
    ANY,
    CHEAP,
    KINDS,
    Found,
    LeftOut,
    base_of,
    judge,
    left_out_of_each,
    over_tables,
)
from .study import LABELS, NOISES, SETS, SETTINGS

SAID = {
    "symmetric": "30 % symmetric",
    "pair": "30 % pair",
    "instance": "30 % instance",
    "flip": "each wrong label in a set with probability 0.3",
    "instance-sets": "the same, by instance",
}


def answer(found: Found) -> str:
    """The first sentences of the page."""
    ways = left_out_of_each(found, CHEAP)
    good = {kind: way for kind, way in ways.items() if way.clear}
    told = [
        f"with {kind} use `{way.now}`: what all other tables choose gains {_points(way.gain)} "
        "points on one that had no part in the choice"
        for kind, way in good.items()
    ]
    rest = [kind for kind in ways if kind not in good]
    simple = (
        f"With {listed(rest)} nothing is clearly better than the simple algorithm" if rest else ""
    )
    first = f"On tables, {'; '.join(told)}. " if told else ""
    near, nearest = min(ways.items(), key=lambda one: one[1].adjusted)
    close = ""
    if near in rest:
        close = f"""Nearest is `{nearest.now}` with {near}: {_points(nearest.gain)} points on a
        table left out of the choice, p {nearest.adjusted:.2g}, as four kinds of labels are looked
        at."""
    named = [one for one in judge(found) if one.advice.named == "use"]
    kept = sum(one.clear for one in named)
    return f"""**{first}{simple}{"." if simple else ""} On pictures and texts there are results of
    one data set each, which tell nothing of another one: use the simple algorithm (`ce` or `CC`)
    there, and compare on your own data.** {close} Of {len(named)} recommendations for tables that
    this page made before, from one data set each, {kept or "none"} gains beyond chance on new
    tables, of which there are {len(found)}."""


def sections(found: Found) -> list[str]:
    sizes = [len(gains) for gains in ([t for t in found.values() if k in t] for k in LABELS)]
    return [
        "## On tables",
        prose(
            f"""{len(found)} tables of people, plants, letters, signals and cells, which had no part
            in any choice on this page, with labels made wrong in {len(NOISES)} ways and sets in
            {len(SETS)}; of at most {ROWS:,} rows, with {SETTINGS["configs"]} configurations,
            {SETTINGS["splits"]} splits and {SETTINGS["steps"]:,} updates of a network with one
            hidden layer. Which tables, which algorithms and how they are judged was committed
            before any of them was trained on (`studies/new_tables`); later came that `dividemix`,
            half of all time, is trained on some of them alone, and that *p* in the first table
            allows for all kinds of labels. A table's gain is its mean
            over splits and kinds of labels; each table counts once, and intervals of 95 % are over
            tables. There are {min(sizes)} to {max(sizes)} tables for a kind of labels, as what
            needs three classes is not made of two."""
        ),
        _table(
            ["labels", "time", "chosen by all", "when a table is left out", "gain on it", "p"],
            _rows(found),
        ),
        prose(
            f"""*Chosen* is the largest mean gain over the simple algorithm, of algorithms that take
            at most {CHEAP:g} times its time (where slow ones would change the choice, there is a
            line for these). *Gain on it*: what is chosen from all
            other tables is measured on the table left out; the interval allows for choices that
            share tables (Nadeau and Bengio), and *p* for the four kinds (Holm)."""
        ),
        prose(
            """What every algorithm gains on these tables, in points. Intervals do not allow for
            choosing the best of them:"""
        ),
        *_every(found),
        prose(
            """What was recommended before, for the kinds of labels that can be made from a table's
            truth, on these tables:"""
        ),
        _table(
            ["recommended", "for", "gain, points", "gains on", "p"],
            [
                [
                    f"`{one.advice.algorithm}`" + (" (next)" if one.advice.named == "next" else ""),
                    f"{one.advice.kind}: {listed([SAID[k] for k in one.advice.labels])}",
                    _points(one.gain),
                    f"{one.ahead} of {one.of}",
                    f"{one.adjusted:.2g}",
                ]
                for one in judge(found)
            ],
        ),
        prose(
            """*p* is of a mean gain of 0 over tables, by Student's t and Holm over all lines.
            *Next* was not recommended, but named as what comes next."""
        ),
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
