"""Which column of a table is what."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ...ground.names import nearest
from ...ground.problem import Refusal
from ..inputs import KINDS
from ..labels.kinds import ALL_OF, ONE_OF, check_kind
from ..labels.reading import declared_classes
from ._header import HEADERS, FirstLine
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
NONE = "none"  # in place of a column of texts or pictures: all columns are inputs
CORRECTED, CORRECTED_BY = " corrected", " corrected by"  # behind a label column's name
SKIP, REFUSE = "skip", "refuse"  # damaged pictures
NAMED_SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "bar": "|"}


def several_answers(source: object) -> str:
    """What to say where each item should have one label, and has the answers of several people."""
    return (
        f"{source} has several answers about an item; make one label of them first: candidly crowd"
        " consensus puts it beside the answers, in a column called consensus."
    )


@dataclass(frozen=True)
class Roles:
    """Which column is what; None: the one that can be it by its cells, see ``_recognised``.

    Args:
        label: what may be wrong: one label a cell, or several with ``label_separator`` between
            them; with ``label_kind`` also several columns of 0 and 1, ``a,b,c``. Usually ``label``,
            ``given`` or ``candidates``.
        truth: true labels, which training never sees.
        id: names of the rows, each once.
        text: the inputs, a text a row; ``none``: all columns are inputs.
        image: the inputs, a picture's file a row, relative to the table's folder.
        annotator, item: of a table with an answer a row, who gave it and about what.
        drop: columns to leave out.
        annotators: for a table with an item a row, columns that hold one person's answers each.
        separator: what stands between two cells, a character or its name (comma, semicolon, tab,
            bar); found out by default.
        header: whether the first line names the columns: yes, no (they are then called
            ``column_1`` and so on), or auto, by what stands there.
        label_separator: what stands between the labels of a set in one cell.
        label_kind: what several labels in a cell are: ``one-of`` (one of them is right),
            ``all-of`` (all are) or ``single`` (they are one name). By default what the column's
            name says; see ``data.labels.kinds``.
        ask_kind: refuse several labels in a cell where nothing says what they are; by default they
            are taken as candidates, with a word about it.
        classes: names in order, or how many; by default what the labels show.
        merge_labels: make one class of those that differ by spelling alone; or a dict, old name ->
            new name.
        damaged: for a folder of pictures, what becomes of those that cannot be used: ``skip``, up
            to 10 or one in ten, or ``refuse``.
        sheet: for a workbook; the first that is not hidden by default.
        kinds: what inputs are, by column: number, category, date or text; others are what their
            cells show. They are kept as pairs.
        part: which part a row is of: train, validation (also val, dev) or test. Labels of the
            latter two count as true where no truth stands beside them.
        test_file, validation_file: files with rows of the same columns, which are put behind the
            others as these parts.

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
    header: str = "auto"
    label_separator: str = "|"
    classes: Any = None
    merge_labels: Any = False
    damaged: str = field(default=SKIP, compare=False)  # says nothing of columns
    annotators: tuple[str, ...] = ()
    sheet: str | None = None
    kinds: Any = ()
    label_kind: str | None = None
    ask_kind: bool = field(default=False, compare=False)
    part: str | None = None
    test_file: Any = None
    validation_file: Any = None

    def __post_init__(self) -> None:
        named = [name for _, name in self._named()]
        once = named.copy()
        if self.id is not None and self.id == self.item:
            once.remove(self.id)  # what answers are about, and in another table the rows' names
        for role, name in self._named():
            if once.count(name) > 1:
                raise ValueError(
                    f"column {name!r} is named twice, once as `{role}`; give each column one role."
                )
        if self.annotator is not None and self.annotators:
            raise ValueError("`annotator` and `annotators` are both given; say one of them.")
        if self.text is not None and self.image is not None:
            raise ValueError("`text` and `image` are both given; the inputs are one of them.")
        separator = NAMED_SEPARATORS.get(self.separator or "", self.separator)
        if separator is not None and len(separator.encode()) != 1:
            raise ValueError(
                f"`separator` is {self.separator!r}; give one character, or one of"
                f" {', '.join(NAMED_SEPARATORS)}."
            )
        object.__setattr__(self, "separator", separator)
        pairs = self.kinds.items() if isinstance(self.kinds, Mapping) else self.kinds
        object.__setattr__(self, "kinds", tuple(pairs))
        for name, kind in self.kinds:
            if kind not in KINDS:
                raise ValueError(
                    f"`kinds` says that column {name!r} is {kind!r}; say {', '.join(KINDS)}."
                )
            if name in named:
                raise ValueError(f"column {name!r} has a role, and a kind in `kinds`; give one.")
        if self.kinds and self.inputs is not None:
            raise ValueError(
                f"column {self.inputs!r} is the inputs alone, and `kinds` speaks of others; give"
                " one of them."
            )
        if self.damaged not in (SKIP, REFUSE):
            raise ValueError(
                f"`damaged` is {self.damaged!r}; give {SKIP}, to leave damaged pictures out of a"
                f" folder, or {REFUSE}."
            )
        if self.header not in HEADERS:
            raise ValueError(f"`header` is {self.header!r}; give one of {', '.join(HEADERS)}.")
        check_kind(self.label_kind)
        if not self.label_separator.strip():
            raise ValueError("the separator between labels is empty; give a character, such as |.")

    def _named(self) -> Iterator[tuple[str, str]]:
        for role in ("label", *USUAL):
            name = getattr(self, role)
            if name is not None and (role, name) not in (("text", NONE), ("image", NONE)):
                yield role, name
        if self.part is not None:
            yield "part", self.part
        for name in self.drop:
            yield "drop", name
        for name in self.annotators:
            yield "annotator", name

    @property
    def given(self) -> list[str]:
        """The parameters that say something, as ``read`` calls them."""
        own = [each.name for each in fields(self) if each.name != "ask_kind"]
        said = [name for name in own if getattr(self, name) != getattr(NOTHING_SAID, name)]
        return list(dict.fromkeys("annotator" if name == "annotators" else name for name in said))

    @property
    def files(self) -> dict[str, Any]:
        """The files of a test set and of a validation set, by the part."""
        named = {"test": self.test_file, "validation": self.validation_file}
        return {part: file for part, file in named.items() if file is not None}

    @property
    def holds_out(self) -> bool:
        """Whether something says which rows are a test set."""
        return self.part is not None or self.test_file is not None

    @property
    def named(self) -> tuple[str, ...]:
        """The columns that have a role or are dropped."""
        return tuple(name for _, name in self._named())

    @property
    def declared(self) -> list[str] | None:
        """The names of the classes that were declared, in order; None where none were."""
        return None if self.classes is None else list(declared_classes(self.classes))

    def refuse_several(self) -> None:
        """Refuse what was said of several labels in a cell, where a row has one.

        Raises:
            Refusal: one of them is right, or all are.
        """
        if self.label_kind in (ONE_OF, ALL_OF):
            raise Refusal(
                f"`label_kind` is {self.label_kind!r}, and this takes one label a row.",
                "leave it out",
            )

    def reads(self, name: str) -> bool:
        """Whether a column is looked at."""
        return name not in self.drop

    def table(self) -> FirstLine:
        """What is known of the first line of a table whose columns go by their names."""
        return FirstLine(self.header, needed=True, usual=(*GIVEN, *self.named))

    @property
    def inputs(self) -> str | None:
        """The column that is the inputs alone, of texts or of pictures; None for all columns."""
        name = self.text or self.image
        return None if name == NONE else name

    def check(self, columns: Collection[str]) -> None:
        """Refuse a column that was named and is not among these.

        Raises:
            ValueError: the message names it and those that there are.
        """
        for role, name in self._named():
            if name not in columns:
                raise ValueError(
                    f"there is no column {name!r} (`{role}`){nearest(name, columns)} The columns"
                    f" are {listed(tuple(columns))}."
                )


NOTHING_SAID = Roles()
