"""Short texts, ``NAME:key=value,...``, by one grammar: networks, recipes, processes, data sets.

    pipeline = spec { "+" spec }                        where several follow one another
    spec     = NAME [ ":" behind ]
    behind   = pairs                                    sgd:momentum=0.9,decay=all
             | VALUE [ "," pairs ]                      mlp:128,initial=xavier
             | TEXT [ "," pairs ]                       ray:10.0.0.1:6379, hf:models/bart
    pairs    = KEY "=" VALUE { "," KEY "=" VALUE }

What stands behind the first colon is told apart by the caller, who knows the name. Names, keys and
words are read in any case and with any punctuation, as in ``names.lookup``. Spaces around a part do
not count. Each key is there once, each has a value, and nothing is empty: neither what a colon
promises nor what a comma does. Numbers are written plainly: ``0.3``, ``.3``, ``1e-3``; no ``nan``,
no ``1_0``, no plus in front. A plus joins, but for that of an exponent (``1e+3``).

Every text is read in two steps. ``read`` finds the name; methods of the ``Spec`` then read what is
behind it, typed by a table of readers. A reader takes a value's text and what errors call it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import inf, isfinite, nan
from typing import Any, TypeVar

from .names import UnknownName, lookup, named, nearest, same, shortened

Entry = TypeVar("Entry")
Reader = Callable[[str, str], Any]  # (text, what errors call it) -> value; raises ValueError

DIGITS = 16  # of a SHA-256, behind an @
_COMMA = re.compile(",")
_JOINS = re.compile(r"(?<![0-9.][eE])\+|\+(?![0-9])")
_TITLE = re.compile(r"([^=:+]*)=(.*)", re.DOTALL)
_PAIR = re.compile(r"\s*[\w-]+\s*=[^/\\]*", re.DOTALL)  # and no path
_DIGEST = re.compile(rf"(.+)@([0-9a-f]{{{DIGITS}}})", re.DOTALL)
PLAIN = {  # how numbers are written
    int: re.compile(r"-?[0-9]{1,20}"),
    float: re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?"),
}


class SpecError(ValueError):
    """A short text that cannot be read.

    Attributes:
        text: all of it.
        place: (start, end) in it of what is wrong; the same twice where something is missing.
    """

    def __init__(self, message: str, text: str = "", place: tuple[int, int] = (0, 0)) -> None:
        super().__init__(message)
        self.text, self.place = text, place

    def __str__(self) -> str:
        return str(self.args[0])


class UnknownPart(SpecError, UnknownName):
    """A name, a key or a word of a short text that is in no table."""


def anything(text: str, name: str) -> str:
    """The reader of a text as it is."""
    return text


@dataclass(frozen=True)
class TextPart:
    """A piece of a text, without the spaces around it; ``start`` is its place in the text."""

    text: str
    start: int

    @property
    def place(self) -> tuple[int, int]:
        return self.start, self.start + len(self.text)


@dataclass(frozen=True)
class Spec:
    """A name, and what stands behind it, unread.

    Attributes:
        whole: all of the text, of which this may be a step.
        what: what errors call it; '' for nothing but the text.
        name: its name.
        behind: what stands behind the colon; None without a colon.
    """

    whole: str
    what: str
    name: TextPart
    behind: TextPart | None

    def lookup(self, table: Mapping[str, Entry], kind: str, also: str = "") -> tuple[str, Entry]:
        """The table's spelling of the name, and its entry.

        Args:
            kind: the kind of things, for errors.
            also: what else may be written, for errors.

        Raises:
            UnknownPart: nothing of that name; suggests the nearest and lists the rest.
        """
        try:
            return lookup(table, self.name.text, kind)
        except UnknownName as error:
            alone = self.whole.strip() == self.name.text
            where = ("" if self.what == kind else self.what) if alone else self._where
            said = f"{where}: {error}" if where else str(error)
            raise self._unknown(f"{said[:-1]}; {also}." if also else said, self.name) from None

    def options(self, readers: Mapping[str, Reader], first: str = "") -> dict[str, Any]:
        """The values of the options that are there, by the tables' keys, in the order of the text.

        Args:
            readers: by key.
            first: the key that the first option may go without.

        Raises:
            UnknownPart: no such key; suggests the nearest and lists the rest.
            SpecError: nothing is behind the colon or a comma; a key twice or without a value; what
                a reader refuses.
        """
        return {} if self.behind is None else self._read(self._pieces(self.behind), readers, first)

    def argument(self, example: str, reader: Reader = anything, called: str = "") -> Any:
        """What stands behind the colon as one text, such as a path, read.

        Args:
            example: the example of the whole text, for errors.
            called: what it is, for errors.

        Raises:
            SpecError: nothing is there; what the reader refuses.
        """
        behind = self._argument(example)
        return self._value(behind, reader, f"{self._where}: {called or self.name.text}")

    def argument_and_options(
        self, example: str, readers: Mapping[str, Reader]
    ) -> tuple[str, dict[str, Any]]:
        """What stands behind the colon as one text, up to what looks like an option, and options.

        Raises:
            SpecError: as ``argument`` and ``options``.
        """
        behind = self._argument(example)
        pieces = self._pieces(behind)
        ends = (at for at, piece in enumerate(pieces) if at and _PAIR.fullmatch(piece.text))
        keep = next(ends, len(pieces))
        text = self.whole[behind.start : pieces[keep - 1].place[1]]
        return text, self._read(pieces[keep:], readers, "")

    def _argument(self, example: str) -> TextPart:
        behind = self.behind or TextPart("", self.name.place[1])
        if behind.text:
            return behind
        raise self._error(
            f"{self._where}: nothing stands behind {self.name.text}. Write {example}.", behind
        )

    def _value(self, part: TextPart, reader: Reader, name: str) -> Any:
        try:
            return reader(part.text, name)
        except UnknownName as error:
            raise self._unknown(str(error), part) from None
        except ValueError as error:
            raise self._error(str(error), part) from None

    def alone(self) -> None:
        """Refuse what stands behind the name.

        Raises:
            SpecError: something does.
        """
        self.options({})

    @property
    def _where(self) -> str:
        return f"{self.what} {shortened(self.whole)}".lstrip()

    def _error(self, message: str, part: TextPart) -> SpecError:
        return SpecError(message, self.whole, part.place)

    def _unknown(self, message: str, part: TextPart) -> UnknownPart:
        return UnknownPart(message, self.whole, part.place)

    def _pieces(self, part: TextPart) -> list[TextPart]:
        pieces = _split(part, _COMMA)
        for place, piece in enumerate(pieces):
            if not piece.text:
                last = place == len(pieces) - 1
                at = "behind the last comma" if last else "in front of a comma"
                at = at if len(pieces) > 1 else "behind the colon" if self.behind else "there"
                raise self._error(f"{self._where}: nothing stands {at}. Leave it out.", piece)
        return pieces

    def _read(
        self, pieces: Iterable[TextPart], readers: Mapping[str, Reader], first: str
    ) -> dict[str, Any]:
        given: dict[str, Any] = {}
        for piece in pieces:
            said, value = _halves(piece, "=")
            if not said.text:
                raise self._error(f"{self._where}: no key stands in front of =.", said)
            if value is None and first and not given:
                said, value, key = piece, piece, first
            else:
                key = self._key(said, readers)
            if key in given:
                raise self._error(f"{self._where} says {key} twice.", said)
            if value is None or not value.text:
                raise self._error(
                    f"{self._where}: {key} has no value. Write {key}=VALUE, or leave it out.", said
                )
            given[key] = self._value(value, readers[key], f"{self._where}: {key}")
        return given

    def _key(self, said: TextPart, readers: Mapping[str, Reader]) -> str:
        known = same(readers, said.text)
        if known is not None:
            return known
        if not readers:
            raise self._error(
                f"{self._where}: {self.name.text} has no options. Leave out what stands behind it.",
                said,
            )
        raise self._unknown(
            f"{self._where}: {self.name.text} has no option {shortened(said.text)}"
            f"{nearest(said.text, readers)} Choose from: {', '.join(readers)}.",
            said,
        )


def read(text: object, what: str, example: str) -> Spec:
    """The name of a short text, and what is behind it.

    Args:
        what: what errors call the text; '' for nothing else.
        example: the example of such a text, for errors.

    Raises:
        ValueError: it is no string.

    >>> one = read("CNN: Width = 4", "net", "mlp:128")
    >>> one.name.text, one.options({"width": integer(1)})
    ('CNN', {'width': 4})
    """
    whole = named(text, what or "the text", example)
    return Spec(whole, what, *_halves(_part(whole, 0, len(whole)), ":"))


def begins_with(text: str, names: Iterable[str]) -> bool:
    """Whether a short text's name is one of these; what is behind it is not read.

    >>> begins_with("Forest: leaf=3", ["forest"]), begins_with("woods", ["forest"])
    (True, False)
    """
    return same(names, text.partition(":")[0].strip()) is not None


def pipeline(text: object, what: str, example: str) -> tuple[Spec, ...]:
    """The steps of a text that are joined by ``+``.

    Raises:
        ValueError: it is no string.

    >>> [one.name.text for one in pipeline("uniform+noise:rate=1e+0", "", "uniform")]
    ['uniform', 'noise']
    """
    whole = named(text, what or "the text", example)
    return tuple(
        Spec(whole, what, *_halves(step, ":")) for step in _split(TextPart(whole, 0), _JOINS)
    )


def pairs(text: str, what: str, reader: Reader) -> dict[str, Any]:
    """``key=value,...`` without a name, every key as it is written.

    Raises:
        SpecError: as ``Spec.options``.

    >>> pairs("noise_rate=0.4, lr=1e-3", "--hyper", figure)
    {'noise_rate': 0.4, 'lr': 0.001}
    """
    keys = [_halves(piece, "=")[0].text for piece in _split(TextPart(text, 0), _COMMA)]
    return Spec(text, what, TextPart("", 0), TextPart(text, 0)).options(dict.fromkeys(keys, reader))


def several(texts: Iterable[str], what: str) -> list[str]:
    """The texts in texts with commas, which stand between texts and between the options of one.

    Raises:
        SpecError: nothing stands between two commas, or behind the last.

    >>> several(["lost, cifar10h:k=3,seed=1", "digits"], "data set")
    ['lost', 'cifar10h:k=3,seed=1', 'digits']
    """
    found: list[str] = []
    for text in texts:
        open_ = False  # whether the one before has options, which may go on
        for piece in Spec(text, what, TextPart("", 0), None)._pieces(TextPart(text, 0)):
            if open_ and _PAIR.fullmatch(piece.text):
                found[-1] += f",{piece.text}"
                continue
            found.append(piece.text)
            behind = _halves(piece, ":")[1]
            open_ = behind is not None and _PAIR.fullmatch(behind.text) is not None
    return found


def ends(text: str, name: str) -> tuple[float, float]:
    """The two numbers of a range, with a comma between; the first is the smaller one.

    >>> ends("0, 1", "`between`"), ends("-1,1e2", "`between`")
    ((0.0, 1.0), (-1.0, 100.0))

    Raises:
        ValueError: no two numbers, or the first is not the smaller one.
    """
    values = [number()(one, name) for one in several([text], "number")]
    if len(values) != 2 or not values[0] < values[1]:
        raise ValueError(f"{name} is {text!r}; it is two numbers, the smaller one first: 0,1.")
    return values[0], values[1]


def halves(text: str) -> tuple[str, str]:
    """What stands before the first colon, and behind it; for texts that were read before.

    >>> halves("CAVL:plench"), halves("CAVL")
    (('CAVL', 'plench'), ('CAVL', ''))
    """
    head, _, behind = text.partition(":")
    return head.strip(), behind.strip()


def titled(text: str) -> tuple[str, str]:
    """``TITLE=TEXT`` as its halves; the title is '' where there is none.

    >>> titled("worst=cifar10n:k=3"), titled("cifar10n:k=3")
    (('worst', 'cifar10n:k=3'), ('', 'cifar10n:k=3'))
    """
    found = _TITLE.fullmatch(text)
    return (found[1].strip(), found[2].strip()) if found else ("", text.strip())


def first_step(text: str) -> tuple[str, str]:
    """The first step of a pipeline, and the others as one text.

    >>> first_step("pets.csv+uniform+noise:rate=0.1")
    ('pets.csv', 'uniform+noise:rate=0.1')
    """
    first, *others = _split(TextPart(text, 0), _JOINS)
    return first.text, text[others[0].start :].strip() if others else ""


def of_file(text: str, suffix: str) -> tuple[str, str, str] | None:
    """``FILE:function@digest`` as its parts, '' for what is not there; None where no file is named.

    >>> of_file("nets/mine.py:make", ".py"), of_file("mlp:128", ".py")
    (('nets/mine.py', 'make', ''), None)
    """
    rest, digest = undigested(text.strip())
    found = re.fullmatch(rf"(.*{re.escape(suffix)})(?:\s*:(.*))?", rest, re.DOTALL)
    return None if found is None else (found[1], (found[2] or "").strip(), digest)


def undigested(text: str) -> tuple[str, str]:
    """A text, and the digest behind its ``@``; '' where there is none.

    >>> undigested("mine.json@0123456789abcdef"), undigested("mine.json")
    (('mine.json', '0123456789abcdef'), ('mine.json', ''))
    """
    found = _DIGEST.fullmatch(text)
    return (found[1], found[2]) if found else (text, "")


def written(name: str, options: Mapping[str, Any], argument: str = "") -> str:
    """A short text: the one way to write its values, in this order.

    >>> written("mlp", {"initial": "xavier"}, "128"), written("sgd", {})
    ('mlp:128,initial=xavier', 'sgd')
    """
    said = ",".join(filter(None, (argument, written_pairs(options))))
    return f"{name}:{said}" if said else name


def written_pairs(options: Mapping[str, Any], separator: str = ",") -> str:
    """``key=value`` of each option.

    >>> written_pairs({"at": (0.5, 0.75), "nesterov": True}, ", ")
    'at=0.5/0.75, nesterov=true'
    """
    return separator.join(f"{key}={_said(value)}" for key, value in options.items())


def _said(value: Any) -> str:
    if isinstance(value, tuple):
        return "/".join(map(repr, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


# readers of values


def integer(low: float = -inf, high: float = inf, example: object = "") -> Reader:
    """The reader of whole numbers from low to high.

    >>> integer(1, 9)("007", "k")
    7
    """
    return lambda text, name: _bounded(text, name, int, (low, high), example)


def number(
    low: float = -inf,
    high: float = inf,
    example: object = "",
    *,
    above: bool = False,
    below: bool = False,
) -> Reader:
    """The reader of finite numbers from low to high; ``above`` low and ``below`` high, if so.

    >>> number(0, 1, below=True)(".30", "rate")
    0.3
    """
    return lambda text, name: _bounded(text, name, float, (low, high), example, above, below)


def _bounded(
    text: str,
    name: str,
    kind: type[int] | type[float],
    bounds: tuple[float, float],
    example: object,
    above: bool = False,
    below: bool = False,
) -> Any:
    low, high = bounds
    plain = PLAIN[kind].fullmatch(text) and not (low >= 0 and text[0] == "-")
    value = kind(text) if plain else nan
    inside = (low < value if above else low <= value) and (value < high if below else value <= high)
    if inside and isfinite(value):
        return value
    least = "" if low == -inf else f" above {low:,}" if above else f" from {low:,}"
    most = "" if high == inf else f" below {high:,}" if below else f" {high:,}"
    join = " on" * (bool(least) and not above) if not most else " and" if above else " to"
    such = f", such as {example}" if example != "" else ""
    what = "a whole number" if kind is int else "a number"
    raise ValueError(f"{name} is {shortened(text)}; give {what}{least}{join}{most}{such}.")


def figure(text: str, name: str) -> int | float:
    """The reader of numbers that are whole where they are written so."""
    value = number(example=0.4)(text, name)
    return int(text) if text.isdecimal() else value


def word(*known: str) -> Reader:
    """The reader of one of these words."""

    def take(text: str, name: str) -> str:
        found = same(known, text)
        if found is None:
            raise UnknownName(
                f"{name} is {shortened(text)}{nearest(text, known)} Choose from: "
                f"{', '.join(known)}."
            )
        return found

    return take


def switch(text: str, name: str) -> bool:
    """The reader of ``true`` and ``false``, or of 1 and 0."""
    if text.lower() not in _SWITCHES:
        raise ValueError(f"{name} is {shortened(text)}; give true or false.")
    return _SWITCHES[text.lower()]


_SWITCHES = {"true": True, "false": False, "1": True, "0": False}


# pieces


def _halves(part: TextPart, sign: str) -> tuple[TextPart, TextPart | None]:
    at = part.text.find(sign)
    end = part.start + len(part.text)
    if at < 0:
        return _within(part, part.start, end), None
    return _within(part, part.start, part.start + at), _within(part, part.start + at + 1, end)


def _split(part: TextPart, signs: re.Pattern[str]) -> list[TextPart]:
    found = [0]
    for sign in signs.finditer(part.text):
        found += [sign.start(), sign.end()]
    found.append(len(part.text))
    ends = [part.start + at for at in found]
    return [_within(part, *two) for two in zip(ends[::2], ends[1::2], strict=True)]


def _within(part: TextPart, start: int, end: int) -> TextPart:
    return _part(part.text, start - part.start, end - part.start, part.start)


def _part(text: str, start: int, end: int, offset: int = 0) -> TextPart:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    return TextPart(piece.strip(), offset + start + left)
