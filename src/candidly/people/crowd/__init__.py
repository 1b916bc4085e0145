"""What several annotators say: one label per item, and how good it and they are.

``Answers`` holds who said what; ``opinion_pool``, ``majority``, ``dawid_skene`` and ``crowdlab``
make a ``Consensus`` of it, from which ``annotators`` tells who answers well and ``next_items`` what
to ask about next. ``shared_errors`` tells whether annotators err together.
``set_curve`` and ``some_answers`` are about answers that are sets of labels.

>>> said = Answers.from_columns(
...     [0, 0, 0, 1, 1, 1], ["ann", "bob", "eve"] * 2, ["cat", "cat", "dog", "dog", "dog", "cat"]
... )
>>> [said.classes[k] for k in consensus(said).labels]
['cat', 'dog']
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ...data.labels.votes import some_answers
from ...ground.arrays import door
from ...ground.names import lookup, made_by
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ._against_people import AgainstPeople, against_people
from ._alpha import Alpha, krippendorff, warn_of_steps
from ._annotators import annotators, next_items, priorities
from ._answers import Answers
from ._consensus import Consensus
from ._crowdlab import Crowdlab, best_temperature, crowdlab
from ._dawid_skene import DawidSkene, dawid_skene
from ._drift import drift
from ._majority import RULES, Majority, majority
from ._more_answers import FITTED, MoreAnswers, check_reach, more_answers
from ._read import answers_of, known_in, read_answers
from ._weighted_rows import WeightedRows, weighted_rows
from .aggregators import Ordinal, glad, ibcc, kos, mace, ordinal, wawa, zero_based_skill
from .answer_sets import SetConsensus, SetCurve, set_consensus, set_curve, union_spread
from .dependence import (
    AnnotatorPairs,
    Calibration,
    Chance,
    Claim,
    OpinionPool,
    SharedErrors,
    opinion_pool,
    shared_errors,
)
from .dependence._pool import fits, pool_of
from .files import CrowdRead, put_into, read_crowd
from .settled import Settled, settle

By = Literal[
    "opinion-pool",
    "majority",
    "dawid-skene",
    "one-coin",
    "crowdlab",
    "wawa",
    "zero-based-skill",
    "mace",
    "glad",
    "ibcc",
    "kos",
    "ordinal",
]

# (answers, probs, seed, watch) -> consensus
METHODS: dict[str, Callable[..., Consensus]] = {
    "opinion-pool": lambda answers, probs, seed, watch, workers=1, known=None: opinion_pool(
        answers, probs, known, seed, watch, workers
    ),
    "majority": lambda answers, probs, seed, watch: majority(answers, probs, seed),
    "dawid-skene": lambda answers, probs, seed, watch, workers=1: dawid_skene(
        answers, probs=probs, watch=watch, workers=workers
    ),
    "one-coin": lambda answers, probs, seed, watch, workers=1: dawid_skene(
        answers, one_coin=True, probs=probs, watch=watch, workers=workers
    ),
    "crowdlab": lambda answers, probs, seed, watch: crowdlab(answers, probs, seed=seed),
    "wawa": lambda answers, probs, seed, watch: wawa(answers),
    "zero-based-skill": lambda answers, probs, seed, watch: zero_based_skill(answers),
    "mace": lambda answers, probs, seed, watch: mace(answers),
    "glad": lambda answers, probs, seed, watch: glad(answers),
    "ibcc": lambda answers, probs, seed, watch: ibcc(answers),
    "kos": lambda answers, probs, seed, watch: kos(answers),
    "ordinal": lambda answers, probs, seed, watch: ordinal(answers),
}
BY_KNOWN = ("opinion-pool",)  # whose claim known items set right
WITHOUT_MODEL = ("wawa", "zero-based-skill", "mace", "glad", "ibcc", "kos", "ordinal")


@door
def consensus(
    answers: Answers,
    by: By = "opinion-pool",
    probs: Any = None,
    seed: int = 0,
    watch: OnProgress | None = None,
    workers: int = 1,
    known: np.ndarray | None = None,
) -> Consensus:
    """One label per item, by the name of the way, with its usual settings.

    Args:
        answers: the answers of people.
        by: a name in ``METHODS``.
        probs: (n, m), a model's out-of-sample probabilities, or None.
        seed: the seed of drawn ties.
        watch: called with rounds done and in all, where there are rounds.
        workers: threads; their number changes no bit of the result.
        known: int (n,), the class of items where it is known, else -1: the opinion pool's claim is
            set right by them. No other way uses it.

    Raises:
        ValueError: see the functions; or ``probs`` for a way that takes none.
        KeyError: no way of that name; the message suggests the nearest.
    """
    name, method = lookup(METHODS, by, "way to a consensus")
    if probs is not None and name in WITHOUT_MODEL:
        raise Refusal(
            f"{name} is made of answers alone and takes no model's probabilities.",
            "leave out `probs`",
            "take `by='opinion-pool'`",
        )
    more: dict[str, Any] = {"workers": workers} if name in FITTED else {}
    if name in BY_KNOWN:
        more["known"] = known
    made: Any = method(answers, probs, seed, watch, **more)
    if not isinstance(made, Consensus) or made.labels.shape != (answers.n,):
        size = made.labels.shape if isinstance(made, Consensus) else type(made).__name__
        raise ValueError(
            f"the aggregator {name} gave {size}; it has to give a Consensus of {answers.n} labels."
        )
    if name != "ordinal":
        warn_of_steps(answers)
    return made


@door
def pool_beside(
    consensus: Consensus,
    probs: Any = None,
    known: np.ndarray | None = None,
    seed: int = 0,
    watch: OnProgress | None = None,
    workers: int = 1,
) -> OpinionPool | None:
    """The opinion pool of a consensus's answers, which says how far to trust it: itself, if it is
    one; None where there are too many annotators, items and classes for one, and of steps of a
    scale, which it would take for names and be too sure of.

    Args:
        consensus: what ``consensus`` gives.
        probs, known, seed, watch, workers: as for ``opinion_pool``.

    Raises:
        ValueError: see ``opinion_pool``.
    """
    made_by(consensus, Consensus, "consensus", "crowd.consensus")
    if isinstance(consensus, OpinionPool):
        return consensus
    if isinstance(consensus, Ordinal) or not fits(consensus.answers):
        return None
    return pool_of(consensus.answers, probs, known, seed, watch, workers)


__all__ = [
    "METHODS",
    "RULES",
    "WITHOUT_MODEL",
    "AgainstPeople",
    "Alpha",
    "AnnotatorPairs",
    "Answers",
    "Calibration",
    "Chance",
    "Claim",
    "Consensus",
    "CrowdRead",
    "Crowdlab",
    "DawidSkene",
    "Majority",
    "MoreAnswers",
    "OpinionPool",
    "Ordinal",
    "SetConsensus",
    "SetCurve",
    "Settled",
    "SharedErrors",
    "WeightedRows",
    "against_people",
    "annotators",
    "answers_of",
    "best_temperature",
    "check_reach",
    "consensus",
    "crowdlab",
    "dawid_skene",
    "drift",
    "glad",
    "ibcc",
    "known_in",
    "kos",
    "krippendorff",
    "mace",
    "majority",
    "more_answers",
    "next_items",
    "opinion_pool",
    "ordinal",
    "pool_beside",
    "priorities",
    "put_into",
    "read_answers",
    "read_crowd",
    "set_consensus",
    "set_curve",
    "settle",
    "shared_errors",
    "some_answers",
    "union_spread",
    "wawa",
    "weighted_rows",
    "zero_based_skill",
]
