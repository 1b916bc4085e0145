"""Sections of docs/which-algorithm.md beside the rule: losers, surprises, better labels."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from candidly.stats import OneTestSet
from candidly.stats.rank_correlation import kendall
from studies.building.numbers import beside_zero
from studies.building.runs import BASE, METHODS, MIXED
from studies.cifarn.numbers import beside_the_board
from studies.claims.shelf import Shelf
from studies.kit.oracles import is_oracle
from studies.kit.words import grid, minus

from .advice import Advice, code, links, points
from .kinds import ORACLE
from .rule import ANY, CHEAP, CLEAR, LabelSet, compared, gain, mean_gain

MOST = 0.5  # of the label sets: who clearly loses on more is not to be used
CANDIDATES = ("sets-tables", "sets-pictures")  # kinds that sentences name
UNKNOWN, TAILS, REPLACED = "unknown", "tails", "replaced-texts"
EVEN, EVEN_TEXTS, PEOPLE = "symmetric-tables", "symmetric-texts", "people-tables"
CONFUSED, PICTURES = "confused-tables", "people-pictures"
WEAK = 0.3  # Kendall's tau, from -1 to 1: closer to 0 two orders have little to do with each other
BOARD = ("published", "worst")  # of CIFAR-10N
Advices = Mapping[str, Advice]


# what not to use


def losers(advice: Advices) -> Iterable[dict[str, Any]]:
    """Algorithms that lose on most label sets, by kind of labels."""
    for what, keys in (
        ("candidate sets", CANDIDATES),
        ("one label that may be wrong", (UNKNOWN,)),
    ):
        kinds = [advice[key].kind for key in keys]
        base = kinds[0].baseline
        found = lost([one for kind in kinds for one in kind.sets], base)
        named = [f"`{name}` ({count} of {of})" for name, count, of in found if count > MOST * of]
        pages = {words: page for kind in kinds for words, page in kind.pages.items()}
        yield {"what": what, "base": base, "named": named, "links": links(pages)}


def lost(sets: Sequence[LabelSet], base: str) -> list[tuple[str, int, int]]:
    """Algorithms, on how many label sets they clearly lose, and of how many; most losses first."""
    found = []
    for name in dict.fromkeys(name for one in sets for name in one.accuracy):
        if name != base and not is_oracle(name):
            each = [gain(one, name, base) for one in sets if name in one.accuracy]
            found.append((name, sum(one.sign < 0 for one in each), len(each)))
    return sorted(found, key=lambda one: (-one[1] / one[2], one[0]))


# what surprises


def surprises(shelf: Shelf, advice: Advices) -> dict[str, dict[str, Any]]:
    """What surprises, by its name in the page."""
    return {
        "transfer": _transfer(advice),
        "two_faces": _two_faces(advice),
        "size": _size(shelf, advice),
        "costs": _costs(advice),
        "replaced": _replaced(shelf, advice),
        "adjusting": _adjusting(shelf, advice),
    }


def _kind(advice: Advice) -> str:
    """The kind in a sentence, with links."""
    return f"{advice.kind.title} ({links(advice.kind.pages)})"


def _agreement(one: Advice, other: Advice) -> float:
    """Kendall's tau between the gains on two kinds, of the algorithms that both have."""
    first, second = one.choices[ANY].rows, other.choices[ANY].rows
    names = [name for name in first if name in second]
    return kendall(*([rows[name].gain.mean for name in names] for rows in (first, second)))


def _transfer(advice: Advices) -> dict[str, Any]:
    taus = {key: _agreement(advice[EVEN], advice[key]) for key in (CONFUSED, PEOPLE, PICTURES)}
    little = all(abs(taus[key]) < WEAK for key in (PEOPLE, PICTURES))
    said = [f"{minus(tau, 2)} for {_kind(advice[key])}" for key, tau in taus.items()]
    return {"little": little, "even": _kind(advice[EVEN]), "said": said}


def _two_faces(advice: Advices) -> dict[str, Any]:
    """The named algorithm that loses most elsewhere."""
    kind = advice[UNKNOWN].kind
    counts = {name: (count, of) for name, count, of in lost(kind.sets, kind.baseline)}
    named = {name: one for one in advice.values() for name in one.names if name in counts}
    name = max(named, key=lambda name: counts[name][0])
    count, of = counts[name]
    return {
        "name": name,
        "named": _kind(named[name]),
        "base": kind.baseline,
        "count": count,
        "of": of,
        "links": links(kind.pages),
    }


def _size(shelf: Shelf, advice: Advices) -> dict[str, Any]:
    kind = advice[PICTURES].kind
    found, names = beside_the_board(shelf.people.tables[BOARD[1]], *BOARD)
    tau = "unknown" if found is None else minus(found.value, 2)
    there = {kind.baseline, *compared(kind.sets, kind.baseline)}
    some = dict.fromkeys(name for one in kind.sets for name in one.accuracy)
    left = [name for name in some if name not in there and not is_oracle(name)]
    return {"board": BOARD[1], "tau": tau, "names": names, "left": code(left) if left else ""}


def _costs(advice: Advices) -> dict[str, Any]:
    taus, larger, slow = [], 0, 0
    for one in advice.values():
        rows = one.choices[ANY].rows.values()
        taus.append(kendall([row.cost for row in rows], [row.gain.mean for row in rows]))
        if one.choices[ANY].first != one.choices[CHEAP].first:
            slow += 1
            larger += one.checked(ANY).mean > one.checked(CHEAP).mean
    strong = sum(tau >= WEAK for tau in taus)
    return {"taus": taus, "strong": strong, "slow": slow, "larger": larger}


def _replaced(shelf: Shelf, advice: Advices) -> dict[str, Any]:
    best = {
        key: max(row.gain.mean for row in advice[key].choices[ANY].rows.values())
        for key in (EVEN_TEXTS, REPLACED)
    }
    methods = [name for name in METHODS if name != BASE]
    clear = [
        name
        for name in methods
        if any(
            beside_zero(shelf.sources.gained((noise.kind, noise.source, noise.percent, name))) > 0
            for noise in MIXED
        )
    ]
    return {
        "best": best[REPLACED],
        "even": best[EVEN_TEXTS],
        "links": links(advice[REPLACED].kind.pages),
        "base": BASE,
        "above": code(clear) if clear else "",
        "methods": len(methods),
    }


def _adjusting(shelf: Shelf, advice: Advices) -> dict[str, Any]:
    tails = shelf.texts.tails
    sets = [
        LabelSet(
            *(str(noise), "", {"adjusted": rows[BASE].adjusted, BASE: rows[BASE].selected}, {}),
            OneTestSet(rows[BASE].rows),
        )
        for noise, rows in tails.items()
    ]
    found = mean_gain([gain(one, "adjusted", BASE) for one in sets])
    named = advice[TAILS].first
    row = advice[TAILS].choices[ANY].rows.get(named)
    return {
        "points": points(found),
        "named": "" if row is None else named,
        "gain": "" if row is None else points(row.gain),
        "links": links(advice[TAILS].kind.pages),
    }


# better labels


def better_labels(advice: Advices) -> dict[str, Any]:
    rows, more = [], []
    for key, one in advice.items():
        sets, kind = one.kind.sets, one.kind
        if key == UNKNOWN or not all(ORACLE in each.accuracy for each in sets):
            continue
        gained = mean_gain([gain(each, one.first, kind.baseline) for each in sets])
        left = mean_gain([gain(each, ORACLE, one.first) for each in sets])
        if left.mean > max(gained.mean, CLEAR * left.error):
            more.append(kind.title)
        base, first, right = (
            f"{100 * _level(sets, name):.1f}" for name in (kind.baseline, one.first, ORACLE)
        )
        rows.append([one.where, f"`{one.first}`", base, first, right, points(left)])
    header = ("labels and inputs", "first choice", "simple", "first choice", "right labels", "left")
    return {"more": more, "table": grid(header, rows, words=2)}


def _level(sets: Sequence[LabelSet], name: str) -> float:
    """Mean accuracy over splits, then over label sets."""
    return statistics.fmean(
        statistics.fmean(value for value in one.accuracy[name] if value is not None) for one in sets
    )
