"""A case from files: labels, corrections and what models predicted, joined by the names of rows."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.ingest import Roles, is_table
from ...data.ingest.labels import (
    LabelColumn,
    Named,
    in_order_of,
    label_numbers,
    read_labels,
    read_names,
    shown_classes,
)
from ...data.ingest.predictions import (
    ENDINGS,
    check_by_name,
    column_classes,
    model_of,
    read_models,
    read_predictions,
)
from ...data.ingest.seen import read_mask, read_seen
from ...data.ingest.table_checks import is_number
from ...data.ingest.unused import BESIDE, LABELS, as_read, parts_read, refuse_unused
from ...data.labels.coded import missing
from ...ground.numbers import count_of
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ..checks import CheckingPlan
from ._case import Case, make_case
from ._corrections import THIS
from ._plan import items_to_check

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class CaseRead:
    """What was read.

    Attributes:
        corrections: further ones by the names of their files, int (n,), as ``assess`` takes them.
        found: labels found for the first items of a plan, as ``assess`` takes them.
        probs: the most accurate of the models with probabilities, and these; None where labels were
            corrected, or no model has any.
        classes: names of the classes, where the files have names.
    """

    case: Case
    corrections: Mapping[str, np.ndarray]
    found: np.ndarray | tuple[int, ...] = ()
    probs: tuple[str, np.ndarray] | None = None
    classes: tuple[str, ...] | None = None

    def plan_table(self, plan: CheckingPlan, budget: int | None = None) -> pl.DataFrame:
        """The items of a plan, in its order, for people who check them.

        Columns: place (from 1), row, id where there are ids, label, and what models say: the
        classes that they predict, the most frequent first, with how many models do.

        Args:
            plan: from ``stability.checking_plan``.
            budget: only so many beyond those that were found; all by default.
        """
        import polars as pl

        case = self.case
        items = plan.items[: None if budget is None else plan.done + budget]
        names = [str(k) for k in range(case.classes)] if self.classes is None else self.classes
        columns: dict[str, Any] = {"place": range(1, len(items) + 1), "row": items}
        if case.ids is not None:
            columns["id"] = case.ids[items]
        label = case.original[items]
        columns["label"] = label if self.classes is None else [names[k] for k in label.tolist()]
        said = (Counter(column).most_common() for column in case.predictions[:, items].T.tolist())
        columns["models say"] = [", ".join(f"{names[k]} × {of}" for k, of in one) for one in said]
        return pl.DataFrame(columns)


def within_budget(case: Case, plan: CheckingPlan, budget: int) -> str:
    """How many open pairs of neighbours so many more checks are likely to settle, in a sentence.

    Args:
        case: whose plan it is. plan: from ``stability.checking_plan``.
        budget: items that will be checked next.
    """
    pairs = [one for one in plan.neighbours if one.status == "open"]
    if not pairs:
        return "No pair of neighbours is open, so nothing needs to be checked."
    settled = [one for one in pairs if one.to_check is not None and one.to_check <= budget]
    listed = ", ".join(f"{case.names[one.first]} > {case.names[one.second]}" for one in settled)
    what = f"{len(settled)} of {len(pairs)} open pairs of neighbours"
    told = f"{budget:,} more checked items are likely to settle {what}"
    if not settled:
        needed = [one.to_check for one in pairs if one.to_check is not None]
        first = f"; about {min(needed):,} would settle the first" if needed else ""
        return f"{told}{first}."
    return f"{told}: {listed}."


def read_case(
    original: Path | str,
    models: Path | str,
    corrected: Path | str | None = None,
    *,
    ids: Path | str | None = None,
    checked: Path | str | None = None,
    corrections: Sequence[Path | str] = (),
    found: Path | str | None = None,
    seed: int = 0,
    roles: Roles | None = None,
    watch: OnProgress = lambda done, total: None,
) -> CaseRead:
    """The case that files hold.

    Args:
        original: labels: an ``.npy``, or a table with a column of them and, if you like, one of
            ids.
        models: a folder with a file a model, named after it: predicted classes, or
            probabilities in a column a class; or a table with a column of predicted classes a
            model.
        corrected: the corrected labels, likewise; -1 or an empty cell where no single one is right.
        ids: names of the items, in the order of the labels.
        checked: which items people have seen: true and false, or 1 and 0; by default what
            ``candidly validate`` wrote beside the corrected labels.
        corrections: further ones.
        found: labels found for the first items of a plan, in any order where their ids, or a column
            ``row``, say which they are; else in the plan's. Empty cells behind the last label are
            those of items that nobody has looked at yet.
        seed: of that plan.
        roles: what the columns are called; of files of models ``drop`` and how cells are read.
        watch: called with models read and models in all.

    Raises:
        FileNotFoundError, ValueError: what is wrong, with the file, the row or the column; a role
            that says nothing of any of the files.
    """
    roles = roles or Roles()
    original, models = Path(original), Path(models)
    fixed = None if corrected is None else Path(corrected)
    roles.refuse_several()
    own = [Path(path) for path in (original, fixed, found, *corrections) if path is not None]
    of_models = parts_read(models, [name for name in BESIDE if name != "id"])
    refuse_unused(roles, *(as_read(path, LABELS) for path in own), *of_models)
    if corrections and fixed is None:
        raise Refusal(
            "`corrections` are put beside the corrected labels, and there are none.",
            "give one of them as `corrected`",
        )
    names = roles.declared
    ordered = names is not None
    names = names or _shown(original, fixed, models, roles)
    ordered = ordered or names is None
    first = _original(original, ids, names, roles)
    case, opened = _case(first, fixed, models, checked, names, roles, ordered, watch)
    probs = _most_accurate(case, opened) if fixed is None else None
    others = _others([Path(path) for path in corrections], names, first.rows, roles)
    named = None if names is None else tuple(names)
    labels: np.ndarray | tuple[int, ...] = ()
    if found is not None:
        read = read_labels(found, roles, names)
        order = _order_of_found(read, case, seed)
        labels = label_numbers(read, names)[order[: _last_found(read, order)]]
    return CaseRead(case, others, labels, probs, named)


def _order_of_found(found: LabelColumn, case: Case, seed: int) -> np.ndarray:
    """Where the labels of the plan's first items are among those found.

    Raises:
        ValueError: they are of other items.
    """
    n = len(found.values)
    rows = _rows_of_found(found, case)
    if rows is None:
        return np.arange(n)
    place = {row: at for at, row in enumerate(rows)}
    first = items_to_check(case, seed)[:n].tolist()
    wanted = set(first)
    for row, at in place.items():
        if row not in wanted:
            called = f"the id {found.ids[at]}" if found.ids is not None else f"the row {row}"
            raise Refusal(
                f"{found.path} has a label of {called}, which is not among the first"
                f" {count_of(n, 'item')} of the plan.",
                "give labels of the plan's first items alone, and of all of them",
                "give the same `seed` as for the plan",
            )
    return np.array([place[row] for row in first], np.int64)


def _last_found(found: LabelColumn, order: np.ndarray) -> int:
    """How many of the plan's first items have been looked at.

    Warns:
        UserWarning: the others, which have no label.
    """
    empty = [missing(cell) or cell == "" for cell in found.coded.values]
    looked = np.flatnonzero(~np.array(empty, bool)[found.coded.codes[order]])
    number = int(looked[-1]) + 1 if len(looked) else 0
    if left := len(order) - number:
        warnings.warn(
            f"{count_of(left, 'item')} behind the last label of {found.path} without one: taken for"
            " items that nobody has looked at yet.",
            stacklevel=3,
        )
    return number


def _rows_of_found(found: LabelColumn, case: Case) -> list[int] | None:
    """Rows of the labels that these are of, by their ids or numbers; None where nobody says."""
    if found.ids is not None and case.ids is not None:
        place = {str(name): row for row, name in enumerate(case.ids.tolist())}
        return [place.get(name, -1) for name in found.ids.tolist()]
    if found.keys is None or "row" not in found.keys.columns:
        return None
    rows = found.keys["row"].cast(int, strict=False)
    return None if rows.null_count() else list(rows)


def _most_accurate(case: Case, models: Mapping[str, Any]) -> tuple[str, np.ndarray] | None:
    """Of the models that have probabilities the most accurate, the first of equals; and these."""
    right = dict(zip(case.names, case.right_original.mean(1).tolist()))
    best = max((name for name in case.names if name in case.top5), key=right.get, default=None)  # type: ignore[arg-type]
    return None if best is None else (best, models[best]())


def _shown(
    labels: Path, corrected: Path | None, predictions: Path, roles: Roles
) -> list[str] | None:
    """The classes that names of labels show, or that name the columns of probabilities."""
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


def _original(
    path: Path, ids: Path | str | None, classes: list[str] | None, roles: Roles
) -> LabelColumn:
    """The original labels, in the order of the names of items where these are in a file."""
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
    checked: Path | str | None,
    classes: list[str] | None,
    roles: Roles,
    ordered: bool,
    watch: OnProgress,
) -> tuple[Case, Mapping[str, Any]]:
    n, of = len(first.values), first.rows
    plain = replace(roles, label=None, id=None)  # of these files columns may be called otherwise
    mask = None
    if checked is not None:
        mask = read_mask(checked, plain, of, n)
    elif corrected is not None:
        mask = read_seen(corrected, roles, of)
    models: dict[str, Any]
    if predictions.is_dir():
        models = _models(predictions, plain, classes, of, n, ordered, watch)
    elif not is_table(predictions):
        raise ValueError(
            f"`models` is {predictions}, which is no folder and no table; give a folder with"
            " a file per model, or one table with a column per model."
        )
    else:
        same = predictions.exists() and predictions.samefile(first.path)
        how, rows = (roles, None) if same else (plain, of)
        models = dict(read_models(predictions, how, classes, rows, n, ordered))
    case = make_case(
        label_numbers(first, classes),
        None if corrected is None else _labels(corrected, roles, classes, of, n),
        models,
        classes=None if classes is None else len(classes),
        checked=mask,
        ids=first.ids,
    )
    return case, models


def _models(
    folder: Path,
    roles: Roles,
    classes: list[str] | None,
    of: Named | None,
    n: int,
    ordered: bool,
    watch: OnProgress,
) -> dict[str, Callable[[], np.ndarray]]:
    """What reads each model's file, by the model's name."""
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
    found = in_order_of(read_labels(path, roles, classes, n, corrected=True), of)
    return label_numbers(found, classes)


def _files(folder: Path) -> dict[str, Path]:
    """A file a model, by the model's name."""
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        model = model_of(path)
        if model is None:
            continue
        if model in found:
            raise ValueError(f"`models` has more than one file for the model {model!r}.")
        found[model] = path
    if len(found) < 2:
        raise ValueError(
            f"`models` is {folder}, with {len(found)} files that end in {', '.join(ENDINGS)};"
            " a ranking needs at least two models, a file each."
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
                f"`corrections` has two corrections called {path.stem!r}; give their files other"
                " names."
            )
        found[path.stem] = _labels(path, roles, classes, of)
    return found
