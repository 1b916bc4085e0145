"""The user's own file back: as it was, with columns beside those that it has."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.files import replacing, write_csv, write_table
from ...ground.problem import Refusal, why
from ..labels.kinds import ALL_OF
from ..labels.reading import WHOLE
from ..labels.text import BAR
from ._arff import with_attributes
from ._cells import with_cells, with_entries
from ._columns import texts_of
from ._examples import label_columns
from ._one_hot import columns_of, one_column
from ._packed import read_content
from ._recognised import recognised
from ._roles import CORRECTED, CORRECTED_BY, Roles
from ._sheet import JSON, LINES, SAVED, SEPARATED, TABLE_ENDINGS, Form, Sheet
from ._targets import labels_of
from .table_checks import about, listed

if TYPE_CHECKING:
    import polars as pl

_AS_IT_STANDS = {*TABLE_ENDINGS} - {JSON}
NEW = (
    ".csv",
    ".tsv",
    ".parquet",
    JSON,
    *LINES,
)  # what comes back of a file that is no table as it stands


@dataclass(frozen=True)
class Origin:
    """The table that labels came from, so that they are not put into another.

    Attributes:
        file: its name. label: the column of labels. columns: what it held, without columns of
            corrected labels. rows: how many. digest: SHA-256 (hex) of all their cells in order.
        separator: what stands between the labels of a cell.
        merge: classes that were made one, see ``LabelRule``.
    """

    file: str
    label: str
    columns: tuple[str, ...]
    rows: int
    digest: str
    separator: str = BAR
    merge: bool | Mapping[str, str] = False

    def to_json(self) -> str:
        """As text, for ``from_json``."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Origin:
        """What ``to_json`` wrote."""
        found = json.loads(text)
        return cls(**found | {"columns": tuple(found["columns"])})


def origin_of(
    sheet: Sheet, label: str, separator: str = BAR, merge: bool | Mapping[str, str] = False
) -> Origin:
    """Which table this is.

    Args:
        label: its column of labels, or several with commas between. separator: between the labels
            of a cell. merge: classes that were made one, see ``LabelRule``.

    Raises:
        ValueError: it has no such column.
    """
    names = tuple(
        name for name in sheet.frame.columns if not name.endswith((CORRECTED, CORRECTED_BY))
    )
    if gone := [name for name in columns_of(label, names) if name not in names]:
        raise ValueError(
            f"{sheet.path} has no column {gone[0]!r}, but {listed(sheet.frame.columns)}."
        )
    digest = _digest(sheet.frame, names)
    return Origin(sheet.path.name, label, names, len(sheet.frame), digest, separator, merge)


def check_origin(sheet: Sheet, origin: Origin) -> None:
    """Refuse another table, or the same with other rows, another order or changed cells.

    Columns that were added since are no matter.

    Raises:
        ValueError: the message says what differs.
    """
    frame, told = sheet.frame, f"the labels came from {origin.file}"
    if gone := [name for name in origin.columns if name not in frame.columns]:
        raise ValueError(f"{sheet.path} has no column {gone[0]!r}, but {told}, which has one.")
    if len(frame) != origin.rows:
        raise ValueError(f"{sheet.path} has {len(frame):,} rows, but {told} of {origin.rows:,}.")
    if _digest(frame, origin.columns) != origin.digest:
        raise ValueError(
            f"{sheet.path} holds other cells, or rows in another order: {told}, and its SHA-256"
            " differs. Give that file as it was."
        )


def label_column(sheet: Sheet, roles: Roles) -> str:
    """The column of labels that may be wrong.

    Raises:
        ValueError: there is none, or the roles name a column that is not there.
    """
    columns = label_columns(sheet.frame, recognised(sheet.frame, roles))
    for kind in ("label", "given", "candidates"):
        if kind in columns:
            return columns[kind]
    raise Refusal(
        f"{sheet.path} has the columns {listed(sheet.frame.columns)}.",
        "say with `label` which of them holds the labels",
    )


def ids_in(sheet: Sheet, roles: Roles) -> np.ndarray | None:
    """Names of the rows as text, (n,); None where no column names them, one by one."""
    key = recognised(sheet.frame, roles).id
    if key is None or sheet.frame[key].n_unique() < len(sheet.frame):
        return None
    return texts_of(sheet.path, sheet.frame[key])


def classes_in(
    sheet: Sheet, label: str, merge: bool | Mapping[str, str] = False
) -> tuple[str, ...]:
    """The classes that a column of labels shows, as ``read`` has them.

    Args:
        merge: classes to make one, see ``LabelRule``.

    Raises:
        ValueError: no such column, or cells that are no labels.
    """
    with about(sheet.path):
        roles = Roles(label=label, merge_labels=merge)
        return labels_of(sheet.frame.select(label), {"given": label}, roles)[1]


def labels_in(
    sheet: Sheet, label: str, classes: Sequence[str], merge: bool | Mapping[str, str] = False
) -> np.ndarray:
    """The labels of a column as numbers of these classes, int64 (n,); -1 where a cell is empty.

    Args:
        merge: classes to make one, see ``LabelRule``.

    Raises:
        ValueError: no such column, a cell that is none of the classes, or several labels in one.
    """
    if label not in sheet.frame.columns:
        raise ValueError(
            f"{sheet.path} has no column {label!r}, but {listed(sheet.frame.columns)}."
        )
    with about(sheet.path):
        roles = Roles(label=label, classes=classes, merge_labels=merge)
        return labels_of(sheet.frame, {"given": label}, roles)[0]["given"]


def tags_in(
    sheet: Sheet,
    label: str,
    classes: Sequence[str],
    separator: str = BAR,
    merge: bool | Mapping[str, str] = False,
) -> np.ndarray:
    """The labels of a row that all hold, of these classes: bool (n, q).

    Args:
        label: the column, or several of 0 and 1 with commas between.
        separator, merge: see ``Origin``.

    Raises:
        ValueError: no such column, or a cell with a label that is none of the classes.
    """
    roles = Roles(
        label=label, classes=classes, label_kind=ALL_OF, label_separator=separator,
        merge_labels=merge,
    )  # fmt: skip
    with about(sheet.path):
        frame = one_column(sheet.frame, roles)
        if label not in frame.columns:
            raise ValueError(f"it has no column {label!r}, but {listed(frame.columns)}.")
        return labels_of(frame, {"label": label}, roles)[0]["tags"]


def corrected_tags(
    sheet: Sheet,
    label: str,
    classes: Sequence[str],
    tags: np.ndarray,
    by: Sequence[str | None],
    separator: str = BAR,
    merge: bool | Mapping[str, str] = False,
) -> dict[str, Sequence[Any]]:
    """The same as ``corrected_columns`` of labels that all hold, as the file writes them.

    A cell of which the labels are as before stays as it is; in others those that stay come first,
    in the order in which they stand. Of several columns of 0 and 1 each has one beside it.

    Args:
        label, classes, separator, merge: see ``tags_in``. tags: bool (n, q), the corrected ones.
    """
    names = columns_of(label, sheet.frame.columns)
    if len(names) > 1:
        place = {name: k for k, name in enumerate(classes)}
        found = {n + CORRECTED: [str(int(x)) for x in tags[:, place[n]]] for n in names}
        return {**found, label + CORRECTED_BY: by}
    old = tags_in(sheet, label, classes, separator, merge)
    cells: list[Any] = sheet.frame[label].to_list()
    nested = sheet.frame[label].dtype.is_nested()
    between = _between(() if nested else cells, separator)
    for row in np.flatnonzero((old != tags).any(1)).tolist():
        cell = cells[row] or []
        stay = [str(name).strip() for name in (cell if nested else str(cell).split(separator))]
        held = [name for name, holds in zip(classes, tags[row].tolist()) if holds]
        held.sort(key=lambda name: stay.index(name) if name in stay else len(stay))
        cells[row] = held if nested else between.join(held)
    return {label + CORRECTED: cells, label + CORRECTED_BY: by}


def _between(cells: Sequence[Any], separator: str) -> str:
    """The separator with the spaces that stand around it in the first cell that has it."""
    around = re.compile(rf"\s*{re.escape(separator)}\s*")
    return next((f[0] for c in cells if c is not None and (f := around.search(str(c)))), separator)


def corrected_columns(
    sheet: Sheet,
    label: str,
    classes: Sequence[str],
    labels: Any,
    by: Sequence[str | None],
    merge: bool | Mapping[str, str] = False,
) -> dict[str, Sequence[str | None]]:
    """Columns for ``write_back``: corrected labels by name, and where each comes from.

    Args:
        label: the column with the old ones. classes: names; where these are numbers alone, a class
            is written as the file writes it.
        labels: int (n,), the corrected ones; -1 leaves a cell empty. by: n words.
        merge: classes that were made one, see ``LabelRule``.
    """
    names = dict(enumerate(classes))
    if all(map(WHOLE.fullmatch, classes)):  # a number stays as it is written there
        old = labels_in(sheet, label, classes, merge).tolist()
        names |= {k: str(cell).strip() for k, cell in zip(old, sheet.frame[label]) if k >= 0}
    texts = [names.get(int(k)) for k in labels]
    return {label + CORRECTED: texts, label + CORRECTED_BY: by}


def write_back(
    sheet: Sheet,
    columns: Mapping[str, Sequence[Any]],
    out: Path | str,
    beside: str,
    overwrite: bool = False,
) -> None:
    """The file that was read, with more columns behind one of its own; whole or not at all.

    Cells of text that were there are written byte for byte as they stand. Cells that are put in
    are ``inert``: no text that a spreadsheet would compute.

    Args:
        columns: n texts by name, or lists of texts beside such; None leaves a cell empty.
        out: a file with the ending of the one that was read.
        beside: the column of the file behind which they come. In lines of JSON they come last.
        overwrite: ``out`` may be the file that was read.

    Raises:
        ValueError: the file has a column of such a name, holds another number of rows, or has
            changed since it was read; another ending; a name that its encoding cannot write.
        OSError: it cannot be written.
    """
    out, path, frame = Path(out), sheet.path, sheet.frame
    for name in columns:
        if name in frame.columns:
            raise ValueError(
                f"{path} has a column {name!r} already, so it was corrected before. Give the file"
                " as it was, or drop that column."
            )
    for name, cells in columns.items():
        if len(cells) != len(frame):
            raise ValueError(f"{len(cells):,} cells of {name!r} for {len(frame):,} rows of {path}.")
    if sheet.form.format == SAVED:
        raise ValueError(
            f"{path} is a folder of Hugging Face datasets, which is not written back. Write it as"
            " Parquet with to_parquet, and give that file."
        )
    if sheet.form.format not in _AS_IT_STANDS:
        _as_table(sheet, columns, out, beside)
        return
    if _ending(out) != _ending(path):
        raise ValueError(
            f"{out} must end in {_ending(path)}, as {path.name} does: it is written the same way."
        )
    if out.exists() and out.samefile(path) and not overwrite:
        raise Refusal(
            f"{out} is the file itself.", "name another", "write over it with `overwrite=True`"
        )
    write = _WRITERS.get(sheet.form.format, _as_text)
    data = write(sheet, columns, beside)
    with replacing(out, again=overwrite) as file:
        file.write(_packed(sheet, data))


def one_an_item(sheet: Sheet, roles: Roles) -> Sheet:
    """A table with an item a row, of one with an answer a row; others as they are.

    What the first answer of an item has beside it stays; who answered and what does not.

    Raises:
        ValueError: the roles name a column that is not there.
    """
    found = recognised(sheet.frame, roles)
    if found.item is None or found.annotator is None:
        return sheet
    out = {found.annotator, *label_columns(sheet.frame, found).values()} - {found.truth}
    frame = sheet.frame.unique(found.item, keep="first", maintain_order=True).drop(out)
    return Sheet(sheet.path, frame, Form("answers"))


def _as_table(sheet: Sheet, columns: Mapping[str, Sequence[Any]], out: Path, beside: str) -> None:
    """What was read of a file that is no table as it stands, as a table."""
    ending = out.suffix.lower()
    if ending not in NEW:
        raise ValueError(
            f"{out} must end in {' or '.join(NEW)}: {sheet.path.name} is no table as it stands, so"
            " it comes back as one."
        )
    if out.exists() and out.samefile(sheet.path):
        raise ValueError(
            f"{out} is the file itself, which is no table as it stands; name another one."
        )
    frame = _with_columns(sheet.frame, columns, beside)
    if ending not in SEPARATED + LINES:
        write_table(frame, out)
        return
    with replacing(out) as file:
        if ending in LINES:
            frame.write_ndjson(file)
        else:
            write_csv(frame, file, "\t" if ending == ".tsv" else ",")


def _as_text(sheet: Sheet, columns: Mapping[str, Sequence[Any]], beside: str) -> bytes:
    form, rows = sheet.form, list(zip(*columns.values(), strict=True))
    encoding = form.encoding.removesuffix("-sig")  # the mark of the byte order stays in the text
    try:
        text = _unpacked(sheet).decode(encoding)
        place = sheet.frame.columns.index(beside)
        if form.format in LINES:
            made = with_entries(text, list(columns), rows)
        elif form.format == ".arff":
            made = with_attributes(text, place, list(columns), rows)
        else:
            known = sheet.frame[beside].to_list()
            given = form.separator, place, known, list(columns), rows
            made = with_cells(text, *given, form.named)
    except ValueError as error:
        raise ValueError(
            f"{sheet.path} has changed since it was read, or is written in an unusual"
            f" way{why(error, ': {}')}."
        ) from None
    try:
        return made.encode(encoding)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{sheet.path} is written in {encoding}, which has no {error.object[error.start]!r};"
            " save it in UTF-8 first."
        ) from None


def _as_frame(sheet: Sheet, columns: Mapping[str, Sequence[Any]], beside: str) -> bytes:
    frame = _with_columns(sheet.frame, columns, beside)
    file = io.BytesIO()
    if sheet.form.format == ".parquet":
        frame.write_parquet(file)
    elif _unpacked(sheet).startswith(b"ARROW1"):
        frame.write_ipc(file)
    else:
        frame.write_ipc_stream(file)
    return file.getvalue()


def _with_columns(
    frame: pl.DataFrame, columns: Mapping[str, Sequence[Any]], beside: str
) -> pl.DataFrame:
    import polars as pl

    frame, at = frame.clone(), frame.columns.index(beside) + 1  # inserted in place
    for k, (name, cells) in enumerate(columns.items()):
        nested = any(isinstance(cell, list) for cell in cells)
        kind = pl.List(pl.String) if nested else pl.String
        frame = frame.insert_column(at + k, pl.Series(name, cells, kind))
    return frame


def _as_workbook(sheet: Sheet, columns: Mapping[str, Sequence[Any]], beside: str) -> bytes:
    """At the right end, as formulas and merged cells name others by their place."""
    from openpyxl import load_workbook  # type: ignore[import-untyped]

    book = load_workbook(io.BytesIO(_unpacked(sheet)))
    page = book[sheet.form.sheet]
    filled = [row for row in page.iter_rows() if any(cell.value is not None for cell in row)]
    head = sheet.form.named
    there = [
        cell.column
        for k, cell in enumerate(filled[0])
        if (str(cell.value).strip() == beside if head else k == sheet.frame.columns.index(beside))
    ]
    known = [cell is None for cell in sheet.frame[beside].to_list()]
    top, first = filled[0][0].row, page.max_column + 1
    places = range(top + head, top + head + len(known))
    if not there or [page.cell(row, there[0]).value is None for row in places] != known:
        raise ValueError(f"{sheet.path} has changed since it was read, or has cells of odd kinds.")
    for k, (name, cells) in enumerate(columns.items()):
        for row, text in enumerate((name, *cells) if head else cells, top):
            cell = page.cell(row, first + k)
            cell.value, cell.data_type = text, "s" if text else "n"
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


Writer = Callable[[Sheet, Mapping[str, Sequence[Any]], str], bytes]
_WRITERS: dict[str, Writer] = {  # by format; text otherwise
    ".parquet": _as_frame,
    ".arrow": _as_frame,
    ".feather": _as_frame,
    ".xlsx": _as_workbook,
}


def _ending(path: Path) -> str:
    """The last ending, and what it packs where that is said: ``.csv.gz``."""
    return "".join(path.suffixes[-2 if path.suffix.lower() == ".gz" else -1 :]).lower()


def _unpacked(sheet: Sheet) -> bytes:
    return read_content(sheet.path, TABLE_ENDINGS).data


def _packed(sheet: Sheet, data: bytes) -> bytes:
    if sheet.form.compression == ".gz":
        return gzip.compress(data)
    if sheet.form.compression == ".zip":
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(sheet.form.member, data)
        return file.getvalue()
    return data


def _digest(frame: pl.DataFrame, names: Sequence[str]) -> str:
    """Over the columns one after the other, each cell with its length before it."""
    import polars as pl

    digest = hashlib.sha256(json.dumps(list(names)).encode())
    for name in names:
        column = frame[name]
        if column.dtype.is_nested():
            cells = pl.Series([json.dumps(cell, default=str) for cell in column.to_list()])
        else:
            cells = column.cast(pl.String)
        long = cells.str.len_bytes().cast(pl.String)
        digest.update((long + ":" + cells).fill_null("-").str.join("").item().encode())
    return digest.hexdigest()
