"""``candidly stability``: whether a ranking of models survives the errors in the labels."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..data.ingest import Roles
from ..ground.bounds import MOST_DRAWS
from ..ground.files import write_json, write_table
from ..ground.jsons import to_json
from . import _progress
from ._column_options import ANY, CELLS, LABELS, names_of, one_label_a_row, reads
from ._issues import check_place
from ._print import Form, check_form, print_text, width
from ._types import random_seed, share, whole

THIS = "this correction"  # what the report calls the one of --corrected

if TYPE_CHECKING:
    import numpy as np

    from ..compare.stability import Case
    from ..data.ingest.labels import LabelColumn, Named


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
    found: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Labels found for the first items of that plan, in its order; -1 or empty where "
            "no single one is right.",
        ),
    ] = None,
    resamples: Annotated[int, whole("Of the bootstrap.", most=MOST_DRAWS)] = 10_000,
    seed: Annotated[int, random_seed("Of the bootstrap and the plan.")] = 0,
    html: Annotated[
        Path | None, typer.Option(metavar="PAGE", help="Write one self-contained page.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write everything as JSON.")
    ] = None,
    form: Form = "text",
    roles: Roles = ANY,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")] = False,
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

      candidly stability --labels l.npy --corrected c.npy --predictions models --plan plan.csv
    """
    from ..compare.stability import assess, checking_plan
    from ..data.ingest.labels import label_numbers, read_labels
    from ..data.ingest.unused import BESIDE, LABELS, as_read, parts_read, refuse_unused

    check_form(form)
    check_place(out, "--out", (".json",))
    check_place(html, "--html", (".html", ".htm"))
    check_place(plan, "--plan", (".csv", ".parquet"))
    one_label_a_row(roles)
    own = [path for path in (original, corrected, found, *(corrections or ())) if path is not None]
    refuse_unused(
        roles,
        *(as_read(path, LABELS) for path in own),
        *parts_read(models, [name for name in BESIDE if name != "id"]),
    )
    names = names_of(roles)
    if corrections and corrected is None:
        raise ValueError("--also puts another correction beside --corrected; give one as that.")
    ordered = names is not None
    names = names or _shown(original, corrected, models, roles)
    ordered = ordered or names is None
    first = _original(original, ids, names, roles)
    case = _case(first, corrected, models, checked, names, roles, ordered)
    others = _others(corrections or (), names, first.rows, roles)
    seen: Any = () if found is None else label_numbers(read_labels(found, roles, names), names)
    with _progress.reading("comparing", "compared") as watch:
        report = assess(
            case,
            alpha=alpha,
            pairs=pairs,  # type: ignore[arg-type]
            resamples=resamples,
            seed=seed,
            audited=audited,
            audit_errors=audit_errors,
            corrections=others,
            found=seen,
            watch=watch,
        )
    read = {"labels": str(original), "predictions": str(models)}
    read |= {} if corrected is None else {"corrected labels": str(corrected)}
    if html is not None:
        from ..compare.stability.page import write_stability_page

        write_stability_page(report, html, read=read)
    if plan is not None:
        write_table(_plan_table(case, checking_plan(case, seen, alpha, seed).items), plan)
    about = {"read": read, **report.as_dict()}
    if out is not None:
        write_json(about, out)
    if as_json:
        print(to_json(about))
        return
    from ..compare.stability.page import render_stability

    print_text(render_stability(report, width(), form))
    for path in (html, plan, out):
        if path is not None:
            print(f"wrote {path}", file=sys.stderr)


def _shown(
    labels: Path, corrected: Path | None, predictions: Path, roles: Roles
) -> list[str] | None:
    """The classes that names of labels show, or that name the columns of probabilities."""
    from ..data.ingest.labels import read_labels, shown_classes
    from ..data.ingest.predictions import check_by_name, column_classes
    from ..data.ingest.table_checks import is_number

    read = [read_labels(labels, roles)]
    read += [] if corrected is None else [read_labels(corrected, roles, corrected=True)]
    named = [one for one in read if one.values.ndim == 1 and one.odd is not None]
    names = list(shown_classes(named)) if named else []
    if not names or any(map(is_number, names)):  # a wrong cell among numbers may be all
        return None
    for one in read:
        check_by_name(one.what, one in named)
    plain = replace(roles, label=None, id=None)
    for path in _files(predictions).values() if predictions.is_dir() else ():
        columns = column_classes(path, plain)
        if columns is not None and {*names} <= {*columns}:
            return columns
    return names


def _original(path: Path, ids: Path | None, classes: list[str] | None, roles: Roles) -> LabelColumn:
    """The original labels, in the order of the names of items where these are in a file."""
    from ..data.ingest.labels import Named, in_order_of, read_labels, read_names

    found = read_labels(path, roles, classes)
    if ids is None:
        return found
    n = len(found.values)
    names = read_names(ids, roles, n)
    if len(names) != n:
        raise ValueError(f"`ids` has shape ({len(names)},); there are {n} items.")
    if found.ids is None:
        return replace(found, ids=names, keys=None)
    return in_order_of(found, Named(names))


def _case(
    first: LabelColumn,
    corrected: Path | None,
    predictions: Path,
    checked: Path | None,
    classes: list[str] | None,
    roles: Roles,
    ordered: bool,
) -> Case:
    from ..compare.stability import make_case
    from ..data.ingest import is_table
    from ..data.ingest.labels import label_numbers
    from ..data.ingest.predictions import read_models
    from ..data.ingest.seen import read_mask, read_seen

    n, of = len(first.values), first.rows
    plain = replace(roles, label=None, id=None)  # of these files columns may be called otherwise
    mask = None
    if checked is not None:
        mask = read_mask(checked, plain, of, n)
    elif corrected is not None:
        mask = read_seen(corrected, roles, of)
    models: dict[str, Any]
    with _progress.reading() as watch:
        if predictions.is_dir():
            models = _models(predictions, plain, classes, of, n, ordered, watch)
        elif not is_table(predictions):
            raise ValueError(
                f"--predictions is {predictions}, which is no folder and no table; give a folder"
                " with a file per model, or one table with a column per model."
            )
        else:
            same = predictions.exists() and predictions.samefile(first.path)
            own, rows = (roles, None) if same else (plain, of)
            models = dict(read_models(predictions, own, classes, rows, n, ordered))
        return make_case(
            label_numbers(first, classes),
            None if corrected is None else _labels(corrected, roles, classes, of, n),
            models,
            classes=None if classes is None else len(classes),
            checked=mask,
            ids=first.ids,
        )


def _models(
    folder: Path,
    roles: Roles,
    classes: list[str] | None,
    of: Named | None,
    n: int,
    ordered: bool,
    watch: Callable[[int, int], None],
) -> dict[str, Callable[[], np.ndarray]]:
    """What reads each model's file, by the model's name."""
    from ..data.ingest.predictions import read_predictions

    files = _files(folder)

    def opened(number: int, path: Path) -> Callable[[], np.ndarray]:
        def read() -> np.ndarray:
            watch(number, len(files))
            return read_predictions(path, roles, classes, of, n, ordered)

        return read

    return {model: opened(number, path) for number, (model, path) in enumerate(files.items())}


def _labels(
    path: Path,
    roles: Roles,
    classes: list[str] | None,
    of: Named | None,
    n: int | None = None,
) -> np.ndarray:
    """Corrected labels, in the order of the ids."""
    from ..data.ingest.labels import in_order_of, label_numbers, read_labels

    found = in_order_of(read_labels(path, roles, classes, n, corrected=True), of)
    return label_numbers(found, classes)


def _files(folder: Path) -> dict[str, Path]:
    """A file a model, by the model's name."""
    from ..data.ingest.predictions import ENDINGS, model_of

    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        model = model_of(path)
        if model is None:
            continue
        if model in found:
            raise ValueError(f"--predictions has more than one file for the model {model!r}.")
        found[model] = path
    if len(found) < 2:
        raise ValueError(
            f"--predictions is {folder}, with {len(found)} files that end in {', '.join(ENDINGS)}; "
            "a ranking needs at least two models, a file each."
        )
    return found


def _others(
    paths: Sequence[Path], classes: list[str] | None, of: Named | None, roles: Roles
) -> dict[str, np.ndarray]:
    """Further corrections, by the name of their file."""
    found: dict[str, np.ndarray] = {}
    for path in paths:
        if path.stem in found or path.stem == THIS:
            raise ValueError(
                f"--also has two corrections called {path.stem!r}; give their files other names."
            )
        found[path.stem] = _labels(path, roles, classes, of)
    return found


def _plan_table(case: Case, items: np.ndarray) -> Any:
    import polars as pl

    columns: dict[str, Any] = {"place": range(1, len(items) + 1), "row": items}
    if case.ids is not None:
        columns["id"] = case.ids[items]
    return pl.DataFrame(columns | {"label": case.original[items]})
