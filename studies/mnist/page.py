"""docs/studies/mnist.md and its figures, from the committed report."""

from __future__ import annotations

from candidly.compare.stability import Report
from studies.kit.rankings import (
    figures,
    firmness,
    growth,
    moves,
    on_changed,
    possible,
    settled,
    standings,
)
from studies.kit.words import bullets, prose

PAGE, IMAGE = "studies/mnist.md", "mnist-study-"


def make_page(report: Report) -> tuple[str, dict[str, str]]:
    """The page's text, and its figures as SVG by file name."""
    parts = [
        "# Do MNIST's label errors change a ranking?",
        prose(f"**{report.verdict}** {report.left_open}"),
        prose(moves(report)),
        "## What was done",
        prose(_introduction(report)),
        "```text\npython -m studies.mnist\n```",
        prose(_made(report)),
        *standings(report),
        *firmness(report),
        *growth(report, IMAGE),
        *on_changed(report, IMAGE),
        "## What may honestly be concluded",
        bullets(_conclusions(report)),
    ]
    return "\n\n".join(parts) + "\n", figures(report, IMAGE)


def _introduction(report: Report) -> str:
    sizes = report.sizes
    return f"""{len(report.standings)} scikit-learn classifiers of different capacity
    (`studies/mnist/models.py`) are compared on the {sizes["D"]:,} test images of MNIST, once
    by the published labels and once by the labels that people agreed on when they were asked about
    {sizes["F"]} candidates (Northcutt, Athalye and Mueller, NeurIPS 2021; the released answers).
    Written from `studies/mnist/results` by"""


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


def _conclusions(report: Report) -> list[str]:
    return [
        settled(report),
        """The errors that people confirmed do not change the ranking of these models. That is about
        these errors and these models; a data set with 6 % of them is another matter.""",
        possible(report),
        f"""That models which are worse now would be better on wrongly labelled images cannot be
        concluded from {report.sizes["C"]} images, nor that they would not.""",
    ]
