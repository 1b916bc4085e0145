"""Options that several commands have: written once, and given to each command as one value."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Any, TypeVar

from ._words import running

Command = TypeVar("Command", bound=Callable[..., Any])


def typed(*names: str) -> list[str]:
    """Options of the command that runs as they were typed, to go into the command after it.

    Args:
        names: the names of their parameters; those that were not typed are left out.
    """
    context = running()
    words: list[str] = []
    for one in context.command.params if context else ():
        source = context.get_parameter_source(one.name)
        if one.name in names and source is not None and source.name == "COMMANDLINE":
            words += _words(one.opts[0], context.params[one.name])
    return words


def _words(option: str, value: Any) -> list[str]:
    if value is True:
        return [option]
    several = value if isinstance(value, list | tuple) else [value]
    return [word for one in several for word in (option, str(one))]


def shared(
    name: str, options: Mapping[str, tuple[Any, Any]], made: Callable[..., Any]
) -> Callable[[Command], Command]:
    """Puts options in the place of one parameter of a command.

    Args:
        name: the name of the parameter, which the command takes as ``made`` returns it.
        options: a type with its ``typer.Option``, and a default, by the option's parameter.
        made: takes the values of all these options by name.
    """

    def dressed(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True).parameters
        given = [
            Parameter(one, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind)
            for one, (kind, default) in options.items()
        ]
        parts = [part for key, one in own.items() for part in (given if key == name else [one])]

        @functools.wraps(command)
        def run(**values: Any) -> Any:
            said = {one: values.pop(one) for one in options}
            return command(**values, **{name: made(**said)})

        run.__signature__ = inspect.Signature(parts)  # type: ignore[attr-defined]
        run.__annotations__ = {one.name: one.annotation for one in parts}
        return run  # type: ignore[return-value]

    return dressed
