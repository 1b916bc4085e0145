"""Labels as people have them, as classes and numbers: one rule, wherever labels come in.

A label is a name. A whole number is the name of a class, too: labels 1 to 5 are the five classes
1, 2, 3, 4 and 5. Which classes there are is declared (a list of names, how many, the columns of a
matrix, the categories of a column), else they are the labels that occur: sorted, numbers by their
value.

Where classes are declared and a label is a whole number, it means the class of that name if all
names of classes are whole numbers, and the place among the classes, from 0, if they are not. There,
and nowhere else, -1 says that there is no label. An empty text, None and NaN always say so.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from ...ground.arrays import column_order, plain
from ...ground.checks import MOST_CLASSES, check_size, checked_classes
from ...ground.names import nearest
from ...ground.problem import Refusal
from . import spelling
from .coded import Coded, Matrix, coded, is_set, matrix_of, missing, shown
from .text import check_name, label_in, labels_in

SETS = ("candidates", "tags")  # kinds of labels that are several a row
ONE_A_ROW = ("given", "label")  # and those of which an empty one is worth a word
DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([ T].*)?")
WHOLE = re.compile(r"[-+]?(0|[1-9]\d*)(\.0*)?")
DECIMAL = re.compile(r"[-+]?\d*\.?\d*(e[-+]?\d+)?", re.IGNORECASE)
PART = re.compile(r"[-+]?\d*\.\d*[1-9]\d*")  # no whole number
FEW = 50  # different labels are never too many
LOST = -(2**63)  # what a cast of NaN to integers makes
MUCH = 1 / 3  # of the rows without a label are worth a warning


class LabelField(NamedTuple):
    """A column of labels: what messages call it and its rows, its entries, and whether one may
    hold several labels."""

    what: str
    several: bool
    coded: Coded
    rows: Sequence[Any] | None = None

    def row(self, k: int) -> Any:
        """What a message calls the first row of an entry."""
        place = self.coded.row(k)
        return place if self.rows is None else self.rows[place]


@dataclass(frozen=True)
class LabelRule:
    """What a person said of labels.

    Args:
        classes: names in order, or how many; None: what the labels show.
        whole: whether a cell of text is one label, whatever it looks like, and no number.
        merge: classes to make one: those that differ by spelling alone, or old name -> new name.
        single: whether a cell of text is one label, though it may be a number.
    """

    classes: Any = None
    whole: bool = False
    merge: bool | Mapping[str, str] = False
    single: bool = False


class Read(NamedTuple):
    """Labels as candidly counts them.

    Attributes:
        classes: the names, in order.
        labels: by column: int64 (n,) places in ``classes``, -1 for none; of sets bool (n, q).
        own: each class as the caller wrote it: a number stays a number.
    """

    classes: tuple[str, ...]
    labels: dict[str, np.ndarray]
    own: tuple[Any, ...]


class Token(NamedTuple):
    """One label of a cell: its text, what it is by type, and the value itself."""

    text: str
    kind: str  # text, number or bool
    own: Any


def read_labels(
    columns: Mapping[str, Any],
    rule: LabelRule | None = None,
    called: Mapping[str, str] | None = None,
    rows: Sequence[Any] | None = None,
) -> Read:
    """Classes, and the number of each row's label.

    Args:
        columns: by name; those in ``SETS`` hold a set a row: see ``coded`` and ``matrix_of``.
        rule: what was declared.
        called: what messages call a column; by default its name in backquotes.
        rows: what messages call a row; by default its place.

    Raises:
        ValueError: a label that is none, or no class of those declared; it names column, row and
            value.

    Warns:
        UserWarning: classes that look like spellings of one; names that may mean that there is no
            label; -1, where it looks as if it should; and many rows without a label.

    >>> read_labels({"given": [3, 1, 3]})
    Read(classes=('1', '3'), labels={'given': array([1, 0, 1])}, own=(1, 3))
    >>> read_labels({"given": ["dog", " cat"]}, LabelRule(["dog", "cat", "cow"])).labels
    {'given': array([0, 1])}
    """
    rule = rule or LabelRule()
    called = {name: f"`{name}`" for name in columns} | dict(called or {})
    known = written_classes(rule.classes)
    matrices: dict[str, Matrix] = {}
    cells: dict[str, LabelField] = {}
    for name, values in columns.items():
        matrix = matrix_of(called[name], values) if name in SETS else None
        if matrix is not None:
            matrices[name] = matrix
        else:
            cells[name] = LabelField(
                called[name],
                name in SETS,
                values if isinstance(values, Coded) else coded(called[name], values),
                rows,
            )
    tokens = {
        name: [
            _tokens(value, column, k, known, rule.whole or rule.single)
            for k, value in enumerate(column.coded.values)
        ]
        for name, column in cells.items()
    }
    declared = rule.classes is not None or bool(matrices)
    whole = dict.fromkeys(cells, False)
    if not rule.whole:
        whole = _whole_columns(tokens, cells, declared)
    tokens = {
        name: [
            [_canonical(one, whole[name]) for one in labels if not _is_nan(one, whole[name])]
            for labels in rows
        ]
        for name, rows in tokens.items()
    }
    if rule.merge:
        tokens, cells = _merged(tokens, cells, rule.merge, known)
    there = {one.text: one.own for rows in tokens.values() for labels in rows for one in labels}
    classes = _classes(rule.classes, matrices, cells, there, any(whole.values()))
    closed = declared or any(column.coded.declared for column in cells.values())
    places = {number: _Places(classes, number, closed) for number in set(whole.values())}
    found = {
        name: _placed(column, tokens[name], places[whole[name]], len(classes))
        for name, column in cells.items()
    }
    for name, matrix in matrices.items():
        found[name] = _ordered(called[name], matrix, classes)
    _say_empty(found, called)
    if not closed:
        _say(classes, found, any(whole.values()))
    own = tuple(there.get(name, name) for name in classes)
    return Read(classes, found, own)


# ---- an entry as labels


def _tokens(
    value: Any, column: LabelField, k: int, known: Collection[str], whole: bool
) -> list[Token]:
    """The labels of one entry; each as text, of one type."""
    if value is None:
        return []
    if isinstance(value, str):
        return [Token(text, "text", text) for text in _texts(value, column, k, known, whole)]
    if not is_set(value):
        return [_token(value, column, k)]
    if not column.several:
        raise ValueError(
            f"{column.what} has {shown(value)} at row {column.row(k)}; it takes one label a row."
            " Sets of labels are `candidates`."
        )
    found = []
    for one in value:
        if isinstance(one, str):
            check_name(one, column.what, column.row(k), known)
            found.append(Token(one.strip(), "text", one.strip()))
        elif not missing(one):
            found.append(_token(one, column, k))
    return found


def _texts(
    value: str, column: LabelField, k: int, known: Collection[str], whole: bool
) -> list[str]:
    """The labels of a cell of text."""
    text = value.strip()
    if whole or text in known or text.replace(" ", "").isalnum():
        return [text] if text else []
    if column.several:
        return labels_in(value, column.what, column.row(k), known)
    one = label_in(value, column.what, column.row(k), known)
    return [] if one is None else [one]


def _token(value: Any, column: LabelField, k: int) -> Token:
    """A label that is no text."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, bool):
        return Token(str(value), "bool", value)
    if isinstance(value, int) and value != LOST:
        return Token(str(value), "number", value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return Token(str(int(value)), "number", value)
    if isinstance(value, int | float):
        hint = " It is what a cast of NaN to integers makes." if value == LOST else ""
        raise ValueError(
            f"{column.what} has {shown(value)} at row {column.row(k)}; labels are names or whole"
            f" numbers.{hint}"
        )
    raise ValueError(
        f"{column.what} has {shown(value)} ({type(value).__name__}) at row {column.row(k)}. Labels"
        " are names or whole numbers; a 0/1 matrix goes in as a numpy array."
    )


def _whole_columns(
    tokens: Mapping[str, list[list[Token]]], cells: Mapping[str, LabelField], declared: bool
) -> dict[str, bool]:
    """Which columns hold whole numbers alone.

    Where nobody said which classes there are, all columns do or none does: names of one column are
    those of the others.

    Raises:
        ValueError: numbers beside names, by their types.
    """
    kinds = {name: _kind(tokens[name], column) for name, column in cells.items()}
    for name in kinds:
        _refuse_decimals(tokens[name], cells[name])
    texts = [name for name, kind in kinds.items() if kind == "text"]
    numbers = {
        name: [one.text for labels in tokens[name] for one in labels if one.text.lower() != "nan"]
        for name in texts
    }
    whole = {
        name: bool(found) and all(map(WHOLE.fullmatch, found)) for name, found in numbers.items()
    }
    if not declared:
        every = all(whole[name] or not numbers[name] for name in texts)
        whole = {name: every and any(numbers.values()) for name in texts}
    found = {name: kind == "number" for name, kind in kinds.items()} | whole
    if (
        not declared
        and len({kinds[name] == "number" or found[name] for name in kinds if kinds[name]}) > 1
    ):
        named = next(name for name, kind in kinds.items() if kind and not found[name])
        counted = next(name for name in kinds if found[name])
        raise Refusal(
            f"{cells[named].what} holds names of classes, and {cells[counted].what} whole numbers.",
            "name all classes with `classes`, so that numbers can be read as places among them",
        )
    return found


def _kind(rows: list[list[Token]], column: LabelField) -> str:
    """The one kind of a column's labels, '' where it has none.

    Raises:
        ValueError: several kinds.
    """
    first: Token | None = None
    for k, labels in enumerate(rows):
        for one in labels:
            first = first or one
            if one.kind != first.kind:
                raise ValueError(
                    f"{column.what} has {shown(one.own)} ({one.kind}) at row {column.row(k)}, and"
                    f" {shown(first.own)} ({first.kind}) before. Use either whole numbers or names."
                )
    return first.kind if first else ""


def _refuse_decimals(rows: list[list[Token]], column: LabelField) -> None:
    """Refuse a column of numbers, as text, of which some are not whole."""
    texts = [(k, one.text) for k, labels in enumerate(rows) for one in labels]
    part = next((k for k, text in texts if PART.fullmatch(text)), None)
    if part is not None and all(DECIMAL.fullmatch(text) for _, text in texts):
        raise ValueError(
            f"{column.what} has {rows[part][0].text} at row {column.row(part)}; labels are names or"
            " whole numbers."
        )


def _is_nan(one: Token, numbers: bool) -> bool:
    return numbers and one.text.lower() == "nan"


def _canonical(one: Token, numbers: bool) -> Token:
    if not numbers or one.kind != "text":
        return one
    return Token(str(int(one.text.partition(".")[0])), one.kind, one.own)


def _rows(
    tokens: Mapping[str, list[list[Token]]], cells: Mapping[str, LabelField]
) -> dict[str, int]:
    """How many rows have each label, in all columns."""
    rows: dict[str, int] = {}
    for name, column in cells.items():
        codes = column.coded.codes
        counts = np.bincount(codes, minlength=len(column.coded.values)).tolist()
        for labels, count in zip(tokens[name], counts):
            for one in labels:
                rows[one.text] = rows.get(one.text, 0) + count
    return rows


def _merged(
    tokens: dict[str, list[list[Token]]],
    cells: Mapping[str, LabelField],
    merge: bool | Mapping[str, str],
    known: Collection[str],
) -> tuple[dict[str, list[list[Token]]], dict[str, LabelField]]:
    """The same with one name for several."""
    new = merges(_rows(tokens, cells), merge, known)
    found = {
        name: [
            [Token(new[t.text], t.kind, new[t.text]) if t.text in new else t for t in labels]
            for labels in rows_of
        ]
        for name, rows_of in tokens.items()
    }
    return found, {name: _declaring(column, new) for name, column in cells.items()}


def merges(
    rows: Mapping[str, int], merge: bool | Mapping[str, str], classes: Collection[str] = ()
) -> Mapping[str, str]:
    """Old name -> new name.

    Args:
        rows: how many rows each label has.
        merge: see ``LabelRule``. classes: those that were declared.

    Raises:
        ValueError: a name to replace that is no label, where classes were not declared: where they
            were, these may be some of the labels; two declared classes that are to be one.
    """
    if merge is True:
        for one in spelling.alike(dict.fromkeys(classes, 1)):
            if one.same:
                raise Refusal(
                    f"{one.name!r} and {one.others[0]!r} are two classes, as declared or as columns"
                    " are called, and `merge_labels` makes one of what differs by spelling alone.",
                    "name one of them in `classes`",
                    "leave `merge_labels` out",
                )
    if isinstance(merge, bool):
        return spelling.merged(rows, classes) if merge else {}
    strange = [old for old in merge if old not in rows]
    if strange and not classes:
        raise ValueError(
            f"`merge_labels` replaces {strange[0]!r}, which is no label{nearest(strange[0], rows)}"
        )
    return merge


def _declaring(column: LabelField, new: Mapping[str, str]) -> LabelField:
    """The same column, whose own categories are the new names."""
    names = dict.fromkeys(new.get(name, name) for name in column.coded.declared)
    return column._replace(coded=replace(column.coded, declared=tuple(names)))


# ---- classes


def is_whole(text: str) -> bool:
    """Whether a label is a whole number as text.

    >>> is_whole("-1"), is_whole("2.0"), is_whole("007")
    (True, True, False)
    """
    return WHOLE.fullmatch(text) is not None or text.lower() == "nan"


def written_classes(classes: Any) -> tuple[str, ...]:
    """The names of classes that somebody wrote down, as text; none for a number or nothing."""
    if classes is None or (isinstance(classes, (int, np.integer)) and classes is not True):
        return ()
    if isinstance(classes, np.ndarray):
        classes = classes.tolist()
    if isinstance(plain(classes), (list, tuple)):
        classes = [
            str(name) if isinstance(name, (int, np.integer, str)) else name
            for name in plain(classes)
        ]
    return checked_classes(classes)


def declared_classes(classes: Any) -> tuple[str, ...]:
    """The names given, or ``"0"``.. for a number of classes.

    Raises:
        ValueError: neither, or too many.
    """
    if isinstance(classes, (int, np.integer)) and not isinstance(classes, bool):
        if classes < 1:
            raise ValueError(f"`classes` is {classes}; there must be one at least.")
        if classes > MOST_CLASSES:
            raise ValueError(f"`classes` is {classes:,}; there may be at most {MOST_CLASSES:,}.")
        return tuple(map(str, range(int(classes))))
    return written_classes(classes)


def _classes(
    classes: Any,
    matrices: Mapping[str, Matrix],
    cells: Mapping[str, LabelField],
    there: Mapping[str, Any],
    numbers: bool,
) -> tuple[str, ...]:
    if isinstance(classes, int | np.integer) and there and not numbers:
        return _as_many(int(classes), _of_columns(cells, there) or tuple(sorted(there)))
    if classes is not None:
        return declared_classes(classes)
    if matrices:
        return _of_matrices(matrices, there, numbers)
    if not there:
        raise Refusal("no labels to tell the classes from.", "name them with `classes`")
    if declared := _of_columns(cells, there):
        return checked_classes(declared)
    column = next(iter(cells.values()))
    rows = sum(len(one.coded.codes) for one in cells.values())
    if len(there) > max(FEW, rows / 2):
        raise Refusal(
            f"{column.what} has {len(there):,} different labels in"
            f" {len(column.coded.codes):,} rows, as names and texts have.",
            "if they are classes, name them with `classes`",
        )
    if not numbers and all(map(DATE.fullmatch, there)):
        raise Refusal(
            f"{column.what} holds dates such as {next(iter(there))!r}, and no classes.",
            "if they are classes, name them with `classes`",
        )
    return tuple(sorted(there, key=int) if numbers else sorted(there))


def _as_many(number: int, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names that the labels show, where there are as many as somebody said."""
    if len(names) != number:
        raise ValueError(
            f"`classes` says that there are {number:,}, and the labels show {len(names):,}:"
            f" {', '.join(names[:10])}. Name them instead."
        )
    return names


def _of_columns(cells: Mapping[str, LabelField], there: Mapping[str, Any]) -> tuple[str, ...]:
    """The categories that columns declare, where they hold all labels; () else."""
    declared = tuple(dict.fromkeys(one for c in cells.values() for one in c.coded.declared))
    return declared if there.keys() <= set(declared) else ()


def _of_matrices(
    matrices: Mapping[str, Matrix], there: Mapping[str, Any], numbers: bool
) -> tuple[str, ...]:
    widths = {name: part.values.shape[1] for name, part in matrices.items()}
    columns = next((p.columns for p in matrices.values() if p.columns is not None), None)
    if len(set(widths.values())) > 1:
        raise ValueError(f"different numbers of classes (columns): {widths}. Make them agree.")
    if there and not numbers and columns is None:
        raise Refusal(
            f"there are names of classes ({next(iter(there))!r}), but the matrix"
            f" `{next(iter(matrices))}` does not say which column is which.",
            "name them with `classes` in the order of the columns",
        )
    return checked_classes(columns or declared_classes(next(iter(widths.values()))))


class _Places:
    """Where a label stands among the classes."""

    def __init__(self, classes: tuple[str, ...], numbers: bool, declared: bool):
        self.classes = classes
        named = [WHOLE.fullmatch(name) is not None for name in classes]
        self.by_place = numbers and not all(named)
        self.place = {name: k for k, name in enumerate(classes)}
        if numbers and all(named):
            self.place = {str(int(name.partition(".")[0])): k for k, name in enumerate(classes)}
        # -1 is a class only where the labels themselves say which there are
        self.none = {"-1"} - self.place.keys() if numbers and declared else set()
        if self.by_place and any(named):
            which = next(name for name, whole in zip(classes, named) if whole)
            warnings.warn(
                f"some names of classes are whole numbers, such as {which!r}, and others are not: a"
                " whole number among the labels means a place, from 0, and no name.",
                stacklevel=5,
            )

    def of(self, text: str, column: LabelField, k: int) -> int:
        if text in self.none:
            return -1
        if self.by_place:
            place = int(text)
            if 0 <= place < len(self.classes):
                return place
        elif text in self.place:
            return self.place[text]
        raise ValueError(self._refusal(text, column.what, column.row(k)))

    def _refusal(self, text: str, what: str, row: Any) -> str:
        q = len(self.classes)
        counted = self.classes == tuple(map(str, range(q)))
        if not (self.by_place or (counted and WHOLE.fullmatch(text))):
            some = ", ".join(self.classes[:10]) + (", ..." if q > 10 else "")
            close = nearest(text, self.classes)
            return (
                f"{what} has {text!r} at row {row}, which is not among the classes ({some}){close}"
            )
        return beyond(what, text, row, q, counted)


def beyond(what: str, label: Any, row: Any, q: int, counted: bool = True) -> str:
    """What to say of a number that is no place among q classes.

    Args:
        counted: whether the classes have no other names than 0 to q - 1.
    """
    advice = "Correct the label, or name all the classes."
    if counted and str(label) == str(q):
        advice = f"If labels start at 1, name the classes: 1 to {q}."
    return (
        f"{what} has label {label} at row {row}, but there"
        f" {'is 1 class' if q == 1 else f'are {q} classes'} (0..{q - 1}, or -1 for none). {advice}"
    )


def _placed(column: LabelField, tokens: list[list[Token]], places: _Places, q: int) -> np.ndarray:
    found = [[places.of(one.text, column, k) for one in ls] for k, ls in enumerate(tokens)]
    codes = column.coded.codes
    if not column.several:
        flat = np.array([row[0] if row else -1 for row in found] or [-1], np.int64)
        return flat[codes] if len(codes) else np.zeros(0, np.int64)
    check_size(column.what, (len(codes), q), 1)
    sets = np.zeros((max(len(found), 1), q), bool)
    for row, labels in zip(sets, found):
        row[[label for label in labels if label >= 0]] = True
    return sets[codes]


def _ordered(what: str, matrix: Matrix, classes: Sequence[str]) -> np.ndarray:
    if matrix.columns is not None:
        return matrix.values[:, column_order(matrix.columns, classes, what)]
    if matrix.values.shape[1] != len(classes):
        raise ValueError(
            f"{what} has {matrix.values.shape[1]} columns, and there are {len(classes)} classes."
            " Give a column for each."
        )
    return matrix.values


# ---- what is worth saying


def _say_empty(found: Mapping[str, np.ndarray], called: Mapping[str, str]) -> None:
    for name, labels in found.items():
        empty = int((labels < 0).sum()) if name in ONE_A_ROW else 0
        if len(labels) > empty > MUCH * len(labels):
            warnings.warn(
                f"{empty:,} of {len(labels):,} rows have no label ({called[name]} is empty there).",
                stacklevel=4,
            )


def _say(classes: tuple[str, ...], found: Mapping[str, np.ndarray], numbers: bool) -> None:
    """What labels look like that nobody declared."""
    if numbers:
        values = sorted(map(int, classes))
        if values[0] == -1 and len(values) > 2 and values == list(range(-1, len(values) - 1)):
            warnings.warn(
                "-1 is taken as a class. Where it says that there is no label, leave the cell"
                " empty or name the classes.",
                stacklevel=4,
            )
        return
    counts = np.zeros(len(classes), np.int64)
    for labels in found.values():
        if labels.ndim == 2:
            counts += labels.sum(0)
        else:
            counts += np.bincount(labels[labels >= 0], minlength=len(classes))
    if groups := spelling.alike(dict(zip(classes, counts.tolist()))):
        warnings.warn(spelling.sentence(groups), stacklevel=4)
    if empty := spelling.may_be_none(classes):
        warnings.warn(
            f"{', '.join(map(repr, empty))} may mean that there is no label; taken as"
            f" {'a class' if len(empty) == 1 else 'classes'}.",
            stacklevel=4,
        )
