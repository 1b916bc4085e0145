"""docs/mnist-study.md and its figures, from the committed report."""

from __future__ import annotations

from dataclasses import replace

from _reproduction.figures import alone
from _reproduction.words import prose
from candidly.grid import Grid
from candidly.report._wording import percent
from candidly.report.stability import BIAS, grids, missed_line
from candidly.report.stability_figures import prevalence_figure, rank_figure
from candidly.stability import Report
from candidly.stability._pairs import fewest_discordant

IMAGE = "mnist-study-"


def make_page(report: Report) -> tuple[str, dict[str, str]]:
    """The page's text, and its figures as SVG by file name."""
    images = {
        f"{IMAGE}ranks.svg": alone(rank_figure(report, "changed")),
        f"{IMAGE}original.svg": alone(prevalence_figure(report, "original")),
        f"{IMAGE}corrected.svg": alone(prevalence_figure(report, "corrected")),
    }
    tables = grids(report)
    parts = [
        "# Do MNIST's label errors change a ranking?",
        prose(_introduction(report)),
        "```text\npython bench/mnist_study.py\n```",
        prose(_made(report)),
        "## The answer",
        prose(f"**{report.verdict}**"),
        prose(_answer(report)),
        "## Accuracies and ranks",
        _table(tables["standings"]),
        "## How many wrong labels an order withstands",
        prose(_budgets(report)),
        _table(tables["neighbours"]),
        _table(tables["pairs"]),
        "## If wrong labels were more frequent",
        prose(_growing(report)),
        f"![Accuracy by original labels as wrong labels grow](images/{IMAGE}original.svg)",
        f"![Accuracy by corrected labels as wrong labels grow](images/{IMAGE}corrected.svg)",
        _table(tables["crossings"]),
        "## On the changed items alone",
        prose(_changed(report)),
        f"![Ranks on the changed items, by original and corrected labels](images/{IMAGE}ranks.svg)",
        prose(BIAS),
        "## What may honestly be concluded",
        "\n".join(f"* {line}" for line in _conclusions(report)),
    ]
    return "\n\n".join(parts) + "\n", images


def _table(grid: Grid) -> str:
    table = replace(grid, title="", notes=()).markdown()
    return "\n\n".join([prose(f"{grid.title}:"), table, *map(prose, grid.notes)])


def _introduction(report: Report) -> str:
    sizes = report.sizes
    return f"""{len(report.standings)} scikit-learn classifiers of different capacity
    (`bench/_mnist_study/models.py`) are compared on the {sizes["D"]:,} test images of MNIST, once
    by the published labels and once by the labels that people agreed on when they were asked about
    {sizes["F"]} candidates (Northcutt, Athalye and Mueller, NeurIPS 2021; the released answers).
    Written from `bench/results/mnist_study` by"""


def _made(report: Report) -> str:
    sizes = report.sizes
    return f"""Each classifier predicts every image by 10-fold cross-validation on these
    {sizes["D"]:,} images, trained on the published labels of the other folds; so the accuracies are
    lower than those of models trained on the 60,000 training images, and the few wrong labels were
    trained on too, which favours the published ones slightly. An answer counts by majority, three
    of five: {sizes["K"]} of {sizes["F"]} candidates keep their label, {sizes["C"]} get the other
    one, and {sizes["U"]} on which no single label has a majority are left out. The predictions are
    committed, so the page is made again without training; tests
    compare the page with the report and the report with the predictions
    (`test_the_mnist_page_is_what_the_committed_report_says`).
    """


def _answer(report: Report) -> str:
    c, moved = report.prevalence, sum(s.rank_original != s.rank_corrected for s in report.standings)
    ranks = "No model moves." if not moved else f"{moved} models move."
    biggest = max(abs(s.top1.corrected.share - s.top1.original.share) for s in report.standings)
    return f"""{ranks} {c.right} changed labels of {c.of:,} kept ones are a prevalence of
    {percent(c.share)} % ({percent(c.low)} to {percent(c.high)} %), and no accuracy changes by more
    than {percent(biggest)} points, while intervals from the choice of images are several times as
    wide. What limits this comparison is not these errors; it is {report.sizes["D"]:,} images."""


def _budgets(report: Report) -> str:
    least = min(report.neighbours, key=lambda n: n.lead if n.budget is None else n.budget)
    return f"""{missed_line(report)} The flip budget needs no assumption about them: it is how many
    labels, chosen as badly as can be, may be wrong without turning or tying a pair. The tightest
    pair is {least.first} and {least.second}, {least.lead} images apart, with a budget of
    {least.budget}. Firmness against wrong labels and firmness against chance are different things:
    the tests in the second table ask whether another set of images would have told the same."""


def _growing(report: Report) -> str:
    sure = sum(c.established for c in report.crossings)
    count, models = len(report.crossings), len(report.standings)
    pairs = models * (models - 1) // 2
    needed = fewest_discordant(pairs, report.alpha)
    first = min(report.crossings, key=lambda c: c.prevalence, default=None)
    near = ""
    if first is not None and first.x_removed is not None:
        near = f"""The nearest would be {first.behind} passing {first.ahead} at
        {percent(first.prevalence, 1)} % wrong labels, for which {percent(first.x_removed, 1)} % of
        the unchanged images would have to go."""
    return f"""By corrected labels {count} pairs of models would cross somewhere between the
    prevalence there is and 1. {near} {sure or "None"} of them {"is" if sure == 1 else "are"}
    established: there are {report.sizes["C"]} changed labels, and with {pairs} pairs of models to
    correct for, two models would have to differ on at least {needed} of them, all one way, before
    an exact test at {percent(report.alpha, 0)} % notices."""


def _changed(report: Report) -> str:
    found = report.associations[2]
    low = min(s.top1.changed_corrected.right for s in report.standings)
    high = max(s.top1.changed_corrected.right for s in report.standings)
    return f"""Every model has between {low} and {high} of the {report.sizes["C"]} changed images
    right by corrected labels. Spearman's correlation between the two rankings there is
    {found.spearman:.2f} (permutation p {found.spearman_p:.2f}), Kendall's tau {found.kendall:.2f}
    (p {found.kendall_p:.2f}): from so few images, nothing follows."""


def _conclusions(report: Report) -> list[str]:
    sizes, secure = report.sizes, report.secure
    places = "The first place is" if secure == 1 else f"The first {secure} places are"
    settled = f"""{places} settled by the tests, and no {report.budget} wrong labels among those
    that nobody checked could change them; {sizes["C"] + sizes["U"]} were found among the
    {sizes["F"]} most suspicious."""
    other = sum(s.range_original != s.range_corrected for s in report.standings)
    same = "the same" if not other else f"other ones for {other} models"
    lines = [
        settled if secure and report.budget else "No place is settled.",
        """The errors that people confirmed do not change the ranking of these models. That is about
        these errors and these models; a data set with 6 % of them is another matter.""",
        f"""The ranks that tests leave possible are {same} by published and by corrected labels;
        where they overlap the order may be chance, with or without label errors.""",
        f"""That models which are worse now would be better on wrongly labelled images cannot be
        concluded from {sizes["C"]} images, nor that they would not.""",
    ]
    return [prose(line).replace("\n", "\n  ") for line in lines]
