"""docs/studies/texts.md, from the committed results."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from candidly.show.words import listed
from candidly.stats import PairedT, crossed_t, holm
from studies.kit.by_rows import AHEAD, BEHIND, verdicts
from studies.kit.cells import gained, percent, points, signed
from studies.kit.oracles import is_oracle
from studies.kit.rows import BASE, Row, Rows, apart, gain
from studies.kit.words import grid

from .carried import Carried, carried, carried_gain
from .crossed import AXES, DRAWS, Crossed
from .events import KINDS, RATES
from .figures import beside, curves, distributions
from .numbers import CLEAN, Noise, Study, called, noises
from .runs import EPOCHS, EVERY, FEW, LONG, NETS, SPLITS, TAIL

PAGE, IMAGE = "studies/texts.md", "text-"
COMMAND = "python -m studies.texts"
SHOWN: tuple[Noise, Noise] = (("replaced", 40), ("symmetric", 40))
STRUCK = {"replaced": "texts are replaced", "symmetric": "labels are wrong at random"}
WHAT = {"replaced": "Replaced inputs", "symmetric": "Symmetric labels"}
OF_NETS = {
    "bilstm": "BiLSTM, from scratch, 10 epochs",
    "encoder": "small encoder, from scratch, 10 epochs",
    "fine-tuned": "the sentence encoder, fine-tuned, 3 epochs",
}


def make_page(study: Study) -> tuple[str, dict[str, str]]:
    """The page's text, and its figures as SVG by file name."""
    main = study.main
    panels = {called(noise): main[noise] for noise in (CLEAN, *SHOWN) if noise in main}
    names = [name for name in FEW if all(name in rows for rows in panels.values())]
    images = {
        "curves.svg": curves(panels, names),
        "gains.svg": beside(*(_means(study, noise) for noise in SHOWN)),
        "losses.svg": distributions(study.losses),
    }
    shown = {name: f"![{{}}](../images/{IMAGE}{name})" for name in images}
    parts = [
        "# Noisy labels on texts",
        _answer(study),
        f"Written by `{COMMAND}` from `studies/texts/results`.",
        _about(),
        "## What noise costs cross-entropy",
        "Points of test accuracy.",
        _costs(main),
        "## Selected accuracy minus cross-entropy's",
        _of_gains(study),
        shown["gains.svg"].format("Points gained under symmetric labels and replaced inputs"),
        "A point is an algorithm, its gains over draws of the noise; those far below stand in the "
        "tables alone.",
        *_gains(study),
        *_crossed(study.crossed),
        "## The paper's conclusions, here",
        "With a frozen encoder and default settings, these are not the paper's experiments; they "
        "say what holds in them. Differences are in points, with 95 % intervals where it is known "
        "which test rows are right.",
        _conclusions(study),
        "## Losses of right and wrong rows",
        _of_losses(),
        shown["losses.svg"].format("Distributions of the loss"),
        "## Long tails",
        _of_tails(),
        _tails(study.tails),
        _of_adjusting(study.tails),
        "## Networks that read the texts",
        "Cross-entropy, beside the linear layer on frozen vectors. In brackets the number of "
        "splits; the settings of each network are its usual ones, but the rate of fine-tuning is "
        "2e-4: at the usual 3e-5, three epochs of so few rows are too short (after two of them, "
        "27.6 % of the test rows were right).",
        _nets(study),
        "## Accuracy by epoch",
        shown["curves.svg"].format("Test accuracy by epoch"),
        *_every(main),
        *_missing(study),
        "## What this does not say",
        "One set of texts, a sentence encoder that learns nothing and a linear layer, with default "
        "settings; the paper fine-tunes BART. Noise was drawn several times at 40 % alone, so that "
        "intervals at other levels rest on what was seen there. Algorithms that are not in the "
        "answer were trained on one draw.",
    ]
    return "\n\n".join(parts) + "\n", {f"{IMAGE}{name}": svg for name, svg in images.items()}


def _answer(study: Study) -> str:
    """Who is ahead of cross-entropy where the noise was drawn several times."""
    tests = {
        (noise, name): found.gain(name, BASE)
        for noise, found in study.crossed.items()
        for name in found.names
        if name != BASE
    }
    if not tests:
        return "The noise was drawn once, so that nothing is judged."
    fair = {key: test for key, test in tests.items() if not is_oracle(key[1])}
    said, told = verdicts(fair, ""), []
    for noise in study.crossed:
        kind, rate = noise
        own = {name: fair[key] for key in fair if key[0] == noise for name in key[1:]}
        best = max(own, key=lambda name, own=own: own[name].difference or 0)
        counts = [sum(said[noise, name] == one for name in own) for one in (AHEAD, BEHIND)]
        told.append(
            f"where {rate} % of the {STRUCK[kind]}, {counts[0]} of {len(own)} algorithms are "
            f"ahead of cross-entropy and {counts[1]} behind (the largest gain: `{best}`, "
            f"{signed(own[best], False)} points)"
        )
    return (
        f"**Over {DRAWS} draws of the noise, {listed(told)}.** By tests over draws, splits and "
        "test rows together, corrected for all comparisons (Holm, 5 %)."
    )


def _about() -> str:
    text = f"""The 15,800 events of the released validation and test files of noisywikiHow. Of 158
classes, 108 drawn at random are the labels; the 5,000 events of the other 50 are the pool. A fifth
of each class is for testing, without noise. Of the other 8,640 rows, a quarter (drawn anew for each
of {SPLITS} splits) is for validation, with the same noise as the training rows; `selected` is the
epoch that is best there, `best` the one that is best on the test rows, which nobody can choose.
Replaced inputs: the text becomes its nearest of the pool and the label stays, the most alike first
(`open-set`), no text of the pool twice; so where 60 % is asked for only 57.9 % can be replaced, and
as many labels are wrong beside it. Both noises are drawn over training and validation rows
together. A linear layer on a sentence encoder's 384 numbers, which stay as they are; {EPOCHS}
epochs in batches of 64, each algorithm with its default settings.

What differs from the paper (Wu et al., Findings of ACL 2023): there a pretrained BART is fine-tuned
on more events and validation rows are clean. Nearness is here that of the same numbers which the
linear layer learns from. In each of SEAL's four rounds the network begins anew, so a round is two
and a half epochs here, and ten there."""
    return text.replace("\n\n", "\0").replace("\n", " ").replace("\0", "\n\n")


def _means(study: Study, noise: Noise) -> dict[str, float]:
    """Gains in points, over draws of the noise where there are some."""
    found, rows = study.crossed.get(noise), study.main[noise]
    tests = (
        {n: gain(rows, n) for n in EVERY if n != BASE and n in rows}
        if found is None
        else {n: found.gain(n, BASE) for n in found.names if n != BASE}
    )
    return {name: 100 * (test.difference or 0.0) for name, test in tests.items()}


def _of_gains(study: Study) -> str:
    if not study.crossed:
        return "Points of test accuracy, the mean of the splits of one draw of the noise."
    ratios = [
        known.ratio(rows) for noise, rows in study.main.items() for known in _carried(study, noise)
    ]
    return (
        "Points of test accuracy, the mean of the splits of one draw of the noise. In brackets a "
        "95 % interval over other draws of the noise, other splits and other test rows, and in "
        "bold what leaves out 0, of many comparisons. How much each of these makes a gain vary is "
        "taken from the same kind of noise at 40 %, where it was drawn several times (below), and "
        "without noise the larger of both kinds, less what draws alone add; what was not trained "
        "there has no interval. That takes it to be alike at all levels: "
        "the spread over splits, which can be seen at each, is "
        f"{min(ratios):.1f} to {max(ratios):.1f} times what it is taken for (medians over the "
        "algorithms)."
    )


def _of_losses() -> str:
    return (
        "Cross-entropy on the linear layer, after one, two, four and ten epochs: the losses of the "
        "rows it learns from, those that are as they were and those that are replaced or wrongly "
        "labelled. The number is how often a wrong row has a higher loss than a right one (the "
        "area under the ROC curve), which methods that trust small losses live on. The nearest "
        "text of another category is a plausible one: its loss hardly gives it away."
    )


def _of_tails() -> str:
    return (
        f"Training rows thinned out so that the largest class has {TAIL:g} times the rows of the "
        "smallest, as in NoisywikiHow, in an order drawn at random: 80 rows down to 6, 3,122 in "
        "all. The test rows stay balanced. `adjusted`: the same predictions less the logarithm of "
        "each class's share of the training labels. Accuracy of the selected epoch and, below, "
        f"what each method adds to cross-entropy's; {EPOCHS} epochs for all, stages included."
    )


def _of_adjusting(tails: Mapping[Noise, Rows]) -> str:
    """Whether any method gains more than what costs nothing."""
    if CLEAN not in tails:
        return ""
    rows = tails[CLEAN]
    free = apart(rows[BASE], rows[BASE], "adjusted")
    best = max((n for n in LONG if n != BASE), key=lambda n: gain(rows, n).difference or -1.0)
    return (
        f"Without noise, adjusting cross-entropy's predictions gains {points(free)}, which takes no"
        f" training; the best of the methods, `{best}`, gains {points(gain(rows, best))}."
    )


def _costs(main: Mapping[Noise, Rows]) -> str:
    """What noise costs cross-entropy, and what selecting an epoch does."""
    clean, rows = main[CLEAN][BASE], []
    for noise in (noise for noise in main if noise != CLEAN):
        row = main[noise][BASE]
        later = apart(row, row, "best", "last")
        rows.append([called(noise), points(apart(clean, row)), points(later)])
    return grid(
        ["noise", "no noise minus this, selected", "best minus last epoch"], rows, numbers=False
    )


def _gains(study: Study) -> list[str]:
    parts, main = [], study.main
    for kind in KINDS:
        there = [noise for noise in main if noise == CLEAN or noise[0] == kind]
        names = [n for n in EVERY if n != BASE and any(n in main[noise] for noise in there)]
        head = ["algorithm", *(f"{noise[1]} %" if noise[1] else "no noise" for noise in there)]
        rows = [[f"`{n}`", *(_gain(study, noise, n) for noise in there)] for n in names]
        parts += [f"### {WHAT[kind]}", grid(head, rows, numbers=False)]
    return parts


def _gain(study: Study, noise: Noise, name: str) -> str:
    rows = study.main[noise]
    if name not in rows:
        return ""
    found = carried_gain(_carried(study, noise), rows, name, noise != CLEAN)
    return gained(rows, name) if found is None else signed(found)


def _carried(study: Study, noise: Noise) -> list[Carried]:
    """Of the kind of this noise, or without noise of all kinds, where they were drawn often."""
    kinds = KINDS if noise == CLEAN else noise[:1]
    return [carried(one) for drawn, one in study.crossed.items() if drawn[0] in kinds]


def _conclusions(study: Study) -> str:
    """What the paper concludes, and what these results say of it, a line each."""
    main = study.main
    costs = {
        kind: ", ".join(
            f"{_cost(main, (kind, rate))} at {rate} %"
            for rate in sorted(RATES)
            if (kind, rate) in main and rate
        )
        for kind in KINDS
    }
    real, made = (main[noise][BASE] for noise in SHOWN)
    fall = [
        row.right["best"].astype(float) - row.right["last"]
        for row in (made, real)
        if {"best", "last"} <= row.right.keys()
    ]
    falls = points(crossed_t(fall[0] - fall[1])) if len(fall) == 2 else "–"
    above = [
        _clear(study.crossed[noise]) if noise in study.crossed else _above(main[noise])
        for noise in SHOWN
    ]
    rows = [
        [
            "accuracy falls as noise grows",
            f"cross-entropy loses, by replaced inputs: {costs['replaced']}; by symmetric labels: "
            f"{costs['symmetric']}",
        ],
        [
            "a model generalises better under real-world noise than under synthetic noise of the "
            "same rate",
            "cross-entropy under replaced inputs minus symmetric, 40 %: "
            f"{points(apart(real, made))}",
        ],
        [
            "the accuracy of later epochs falls less under real-world noise",
            f"best minus last epoch, symmetric minus replaced, 40 %: {falls}",
        ],
        [
            "what helps against synthetic noise does not help against real-world noise",
            f"clearly above cross-entropy at 40 % symmetric: {above[1]}; at 40 % replaced: "
            f"{above[0]}",
        ],
    ]
    for name, said in (
        ("mixup", "mixup gains a little under both"),
        ("co-teaching", "co-teaching gains little, and less as noise grows"),
        ("cnlcu-hard", "CNLCU, which keeps rows that are seldom chosen, gains little"),
        ("seal", "SEAL gains most under both, in 40 epochs where others have 10"),
    ):
        if all(name in main[noise] for noise in SHOWN):
            gains = [
                signed(study.crossed[noise].gain(name, BASE), clear=False)
                if noise in study.crossed
                else gained(main[noise], name).strip("*")
                for noise in SHOWN
            ]
            rows.append(
                [
                    said,
                    f"`{name}` minus cross-entropy: {gains[0]} at 40 % replaced, {gains[1]} at "
                    "40 % symmetric",
                ]
            )
    if all(noise in study.tails for noise in (CLEAN, SHOWN[0])):
        said = [
            f"{_above(study.tails[noise], LONG)} with {called(noise)}"
            for noise in (CLEAN, SHOWN[0])
        ]
        rows.append(
            [
                "long-tail methods gain little, and some nothing",
                f"clearly above cross-entropy on long-tailed rows: {'; '.join(said)}",
            ]
        )
    return grid(["the paper", "here"], rows, numbers=False)


def _cost(main: Mapping[Noise, Rows], noise: Noise) -> str:
    lost = apart(main[CLEAN][BASE], main[noise][BASE]).difference
    return "–" if lost is None else f"{100 * lost:.1f}".replace("-", "−")


def _above(rows: Rows, of: tuple[str, ...] = EVERY) -> str:
    """Algorithms whose interval lies above 0, of how many."""
    names = [name for name in of if name != BASE and name in rows]
    if not any(rows[name].right for name in names):
        return f"cannot be told (of {len(names)})"
    found = [n for n in names if (gain(rows, n).low or 0.0) > 0]
    listed = ", ".join(f"`{name}`" for name in found) or "none"
    return f"{listed} (of {len(names)})"


def _clear(crossed: Crossed) -> str:
    """Algorithms that are clearly above cross-entropy over draws of the noise, of how many."""
    tests = _tests(crossed)
    found = [name for name, (test, clear) in tests.items() if clear and (test.difference or 0) > 0]
    return f"{', '.join(f'`{name}`' for name in found) or 'none'} (of {len(tests)})"


def _tests(crossed: Crossed) -> dict[str, tuple[PairedT, bool]]:
    """Every algorithm minus cross-entropy; clear: by Holm's correction over all of them."""
    names = [name for name in crossed.names if name != BASE]
    tests = [crossed.gain(name, BASE) for name in names]
    p = holm(np.array([1.0 if test.p is None else test.p for test in tests]))
    return {name: (test, bool(q <= 0.05)) for name, test, q in zip(names, tests, p)}


def _crossed(found: Mapping[Noise, Crossed]) -> list[str]:
    if not found:
        return []
    draws = min(len(one.right) for one in found.values())
    tests = {noise: _tests(one) for noise, one in found.items()}
    names = [n for n in EVERY if any(n in of for of in tests.values())]
    gains = [
        [f"`{n}`", *(signed(*of[n]) if n in of else "" for of in tests.values())] for n in names
    ]
    return [
        f"### Over {draws} draws of the noise",
        f"The same with the noise drawn {draws} times, for each draw {SPLITS} splits, all on the "
        "same test rows: which labels are wrong, or which four in five events of the pool may "
        "replace others. In brackets 95 % intervals over other draws of the noise, other splits "
        "and other test rows; in bold: p is at most 0.05 after Holm's correction over a column.",
        grid(["algorithm", *map(called, found)], gains, numbers=False),
        "What makes such a difference vary, in points: the standard deviation that one draw of "
        "each kind adds (medians over algorithms; 0 where it cannot be told from nothing), and "
        "below it the standard error of a mean, first as a study with one draw of the noise would "
        "see it, then as it is.",
        grid(["", *map(called, found)], _parts_of(found), numbers=False),
    ]


def _parts_of(found: Mapping[Noise, Crossed]) -> list[list[str]]:
    columns = []
    for one in found.values():
        names = [name for name in one.names if name != BASE]
        parts = [one.parts(name, BASE) for name in names]
        draws, splits, rows = one.right.shape[0], one.right.shape[1], one.right.shape[3]
        middle = {axes: max(float(np.median([p[axes] for p in parts])), 0.0) for axes in parts[0]}
        errors = {  # how many of each are drawn, and which of them an estimate sees
            f"{splits} splits of one draw, as splits alone show it": ((1, splits, rows), {1}),
            f"{splits} splits of one draw, as splits and test rows show it": (
                (1, splits, rows),
                {1, 2},
            ),
            f"{splits} splits of one draw": ((1, splits, rows), {0, 1, 2}),
            f"{draws} draws by {splits} splits": ((draws, splits, rows), {0, 1, 2}),
        }
        column = {_named(axes): 100 * value**0.5 for axes, value in middle.items()}
        for name, (sizes, seen) in errors.items():
            drawn = [
                value / float(np.prod([sizes[axis] for axis in axes]))
                for axes, value in middle.items()
                if seen & set(axes)
            ]
            column[f"standard error: {name}"] = 100 * sum(drawn) ** 0.5
        columns.append(column)
    return [[name, *(f"{column[name]:.2f}" for column in columns)] for name in columns[0]]


def _named(axes: tuple[int, ...]) -> str:
    return " × ".join(AXES[axis] for axis in axes)


def _tails(tails: Mapping[Noise, Rows]) -> str:
    there = [noise for noise in noises() if noise in tails]
    rows = []
    for what, name in (("selected", "top-1"), ("adjusted", "top-1, adjusted"), ("five", "top-5")):
        values = [percent(getattr(tails[noise][BASE], what)) for noise in there]
        rows.append([f"`{BASE}`, {name}", *values])
    adjusted = [signed(apart(tails[x][BASE], tails[x][BASE], "adjusted")) for x in there]
    rows.append([f"`{BASE}`, adjusted minus plain", *adjusted])
    for name in (name for name in LONG if name != BASE):
        rows.append([f"`{name}` minus `{BASE}`", *(gained(tails[x], name) for x in there)])
    return grid(["", *map(called, there)], rows, numbers=False)


def _nets(study: Study) -> str:
    there = [CLEAN, *SHOWN]
    head = [
        "network",
        *(f"{called(noise)}, {what}" for noise in there for what in ("selected", "last")),
    ]
    frozen = {noise: study.main[noise][BASE] for noise in there}
    rows = [_net("linear, 10 epochs", frozen, there)]
    rows += [_net(OF_NETS[name], of, there) for name, of in study.nets.items()]
    lost = [f"the linear layer {_lost(frozen)}"]
    lost += [f"{OF_NETS[name].partition(',')[0]} {_lost(of)}" for name, of in study.nets.items()]
    said = f"To 40 % replaced inputs they lose, in points: {', '.join(lost)}."
    why = (
        "What replaces a text is near it in the vectors that the linear layer sees, so the noise "
        "is mildest there."
    )
    return f"{grid(head, rows, numbers=False)}\n\n{said} {why}"


def _lost(of: Mapping[Noise, Row]) -> str:
    if SHOWN[0] not in of or CLEAN not in of:
        return "(not run)"
    return f"{100 * (np.mean(of[CLEAN].selected) - np.mean(of[SHOWN[0]].selected)):.1f}"


def _net(name: str, of: Mapping[Noise, Row], there: list[Noise]) -> list[str]:
    count = max(len(row.selected) for row in of.values())
    cells = [
        percent(getattr(of[noise], what)) if noise in of else ""
        for noise in there
        for what in ("selected", "last")
    ]
    return [f"{name} ({count})", *cells]


def _every(main: Mapping[Noise, Rows]) -> list[str]:
    parts = ["## Every algorithm", "Percent of the test rows, the mean of the splits."]
    for noise, rows in main.items():
        there = [name for name in EVERY if name in rows]
        of = [(n, rows[n].best, rows[n].selected, rows[n].last, rows[n].five) for n in there]
        body = [[f"`{name}`", *map(percent, values)] for name, *values in of]
        head = ["algorithm", "best", "selected", "last", "top-5, selected"]
        parts += [f"### {called(noise)}", grid(head, body, numbers=False)]
    return parts


def _missing(study: Study) -> list[str]:
    """What is planned and not in the results; nothing where all is there."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for noise in noises():
        names = tuple(name for name in EVERY if name not in study.main.get(noise, {}))
        alike.setdefault(names, []).append(called(noise))
    lacking = [
        f"* {', '.join(where)}: {', '.join(f'`{n}`' for n in names)}"
        for names, where in alike.items()
        if names
    ]
    for name, group in NETS.items():
        lacks = [called(x) for x in group.noises if x not in study.nets.get(name, {})]
        lacking += [f"* {OF_NETS[name]}: {', '.join(lacks)}"] if lacks else []
    return ["## What is missing", "\n".join(lacking)] if lacking else []
