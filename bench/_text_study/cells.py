"""Numbers as the page writes them."""

from __future__ import annotations

import numpy as np

from candidly.stats import PairedT

from .numbers import Noise, Rows, gain


def called(noise: Noise) -> str:
    kind, percent = noise
    if not percent:
        return "no noise"
    return f"{percent} % {'replaced inputs' if kind == 'replaced' else 'symmetric'}"


def percent(values: tuple[float, ...]) -> str:
    value = 100 * float(np.mean(values)) if values else np.nan
    return "–" if np.isnan(value) else f"{value:.1f}"


def points(found: PairedT) -> str:
    """A difference and its 95 % interval."""
    if found.difference is None or found.low is None or found.high is None:
        return "–"
    low, high = 100 * found.low, 100 * found.high
    return f"{100 * found.difference:.1f} ({low:.1f} to {high:.1f})".replace("-", "−")


def gained(rows: Rows, name: str) -> str:
    """As ``gain``; in bold where the interval leaves out 0."""
    return signed(gain(rows, name))


def signed(found: PairedT, clear: bool | None = None) -> str:
    """A difference with its sign, in bold where it is ``clear``: its interval leaves out 0."""
    if found.difference is None or found.low is None or found.high is None:
        return "–"
    low, high = 100 * found.low, 100 * found.high
    text = f"{100 * found.difference:+.1f} ({low:+.1f} to {high:+.1f})".replace("-", "−")
    return f"**{text}**" if (low * high > 0 if clear is None else clear) else text


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
