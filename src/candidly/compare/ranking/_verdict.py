"""The first sentence of a ranking, and what it leaves open."""

from __future__ import annotations

from collections.abc import Sequence

from ...show.words import listed
from ._report import PlacedModel

NAMED = 4  # models that a sentence names


def verdict(
    models: Sequence[PlacedModel],
    secure: int,
    together: Sequence[tuple[int, int]],
    what: str,
) -> tuple[str, str]:
    """What tests say of the order, in a sentence; and the places that they leave open, or ''.

    Args:
        models: in order of rank. secure: first places that are settled.
        together: runs of places (first, last) that are open.
        what: the items, such as "5,700 items".
    """
    count = f"{len(models)} models on {what}"
    if secure == len(models):
        return f"The whole order of {count} is more than chance.", ""
    runs = [f"{first} to {last}" for first, last in together]
    everything = [(1, len(models))] == list(together)
    left = f"Within places {listed(runs)} tests leave the order open." * (not everything)
    if secure:
        best = models[0].model
        told = (
            f"{best} is first of {count}, ahead of every other by more than chance."
            if secure == 1
            else f"The first {secure} places of {count} are more than chance: "
            f"{listed(one.model for one in models[:secure][:NAMED])}"
            f"{' and so on' * (secure > NAMED)}, in this order."
        )
        return told, left
    may = [one.model for one in models if one.possible[0] == 1]
    if len(may) == len(models):
        return f"Tests cannot say which of {count} is best: any of them may be.", left
    named = listed(may) if len(may) <= NAMED else f"{len(may)} models"
    return f"Tests cannot say which of {count} is best: {named} may be first.", left
