"""How names and numbers are written, the same on every page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..stats import Summary


def short_names(names: Sequence[str], most: int = 24) -> dict[str, str]:
    """Each name in at most ``most`` characters, no two alike; a longer one loses its middle.

    Where that would make names alike, what is kept is where they differ, else they are numbered.

    Args:
        names: distinct.
        most: at least 12.

    >>> short_names(["resnet 50", "convnext-huge-with-augmentation"], 16)
    {'resnet 50': 'resnet 50', 'convnext-huge-with-augmentation': 'convnext…ntation'}
    """
    kept = {name: name if len(name) <= most else _ends(name, most) for name in names}
    for alike in _alike(kept):
        letters = enumerate(zip(*alike))
        start = next((k for k, them in letters if len(set(them)) > 1), min(map(len, alike)))
        for name in alike:
            kept[name] = name if len(name) <= most else _from(name, max(start - 2, 0), most)
    for alike in _alike(kept):
        for number, name in enumerate(alike, 1):
            if len(name) > most:
                mark = f" ({number})"
                kept[name] = _ends(name, most - len(mark)) + mark
    return kept


def _alike(kept: Mapping[str, str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for name, short in kept.items():
        groups.setdefault(short, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _ends(name: str, most: int) -> str:
    head = most // 2
    return f"{name[:head]}…{name[len(name) - (most - head - 1) :]}"


def _from(name: str, start: int, most: int) -> str:
    if start == 0:
        return f"{name[: most - 1]}…"
    rest = name[start:]
    return f"…{rest}" if len(rest) < most else f"…{rest[: most - 2]}…"


def percent(value: float | None, digits: int = 2) -> str:
    """A share as a percentage without its sign, a dash for nothing.

    >>> percent(0.71333), percent(None)
    ('71.33', '–')
    """
    return "–" if value is None else f"{100 * value:.{digits}f}"


def in_percent(share: float | None) -> float | None:
    """A share as a percentage, nothing as nothing."""
    return None if share is None else 100 * share


def plus_minus(summary: Summary) -> str:
    """Mean and standard error in percent.

    >>> plus_minus(Summary(0.7133, 0.0548, 0.0245, 5)), plus_minus(Summary(0.7, None, None, 1))
    ('71.33 ± 2.45', '70.00 ± –')
    """
    return f"{percent(summary.mean)} ± {percent(summary.standard_error)}"


def hyper_text(hyper: Mapping[str, float | int]) -> str:
    """Hyper-parameters on one line.

    >>> hyper_text({"lr": 0.000119061, "batch_size": 128})
    'lr=0.000119, batch_size=128'
    """
    return ", ".join(f"{name}={_number(value)}" for name, value in hyper.items())


def listed(names: Iterable[str]) -> str:
    """Names in a sentence.

    >>> listed(["CC", "LWS", "CE"])
    'CC, LWS and CE'
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _number(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
