"""The ways from answers to one label an item, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from ...ground.arrays import door
from ...ground.names import lookup, made_by
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ._alpha import warn_of_steps
from ._answers import Answers
from ._compared import warn_of_single
from ._consensus import Consensus
from ._crowdlab import crowdlab
from ._dawid_skene import dawid_skene
from ._majority import majority
from ._more_answers import FITTED
from .aggregators import Ordinal, glad, ibcc, kos, mace, ordinal, wawa, zero_based_skill
from .dependence import OpinionPool, opinion_pool
from .dependence._pool import fits, pool_of

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
    if probs is None:
        warn_of_single(answers.per_item)
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
