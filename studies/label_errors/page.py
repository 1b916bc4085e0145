"""docs/studies/label-errors.md: ours beside the published, and what does not reproduce."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scipy.stats import rankdata

from candidly.show.words import listed
from studies.kit.figures import slopes
from studies.kit.words import grid, prose

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
COMMAND = """```console
$ CANDIDLY_DATA=~/data candidly errors find --by margin --count expected --top 3 \\
    --labels ~/data/label_errors/original_test_labels/cifar10_test_set_original_labels.npy \\
    --probs ~/data/label_errors/cross_validated_predicted_probabilities/cifar10_test_set_pyx.npy
```"""


def make_page(measured: Found) -> str:
    """The page: the same text from the same results."""
    sets = measured["sets"]
    parts = [*_introduction(sets), *_table2(sets), *_table1(sets), *_guessed(sets)]
    parts += [
        *_readings(sets),
        *_thresholds(sets),
        *_not_reproduced(sets),
        *_models(measured["models"]),
    ]
    return "\n\n".join(parts) + "\n"


def _answer(sets: Found) -> str:
    published = table("table2")
    as_told = [
        _categories(found)
        == [int(published[name][c]) if published[name][c] else None for c in CATEGORIES]
        for name, found in sets.items()
    ]
    first, shares = table("table1"), []
    for name, found in sets.items():
        votes = _caltech(first[name]) if name == "Caltech-256" else found["estimate"]
        shares.append(votes["percent"])
    guessed = [found["guessed"] for found in sets.values() if found["guessed"] is not None]
    exact = sum(one["asked and lowest"] == one["asked"] for one in guessed)
    return f"""**The published tables come out again: {sum(as_told)} of {len(sets)} rows of what
        people said, a mean of {sum(shares) / len(shares):.2f} % wrong labels (published: 3.4), and
        in {exact} of the {len(guessed)} sets whose probabilities were released exactly the labels
        that people were asked about.** Nobody looked at labels that were not flagged, so that the
        shares are of errors found."""


def _introduction(sets: Found) -> list[str]:
    return [
        "# Label errors in ten test sets",
        prose(_answer(sets)),
        prose(
            """The tables of Northcutt, Athalye and Mueller, *Pervasive label errors in test
                sets destabilize machine learning benchmarks* (NeurIPS 2021), recomputed from the
                votes that its authors released, beside the published numbers. What does not
                reproduce is [named](#what-does-not-reproduce). Written by"""
        ),
        "```text\npython -m studies.label_errors\n```",
        prose(
            """from the released files (`CANDIDLY_DATA`) through
                `studies/label_errors/results/measured.json`; a test compares the page with that
                file: `test_the_study_page_is_what_the_committed_results_say`. The published numbers
                are in `studies/label_errors/`. How votes become verdicts is in
                [validation.md](../validation.md)."""
        ),
    ]


def _table2(sets: Found) -> list[str]:
    published, rows = table("table2"), []
    for name, found in sets.items():
        theirs = [int(published[name][c]) if published[name][c] else None for c in CATEGORIES]
        same = _categories(found) == theirs
        told = "yes" if same else "**no**"
        rows.append([name, f"{found['rows']:,}", *_shown(found), told])
        if not same:
            checked = published[name]["non_errors"], published[name]["errors"]
            shown = ["–" if value is None else f"{value:,}" for value in theirs]
            rows.append([f"{name}, published", f"{sum(map(int, checked)):,}", *shown, ""])
    equal = sum(row[-1] == "yes" for row in rows)
    header = ["set", "items", "non-error", "error", "non-agreement", "correctable"]
    return [
        "## Table 2: what people said",
        prose(
            f"""Five people saw each item with its given label and a guess; a category needs three
            of them. {equal} of {len(sets)} rows are the published ones. A dash: people could not
            give that answer."""
        ),
        grid([*header, "multi-label", "neither", "as published"], rows),
        prose(
            f"""AudioSet has sets of labels: an item is no error when the classes that at least
            three people heard are exactly the given ones. The paper does not say so; of the rules
            tried it is the one that gives the published numbers. In IMDB and Amazon the answers
            were the classes, neutral and off-topic, so the non-agreements hold whole
            majorities: the {_catch_all(sets)}."""
        ),
    ]


def _catch_all(sets: Found) -> str:
    told = []
    for name, found in sets.items():
        if found["catch-all"]:
            parts = " and ".join(f"{n} for {what}" for what, n in found["catch-all"].items())
            told.append(f"{found['categories']['non-agreement']} of {name} hold {parts}")
    return "; the ".join(told)


def _table1(sets: Found) -> list[str]:
    published, rows = table("table1"), []
    for name, found in sets.items():
        row = published[name]
        estimate = found["estimate"]
        if name == "Caltech-256":
            rows.append(_estimate_row(f"{name}, published votes", _caltech(row), row))
            rows.append(_estimate_row(f"{name}, released votes", estimate, None))
        else:
            rows.append(_estimate_row(name, estimate, row))
    percents = [
        _caltech(published[name])["percent"] if name == "Caltech-256" else f["estimate"]["percent"]
        for name, f in sets.items()
    ]
    validated = sum(int(row["validated"]) for row in published.values())
    checked = sum(int(row["mturk_checked"]) for row in published.values())
    header = ["set", "flagged", "checked", "errors", "in all", "% of the set", "published %"]
    return [
        "## Table 1: how many labels are wrong",
        prose(
            f"""Errors among the checked, scaled to all that were flagged. The mean of the ten
            percentages is {sum(percents) / len(percents):.2f} (published: 3.4), and
            {validated:,} of {checked:,} checked items are errors (with the published votes of
            Caltech-256), {100 * validated / checked:.1f} %
            (published: 54 %)."""
        ),
        grid([*header, "Wilson 95 %", "hypergeometric 95 %"], rows),
        prose(
            """The intervals cover chance in which flagged items were checked, and nothing else:
            not people's errors, and not labels that were never flagged. Nothing is known of those:
            no unflagged item was audited in any of the ten sets, so every percentage is of errors
            found, not of errors there are."""
        ),
    ]


def _guessed(sets: Found) -> list[str]:
    published, rows = table("table1"), []
    for name, found in sets.items():
        if (own := found["guessed"]) is None:
            continue
        theirs = int(published[name]["cl_guessed"])
        both = f"{own['asked and lowest']:,} of {own['asked']:,}"
        others = [own["off-diagonal"], own["calibrated"], own["expected"]]
        rows.append([name, f"{theirs:,}", both, *(f"{number:,}" for number in others)])
    without = [name for name, found in sets.items() if found["guessed"] is None]
    return [
        "## CL guessed: which labels people were asked about",
        prose(
            """The paper ranks labels by normalised margin and says that it takes as many as are
            expected to be wrong, the share of wrong labels times their number. Of the sets whose
            probabilities were released, the lowest margins are *exactly* the labels that people
            were asked about. How many these are is no rule's number: `--count expected` is near
            it in three sets, and a sixth of it in MNIST."""
        ),
        grid(
            [
                *["set", "CL guessed, published", "asked, among as many lowest margins"],
                *["`off-diagonal`", "`calibrated`", "`expected`"],
            ],
            rows,
        ),
        prose(
            f"""Not released: the probabilities of {listed(without)}. Their column cannot be had."""
        ),
        COMMAND,
    ]


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


def _readings(sets: Found) -> list[str]:
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
    slight = [name for name, f in sets.items() if f["slight"]]
    header = ["set", "items", "errors, exact", "errors, seen at all", "fragile", "Fleiss’ κ"]
    return [
        "## What an error is, and whether people agree",
        prose(
            """*Exact*, the published reading: fewer than three people chose exactly the given
            label. *Seen at all*: fewer than three saw it, alone or with the guess; "both" then
            counts for the label. With five answers and three of them needed, that is the same as
            three people who did not see it. (Of AudioSet: not every given class was heard by
            three.) *Fragile*: one other answer would change the category."""
        ),
        grid([*header, "95 %", "AC1"], rows),
        prose(
            f"""Where κ is below 0.2 and AC1, which does not collapse where most answers are the
            same one, below 0.6 ({", ".join(slight)}), much of what counts as an error is
            disagreement among people. Of IMDB and Amazon both are over given, guessed and other.
            The interval is a jackknife over items. The 13 items of MNIST that offered one class
            twice take no part in either; they count as non-errors, like in the published table."""
        ),
    ]


def _thresholds(sets: Found) -> list[str]:
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
    return [
        "## How much depends on the threshold",
        prose(
            """A higher threshold makes more labels errors, as fewer are confirmed, and fewer
            correctable. B is what was not flagged or was confirmed. Where a sample was checked the
            numbers are scaled to all that were flagged. Caltech-256: the released votes."""
        ),
        grid([*header, "errors, %"], rows),
    ]


def _not_reproduced(sets: Found) -> list[str]:
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
    return [
        "## What does not reproduce",
        grid(["number", "published", "from the files", "why"], rows, numbers=False),
        prose(
            f"""Of MNIST's 100 questions {mnist["degenerate"]} offered one class twice, because the
            prediction was the label. The paper defines benign examples as those that were not
            flagged, and also says that benign, correctable and unsettled ones make up the whole;
            with confirmed items both cannot hold. Here confirmed items are benign."""
        ),
    ]


def _models(found: Found) -> list[str]:
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
    resnet, vgg = found["resnet"], found["vgg"]
    parts = [
        "## Tables S1 and S2: models on the correctable set",
        prose(
            """Right answers on the correctable examples, with original and with corrected labels,
            as exact counts. Do models that do well on the original labels do badly on the corrected
            ones?"""
        ),
        grid(["models", "number", "Spearman", "p (Spearman)", "Kendall", "p (Kendall)"], rows),
        prose(
            f"""p is two-sided, from {found["draws"]:,} permutations. Over all ImageNet models the
            correlation is weak; it is clear only when AlexNet and the two SqueezeNets are left out.
            CIFAR-10 has 18 examples. Single pairs can still be clear: on corrected labels ResNet-18
            has {resnet["right"][0]:,} of {resnet["of"]:,} right and ResNet-50
            {resnet["right"][1]:,}; even in the least favourable pairing z is
            {resnet["least z"]:.1f}. VGG-11 against VGG-19 on CIFAR-10 ({vgg["right"][0]} against
            {vgg["right"][1]} of {vgg["of"]}) cannot reach 5 %: the smallest p that an exact paired
            test can give is {vgg["least p"]:.4f}."""
        ),
        prose(
            """Two things bias every such figure. The correctable set holds only examples whose new
            label is the detector's own prediction, so models like the detector are favoured on the
            corrected labels, and models like the annotation on the original ones. And no model can
            be right on both labels of an example, so the two accuracies sum to at most 1, which
            alone makes them look opposed."""
        ),
    ]
    parts += _crossings(found["crossings"])
    for which, title in (("imagenet", "ImageNet"), ("cifar10", "CIFAR-10")):
        parts += [f"### {title}", _model_table(which), _told_checks(which)]
    return parts


def _crossings(found: Sequence[Found]) -> list[str]:
    """The two sentences of the abstract, from published counts and accuracies."""
    rows = []
    for one, published in zip(found, ("11.4 %", "5 %")):
        ends = f"{100 * one['low']:.1f} to {100 * one['high']:.1f}"
        words = f"{one['behind']} passes {one['ahead']}".replace("_", r"\_")
        set_ = {"imagenet": "ImageNet", "cifar10": "CIFAR-10"}[one["set"]]
        cells = [set_, words, f"{100 * one['share']:.1f} %", ends, f"{one['of']:,}", published]
        rows.append(cells)
    names = [m.label for m in models("imagenet")]
    return [
        "### The abstract's two crossings",
        prose(
            """At which share of correctable examples would the smaller network pass the larger
            one? From the counts above and the known accuracies on the whole test sets (ResNet-50
            76.13 %, ResNet-18 69.76 %; VGG-19 93.95 %, VGG-11 92.39 %, with batch normalisation).
            *Share*: both are equally good on examples about which people did not agree. *Range*:
            whatever they are there."""
        ),
        grid(["test set", "", "share", "range", "examples", "published"], rows, numbers=False),
        prose(
            """That of VGG comes out, on 18 pictures, on which no test tells the two apart. That of
            ResNet does not: 11.4 % would need a gap of 1.1 points on the benign images, and it is
            6.6."""
        ),
        f"![Ranks of {len(names)} models of ImageNet by original and by corrected labels]"
        f"(../images/{FIGURE})",
        prose(
            f"""Right answers of {SIZES["imagenet"]:,} in percent, in order; K. is Keras, all others
            are PyTorch's. In colour: {MOVED} ranks or more."""
        ),
    ]


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


def _told_checks(which: str) -> str:
    found = checks(models(which), SIZES[which])
    return prose(
        f"""In brackets: accuracy, and rank with ties. {found["rounded from the counts"]} of
        {found["accuracies"]} published accuracies are the counts divided by {SIZES[which]:,},
        rounded, and {found["rank columns in order"]} of 4 published rank columns agree with them
        (the paper breaks ties arbitrarily). The largest sum of original and corrected top-1
        accuracy is {100 * found["largest sum"]:.1f} %."""
    )


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
