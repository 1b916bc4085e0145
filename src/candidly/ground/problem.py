"""Refusals are values: what is wrong, where, and what a person can do about it.

They are written in Python's words. A parameter stands between backticks, alone or with a value:
`` `classes` ``, `` `overwrite=True` ``; so does what is to be called, `` `imperfect.apply` ``.
Whatever else talks to people says the same in words of its own (the command line: its options), and
leaves out ways that it does not have. So nothing but ``cli`` knows how an option is called.
"""

from __future__ import annotations

import ast
import re
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from traceback import FrameSummary, extract_tb
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=Exception)
PARAMETER = re.compile(r"`([A-Za-z_][\w.]*)(?:=([^`]*))?`")
OWN = Path(__file__).parent.parent
OTHERS = [Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")]
ADVICE = re.compile(f"(?<=[wW]ith ){PARAMETER.pattern}")
Words = Callable[[str, str | None], str | None]  # of a name and what is passed; None: it has none


@dataclass(frozen=True)
class Problem:
    """What is wrong, and what to do.

    Attributes:
        what: a sentence, with the value and its place. A parameter behind "with" is advice, too.
        remedy: ways out of it, each without a capital and a full stop; any one of them helps.
        where: a file, or whatever else is named in front; '' where ``what`` says it.
    """

    what: str
    remedy: tuple[str, ...] = ()
    where: str = ""

    def told(self, words: Words | None = None, ways: Words | None = None) -> str:
        """One text.

        Args:
            words: how somebody says a parameter and its value; without, Python's words.
            ways: the same for remedies, of which those with a parameter without words are left out.
        """
        remedy = [way for way in self.remedy if ways is None or _has_all(way, ways)]
        if ways is not None:
            remedy = [in_words(way, ways) for way in remedy]
        remedy[:1] = [way[:1].upper() + way[1:] for way in remedy[:1]]
        what = self.what if ways is None else ADVICE.sub(_by(ways), self.what)
        what = what if words is None else in_words(what, words)
        what = f"{self.where}: {what}" if self.where else what
        return f"{what} {', or '.join(remedy)}." if remedy else what

    def within(self, place: str) -> Problem:
        """The same, said of a place that knew nothing of it."""
        return replace(self, where=f"{place}: {self.where}" if self.where else place)


def in_words(text: str, words: Words) -> str:
    """A text in somebody's words, as far as there are some."""
    return PARAMETER.sub(_by(words), text)


def _by(words: Words) -> Callable[[re.Match[str]], str]:
    return lambda found: words(found[1], found[2]) or found[0]


def _has_all(way: str, words: Words) -> bool:
    return all(words(found[1], found[2]) for found in PARAMETER.finditer(way))


def passed(name: str, value: Any) -> str:
    """A parameter and what to pass, for a remedy.

    >>> passed("drop", "shoe size")
    "`drop='shoe size'`"
    """
    return f"`{name}={value!r}`" if "`" not in repr(value) else f"`{name}`"


def value_of(said: str) -> Any:
    """What ``passed`` was given, or the text where it is no value of Python's."""
    try:
        return ast.literal_eval(said)
    except (SyntaxError, ValueError):
        return said


class Refusal(ValueError):
    """A value that cannot be used; the text is in Python's words.

    Args:
        what, remedy: see ``Problem``.
    """

    def __init__(self, what: str | Problem, *remedy: str) -> None:
        self.problem = what if isinstance(what, Problem) else Problem(what, remedy)
        super().__init__(self.problem.told())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.problem,)


def refused(kind: type[Kind], what: str, *remedy: str) -> Kind:
    """The same of another kind, such as ``FileNotFoundError``."""
    problem = Problem(what, remedy)
    error = kind(problem.told())
    error.problem = problem  # type: ignore[attr-defined]
    return error


def problem_of(error: Exception) -> Problem:
    """The problem of whatever was raised; without remedies where it is no refusal."""
    found = getattr(error, "problem", None)
    return found if isinstance(found, Problem) else Problem(str(error))


def is_own(error: BaseException) -> bool:
    """Whether somebody wrote its sentence for people: candidly or a plug-in, by name.

    That is so where it was raised by a statement of theirs, and not by another library or by an
    operator that failed.
    """
    place = raised_at(error)
    if place is None:
        return True
    if isinstance(error, NameError):  # of the statement itself
        return False
    line = place.line or ("raise" if Path(place.filename).is_relative_to(OWN) else "")
    return not of_another(place.filename) and line.startswith("raise")


def raised_at(error: BaseException) -> FrameSummary | None:
    """Where it was raised, in another process too; None where it was not."""
    places = _places(error)
    return places[-1] if places else None


def _places(error: BaseException) -> list[FrameSummary]:
    """From where it was caught to where it was raised."""
    there = str(error.__cause__) if type(error.__cause__).__name__ == "_RemoteTraceback" else ""
    if found := re.findall(r'^\s*File "(.*)", line (\d+), in (.*)\n\s*(.*)', there, re.MULTILINE):
        return [FrameSummary(file, int(n), name, line=line) for file, n, name, line in found]
    return list(extract_tb(error.__traceback__))


def users_place(error: BaseException) -> str:
    """Where in a file of somebody's own it went wrong, for the end of a sentence; '' for nowhere.

    That is the last place that is neither candidly's nor another library's: a plug-in's, or that
    of a network of one's own.
    """
    for place in reversed(_places(error)):
        own = Path(place.filename).is_relative_to(OWN)
        if place.filename.endswith(".py") and not own and not of_another(place.filename):
            return f"line {place.lineno} of {place.filename}, in {place.name}"
    return ""


def said_of(error: BaseException) -> str:
    """Its kind, the first line of what it says, where in somebody's file, and how that was called.

    >>> said_of(KeyError("x"))
    "KeyError: 'x'"
    """
    lines = str(error).strip().splitlines()
    text = f"{type(error).__name__}: {lines[0].rstrip('.')}" if lines else type(error).__name__
    place = users_place(error)
    return f"{text}, at {', '.join([place, *getattr(error, '__notes__', ())])}" if place else text


def of_another(file: str) -> bool:
    """Whether a file of code is another library's."""
    path = Path(file)
    if path.is_relative_to(OWN):
        return False
    installed = {"site-packages", "dist-packages"} & set(path.parts)
    return bool(installed) or any(path.is_relative_to(one) for one in OTHERS)


def why(error: BaseException, form: str = " ({})") -> str:
    """Why, for the end of a sentence, where the error has words for people; '' otherwise.

    >>> why(OSError(28, "No space left on device")), why(KeyError("x"), ": {}")
    (' (No space left on device)', ": it lacks 'x'")
    """
    if isinstance(error, OSError) and error.strerror:
        return form.format(error.strerror)
    if type(error) is KeyError:
        return form.format(f"it lacks {error.args[0]!r}")
    return form.format(str(error).rstrip(".")) if is_own(error) else ""


def within(where: str, error: Exception, **called: str) -> Refusal:
    """The same refusal, said of a place that knew nothing of it.

    Args:
        called: parameters that have other names there.
    """
    problem = problem_of(error).within(where)
    return Refusal(replace(problem, what=in_words(problem.what, lambda name, _: called.get(name))))
