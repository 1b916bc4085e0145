"""Animals of a shelter, of which some are entered as another kind.

Nothing in it is about a real animal. ``WRONG`` says which rows have a wrong label.
"""

from __future__ import annotations

import random

from ._text import csv_text

N = 400
WRONG = {row: 1 + row % 2 for row in range(9, N, 21)}  # row -> how many kinds further
UNLABELLED = range(60, N, 97)
KINDS = ("cat", "dog", "rabbit")
WEIGHT = {"cat": (4.3, 0.8), "dog": (17.0, 7.0), "rabbit": (2.2, 0.5)}  # kilograms
FEE = {"cat": (70, 90), "dog": (140, 180, 220), "rabbit": (30, 40)}
COLOURS = {
    "cat": ("tabby", "tortoiseshell", "black", "white", "ginger"),
    "dog": ("black", "brown", "brindle", "white", "golden"),
    "rabbit": ("grey", "white", "brown", "black", "chinchilla"),
}
REMARKS = {
    "cat": ("purrs when stroked", "uses the scratching post", "was found on a roof", "hunts mice"),
    "dog": ("walks well on a lead", "barks at night", "fetches balls", "knows sit and stay"),
    "rabbit": ("needs a run outside", "eats hay and herbs", "digs holes", "lives with another"),
}
ANY = ("shy", "likes children", "calm", "")
PLACES = ("Harbour", "North", "Old town", "Mill Lane", "Station")
NAMES = "Ada Bo Cleo Dina Emil Fips Gino Hanna Ivo Juno Kira Lumi Momo Nala Otto Pip Rosa Zoe"
COLUMNS = ("id", "name", "weight_kg", "colour", "arrived", "found_in", "fee", "remark", "kind")


def animals() -> list[tuple[str, tuple[str, ...]]]:
    """The true kind of each animal, and its row without a label; the same each time."""
    draw = random.Random(7)
    found: list[tuple[str, tuple[str, ...]]] = []
    for row in range(N):
        kind = draw.choice(KINDS)
        mean, spread = WEIGHT[kind]
        weight = max(0.6, draw.gauss(mean, spread))
        cells = (
            f"A{row + 1:04}",
            draw.choice(NAMES.split()),
            "" if draw.random() < 0.05 else f"{weight:.1f}",
            draw.choice(COLOURS[kind]),
            f"20{draw.randint(23, 25)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}",
            draw.choice(PLACES),
            str(draw.choice(FEE[kind])) if draw.random() < 0.95 else "",
            draw.choice(REMARKS[kind] if draw.random() < 0.85 else ANY),
        )
        found.append((kind, cells))
    return found


def truth() -> list[str]:
    """The true kind of each row, also of those without a label."""
    return [kind for kind, _ in animals()]


def rows() -> list[tuple[str, ...]]:
    """The table, with the label as it was entered."""
    found: list[tuple[str, ...]] = []
    for row, (kind, cells) in enumerate(animals()):
        entered = KINDS[(KINDS.index(kind) + WRONG.get(row, 0)) % 3]
        found.append((*cells, "" if row in UNLABELLED else entered))
    return found


def files() -> dict[str, bytes]:
    """``pets.csv``, 400 rows; the labels are in its column ``kind``."""
    return {"pets.csv": csv_text(COLUMNS, rows())}
