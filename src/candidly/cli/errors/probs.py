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

from ...data.ingest import Roles
from ...data.labels.kinds import ALL_OF, ONE_OF, SINGLE
from ...data.labels.text import BAR
from ...ground.bounds import MOST_TIMES
from ...ground.files import replacing
from ...ground.jsons import to_json
from ...ground.spec import several
from ...show.grid import Column, Grid
from .. import _progress
from .._column_options import ANY, OF_DATA
from .._issues import check_place
from .._network_options import Encoder, Net, Training
from .._print import AsJson, show
from .._types import random_seed, whole
from ..data.common import Data, loaded_from

if TYPE_CHECKING:
    from ...data.ingest import Roles
    from ...data.labels.labelled import Labelled
    from ...errors.crossval import CrossValidated

KINDS = {  # how often the classifier is right, and what looks for errors where no command does
    SINGLE: ("agrees with the label", ""),
    ONE_OF: (
        "in the candidates",
        "candidly.errors.find(data.candidates, probs, by='margin', count=50)",
    ),
    ALL_OF: ("agrees with the tags", "candidly.errors.find_multilabel(data.tags, probs)"),
}
ENDINGS = (".npy", ".parquet", ".npz")


@OF_DATA
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
            help="logistic, forest, boosting, knn, blend, or an algorithm such as ce or PRODEN; of "
            "pictures zero-shot, which goes by the names of classes, with --encoder hf:FOLDER; of "
            "several the most accurate on a fold's training rows judges it.",
        ),
    ] = "logistic",
    encoder: Encoder = None,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="SPEC", help="Make imperfect labels from true ones first: noise:rate=0.1."
        ),
    ] = None,
    root: Data = None,
    roles: Roles = ANY,
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
        typer.Option(
            "--leak-check",
            help="Do it once more with permuted labels, which can only be guessed.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Probabilities for errors find: each example's from a model that did not learn from it.

    Examples:

      candidly errors probs reviews.csv --label sentiment --out probs.npz

      candidly errors probs reviews.csv --classifier logistic,forest --out probs.npz

      candidly errors probs digits --labels noise:rate=0.1 --classifier ce --out probs.npy
    """
    from ...errors.crossval import by_names, cross_validate

    check_place(out, "--out", ENDINGS)
    names = several([classifier], "`classifier`")
    loaded = _loaded(what, root, dataclasses.replace(roles, ask_kind=True), labels)
    try:
        with _progress.reading("fitting", "done") as watch:
            result = cross_validate(
                by_names(names, steps=steps, net=net, recipe=recipe),
                loaded,
                folds,
                None if groups is None else _groups(groups, loaded),
                seed,
                repeats=repeats,
                calibrate=calibrate,
                leak_check=leak_check,
                encoder=encoder,
                watch=watch,
            )
    except KeyboardInterrupt:
        print("\nstopped; nothing was written.", file=sys.stderr)
        raise typer.Exit(130) from None
    written = _write(result, out)
    following = _next(result, written)
    if loaded.label_kind == ALL_OF:
        following = _next_of_tags(what, roles, written)
    if as_json:
        about = _about(result, what, seed, written, following)
        print(to_json(about))
        return
    _print(result, following, loaded.label_kind or SINGLE)
    for path in written.values():
        print(f"wrote {path}", file=sys.stderr)


def _groups(path: Path, loaded: Labelled) -> np.ndarray:
    from ...data.ingest.labels import Named, read_names

    ids = np.array([str(name) for name in loaded.ids])
    return read_names(path, n=loaded.n, header="group", of=Named(ids))


def _loaded(what: str, root: Path | None, roles: Roles, labels: str | None) -> Labelled:
    from ...data import imperfect

    loaded = loaded_from(what, root, roles, as_given=labels is None)
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
            names = np.array([*result.classes, ""])  # where these are numbers, places are not
            beside = {"labels": names[result.given] if _named(result) else result.given, **beside}
        for name, array in beside.items():
            written[name] = out.with_suffix(f".{name}.npy")
            with replacing(written[name]) as file:
                np.save(file, array, allow_pickle=False)
    if _named(result):
        written["classes"] = out.with_suffix(".classes.txt")
        with replacing(written["classes"]) as file:
            file.write("".join(f"{name}\n" for name in result.classes).encode())
    return written


def _named(result: CrossValidated) -> bool:
    """Whether classes have names of their own."""
    return result.classes != tuple(map(str, range(len(result.classes))))


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


def _next_of_tags(what: str, roles: Roles, written: dict[str, Path]) -> str | None:
    """The same for tags, whose labels are in the table; None for arrays."""
    if roles.label is None:
        return None
    words = ["candidly", "errors", "find", "--labels", what, "--label", roles.label]
    words += ["--label-kind", ALL_OF, "--probs", str(written["probs"])]
    if roles.label_separator != BAR:
        words += ["--label-separator", roles.label_separator]
    if "classes" in written:
        words += ["--classes", str(written["classes"])]
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
        "by_fold": list(result.by_fold),
        "accuracy": _finite(result.accuracy),
        "ece": _finite(result.ece),
        "fold ece": [_finite(value) for value in result.fold_ece.tolist()],
        "temperatures": result.temperatures.tolist(),
        "mean variance": None if result.variance is None else float(np.nanmean(result.variance)),
        "permuted": None if result.permuted is None else result.permuted._asdict(),
        "warnings": list(result.warnings),
        "written": {name: str(path) for name, path in written.items()},
        "next": following,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _judged(folds: int, of: int) -> str:
    """Which folds a classifier judged."""
    return "" if not folds else "kept" if folds == of else f"kept for {folds} of {of} folds"


def _print(result: CrossValidated, following: str | None, kind: str) -> None:
    print(
        f"{len(result.probs):,} examples, {len(result.classes):,} classes, "
        f"{len(result.fold_ece)} folds"
    )
    right, in_python = KINDS[kind]
    rows = [
        (name, share, _judged(result.by_fold.count(name), len(result.by_fold)))
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
    if result.permuted is not None:
        agrees, chance = result.permuted
        print(f"on permuted labels {agrees:.1%} agree, and chance gives {chance:.1%}")
    if following is not None:
        print(f"next: {following}")
    elif in_python:
        print(f"next, in Python: {in_python}")
