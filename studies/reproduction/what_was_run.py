"""What was run: protocol, versions, finished runs, seconds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from candidly.ground.numbers import count_of
from candidly.show.words import listed
from studies.kit.words import grid, prose

from .numbers import ORACLE, TITLES, Sources, Sweep, algorithms_of
from .words import hours_of, label_of, variant_of

DOCS = Path(__file__).parents[2] / "docs"
PROMISE_H = 3  # hours on two cores for one variant of the whole table of Lost


def what_was_run(sources: Sources) -> list[str]:
    parts = []
    for name in (*TITLES, ORACLE):
        sweep = sources.sweeps.get(name)
        parts += _directory(name, sweep) if sweep else [f"**`{name}`**: not there yet."]
    if lost := sources.sweeps.get("lost"):
        parts.append(_promise(lost, algorithms_of(sources.tables["lost"])))
    return parts


def _directory(name: str, sweep: Sweep) -> list[str]:
    asked = sweep.settings
    protocol = f"""**`{name}`**: {count_of(asked["configs"], "configuration")} ×
        {count_of(asked["splits"], "split")} × {sweep.steps:,} updates for each row, a record each
        {asked["eval_every"]:,}; {sweep.n_test} test rows in each split; data
        `{sweep.fingerprint[:12]}`. {_versions(sweep)}"""
    header = ["variant", "rows complete", "runs complete", "diverged", "seconds", "hours, 2 cores"]
    rows = []
    for variant in ("plench", "fixed"):
        mine = [row for row in sweep.rows.values() if variant_of(row.label) == variant]
        if mine:
            seconds = sum(row.seconds for row in mine)
            rows.append(
                [
                    variant,
                    f"{sum(row.complete for row in mine)} of {len(mine)}",
                    f"{sum(row.finished for row in mine):,} of {sum(r.planned for r in mine):,}",
                    str(sum(row.diverged for row in mine)),
                    f"{seconds:,.0f}",
                    f"{hours_of(seconds):.2f}",
                ]
            )
    notes = [prose(f"Note: {note}.") for note in sweep.notes]
    return [prose(protocol), grid(header, rows), *notes, *_report(name)]


def _report(name: str) -> list[str]:
    """Where the benchmark's figures are, drawn from our runs: its box plots, time and memory."""
    if not (DOCS / f"{name}-report.html").is_file():
        return []
    text = f"""Accuracies of every split by what chose the model, as in the benchmark's Figure 3,
        and accuracy against time and memory, are in the [report]({name}-report.html) of these
        runs."""
    return [prose(text)]


def _versions(sweep: Sweep) -> str:
    """The algorithms' versions, those at version 1 only counted."""
    raised = [f"{label} {v}" for label, v in sweep.versions.items() if v != 1]
    return f"Algorithms at version 1{', but ' + listed(raised) if raised else ''}."


def _promise(lost: Sweep, algorithms: Sequence[str]) -> str:
    """Seconds against the promise, which is about whole tables only."""
    parts = [
        """Seconds are the runs' own, each its share of the stack it trained in, summed over the
        journal; half of that is what two cores need. Of the first 18 `plench` rows they are the
        clock's, on a machine that was busy with other things; of all other rows, processor time.
        Every `plench` row, and of the `fixed` ones CC, PRODEN, NN, GA, CAVL, LWS, MCL-GCE, MCL-MSE,
        EXP, ABS-GCE, POP and L-W, were trained (but for a few runs) before denormals counted as
        zero in training (`bench/denormals.py`); until then some stacks became several times
        slower as they went on, in `fixed` those of EXP and L-W up to seven times."""
    ]
    for variant in ("plench", "fixed"):
        rows = [lost.complete(label_of(name, variant)) for name in algorithms]
        there = [row for row in rows if row]
        hours = hours_of(sum(row.seconds for row in there))
        whole = len(there) == len(algorithms)
        verdict = (
            f"""the promise of at most {PROMISE_H} hours for one variant of the whole table
            {"holds" if hours <= PROMISE_H else "does not hold"}"""
            if whole
            else f"too early to judge the promise of at most {PROMISE_H} hours for all of them"
        )
        if there:
            parts.append(
                f"""The `{variant}` rows that are complete, {len(there)} of {len(algorithms)}, took
                {hours:.2f} hours on two cores: {verdict}."""
            )
    return prose(" ".join(parts))
