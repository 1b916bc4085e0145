"""docs/cifar10-study.md and its figures, from the committed report and what was trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from _reproduction.words import prose
from _studies import (
    bullets,
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
from candidly.grid import Column, Datum, Grid
from candidly.report._wording import in_percent, percent
from candidly.stability import Report

from .beside import beside_published, from_the_table_alone
from .models import SCALES
from .published import Link, link
from .sizes import IMAGE, Networks, signed, size_figure, sizes_of

PAGE = "cifar10-study.md"
COMMAND = "python bench/cifar10_study.py"


def make_page(report: Report, made: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """The page's text, and its figures as SVG by file name.

    Args:
        made: how the predictions came about: ``scale``, and ``networks`` by name.
    """
    networks: Networks = made["networks"]
    images = figures(report, IMAGE) | {f"{IMAGE}sizes.svg": size_figure(report, networks)}
    parts = [
        "# Does a smaller network rank higher on corrected labels of CIFAR-10?",
        prose(_answer(report, networks)),
        prose(_introduction(report)),
        f"```text\n{COMMAND}\n```",
        *_how(report, made),
        "## The ranking",
        prose(f"**{report.verdict}**"),
        prose(moves(report)),
        "## Size and place",
        prose(_sizes(report)),
        f"![Right answers on the corrected pictures against parameters](images/{IMAGE}sizes.svg)",
        table(_size_grid(report, networks)),
        *standings(report),
        *firmness(report),
        *growth(report, IMAGE),
        *on_changed(report, IMAGE),
        *beside_published(report, networks),
        *from_the_table_alone(networks),
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


def size_links(report: Report, networks: Networks, size: str) -> dict[str, Link]:
    """How a network's size goes with its accuracy, by what is measured."""
    known = [s for s in report.standings if sizes_of(networks, s.model)[size]]
    sizes = [sizes_of(networks, s.model)[size] for s in known]
    return {
        name: link(sizes, [getattr(s.top1, which).share for s in known])
        for name, which in MEASURES.items()
    }


def _answer(report: Report, networks: Networks) -> str:
    if len([s for s in report.standings if sizes_of(networks, s.model)["parameters"]]) < 3:
        return "**These predictions do not say**: the sizes of their networks are not known."
    links = size_links(report, networks, "parameters")
    few, whole = (
        links["corrected labels, changed pictures"],
        links["corrected labels, kept pictures"],
    )
    before = links["original labels, all pictures"]
    p, rho = few.spearman.p, few.spearman.value
    if p > report.alpha or not p == p:
        said = "**No, not so that these pictures could show it**"
    else:
        said = "**Yes, in this sample**" if rho < 0 else "**No, larger ones do**"
    return f"""{said}: over {few.models} networks, Spearman's correlation between the number of
    parameters and the right answers on the {report.sizes["C"]} pictures whose label was corrected
    is {signed(rho)} (permutation p {p:.2f}). On all {report.prevalence.of:,} kept pictures it is
    {signed(whole.spearman.value)} by corrected labels (p {_p(whole.spearman.p)}) and
    {signed(before.spearman.value)} by original ones (p {_p(before.spearman.p)}): correcting labels
    does not change how size and accuracy go together."""


def _p(p: float) -> str:
    return f"{p:.3f}" if p < 0.1 else f"{p:.2f}"


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
    them. Written from `bench/results/cifar10_study` by"""


# how the predictions came about


def _how(report: Report, made: Mapping[str, Any]) -> list[str]:
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


def _trained(report: Report, made: Mapping[str, Any]) -> str:
    networks = made["networks"]
    one = next(iter(networks.values()))
    pictures = one["steps"] * one["batch_size"]
    best, worst = (report.standings[k] for k in (0, -1))
    seconds = sum(network["seconds"] for network in networks.values())
    narrow = """Two cores cannot train the published networks, so those of Table S2 have an eighth
    of their channels (Inception-v3 a sixteenth); `cnn`, `densenet22` and `resnet32` are as they
    are. """
    return f"""{narrow if made["scale"] == "reduced" else ""}Each network learned from the 50,000
    training pictures with their labels as published, in the same way: {one["steps"]:,} updates of
    {one["batch_size"]} pictures, which is {pictures / 50_000:.2g} times over the training set,
    crops and flips, `{one["recipe"]}` at a rate of {one["lr"]:g}, seed {one["seed"]}, one run, no
    choice on held-out pictures (`bench/_cifar10_study/models.py`): {seconds / 60:.0f} minutes of
    one processor core in all. **That is far too little to compare them with the published ones**:
    accuracies lie between {percent(worst.top1.original.share, 0)} % ({worst.model}) and
    {percent(best.top1.original.share, 0)} % ({best.model}), and networks trained to the end have
    more than 90 %. What so short a training favours is what learns fast, which is not what has
    capacity. The predictions are committed, so the page is made again without training; tests
    compare the page with the report and the report with the predictions."""


def _training_grid(report: Report, networks: Networks) -> Grid:
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


def _sizes(report: Report) -> str:
    return f"""If smaller networks ranked higher on corrected labels, size would go down as right
    answers on the {report.sizes["C"]} changed pictures go up. Each network counts once, so p asks
    whether networks dealt to sizes at random would show as much. The table below has parameters and
    multiply-adds, as they were trained."""


def _size_grid(report: Report, networks: Networks) -> Grid:
    rows = [
        (
            *(f"{size.replace('_', '-')}, {name}", found.models),
            *(Datum(c.value, text=signed(c.value)) for c in (found.spearman,)),
            *(found.spearman.p, Datum(found.kendall.value, text=signed(found.kendall.value))),
            found.kendall.p,
        )
        for size in ("parameters", "multiply_adds")
        for name, found in size_links(report, networks, size).items()
    ]
    return Grid(
        "Rank correlation of a network's size with its accuracy",
        (
            *(Column("size and accuracy", "name"), Column("networks")),
            *(Column("Spearman"), Column("p", form=".3f")),
            *(Column("Kendall"), Column("p ", form=".3f")),
        ),
        rows,
        ("p: two-sided, by 10,000 permutations, each for itself.",),
    )


# what follows


def _conclusions(report: Report, made: Mapping[str, Any]) -> Sequence[str]:
    changed = report.sizes["C"]
    lines = [
        settled(report),
        possible(report),
        f"""Whether smaller networks are better on wrongly labelled pictures cannot be concluded
        from {changed} pictures, neither from these networks nor from the published table: its
        order on them is one that chance gives often enough.""",
        """The changed pictures were chosen by a detector, and their new label is its guess.
        Networks that resemble the detector gain on them, whatever their size.""",
    ]
    if made["scale"] == "reduced":
        lines.append(
            """These networks are narrow and hardly trained. They show how the comparison is made
            and what it can carry; they say nothing of the published ones."""
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
