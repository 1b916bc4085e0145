"""How the page is worded: paragraphs, tables, numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from candidly.learn.algorithms import algorithm
from candidly.show.words import percent, plus_minus
from candidly.stats import Summary, interval, summarise

from .numbers import Accuracies, Comparison, Published, Row, excludes_zero


def prose(text: str) -> str:
    return textwrap.fill(
        " ".join(text.split()), 100, break_long_words=False, break_on_hyphens=False
    )


def grid(header: Sequence[str], rows: Sequence[Sequence[str]], numbers: bool = True) -> str:
    """A table in Markdown; columns of numbers go to the right."""
    rule = ["---", *["--:" if numbers else "---"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, rule, *rows))


def picture(images: dict[str, str], name: str, title: str, svg: str) -> list[str]:
    file = f"reproduction-{name}.svg"
    images[file] = svg
    return [f"![{title}](images/{file})"]


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


def signed(points: float) -> str:
    """A difference of shares, in points.

    >>> signed(0.0123), signed(-0.004)
    ('+1.23', '−0.40')
    """
    return minus(100 * points, 2)


def minus(number: float, digits: int) -> str:
    """A number with its sign, and none for what rounds to zero."""
    text = f"{number:+.{digits}f}".replace("-", "−")
    return text if text.strip("+−0.") else text[1:]


def away(comparison: Comparison) -> str:
    text = minus(comparison.away, 1)
    return text if comparison.agrees else f"**{text}**"


def ends(summary: Summary) -> str:
    low_high = interval(summary)
    return "–" if low_high is None else " to ".join(signed(end) for end in low_high)


def difference(gap: Summary) -> list[str]:
    """A paired difference and its interval, in bold where that leaves out zero."""
    if gap.mean is None:
        return ["–", "–"]
    shown = ends(gap)
    return [signed(gap.mean), f"**{shown}**" if excludes_zero(gap) else shown]


def named(name: str, label: str, versions: Mapping[str, int], shown: str = "version") -> str:
    """A row's name, with the version of the algorithm that made it where that is not today's."""
    then = versions.get(label)
    return f"{name} ({shown} {then})" if then and then != algorithm(label).version else name


def count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def label_of(name: str, variant: str) -> str:
    return name if variant == "fixed" else f"{name}:{variant}"


def variant_of(label: str) -> str:
    return label.partition(":")[2] or "fixed"


def hours_of(seconds: float) -> float:
    return seconds / 2 / 3600
