"""docs/studies/cifar10.md and its figures, from the committed report and what was trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from candidly.compare.stability import Report
from candidly.show.grid import Column, Grid
from candidly.show.words import in_percent, listed, percent
from studies.kit.rankings import (
    figures,
    firmness,
    growth,
    moves,
    on_changed,
    possible,
    settled,
    standings,
    table,
)
from studies.kit.words import bullets, prose

from .beside import LINK_COLUMNS, LINK_NOTE, beside_published, from_the_table_alone, link_cells
from .models import NETWORKS, SCALES
from .published import Link, link
from .sizes import IMAGE, SIZES, Training, signed, size_figure, sizes_of

PAGE = "studies/cifar10.md"
COMMAND = "python -m studies.cifar10"
TRIED = """Other rates, batches and SGD were tried on the narrow VGG-11, and another rate on
    ResNet-18, with an eye on the test pictures; at this width none was better by more than 0.2
    points, and the first choice was kept."""
FEWEST = 3  # networks whose sizes are known, for a correlation


def make_page(report: Report, made: Training) -> tuple[str, dict[str, str]]:
    """The page's text, and its figures as SVG by file name.

    Args:
        made: how the predictions came about: ``scale``, one of ``SCALES`` or another word where
            they were given; ``networks``, by name how each was trained, or nothing.
    """
    images = figures(report, IMAGE) | {f"{IMAGE}sizes.svg": size_figure(report, made)}
    parts = [
        "# Does a smaller network rank higher on corrected labels of CIFAR-10?",
        prose(answer(report, made)),
        prose(_introduction(report)),
        f"```text\n{COMMAND}\n```",
        *_how(report, made),
        "## The ranking",
        prose(f"**{report.verdict}** {report.left_open}"),
        prose(moves(report)),
        *_sizes(report, made),
        *standings(report),
        *firmness(report),
        *growth(report, IMAGE),
        *on_changed(report, IMAGE),
        *beside_published(report, made),
        *from_the_table_alone(),
        "## What may honestly be concluded",
        bullets(_conclusions(report, made)),
        *_full_scale(),
    ]
    return "\n\n".join(parts) + "\n", images


# the answer


MEASURES = {  # what is ranked: its name, and of a model's accuracies which
    "original labels, all pictures": "original",
    "corrected labels, kept pictures": "corrected",
    "original labels, changed pictures": "changed_original",
    "corrected labels, changed pictures": "changed_corrected",
}


def size_links(report: Report, made: Training, size: str) -> dict[str, Link]:
    """How a network's size goes with its accuracy, by what is measured."""
    known = [s for s in report.standings if sizes_of(made, s.model)[size]]
    sizes = [sizes_of(made, s.model)[size] for s in known]
    return {
        name: link(sizes, [getattr(s.top1, which).share for s in known])
        for name, which in MEASURES.items()
    }


def sizes_known(report: Report, made: Training) -> bool:
    """Whether enough networks have a size to ask how it goes with accuracy."""
    return sum(sizes_of(made, s.model)["parameters"] > 0 for s in report.standings) >= FEWEST


def answer(report: Report, made: Training) -> str:
    """Whether a smaller network ranks higher on corrected labels."""
    if not sizes_known(report, made):
        return "**These predictions do not say**: of fewer than three networks the size is known."
    links = size_links(report, made, "parameters")
    changed, kept = (links[f"corrected labels, {which} pictures"] for which in ("changed", "kept"))
    before = links["original labels, all pictures"].spearman.value
    moved = abs(kept.spearman.value - before)
    said = {
        "no": "**No, or not so that these pictures could show it**",
        "smaller": "**Yes, in this sample**",
        "larger": "**No, larger ones do**",
    }[_better(changed, report.alpha)]
    short = ""
    if made["scale"] == "reduced" and _better(kept, report.alpha) == "smaller":
        others = tuple(s for s in report.standings if not s.model.startswith("vgg"))
        rest = size_links(replace(report, standings=others), made, "parameters")
        without = rest["corrected labels, kept pictures"]
        short = f"""That comes from the four VGGs, the largest here, which in so short a training
        have hardly begun: without them it is {_told(without)}."""
    return f"""{said}: over {changed.models} networks, Spearman's correlation between the number of
    parameters and the right answers on the {report.sizes["C"]} pictures whose label was corrected
    is {_told(changed)}. By corrected labels of all {report.prevalence.of:,} kept pictures it is
    {_told(kept)}, and correcting the labels has moved that by {moved:.2f}: by original labels it
    was {signed(before)}. {short}"""


def _better(found: Link, alpha: float) -> str:
    """Which networks have more right answers: smaller or larger ones, or no."""
    if not found.spearman.p <= alpha:  # also where it is not defined
        return "no"
    return "smaller" if found.spearman.value < 0 else "larger"


def _told(found: Link) -> str:
    return f"{signed(found.spearman.value)} (permutation p {found.spearman.p:.2g})"


def _introduction(report: Report) -> str:
    sizes = report.sizes
    return f"""{len(report.standings)} networks are compared on the {sizes["D"]:,} test pictures of
    CIFAR-10, once by the published labels and once by the labels that people agreed on when they
    were asked about {sizes["F"]} candidates (Northcutt, Athalye and Mueller, NeurIPS 2021; the
    released answers). Of these {sizes["K"]} keep their label, as at least three of five people
    chose it; {sizes["F"] - sizes["K"]} do not: {sizes["C"]} get the label that a detector had
    guessed, and {sizes["U"]} on which no single label has a majority are left out. Those
    {sizes["C"]} are the pictures of the paper's Table S2, whose accuracies are multiples of 1/18.
    The paper reports that "smaller capacity models tend to out-perform higher capacity models" on
    them. Written from `studies/cifar10/results` by"""


# how the predictions came about


def _how(report: Report, made: Training) -> list[str]:
    if made["scale"] not in SCALES:
        return [
            "## Where the predictions come from",
            prose("They were given as files (`--predictions`); nothing was trained for this page."),
        ]
    return [
        "## How they were trained",
        prose(_trained(report, made)),
        table(_training_grid(report, made["networks"])),
    ]


def _trained(report: Report, made: Training) -> str:
    networks = made["networks"]
    one = next(iter(networks.values()))
    passes = one["steps"] * one["batch_size"] / 50_000
    best, worst = (report.standings[k] for k in (0, -1))
    minutes = sum(network["seconds"] for network in networks.values()) / 60
    little = """**That is far too little to compare them with the published ones**: networks
    that are trained to the end have more than 90 %. What so short a training favours is what learns
    fast, not what has capacity, and the deeper VGGs have hardly begun. The predictions are
    committed, so the page is made again without training; tests compare the page with the report
    and the report with the predictions."""
    reduced = made["scale"] == "reduced"
    first = _narrow(networks) if reduced else ""
    worker = "CPU core" if one["device"] == "cpu" else f"{one['device'].upper()} device"
    return f"""{first} Each network learned from the 50,000 training pictures with their
    labels as published, in the same way: {one["steps"]:,} updates of {one["batch_size"]} pictures
    ({passes:.2f} passes over the training set), crops and flips,
    `{one["recipe"]}` at a rate of {one["lr"]:g}, seed {one["seed"]}, one run each
    (`studies/cifar10/models.py`). {TRIED if reduced else ""} All of it
    took {minutes:.0f} minutes of one {worker}. Accuracies by original labels
    lie between {percent(worst.top1.original.share, 0)} % ({worst.model}) and
    {percent(best.top1.original.share, 0)} % ({best.model}). {little if reduced else ""}"""


def _narrow(networks: Mapping[str, Any]) -> str:
    whole = [f"`{name}`" for name in networks if NETWORKS[name].narrow == name]
    left_out = [f"`{name}`" for name in NETWORKS if name not in networks]
    missing = f"There was no time for {listed(left_out)}." if left_out else ""
    return f"""Two cores cannot train the published networks, so those of Table S2 have an eighth of
    their channels, GoogLeNet and Inception-v3 a sixteenth; {listed(whole)}
    {"is as it is" if len(whole) == 1 else "are as they are"}. {missing}"""


def _training_grid(report: Report, networks: Mapping[str, Any]) -> Grid:
    rows = [
        (
            *(s.model, networks[s.model]["net"], networks[s.model]["parameters"]),
            networks[s.model]["multiply_adds"] / 1e6,
            *(in_percent(s.top1.original.share), networks[s.model]["seconds"]),
        )
        for s in report.standings
    ]
    return Grid(
        "What was trained, the best first",
        (
            *(Column("network", "name"), Column("as candidly names it", "name")),
            *(Column("parameters", form=","), Column("multiply-adds, million", form=".1f")),
            *(Column("accuracy %", form=".2f"), Column("training, s", form=".0f")),
        ),
        rows,
        ("Seconds of one core; accuracy by original labels on all test pictures.",),
        keys=2,
    )


# size


def _sizes(report: Report, made: Training) -> list[str]:
    title = "Right answers on the corrected pictures against parameters"
    figure = f"![{title}](../images/{IMAGE}sizes.svg)"
    if not sizes_known(report, made):
        return ["## Size and place", figure]
    asks = f"""If smaller networks ranked higher on corrected labels, size would go down as right
    answers on the {report.sizes["C"]} changed pictures go up. Each network counts once, so p asks
    whether networks dealt to sizes at random would show as much. The table below has parameters and
    multiply-adds, as they were trained."""
    return ["## Size and place", prose(asks), figure, table(_size_grid(report, made))]


def _size_grid(report: Report, made: Training) -> Grid:
    rows = [
        (f"{size.replace('_', '-')}, {name}", *link_cells(found))
        for size in SIZES
        for name, found in size_links(report, made, size).items()
    ]
    return Grid(
        "Rank correlation of a network's size with its accuracy",
        (Column("size and accuracy", "name"), *LINK_COLUMNS),
        rows,
        (f"{LINK_NOTE} Negative: smaller networks are better.",),
    )


# what follows


def _conclusions(report: Report, made: Training) -> Sequence[str]:
    changed = report.sizes["C"]
    lines = [
        settled(report),
        possible(report),
        f"""That smaller networks are better on wrongly labelled pictures cannot be concluded from
        Table S2: {changed} pictures, thirteen networks, no correlation with size over all of them,
        and no pair that an exact test tells apart once it is known that it was chosen from 78.
        Nor can it be concluded that they are not: so few pictures miss much.""",
        """The changed pictures were chosen by a detector, and their new label is its guess.
        Networks that resemble the detector gain on them, whatever their size.""",
    ]
    if made["scale"] == "reduced":
        lines.append(
            """The networks here are narrow and hardly trained. They show how the comparison is
            made and what it can carry; they say nothing of the published ones."""
        )
    return lines


def _full_scale() -> list[str]:
    full = SCALES["full"]
    passes = full.steps * full.batch_size / 50_000
    return [
        "## At full scale, or with predictions of your own",
        prose(
            f"""With a GPU, the same command trains the networks as they are, {passes:.0f} passes
            of batches of {full.batch_size} with `{full.recipe}` at a rate of {full.lr:g} and a
            weight decay of {full.weight_decay:g}. A file per network is kept in `--cache`, so that
            it goes on where it was stopped; report, predictions and page go to `--out`. Nobody has
            run it yet."""
        ),
        f"```text\n{COMMAND} --scale full --device cuda --out full\n```",
        prose(
            """Predictions that you have are taken as well, from a folder with a file per model:
            `.npy`, `.npz` or a table such as `.csv`, of classes, or of probabilities in a column
            per class, in the order of the test pictures. Files that are called as the networks
            here, or as those of Table S2, are put beside the published numbers."""
        ),
        f"```text\n{COMMAND} --predictions FOLDER --out mine\n```",
    ]
