"""``candidly errors probs``: out-of-sample probabilities of a data set, by cross-validation."""

from __future__ import annotations

import dataclasses
import math
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from ..ground.bounds import MOST_TIMES
from ..ground.files import replacing
from ..ground.jsons import to_json
from ..ground.spec import several
from ..show.grid import Column, Grid
from . import _progress
from ._issues import check_place
from ._network_options import Net, Training
from ._print import show
from ._types import random_seed, whole

if TYPE_CHECKING:
    from ..data.labels.labelled import Labelled
    from ..errors.crossval import CrossValidated

ENDINGS = (".npy", ".parquet", ".npz")


def probs(
    what: Annotated[str, typer.Argument(metavar="DATA", help="A known name, or a file.")],
    out: Annotated[
        Path,
        typer.Option(
            metavar="FILE",
            help="Where to write: .npz holds everything; with .npy and .parquet, labels and folds "
            "are written beside.",
        ),
    ],
    classifier: Annotated[
        str,
        typer.Option(
            metavar="NAME,...",
            help="logistic, forest, boosting, knn, or an algorithm such as ce or PRODEN; of "
            "several the most accurate is kept.",
        ),
    ] = "logistic",
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC", help="Make imperfect labels from true ones first: noise:rate=0.1."
        ),
    ] = None,
    root: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Folder to look for files in, first."),
    ] = None,
    folds: Annotated[int, whole("Models, each predicting what it left out.", least=2)] = 5,
    groups: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Whom or what each example is from, in one column of a table, or an .npy. A "
            "group stays in one fold.",
        ),
    ] = None,
    seed: Annotated[int, random_seed("Of folds and models.")] = 0,
    repeats: Annotated[int, whole("Models per fold, to average.", 1, MOST_TIMES)] = 1,
    steps: Annotated[
        int | None, whole("Updates, for an algorithm. (default: 2000)", least=1)
    ] = None,
    net: Net = None,
    recipe: Training = None,
    calibrate: Annotated[
        bool,
        typer.Option("--calibrate", help="Scale each fold by a temperature of its own."),
    ] = False,
    leak_check: Annotated[
        bool,
        typer.Option("--leak-check", help="Do it once more with permuted labels."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
) -> None:
    """Probabilities for errors find: each example's from a model that did not learn from it.

    Examples:

      candidly errors probs reviews.csv --classifier logistic,forest --out probs.npz

      candidly errors probs digits --labels noise:rate=0.1 --classifier ce --out probs.npy
    """
    from ..data.ingest.labels import read_names
    from ..errors.crossval import by_names, cross_validate

    check_place(out, "--out", ENDINGS)
    names = several([classifier], "`classifier`")
    loaded = _loaded(what, root, labels)
    try:
        with _progress.reading("fitting", "done") as watch:
            result = cross_validate(
                by_names(names, steps=steps, net=net, recipe=recipe),
                loaded,
                folds,
                None if groups is None else read_names(groups, n=loaded.n, header="group"),
                seed,
                repeats=repeats,
                calibrate=calibrate,
                leak_check=leak_check,
                watch=watch,
            )
    except KeyboardInterrupt:
        print("\nstopped; nothing was written.", file=sys.stderr)
        raise typer.Exit(130) from None
    written = _write(result, out)
    following = _next(result, written)
    if as_json:
        about = _about(result, what, seed, written, following)
        print(to_json(about))
        return
    _print(result, following)
    for path in written.values():
        print(f"wrote {path}", file=sys.stderr)


def _loaded(what: str, root: Path | None, labels: str | None) -> Labelled:
    from ..data import imperfect
    from ..data.sources import load

    loaded = load(what, root)
    if labels is not None:  # what was made is what is asked about
        loaded = imperfect.apply(dataclasses.replace(loaded, given=None), labels)
    return loaded


def _write(result: CrossValidated, out: Path) -> dict[str, Path]:
    """The files, by what they hold; names of classes where they are not their numbers."""
    written = {"probs": out}
    result.save(out)
    if out.suffix != ".npz":
        beside = {"folds": result.folds}
        if result.given is not None:
            beside = {"labels": result.given, **beside}
        for name, array in beside.items():
            written[name] = out.with_suffix(f".{name}.npy")
            with replacing(written[name]) as file:
                np.save(file, array, allow_pickle=False)
    if result.classes != tuple(map(str, range(len(result.classes)))):
        written["classes"] = out.with_suffix(".classes.txt")
        with replacing(written["classes"]) as file:
            file.write("".join(f"{name}\n" for name in result.classes).encode())
    return written


def _next(result: CrossValidated, written: dict[str, Path]) -> str | None:
    """The command that looks for errors; None for candidate sets, which Python alone takes."""
    if result.given is None:
        return None
    words = ["candidly", "errors", "find"]
    words += ["--labels", str(written.get("labels", written["probs"]))]
    words += ["--probs", str(written["probs"])]
    if "classes" in written:
        words += ["--classes", str(written["classes"])]
    if (result.given < 0).any():
        words += ["--unlabelled"]
    return shlex.join(words)


def _about(
    result: CrossValidated, what: str, seed: int, written: dict[str, Path], following: str | None
) -> dict[str, Any]:
    return {
        "data": what,
        "examples": len(result.probs),
        "classes": len(result.classes),
        "folds": len(result.fold_ece),
        "seed": seed,
        "accuracies": dict(result.accuracies),
        "chosen": result.chosen,
        "ece": _finite(result.ece),
        "fold ece": [_finite(value) for value in result.fold_ece.tolist()],
        "temperatures": result.temperatures.tolist(),
        "mean variance": None if result.variance is None else float(np.nanmean(result.variance)),
        "warnings": list(result.warnings),
        "written": {name: str(path) for name, path in written.items()},
        "next": following,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _print(result: CrossValidated, following: str | None) -> None:
    print(
        f"{len(result.probs):,} examples, {len(result.classes):,} classes, "
        f"{len(result.fold_ece)} folds"
    )
    right = "in the candidates" if result.given is None else "agrees with the label"
    rows = [
        (name, share, "kept" if name == result.chosen else "")
        for name, share in result.accuracies.items()
    ]
    show(
        Grid(
            "", (Column("classifier", "name"), Column(right, form=".2%"), Column("", "word")), rows
        )
    )
    if math.isfinite(result.ece):
        low, high = np.nanmin(result.fold_ece), np.nanmax(result.fold_ece)
        print(f"expected calibration error {result.ece:.3f}; by fold {low:.3f} to {high:.3f}")
    if result.variance is not None:
        spread = math.sqrt(float(np.nanmean(result.variance)))
        print(f"the label's probability varies by {spread:.3f} from seed to seed")
    if following is not None:
        print(f"next: {following}")
    else:
        print(
            "next, in Python: candidly.errors.find(data.candidates, probs, by='margin', count=50)"
        )
