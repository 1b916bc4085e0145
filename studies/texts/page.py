"""docs/studies/texts.md, from the committed results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from candidly.stats import PairedT, crossed_t, holm
from studies.kit.by_rows import AHEAD, BEHIND, verdicts
from studies.kit.cells import gained, percent, points, signed
from studies.kit.oracles import is_oracle
from studies.kit.rows import BASE, Row, Rows, apart, gain
from studies.kit.template import rendered
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
    main, drawn = study.main, study.crossed
    panels = {called(noise): main[noise] for noise in (CLEAN, *SHOWN) if noise in main}
    names = [name for name in FEW if all(name in rows for rows in panels.values())]
    images = {
        "curves.svg": curves(panels, names),
        "gains.svg": beside(*(_means(study, noise) for noise in SHOWN)),
        "losses.svg": distributions(study.losses),
    }
    frozen = {noise: main[noise][BASE] for noise in (CLEAN, *SHOWN)}
    nets = {OF_NETS[name]: of for name, of in study.nets.items()}
    values = {
        "command": COMMAND,
        "image": IMAGE,
        "answers": _answers(drawn),
        "struck": STRUCK,
        "draws": DRAWS,
        "splits": SPLITS,
        "epochs": EPOCHS,
        "tail": TAIL,
        "costs": _costs(main),
        "ratios": [
            one.ratio(rows) for noise, rows in main.items() for one in _carried(study, noise)
        ],
        "gains": _gains(study),
        "drawn": min((len(one.right) for one in drawn.values()), default=0),
        "over_draws": _over_draws(drawn),
        "parts": grid(["", *map(called, drawn)], _parts_of(drawn), numbers=False),
        "conclusions": _conclusions(study),
        "tails": _tails(study.tails),
        "adjusting": _adjusting(study.tails),
        "nets": _nets({"linear, 10 epochs": frozen} | nets),
        "lost_by_nets": [
            f"{name.partition(',')[0]} {_lost(of)}"
            for name, of in ({"the linear layer": frozen} | nets).items()
        ],
        "every": _every(main),
        "missing": _missing(study),
    }
    text = rendered(Path(__file__).with_name("page.md"), values)
    return text, {f"{IMAGE}{name}": svg for name, svg in images.items()}


def _answers(drawn: Mapping[Noise, Crossed]) -> list[dict]:
    """Who is ahead of cross-entropy where the noise was drawn several times."""
    fair = {
        (noise, name): found.gain(name, BASE)
        for noise, found in drawn.items()
        for name in found.names
        if name != BASE and not is_oracle(name)
    }
    said, told = verdicts(fair, "") if fair else {}, []
    for noise in drawn:
        own = {name: test for (where, name), test in fair.items() if where == noise}
        best = max(own, key=lambda name, own=own: own[name].difference or 0)
        counts = Counter(said[noise, name] for name in own)
        told.append(
            {
                "noise": noise,
                "of": len(own),
                "ahead": counts[AHEAD],
                "behind": counts[BEHIND],
                "best": best,
                "gain": signed(own[best], False),
            }
        )
    return told


def _means(study: Study, noise: Noise) -> dict[str, float]:
    """Gains in points, over draws of the noise where there are some."""
    found, rows = study.crossed.get(noise), study.main[noise]
    tests = (
        {n: gain(rows, n) for n in EVERY if n != BASE and n in rows}
        if found is None
        else {n: found.gain(n, BASE) for n in found.names if n != BASE}
    )
    return {name: 100 * (test.difference or 0.0) for name, test in tests.items()}


def _adjusting(tails: Mapping[Noise, Rows]) -> dict[str, str] | None:
    """Whether any method gains more than what costs nothing."""
    if CLEAN not in tails:
        return None
    rows = tails[CLEAN]
    best = max((n for n in LONG if n != BASE), key=lambda n: gain(rows, n).difference or -1.0)
    free = points(apart(rows[BASE], rows[BASE], "adjusted"))
    return {"free": free, "best": best, "gain": points(gain(rows, best))}


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


def _gains(study: Study) -> list[tuple[str, str]]:
    parts, main = [], study.main
    for kind in KINDS:
        there = [noise for noise in main if noise == CLEAN or noise[0] == kind]
        names = [n for n in EVERY if n != BASE and any(n in main[noise] for noise in there)]
        head = ["algorithm", *(f"{noise[1]} %" if noise[1] else "no noise" for noise in there)]
        rows = [[f"`{n}`", *(_gain(study, noise, n) for noise in there)] for n in names]
        parts.append((WHAT[kind], grid(head, rows, numbers=False)))
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


def _over_draws(found: Mapping[Noise, Crossed]) -> str:
    tests = {noise: _tests(one) for noise, one in found.items()}
    names = [n for n in EVERY if any(n in of for of in tests.values())]
    gains = [
        [f"`{n}`", *(signed(*of[n]) if n in of else "" for of in tests.values())] for n in names
    ]
    return grid(["algorithm", *map(called, found)], gains, numbers=False)


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
    named = columns[0] if columns else ()
    return [[name, *(f"{column[name]:.2f}" for column in columns)] for name in named]


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


def _nets(nets: Mapping[str, Mapping[Noise, Row]]) -> str:
    there = [CLEAN, *SHOWN]
    head = [f"{called(noise)}, {what}" for noise in there for what in ("selected", "last")]
    rows = [_net(name, of, there) for name, of in nets.items()]
    return grid(["network", *head], rows, numbers=False)


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


def _every(main: Mapping[Noise, Rows]) -> list[tuple[str, str]]:
    parts = []
    for noise, rows in main.items():
        there = [name for name in EVERY if name in rows]
        of = [(n, rows[n].best, rows[n].selected, rows[n].last, rows[n].five) for n in there]
        body = [[f"`{name}`", *map(percent, values)] for name, *values in of]
        head = ["algorithm", "best", "selected", "last", "top-5, selected"]
        parts.append((called(noise), grid(head, body, numbers=False)))
    return parts


def _missing(study: Study) -> list[str]:
    """What is planned and not in the results; nothing where all is there."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for noise in noises():
        names = tuple(name for name in EVERY if name not in study.main.get(noise, {}))
        alike.setdefault(names, []).append(called(noise))
    lacking = [
        f"{', '.join(where)}: {', '.join(f'`{n}`' for n in names)}"
        for names, where in alike.items()
        if names
    ]
    for name, group in NETS.items():
        lacks = [called(x) for x in group.noises if x not in study.nets.get(name, {})]
        lacking += [f"{OF_NETS[name]}: {', '.join(lacks)}"] if lacks else []
    return lacking
