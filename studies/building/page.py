"""docs/studies/building.md, from the committed results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from candidly.compare.corpora.noise import SOURCES
from candidly.stats import Summary, paired_difference, summarise
from studies.kit.cells import percent, points, signed
from studies.kit.words import bullets, grid, prose

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
    bold, compared = _count(study)
    parts = [
        "# Which source of noise hurts most",
        prose(_answer(study)),
        f"Written by `{COMMAND}` from `studies/building/results`.",
        prose(_about(study)),
        _corpora(study),
        "## What comes out",
        prose(
            f"""Intervals are of 95 %, over corpora; clear is what such an interval of a difference
            is away from 0, which of twenty is one by chance. Which method is best or lowest is
            seen among {len(OTHERS)}, whose intervals do not allow for that: other corpora may name
            another."""
        ),
        bullets(_findings(study)),
        "## At equal local rates",
        prose(
            f"""Points of accuracy that `{BASE}` loses on the classes of a source when so many of
            the source's own rows are noisy and no others, against no noise. In brackets a 95 %
            interval (Student's t, corpus by corpus). Replaced: the text becomes its nearest of the
            pool, the most alike first. Flipped: rows drawn at random have another label, any of the
            others."""
        ),
        _local(study),
        prose("The same, source against source; in bold where the interval leaves out 0."),
        _against(study),
        "## The paper's way",
        prose(
            f"""As their notes suggest, Wu et al. (Findings of ACL 2023) compare sources with
            {OF_ALL} % of all training rows replaced, all in one source. So the local rate differs:
            it is the higher the smaller the source."""
        ),
        _paper(study),
        "## Methods against single sources",
        prose(
            f"""Points above `{BASE}` on the classes of the source at {SHOWN} % of its own rows, and
            without noise; in brackets the 95 % interval, in bold where it leaves out 0. Of
            {compared} comparisons here, {bold} are bold; by chance it would be
            {compared * 0.05:.0f}, as no interval allows for the others. In each of SEAL's four
            rounds the network begins anew, so a round is {EPOCHS / 4:g} epochs, and short."""
        ),
        _methods(study),
        "## Methods against all sources",
        prose(
            f"""Percent of all test rows when each source has the rate, in brackets points above
            `{BASE}`, in bold where the 95 % interval of these leaves out 0."""
        ),
        _mixed(study),
        "## What this does not say",
        prose(
            """The articles are made up, and nothing in them is beyond common sense. A linear layer
            on 256 numbers of a text stands for networks that read it. Other corpora may name other
            methods, and people's articles another source."""
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _answer(study: Study) -> str:
    equal = [beside_zero(_lead(study, "replaced", rate, pair)) for rate in RATES for pair in PAIRS]
    of_all = [beside_zero(_lead(study, "of-all", OF_ALL, pair)) for pair in PAIRS]
    order = _order(study, "of-all", OF_ALL)
    clear, apart = (sum(sign != 0 for sign in signs) for signs in (equal, of_all))
    return f"""**Where the same share of each source's own rows is noisy, {clear} of {len(equal)}
        differences between sources are clear. Where {OF_ALL} % of all rows are noisy in one source,
        as the paper compares them, {apart} of {len(of_all)} are, and the losses are
        {_losses(study, "of-all", OF_ALL, order)} points: so many rows are a larger share of a
        smaller source.**"""


def _about(study: Study) -> str:
    return f"""NoisywikiHow's noise has three sources: a text gives way to one of a sibling of its
    class (*sub-categories*), or to any other where people would have to know too much (*beyond
    common sense*) or a class is small (*tail*). Which of them hurts most depends on how much of
    each there is; here it is the same share of each. There are {len(study.sizes)} corpora of
    {ARTICLES:,} articles that nobody wrote ([building.md](../building.md)), with classes of more
    than {MORE_THAN} steps, and tail classes of at most {TAIL_AT_MOST}. Nothing in such a corpus is
    beyond common sense: half of the other classes stand for it, as large as the other half, so what
    tells these two apart is only where replacements may come from. {HELD} steps of each class for
    validation and as many for testing are both tested on, as nothing is chosen. Inputs are 256
    numbers of a text (TF-IDF and truncated SVD of training, held-out and pool texts, without
    labels). The network is a linear layer, after {EPOCHS} epochs in batches of {BATCH}; each method
    has its default settings, but what ramps up does so within {RAMP} epochs."""


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


def _count(study: Study) -> tuple[int, int]:
    """How many intervals of that table leave out 0, and of how many."""
    found = [one for name in OTHERS for one in _gains(study, name)]
    return sum(beside_zero(one) != 0 for one in found), len(found)


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


def _findings(study: Study) -> list[str]:
    return [
        _equal(study),
        _of_all(study),
        _flipped(study),
        _without(study),
        _single(study),
        _all_sources(study),
    ]


def _equal(study: Study) -> str:
    order = _order(study, "replaced", SHOWN)
    between = points(_lead(study, "replaced", SHOWN, (order[0], order[1])))
    siblings = _listed(
        [f"{points(_lead(study, 'replaced', rate, (0, 1)))} at {rate} %" for rate in RATES]
    )
    clear = "; ".join(f"at {rate} % {_clear(study, 'replaced', rate)}" for rate in RATES)
    return f"""At {SHOWN} % of a source's own rows, replaced inputs cost `{BASE}`, in points:
    {_losses(study, "replaced", SHOWN, order)}; between the first two lie {between}. Clear
    differences, the source that loses more in front: {clear}. In classes of like size,
    replacements by siblings cost {siblings} more than those from anywhere."""


def _of_all(study: Study) -> str:
    order = _order(study, "of-all", OF_ALL)
    first, *others = order

    def lead(kind: str, rate: int) -> str:
        rest = np.mean([study.lost(kind, source, rate) for source in others], axis=0)
        return points(paired_difference(study.lost(kind, first, rate), list(rest)))

    equal = _listed([f"{lead('replaced', rate)} at {rate} %" for rate in RATES])
    same = [f"{rate} %" for rate in RATES if _order(study, "replaced", rate) == order]
    ranked = f"at {_listed(same)} of a source's own rows" if same else "at no equal rate"
    return f"""With {OF_ALL} % of all rows noisy in one source, the losses are, in points:
    {_losses(study, "of-all", OF_ALL, order)}; clear differences: {_clear(study, "of-all", OF_ALL)}.
    {SOURCES[first].capitalize()} loses {lead("of-all", OF_ALL)} more than the mean of the other two
    there, and at equal local rates {equal}. The same ranking comes out {ranked}."""


def _flipped(study: Study) -> str:
    gaps = [
        paired_difference(
            study.lost("flipped", source, SHOWN), study.lost("replaced", source, SHOWN)
        )
        for source in EVERY
    ]
    said = _listed([f"{SOURCES[source]} {points(gap)}" for source, gap in enumerate(gaps)])
    order = _order(study, "flipped", SHOWN)
    return f"""Flipped labels in {SHOWN} % of a source's rows cost, in points beyond what replaced
    inputs do: {said}. Their own losses are {_losses(study, "flipped", SHOWN, order)}; clear
    differences: {_clear(study, "flipped", SHOWN)}."""


def _single(study: Study) -> str:
    replaced, flipped = ({each: _signs(study, kind, each) for each in EVERY} for kind in LOCAL)
    said = [
        "; ".join(
            f"in {SOURCES[source]} {_listed(names)}"
            for source, found in signs.items()
            if (names := [f"`{name}`" for name, sign in found.items() if sign > 0])
        )
        for signs in (flipped, replaced)
    ]
    gain = [(source, name) for source in EVERY for name in OTHERS if flipped[source][name] > 0]
    turned = sum(replaced[source][name] < 0 for source, name in gain)
    return f"""Methods clearly above `{BASE}` on the classes of the one source of which {SHOWN} %
    are noisy: under flipped labels, {said[0] or "none"}; under replaced inputs,
    {said[1] or "none"}. Of the {len(gain)} gains under flipped labels, {turned} are clear losses
    where the inputs of the same source are replaced."""


def _without(study: Study) -> str:
    """What methods cost where nothing is wrong, and what noise takes from them beyond that."""
    found = {name: study.gained((*CLEAN, name)) for name in OTHERS}
    below = [f"`{name}`" for name, one in found.items() if beside_zero(one) < 0]
    lowest = min(found, key=lambda name: found[name].mean or 0.0)
    few = f"{_listed(below)} (of {len(OTHERS)})" if below else "no methods"
    replaced, flipped = (
        _listed([f"{SOURCES[each]} {points(_taken(study, kind, each))}" for each in EVERY])
        for kind in LOCAL
    )
    return f"""Without noise, clearly below `{BASE}` are {few}; `{lowest}` is lowest, at
    {points(found[lowest])} points. What noise at {SHOWN} % of a source costs methods beyond what it
    costs `{BASE}` is in the mean of the {len(OTHERS)}, for replaced inputs, {replaced}; for flipped
    labels, {flipped}."""


def _taken(study: Study, kind: str, source: int) -> Summary:
    """What noise costs methods in the mean, less what it costs cross-entropy."""
    each = np.mean([study.lost(kind, source, SHOWN, name) for name in OTHERS], axis=0)
    return paired_difference(list(each), study.lost(kind, source, SHOWN))


def _signs(study: Study, kind: str, source: int) -> dict[str, int]:
    """Whether methods are clearly above or below cross-entropy on a source's classes, by name."""
    return {name: beside_zero(study.gained((kind, source, SHOWN, name), source)) for name in OTHERS}


def _all_sources(study: Study) -> str:
    said = []
    for noise in MIXED:
        found = {
            name: study.gained((noise.kind, noise.source, noise.percent, name)) for name in OTHERS
        }
        best = max(found, key=lambda name: found[name].mean or -1.0)
        signs = [beside_zero(one) for one in found.values()]
        said.append(
            f"at {noise.percent} % {signs.count(1)} are clearly above and {signs.count(-1)} "
            f"clearly below, and the best is `{best}` with {points(found[best])}"
        )
    return f"""With all sources at a rate, of {len(OTHERS)} methods against `{BASE}`, in points:
    {"; ".join(said)}."""


def _order(study: Study, kind: str, rate: int) -> list[int]:
    """Sources by what they lose, the most first."""
    return falling({source: study.lost(kind, source, rate) for source in EVERY})


def _losses(study: Study, kind: str, rate: int, order: Sequence[int]) -> str:
    lost = [summarise(study.lost(kind, source, rate)) for source in order]
    return _listed([f"{SOURCES[source]} {points(one)}" for source, one in zip(order, lost)])


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
    return _listed(named) if named else "none"


def _listed(words: Iterable[str]) -> str:
    """
    >>> _listed(["a", "b", "c"])
    'a, b and c'
    """
    *front, last = words
    return f"{', '.join(front)} and {last}" if front else last


def _whole(share: float) -> str:
    return f"{100 * share:.0f}"
