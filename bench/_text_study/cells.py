"""Numbers as the page writes them."""

from __future__ import annotations

import numpy as np

from candidly.stats import Summary, interval

from .numbers import Noise, Rows, gain


def called(noise: Noise) -> str:
    kind, percent = noise
    if not percent:
        return "no noise"
    return f"{percent} % {'replaced inputs' if kind == 'replaced' else 'symmetric'}"


def percent(values: tuple[float, ...]) -> str:
    value = 100 * float(np.mean(values)) if values else np.nan
    return "–" if np.isnan(value) else f"{value:.1f}"


def points(found: Summary) -> str:
    """A difference and its 95 % interval."""
    span = interval(found)
    if found.mean is None or span is None:
        return "–"
    low, high = (100 * each for each in span)
    return f"{100 * found.mean:.1f} ({low:.1f} to {high:.1f})".replace("-", "−")


def gained(rows: Rows, name: str) -> str:
    """As ``gain``; in bold where the interval leaves out 0."""
    return signed(gain(rows, name)[0])


def signed(found: Summary) -> str:
    """A difference with its sign, in bold where its interval leaves out 0."""
    span = interval(found)
    if found.mean is None or span is None:
        return "–"
    low, high = (100 * each for each in span)
    text = f"{100 * found.mean:+.1f} ({low:+.1f} to {high:+.1f})".replace("-", "−")
    return f"**{text}**" if low * high > 0 else text


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
