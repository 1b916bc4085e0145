"""One sheet of an Excel workbook, its cells as text."""

from __future__ import annotations

import io
import re
import warnings
import zipfile
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree

from ...ground.extras import install
from ...ground.names import nearest
from ._header import LOOKED_AT, FirstLine, decided
from ._packed import NO_WORKBOOK, check_workbook_size
from ._text import check_names, unnamed, whole_rows
from .exports import ReadAs
from .table_checks import listed

if TYPE_CHECKING:
    import polars as pl

_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


class _Page(NamedTuple):
    """A sheet: its name, whether people see it, and its file in the workbook."""

    name: str
    hidden: bool
    file: str


def read_workbook(
    data: bytes, header: FirstLine, sheet: str | None = None
) -> tuple[pl.DataFrame, str, bool]:
    """The sheet of this name, or else the first that is not hidden; its name, and whether its first
    line names the columns.

    Raises:
        ValueError: no workbook, no such sheet, the package to read it is missing, merged cells, a
            first line as ``_header`` refuses it.

    Warns:
        UserWarning: other sheets, hidden ones said.
    """
    check_workbook_size(data)
    try:
        import fastexcel
    except ImportError:
        raise ValueError(
            f"reading .xlsx needs the extra tables ({install('tables')}); or save the sheet as"
            " .csv."
        ) from None
    page, others = _chosen(_pages(data), sheet)
    _check_merged(data, page)
    try:
        book = fastexcel.read_excel(data)
        cells = book.load_sheet(page.name, header_row=None, dtypes="string").to_polars()
    except fastexcel.FastExcelError:
        raise ValueError(NO_WORKBOOK) from None
    if others and sheet is None:
        told = [f"{one.name!r}{' (hidden)' * one.hidden}" for one in others[:5]]
        more = ", ..." if len(others) > 5 else ""
        warnings.warn(
            f"read the sheet {page.name!r}; not {', '.join(told)}{more}. Another one is read where"
            " it is named with `sheet`.",
            ReadAs,
            stacklevel=2,
        )
    if not len(cells):
        raise ValueError(
            f"the sheet {page.name!r} is empty; its first line must name the columns."
            + (f" There are also {listed([one.name for one in others])}." * bool(others))
        )
    cells = whole_rows(cells)
    rows = [[cell or "" for cell in row] for row in cells.head(LOOKED_AT).rows()]
    named = decided(rows, header, lambda: len(cells)).names
    if named:
        check_names(rows[0])
        cells = cells[1:]
    cells.columns = [name.strip() for name in rows[0]] if named else unnamed(cells.width)
    return cells, page.name, named


def _chosen(pages: list[_Page], sheet: str | None) -> tuple[_Page, list[_Page]]:
    """The page that is read, and the others."""
    names = [page.name for page in pages]
    if sheet is not None and sheet not in names:
        told = [page.name + " (hidden)" * page.hidden for page in pages]
        raise ValueError(
            f"there is no sheet {sheet!r}{nearest(sheet, names)} The sheets are {listed(told)}."
        )
    shown = next((page for page in pages if not page.hidden), pages[0])
    page = shown if sheet is None else pages[names.index(sheet)]
    return page, [one for one in pages if one is not page]


def _pages(data: bytes) -> list[_Page]:
    """The sheets in the order of their tabs.

    Raises:
        ValueError: no workbook.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            book = ElementTree.fromstring(archive.read("xl/workbook.xml"))
            relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    except (KeyError, ElementTree.ParseError, zipfile.BadZipFile):
        raise ValueError(NO_WORKBOOK) from None
    files = {one.get("Id"): str(one.get("Target")) for one in relations}
    pages = [
        _Page(
            str(one.get("name")),
            one.get("state", "visible") != "visible",
            _inside(files.get(one.get(_RELATION), "")),
        )
        for one in book.iterfind(".//{*}sheets/{*}sheet")
    ]
    pages = [page for page in pages if "chartsheets/" not in page.file]
    if not pages:
        raise ValueError(NO_WORKBOOK)
    return pages


def _inside(target: str) -> str:
    """A file of the archive, by how the workbook points at it."""
    return target[1:] if target.startswith("/") else f"xl/{target}"


def _check_merged(data: bytes, page: _Page) -> None:
    """Refuse merged cells, which leave others empty."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        xml = archive.read(page.file) if page.file in archive.namelist() else b""
    ranges = re.findall(rb'<mergeCell ref="([A-Z0-9:]+)"', xml)
    if ranges:
        more = f", and {len(ranges) - 1} more" if len(ranges) > 1 else ""
        raise ValueError(
            f"the cells {ranges[0].decode()} are merged{more}. Take them apart and fill each in."
        )
