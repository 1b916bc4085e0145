"""The contract between a method and the training loop."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...ground.checks import check_size
from ...ground.problem import Refusal
from ..nets import Net
from ._protocol import OneTrial, Trials
from ._rates import Rate
from ._space import COMMON, Number, Setting
from ._views import View

# what a variant replaces in every method: the released program's networks are never set to evaluate
# while it trains (D-PROT-3)
SHARED: Mapping[str, Mapping[str, Any]] = {"plench": {"statistics": "always"}}
Sampler = str | Callable[[Trials], Tensor]
Tables = Callable[[OneTrial], Mapping[str, Tensor]]
MakeNet = Callable[[Net, int, Mapping[str, Number]], Net]


@dataclass(frozen=True)
class Own:
    """How a network, or a part of one, is moved where not as its stage says.

    Attributes:
        optimiser: ``adam``, ``adamw`` or ``sgd``; None: as its stage says.
        lr, weight_decay: names of the hyper-parameters; without a name, no weight decay.
    """

    optimiser: str | None = None
    lr: str = "lr"
    weight_decay: str = ""


@dataclass(frozen=True)
class Row:
    """A row table that is learned: SGD on the rows of the batch, and on theirs alone.

    A method's ``b.NAME`` is then a leaf of the objective's graph. Rows outside the batch stay,
    their momentum too. A row that is in a batch more than once moves once, by the sum of its
    gradients.

    Attributes:
        make: (trial) -> the initial table (1, n, ...).
        lr: name of the hyper-parameter that is its learning rate.
        momentum: as in ``torch.optim.SGD``.
        low, high: what values are clipped to.
    """

    make: Callable[[Any], Tensor]
    lr: str
    momentum: float = 0.0
    low: float = -math.inf
    high: float = math.inf


@dataclass(frozen=True)
class Slots:
    """An update of some slots of a memory, in place of a whole one.

    Attributes:
        at: int64 (M,), which slots, each once; the same of every trial.
        values: (K, M, ...), what they become.
    """

    at: Tensor
    values: Tensor


Updates = Mapping[str, Tensor | Slots]


@dataclass(frozen=True)
class Stage:
    """What happens at an update, for a part of the training.

    A method returns what changes, by name; only the loop writes. In ``step`` and ``after`` a row
    table's update holds the new rows of the first batch, (K, B, ...); everywhere else, and for
    memory, an update is the whole tensor, or of memory some ``Slots`` of it. A network's name
    stands for its flat parameters.

    Attributes:
        step: (stack, *batches) -> objective, one number per trial (K,) or per network (K, M), or
            (objective, updates).
        after: (stack, *batches) -> updates, behind the optimiser and without gradient.
        whole: (stack) -> updates, behind ``after``, without gradient; ``{}`` when nothing is due.
            ``stack.t`` counts the update just done.
        begin: (stack) -> updates, before the stage's first update, without gradient.
        until: (stack) -> the number of updates done at which the stage ends; None: the end.
        trains: what the optimiser moves, networks or parts of them (``net``, ``net.head``); None:
            all networks.
        optimiser: ``adam``, ``adamw`` or ``sgd``; None: as the trial's recipe says. It starts
            afresh where it differs from the stage before, and for a network of which another part
            is trained.
        afresh: it starts afresh in any case.
        own: how some of what is trained is moved otherwise, by name as in ``trains``.
        rate: (stack) -> what learning rates are multiplied by at this update, a number or one per
            trial; None: as the recipe's schedule says, or 1 where the stage has an optimiser of its
            own. ``_rates`` has the usual schedules.
        samplers: where the step's batches come from, one each. ``uniform``: every row once per
            epoch, in random order. A function of the stack, (K, n) bool: these rows, shuffled and
            taken in turn; (K, n) float: drawn in proportion, with replacement; (K, E * B) int: an
            epoch's rows in their order; any with a network axis, (K, M, n): a batch for each
            network. It is asked at the start of an epoch and of the stage. A trial for which it
            names no row draws from all.
    """

    step: Callable[..., Any]
    after: Callable[..., Updates] | None = None
    whole: Callable[[Trials], Updates] | None = None
    begin: Callable[[Trials], Updates] | None = None
    until: Callable[[Trials], int] | None = None
    trains: tuple[str, ...] | None = None
    optimiser: str | None = None
    afresh: bool = False
    own: Mapping[str, Own] = field(default_factory=dict)
    rate: Rate | None = None
    samplers: tuple[Sampler, ...] = ("uniform",)


@dataclass(frozen=True)
class Algorithm:
    """A way to learn, as a value.

    ``rows``, ``learned``, ``memory`` and ``constants`` are functions of one trial: its labels by
    name, (1, n, ...), ``n``, ``q``, ``dtype``, ``hp`` with plain numbers and ``rng(name)``.

    Attributes:
        name: the field's name for it.
        stages: what happens at an update; they follow one another.
        paper: whose idea it is and where it was published.
        kind: the family it belongs to.
        summary: one sentence for ``candidly algorithms list``.
        reads: the labels a batch may be asked for: ``candidates``, ``given``, ``votes``, or
            ``truth``. An algorithm that reads the truth is an oracle: it bounds what the others
            can reach.
        rows: (trial) -> initial row tables by name, (1, n, ...).
        learned: row tables that are moved by gradient, by name.
        memory: (trial) -> initial values of what else changes, (1, ...) by name.
        constants: (trial) -> what a trial's training labels fix once and for all, (1, ...) by
            name; ``stack.constants[name]`` holds it for all trials, (K, ...).
        networks: networks of the same shape that are trained side by side. With M of them logits
            are (K, M, B, q) and hyper-parameters (K, 1, 1); the first one predicts. Each is
            trained in full, so that an epoch costs M.
        averages: predictions are the mean of all networks' logits instead.
        head: (net, classes, hyper) -> the network with another head than its own (``with_head``
            in ``nets``), which is what is trained; None: the network as it is. ``hyper`` has the
            values of hyper-parameters, of which the static ones may decide shapes.
        modules: by name, (net, classes, hyper) -> a network beside ``net``, as many of it as
            ``networks``.
        parameters: by name, (classes) -> an array that is moved by gradient beside the networks;
            ``stack.parameters[name]`` holds it for all trials, (K, ...).
        per_annotator: by name, (annotators, classes) -> an array of the same kind, of an algorithm
            that reads ``votes``: (annotators, ...).
        statistics: the forward passes of an update in which running statistics of batch norm move:
            those with ``gradient``, or ``always``.
        predicts: which network predicts, ``net`` or one of ``modules``, such as an average.
        views: of the inputs, by the names that ``batch.view`` is asked for: ``weak``, ``strong``,
            ``distill``; ``plain`` needs no word.
        suspicion: (stack, k) -> how likely it is that the label of each of trial ``k``'s training
            rows is wrong, (n,), higher is likelier; None: the loss of its label.
        told: hyper-parameters whose best value only the truth tells, such as the noise rate: who
            sets them to it uses an oracle.
        space: hyper-parameters beyond learning rate, weight decay and batch size.
        shortened: values of hyper-parameters at which a training of a few epochs still reaches
            every stage and every branch of the method; what tests train with.
        variant: ``fixed``, or the name of the variant this is.
        variants: fields to replace, by variant. ``plench`` is the benchmark's released program;
            without an entry it is the same as ``fixed``.
        version: raised by one when a change moves this algorithm's numbers; a variant may have
            its own.
        seeded_as: by version, the name that a benchmark's training seeds are made of since then,
            where it is not this algorithm's own, such as another program's spelling.
        differences: what each of ``variants`` computes differently, a sentence by variant.
    """

    name: str
    stages: tuple[Stage, ...]
    paper: str = ""
    kind: str = ""
    summary: str = ""
    reads: tuple[str, ...] = ("candidates",)
    rows: Tables | None = None
    learned: Mapping[str, Row] = field(default_factory=dict)
    memory: Tables | None = None
    constants: Tables | None = None
    networks: int = 1
    averages: bool = False
    head: MakeNet | None = None
    modules: Mapping[str, MakeNet] = field(default_factory=dict)
    parameters: Mapping[str, Callable[[int], np.ndarray]] = field(default_factory=dict)
    per_annotator: Mapping[str, Callable[[int, int], np.ndarray]] = field(default_factory=dict)
    statistics: str = "gradient"
    predicts: str = "net"
    views: Mapping[str, View] = field(default_factory=dict)
    suspicion: Callable[[Trials, int], Tensor] | None = None
    told: tuple[str, ...] = ()
    space: Mapping[str, Setting] = field(default_factory=dict)
    shortened: Mapping[str, Number] = field(default_factory=dict)
    variant: str = "fixed"
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    version: int = 1
    seeded_as: Mapping[int, str] = field(default_factory=dict)
    differences: Mapping[str, str] = field(default_factory=dict)

    @property
    def oracle(self) -> bool:
        """Whether it is given the truth."""
        return "truth" in self.reads

    @property
    def label(self) -> str:
        """The name as a person writes it: ``CAVL``, or ``CAVL:plench``."""
        return self.name if self.variant == "fixed" else f"{self.name}:{self.variant}"

    def as_variant(self, variant: str) -> Algorithm:
        """This algorithm by another variant's rules; the same where they do not differ."""
        fields = {**SHARED.get(variant, {}), **self.variants.get(variant, {})}
        return replace(self, variant=variant, **fields)

    def seed_name(self, version: int) -> str:
        """What a benchmark makes training seeds of, at this version.

        >>> Algorithm("A-B", (), seeded_as={2: "A_B"}).seed_name(1)
        'A-B'
        """
        since = [number for number in self.seeded_as if number <= version]
        return self.seeded_as[max(since)] if since else self.name

    @property
    def cost(self) -> int:
        """How often an epoch trains on a row, at most: networks times batches of an update."""
        return self.networks * max(len(stage.samplers) for stage in self.stages)

    def networks_on(self, net: Net, classes: int, hyper: Mapping[str, Number]) -> dict[str, Net]:
        """What is trained where ``net`` is asked for, as ``net``, and the networks beside it."""
        trained = self.head(net, classes, hyper) if self.head else net
        return {"net": trained} | {
            name: make(net, classes, hyper) for name, make in self.modules.items()
        }

    def parameters_on(self, labels: Mapping[str, Tensor], classes: int) -> dict[str, np.ndarray]:
        """What is trained beside the networks, as it starts, where these labels are learned from.

        Args:
            labels: of all examples, by name.

        Raises:
            ValueError: it learns something of each annotator, and each gave one answer, or what it
                learns does not fit in memory.
        """
        made = {name: make(classes) for name, make in self.parameters.items()}
        if self.per_annotator:
            who = labels["votes"][..., 0]
            answers = torch.bincount(who[who >= 0].cpu())
            annotators = len(answers)
            if len(who) > 1 and int(answers.max()) == 1:
                raise Refusal(
                    f"{self.name} learns what each annotator confuses, and each of the"
                    f" {annotators:,} annotators gave one answer.",
                    "take the algorithm soft-ce, which believes everybody alike",
                )
            check_size(f"{self.name}'s matrices of annotators", (annotators, classes, classes), 8)
            made |= {name: make(annotators, classes) for name, make in self.per_annotator.items()}
        return made

    def settings(self, common: Mapping[str, Setting] = COMMON) -> dict[str, Setting]:
        """Every hyper-parameter, the common ones first.

        Args:
            common: ``_space.common`` has them by optimiser and kind of input; by default those of
                Adam on tables.
        """
        return {**common, **self.space}


SPELLED = "Training seeds are made of the benchmark's spelling, {} (D-SEED-1)."


def spelled(name: str) -> dict[str, Any]:
    """Fields of a ``plench`` whose training seeds are made of the benchmark's spelling (D-SEED-1).

    Since its version 2; the first one's were made of the algorithm's own name.
    """
    return {"version": 2, "seeded_as": {2: name}}


def pure(loss: Callable[[Tensor, Tensor], Tensor]) -> tuple[Stage, ...]:
    """The stages of a method without memory: the batch's mean of ``loss(logits, candidates)``."""

    def step(s, b):
        return loss(s.net(b.x).logits, b.candidates).mean(-1)

    return (Stage(step),)


def pure_batch(loss: Callable[[Tensor, Tensor], Tensor]) -> tuple[Stage, ...]:
    """The stages of a method without memory whose loss is one number per batch, (...)."""

    def step(s, b):
        return loss(s.net(b.x).logits, b.candidates)

    return (Stage(step),)


def pure_given(loss: Callable[..., Tensor], *hyper: str) -> tuple[Stage, ...]:
    """The stages of a loss on given labels: the batch's mean of ``loss(logits, given, *values)``.

    Args:
        hyper: names of the hyper-parameters whose values the loss takes, (K, 1) each.
    """

    def step(s, b):
        values = (getattr(s.hp, name) for name in hyper)
        return loss(s.net(b.x).logits, b.given, *values).mean(-1)

    return (Stage(step),)


def warm_up(step: Callable[[Any, Any], Any], trains: tuple[str, ...] | None = None) -> Stage:
    """A first stage that lasts for the share ``warm_up``, a static hyper-parameter, of all updates.

    >>> from types import SimpleNamespace
    >>> stage = warm_up(lambda s, b: 0)
    >>> stage.until(SimpleNamespace(T=10_000, hp=SimpleNamespace(warm_up=0.25)))
    2500
    """
    return Stage(step, until=lambda s: int(s.hp.warm_up * s.T), trains=trains)


def epochs(count: int | str) -> Callable[[Any], int]:
    """A stage's ``until``: that many epochs, or as many as the static hyper-parameter says."""

    def until(s):
        return s.E * (int(getattr(s.hp, count)) if isinstance(count, str) else count)

    return until


def each_epoch(update: Callable[[Any], Mapping[str, Tensor]]) -> Callable[[Any], Any]:
    """A stage's ``whole``: ``update(stack)`` whenever an epoch is over."""

    def whole(s):
        return {} if s.t % s.E else update(s)

    return whole
