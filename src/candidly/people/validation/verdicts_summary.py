"""What people's answers come to, in a few lines and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...ground.numbers import count_of
from ...show.grid import Column, Grid
from .verdicts_document import errors_grid, thresholds_grid

NOT_OFFERED = {"both": "multi-label", "neither": "neither"}  # answer: the verdict it makes


def verdicts_parts(about: Mapping[str, Any], offered: Sequence[str] | None) -> Iterator[str | Grid]:
    """Errors by each reading, verdicts, what they mean for the whole, agreement, corrections.

    Args:
        about: see ``verdicts_document.summarise``.
        offered: answers that people could give; None of sets of classes.
    """
    if "counted" in about:
        yield about["counted"]["sentence"]
    levels = about["threshold"]
    by = f", decided by {levels[0]}" if len(levels) == 1 else ", decided by a majority of each"
    checked = count_of(about["checked"], "item")
    yield f"{checked} checked, {about['decided']:,} decided{by if levels else ''}"
    for name, words in (
        ("unanswered", "without an answer"),
        ("short", "with fewer answers than the threshold: nothing could confirm their label"),
        ("degenerate", "that offered one class twice"),
    ):
        if about[name]:
            yield f"{about[name]:,} items {words}"
    yield errors_grid(about)
    yield _categories(about["categories"], offered)
    if "missed" in about:
        yield f"missed errors: {about['missed']['sentence']}"
    if offered is not None:
        yield from _agreement(about["agreement"])
    if "corrected" in about:
        numbers = about["corrected"]
        told = ", ".join(
            f"{numbers[name]:,} {name}"
            for name in (
                "unflagged",
                "confirmed",
                "corrected",
                "pruned",
                "decided",
                "undecided",
                "pending",
            )
            if numbers[name]
        )
        yield f"labels: {told}"
    yield thresholds_grid(about)


def _categories(categories: Mapping[str, int], offered: Sequence[str] | None) -> Grid:
    absent = {NOT_OFFERED[answer] for answer in NOT_OFFERED if answer not in (offered or ())}
    rows = []
    for name, count in categories.items():
        always = name not in ("pending", "different set") and name not in absent
        if count or (always and offered is not None):
            rows.append((name, count))
    return Grid("", (Column("verdict", "word"), Column("items", form=",")), rows)


def _agreement(about: Mapping[str, Any]) -> Iterator[str]:
    yield from about["sentences"]
    yield (
        f"of {about['decided']:,} decided, {about['unanimous']:,} are unanimous,"
        f" {about['split']:,} just reach the threshold, {about['fragile']:,} are fragile:"
        " one other answer would change the category"
    )
