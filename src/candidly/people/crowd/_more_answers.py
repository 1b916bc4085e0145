"""How many labels are right, and how many more answers it takes until enough are: by drawing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...ground.arrays import door
from ...ground.names import made_by
from ...ground.numbers import whole
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ...ground.seeds import draw
from ._answers import Answers
from ._compared import hardly_compared
from ._dawid_skene import DawidSkene
from ._probs import drawn_classes
from .dependence import OpinionPool

FITTED = ("opinion-pool", "dawid-skene", "one-coin")
DRAWS = 100
SAMPLE = 20_000  # items; of more, these stand for all
STEPS = 100  # rounds in which every item could be asked about once
MOST = 30  # more answers an item, beyond which a share is not reached
FIRST, EVERY = 100, 2  # rounds before the first draw, and from one to the next
STRENGTH = 10.0  # answers that what all annotators do is worth in each one's rates
LEVEL = 0.95
TINY = np.finfo(np.float64).tiny  # in place of what is impossible


@dataclass(frozen=True)
class MoreAnswers:
    """How many labels are right, and how many more answers make a share of them right.

    Attributes:
        share: of items whose consensus is right, which is wanted.
        now: the share that is right, in the mean of the draws. now_low, now_high: 95 % of them.
        items: how many there are.
        answers: that reach it in the middle draw; None where half of the draws do not reach it.
        low, high: of 95 % of the draws; None where these do not reach it.
        draws: how many there were.
        premise: what all this takes for granted, in a sentence.
    """

    share: float
    now: float
    now_low: float
    now_high: float
    items: int
    answers: int | None
    low: int | None
    high: int | None
    draws: int
    premise: str

    def __str__(self) -> str:
        wanted = f"{100 * self.share:g} %"
        ends = f"{100 * self.now_low:.1f} to {100 * self.now_high:.1f}"
        told = f"{100 * self.now:.1f} % of {self.items:,} labels are right ({ends})"
        most = f"more than {MOST * self.items:,}"
        if self.answers is None:
            return f"{told}; {MOST:,} more answers an item do not reach {wanted}. {self.premise}"
        low, high = (most if end is None else f"{end:,}" for end in (self.low, self.high))
        if self.answers == 0:
            more = f", or {high} more answers do" * bool(self.high or self.high is None)
            return f"{told}, which reaches {wanted}{more}. {self.premise}"
        return (
            f"{told}; {self.answers:,} more answers ({low} to {high}), each about the item that is "
            f"least certain, reach {wanted}. {self.premise}"
        )


INDEPENDENT = (
    "This takes it that annotators err independently of one another and go on to err as they did; "
    "where they err together, fewer labels are right and it takes more answers."
)
DEPENDENT = (
    "This takes it that annotators go on to err as they did, and further answers repeat earlier "
    "ones as often as errors are shared now; errors that nearly all share cannot be seen."
)


def check_reach(by: str, model: bool) -> None:
    """Refuse a way to a consensus of which ``more_answers`` can say nothing.

    Args:
        by: its name. model: whether a model's probabilities have a part in it.

    Raises:
        ValueError: it fits no error rates, or they have.
    """
    if by not in FITTED:
        raise Refusal(
            f"{by} fits no error rates of annotators, from which further answers could be drawn.",
            "take `by='opinion-pool'`, or `by='one-coin'` for few answers each",
        )
    if model:
        raise Refusal(
            "how many more answers are needed is told of answers alone.", "leave out `probs`"
        )


@door
def more_answers(
    consensus: DawidSkene | OpinionPool,
    share: float,
    *,
    draws: int = DRAWS,
    seed: int = 0,
    watch: OnProgress | None = None,
) -> MoreAnswers:
    """How many more answers it takes until so many labels are right, on the model that was fitted.

    A draw takes true classes and error rates of annotators from what the answers leave open
    (Gibbs sampling; what all annotators do is worth ten answers in each one's rates). Then answers
    are drawn by these rates, from annotators as often as they answered so far, each about the items
    of the lowest ``priorities``, whose posterior changes by Bayes' rule, until so many labels are
    the true ones. In half of the draws, by turns, it begins with the posterior by the rates that
    were drawn, and knows these; in the others with posterior and rates of ``consensus``, and keeps
    the rates. A consensus that learns lies between the two.

    Of an opinion pool whose answers depend, true classes are drawn from a mixture of its three
    pools in random shares, further answers repeat earlier ones as often as errors are correlated,
    and count as little as the pool's temperature has it.

    Args:
        consensus: by ``opinion-pool``, ``dawid-skene`` or ``one-coin``, which have such a model,
            and without a model's probabilities.
        share: of right labels that is wanted, in (0, 1).
        draws: how many.
        seed: of the draws.
        watch: called with draws done and in all.

    Raises:
        ValueError: no such consensus or share, or hardly an item with two answers.
    """
    made_by(consensus, (DawidSkene, OpinionPool), "consensus", "crowd.dawid_skene")
    check_reach(FITTED[0], consensus.model_weight > 0)
    if told := hardly_compared(consensus.answers.per_item):
        raise Refusal(
            f"how many more answers are needed cannot be told: {told}.",
            "ask others about some of the items first",
        )
    if not 0 < share < 1:
        raise ValueError(f"`share` is {share!r}; it lies between 0 and 1, such as 0.97.")
    draws = whole(draws, "draws", low=1)
    rng = draw(seed, "more answers")
    world = _world(consensus, rng)
    now, needed = np.empty(draws), np.empty(draws)
    drawn = _draws if world.pools is None else _draws_of_pools
    for k, (truth, rates, likely) in enumerate(drawn(world, draws, rng)):
        now[k] = (world.posterior.argmax(1) == truth).mean()
        judge = (likely, rates) if k % 2 else (world.posterior, world.rates)
        needed[k] = _asked(world, truth, rates, *judge, share, rng)
        if watch is not None:
            watch(k + 1, draws)
    n = consensus.answers.n
    tail = (1 - LEVEL) / 2
    scaled = needed * n / len(world.posterior)
    middle, low, high = (_number(scaled, q) for q in (0.5, tail, 1 - tail))
    least, most = np.quantile(now, [tail, 1 - tail]).tolist()
    premise = INDEPENDENT if world.pools is None else DEPENDENT
    return MoreAnswers(share, float(now.mean()), least, most, n, middle, low, high, draws, premise)


@dataclass(frozen=True, eq=False)
class _World:
    """Some items, the answers about them, and what a consensus made of these.

    Attributes:
        item, annotator, label: (answers,), items from 0 in order.
        posterior: float64 (n, m). rates: float64 (J, m, m). often: float64 (J,), sums to 1.
        one_coin: whether an annotator has one accuracy.
        pools: float64 (3, n, m), of an opinion pool of answers that depend; None else.
        repeats: how often a further answer repeats an earlier one.
        sharpness: the power that what a further answer says is raised to.
    """

    item: np.ndarray
    annotator: np.ndarray
    label: np.ndarray
    posterior: np.ndarray
    rates: np.ndarray
    often: np.ndarray
    one_coin: bool
    pools: np.ndarray | None = None
    repeats: float = 0.0
    sharpness: float = 1.0


def _world(consensus: DawidSkene | OpinionPool, rng: Any) -> _World:
    answers: Answers = consensus.answers
    rows = np.arange(answers.n)
    if answers.n > SAMPLE:
        rows = np.sort(rng.choice(answers.n, SAMPLE, replace=False))
    place = np.full(answers.n, -1)
    place[rows] = np.arange(len(rows))
    kept = place[answers.item] >= 0
    pools, repeats, sharpness, one_coin = None, 0.0, 1.0, False
    if isinstance(consensus, OpinionPool):
        rates = _rates_by(consensus.posterior, answers)
        if not consensus.independent:
            pools = np.stack([consensus.product, consensus.single, consensus.votes])[:, rows]
            repeats, sharpness = consensus.correlation, 1 / consensus.temperature
    elif consensus.confusion is None:
        rates, one_coin = _coins(consensus.annotator_quality, answers.m), True
    else:
        rates = consensus.confusion
    return _World(
        place[answers.item[kept]],
        answers.annotator[kept].astype(np.int64),
        answers.label[kept],
        consensus.posterior[rows],
        np.maximum(rates, TINY),
        answers.per_annotator / len(answers),
        one_coin,
        pools,
        repeats,
        sharpness,
    )


def _rates_by(posterior: np.ndarray, answers: Answers) -> np.ndarray:
    """Error rates (J, m, m), true class before label, where items have this posterior."""
    everyone, m = len(answers.annotators), answers.m
    counts = np.empty((everyone, m, m))
    cell = answers.annotator.astype(np.int64) * m + answers.label
    for k in range(m):
        said = np.bincount(cell, posterior[answers.item, k], everyone * m)
        counts[:, k] = said.reshape(everyone, m)
    pooled = counts.sum(0) + 1 / m
    counts += STRENGTH * pooled / pooled.sum(1, keepdims=True)
    rates: np.ndarray = counts / counts.sum(2, keepdims=True)
    return rates


def _draws_of_pools(
    world: _World, draws: int, rng: Any
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """The same as ``_draws``, from mixtures of the pools in random shares."""
    assert world.pools is not None
    for _ in range(draws):
        mixed = np.tensordot(rng.dirichlet(np.ones(len(world.pools))), world.pools, 1)
        truth = drawn_classes(mixed, rng)
        yield truth, _rates_of(world, truth, rng), world.posterior


def _draws(
    world: _World, draws: int, rng: Any
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """True classes (n,), error rates (J, m, m) and the posterior by these rates (n, m), from what
    the answers leave open."""
    n, m = world.posterior.shape
    first = np.flatnonzero(np.diff(world.item, prepend=-1))
    truth = drawn_classes(world.posterior, rng)
    for round in range(FIRST + EVERY * draws):
        rates = _rates_of(world, truth, rng)
        shares = rng.dirichlet(np.bincount(truth, minlength=m) + 1.0)
        logs = np.tile(np.log(np.maximum(shares, TINY)), (n, 1))
        logs[world.item[first]] += np.add.reduceat(
            np.log(rates)[world.annotator, :, world.label], first, axis=0
        )
        likely = np.exp(logs - logs.max(1, keepdims=True))
        likely /= likely.sum(1, keepdims=True)
        truth = drawn_classes(likely, rng)
        if round >= FIRST and (round - FIRST) % EVERY == 0:
            yield truth, rates, likely


def _rates_of(world: _World, truth: np.ndarray, rng: Any) -> np.ndarray:
    """Error rates drawn from what is open where the true classes are these."""
    there, (everyone, m) = truth[world.item], world.rates.shape[:2]
    if world.one_coin:  # two outcomes: wrong, right
        cell, shape = world.annotator * 2 + (there == world.label), (everyone, 1, 2)
    else:
        cell, shape = (world.annotator * m + there) * m + world.label, (everyone, m, m)
    counts = np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)
    pooled = counts.sum(0) + 1 / shape[-1]
    pooled /= pooled.sum(1, keepdims=True)
    drawn = rng.standard_gamma(counts + STRENGTH * pooled)
    found = drawn / np.maximum(drawn.sum(2, keepdims=True), TINY)
    return np.maximum(_coins(found[:, 0, 1], m) if world.one_coin else found, TINY)


def _asked(
    world: _World,
    truth: np.ndarray,
    rates: np.ndarray,
    posterior: np.ndarray,
    knows: np.ndarray,
    share: float,
    rng: Any,
) -> float:
    """How many answers it takes; inf where it does not end.

    Args:
        rates: by which annotators answer. posterior: what is known at first.
        knows: rates by which answers are judged.
    """
    posterior = posterior.copy()
    n, m = posterior.shape
    number = np.bincount(world.item, minlength=n)
    starts, behind = np.cumsum(number) - number, number.astype(np.float64)
    step, asked = max(1, n // STEPS), 0
    right = posterior.argmax(1) == truth
    while right.mean() < share:
        if asked >= MOST * n:
            return np.inf
        priority = (posterior.max(1) * behind + 1 / m) / (behind + 1)
        about = np.argpartition(priority, step - 1)[:step]
        who = rng.choice(len(world.often), step, p=world.often)
        said = drawn_classes(rates[who, truth[about]], rng)
        if world.repeats:
            again = (rng.random(step) < world.repeats) & (number[about] > 0)
            place = (starts[about] + rng.random(step) * number[about]).astype(np.int64)
            said[again] = world.label[place[again]]
        after = posterior[about] * knows[who, :, said] ** world.sharpness
        posterior[about] = after / np.maximum(after.sum(1, keepdims=True), TINY)
        right[about] = posterior[about].argmax(1) == truth[about]
        behind[about] += 1
        asked += step
    return asked


def _coins(accuracy: np.ndarray, m: int) -> np.ndarray:
    """One accuracy each as error rates: float64 (J, m, m)."""
    wrong = ((1 - accuracy) / (m - 1))[:, None, None]
    return np.where(np.eye(m, dtype=bool), accuracy[:, None, None], wrong)


def _number(found: np.ndarray, q: float) -> int | None:
    """A quantile of the draws; None where it is not finite."""
    value = np.quantile(found, q, method="higher")
    return int(np.ceil(value)) if np.isfinite(value) else None
