"""Instructions of three crafts, of which some have a wrong label.

Nobody wrote them. ``WRONG`` says which rows have a wrong label.
"""

from __future__ import annotations

import random

from ._text import csv_text

N = 300
WRONG = {row: 1 + row % 2 for row in range(7, N, 14)}  # row -> how many crafts further
CRAFTS = ("baking", "cycling", "gardening")
DO = {
    "baking": ("knead", "bake", "fold", "sift", "let rise", "dust"),
    "cycling": ("oil", "tighten", "inflate", "adjust", "replace", "clean"),
    "gardening": ("water", "prune", "plant", "weed", "mulch", "clean"),
}
WHAT = {
    "baking": ("dough", "loaf", "flour", "crust", "yeast"),
    "cycling": ("chain", "brakes", "tyre", "pedals", "saddle"),
    "gardening": ("roses", "beds", "seedlings", "hedge", "soil"),
}
HOW = ("slowly", "twice", "before you go on", "with care", "for ten minutes", "again")


def rows() -> list[tuple[str, str]]:
    """The table, with the label as it was entered; the same each time."""
    draw = random.Random(5)
    found = []
    for row in range(N):
        craft = draw.choice(CRAFTS)
        text = f"{draw.choice(DO[craft])} the {draw.choice(WHAT[craft])} {draw.choice(HOW)}"
        entered = CRAFTS[(CRAFTS.index(craft) + WRONG.get(row, 0)) % 3]
        found.append((f"{text}.", entered))
    return found


def files() -> dict[str, bytes]:
    """``steps.csv``, 300 rows; the texts are in ``text``, the labels in ``label``."""
    return {"steps.csv": csv_text(("text", "label"), rows())}
