"""Lists of classes as text names them."""

from __future__ import annotations

import re


def read_classes(text: str) -> tuple[int, ...]:
    """Class numbers, ascending; none for ''.

    Raises:
        ValueError: text of another form, or a class twice.

    >>> read_classes("7/0-2")
    (0, 1, 2, 7)
    """
    found: list[int] = []
    for part in text.split("/") if text else ():
        ends = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", part.strip())
        if not ends or int(ends[2] or ends[1]) < int(ends[1]):
            raise ValueError(f"classes={text!r}; write numbers and ranges, as in classes=0-4/7.")
        found += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    if len(set(found)) < len(found):
        raise ValueError(f"classes={text!r} names a class twice.")
    return tuple(sorted(found))
