"""NoisywikiHow's claims about many methods, losses and long tails, by the study of texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from candidly.ground import seeds
from candidly.show.words import listed
from candidly.stats import wilson
from studies.building.numbers import beside_zero
from studies.building.runs import METHODS
from studies.kit.rows import BASE, Rows
from studies.texts.numbers import CLEAN, Noise

from .judging import (
    DRAWS,
    HOLDS,
    LARGE,
    LEVEL,
    MANY,
    MARGIN,
    NOT,
    Effect,
    Finding,
    above,
    averaged,
    below,
    every,
    level,
    on_one_test_set,
)
from .on_texts import (
    CROSSED,
    MADE,
    MIDDLE,
    REAL,
    command,
    crossed_gain,
    finding,
    without_interval,
)
from .shelf import Shelf


def crossed_gains(shelf: Shelf) -> tuple[dict[str, Effect], dict[str, Effect]]:
    """Of methods with ten draws of the noise, under synthetic and under replaced inputs."""
    found = [shelf.texts.crossed[kind, MIDDLE] for kind in (MADE, REAL)]
    there = [name for name in found[0].names if name in found[1].names and name != BASE]
    made, real = ({name: crossed_gain(one, name) for name in there} for one in found)
    return made, real


def one_sided(shelf: Shelf) -> Finding:
    """N19: methods that help against synthetic noise and do not against replaced inputs."""
    made, real = crossed_gains(shelf)
    found = [n for n in made if above(made[n]) == HOLDS == below(real[n], MARGIN)]
    effect = share_of(
        f"methods that help at {MIDDLE} % symmetric and do not at {MIDDLE} % replaced", found, made
    )
    return finding(
        above(effect, MANY),
        [effect],
        f"{len(found)} of {len(made)}: {listed([f'`{n}`' for n in found] or ['none'])}. A method "
        "helps where its interval, over draws of the noise, splits and test rows, is above 0; it "
        f"does not where the interval is below {100 * MARGIN:.0f} point, as an interval on both "
        f'sides says neither. "Many" is more than {100 * MANY:.0f} %.',
        CROSSED,
    )


def two_sided(shelf: Shelf) -> Finding:
    """N20: methods that help against both."""
    made, real = crossed_gains(shelf)
    found = [n for n in made if above(made[n]) == HOLDS == above(real[n])]
    open_ = [n for n in made if n not in found and above(real[n], MARGIN) != NOT]
    effect = share_of(f"methods that help at {MIDDLE} % of either noise", found, made)
    return finding(
        below(effect, MANY),
        [effect],
        f"{len(found)} of {len(made)}; of {len(open_)} others it cannot be told under replaced "
        f'inputs. "Few" is less than {100 * MANY:.0f} %. {_on_sources(shelf)}',
        CROSSED,
    )


def _on_sources(shelf: Shelf) -> str:
    """What made corpora say of the same."""
    ours = [name for name in METHODS if name != BASE]
    clear = [
        name for name in ours if beside_zero(shelf.sources.gained(("mix", -1, MIDDLE, name))) > 0
    ]
    return (
        f"On made corpora (building-study.md) {len(clear)} of {len(ours)} help at {MIDDLE} % "
        "replaced inputs."
    )


def share_of(what: str, found: Sequence, there: Sequence) -> Effect:
    """With Wilson's interval."""
    low, high = wilson(len(found), len(there))
    return Effect(what, len(found) / len(there), low, high, share=True)


# losses


def losses(shelf: Shelf) -> Finding:
    """N15: how well the loss tells wrong rows, under both noises."""
    by = {(one["kind"], one["epoch"]): one for one in shelf.texts.losses}
    epochs = sorted({epoch for _, epoch in by})
    effects = [_areas(by[MADE, epoch], by[REAL, epoch], epoch, len(epochs)) for epoch in epochs]
    areas = "; ".join(
        f"after epoch {epoch} {by[MADE, epoch]['area']:.2f} and {by[REAL, epoch]['area']:.2f}"
        for epoch in epochs
    )
    return finding(
        every(above(effect, LARGE) for effect in effects),
        effects,
        f"Areas under ROC of the loss for wrong rows, symmetric and replaced: {areas}. Judged is "
        f"whether they are {LARGE:.2f} apart at least.",
        "python -m json.tool studies/texts/results/losses.json",
    )


def _areas(made: Mapping, real: Mapping, epoch: int, cases: int) -> Effect:
    """Difference of two areas from counts in bins, rows drawn again."""
    rng = seeds.draw(0, f"claims: areas {epoch}")

    def draws(one: Mapping) -> np.ndarray:
        right, wrong = (np.array(one[key]) for key in ("right", "wrong"))
        drawn = [
            rng.multinomial(count.sum(), count / count.sum(), DRAWS) for count in (right, wrong)
        ]
        return area(*drawn)

    found = draws(made) - draws(real)
    tail = (1 - LEVEL) / cases / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    mean = made["area"] - real["area"]
    return Effect(f"area, symmetric minus replaced, after epoch {epoch}", mean, low, high, False, 2)


def area(right: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    """How often a wrong row is in a higher bin than a right one, ties half; of each row of both."""
    before = np.cumsum(right, 1) - right / 2
    return (wrong * before).sum(1) / right.sum(1) / wrong.sum(1)


# long tails


def _tail_gain(tables: Sequence[Rows], names: Sequence[str]) -> tuple[list, list]:
    return (
        averaged(rows[name].selected for rows in tables for name in names),
        averaged(rows[BASE].selected for rows in tables),
    )


def tailed(shelf: Shelf) -> Finding:
    """N25: what methods for long tails gain."""
    tails = shelf.texts.tails
    names = [name for name in tails[CLEAN] if name != BASE]
    tables = [tails[noise] for noise in tails if noise != CLEAN]
    effects = [
        on_one_test_set(
            f"`{name}`, mean of the levels",
            *_tail_gain(tables, [name]),
            tails[CLEAN][BASE].rows,
            len(names),
        )
        for name in names
    ]
    return finding(
        every(below(effect, LARGE) for effect in effects),
        effects,
        f'Minus cross-entropy, selected epoch, replaced inputs; "little" is less than '
        f"{100 * LARGE:.0f} points.",
        command(groups=["tail"], clean=True),
    )


def steady(shelf: Shelf) -> Finding:
    """N26: whether such gains depend on the noise level."""
    tails = shelf.texts.tails
    names = [name for name in tails[CLEAN] if name != BASE]
    without, base = _tail_gain([tails[CLEAN]], names)
    own = np.subtract(without, base)
    noises = [noise for noise in tails if noise != CLEAN]
    effects = [
        without_interval(
            f"{noise[1]} %", list(np.subtract(*_tail_gain([tails[noise]], names))), list(own)
        )
        for noise in noises
    ]
    return finding(
        every(map(level, effects)),
        effects,
        f"The gain of {len(names)} methods, their mean, at a level minus that without noise. "
        f"Judged is whether all are within {100 * MARGIN:.0f} point.",
        command(groups=["tail"], clean=True),
    )


def stopped(shelf: Shelf) -> Finding:
    """N27: what the gains are at the last epoch beyond those at the selected one."""
    tails = shelf.texts.tails
    names = [name for name in tails[CLEAN] if name != BASE]

    def later(noise: Noise) -> list[float]:
        rows = tails[noise]
        gains = [
            np.subtract(rows[name].last, rows[BASE].last)
            - np.subtract(rows[name].selected, rows[BASE].selected)
            for name in names
        ]
        return list(np.mean(gains, axis=0))

    noises = [noise for noise in tails if noise != CLEAN]
    effect = without_interval(
        "gain at the last epoch minus that at the selected one, with noise minus without",
        averaged(later(noise) for noise in noises),
        later(CLEAN),
    )
    return finding(
        above(effect),
        [effect],
        f"The mean of {len(names)} methods and of the levels. If stopping early were the reason, "
        "such methods would gain more at the last epoch, where noise was fitted.",
        command(groups=["tail"], clean=True),
    )


FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "N15": losses,
    "N19": one_sided,
    "N20": two_sided,
    "N25": tailed,
    "N26": steady,
    "N27": stopped,
}
