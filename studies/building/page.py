"""docs/studies/building.md, from the committed results."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import numpy as np

from candidly.compare.corpora.noise import SOURCES
from candidly.show.words import listed
from candidly.stats import Summary, paired_difference, summarise
from studies.kit.cells import percent, points, signed
from studies.kit.template import rendered
from studies.kit.words import grid

from .events import ARTICLES, HELD, MORE_THAN, TAIL_AT_MOST
from .numbers import EVERYWHERE, Cell, Study, beside_zero, falling
from .runs import BASE, BATCH, EPOCHS, LOCAL, METHODS, MIXED, NONE, OF_ALL, RAMP, RATES, SHOWN

PAGE = "studies/building.md"
COMMAND = "python -m studies.building"
CLEAN = (NONE.kind, NONE.source, 0)
OTHERS = tuple(name for name in METHODS if name != BASE)
EVERY = range(len(SOURCES))
PAIRS = tuple((second, first) for first, second in combinations(EVERY, 2))  # later minus earlier


def make_page(study: Study) -> str:
    def losses(kind: str, rate: int) -> str:
        lost = {each: summarise(study.lost(kind, each, rate)) for each in _order(study, kind, rate)}
        return listed([f"{SOURCES[source]} {points(one)}" for source, one in lost.items()])

    first, second, _ = _order(study, "replaced", SHOWN)
    siblings = [(rate, _lead(study, "replaced", rate, (0, 1))) for rate in RATES]
    values = {
        "command": COMMAND,
        "base": BASE,
        "shown": SHOWN,
        "rates": RATES,
        "of_all": OF_ALL,
        "others": len(OTHERS),
        "corpora": len(study.sizes),
        "articles": ARTICLES,
        "more_than": MORE_THAN,
        "tail_at_most": TAIL_AT_MOST,
        "held": HELD,
        "epochs": EPOCHS,
        "batch": BATCH,
        "ramp": RAMP,
        "clear_of": lambda found: sum(beside_zero(one) != 0 for one in found),
        "equal": [_lead(study, "replaced", rate, pair) for rate in RATES for pair in PAIRS],
        "papers": [_lead(study, "of-all", OF_ALL, pair) for pair in PAIRS],
        "losses": losses,
        "clear": lambda kind, rate: _clear(study, kind, rate),
        "of_corpora": _corpora(study),
        "between_first_two": points(_lead(study, "replaced", SHOWN, (first, second))),
        "siblings": [f"{points(gap)} at {rate} %" for rate, gap in siblings],
        "first": _first(study),
        "beyond_replaced": _beyond_replaced(study),
        "without": _without(study),
        "single": _single(study),
        "everywhere": _everywhere(study),
        "local": _local(study),
        "against": _against(study),
        "paper": _paper(study),
        "compared": [one for name in OTHERS for one in _gains(study, name)],
        "methods": _methods(study),
        "mixed": _mixed(study),
    }
    return rendered(Path(__file__).with_name("page.md"), values)


def _corpora(study: Study) -> str:
    rows = []
    for source in EVERY:
        sizes = [(one.classes[source], one.learned[source]) for one in study.sizes]
        classes, learned = np.mean(sizes, axis=0)
        each = learned / classes
        right = percent(tuple(study.accuracy((*CLEAN, BASE), source)))
        rows.append(
            [SOURCES[source], f"{classes:.1f}", f"{learned:,.0f}", f"{each:.0f}", f"{right} %"]
        )
    head = ["source", "classes", "training rows", "of a class", f"right without noise, `{BASE}`"]
    return grid(head, rows, numbers=False)


def _local(study: Study) -> str:
    head = [
        "of the source's rows",
        *(f"{SOURCES[source]}, {kind}" for source in EVERY for kind in LOCAL),
    ]
    rows = [
        [
            f"{rate} %",
            *(
                points(summarise(study.lost(kind, source, rate)))
                for source in EVERY
                for kind in LOCAL
            ),
        ]
        for rate in RATES
    ]
    return grid(head, rows, numbers=False)


def _lead(study: Study, kind: str, rate: int, pair: tuple[int, int]) -> Summary:
    """How much more one source loses than another."""
    first, second = (study.lost(kind, source, rate) for source in pair)
    return paired_difference(first, second)


def _against(study: Study) -> str:
    named = [f"{SOURCES[first]} − {SOURCES[second]}" for first, second in PAIRS]
    head = ["of the source's rows", *(f"{name}, {kind}" for kind in LOCAL for name in named)]
    rows = [
        [
            f"{rate} %",
            *(signed(_lead(study, kind, rate, pair)) for kind in LOCAL for pair in PAIRS),
        ]
        for rate in RATES
    ]
    return grid(head, rows, numbers=False)


def _paper(study: Study) -> str:
    rows = []
    for source in EVERY:
        rates = study.local_rates(source)
        rows.append(
            [
                SOURCES[source],
                f"{_whole(np.mean(rates))} % ({_whole(min(rates))} to {_whole(max(rates))})",
                points(summarise(study.lost("of-all", source, OF_ALL))),
                *(points(summarise(study.lost("replaced", source, rate))) for rate in RATES[:3]),
            ]
        )
    equal = [f"lost at {rate} % of its own" for rate in RATES[:3]]
    means = f"{OF_ALL} % of all rows are of its own (corpora)"
    return grid(["source", means, f"lost at {OF_ALL} % of all", *equal], rows, numbers=False)


def _methods(study: Study) -> str:
    named = ("no noise", *LOCAL)
    head = ["method", *(f"{SOURCES[source]}, {kind}" for kind in named for source in EVERY)]
    rows = [[f"`{name}`", *map(signed, _gains(study, name))] for name in OTHERS]
    return grid(head, rows, numbers=False)


def _gains(study: Study, name: str) -> list[Summary]:
    """A row of the table of methods: without noise, replaced and flipped, by source."""
    clean = [study.gained((*CLEAN, name), source) for source in EVERY]
    return clean + [
        study.gained((kind, source, SHOWN, name), source) for kind in LOCAL for source in EVERY
    ]


def _mixed(study: Study) -> str:
    rates = (CLEAN, *(("mix", EVERYWHERE, noise.percent) for noise in MIXED))
    rows = []
    for name in METHODS:
        cells = [_beside(study, (*noise, name)) for noise in rates]
        rows.append([f"`{name}`", *cells])
    return grid(
        ["method", "no noise", *(f"{noise.percent} %" for noise in MIXED)], rows, numbers=False
    )


def _beside(study: Study, cell: Cell) -> str:
    """Accuracy, and how far it is above cross-entropy's."""
    text = percent(tuple(study.accuracy(cell)))
    if cell[3] == BASE:
        return text
    found = study.gained(cell)
    gained = f"({100 * (found.mean or 0):+.1f})".replace("-", "−")
    return f"{text} **{gained}**" if beside_zero(found) else f"{text} {gained}"


# what follows from them, in sentences


def _first(study: Study) -> dict:
    """The source that loses most where as many of all rows are noisy in one, beside others."""
    order = _order(study, "of-all", OF_ALL)
    first, *others = order

    def lead(kind: str, rate: int) -> str:
        rest = np.mean([study.lost(kind, source, rate) for source in others], axis=0)
        return points(paired_difference(study.lost(kind, first, rate), list(rest)))

    return {
        "source": SOURCES[first],
        "there": lead("of-all", OF_ALL),
        "equal": [f"{lead('replaced', rate)} at {rate} %" for rate in RATES],
        "same": [f"{rate} %" for rate in RATES if _order(study, "replaced", rate) == order],
    }


def _beyond_replaced(study: Study) -> list[str]:
    """What flipped labels cost beyond what replaced inputs do, by source."""
    lost = {kind: [study.lost(kind, source, SHOWN) for source in EVERY] for kind in LOCAL}
    gaps = map(paired_difference, lost["flipped"], lost["replaced"])
    return [f"{SOURCES[source]} {points(gap)}" for source, gap in enumerate(gaps)]


def _single(study: Study) -> dict:
    """Methods that gain where one source is noisy, and whether they do so by both kinds."""
    replaced, flipped = ({each: _signs(study, kind, each) for each in EVERY} for kind in LOCAL)
    said = [
        "; ".join(
            f"in {SOURCES[source]} {listed(names)}"
            for source, found in signs.items()
            if (names := [f"`{name}`" for name, sign in found.items() if sign > 0])
        )
        for signs in (flipped, replaced)
    ]
    gain = [(source, name) for source in EVERY for name in OTHERS if flipped[source][name] > 0]
    turned = sum(replaced[source][name] < 0 for source, name in gain)
    return {
        "flipped": said[0] or "none",
        "replaced": said[1] or "none",
        "gains": len(gain),
        "turned": turned,
    }


def _without(study: Study) -> dict:
    """What methods cost where nothing is wrong, and what noise takes from them beyond that."""
    found = {name: study.gained((*CLEAN, name)) for name in OTHERS}
    lowest = min(found, key=lambda name: found[name].mean or 0.0)
    return {
        "below": [name for name, one in found.items() if beside_zero(one) < 0],
        "lowest": lowest,
        "points": points(found[lowest]),
    } | {
        kind: [f"{SOURCES[each]} {points(_taken(study, kind, each))}" for each in EVERY]
        for kind in LOCAL
    }


def _taken(study: Study, kind: str, source: int) -> Summary:
    """What noise costs methods in the mean, less what it costs cross-entropy."""
    each = np.mean([study.lost(kind, source, SHOWN, name) for name in OTHERS], axis=0)
    return paired_difference(list(each), study.lost(kind, source, SHOWN))


def _signs(study: Study, kind: str, source: int) -> dict[str, int]:
    """Whether methods are clearly above or below cross-entropy on a source's classes, by name."""
    return {name: beside_zero(study.gained((kind, source, SHOWN, name), source)) for name in OTHERS}


def _everywhere(study: Study) -> list[dict]:
    """How methods do where every source is noisy, by rate."""
    said = []
    for noise in MIXED:
        found = {
            name: study.gained((noise.kind, noise.source, noise.percent, name)) for name in OTHERS
        }
        best = max(found, key=lambda name: found[name].mean or -1.0)
        signs = [beside_zero(one) for one in found.values()]
        said.append(
            {
                "percent": noise.percent,
                "above": signs.count(1),
                "below": signs.count(-1),
                "best": best,
                "points": points(found[best]),
            }
        )
    return said


def _order(study: Study, kind: str, rate: int) -> list[int]:
    """Sources by what they lose, the most first."""
    return falling({source: study.lost(kind, source, rate) for source in EVERY})


def _clear(study: Study, kind: str, rate: int) -> str:
    """Pairs of sources that differ clearly, the one that loses more in front."""
    found: Mapping[tuple[int, int], int] = {
        pair: beside_zero(_lead(study, kind, rate, pair)) for pair in PAIRS
    }
    named = [
        f"{SOURCES[pair[sign < 0]]} before {SOURCES[pair[sign > 0]]}"
        for pair, sign in found.items()
        if sign
    ]
    return listed(named) if named else "none"


def _whole(share: float) -> str:
    return f"{100 * share:.0f}"
