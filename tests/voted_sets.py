"""Made-up files of votes in the layouts of the released ones, and what is true of them."""

from __future__ import annotations

import json
from pathlib import Path

HOSTILE = "<script>alert('x')</script>&\"'"
ANIMALS = ("cat", "dog", HOSTILE, "caterpillar")


def numbered(id, given, guessed, votes, names=ANIMALS):
    """A row as of pictures: class numbers and names, answers by word."""
    return {
        "id": id,
        "url": "x",
        "given_original_label": given,
        "given_original_label_name": names[given],
        "our_guessed_label": guessed,
        "our_guessed_label_name": names[guessed],
        "mturk": dict(zip(("given", "guessed", "neither", "both"), votes)),
    }


def named(id, given, guessed, votes):
    """A row as of reviews: names of classes, and two answers more."""
    return {
        "id": id,
        "url": "x",
        "given_original_label": given,
        "our_guessed_label": guessed,
        "mturk": dict(zip(("given", "guessed", "neutral", "off-topic"), votes)),
    }


def of_sounds(id, given, guessed, votes):
    """A row as of sounds: sets of classes, and who heard which."""
    return {
        "id": id,
        "url": "x",
        "given_original_labels": given,
        "our_guessed_labels": guessed,
        "mturk": votes,
    }


# votes of an item: given, guessed, neither, both
PETS = [
    numbered(0, 0, 1, (5, 0, 0, 0)),  # non-error, all alike
    numbered(2, 0, 1, (1, 4, 0, 0)),  # correctable, all but one
    numbered(3, 1, 0, (1, 0, 1, 3)),  # multi-label, all but two
    numbered(5, 2, 3, (0, 1, 4, 0)),  # neither
    numbered(7, 3, 0, (2, 2, 1, 0)),  # non-agreement
    *(numbered(8 + k, k % 4, (k + 1) % 4, (4, 1, 0, 0)) for k in range(200)),
]
FILMS = [
    named("test/neg/1 a", "Negative", "Positive", (1, 1, 3, 0)),  # non-agreement, 3 alike
    named("test/neg/2%20b", "Negative", "Positive", (0, 3, 1, 1)),  # correctable
    named(f"test/pos/{HOSTILE}#?", "Positive", "Negative", (3, 2, 0, 0)),  # non-error
]
SOUNDS = [
    of_sounds(4, ["Zither", "Bird"], ["Wind"], {"Zither": 5, "Bird": 4, "Wind": 1}),  # non-error
    of_sounds(9, ["Zither"], ["Wind", "Bird"], {"Zither": 0, "Bird": 4, "Wind": 2}),  # different
]
FILES = {"pets": PETS, "films": FILMS, "sounds": SOUNDS}


def write_votes(folder: Path) -> dict[str, Path]:
    """The three files, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {name: folder / f"{name}_mturk.json" for name in FILES}
    for name, rows in FILES.items():
        paths[name].write_text(json.dumps(rows))
    return paths
