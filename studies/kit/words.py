"""How pages are worded: paragraphs, tables, numbers."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from candidly.stats import Summary, interval


def prose(text: str) -> str:
    return textwrap.fill(
        " ".join(text.split()), 100, break_long_words=False, break_on_hyphens=False
    )


def grid(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    numbers: bool = True,
    words: int = 1,
) -> str:
    """A table in Markdown; columns of ``numbers``, behind so many of ``words``, go to the right."""
    rule = [*["---"] * words, *["--:" if numbers else "---"] * (len(header) - words)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, rule, *rows))


def fixed(number: float, digits: int = 0) -> str:
    """A number with so many digits behind the point, and commas between thousands.

    >>> fixed(12345.6), fixed(-0.123, 2), fixed(-0.001, 2)
    ('12,346', '−0.12', '0.00')
    """
    text = f"{number:,.{digits}f}".replace("-", "−")
    return text if text.strip("−0.") else text.lstrip("−")


def in_points(share: float) -> str:
    """A difference of shares, in points.

    >>> in_points(0.0123), in_points(-0.004)
    ('+1.23', '−0.40')
    """
    return minus(100 * share, 2)


def minus(number: float, digits: int) -> str:
    """A number with its sign, and none for what rounds to zero."""
    text = f"{number:+.{digits}f}".replace("-", "−")
    return text if text.strip("+−0.") else text[1:]


def ends(summary: Summary) -> str:
    low_high = interval(summary)
    return "–" if low_high is None else " to ".join(in_points(end) for end in low_high)


def difference(gap: Summary) -> list[str]:
    """A paired difference and its interval, in bold where that leaves out zero."""
    if gap.mean is None:
        return ["–", "–"]
    shown = ends(gap)
    return [in_points(gap.mean), f"**{shown}**" if excludes_zero(gap) else shown]


def excludes_zero(difference: Summary) -> bool:
    ends = interval(difference)
    return ends is not None and (ends[0] > 0 or ends[1] < 0)
