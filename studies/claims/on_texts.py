"""NoisywikiHow's claims, by the committed study of texts (docs/studies/texts.md).

What a claim says of "every level" is taken level by level, everything else by the mean over the
levels. Intervals of a level are those of docs/studies/texts.md. Of means over levels they have a
part of the test rows, which all splits share, as large as of methods that err independently: of
most levels it was not recorded which rows are predicted right. Of differences of differences it is
not known how large that part is, and there is no interval.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from candidly.stats import crossed_t
from studies.kit.rows import BASE, Row
from studies.texts.carried import carried, carried_gain
from studies.texts.crossed import Crossed
from studies.texts.events import RATES
from studies.texts.numbers import CLEAN
from studies.texts.runs import GROUPS, SPLITS

from .judging import (
    LARGE,
    LEVEL,
    MARGIN,
    Effect,
    Finding,
    above,
    averaged,
    below,
    every,
    on_one_test_set,
    some,
    verdict,
)
from .shelf import Shelf

REAL, MADE = "replaced", "symmetric"
LEVELS = tuple(sorted(rate for rate in RATES if rate))
MIDDLE = 40  # percent: where the claims about many methods are judged
WORDS = {REAL: "replaced inputs", MADE: "symmetric labels"}
THEIRS = ("mixup", "data-parameters", "sr", "co-teaching", "cnlcu-soft", "cnlcu-hard", "seal")
CROSSED = "python -m studies.texts page"  # from studies/texts/results/crossed
DATA = (
    "the 15,800 released events of noisywikiHow's validation and test files, 108 classes, a linear "
    f"layer on a frozen sentence encoder, {SPLITS} splits"
)
DIFFERS = (
    "there BART is fine-tuned on more events, and validation rows are clean; here replacements "
    "come from 50 other classes, and SEAL's four rounds share the ten epochs"
)


def command(
    kinds: Sequence[str] = (REAL,),
    rates: Sequence[int] = LEVELS,
    groups: Sequence[str] = ("few",),
    clean: bool = False,
) -> str:
    """Shows all trials of these, and those without noise."""
    noises = [f"{kind}-{rate}" for kind in kinds for rate in rates]
    noise = " ".join([*["clean-0"] * clean, *noises])
    return (
        f"for n in {noise}; do for g in {' '.join(groups)}; do candidly bench table "
        "studies/texts/results/$n-$g; done; done"
    )


def groups_of(names: Sequence[str]) -> list[str]:
    """The sweeps in which these methods are."""
    wanted = {*names, BASE}
    return [key for key, group in GROUPS.items() if wanted & set(group.algorithms)]


def finding(told: str, effects: Sequence[Effect], said: str, where: str = "") -> Finding:
    return Finding(
        told, tuple(effects), said, DATA, DIFFERS, where or command([REAL, MADE], clean=True)
    )


def without_interval(what: str, one: Sequence, other: Sequence) -> Effect:
    """Of what are differences of accuracies themselves."""
    return Effect(what, float(np.mean(np.subtract(one, other))))


def gains(shelf: Shelf, name: str, kind: str, cases: int) -> list[Effect]:
    """Of a method above cross-entropy, level by level, as docs/studies/texts.md has it."""
    main, crossed = shelf.texts.main, shelf.texts.crossed
    known = [carried(one) for (of, _), one in crossed.items() if of == kind]
    found = []
    for rate in LEVELS:
        rows, what = main[kind, rate], f"`{name}`, {rate} % {WORDS[kind]}"
        test = carried_gain(known, rows, name, True, 1 - (1 - LEVEL) / cases)
        if test is None or test.difference is None:
            own, base = rows[name], rows[BASE]
            found.append(on_one_test_set(what, own.selected, base.selected, base.rows, cases))
        else:
            found.append(Effect(what, test.difference, test.low, test.high))
    return found


def mean_gain(shelf: Shelf, name: str, kind: str, cases: int) -> Effect:
    """The same, the mean of the levels."""
    tables = [shelf.texts.main[kind, rate] for rate in LEVELS]
    return on_one_test_set(
        f"`{name}`, mean of the levels of {WORDS[kind]}",
        averaged(rows[name].selected for rows in tables),
        averaged(rows[BASE].selected for rows in tables),
        tables[0][BASE].rows,
        cases,
    )


def at_levels(
    names: Sequence[str], kind: str, judge: Callable[[Effect], str], join: Callable, said: str
) -> Callable[[Shelf], Finding]:
    """A claim about methods at each level."""

    def find(shelf: Shelf) -> Finding:
        effects = [
            effect
            for name in names
            for effect in gains(shelf, name, kind, len(names) * len(LEVELS))
        ]
        return finding(
            join(map(judge, effects)),
            effects,
            f"Minus cross-entropy. {said}",
            command([kind], groups=groups_of(names)),
        )

    return find


def on_average(
    names: Sequence[str], kind: str, judge: Callable[[Effect], str], join: Callable, said: str
) -> Callable[[Shelf], Finding]:
    """A claim about methods, by the mean of the levels."""

    def find(shelf: Shelf) -> Finding:
        effects = [mean_gain(shelf, name, kind, len(names)) for name in names]
        return finding(
            join(map(judge, effects)),
            effects,
            f"Minus cross-entropy. {said}",
            command([kind], groups=groups_of(names)),
        )

    return find


# noise and epochs


def falls(row: Row) -> list[float]:
    """Best minus last epoch, split by split."""
    return list(np.subtract(row.best, row.last))


def fitted(shelf: Shelf) -> Finding:
    """N1: what later epochs lose with noise beyond what they lose without."""
    main = shelf.texts.main
    effects = [
        without_interval(
            f"best minus last epoch, mean of the levels of {WORDS[kind]}, beyond the same without "
            "noise",
            averaged(falls(main[kind, rate][BASE]) for rate in LEVELS),
            falls(main[CLEAN][BASE]),
        )
        for kind in (REAL, MADE)
    ]
    return finding(
        every(map(above, effects)),
        effects,
        "Cross-entropy. The best epoch by test rows is above the last by chance alone; what is "
        "lost without noise is therefore taken off.",
    )


def costly(shelf: Shelf) -> Finding:
    """N3: what noise costs cross-entropy."""
    main = shelf.texts.main
    effects = [
        on_one_test_set(
            f"no noise minus {rate} % {WORDS[kind]}",
            main[CLEAN][BASE].selected,
            main[kind, rate][BASE].selected,
            main[CLEAN][BASE].rows,
            len(LEVELS),
        )
        for kind in (REAL, MADE)
        for rate in LEVELS
    ]
    real = effects[: len(LEVELS)]
    return finding(
        above(real[-1], LARGE),
        effects,
        f"Cross-entropy, selected epoch. Judged is whether the highest level of replaced inputs, "
        f"the paper's noise, costs more than {100 * LARGE:.0f} points.",
    )


def falling_less(shelf: Shelf) -> Finding:
    """N21: best minus last epoch under both noises."""
    main = shelf.texts.main
    effect = without_interval(
        "best minus last epoch, symmetric minus replaced, mean of the levels",
        averaged(falls(main[MADE, rate][BASE]) for rate in LEVELS),
        averaged(falls(main[REAL, rate][BASE]) for rate in LEVELS),
    )
    return finding(
        above(effect, MARGIN),
        [effect],
        f"Cross-entropy. Judged is whether it is more than {100 * MARGIN:.0f} point.",
    )


def easier(shelf: Shelf) -> Finding:
    """N22: accuracy under both noises."""
    main = shelf.texts.main
    tables = {
        kind: averaged(main[kind, rate][BASE].selected for rate in LEVELS) for kind in (REAL, MADE)
    }
    rows = main[CLEAN][BASE].rows
    effect = on_one_test_set(
        "replaced minus symmetric, mean of the levels", tables[REAL], tables[MADE], rows
    )
    return finding(above(effect), [effect], "Cross-entropy, selected epoch.")


def crossed_gain(crossed: Crossed, name: str, cases: int = 1) -> Effect:
    """Above cross-entropy, over draws of the noise, splits and test rows."""
    test = crossed_t(crossed.over(name, BASE), 1 - (1 - LEVEL) / cases)
    assert test.difference is not None
    return Effect(f"`{name}`", test.difference, test.low, test.high)


def not_always(shelf: Shelf) -> Finding:
    """N23: the paper's methods where the noise was drawn several times."""
    crossed = shelf.texts.crossed[REAL, MIDDLE]
    names = [name for name in THEIRS if name in crossed.names]
    effects = [crossed_gain(crossed, name, len(names)) for name in names]
    return finding(
        some(map(below, effects)),
        effects,
        f"Minus cross-entropy, {MIDDLE} % {WORDS[REAL]}, over draws of the noise, splits and test "
        "rows. Judged is whether one of the paper's methods is below.",
        CROSSED,
    )


WITHIN = f"between 0 and {100 * LARGE:.0f} points"
FINDINGS: Mapping[str, Callable[[Shelf], Finding | None]] = {
    "N1": fitted,
    "N3": costly,
    "N9": at_levels(
        ["mixup"],
        REAL,
        lambda e: verdict(e, 0, LARGE),
        every,
        f'"Above, by little" is {WITHIN}, at each level.',
    ),
    "N10": at_levels(
        ["data-parameters"],
        REAL,
        lambda e: verdict(e, -MARGIN, LARGE),
        every,
        '"Level or slightly above" is between less than a point below and five points above.',
    ),
    "N11": on_average(
        ["co-teaching", "cnlcu-soft", "cnlcu-hard"], REAL, below, every, "All three are judged."
    ),
    "N12": at_levels(["sr"], REAL, above, some, "Judged is whether it is above at one level."),
    "N13": at_levels(
        ["seal"], REAL, lambda e: above(e, LARGE), every, '"Large" is more than five points.'
    ),
    "N16": at_levels(["seal", "mixup"], MADE, above, every, ""),
    "N17": at_levels(["sr"], MADE, above, every, ""),
    "N18": on_average(
        ["co-teaching", "data-parameters", "cnlcu-soft", "cnlcu-hard"],
        MADE,
        lambda e: above(e, MARGIN),
        every,
        "A clear margin is more than a point.",
    ),
    "N21": falling_less,
    "N22": easier,
    "N23": not_always,
}
