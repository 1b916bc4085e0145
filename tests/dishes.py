"""Made-up dishes with tags that their descriptions tell, of which some are missing or too much."""

from __future__ import annotations

import random

import numpy as np
import polars as pl

WORDS = {
    "baked": ("oven", "crust", "dough", "roasted", "gratin"),
    "fish": ("salmon", "tuna", "cod", "anchovy", "trout"),
    "soup": ("broth", "ladle", "bowl", "simmered", "stock"),
    "spicy": ("chili", "harissa", "jalapeno", "sriracha", "cayenne"),
    "sweet": ("sugar", "honey", "chocolate", "caramel", "vanilla"),
    "vegan": ("tofu", "lentils", "chickpeas", "seitan", "beans"),
}
TAGS = tuple(WORDS)
OTHER = (
    *("with", "fresh", "served", "warm", "on", "a", "bed", "of", "the", "house", "style"),
    *("daily", "lunch", "dinner", "plate", "large"),
)


def dishes(n: int, wrong: int, seed: int = 0) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Descriptions, the tags that are given and those that are right, bool (n, 6)."""
    draw = random.Random(seed)
    texts = []
    right = np.array([[draw.random() < 0.3 for _ in TAGS] for _ in range(n)])
    for row in right:
        words = draw.sample(OTHER, 5)
        for tag in np.flatnonzero(row):
            words += draw.sample(WORDS[TAGS[tag]], 2)
        draw.shuffle(words)
        texts.append(" ".join(words))
    given = right.copy()
    for row in draw.sample(range(n), wrong):
        given[row, draw.randrange(len(TAGS))] ^= True
    return texts, given, right


def cells(tags: np.ndarray, separator: str = "|") -> list[str]:
    """A text a row."""
    return [separator.join(np.array(TAGS)[row]) for row in tags]


def told(text: str) -> list[str]:
    """The tags that a description tells."""
    return [tag for tag, words in WORDS.items() if {*words} & {*text.split()}]


def table(texts: list[str], tags: np.ndarray, separator: str = "|") -> pl.DataFrame:
    """A data frame of dishes."""
    names = [f"dish {k}" for k in range(len(texts))]
    return pl.DataFrame({"dish": names, "text": texts, "tags": cells(tags, separator)})
