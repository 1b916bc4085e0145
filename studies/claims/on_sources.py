"""NoisywikiHow's claims about sources of noise, by docs/studies/building.md."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from candidly.compare.corpora.noise import SOURCES
from candidly.show.words import listed
from candidly.stats import paired_difference
from studies.building.runs import METHODS, OF_ALL, RATES, SHOWN

from .judging import Effect, Finding, above, apart, every, named, of_independent, some
from .shelf import Shelf

TAIL = len(SOURCES) - 1
OTHERS = tuple(range(TAIL))
DIFFERS = (
    "corpora of texts that nobody wrote, a linear layer on their TF-IDF in place of language "
    "models; nothing in them is beyond common sense, for which half of the other classes stand"
)
COMMAND = "column -s, -t studies/building/results/runs.csv"


def finding(shelf: Shelf, told: str, effects: Sequence[Effect], said: str) -> Finding:
    data = f"{len(shelf.sources.sizes)} made corpora of articles (building-study.md)"
    return Finding(told, tuple(effects), said, data, DIFFERS, COMMAND, len(shelf.sources.sizes))


def hardest(shelf: Shelf) -> Finding:
    """N6: a tenth of all rows noisy, in one source."""
    study = shelf.sources
    lost = {source: study.lost("of-all", source, OF_ALL) for source in range(len(SOURCES))}
    effects = [
        of_independent(
            f"lost with {OF_ALL} % of all rows noisy in {_name(TAIL)} minus in {_name(source)}",
            paired_difference(lost[TAIL], lost[source]),
            len(OTHERS),
        )
        for source in OTHERS
    ]
    shares = [f"{100 * np.mean(study.local_rates(s)):.0f} % of {_name(s)}" for s in lost]
    return finding(
        shelf,
        every(map(above, effects)),
        effects,
        f"Cross-entropy, on the source's classes. But so many rows are {listed(shares)}: the tail "
        "is small, and more of its own rows are noisy. N7 asks what is left at equal shares.",
    )


def differing(shelf: Shelf) -> Finding:
    """N7: sources at the same share of their own rows."""
    lost = {
        source: _mean([shelf.sources.lost("replaced", source, rate) for rate in RATES])
        for source in range(len(SOURCES))
    }
    pairs = list(itertools.combinations(range(len(SOURCES)), 2))
    effects = [
        of_independent(
            f"lost, {_name(a)} minus {_name(b)}", paired_difference(lost[a], lost[b]), len(pairs)
        )
        for a, b in pairs
    ]
    return finding(
        shelf,
        some(map(apart, effects)),
        effects,
        f"Cross-entropy, the mean over {listed([str(r) for r in RATES])} % of a source's own rows "
        "replaced. Judged is whether two sources differ; within a point they do not.",
    )


def least_done(shelf: Shelf) -> Finding:
    """N8: every method, noise in the tail against noise elsewhere."""
    study = shelf.sources
    effects = {}
    for method in METHODS:
        lost = [study.lost("replaced", source, SHOWN, method) for source in range(len(SOURCES))]
        effects[method] = of_independent(
            f"`{method}`, lost in {_name(TAIL)} minus the mean of the others",
            paired_difference(lost[TAIL], _mean([lost[source] for source in OTHERS])),
            len(METHODS),
        )
    order = sorted(effects.values(), key=lambda effect: effect.mean)
    return finding(
        shelf,
        every(map(above, effects.values())),
        (order[-1], order[0]),
        f"At {SHOWN} % of a source's own rows replaced; shown are the extremes of "
        f"{len(METHODS)} methods. Clearly more is lost in the tail by "
        f"{listed([f'`{n}`' for n in named(effects, above)] or ['none'])}.",
    )


def _mean(several: Sequence[Sequence[float]]) -> list[float]:
    return list(np.mean(several, axis=0))


def _name(source: int) -> str:
    return SOURCES[source]


FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "N6": hardest,
    "N7": differing,
    "N8": least_done,
}
