"""What is given is something: no option and no argument takes an empty text or a pipe."""

from __future__ import annotations

from typing import Any

import typer

from ..ground.files import check_kind


def filled(parameter: Any) -> None:
    """Have a parameter of a command refuse what nobody can mean."""
    process = parameter.process_value

    def checked(context: Any, value: Any) -> Any:
        for one in value if isinstance(value, list | tuple) else (value,):
            if isinstance(one, str) and one != parameter.default:
                _check(one, context, parameter)
        return process(context, value)

    parameter.process_value = checked


def _check(text: str, context: Any, parameter: Any) -> None:
    try:
        if not text:
            raise ValueError("it is empty. Give a value, or leave it out.")
        check_kind(text)
    except ValueError as error:
        raise typer.BadParameter(str(error), ctx=context, param=parameter) from None
