"""How the page is worded: paragraphs, tables, numbers."""

from __future__ import annotations

from collections.abc import Mapping

from candidly.learn.algorithms import algorithm
from candidly.show.words import percent, plus_minus
from candidly.stats import Summary, summarise
from studies.kit.words import minus

from .numbers import Accuracies, Comparison, Published, Row


def picture(images: dict[str, str], name: str, title: str, svg: str) -> list[str]:
    file = f"reproduction-{name}.svg"
    images[file] = svg
    return [f"![{title}](../images/{file})"]


def state(row: Row | None) -> str:
    """Why a row has no number."""
    if row is None:
        return "not run"
    if row.complete:
        return "all runs diverged" if row.diverged else "no value"
    return f"incomplete: {row.finished} of {row.planned} runs"


def pm(number: Published | Summary, splits: int = 0) -> str:
    """Mean and standard error in percent, and how many of ``splits`` have a value if not all."""
    if isinstance(number, Published):
        return f"{percent(number.mean)} ± {percent(number.error)}"
    few = f" ({number.count} of {splits} splits)" if number.count < splits else ""
    return plus_minus(number) + few


def pm_of(accuracies: Accuracies) -> str:
    """The same of accuracies by split, with the sample standard deviation."""
    return pm(summarise(list(accuracies.values())), len(accuracies))


def away(comparison: Comparison) -> str:
    text = minus(comparison.away, 1)
    return text if comparison.agrees else f"**{text}**"


def named(name: str, label: str, versions: Mapping[str, int], shown: str = "version") -> str:
    """A row's name, with the version of the algorithm that made it where that is not today's."""
    then = versions.get(label)
    return f"{name} ({shown} {then})" if then and then != algorithm(label).version else name


def label_of(name: str, variant: str) -> str:
    return name if variant == "fixed" else f"{name}:{variant}"


def variant_of(label: str) -> str:
    return label.partition(":")[2] or "fixed"


def hours_of(seconds: float) -> float:
    return seconds / 2 / 3600
