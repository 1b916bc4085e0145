"""``candidly errors compare``: detectors of label errors on data with known truth."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...data.ingest import Roles
from ...ground.bounds import MOST_EPOCHS, MOST_TIMES
from ...ground.files import write_table
from ...ground.jsons import to_json
from .. import _progress
from .._column_options import ANY, OF_DATA
from .._issues import check_place
from .._network_options import Net, Training
from .._print import AsJson, Form, Html, check_form, show
from .._types import whole
from ..data.common import Data, loaded_from

if TYPE_CHECKING:
    import numpy as np

    from ...data.labels.labelled import Labelled


@OF_DATA
def compare(
    what: Annotated[
        str, typer.Argument(metavar="NAME_OR_PATH", help="A known data set, or a file.")
    ],
    detectors: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Some of them, with commas. (default: all)"),
    ] = None,
    noise: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="Make the given labels from the truth, such as symmetric:rate=0.2 or "
            "lookalike:rate=0.2; none leaves them right. Again for another. (default: the labels "
            "that are there)",
        ),
    ] = None,
    probs: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH",
            help="Out-of-sample probabilities for the labels that are there: a table, .npy or "
            ".npz. (default: cross-validated logistic regression)",
        ),
    ] = None,
    features: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Numbers (n, d) in which like examples are near: an .npy, or a table. (default: "
            "the inputs, standardised)",
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of pictures and texts, a network that was trained elsewhere, such as "
            "efficientnet-lite0, a folder or FILE.py:make: all detectors see what it makes.",
        ),
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="Between features: cosine or l2. (default: cosine)")
    ] = None,
    seeds: Annotated[
        int, whole("How often, with other noise, folds and networks.", 1, MOST_TIMES)
    ] = 5,
    epochs: Annotated[int | None, whole("Of every training. (default: 30)", 1, MOST_EPOCHS)] = None,
    net: Net = None,
    recipe: Training = None,
    root: Data = None,
    roles: Roles = ANY,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write a row per noise, seed and detector: .csv .parquet .json."
        ),
    ] = None,
    html: Html = None,
    form: Form = "text",
    as_json: AsJson = False,
) -> None:
    """Detectors of label errors beside one another, on data whose truth is known.

    All detectors of probabilities get the same ones; none sees the truth.

    Examples:

      candidly errors compare digits --noise none --noise symmetric:rate=0.2 --seeds 5

      candidly errors compare mine.npz --detectors cl-noise-rate,knn-vote,aum --html page.html

      candidly errors compare photos --encoder efficientnet-lite0 --noise lookalike:rate=0.2
    """
    from ...data.ingest.joined import features_of
    from ...errors.detectors import DETECTORS, EPOCHS, check_taken
    from ...errors.detectors.comparison_document import comparison_document
    from ...errors.detectors.noises import AS_GIVEN, check_probs_of, compare_noises
    from ...ground.names import lookup
    from ...ground.spec import several

    asked = several([detectors], "--detectors") if detectors is not None else list(DETECTORS)
    names = [lookup(DETECTORS, name, "detector")[0] for name in asked]
    options = {"probs": probs, "features": features, "metric": metric, "epochs": epochs}
    options |= {"net": net, "recipe": recipe}
    check_taken(names, options, "--")
    check_form(form)
    check_place(out, "--out", (".csv", ".parquet", ".json"))
    check_place(html, "--html", (".html", ".htm"))
    if probs is not None:
        check_probs_of(noise or [AS_GIVEN])
    loaded = loaded_from(what, root, roles)
    given = {
        **options,
        "probs": None if probs is None else _probabilities(probs, loaded, roles),
        "features": None if features is None else features_of(loaded, features),
    }
    with _progress.reading("comparing", "compared") as watch:
        rows = compare_noises(
            loaded, noise or [AS_GIVEN], seeds, names, encoder=encoder, watch=watch, **given
        )
    if out is not None:
        import polars as pl

        write_table(pl.DataFrame(rows, infer_schema_length=None), out)
    if html is not None:
        read = {"data": what, "detectors": ", ".join(names)}
        read |= {} if encoder is None else {"inputs seen by": encoder}
        if any("epochs" in DETECTORS[name].takes for name in names):
            read["epochs"] = str(EPOCHS if epochs is None else epochs)
        comparison_document(rows, read=read).write(html)
    written = {"out": out, "html": html}
    if as_json:
        files = {name: str(path) for name, path in written.items() if path is not None}
        print(to_json({"data": what, "encoder": encoder, "rows": rows, "written": files}))
        return
    _print(rows, form)
    for path in written.values():
        if path is not None:
            print(f"wrote {path}", file=sys.stderr)


def _probabilities(path: Path, data: Labelled, roles: Roles) -> np.ndarray:
    from ...data.ingest.probabilities import probabilities_of

    if data.given is None:
        raise ValueError("--probs are for given labels, and the data have none.")
    return probabilities_of(data, path, roles)


def _print(rows: list[dict[str, Any]], form: str) -> None:
    from ...errors.detectors.comparison_document import (
        BOLD,
        LEGEND,
        comparison_grid,
        noises,
        one_table,
    )

    if form == "csv":
        show(one_table(rows), form=form)
        return
    short = form == "text"
    more = "--out, --html and --json give the other measures, too" if short else BOLD
    show(*(comparison_grid(rows, noise, short) for noise in noises(rows)), LEGEND, more, form=form)
