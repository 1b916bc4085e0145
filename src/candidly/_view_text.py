"""What views of pictures are called, by a page or in a recipe.

Loads no torch, so that what a person writes is checked at the door.
"""

from __future__ import annotations

from ._names import UnknownName, nearest, shortened

VIEWS = ("plain", "weak", "strong", "distill", "strong-plench", "autoaugment")


def read_view(text: str, name: str) -> str:
    """The view of pictures that a text names.

    Args:
        name: what an error calls the text.

    Raises:
        UnknownName: there is none; suggests the nearest and lists the rest.
    """
    if text not in VIEWS:
        raise UnknownName(
            f"{name} is {shortened(text)}{nearest(text, VIEWS)} Choose from: {', '.join(VIEWS)}."
        )
    return text
