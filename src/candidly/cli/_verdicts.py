"""What ``candidly validate`` prints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table

from ._issues import _out

NOT_OFFERED = {"both": "multi-label", "neither": "neither"}  # answer: the verdict it makes


def print_verdicts(about: Mapping[str, Any], offered: Sequence[str] | None) -> None:
    """Verdicts, both readings, what they mean for the whole, agreement, what is corrected.

    Args:
        about: see ``report.verdicts.summarise``.
        offered: answers that people could give; None of sets of classes.
    """
    levels = about["threshold"]
    by = f", decided by {levels[0]}" if len(levels) == 1 else ", decided by a majority of each"
    print(f"{about['checked']:,} items checked, {about['decided']:,} decided{by if levels else ''}")
    for name, words in (
        ("unanswered", "without an answer"),
        ("short", "with fewer answers than the threshold: nothing could confirm their label"),
        ("degenerate", "that offered one class twice"),
    ):
        if about[name]:
            print(f"{about[name]:,} items {words}")
    _categories(about["categories"], offered)
    _errors(about)
    if "missed" in about:
        print(f"missed errors: {about['missed']['sentence']}")
    if offered is not None:
        _agreement(about["agreement"])
    if "corrected" in about:
        numbers = about["corrected"]
        told = ", ".join(
            f"{numbers[name]:,} {name}"
            for name in ("unflagged", "confirmed", "corrected", "pruned", "pending")
            if numbers[name]
        )
        print(f"labels: {told}")


def print_settings(about: Mapping[str, Any]) -> None:
    """How much depends on the threshold."""
    if not about.get("settings"):
        return
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1))
    shown.add_column("decided by", no_wrap=True)
    for name in ("corrected", "unsettled", "prevalence %", "errors %", "fragile"):
        shown.add_column(name, justify="right")
    for s in about["settings"]:
        prevalence = "-" if s["prevalence"] is None else f"{100 * s['prevalence']:.2f}"
        shown.add_row(
            s["name"],
            f"{s['corrected']:,.0f}",
            f"{s['unsettled']:,.0f}",
            prevalence,
            f"{s['percent error']:.2f}",
            "-" if s["fragile"] is None else f"{s['fragile']:,}",
        )
    _out(shown)


def _categories(categories: Mapping[str, int], offered: Sequence[str] | None) -> None:
    absent = {NOT_OFFERED[answer] for answer in NOT_OFFERED if answer not in (offered or ())}
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    for name, count in categories.items():
        always = name not in ("pending", "different set") and name not in absent
        if count or (always and offered is not None):
            grid.add_row(name, f"{count:,}")
    _out(grid)


def _errors(about: Mapping[str, Any]) -> None:
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1))
    whole = about.get("estimates")
    columns = ["errors, read as", "found", "% of checked"]
    columns += ["in all", "% of all", "95 %"] if whole else ["95 %"]
    for place, name in enumerate(columns):
        shown.add_column(name, justify="right" if place else "left", no_wrap=True)
    for name, share in about["errors"].items():
        percent, sure = _percent(share)
        row = [name, f"{share['count']:,}", percent]
        if whole:
            e = whole[name]
            ends = f"{e['percent low']:.2f} to {e['percent high']:.2f}"
            sure = "all checked" if e["census"] else ends
            row += [f"{e['total']:,.0f}", f"{e['percent']:.2f}"]
        shown.add_row(*row, sure)
    _out(shown)


def _percent(share: Mapping[str, Any]) -> tuple[str, str]:
    if share["share"] is None:
        return "-", "-"
    low, high = 100 * share["low"], 100 * share["high"]
    return f"{100 * share['share']:.1f}", f"{low:.1f} to {high:.1f}"


def _agreement(about: Mapping[str, Any]) -> None:
    kappa = about["kappa"]
    if kappa["kappa"] is not None:
        ends = "" if kappa["low"] is None else f" ({kappa['low']:.2f} to {kappa['high']:.2f})"
        slight = "; slight: much of this is disagreement among people" if about["slight"] else ""
        print(f"agreement: Fleiss' kappa {kappa['kappa']:.2f}{ends}{slight}")
    print(
        f"of {about['decided']:,} decided, {about['unanimous']:,} are unanimous,"
        f" {about['split']:,} just reach the threshold, {about['fragile']:,} are fragile:"
        " one other answer would change the category"
    )
