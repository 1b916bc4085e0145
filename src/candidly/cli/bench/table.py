"""``candidly bench table``: what a directory holds, as tables of accuracy, gaps and doubts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .._print import AsJson, check_form, print_text, width
from .._types import counted

if TYPE_CHECKING:
    from ...compare.sweep.correct import Noise
    from ...compare.sweep.results import Results

Brief = Annotated[
    bool,
    typer.Option("--brief", help="The tables alone, without lists of what was chosen."),
]
Where = Annotated[Path, typer.Argument(metavar="DIR", help="A results directory.")]


def table(
    folder: Where,
    format: Annotated[
        str, typer.Option(help="text, markdown, csv (one table), latex, html or json.")
    ] = "text",
    metric: Annotated[
        str,
        typer.Option(
            help="top1, top5, balanced (the mean over classes), or adjusted: top1 of predictions "
            "as if all classes had been equally frequent in training."
        ),
    ] = "top1",
    criterion: Annotated[
        list[str] | None,
        typer.Option(
            help="CR, AA, NVA, OA, 'OA & ES', or the extra AA:plench, NVA:corrected, agreement, "
            "peak (an oracle: best on the test rows) and last (no selection); repeat it. "
            "(default: by the labels learned from; last after --validation train-oracle)"
        ),
    ] = None,
    gap: Annotated[
        bool,
        typer.Option(
            "--gap",
            help="Instead, the best record of the chosen runs (an oracle), the last, and the "
            "selected one.",
        ),
    ] = False,
    budget: Annotated[
        str | None,
        typer.Option(
            metavar="UPDATES",
            help="Leave out records beyond so many updates times networks; 'common' is the "
            "largest number that every run reaches.",
        ),
    ] = None,
    transition: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]FILE",
            help="Transition matrix of a data set's given labels, for NVA:corrected: .csv or .npy, "
            "or the .npz of errors probs to estimate it from; repeat it.",
        ),
    ] = None,
    why: Annotated[
        bool,
        typer.Option(
            "--why",
            help="Instead, how far the choices by CR and AA can be trusted: their spread, ties, "
            "what resampled validation rows would choose, the accuracy CR stands for.",
        ),
    ] = False,
    bold: Annotated[
        str,
        typer.Option(
            metavar="shown|highest",
            help="What of a column stands in bold: the highest mean where its lead over each other "
            "is beyond chance; or the highest mean, as papers have it.",
        ),
    ] = "shown",
    brief: Brief = False,
    as_json: AsJson = False,
) -> None:
    """The tables: per criterion, test accuracy with its standard error, and what was chosen.

    Examples:

      candidly bench table runs/lost --format markdown

      candidly bench table runs/lost --why

      candidly bench table runs/noisy --gap --budget common
    """
    form = "json" if as_json else format
    check_form(form, json=True)
    results = results_of(folder)
    if why:
        if criterion or metric != "top1" or gap or budget or transition:
            raise ValueError(
                "--why looks at CR and AA on the validation rows of whole runs; leave out "
                "--criterion, --metric, --gap, --budget and --transition."
            )
        from ...compare.report.why import trust_tables

        print_text(trust_tables(results).render(form, width()))
        return
    if transition:
        results = _corrected(results, transition)
        criterion = criterion or ["NVA:corrected"]
    if budget:
        results = _cut(results, budget)
    if not gap:
        print_tables(results, form, metric, criterion, brief, bold)
        return
    if bold != "shown":
        raise ValueError("--bold is of the tables; --gap has its own.")
    if criterion and len(criterion) > 1:
        raise ValueError("--gap shows one criterion at a time; give one --criterion.")
    from ...compare.report.gap import gap_tables

    chosen_by = criterion[0] if criterion else None
    print_text(gap_tables(results, metric, chosen_by).render(form, width()))


def results_of(folder: Path) -> Results:
    """All that a directory says."""
    from ...compare.sweep.journal import read_results

    return read_results(folder)


def print_tables(
    results: Results,
    format: str,
    metric: str = "top1",
    criteria: list[str] | None = None,
    brief: bool = False,
    bold: str = "shown",
) -> None:
    """The tables, on stdout."""
    from ...compare.report import accuracy_tables

    document = accuracy_tables(results, metric, criteria, choices=not brief, bold=bold)
    print_text(document.render(format, width()))


def _cut(results: Results, budget: str) -> Results:
    from ...compare.sweep.budget import at_budget, common_budget

    if budget.lower() == "common":
        return at_budget(results, common_budget(results))
    try:
        updates = counted(budget, "--budget", 1)
    except ValueError as error:
        raise ValueError(f"{error} Or write common.") from None
    return at_budget(results, updates)


def _corrected(results: Results, files: list[str]) -> Results:
    from ...compare.report.noise_file import read_noise
    from ...compare.sweep.correct import with_corrected

    names = list(dict.fromkeys(group.first.dataset for group in results.runs.groups))
    noise: dict[str, Noise] = {}
    for text in files:
        name, found, file = text.rpartition("=")
        if not found and len(names) != 1:
            raise ValueError(
                f"--transition {text} does not say of which data set: write NAME={text} with one "
                f"of {', '.join(names)}."
            )
        noise[name if found else names[0]] = read_noise(file)
    return with_corrected(results, noise)
