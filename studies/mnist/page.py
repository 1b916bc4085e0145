"""docs/studies/mnist.md and its figures, from the committed report."""

from __future__ import annotations

from pathlib import Path

from candidly.compare.stability import Report
from studies.kit.rankings import figures, ranking
from studies.kit.template import rendered

PAGE, IMAGE = "studies/mnist.md", "mnist-study-"


def make_page(report: Report) -> tuple[str, dict[str, str]]:
    """The page's text, and its figures as SVG by file name."""
    values = {"ranking": ranking(report), "image": IMAGE}
    return rendered(Path(__file__).with_name("page.md"), values), figures(report, IMAGE)
