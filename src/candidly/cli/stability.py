"""``candidly stability``: whether a ranking of models survives the errors in the labels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..data.ingest import Roles
from ..ground.bounds import MOST_DRAWS
from ..ground.files import write_json, write_table
from . import _progress
from ._column_options import ANY, CELLS, LABELS, reads
from ._issues import check_place
from ._print import AsJson, Figures, Form, Html, OutJson, check_form, print_text, width
from ._types import random_seed, share, whole


@reads(*LABELS, *CELLS, "id", "drop")
def stability(
    original: Annotated[
        Path,
        typer.Option(
            "--labels",
            metavar="FILE",
            help="The original labels: a table with a column of numbers or names and, if you like, "
            "one of ids; or an .npy.",
        ),
    ],
    models: Annotated[
        Path,
        typer.Option(
            "--predictions",
            metavar="PLACE",
            help="A folder with a file per model, named after it: predicted classes, or "
            "probabilities in a column per class. Or one table with a column of predicted classes "
            "per model.",
        ),
    ],
    corrected: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The corrected labels, likewise; -1 or an empty cell where no single label is "
            "right. (default: none; then it is the ranking by the labels as they stand)",
        ),
    ] = None,
    ids: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Names of the items, in the order of the labels; files with a column id are held "
            "against them.",
        ),
    ] = None,
    alpha: Annotated[float, share("One minus the level of intervals and tests.", open=True)] = 0.05,
    pairs: Annotated[
        str, typer.Option(help="Pairs that are tested together: adjacent or all.")
    ] = "adjacent",
    checked: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Which items people have seen: a column of true and false, or 1 and 0. Changed "
            "and pruned ones count as seen. (default: what candidly validate wrote beside the "
            "corrected labels)",
        ),
    ] = None,
    audited: Annotated[int, whole("Unseen items that were drawn at random and checked.")] = 0,
    audit_errors: Annotated[int, whole("How many of these had a wrong label.")] = 0,
    corrections: Annotated[
        list[Path] | None,
        typer.Option(
            "--also",
            metavar="FILE",
            help="Another correction of the same labels, to put beside it; may be given again.",
        ),
    ] = None,
    plan: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write which items to check, in order: .csv .parquet."),
    ] = None,
    budget: Annotated[
        int | None,
        whole("With --plan: write the next so many items only, and say what they will settle.", 1),
    ] = None,
    found: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Labels found for the first items of that plan, by their ids, else in its order; "
            "-1 or empty where no single one is right, but for empty cells behind the last label.",
        ),
    ] = None,
    resamples: Annotated[int, whole("Of the bootstrap.", most=MOST_DRAWS)] = 10_000,
    seed: Annotated[int, random_seed("Of the bootstrap and the plan.")] = 0,
    html: Html = None,
    figures: Figures = None,
    out: OutJson = None,
    form: Form = "text",
    roles: Roles = ANY,
    as_json: AsJson = False,
) -> None:
    """Does a ranking of models survive the errors in the labels?

    One sentence, then: accuracies by original and corrected labels, which ranks tests leave
    possible, how many wrong labels an order withstands, where models would cross if wrong labels
    were more frequent, and which labels to check. It is about these models on these items; what it
    does not say stands at the end.

    Examples:

      candidly stability --labels labels.npy --corrected corrected.npy --predictions models

      candidly stability --labels l.csv --corrected c.csv --predictions models --html page.html

      candidly stability --labels table.csv --predictions table.csv

      candidly stability --labels l.npy --corrected c.npy --predictions models --figures figures

      candidly stability --labels l.npy --predictions models --plan plan.csv --budget 150
    """
    from ..compare.stability import assess, checking_plan, read_case
    from ..compare.stability.document import stability_document
    from ..compare.stability.files import within_budget

    check_form(form)
    check_place(out, "--out", (".json",))
    check_place(html, "--html", (".html", ".htm"))
    check_place(plan, "--plan", (".csv", ".parquet"))
    if budget is not None and plan is None:
        raise ValueError("--budget is how many items --plan writes; say where with --plan.")
    with _progress.reading() as watch:
        read_in = read_case(
            original,
            models,
            corrected,
            ids=ids,
            checked=checked,
            corrections=corrections or (),
            found=found,
            seed=seed,
            roles=roles,
            watch=watch,
        )
    with _progress.reading("comparing", "compared") as watch:
        report = assess(
            read_in.case,
            alpha=alpha,
            pairs=pairs,  # type: ignore[arg-type]
            resamples=resamples,
            seed=seed,
            audited=audited,
            audit_errors=audit_errors,
            corrections=read_in.corrections,
            found=read_in.found,
            probs=read_in.probs,
            watch=watch,
        )
    read = {"labels": str(original), "predictions": str(models)}
    read |= {} if corrected is None else {"corrected labels": str(corrected)}
    document = stability_document(report, read=read)
    if html is not None:
        document.write(html, figures_in=figures)
    elif figures is not None:
        document.write_figures(figures)
    settles = ""
    if plan is not None:
        to_check = checking_plan(read_in.case, read_in.found, alpha, seed)
        write_table(read_in.plan_table(to_check, budget), plan)
        if budget is not None:
            settles = within_budget(read_in.case, to_check, budget)
    if out is not None:
        write_json({"read": read, **report.as_dict()}, out)
    print_text(document.render("json" if as_json else form, width()))
    if as_json:
        return
    if settles:
        print(settles)
    for path in (html, plan, out, figures):
        if path is not None:
            print(f"wrote {path}", file=sys.stderr)
