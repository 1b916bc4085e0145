"""Leaves that twelve people named, three answers each; an expert checked some of them.

Nothing in it is about a real leaf or a real person. ``truth`` says which kind each leaf is,
``RIGHT`` how often each person is right, and for whom that is not the whole story.
"""

from __future__ import annotations

import random

from ._text import csv_text

N = 300
EACH = 3  # answers about a leaf
CHECKED = 60  # leaves that the expert looked at, drawn at random
KINDS = ("ash", "beech", "hornbeam", "oak")
LOOK_ALIKES = ("beech", "hornbeam")  # a hornbeam's leaf is often taken for a beech's
TAKEN = 0.3  # how often, by people who otherwise know better
RIGHT = {
    "Ada": 0.92,
    "Bo": 0.90,
    "Cleo": 0.90,
    "Dina": 0.88,
    "Emil": 0.88,
    "Finn": 0.86,
    "Gino": 0.86,
    "Hanna": 0.84,
    "Ivo": 0.82,
    "Juno": 0.90,
    "Kim": 0.90,
    "Lou": 0.25,
}
GUESSES = "Lou"  # says any kind
SWAPS = "Kim"  # says ash for oak, and oak for ash
NEW = "Juno"  # came last and answered little
SHARE = {NEW: 0.12}  # of a person's usual number of answers
LENGTH = {"ash": (62, 9), "beech": (78, 10), "hornbeam": (84, 11), "oak": (101, 14)}  # mm
WIDTH = {"ash": (23, 4), "beech": (51, 7), "hornbeam": (46, 6), "oak": (58, 9)}
VEINS = {"ash": (9, 1.5), "beech": (7, 1.1), "hornbeam": (11.5, 1.6), "oak": (5.5, 1.2)}
EDGE = {"ash": "toothed", "beech": "wavy", "hornbeam": "double toothed", "oak": "lobed"}
COLUMNS = ("id", "length_mm", "width_mm", "veins", "edge")


def truth() -> list[str]:
    """The kind of each leaf, which no file has but for the ones that the expert checked."""
    draw = random.Random(11)
    return [draw.choice(KINDS) for _ in range(N)]


def names() -> list[str]:
    """What the leaves are called in all files."""
    return [f"L{number:03}" for number in range(1, N + 1)]


def answers() -> list[tuple[str, str, str]]:
    """Who said what about which leaf, in order of the leaves."""
    draw = random.Random(12)
    found = []
    for name, kind in zip(names(), truth(), strict=True):
        keys = {who: draw.random() ** (1 / SHARE.get(who, 1)) for who in RIGHT}
        for who in sorted(sorted(keys, key=keys.__getitem__)[-EACH:]):
            found.append((name, who, _said(who, kind, draw)))
    return found


def _said(who: str, kind: str, draw: random.Random) -> str:
    if who == GUESSES:
        return draw.choice(KINDS)
    if kind == LOOK_ALIKES[1] and draw.random() < TAKEN:
        said = LOOK_ALIKES[0]
    elif draw.random() < RIGHT[who]:
        said = kind
    else:
        said = draw.choice([other for other in KINDS if other != kind])
    return {"ash": "oak", "oak": "ash"}.get(said, said) if who == SWAPS else said


def leaves() -> list[tuple[str, ...]]:
    """What was measured on each leaf, with gaps and with edges that were misjudged."""
    draw = random.Random(13)
    found = []
    for name, kind in zip(names(), truth(), strict=True):
        sizes = [f"{draw.gauss(*of[kind]):.1f}" for of in (LENGTH, WIDTH)]
        cells = [*sizes, f"{draw.gauss(*VEINS[kind]):.0f}"]
        edge = EDGE[kind] if draw.random() < 0.75 else draw.choice(list(EDGE.values()))
        found.append((name, *(("" if draw.random() < 0.04 else cell) for cell in cells), edge))
    return found


def checked() -> list[tuple[str, str]]:
    """The leaves that the expert looked at, and what they are."""
    kinds = truth()
    rows = sorted(random.Random(14).sample(range(N), CHECKED))
    return [(names()[row], kinds[row]) for row in rows]


def files() -> dict[str, bytes]:
    """``answers.csv``, a row per answer; ``leaves.csv``, a row per leaf; ``expert.csv``."""
    return {
        "answers.csv": csv_text(("item", "annotator", "label"), answers()),
        "leaves.csv": csv_text(COLUMNS, leaves()),
        "expert.csv": csv_text(("item", "label"), checked()),
    }
