"""What inputs can be: each kind's name, and what others ask of it.

A kind is a text, as files and messages have it, that knows what it is: ``data.kind.pictures`` in
place of comparisons with names. A new kind is a line here, its recognition in ``_arrays.py``, and
what is made of its rows; whoever asks for a property need not know it.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum


class InputKind(StrEnum):
    """What inputs are.

    Attributes:
        array: rows of one array of numbers, which a network takes as they are.
        pictures: an encoder of pictures sees them; files may be sounds, too.
        texts: texts, of which words or tokens are made.
        files: each row is the path of a file, which is read when it is needed.
        named: columns have names.

    >>> InputKind("images").pictures, f"{InputKind.TABLE}", InputKind.TEXTS == "texts"
    (True, 'table', True)
    """

    array: bool
    pictures: bool
    texts: bool
    files: bool
    named: bool

    TABLE = "table", {"array", "named"}
    IMAGES = "images", {"array", "pictures"}
    TEXTS = "texts", {"texts"}
    MEDIA = "media", {"pictures", "files"}
    COLUMNS = "columns", {"named"}

    def __new__(cls, name: str, facts: Collection[str] = ()) -> InputKind:
        kind = str.__new__(cls, name)
        kind._value_ = name
        for fact in ("array", "pictures", "texts", "files", "named"):
            setattr(kind, fact, fact in facts)
        return kind

    @property
    def pixels(self) -> bool:
        """Pictures as an array of numbers."""
        return self.array and self.pictures

    @property
    def encoded(self) -> bool:
        """A network that was trained elsewhere can make numbers of them."""
        return self.pictures or self.texts
