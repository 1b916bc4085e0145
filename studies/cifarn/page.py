"""docs/studies/cifarn.md and its figures, from the committed results."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from candidly.learn.algorithms.costs import cost_of
from candidly.show.words import listed, percent
from studies.kit.oracles import is_oracle
from studies.kit.words import bullets, grid, prose

from .beside import beside_gaps, ranks, synthetic, without_views
from .detected import anchor, best, detection
from .figures import curve_figure, gap_figure
from .numbers import (
    BASE,
    CRITERION,
    Row,
    Study,
    Table,
    beside_the_board,
    fall,
    learned,
    mean,
    panels,
    spread,
    trained,
)
from .published import BOARDS
from .runs import (
    BATCH,
    CHANGED,
    EPOCHS,
    EVERY,
    LABEL_SETS,
    NET,
    PLAIN_EPOCHS,
    STEPS,
    VARIANTS,
)
from .words import accuracy, points

PAGE, IMAGE = "studies/cifarn.md", "cifarn-"
COMMAND = "python -m studies.cifarn"
FIRST = 5  # algorithms that are named as leading
SMALL, MUCH = 0.01, 0.05  # of accuracy


def make_page(study: Study) -> tuple[str, dict[str, str]]:
    """The page's text, and its figures as SVG by file name."""
    first = LABEL_SETS[0]
    table, without = study.tables[first], learned(study)
    images = {
        f"{IMAGE}gap.svg": gap_figure(
            table, _order(table), f"Best, selected and last epoch on {first}"
        )
    }
    if without:
        title = "Test accuracy by epoch, pictures as they are"
        images[f"{IMAGE}curves.svg"] = curve_figure(panels(study), without, title)
    parts = [
        "# People's wrong labels on pictures: methods and detectors on CIFAR-10N",
        _answer(study),
        prose(_introduction(study)),
        f"```text\n{COMMAND}\n```",
        "## What was run",
        *_what(study),
        "## Best, selected and last epoch",
        prose(_choosing(study)),
        f"![Accuracy of three epochs on {first}](../images/{IMAGE}gap.svg)",
        *(part for label_set in trained(study) for part in _table(study, label_set)),
        "## The selection gap beside a reproduction's",
        *beside_gaps(study),
        "## Without views",
        *without_views(study),
        *([f"![Accuracy by epoch without views](../images/{IMAGE}curves.svg)"] if without else []),
        "## Ranks beside the leaderboard",
        *ranks(study),
        "## Real against synthetic labels",
        *synthetic(study),
        "## Detection",
        *detection(study),
        "## What this says, and what it cannot",
        *_limits(study),
    ]
    return "\n\n".join(parts) + "\n", images


def _order(table: Table) -> list[str]:
    """By the selected epoch, the highest first."""
    return sorted(table, key=lambda name: (-np.nan_to_num(mean(table[name].selected)), name))


def leaders(table: Table) -> list[str]:
    """By the selected epoch, without what is told the truth."""
    return [name for name in _order(table) if not is_oracle(name)]


def _answer(study: Study) -> str:
    first = LABEL_SETS[0]
    table = study.tables[first]
    several = {each: splits_of(study.tables[each]) > 1 for each in trained(study)}
    ahead = "; ".join(
        f"{listed([f'`{name}`' for name in leaders(study.tables[each])[:FIRST]])} on {each}"
        for each, known in several.items()
        if known
    )
    single = listed([each for each, known in several.items() if not known])
    alone = f"Of one split each, the orders on {single} tell nothing." if single else ""
    lead = f"""**Chosen by accuracy on noisy validation labels, these lead: {ahead}. Two splits of
    one algorithm differ with a standard deviation of {percent(spread(table))} points on {first}, so
    neighbours in a table are not told apart. This is a small network on few pictures: it says
    nothing about who would win at the leaderboard's scale.**"""
    apart = f"All splits have the same test pictures, whose chance is not in that. {alone}"
    more = (apart, _usual(study), _board(study), _found(study))
    return "\n\n".join([prose(lead), bullets(filter(None, more))])


def splits_of(table: Mapping[str, Row]) -> int:
    """The most splits that an algorithm has."""
    return max(len(row.selected) for row in table.values())


def _usual(study: Study) -> str:
    """Whether cross-entropy ends far below its best epoch."""
    first = LABEL_SETS[0]
    if BASE not in learned(study):
        return ""
    views, plain = (fall(study.tables[part][BASE]) for part in (first, f"{first}-plain"))
    return f"""What is usually reported about people's labels, that cross-entropy ends far below its
    best epoch, depends on the training: on {first} its last epoch is {percent(views, 1)} points
    below its best with pictures cropped and mirrored for {EPOCHS} epochs, and {percent(plain, 1)}
    points with pictures as they are for {PLAIN_EPOCHS}."""


def _board(study: Study) -> str:
    first = LABEL_SETS[0]
    found, names = beside_the_board(study.tables[first], BOARDS[0], first)
    if found is None:
        return ""
    tau = f"{found.value:.2f}".replace("-", "−")
    return f"""Kendall's tau between the order here and that of the published best epochs is {tau}
    on {first}, over {len(names)} algorithms (p {found.p:.2f})."""


def _found(study: Study) -> str:
    """What the best detector adds to flagging everything."""
    first = LABEL_SETS[0]
    some = study.detection.get(first)
    if some is None:
        return ""
    name, f1 = best(study, first, "f1")
    return f"""Wrong labels of people are hard to find: on {first} the best F1 is
    {percent(f1, 1)} (`{name}`), where flagging everything has
    {percent(anchor(some["wrong"], some["n"]), 1)}."""


def _introduction(study: Study) -> str:
    done = {name for label_set in trained(study) for name in study.tables[label_set]}
    pages, there = set(EVERY) - set(VARIANTS), done - set(VARIANTS)
    many = f"All {len(there)}" if there >= pages else f"{len(there)} of the {len(pages)}"
    return f"""{many} algorithms of candidly that learn from given labels,
    oracles included, and all its detectors of wrong labels, on pictures of CIFAR-10 with the labels
    that people gave them (CIFAR-10N, Wei et al., ICLR 2022). The leaderboard's numbers are of
    ResNets on 50,000 pictures for 100 to 600 epochs; here {STEPS} updates of
    a small network see {study.about["train"]:,} pictures. `candidly bench plan --preset
    cifarn` says what the full size takes. Written from
    `studies/cifarn/results` by"""


def _what(study: Study) -> list[str]:
    about = study.about
    first = LABEL_SETS[0]
    once = [f"`{name}`" for name, row in study.tables[first].items() if len(row.selected) == 1]
    but = f", but one of {listed(once)}" if once else ""
    words = "; ".join(
        f"{listed([f'`{name}`' for name in names])} "
        + ", ".join(f"`{key}` {value}" for key, value in hyper.items())
        for names, hyper in CHANGED.values()
    )
    rows = [
        [
            f"{line['labels']}{', synthetic' if line['synthetic'] else ''}",
            f"{line['n']:,}",
            f"{line['wrong']:,}",
            percent(line["wrong"] / line["n"]),
        ]
        for line in study.labels
    ]
    return [
        prose(
            f"""{about["train"]:,} pictures to train on, {about["validation"]} to select the epoch
            by, with noisy labels too, and {about["test"]:,} official test pictures; pixels are of
            the JPEG copy of CIFAR-10. The network is `{NET}`, the recipe the default of pictures
            (Adam, rate 0.001, weak views: cropped and mirrored at random), batches of {BATCH},
            {EPOCHS} epochs, a record after each, one configuration: the defaults of every
            algorithm. On {first} there are two splits{but}; on the other label sets there is one.
            A run is handed its own label set alone."""
        ),
        grid(["label set", "pictures", "wrong labels", "%"], rows),
        prose(
            f"""Defaults that count epochs of a training of 100 or more, or updates, differ here:
            {words}. What is told the share of wrong labels (`co-teaching` and those alike) is
            told 0.2 everywhere, its default and the reproduction's setting;
            `co-teaching:estimated` finds it out. Variants that the tables do not name were left
            out."""
        ),
        *_missing(study),
    ]


def _choosing(study: Study) -> str:
    said = []
    for label_set in trained(study):
        rows = [row for row in study.tables[label_set].values() if row.lost.mean is not None]
        lost = [row.lost.mean for row in rows]
        gained = [row.gained.mean for row in rows if row.gained.mean is not None]
        near = sum(value <= SMALL for value in lost)
        said.append(
            f"on {label_set} {percent(float(np.mean(lost)), 1)} points are lost against the best "
            f"epoch, {near} of {len(rows)} algorithms lose at most one, and "
            f"{points(float(np.mean(gained)))} are gained on the last"
        )
    first = study.tables[LABEL_SETS[0]]
    broken = [f"`{n}`" for n in _order(first) if (first[n].gained.mean or 0) >= MUCH]
    worth = (
        f"On {LABEL_SETS[0]} it is worth {100 * MUCH:.0f} points or more with {listed(broken)}, "
        "whose training breaks down, or starts afresh, after its best epoch."
        if broken
        else ""
    )
    return f"""The best epoch is the one with the highest test accuracy, which nobody can choose by:
    it is the maximum of {EPOCHS} noisy numbers. The selected epoch has the highest accuracy on
    {study.about["validation"]} noisy validation labels ({CRITERION}). In the mean over the
    algorithms {"; ".join(said)}. Where accuracy still grows at the end, selecting by few noisy
    labels can cost more than it saves. {worth}"""


def _table(study: Study, label_set: str) -> list[str]:
    table = study.tables[label_set]
    rows = [
        [
            f"`{name}`",
            *(accuracy(mean(each)) for each in (row.best, row.selected, row.last)),
            points(row.lost.mean),
            points(row.gained.mean),
            f"{row.seconds:.0f}",
            f"{row.seconds / table[BASE].seconds:.1f}",
            f"{declared(name):.1f}",
        ]
        for name, row in ((name, table[name]) for name in _order(table))
    ]
    splits = splits_of(table)
    many = f"the mean of {splits} splits or of one" if splits > 1 else "one split"
    diverged = [f"`{name}`" for name, row in table.items() if row.diverged]
    lost = f"Runs of {listed(diverged)} diverged." if diverged else "No run diverged."
    return [
        f"### {label_set}",
        prose(
            f"""Test accuracy in percent, {many}; best less selected and selected less last, in
            points; seconds of one processor for a run, times those of `{BASE}`, and passes through
            the network that it declares, times those of `{BASE}`. {lost}"""
        ),
        grid(
            [
                "algorithm",
                "best",
                "selected",
                "last",
                "lost",
                "gained",
                "seconds",
                f"times {BASE}",
                "declared",
            ],
            rows,
        ),
    ]


def declared(name: str) -> float:
    """Passes through the network for an update, times those of ``BASE``."""
    return cost_of(name.partition(":")[0], pictures=True)


def _limits(study: Study) -> list[str]:
    first = LABEL_SETS[0]
    return [
        "\n".join(
            "* " + prose(line).replace("\n", "\n  ")
            for line in (
                f"""It says how the methods' code behaves on real pictures and real noise, what each
                costs beside `{BASE}`, and what selecting by noisy labels is worth at this size.""",
                f"""It does not say which method is best at the leaderboard's size. The network
                reaches {accuracy(mean(study.tables[first]["supervised-oracle"].best))} % with
                the true labels, where the leaderboard's reach more than 94 %: it is limited by what
                it can learn, not by wrong labels. Methods that gain by learning slower pay for it
                here; what has phases (`pes`, `pes-semi`, `cal`, `dividemix`, `promix`) hardly
                leaves the first, and `sgd-ema` averages over more updates than there are.""",
                f"""One or two splits, one draw of pictures, defaults alone. Differences below about
                {percent(2 * spread(study.tables[first]), 1)} points between two rows of a table
                are not told apart from chance.""",
                """Detection scores are of 5,600 pictures and one seed;
                [detectors.md](../detectors.md) has all 50,000 with other features.""",
            )
        )
    ]


def missing(study: Study) -> Mapping[str, list[str]]:
    """By label set, the algorithms that learn from given labels and were not trained there."""
    absent = {
        label_set: [name for name in EVERY if name not in study.tables.get(label_set, {})]
        for label_set in LABEL_SETS
    }
    return {label_set: names for label_set, names in absent.items() if names}


def _missing(study: Study) -> list[str]:
    absent = missing(study)
    said = [
        f"on {label_set} "
        + (listed([f"`{name}`" for name in names]) if label_set in trained(study) else "all")
        for label_set, names in absent.items()
    ]
    return [prose(f"Not trained, for lack of time: {'; '.join(said)}.")] if said else []
