"""Votes of released sets, a file or a folder of them, with what is known of each set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._released import read_released
from ._verdicts import judge
from .checked_sets import CheckedSet, checked_set
from .label_errors import CARDS, study
from .tally import SetTally, Tally

ENDING = "_mturk.json"  # of a released file, behind the name of the set
FOLDERS = ("mturk", "label_errors/mturk")  # where a copy of the released files has them


@dataclass(frozen=True, eq=False)
class VotesRead:
    """The votes of one file; ``card`` is what is known of a released set, or None."""

    name: str
    path: Path
    votes: Tally | SetTally
    card: Any

    def checked(self) -> CheckedSet:
        verdicts, card = judge(self.votes), self.card
        if card is None:
            return checked_set(verdicts, self.name)
        flagged = max(card.flagged, len(verdicts))
        return checked_set(
            verdicts,
            card.name,
            title=card.title,
            size=card.size,
            flagged=flagged,
            number=card.classes,
            facts=tuple(_facts(card)),
        )


def _facts(card: Any) -> Iterator[str]:
    """Sentences from what is known of a released set."""
    yield f"How the labels came about: {card.labelling}."
    yield f"The probabilities that flagged examples are of {card.model}."
    if card.notes:
        yield f"{card.notes[0].upper()}{card.notes[1:]}"


def read_votes(path: Path) -> Iterator[VotesRead]:
    """Every file of votes at a path, a file or a folder."""
    if not path.is_dir():
        name = path.name.removesuffix(ENDING).removesuffix(".json")
        yield VotesRead(name, path, read_released(path), CARDS.get(name))
        return
    root = next((path / sub for sub in FOLDERS if (path / sub).is_dir()), path)
    files = sorted(root.glob("*.json"))
    if not files:
        raise ValueError(f"{path} holds no .json file of votes, nor does a folder mturk in it.")
    order = list(CARDS)  # that of the publication, then what else there is
    files.sort(key=lambda file: _place(order, file.name.removesuffix(ENDING)))
    for file in files:
        name = file.name.removesuffix(ENDING)
        if root != path and name in CARDS:  # beside its index, labels and predictions
            yield VotesRead(name, file, study(name, root.parent).votes, CARDS[name])
        else:
            yield from read_votes(file)


def _place(order: Sequence[str], name: str) -> int:
    return order.index(name) if name in order else len(order)
