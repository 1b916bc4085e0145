"""What went wrong, in the words of the command that runs: by its own options, and in candidly's."""

from __future__ import annotations

import shlex
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..ground.problem import (
    Words,
    in_words,
    is_own,
    of_another,
    problem_of,
    raised_at,
    said_of,
    users_place,
    value_of,
)

CALLED = {  # what one calls in Python: a parameter of the command, if it has that, or a command
    "imperfect.apply": ("labels", "'flip:rate=0.3'", "candidly labels make"),
    "inputs.fit_encoding": ("numbers", "True", "candidly data convert FILE OUT.npz --numbers"),
}
FAULT = (
    "That is a fault of candidly, or of what it was given, which it should have refused; --debug, "
    "anywhere on the line, shows where."
)
SHOWN = "--debug, anywhere on the line, shows what led there."
_running: list[Any] = []  # contexts of the command line, the command's own last


def running(context: Any = None) -> Any:
    """The context of the command that runs, or the new one."""
    if context is not None:
        _running[:] = [context]
    return _running[-1] if _running else None


def debugged() -> bool:
    """Whether somebody wrote ``--debug``."""
    context = running()
    return context is not None and bool(context.find_root().params.get("debug"))


def print_traceback(error: BaseException) -> None:
    """All of it on stderr, what was replaced by better words too."""
    each: BaseException | None = error
    while each is not None:
        each.__suppress_context__ = False
        each = each.__cause__ or each.__context__
    traceback.print_exception(error)


def forget() -> None:
    """Nothing runs."""
    _running.clear()


def words_of(command: Any, given: Any = None) -> Words:
    """How a command says a parameter: the option that has the parameter's name.

    Args:
        given: says of a parameter whether it counts; all do by default.
    """
    options = {one.name: one for one in command.params if one.param_type_name == "option"}

    def say(name: str, value: str | None) -> str | None:
        if name in CALLED:
            parameter, value, instead = CALLED[name]
            return say(parameter, value) or instead
        option = options.get(name)
        if option is None or (given is not None and not given(name)):
            return None
        passed = True if value is None else value_of(value)
        if passed is True:
            return str(option.opts[0])
        if isinstance(passed, dict):
            passed = [f"{key}={one}" for key, one in passed.items()]
        if isinstance(passed, list | tuple):
            passed = ",".join(map(str, passed))
        return f"{option.opts[0]} {shlex.quote(str(passed))}"

    return say


def said(text: str) -> str:
    """A text for people, such as a note, in the words of the command that runs."""
    context = running()
    return text if context is None else in_words(text, words_of(context.command))


def sentence(error: Exception) -> str:
    """What to tell of an error: candidly's own words, or whose fault it is."""
    if users_place(error):
        return f"{said_of(error)}. {SHOWN}"
    if isinstance(error, OSError) and error.strerror:
        return f"{error.strerror}: {error.filename}" if error.filename else error.strerror
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return (
            "there is not enough memory for that. Take fewer rows at a time, or a larger machine."
        )
    if not is_own(error):
        place = raised_at(error)
        at = f" at line {place.lineno} of {Path(place.filename).name}" if place else ""
        return f"something went wrong that has no name ({type(error).__name__}{at}). {FAULT}"
    context, problem = running(), problem_of(error)
    if context is None:
        return problem.told()

    def given(name: str) -> bool:
        source = context.get_parameter_source(name)
        return source is not None and source.name == "COMMANDLINE"

    return problem.told(words_of(context.command, given), words_of(context.command))


def warned_by_another() -> bool:
    """Whether a warning that is being shown is of another library."""
    frame: Any = sys._getframe(1)
    while frame.f_globals.get("__name__") != "warnings":
        frame = frame.f_back
    while frame.f_globals.get("__name__") == "warnings":
        frame = frame.f_back
    return of_another(frame.f_code.co_filename)


@contextmanager
def held() -> Iterator[list[str]]:
    """Warnings of candidly in the block, which are told behind it."""
    from ..data.ingest import ReadAs

    texts: list[str] = []
    kinds: list[type[Warning]] = []

    def hold(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        if not warned_by_another():
            texts.append(said(str(message)))
            kinds.append(category)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = hold
            yield texts
    except Exception:
        for text, kind in zip(texts, kinds):
            if issubclass(kind, ReadAs):  # what a file was taken for may be the mistake
                warnings.warn(text, kind, stacklevel=3)
        raise
    for text, kind in zip(texts, kinds):
        warnings.warn(text, kind, stacklevel=3)
