"""``candidly predict``: what a saved model says of the rows of a file, labels or not."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..data.ingest import Roles
from ..ground.jsons import to_json
from . import _progress
from ._column_options import ANY, CELLS, INPUTS, reads
from ._issues import check_place
from ._network_options import SavedNet
from ._new_rows import NewRows, read_new
from ._stopping import stoppable
from ._types import whole

if TYPE_CHECKING:
    import numpy as np
    import polars as pl

    from ..learn.model import Model

ENDINGS = (".csv", ".parquet", ".jsonl", ".npz")
PREDICTION, PROBABILITY = "prediction", "probability"
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
    root: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Folder to look for files in, first."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """Predict classes for the rows of a file with a saved model.

    Rows stay in their order and keep their ids. Columns go by their names, in any order; labels
    are not needed. With --probs, candidly errors find takes the file as its --probs.

    Examples:

      candidly predict shop.safetensors new.csv --out predictions.csv

      candidly predict shop.safetensors new.csv --keep-columns --out predicted.csv

      candidly predict news.safetensors new.csv --top 5 --out predicted.csv
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
        from ..learn.model import load_model, measures

        trained = load_model(model, net)
        new = read_new(what, trained, roles, label, root)
        if keep_columns and new.sheet is None:
            raise ValueError(f"--keep-columns is for a table, and {what} is none; leave it out.")
        logits = _logits(trained, new, adjusted)
        measured = {} if new.labelled is None else measures(logits, new.labelled)
        found = _probabilities(logits)
        top = min(top, len(trained.classes))
        if keep_columns:
            _write_beside(trained, new, found, out, top)
        else:
            _write(trained, new, found, out, probs, top)
    counts = _counts(trained, found)
    if as_json:
        about = {
            "model": str(model),
            "data": what,
            "rows": len(found),
            "classes": list(trained.classes),
            "adjusted": adjusted,
            "predicted": counts,
            "measured": {n: v if math.isfinite(v) else None for n, v in measured.items()},
            "out": str(out),
        }
        print(to_json(about))
        return
    _print(len(found), counts, measured)
    print(f"wrote {out}", file=sys.stderr)


def _logits(model: Model, new: NewRows, adjusted: bool) -> np.ndarray:
    with _progress.reading("predicting", "predicted") as watch:
        return model.predict_logits(new.inputs, watch, adjusted=adjusted)


def _probabilities(logits: np.ndarray) -> np.ndarray:
    """Softmax, float64 (n, q)."""
    import numpy as np

    exps = np.exp(logits.astype(np.float64) - logits.max(1, keepdims=True))
    return exps / exps.sum(1, keepdims=True)


def _counts(model: Model, probs: np.ndarray) -> dict[str, int]:
    """How often each class is predicted, the most frequent first."""
    import numpy as np

    counts = np.bincount(probs.argmax(1), minlength=len(model.classes))
    order = np.argsort(-counts, kind="stable")
    return {model.classes[k]: int(counts[k]) for k in order if counts[k]}


def _write(model: Model, new: NewRows, probs: np.ndarray, out: Path, whole: bool, top: int) -> None:
    """The rows in order: id, prediction, probability and, where asked for, every class's."""
    if out.suffix == ".npz":
        import numpy as np

        from ..data.labels.storage import write_arrays

        ids = np.array([str(one) for one in new.ids])
        arrays = {"probs": probs, PREDICTION: probs.argmax(1), "ids": ids}
        write_arrays(out, arrays | {"classes": np.array(model.classes)}, {"schema": 1})
        return
    table = _table(model, new, probs, whole, top)
    from ..ground.files import replacing, write_table

    if out.suffix == ".jsonl":
        with replacing(out) as file:
            table.write_ndjson(file)
    else:
        write_table(table, out)


def _likeliest(
    model: Model, probs: np.ndarray, top: int
) -> Iterator[tuple[str, list[str], str, np.ndarray]]:
    """A class of each row and its probability, with names of columns, the likeliest first."""
    import numpy as np

    order = np.argsort(-probs, axis=1, kind="stable")[:, :top]
    for place, guess in enumerate(order.T):
        behind = f"_{place + 1}" if place else ""
        names = [model.classes[k] for k in guess]
        yield PREDICTION + behind, names, PROBABILITY + behind, probs[np.arange(len(probs)), guess]


def _table(model: Model, new: NewRows, probs: np.ndarray, whole: bool, top: int) -> pl.DataFrame:
    import polars as pl

    columns = [pl.Series(new.id_name, list(new.ids))]
    for prediction, names, probability, values in _likeliest(model, probs, top):
        columns += [pl.Series(prediction, names, pl.String), pl.Series(probability, values)]
    if whole:
        taken = [column.name for column in columns]
        for k, name in enumerate(model.classes):
            if name in taken:
                raise ValueError(
                    f"a class is called {name!r}, as a column of the predictions is; write "
                    "--out predictions.npz, or leave --probs out."
                )
            columns.append(pl.Series(name, probs[:, k]))
    return pl.DataFrame(columns)


def _write_beside(model: Model, new: NewRows, probs: np.ndarray, out: Path, top: int) -> None:
    """The file's own columns, and two behind them for each class of a row."""
    from ..data.ingest.back import write_back

    assert new.sheet is not None
    added: dict[str, list[str]] = {}
    for prediction, names, probability, values in _likeliest(model, probs, top):
        added |= {prediction: names, probability: [f"{value:.6g}" for value in values]}
    write_back(new.sheet, added, out, beside=new.sheet.frame.columns[-1])


def _print(rows: int, counts: dict[str, int], measured: dict[str, float]) -> None:
    print(f"{rows:,} rows; predicted: " + _listed(counts))
    from ._train_print import MEANING

    for name, value in measured.items():
        print(f"  {name}  {value:.1%}  {MEANING[name]}")


def _listed(counts: dict[str, int]) -> str:
    shown = [f"{name} {count:,}" for name, count in list(counts.items())[:SHOWN_CLASSES]]
    return ", ".join(shown) + (", ..." if len(counts) > SHOWN_CLASSES else "")
