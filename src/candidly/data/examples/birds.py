"""Birds seen from afar: of each, the species that could not be ruled out. Some were checked.

Nothing in it is about a real bird. ``birds`` says which species each one is.
"""

from __future__ import annotations

import random

from ._text import csv_text

N, NEW = 500, 60
SPECIES = ("chaffinch", "dunnock", "robin", "sparrow", "wren")
LEFT_IN, RULED_OUT = 0.25, 0.04  # how often a wrong species is a candidate, and the true one none
CHECKED = range(4, N, 8)  # rows that an expert identified
LACKING = 12  # of the first N, those whose species is no candidate
GRAMS = {
    "chaffinch": (24.0, 2.4),
    "dunnock": (20.5, 2.0),
    "robin": (18.0, 2.0),
    "sparrow": (28.0, 2.8),
    "wren": (10.5, 1.6),
}
WING = {
    "chaffinch": (86.0, 4.0),
    "dunnock": (70.0, 3.5),
    "robin": (73.0, 3.5),
    "sparrow": (78.0, 4.0),
    "wren": (51.0, 4.0),
}
BACK = {
    "chaffinch": ("brown", "grey", "reddish"),
    "dunnock": ("grey", "brown", "streaked"),
    "robin": ("olive", "brown", "olive"),
    "sparrow": ("streaked", "brown", "streaked"),
    "wren": ("reddish", "brown", "barred"),
}
PLACES = {
    "chaffinch": ("wood", "garden", "field"),
    "dunnock": ("hedge", "garden", "hedge"),
    "robin": ("garden", "wood", "hedge"),
    "sparrow": ("street", "garden", "field"),
    "wren": ("hedge", "wood", "wood"),
}
COLUMNS = ("id", "weight_g", "wing_mm", "back", "place", "hour")


def birds() -> list[tuple[str, tuple[str, ...], tuple[str, ...]]]:
    """Species, features and candidates of all birds; the same each time."""
    draw = random.Random(11)
    found: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
    for row in range(N + NEW):
        kind = draw.choice(SPECIES)
        features = (
            f"B{row + 1:03}",
            "" if draw.random() < 0.06 else f"{draw.gauss(*GRAMS[kind]):.1f}",
            "" if draw.random() < 0.10 else f"{draw.gauss(*WING[kind]):.0f}",
            draw.choice(BACK[kind]) if draw.random() < 0.95 else "",
            draw.choice(PLACES[kind]),
            str(draw.randint(6, 20)),
        )
        named = [
            name
            for name in SPECIES
            if (draw.random() < LEFT_IN if name != kind else draw.random() >= RULED_OUT)
        ]
        found.append((kind, features, tuple(named or [kind])))
    return found


def files() -> dict[str, bytes]:
    """``birds.csv``, 500 rows, and ``new-birds.csv``, 60 that nobody named."""
    every = birds()
    rows = [
        (*features, "|".join(named), kind if row in CHECKED else "")
        for row, (kind, features, named) in enumerate(every[:N])
    ]
    return {
        "birds.csv": csv_text((*COLUMNS, "candidates", "checked"), rows),
        "new-birds.csv": csv_text(COLUMNS, [features for _, features, _ in every[N:]]),
    }
