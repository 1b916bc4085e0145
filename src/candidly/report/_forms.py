"""Tables in text and Markdown, and values that JSON can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def rich_table() -> Any:
    """An empty table without a frame."""
    from rich import box
    from rich.table import Table as RichTable

    return RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)


def markdown_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], justify: str = "left"
) -> str:
    """Rows of texts as a Markdown table; columns after the first are justified as told."""
    rule = ["---", *["--:" if justify == "right" else "---"] * (len(header) - 1)]
    lines = [[markdown_safe(text) for text in header], rule]
    lines += [[markdown_safe(text) for text in row] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def markdown_safe(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    for character in "\\`*_[]<>|":
        text = text.replace(character, "\\" + character)
    return " ".join(text.split())


def finite(value: Any) -> Any:
    """JSON has no NaN; it becomes null."""
    if isinstance(value, Mapping):
        return {str(name): finite(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in value]
    return None if isinstance(value, float) and value != value else value
