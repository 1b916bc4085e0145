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
    """A difference, and its 95 % interval where there is one."""
    return _told(found, "")


def gained(rows: Rows, name: str) -> str:
    """As ``gain``; in bold where the interval leaves out 0."""
    return signed(gain(rows, name))


def signed(found: PairedT, clear: bool | None = None) -> str:
    """A difference with its sign, in bold where it is ``clear``: its interval leaves out 0."""
    text = _told(found, "+")
    if clear is None:
        clear = found.low is not None and found.high is not None and found.low * found.high > 0
    return f"**{text}**" if clear else text


def _told(found: PairedT, sign: str) -> str:
    if found.difference is None:
        return "–"
    text = f"{100 * found.difference:{sign}.1f}"
    if found.low is not None and found.high is not None:
        text += f" ({100 * found.low:{sign}.1f} to {100 * found.high:{sign}.1f})"
    return text.replace("-", "−")


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
