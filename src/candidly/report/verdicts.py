"""What people's answers come to: one value for scripts, and one self-contained page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import replacing
from ._forms import finite
from ._template import rendered

if TYPE_CHECKING:
    from ..validation import Corrected, Missed, Verdicts

LISTED = 500  # items of each list on the page
LEVELS = 5  # thresholds that are compared
FAMILIES = ("non-error", "correctable", "multi-label", "neither", "non-agreement")


def summarise(
    verdicts: Verdicts,
    *,
    size: int | None = None,
    flagged: int | None = None,
    missed: Missed | None = None,
    corrected: Corrected | None = None,
) -> dict[str, Any]:
    """Everything that is said of verdicts, as JSON can hold it.

    Args:
        size: examples of the data set; without it nothing is said of the whole.
        flagged: examples that were flagged, of which those checked are a random sample; all were
            checked by default.
        missed: what an audit of unflagged examples says; see ``validation.missed``.
        corrected: the corrected labels, where they are made.

    Raises:
        ValueError: sizes that do not fit.
    """
    from ..validation import READINGS, agreement, estimates, totals

    found, agreed = totals(verdicts), agreement(verdicts)
    about: dict[str, Any] = {
        "checked": found.checked,
        "decided": found.decided,
        "unanswered": found.unanswered,
        "short": found.short,
        "degenerate": found.degenerate,
        "threshold": _levels_of(verdicts),
        "categories": found.categories,
        "errors": {
            name: {**asdict(share), "share": share.share, "meaning": READINGS[name]}
            for name, share in found.errors.items()
        },
        "agreement": {**asdict(agreed), "slight": agreed.slight},
    }
    if size is not None:
        about["size"] = size
        about["flagged"] = flagged if flagged is not None else found.checked
        if found.decided:
            about["estimates"] = {
                name: _told(e) for name, e in estimates(verdicts, flagged, size).items()
            }
        about["settings"] = _settings(verdicts, size, flagged)
    if missed is not None:
        about["missed"] = {**asdict(missed), "sentence": str(missed)}
    if corrected is not None:
        about["corrected"] = _numbers(corrected)
    return finite(about)


def items(verdicts: Verdicts) -> list[dict[str, Any]]:
    """A row per checked item, in order: classes, answers, verdict, whether one answer decides."""
    from ..validation import ANSWERS, CATEGORIES, SetTally, fragile

    tally = verdicts.tally
    base = [
        {"id": str(name), "item": int(item), "verdict": CATEGORIES[c], "fragile": bool(f)}
        for name, item, c, f in zip(tally.ids, tally.item, verdicts.category, fragile(verdicts))
    ]
    if isinstance(tally, SetTally):
        return [
            row
            | {
                "given": _sets(tally.given[i], tally.classes),
                "guessed": _sets(tally.heard[i] >= verdicts.threshold[i], tally.classes),
                "votes": {},
            }
            for i, row in enumerate(base)
        ]
    return [
        row
        | {
            "given": _name(int(tally.given[i]), tally.classes),
            "guessed": _name(int(tally.guessed[i]), tally.classes),
            "votes": dict(zip(ANSWERS, tally.counts[i].tolist())),
        }
        for i, row in enumerate(base)
    ]


def write_verdicts_page(verdicts: Verdicts, path: Path | str, **options: Any) -> None:
    """Write the page, whole or not at all; options are those of ``make_verdicts_page``.

    Raises:
        OSError: the folder cannot be written, or the disk is full; the message names ``path``.
    """
    page = make_verdicts_page(verdicts, **options).encode("utf-8", "replace")
    with replacing(path) as file:
        file.write(page)


def make_verdicts_page(
    verdicts: Verdicts, *, about: Mapping[str, Any], read: Mapping[str, str] | None = None
) -> str:
    """The page as HTML text; it refers to nothing outside itself. The same input, the same text.

    Args:
        about: what ``summarise`` says of the verdicts.
        read: what to say of where the answers came from, by name.
    """
    from ..validation import SetTally

    rows = items(verdicts)
    return rendered(
        "verdicts.html",
        read or {},
        about=about,
        sets=isinstance(verdicts.tally, SetTally),
        offered=getattr(verdicts.tally, "offered", ()),
        families=FAMILIES,
        corrections=[row for row in rows if row["verdict"] == "correctable"],
        doubtful=[row for row in rows if row["fragile"] or row["verdict"] == "different set"],
        listed=LISTED,
    )


def _settings(verdicts: Verdicts, size: int, flagged: int | None) -> list[dict[str, Any]]:
    from ..validation import thresholds

    most = int(verdicts.tally.answers.max(initial=0))
    if most < 3:
        return []
    levels = list(range(most // 2 + 1, most + 1))[:LEVELS]
    return [
        {"name": s.name, "fragile": s.fragile, "percent error": s.sets.percent_error}
        | asdict(s.sets)
        for s in thresholds(verdicts.tally, size, flagged, levels)
    ]


def _levels_of(verdicts: Verdicts) -> list[int]:
    return sorted(set(verdicts.threshold[verdicts.decided].tolist()))


def _told(estimate: Any) -> dict[str, Any]:
    low, high = estimate.interval
    return {
        **asdict(estimate),
        "census": estimate.census,
        "percent": estimate.percent,
        "low": low,
        "high": high,
        "percent low": 100 * low / estimate.size,
        "percent high": 100 * high / estimate.size,
    }


def _numbers(corrected: Corrected) -> dict[str, Any]:
    from ..validation import PROVENANCE

    counts = np.bincount(corrected.provenance, minlength=len(PROVENANCE)).tolist()
    return {
        "labels": len(corrected),
        **dict(zip(PROVENANCE, counts)),
        "reading": corrected.reading,
        "fingerprint": corrected.fingerprint,
    }


def _name(label: int, classes: Sequence[str] | None) -> str:
    if label < 0:
        return "?"
    return str(label) if classes is None else classes[label]


def _sets(row: np.ndarray, classes: Sequence[str]) -> str:
    return ", ".join(classes[k] for k in np.flatnonzero(row).tolist()) or "none"
