"""Numbers as the page writes them."""

from __future__ import annotations

import numpy as np

from candidly.stats import PairedT, Summary, interval

from .rows import Rows, gain


def percent(values: tuple[float, ...]) -> str:
    value = 100 * float(np.mean(values)) if values else np.nan
    return "–" if np.isnan(value) else f"{value:.1f}"


def points(found: PairedT | Summary) -> str:
    """A difference, and its 95 % interval where there is one."""
    return _told(found, "")


def gained(rows: Rows, name: str) -> str:
    """As ``gain``; in bold where the interval leaves out 0."""
    return signed(gain(rows, name))


def signed(found: PairedT | Summary, clear: bool | None = None) -> str:
    """A difference with its sign, in bold where it is ``clear``: its interval leaves out 0."""
    text, ends = _told(found, "+"), _ends(found)
    if clear is None:
        clear = ends is not None and ends[0] * ends[1] > 0
    return f"**{text}**" if clear else text


def _told(found: PairedT | Summary, sign: str) -> str:
    mean = found.mean if isinstance(found, Summary) else found.difference
    if mean is None:
        return "–"
    text, ends = f"{100 * mean:{sign}.1f}", _ends(found)
    if ends is not None:
        text += f" ({100 * ends[0]:{sign}.1f} to {100 * ends[1]:{sign}.1f})"
    return text.replace("-", "−")


def _ends(found: PairedT | Summary) -> tuple[float, float] | None:
    """The interval: of a test, or Student's of independent values."""
    if isinstance(found, Summary):
        return interval(found)
    return None if found.low is None or found.high is None else (found.low, found.high)
