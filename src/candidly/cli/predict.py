"""``candidly predict``: what a saved model says of the rows of a file, labels or not."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..data.ingest import Roles
from ..ground.jsons import to_json
from . import _progress
from ._column_options import ANY, CELLS, INPUTS, reads
from ._issues import check_place
from ._network_options import SavedNet
from ._print import AsJson
from ._stopping import stoppable
from ._types import share, whole
from .data.common import Data

if TYPE_CHECKING:
    from ..learn.model.new_rows import NewRows

WHAT = {"given label": "the given label", "candidate": "one of the candidates"}
ENDINGS = (".csv", ".parquet", ".jsonl", ".npz")
SHOWN_CLASSES = 5


@reads(*CELLS, "id", *(name for name in INPUTS if name != "kinds"))  # which the model knows
def predict(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A file that candidly train wrote.")
    ],
    what: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A table, arrays, a folder of pictures, or a known name."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help=f"Where to write: {' '.join(ENDINGS)}."),
    ] = None,
    keep_columns: Annotated[
        bool,
        typer.Option(
            "--keep-columns",
            help="Write all columns of FILE as they are, and prediction and probability behind "
            "them; --out then ends as FILE does.",
        ),
    ] = False,
    probs: Annotated[
        bool, typer.Option("--probs", help="With a column of probabilities for each class.")
    ] = False,
    top: Annotated[
        int,
        whole("How many classes to write for a row, the likeliest first.", 1),
    ] = 1,
    adjusted: Annotated[
        bool,
        typer.Option(
            "--adjusted",
            help="Predict as if all classes had been equally frequent in training.",
        ),
    ] = False,
    abstain: Annotated[
        Any, share("Leave a prediction empty whose probability is lower than that.")
    ] = 0.0,
    sets: Annotated[
        Any,
        share(
            "With a column set: the classes among which is the label of so many rows, such as 0.9, "
            "of rows like those that candidly train held out."
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            "--label",
            metavar="COLUMN",
            help="Column of labels to compare with. (default: none; such columns are left out)",
        ),
    ] = None,
    roles: Roles = ANY,
    net: SavedNet = None,
    root: Data = None,
    as_json: AsJson = False,
) -> None:
    """Predict classes for the rows of a file with a saved model.

    Rows stay in their order and keep their ids. Columns go by their names, in any order; labels
    are not needed. With --probs, candidly errors find takes the file as its --probs.

    Examples:

      candidly predict shop.safetensors new.csv --out predictions.csv

      candidly predict shop.safetensors new.csv --keep-columns --out predicted.csv

      candidly predict news.safetensors new.csv --top 5 --out predicted.csv

      candidly predict shop.safetensors new.csv --abstain 0.8 --sets 0.9 --out predicted.csv
    """
    if out is None:
        raise ValueError("say where to write: --out predictions.csv.")
    check_place(out, "--out", () if keep_columns else ENDINGS)
    if keep_columns and probs:
        raise ValueError("--keep-columns adds no column a class; leave it or --probs out.")
    if top < 1:
        raise ValueError(f"--top is {top}; write at least one class a row.")
    if top > 1 and out.suffix == ".npz":
        raise ValueError("an .npz has every class's probability; leave --top out.")
    with stoppable(lambda: "stopped; nothing was written."):
        from ..learn.model import load_model
        from ..learn.model.prediction_sets import HELD
        from ..learn.model.predictions import predict_file

        def check(rows: NewRows) -> None:
            if keep_columns and rows.sheet is None:
                raise ValueError(
                    f"--keep-columns is for a table, and {what} is none; leave it out."
                )

        trained = load_model(model, net)
        with _progress.reading("predicting", "predicted") as watch:
            found = predict_file(
                trained,
                what,
                label=label,
                roles=roles,
                root=root,
                adjusted=adjusted,
                abstain=abstain,
                sets=sets,
                check=check,
                watch=watch,
            )
        top = min(top, len(trained.classes))
        if keep_columns:
            found.write_beside(out, top)
        else:
            found.write(out, probs, top)
    counts, measured, rows = found.counts, found.measured, len(found.logits)
    if as_json:
        about = {
            "model": str(model),
            "data": what,
            "rows": rows,
            "classes": list(trained.classes),
            "adjusted": adjusted,
            "abstained": int(found.abstained.sum()),
            "classes in a set": found.set_size,
            "predicted": counts,
            "measured": {n: v if math.isfinite(v) else None for n, v in measured.items()},
            "out": str(out),
        }
        print(to_json(about))
        return
    _print(rows, counts, measured)
    if without := int(found.abstained.sum()):
        print(f"  {without:,} rows have no prediction: less likely than {abstain:g}")
    if found.set_size is not None:
        held = trained.about[HELD]
        print(
            f"  {found.set_size:.2f} classes in a set on average; they are made to hold "
            f"{WHAT[held['of']]} of {sets:.0%} of rows like the "
            f"{len(held['probabilities']):,} held out"
        )
    print(f"wrote {out}", file=sys.stderr)


def _print(rows: int, counts: dict[str, int], measured: dict[str, float]) -> None:
    print(f"{rows:,} rows; predicted: " + _listed(counts))
    from .train.words import MEANING

    for name, value in measured.items():
        print(f"  {name}  {value:.1%}  {MEANING[name]}")


def _listed(counts: dict[str, int]) -> str:
    shown = [f"{name} {count:,}" for name, count in list(counts.items())[:SHOWN_CLASSES]]
    return ", ".join(shown) + (", ..." if len(counts) > SHOWN_CLASSES else "")
