"""Saved pages of articles: the path of an article's category, and its steps."""

from __future__ import annotations

import codecs
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...ground.extras import install
from ...ground.files import is_pipe
from ._text import MARKS, in_utf8

ENDINGS = (".html", ".htm")
CATEGORY = '#breadcrumb a[href*="Category:"]'  # where wikiHow has them
EVENT = ".step .whb"
LARGEST = 64 * 2**20  # bytes of a page
_CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_END = re.compile(rb"</html\s*>", re.IGNORECASE)
_SILENT = "script, style, sup.reference"  # nobody reads these as words of a step


@dataclass(frozen=True)
class SavedPage:
    """What a page says.

    Attributes:
        category: names from the most general one on.
        events: the steps' headers, as they are written.
        encoding: that the page is in.
    """

    category: tuple[str, ...]
    events: tuple[str, ...]
    encoding: str


class LeftOut(ValueError):
    """A page from which no article can be taken; the message says why in a few words."""


def page_reader(category: str = CATEGORY, event: str = EVENT) -> Callable[[Path], SavedPage]:
    """What reads a page.

    Args:
        category, event: CSS selectors of the elements with the names of the category's path, and
            with the steps' headers.

    Raises:
        RuntimeError: what reads pages is not installed. ValueError: no CSS selector.
    """
    try:
        from lxml import etree, html
    except ImportError:
        raise RuntimeError(
            f"reading saved pages needs lxml; {install('pages')} brings it."
        ) from None
    found = {text: _selector(text) for text in (category, event, _SILENT)}

    def read(path: Path) -> SavedPage:
        data, encoding = _decoded(_bytes(path))
        try:
            whole = html.document_fromstring(data, parser=html.HTMLParser(encoding="utf-8"))
        except etree.ParserError:  # nothing but ends of elements
            raise LeftOut("the page is empty") from None
        for element in found[_SILENT](whole):
            element.drop_tree()
        names, events = (_texts(found[text](whole)) for text in (category, event))
        if not names:
            raise LeftOut("no category")
        if len(set(names)) < len(names):
            raise LeftOut("a category above itself")
        if not events:
            raise LeftOut("no steps")
        return SavedPage(names, events, encoding)

    return read


def pages_in(folder: Path) -> list[Path]:
    """The pages of a folder and its subfolders, in order of their names; no links.

    Raises:
        FileNotFoundError: no such folder. ValueError: no page in it.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}.")
    found = [
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in ENDINGS and path.is_file() and not path.is_symlink()
    ]
    if not found:
        raise ValueError(f"{folder} has no page in it; pages end in {' or '.join(ENDINGS)}.")
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def _bytes(path: Path) -> bytes:
    if path.stat().st_size > LARGEST:
        raise LeftOut(f"larger than {LARGEST >> 20} MiB")
    if is_pipe(path):
        raise LeftOut("a pipe, and no file")
    data = path.read_bytes()
    plain = data.replace(b"\0", b"")  # of UTF-16, which has one beside each letter
    if not _END.search(plain):
        raise LeftOut("cut off: it has no </html>" if plain.strip() else "the page is empty")
    return data


def _decoded(data: bytes) -> tuple[bytes, str]:
    """A page in UTF-8, and the encoding it was in: as marked, as it says, or else as it can be."""
    said = _CHARSET.search(data[:4096])
    name = said[1].decode("ascii", "replace").lower() if said else "utf-8"
    marked = any(data.startswith(mark) for mark in MARKS)
    if not marked and not name.startswith("utf"):  # what could be read is not in UTF-16
        try:
            return data.decode(name).encode(), codecs.lookup(name).name
        except (LookupError, UnicodeDecodeError):
            pass
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # which encodings there were is counted
        try:
            return in_utf8(data)
        except ValueError:
            raise LeftOut("no text") from None


def _selector(text: str) -> Any:
    from cssselect import SelectorError
    from lxml.cssselect import CSSSelector

    try:
        return CSSSelector(text, translator="html")
    except SelectorError:
        raise ValueError(f"{text!r} is no CSS selector.") from None


def _texts(elements: list[Any]) -> tuple[str, ...]:
    words = (" ".join(element.text_content().split()) for element in elements)
    return tuple(text for text in words if text)
