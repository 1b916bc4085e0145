"""What several annotators say: one label per item, and how good it and they are.

``Answers`` holds who said what; ``majority``, ``dawid_skene`` and ``crowdlab`` make a ``Consensus``
of it, from which ``annotators`` tells who answers well and ``next_items`` what to ask about next.
``set_curve`` and ``some_answers`` are about answers that are sets of labels.

>>> said = Answers.from_columns(
...     [0, 0, 0, 1, 1, 1], ["ann", "bob", "eve"] * 2, ["cat", "cat", "dog", "dog", "dog", "cat"]
... )
>>> [said.classes[k] for k in consensus(said, by="dawid-skene").labels]
['cat', 'dog']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from ...data.labels.votes import some_answers
from ...ground.arrays import door
from ...ground.names import lookup
from ._annotators import annotators, next_items, priorities
from ._answers import Answers
from ._consensus import Consensus
from ._crowdlab import Crowdlab, best_temperature, crowdlab
from ._dawid_skene import DawidSkene, dawid_skene
from ._majority import RULES, Majority, majority
from ._more_answers import FITTED, MoreAnswers, check_reach, more_answers
from ._read import answers_of, known_in, read_answers
from ._sets import SetCurve, set_curve, union_spread
from .files import CrowdRead, put_into, read_crowd

By = Literal["majority", "dawid-skene", "one-coin", "crowdlab"]
Watch = Callable[[int, int], None] | None

# (answers, probs, seed, watch) -> consensus
METHODS: dict[str, Callable[..., Consensus]] = {
    "majority": lambda answers, probs, seed, watch: majority(answers, probs, seed),
    "dawid-skene": lambda answers, probs, seed, watch, workers=1: dawid_skene(
        answers, probs=probs, watch=watch, workers=workers
    ),
    "one-coin": lambda answers, probs, seed, watch, workers=1: dawid_skene(
        answers, one_coin=True, probs=probs, watch=watch, workers=workers
    ),
    "crowdlab": lambda answers, probs, seed, watch: crowdlab(answers, probs, seed=seed),
}


@door
def consensus(
    answers: Answers,
    by: By = "dawid-skene",
    probs: Any = None,
    seed: int = 0,
    watch: Watch = None,
    workers: int = 1,
) -> Consensus:
    """One label per item, by the name of the way, with its usual settings.

    Args:
        answers: the answers of people.
        by: a name in ``METHODS``.
        probs: (n, m), a model's out-of-sample probabilities, or None.
        seed: the seed of drawn ties.
        watch: called with rounds done and in all, where there are rounds.
        workers: threads of Dawid-Skene; their number changes no bit of the result.

    Raises:
        ValueError: see the functions.
        KeyError: no way of that name; the message suggests the nearest.
    """
    name, method = lookup(METHODS, by, "way to a consensus")
    more = {"workers": workers} if name in FITTED else {}
    made: Any = method(answers, probs, seed, watch, **more)
    if not isinstance(made, Consensus) or made.labels.shape != (answers.n,):
        size = made.labels.shape if isinstance(made, Consensus) else type(made).__name__
        raise ValueError(
            f"the aggregator {name} gave {size}; it has to give a Consensus of {answers.n} labels."
        )
    return made


__all__ = [
    "METHODS",
    "RULES",
    "Answers",
    "Consensus",
    "CrowdRead",
    "Crowdlab",
    "DawidSkene",
    "Majority",
    "MoreAnswers",
    "SetCurve",
    "annotators",
    "answers_of",
    "best_temperature",
    "check_reach",
    "consensus",
    "crowdlab",
    "dawid_skene",
    "known_in",
    "majority",
    "more_answers",
    "next_items",
    "priorities",
    "put_into",
    "read_answers",
    "read_crowd",
    "set_curve",
    "some_answers",
    "union_spread",
]
