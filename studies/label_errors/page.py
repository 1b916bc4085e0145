"""docs/studies/label-errors.md: ours beside the published, and what does not reproduce."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scipy.stats import rankdata

from studies.kit.figures import slopes
from studies.kit.template import rendered
from studies.kit.words import grid

from .measure import measure_sample
from .models import SIZES, checks, competition_ranks
from .published import CATEGORIES, COUNTS, appendix, models, table

NAMES = {  # our categories, by column of the published table
    "non_errors": "non-error",
    "non_agreement": "non-agreement",
    "correctable": "correctable",
    "multi_label": "multi-label",
    "neither": "neither",
}
ANSWER = {"multi_label": "both", "neither": "neither"}  # that makes the category
Found = dict[str, Any]
FIGURE = "label-error-study-ranks.svg"
MOVED = 15  # ranks, from which on a line is coloured


def make_page(measured: Found) -> str:
    """The page: the same text from the same results."""
    sets, found = measured["sets"], measured["models"]
    first = table("table1")
    guessed = [one["guessed"] for one in sets.values() if one["guessed"] is not None]
    shares = [
        (_caltech(first[name]) if name == "Caltech-256" else one["estimate"])["percent"]
        for name, one in sets.items()
    ]
    values = {
        "sets": sets,
        "models": found,
        "as_told": sum(_categories(one) == _published(name) for name, one in sets.items()),
        "mean_share": sum(shares) / len(shares),
        "exact": sum(one["asked and lowest"] == one["asked"] for one in guessed),
        "released": len(guessed),
        "table_2": _table2(sets),
        "catch_all": _catch_all(sets),
        "validated": sum(int(row["validated"]) for row in first.values()),
        "checked": sum(int(row["mturk_checked"]) for row in first.values()),
        "table_1": _table1(sets),
        "guessed": _guessed(sets),
        "without_probabilities": [n for n, one in sets.items() if one["guessed"] is None],
        "readings": _readings(sets),
        "slight": [name for name, one in sets.items() if one["slight"]],
        "thresholds": _thresholds(sets),
        "not_reproduced": _not_reproduced(sets),
        "correlations": _correlations(found),
        "crossings": _crossings(found["crossings"]),
        "of_imagenet": len(models("imagenet")),
        "figure": FIGURE,
        "sizes": SIZES,
        "moved": MOVED,
        "model_table": _model_table,
        "checks": lambda which: checks(models(which), SIZES[which]),
    }
    return rendered(Path(__file__).with_name("page.md"), values)


def _published(name: str) -> list[int | None]:
    row = table("table2")[name]
    return [int(row[column]) if row[column] else None for column in CATEGORIES]


def _table2(sets: Found) -> str:
    published, rows = table("table2"), []
    for name, found in sets.items():
        theirs = _published(name)
        same = _categories(found) == theirs
        told = "yes" if same else "**no**"
        rows.append([name, f"{found['rows']:,}", *_shown(found), told])
        if not same:
            checked = published[name]["non_errors"], published[name]["errors"]
            shown = ["–" if value is None else f"{value:,}" for value in theirs]
            rows.append([f"{name}, published", f"{sum(map(int, checked)):,}", *shown, ""])
    header = ["set", "items", "non-error", "error", "non-agreement", "correctable"]
    return grid([*header, "multi-label", "neither", "as published"], rows)


def _catch_all(sets: Found) -> str:
    told = []
    for name, found in sets.items():
        if found["catch-all"]:
            parts = " and ".join(f"{n} for {what}" for what, n in found["catch-all"].items())
            told.append(f"{found['categories']['non-agreement']} of {name} hold {parts}")
    return "; the ".join(told)


def _table1(sets: Found) -> str:
    published, rows = table("table1"), []
    for name, found in sets.items():
        row = published[name]
        estimate = found["estimate"]
        if name == "Caltech-256":
            rows.append(_estimate_row(f"{name}, published votes", _caltech(row), row))
            rows.append(_estimate_row(f"{name}, released votes", estimate, None))
        else:
            rows.append(_estimate_row(name, estimate, row))
    header = ["set", "flagged", "checked", "errors", "in all", "% of the set", "published %"]
    return grid([*header, "Wilson 95 %", "hypergeometric 95 %"], rows)


def _guessed(sets: Found) -> str:
    published, rows = table("table1"), []
    for name, found in sets.items():
        if (own := found["guessed"]) is None:
            continue
        theirs = int(published[name]["cl_guessed"])
        both = f"{own['asked and lowest']:,} of {own['asked']:,}"
        others = [own["off-diagonal"], own["calibrated"], own["expected"]]
        rows.append([name, f"{theirs:,}", both, *(f"{number:,}" for number in others)])
    header = ["set", "CL guessed, published", "asked, among as many lowest margins"]
    return grid([*header, "`off-diagonal`", "`calibrated`", "`expected`"], rows)


def _estimate_row(name: str, e: Found, row: dict[str, str] | None) -> list[str]:
    theirs = "" if row is None else row["percent_error"]
    agrees = row is None or abs(e["percent"] - float(theirs)) <= 0.5 * 10 ** -_digits(theirs) + 1e-6
    return [
        name,
        f"{e['flagged']:,}",
        f"{e['checked']:,}",
        f"{e['found']:,}",
        f"{e['total']:,.1f}".removesuffix(".0"),
        f"{e['percent']:.3f}",
        theirs if agrees else f"**{theirs}**",
        *("census" if e["census"] else _ends(e[how], e["size"]) for how in ("wilson", "finite")),
    ]


def _readings(sets: Found) -> str:
    rows = []
    for name, found in sets.items():
        e, kappa = found["errors"], found["kappa"]
        told = "–" if kappa is None else f"{kappa['value']:.2f}"
        ends = "" if kappa is None else f"{kappa['low']:.2f} to {kappa['high']:.2f}"
        ac1 = "–" if found["ac1"] is None else f"{found['ac1']['value']:.2f}"
        fragile = "–" if found["fragile"] is None else f"{found['fragile']:,}"
        rows.append(
            [
                name,
                f"{found['rows']:,}",
                f"{e['exact']:,}",
                f"{e['seen']:,}",
                fragile,
                told,
                ends,
                ac1,
            ]
        )
    header = ["set", "items", "errors, exact", "errors, seen at all", "fragile", "Fleiss’ κ"]
    return grid([*header, "95 %", "AC1"], rows)


def _thresholds(sets: Found) -> str:
    rows = []
    for name, found in sets.items():
        if found["kappa"] is None:
            continue
        for s in found["settings"]:
            about = "≈ " if s["estimated"] else ""
            rows.append(
                [
                    name,
                    s["name"],
                    *(f"{about}{s[part]:,.0f}" for part in ("corrected", "unsettled", "benign")),
                    f"{100 * s['prevalence']:.2f}",
                    f"{s['percent']:.2f}",
                ]
            )
    header = ["set", "decided by", "correctable C", "unsettled U", "benign B", "C / (B + C), %"]
    return grid([*header, "errors, %"], rows)


def _not_reproduced(sets: Found) -> str:
    news, caltech, mnist = sets["20news"], sets["Caltech-256"], sets["MNIST"]
    first = table("table1")
    rows = [
        [
            "20news, % of labels that are wrong",
            first["20news"]["percent_error"],
            f"{news['estimate']['percent']:.3f}",
            f"{news['errors']['exact']} of {news['size']:,}",
        ],
        [
            "Caltech-256, % of labels that are wrong",
            first["Caltech-256"]["percent_error"],
            f"{_caltech(first['Caltech-256'])['percent']:.3f}",
            "the total of 754.5 was cut to 754 before dividing",
        ],
        [
            "Caltech-256, row of Table 2",
            "; ".join(table("table2")["Caltech-256"][column] for column in CATEGORIES),
            "; ".join(_shown(caltech)),
            f"{caltech['rows']:,} released items, not 400",
        ],
        [
            "Caltech-256, examples",
            f"{int(first['Caltech-256']['size']):,}",
            f"{caltech['labels']:,}",
            "the released labels are without the clutter class",
        ],
    ]
    levels = {s["level"]: s for s in sets["ImageNet"]["settings"] if s["reading"] == "exact"}
    for row in appendix():
        ours = levels[int(row["threshold"])]
        for what, part in (("correctable", "corrected"), ("cleaned", "benign")):
            rows.append(
                [
                    f"ImageNet, {what} set, {row['threshold']} of 5",
                    f"{int(row[what]):,}",
                    f"{ours[part]:,.0f}",
                    "the appendix belongs to an earlier version of the votes",
                ]
            )
    rows += [
        [
            "MNIST, flagged examples",
            f"{int(first['MNIST']['cl_guessed']):,}",
            f"at most {mnist['prediction is not the label']}",
            "so many predictions differ from the label; the formula's expected number is "
            f"{mnist['guessed']['exactly']:.2f}",
        ],
        [
            "ImageNet, ranks in the text",
            "29/24, 20/24, 2/24",
            "of 34",
            "34 models are ranked",
        ],
        [
            "ImageNet, sizes for the setting of 3 of 5",
            "45,618 and 460",
            f"{levels[3]['benign']:,.0f} and {levels[3]['corrected']:,.0f}",
            "in the caption of Figure S1 these are the sizes for 5 of 5",
        ],
    ]
    return grid(["number", "published", "from the files", "why"], rows, numbers=False)


def _correlations(found: Found) -> str:
    rows = [
        [
            name,
            str(c["models"]),
            _signed(c["spearman"]),
            f"{c['p']:.3f}",
            _signed(c["kendall"]),
            f"{c['kendall p']:.3f}",
        ]
        for name, c in found["correlations"].items()
    ]
    header = ["models", "number", "Spearman", "p (Spearman)", "Kendall", "p (Kendall)"]
    return grid(header, rows)


def _crossings(found: Sequence[Found]) -> str:
    """The two sentences of the abstract, from published counts and accuracies."""
    rows = []
    for one, published in zip(found, ("11.4 %", "5 %")):
        ends = f"{100 * one['low']:.1f} to {100 * one['high']:.1f}"
        words = f"{one['behind']} passes {one['ahead']}".replace("_", r"\_")
        set_ = {"imagenet": "ImageNet", "cifar10": "CIFAR-10"}[one["set"]]
        cells = [set_, words, f"{100 * one['share']:.1f} %", ends, f"{one['of']:,}", published]
        rows.append(cells)
    return grid(["test set", "", "share", "range", "examples", "published"], rows, numbers=False)


def rank_figure() -> str:
    """Ranks of the models of ImageNet on the correctable set, by both labels; SVG."""
    chosen = models("imagenet")
    labels = [m.label.removeprefix("PyTorch ").replace("Keras", "K.") for m in chosen]
    sides = ("original_top1", "corrected_top1")
    ranks = [rankdata([-m.right[side] for m in chosen], method="average") for side in sides]
    left, right = (dict(zip(labels, map(float, side))) for side in ranks)
    moved = [name for name in labels if abs(left[name] - right[name]) >= MOVED]
    means = {
        name: (m.right[sides[0]] / SIZES["imagenet"], m.right[sides[1]] / SIZES["imagenet"])
        for name, m in zip(labels, chosen)
    }
    title = f"{len(chosen)} models of ImageNet on the correctable set"
    return slopes((left, right), ("original labels", "corrected labels"), moved, means, title)


def _model_table(which: str) -> str:
    chosen, size = models(which), SIZES[which]
    ranks = {c: competition_ranks([m.right[c] for m in chosen]) for c in COUNTS}
    rows = [
        [m.label.replace("_", r"\_")]
        + [f"{m.right[c]:,} ({100 * m.right[c] / size:.2f} %, {ranks[c][i]})" for c in COUNTS]
        for i, m in enumerate(chosen)
    ]
    header = [f"model, of {size:,}", "original, top 1", "corrected, top 1", "original, top 5"]
    return grid([*header, "corrected, top 5"], rows)


def _categories(found: Found) -> list[int | None]:
    """Ours in the columns of the published table; None for what people could not answer."""
    numbers, offered = found["categories"], found["offered"]
    shown: list[int | None] = []
    for column in CATEGORIES:
        needed = ANSWER.get(column, "guessed")
        if column == "errors":
            shown.append(found["errors"]["exact"])
        elif column == "non_errors" or needed in offered:
            shown.append(numbers[NAMES[column]])
        else:
            shown.append(None)
    return shown


def _shown(found: Found) -> list[str]:
    return ["–" if value is None else f"{value:,}" for value in _categories(found)]


def _caltech(row: dict[str, str]) -> Found:
    numbers = (int(row[k]) for k in ("validated", "mturk_checked", "cl_guessed", "size"))
    return measure_sample(*numbers)


def _ends(interval: Sequence[float], size: int) -> str:
    return " to ".join(f"{100 * end / size:.2f}" for end in interval)


def _digits(text: str) -> int:
    return len(text.partition(".")[2])


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "−")
