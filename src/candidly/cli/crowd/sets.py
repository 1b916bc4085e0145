"""``candidly crowd sets``: candidate sets from answers that are sets of labels, or denials."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ...data.ingest import Roles
from ...ground.files import write_table
from ...ground.jsons import to_json
from .. import _words
from .._column_options import ANSWERS, ANY, CELLS, LABELS, reads
from .._issues import check_place
from .._print import AsJson, Form, check_form, show
from .._types import share, whole
from ..data.common import Data, loaded_from

TABLES = (".parquet", ".csv", ".json")
MORE = "--top gives more"


@reads(*LABELS, *CELLS, "id", *ANSWERS, "drop")
def sets(
    answers: Annotated[
        str,
        typer.Argument(
            metavar="ANSWERS",
            help="A table with an answer a row, whose labels are sets such as cat|dog; a saved "
            ".npz with votes; or a known name such as cifar10s.",
        ),
    ],
    mass: Annotated[
        float, share("How much of the posterior a candidate set holds.", open=True)
    ] = 0.95,
    denied: Annotated[
        bool,
        typer.Option("--denied", help="Answers name what the label is not: not a dog, not a cow."),
    ] = False,
    ranked: Annotated[
        bool,
        typer.Option(
            "--ranked",
            help="Answers name labels in order, the likeliest first, such as cat|lynx|dog.",
        ),
    ] = False,
    root: Data = None,
    top: Annotated[int, whole("Items and annotators to print.")] = 10,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write every item's candidates and their weights: .parquet .csv .json.",
        ),
    ] = None,
    roles: Roles = ANY,
    form: Form = "text",
    as_json: AsJson = False,
) -> None:
    """Candidate sets to learn from, of answers that are sets of labels.

    Examples:

      candidly crowd sets answers.csv --item picture --annotator person --out sets.csv

      candidly crowd sets cifar10s --mass 0.99 --top 0

      candidly crowd sets orders.csv --item picture --annotator person --ranked

      candidly crowd sets excluded.csv --item picture --annotator person --denied --json
    """
    import numpy as np

    from ...people import crowd
    from ...people.crowd.answer_sets.summary import set_grids, set_lines, sets_table

    check_form(form)
    check_place(out, "--out", TABLES)
    if denied and ranked:
        raise ValueError("answers are --denied or --ranked, not both.")
    data = loaded_from(answers, root, roles)
    if data.official_test is not None:
        data = data[~data.official_test]
    if data.votes is None:
        raise ValueError(
            f"{answers} has no answers of people; name the columns of items and people with"
            " --item and --annotator."
        )
    with _words.held() as notes:
        every = np.ones(len(data.votes), bool)
        found = crowd.set_consensus(
            data.votes, data.n, data.q, every if denied else None, every if ranked else None
        )
    table = sets_table(found, data.ids, data.classes, mass)
    if out is not None:
        write_table(table, out)
    if as_json:
        about = {
            "answers": len(data.votes),
            "items": data.n,
            "classes": list(data.classes),
            "mass": mass,
            "size": float(found.candidates(mass).sum(1).mean()),
            "temperature": found.temperature,
            "converged": found.converged,
            "sets": table.head(top).rows(named=True),
            "annotators": dict(zip(found.annotators, found.accuracy.tolist())),
            "written": None if out is None else str(out),
            "warnings": notes,
        }
        print(to_json(about))
        return
    show(
        *set_lines(found, data.votes, mass),
        *(set_grids(found, table, top, MORE) if top else ()),
        form=form,
    )
    if out is not None:
        print(f"wrote {out}", file=sys.stderr)
