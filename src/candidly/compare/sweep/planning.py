"""From settings and data to a plan: deciding without doing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...data.inputs import Pictures
from ...data.inputs.texts import DENSE
from ...data.inputs.tokenisers import tokeniser_in
from ...data.inputs.tokens import TextSize, Tokens, Words
from ...data.labels.describe import labelled_rows, track_of
from ...data.labels.kinds import nothing_told
from ...data.labels.labelled import Labelled
from ...ground.names import nearest
from ...ground.problem import Problem, Refusal, within
from ...learn.algorithms import Algorithm
from ...learn.engine.examples import takes_tokens, unlearnable
from ...learn.engine.recipe import unsuited
from ...learn.engine.texts import tokenised
from ...learn.written.nets import default_net, pinned, read_net
from ...learn.written.seen import seen_as
from ...stats.criteria import constant_flip_rate
from .as_published import net_asked, recipe_of
from .facts import Facts, PlannedMethod
from .methods import codes_of, method_of, methods_asked, space_of
from .own_files import check_net
from .plan import Plan, made_plan, training_rows
from .presets import PRESETS
from .search import Search, search
from .select import Criterion
from .settings import Settings, data_in, name_in
from .suggest import check_optuna

GUIDED_BY = {  # labels of which one kind has to be there, by what a criterion measures
    "CR": ("candidate sets", "given labels"),
    "AA": ("candidate sets", "given labels"),
    "AA:plench": ("candidate sets", "given labels"),
    "NVA": ("given labels",),
    "answers": ("people's answers",),
    "OA": ("true labels",),
}
USUAL_BATCH, DRAWN = 64, 64  # texts, and batches, of which a usual length is the mean


def facts_of(data: Labelled, settings: Settings, seed_name: str | None, steps: int) -> Facts:
    """The facts of one data set under these settings."""
    shares = {"test": settings.test_share, "validation": settings.validation_share}
    official = settings.split == "official"
    split = data.split(settings.seed, **shares, official=official)
    for name, share in shares.items():
        if not len(getattr(split, name)):
            raise Refusal(
                f"{data.source or 'the data'} has {data.n} rows, too few for a {name} share of "
                f"{share:g}: that is no row at all.",
                f"raise `{name}_share`",
            )
    fingerprint = data.fingerprint()
    net = pinned(settings.net) if settings.net else ""
    shape: tuple[int, ...] = ()
    if data.kind.pixels:
        shape = Pictures(np.asarray(data.inputs)).shape
    tokens = None
    if takes_tokens(data.kind, settings.net):
        tokens = tokenised(np.asarray(data.inputs), net)[1]
        shape = tokens.shape
    flip = None
    if data.candidates is not None and data.q > 1:
        flip = constant_flip_rate(data.candidates[labelled_rows(data)])
    return Facts(
        fingerprint=fingerprint,
        seed_name=seed_name or fingerprint,
        n=data.n,
        d=DENSE if data.kind.texts else math.prod(data.inputs.shape[1:]),
        q=data.q,
        n_validation=len(split.validation),
        n_test=len(split.test),
        steps=settings.steps or steps,
        flip_rate=flip.rate if flip else None,
        flip_rate_error=flip.error if flip else None,
        flip_doubt=flip.doubt if flip else "",
        kind=seen_as(data.kind, settings.net),
        shape=shape,
        net=net or default_net(shape),
        track=track_of(data.source),
        tested=_known_of_some(data),
        **({} if tokens is None else _of_texts(tokens, data.classes)),
    )


def _known_of_some(data: Labelled) -> int:
    """Rows whose truth is known; 0 where it is of all, or of none."""
    known = 0 if data.truth is None else int((data.truth >= 0).sum())
    return known if known < data.n else 0


def _of_texts(tokens: Tokens, classes: tuple[str, ...]) -> dict[str, Any]:
    """What a plan keeps of texts that are seen as tokens."""
    words = tokens.words
    return {
        "tokens": words.size,
        "unknown": words.unknown,
        "special": words.special,
        "length": usual_length(tokens.lengths),
        "names": classes,
    }


def usual_length(lengths: np.ndarray) -> int:
    """Tokens of the longest of a batch of texts, in the mean over batches drawn at random."""
    rng = np.random.default_rng(0)
    size = min(USUAL_BATCH, len(lengths))
    return round(np.mean([rng.choice(lengths, size).max() for _ in range(DRAWN)]))


def published_facts(
    settings: Settings,
    seed_name: str,
    steps: int,
    n: int,
    q: int,
    inputs: tuple[int, ...] | TextSize,
    n_test: int = 0,
) -> Facts:
    """The facts of one data set without its file, from what is published of it.

    There is no fingerprint: such a plan says what a run takes, and nothing can be run by it.

    Args:
        inputs: shape of one, (d,) or (C, H, W), or what is known of texts.
        n_test: how many of the n rows are the official test set.

    Raises:
        ValueError: there is no official test set, and the settings say so.
    """
    if settings.split == "official":
        if not n_test:
            raise Refusal(f"{seed_name} has no official test set.", "use `split='random'`")
    else:
        n_test = n - int(n * (1 - settings.test_share))
    net = pinned(settings.net) if settings.net else ""
    shape: tuple[int, ...] = ()
    texts: dict[str, Any] = {}
    if isinstance(inputs, TextSize):
        d, kind = DENSE, seen_as("texts", settings.net)
        if kind != "texts":
            shape, texts = _published_texts(inputs, net, q)
    else:
        d, kind = math.prod(inputs), "images" if len(inputs) == 3 else "table"
        shape = inputs if len(inputs) == 3 else ()
    return Facts(
        fingerprint="",
        seed_name=seed_name,
        n=n,
        d=d,
        q=q,
        n_validation=int(settings.validation_share * (n - n_test)),
        n_test=n_test,
        steps=settings.steps or steps,
        kind=kind,
        shape=shape,
        net=net or default_net(shape),
        **texts,
    )


def _published_texts(size: TextSize, net: str, q: int) -> tuple[tuple[int], dict[str, Any]]:
    """The shape of one text, and what a plan keeps of texts, before they are there."""
    folder = read_net(net).folder
    words = Words(size.words, 1) if folder is None else tokeniser_in(folder).encode(["."]).words
    return (size.longest,), {
        "tokens": words.size,
        "unknown": words.unknown,
        "special": words.special,
        "length": size.usual,
        "names": tuple(f"class {label}" for label in range(q)),
    }


def make_plan(settings: Settings, datasets: Mapping[str, tuple[Labelled | None, Facts]]) -> Plan:
    """The plan for these data sets; what only the data shows is not checked where they are None.

    Raises:
        UnknownName: an algorithm that is not in the table.
        ValueError: an algorithm cannot learn from a data set, a batch would not fill, a fixed
            hyper-parameter is nobody's or out of range, or ``train-oracle`` is asked for with
            several configurations or without the truth.
    """
    oracle = settings.validation == "train-oracle"
    if oracle and settings.configs > 1:
        raise Refusal(
            f"`configs` is {settings.configs}, and with validation = train-oracle the validation "
            "rows are trained on: nothing is left to choose a configuration with.",
            "use `configs=1`",
        )
    methods = methods_asked(settings)
    labels = [method.label for method in methods]
    repeated = sorted({label for label in labels if labels.count(label) > 1})
    if repeated:
        raise ValueError(f"algorithms named twice: {', '.join(repeated)}.")
    _check_hyper(methods, settings)
    asked = search(settings.search)
    if asked.waits:
        _check_search(asked, methods, settings)
    for name, (data, facts) in datasets.items():
        if settings.as_published and facts.kind != "images":
            raise Refusal(
                f"{name}: what was published for {settings.as_published} is for pictures, and these"
                f" inputs are {facts.kind}.",
                "leave `as_published` out",
            )
        for method in methods:
            made = recipe_of(settings, facts.kind, method.label)
            if problem := unsuited(made, facts.kind, settings.dtype):
                raise ValueError(f"{name}: {problem}")
            if data is None:
                continue
            if missing := unlearnable(data, method.reads, settings.split == "official"):
                raise within(f"{method.label} cannot learn from {name}", Refusal(missing))
            if "candidates" in method.reads and (nothing := nothing_told(data.candidates, name)):
                raise Refusal(nothing, "use labels that leave some classes out")
            if asked.waits and (lacks := _unguided(asked.criterion(method.reads), data)):
                raise within(f"{method.label} cannot be searched for on {name}", Refusal(lacks))
        try:
            nets = {method.label: net_asked(settings, method.label) for method in methods}
            for net in dict.fromkeys(nets.values()):
                check_net(facts, net, [one for one in methods if nets[one.label] == net])
        except ValueError as error:
            raise within(name, error) from None
        if oracle and (of_answers := [m.label for m in methods if "votes" in m.reads]):
            raise Refusal(
                f"{of_answers[0]} learns from people's answers, and with validation = train-oracle"
                " the validation rows have true labels in place of answers.",
                "use `validation='tune'`",
            )
        if data is not None and oracle and (data.truth is None or (data.truth < 0).any()):
            raise Refusal(
                f"{name} lacks true labels, and train-oracle trains on those of the validation "
                "rows.",
                "use `validation='tune'`",
            )
    kinds = {facts.kind for _, facts in datasets.values()}
    kept = {method.label: method_of(method, settings, kinds=kinds) for method in methods}
    for name, (_, facts) in datasets.items():
        training = training_rows(facts, settings)
        largest = max(_largest_batch(p, kept[p.label], settings, facts.kind) for p in methods)
        if training < largest:
            raise Refusal(
                f"{name} leaves {training} training rows, fewer than a batch of {largest}.",
                "use more data",
                "lower `test_share` and `validation_share`",
                f"fix the size of batches, in `hyper`, at batch_size={max(training, 1)} or less",
            )
    facts_by_name = {name: facts for name, (_, facts) in datasets.items()}
    return made_plan(settings, facts_by_name, kept, found={}, codes=codes_of(settings))


def _largest_batch(method: Algorithm, kept: PlannedMethod, settings: Settings, kind: str) -> int:
    """The largest that is drawn, or that a search may ask for."""
    sizes = [hyper["batch_size"] for by_split in kept.hyper_for(kind) for hyper in by_split]
    batch = space_of(method, settings, kind).get("batch_size")
    if batch is not None and search(settings.search).learns:
        sizes += batch.choices
    return int(max(sizes))


def _check_search(asked: Search, methods: Sequence[Algorithm], settings: Settings) -> None:
    """Refuse a search that nothing would guide."""
    if settings.validation == "train-oracle":
        raise Refusal(
            f"`search` is {asked.text}, and with validation = train-oracle the validation rows are "
            "trained on: nothing is left to search by.",
            "leave `search` out",
        )
    if asked.by == "agreement":
        for method in methods:
            if method.networks == 1:
                raise ValueError(
                    f"`search` is {asked.text}, and {method.label} trains one network, which has "
                    "none to agree with. Search by another criterion, or leave it out."
                )
    check_optuna()


def _unguided(criterion: Criterion, data: Labelled) -> Problem | None:
    """What a criterion needs that this data lacks; None where it lacks nothing."""
    measure = criterion.measure or ""
    there = {
        "candidate sets": data.candidates is not None,
        "given labels": data.given is not None,
        "people's answers": data.votes is not None,
        "true labels": data.truth is not None and bool((data.truth >= 0).any()),
    }
    needed = GUIDED_BY.get(measure, ())
    if not needed or any(there[labels] for labels in needed):
        return None
    have = " and ".join(labels for labels, found in there.items() if found)
    return Problem(
        f"{criterion.name} compares {' or '.join(needed)} with predictions, and it has {have}.",
        ("search by another criterion (by=...)", "leave `search` out"),
    )


def _check_hyper(methods: Sequence[Algorithm], settings: Settings) -> None:
    """Refuse values that no algorithm can have, and names that none has but in the preset."""
    known = {name for method in methods for name in method.settings()}
    preset = PRESETS[settings.preset].settings if settings.preset else {}
    for key, value in settings.hyper.items():
        name, dataset = name_in(key), data_in(key)
        if key in preset.get("hyper", {}):
            continue  # of data sets and algorithms that need not be asked for
        if dataset and dataset not in settings.datasets:
            raise ValueError(
                f"`hyper` has {key!r}, and no data set that was asked for is called {dataset!r}"
                f"{nearest(dataset, settings.datasets)} They are {', '.join(settings.datasets)}."
            )
        if name not in known:
            raise ValueError(
                f"no algorithm that was asked for has a hyper-parameter {name!r}"
                f"{nearest(name, known)} They have {', '.join(sorted(known))}."
            )
        for method in methods:
            if name in method.settings():
                method.settings()[name].check(f"{method.label}'s {name}", value)
