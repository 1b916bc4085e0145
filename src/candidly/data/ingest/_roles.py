"""Which column of a table is what."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ...ground.names import nearest
from .table_checks import listed

GIVEN = ("label", "given", "candidates")  # usual names of columns of labels
USUAL = {
    "truth": ("truth",),
    "id": ("id",),
    "text": ("text",),
    "image": ("path", "image"),
    "annotator": ("annotator",),
    "item": ("item",),
}
CORRECTED, CORRECTED_BY = " corrected", " corrected by"  # behind a label column's name
NAMED_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "bar": "|"}


@dataclass(frozen=True)
class Roles:
    """Which column is what; None: the one of the usual name, where there is one.

    Args:
        label: what may be wrong: one label a cell, or several with ``label_separator`` between
            them. Usually ``label``, ``given`` or ``candidates``.
        truth: true labels, which training never sees.
        id: names of the rows, each once.
        text: the inputs, a text a row.
        image: the inputs, a picture's file a row, relative to the table's folder.
        annotator, item: of a table with an answer a row, who gave it and about what.
        drop: columns to leave out.
        separator: what stands between two cells, a character or its name (comma, semicolon, tab,
            bar); found out by default.
        label_separator: what stands between the labels of a set in one cell.
        classes: names in order, or how many; by default what the labels show.

    Every column that is neither named nor dropped is an input.
    """

    label: str | None = None
    truth: str | None = None
    id: str | None = None
    text: str | None = None
    image: str | None = None
    annotator: str | None = None
    item: str | None = None
    drop: tuple[str, ...] = ()
    separator: str | None = None
    label_separator: str = "|"
    classes: Any = None

    def __post_init__(self) -> None:
        named = [name for _, name in self._named()]
        for role, name in self._named():
            if named.count(name) > 1:
                raise ValueError(
                    f"column {name!r} is named twice, once as `{role}`; give each column one role."
                )
        if self.text is not None and self.image is not None:
            raise ValueError("`text` and `image` are both given; the inputs are one of them.")
        separator = NAMED_SEPARATORS.get(self.separator or "", self.separator)
        if separator is not None and len(separator.encode()) != 1:
            raise ValueError(
                f"`separator` is {self.separator!r}; give one character, or one of"
                f" {', '.join(NAMED_SEPARATORS)}."
            )
        object.__setattr__(self, "separator", separator)
        if not self.label_separator.strip():
            raise ValueError("the separator between labels is empty; give a character, such as |.")

    def _named(self) -> Iterator[tuple[str, str]]:
        for role in ("label", *USUAL):
            if (name := getattr(self, role)) is not None:
                yield role, name
        for name in self.drop:
            yield "drop", name

    def among(self, columns: Collection[str]) -> Roles:
        """The same with each role's column among these, or None; ``label`` stays as it is.

        Raises:
            ValueError: a column that was named is not among them.
        """
        for role, name in self._named():
            if name not in columns:
                raise ValueError(
                    f"there is no column {name!r} (`{role}`){nearest(name, columns)} The columns"
                    f" are {listed(tuple(columns))}."
                )
        taken = {name for _, name in self._named()}
        usual: dict[str, Any] = {
            role: next((name for name in names if name in columns and name not in taken), None)
            for role, names in USUAL.items()
            if getattr(self, role) is None
        }
        if self.text or self.image:  # one of them is the input, and the other a column
            usual |= {"text": self.text, "image": self.image}
        elif usual["text"]:
            usual["image"] = None
        pair = [usual.get(role, getattr(self, role)) for role in ("annotator", "item")]
        if None in pair:  # alone, such a column means nothing
            usual |= {role: None for role in ("annotator", "item") if role in usual}
        return replace(self, **usual)
