"""JSON and TOML that people give, read and refused in candidly's words; and JSON written."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

from .problem import Refusal

CUT = "if it was cut off, export it again"


def from_json(text: str | bytes, **how: Any) -> Any:
    """What a text of JSON says; ``how`` as ``json.loads`` takes it.

    Raises:
        ValueError: no JSON; the message names line and column, and no file.

    >>> from_json("[1]")
    [1]
    """
    return _read("JSON", lambda: json.loads(text, **how))


def from_toml(text: bytes) -> dict[str, Any]:
    """What a text of TOML says.

    Raises:
        ValueError: no TOML; the message names line and column, and no file.
    """
    found: dict[str, Any] = _read("TOML", lambda: tomllib.loads(text.decode()))
    return found


def _read(kind: str, read: Callable[[], Any]) -> Any:
    try:
        return read()
    except json.JSONDecodeError as error:
        place = f"in line {error.lineno}, column {error.colno}"
        raise Refusal(f"it is no JSON: {error.msg} {place}.", CUT) from None
    except tomllib.TOMLDecodeError as error:
        raise Refusal(f"it is no TOML: {str(error).rstrip('.')}.") from None
    except UnicodeDecodeError:
        raise Refusal(f"it is no {kind}: its text is not UTF-8.") from None
    except RecursionError:
        raise Refusal(f"its {kind} is nested too deeply.") from None
    except ValueError:  # int() of more digits than Python takes
        raise Refusal(f"its {kind} has a number of thousands of digits.") from None


def to_json(value: Any, indent: int | None = 1, **how: Any) -> str:
    """The text of a value; JSON has no NaN and no infinity, which become null.

    >>> to_json([0.5, float("nan"), float("inf")], None)
    '[0.5, null, null]'
    """
    return json.dumps(finite(value), indent=indent, allow_nan=False, **how)


def finite(value: Any) -> Any:
    """The same with None for each number that is not finite."""
    if isinstance(value, Mapping):
        return {str(name): finite(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
