"""One training on all rows of a data set."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

from ...data.labels.building import from_arrays
from ...data.labels.kinds import ALL_OF, nothing_told, several_hold
from ...data.labels.labelled import Labelled
from ...ground.arrays import door
from ...ground.device import check_device
from ...ground.names import UnknownName, lookup, nearest, shortened
from ...ground.numbers import whole
from ...ground.problem import Refusal
from ...ground.progress import OnProgress, part
from ...ground.spec import begins_with
from ..algorithms import ALGORITHMS, Algorithm, Setting, common, configuration
from ..algorithms import algorithm as algorithm_named
from ..algorithms.weighted import WEIGHTED
from ..classifiers import CLASSIFIERS, is_classifier
from ..engine.examples import SCALINGS, Examples, make_examples, split_scaling
from ..engine.recipe import Recipe, default_recipe, unsuited, unsuited_to
from ..engine.recipe import recipe as recipe_named
from ..engine.stack import Member, Stack
from ..engine.start import start
from ..engine.suspicion import suspicion
from ..engine.texts import split_words
from ..engine.train import Watcher, one_thread, train
from ..nets import network
from ..written.nets import default_net, pinned
from ..written.seen import seen_as
from ._model import Model
from ._reading import fit_reading, takes_pictures
from .encoded import inputs_to_learn, of_inputs

DEFAULTS = {
    "candidates": "PRODEN",
    "given": "ce",
    "votes": "soft-ce",
}  # by the labels there are, the first that is
BLEND = "blend"  # of one label a row, on inputs of these kinds
BLENDED = ("table", "columns", "texts")
STEPS = 10_000
TOLD_EVERY = 50  # updates


def default_algorithm(data: Labelled, network: bool = False) -> str:
    """What learns from these labels where nothing is named; see ``DEFAULTS`` and ``BLENDED``.

    Args:
        network: it has to be an algorithm, which trains a network.

    Raises:
        ValueError: neither candidate sets, one label a row nor answers of people.
    """
    for labels, name in DEFAULTS.items():
        if getattr(data, labels) is not None:
            blended = labels == "given" and data.kind in BLENDED and not network
            return BLEND if blended else name
    if data.label_kind == ALL_OF:
        raise ValueError(several_hold(data.source))
    raise Refusal(
        f"{data.source or 'the data'} has no labels to learn from: no candidates, given or votes.",
        "name the column of labels with `label`",
        "make labels from the true ones with `imperfect.apply`",
    )


@door
def fit(
    data: Labelled | tuple[Any, Any],
    algorithm: str | Algorithm | None = None,
    *,
    encoder: str | None = None,
    steps: int | None = None,
    seed: int = 0,
    scaling: str = "train",
    net: str | None = None,
    recipe: str | None = None,
    device: str = "cpu",
    watchers: Sequence[Watcher] = (),
    watch: OnProgress = lambda done, total: None,
    every: int | None = None,
    each: Callable[[Model, int], None] | None = None,
    sample_weight: Any = None,
    **hyper: float,
) -> Model:
    """Train one network on all of ``data``.

    Args:
        data: inputs of any kind, as ``read``, ``load`` and ``from_arrays`` give them, with the
            labels that the algorithm reads; or (X, y) for ``from_arrays``. How columns of different
            kinds, texts and pictures become numbers is found out from them, and kept with the
            model.
        algorithm: a name of ``ALGORITHMS``, with a variant after a colon if need be, or one of its
            values; or one of ``classifiers.CLASSIFIERS`` (``blend``, ``logistic``, ``boosting``,
            ...), for which data, seed and ``watch`` are all that counts. By default ``PRODEN`` for
            candidate sets, and for one label a row ``ce``; but ``blend`` where the inputs are a
            table or texts and nothing below is said of a network.
        encoder: of pictures and texts, what makes numbers of them, such as
            ``efficientnet-lite0``; see ``encoders.features``. The model remembers it. Then
            ``logistic`` with C = 0.001 is the default for one label a row. Of pictures with one
            label a row the default is the one that is installed, where nothing else is said and
            its numbers tell at least as many labels as descriptors do.
        steps: updates; by default 10,000.
        seed: the seed of initialisation and order.
        scaling: ``train`` standardises the features, ``none`` leaves them as they are.
        net: ``mlp``, one hidden layer of 500, or with another width ``mlp:128``; ``cnn:width=32``,
            ``resnet32``, ...; ``FILE.py:make`` for one of your own (``nets.network``). By default
            ``cnn`` for arrays of pictures from 8 x 8 on, else ``mlp``, which is given pictures in
            files as descriptors; any other network is given their pixels, 32 x 32 in colour.
        recipe: optimiser, schedule, weight decay, precision and views, such as
            ``sgd:momentum=0.95``; by default Adam at a constant rate, and for pictures with crops
            and flips. The defaults of learning rate, weight decay and batch size follow from it.
        device: ``cpu``, ``cuda`` or ``cuda:1``.
        watchers: called after every update with the stack and the batch, which holds the rows'
            ``ids`` (1, B) and their ``logits`` (1, B, q) from before the update.
        watch: called now and then with the updates done and the updates in all.
        every, each: ``each(model, done)`` is called behind every ``every`` updates with the model
            as it is then, without a ``suspicion``: to keep the best of a training, say.
        sample_weight: how much each row counts, (n,) numbers from 0 on; None: all the same. Their
            scale does not matter. A row of weight 0 is left out, one of weight 2 counts as two. Of
            the algorithms, those of ``algorithms.weighted`` take it. How inputs are scaled and how
            often a row is drawn do not depend on it.
        hyper: hyper-parameters in place of the algorithm's defaults. The default batch size is
            halved until there are as many rows.

    Raises:
        ValueError: the data does not suit the algorithm or is smaller than a batch, a device that
            is not there, or an impossible setting.
        FloatingPointError: training diverged.
    """
    data = _labelled(data, algorithm)
    how: dict[str, Any] = {
        "steps": steps,
        "scaling": scaling,
        "net": net,
        "recipe": recipe,
        "device": device,
        "watchers": tuple(watchers),
        "every": every,
        "each": each,
        "sample_weight": sample_weight,
        **hyper,
    }
    said = [name for name, value in how.items() if not _usual(name, value)]
    encoding = part(watch, 0, 1, 2)
    inputs, by, name = inputs_to_learn(
        data, algorithm, encoder, algorithm is None and not said, watch=encoding
    )
    if by is not None:
        model = fit(inputs, name, seed=seed, watch=part(watch, 1, 2, 2), **how)
        return of_inputs(model, data, by)
    if algorithm is None:
        algorithm = default_algorithm(data, network=bool(said))
    if isinstance(algorithm, str) and is_classifier(algorithm):
        return _classifier(data, algorithm, whole(seed, "seed"), watch, said)
    if (every is None) != (each is None):
        raise ValueError("every and each go together: after how many updates, and what to call.")
    every = None if every is None else whole(every, "every", low=1)
    method = method_named(algorithm)
    data, weights = _weighted(data, method, sample_weight)
    steps = whole(STEPS if steps is None else steps, "steps", low=1)
    ready = _ready(data, method, weights, steps, seed, scaling, net, recipe, device, hyper)
    return _trained(ready, watchers, watch, every, each)


USUAL: Mapping[str, Any] = {"scaling": "train", "device": "cpu", "watchers": ()}


def _usual(name: str, value: Any) -> bool:
    """Whether an argument of ``fit`` says nothing, of a network or of how it is trained."""
    return value is None or (name in USUAL and value == USUAL[name])


@dataclass(frozen=True)
class _Ready:
    """A training that may begin.

    Attributes:
        stack: of one trial.
        scaled: shift and factor of raw inputs, as a model keeps them.
        about: what the model will say of itself.
    """

    stack: Stack
    scaled: tuple[np.ndarray, np.ndarray]
    about: Mapping[str, Any]


def _ready(
    data: Labelled,
    method: Algorithm,
    weights: np.ndarray | None,
    steps: int,
    seed: int,
    scaling: str,
    net: str | None,
    recipe: str | None,
    device: str,
    hyper: Mapping[str, float],
) -> _Ready:
    """What ``fit`` trains; arguments and errors are its own, and ``weights`` has mean 1."""
    _check_net(net)
    if "candidates" in method.reads and (nothing := nothing_told(data.candidates, data.source)):
        raise Refusal(nothing, "use labels that leave some classes out")
    seed = whole(seed, "seed")
    kind = "images" if takes_pictures(data.kind, net) else seen_as(data.kind, net)
    how = recipe_for(recipe, kind)
    values = hyper_parameters(method, hyper, data.n, common(how.optimiser, kind))
    if scaling not in SCALINGS:
        raise ValueError(f"scaling is {scaling!r}; use one of {', '.join(SCALINGS)}.")
    device = check_device(device)
    if problem := unsuited_to(device, how):
        raise ValueError(problem)
    batch = int(values["batch_size"])
    if data.n < batch:
        raise ValueError(
            f"{data.source or 'the data'} has {data.n} rows, and training needs at least as many "
            f"as a batch, which is {batch}. Use more rows, or batch_size={max(data.n, 1)} or less."
        )
    reading = fit_reading(data, net)
    seen, rows = reading.table(data if method.oracle else data.blind()), np.arange(data.n)
    examples = make_examples(seen, method.reads, scaling, device=device, net=net)
    scaled_by = split_scaling(seen, examples, rows, scaling)
    member = Member(seed, rows, values, scaled_by, split_words(examples.texts, rows))
    text = default_net(examples.shape) if net is None else net
    made = network(text, examples.shape, data.q, examples.words, data.classes)
    stack = start(method, made, examples, [member], steps, how)
    about: dict[str, Any] = {
        "algorithm": method.label,
        "version": method.version,
        "hyper": values,
        "net": text if net is None else pinned(net),
        "shape": list(examples.shape),
        "recipe": how.text,
        "steps": steps,
        "seed": seed,
        "scaling": scaling,
        "classes": list(data.classes),
        "data": data.fingerprint(),
        "rows": data.n,
        "inputs": reading.to_json(),
    }
    if weights is not None:
        stack.row_weights = torch.from_numpy(weights[None]).to(stack.device, stack.dtype)
        about["weights"] = hashlib.sha256(weights.tobytes()).hexdigest()[:16]
    if data.given is not None and "given" in method.reads:
        about["label counts"] = np.bincount(data.given[data.given >= 0], minlength=data.q).tolist()
    if examples.words is not None:
        about["words"] = asdict(examples.words)
    if method.averages:
        about["averaged"] = method.networks
    return _Ready(stack, _whole_scaling(examples, member), about)


def _trained(
    ready: _Ready,
    watchers: Sequence[Watcher],
    watch: OnProgress,
    every: int | None,
    each: Callable[[Model, int], None] | None,
) -> Model:
    """The model after all updates; arguments and errors are those of ``fit``."""
    stack, about = ready.stack, ready.about
    steps = stack.T
    pauses = {*range(TOLD_EVERY, steps, TOLD_EVERY), steps}
    due = set() if every is None else set(range(every, steps + 1, every))
    with one_thread():
        for done in train(stack, sorted(pauses | due), watchers):
            if done in pauses:
                watch(done, steps)
            if each is not None and done in due and stack.diverged_at[0] is None:
                now = {**about, "steps": done}
                each(Model(_parameters(stack), ready.scaled, now), done)
    if stack.diverged_at[0] is not None:
        raise FloatingPointError(
            f"{about['algorithm']} diverged after {stack.diverged_at[0]} updates; lower the "
            f"learning rate (lr={float(about['hyper']['lr']):g})."
        )
    with one_thread():
        scores = suspicion(stack)
    return Model(_parameters(stack), ready.scaled, dict(about), scores)


def _classifier(
    data: Labelled,
    name: str,
    seed: int,
    watch: OnProgress,
    said: Sequence[str],
) -> Model:
    """A classifier that is no network, for which nothing is said that is of networks.

    Raises:
        ValueError: something is; names it.
    """
    from ._classified import fit_classifier

    if said:
        raise Refusal(
            f"`{said[0]}` is not used by {name}, which is no network.",
            "leave it out",
            "take an algorithm, such as ce",
        )
    return fit_classifier(data, name, seed=seed, watch=watch)


def _weighted(
    data: Labelled, method: Algorithm, sample_weight: Any
) -> tuple[Labelled, np.ndarray | None]:
    """The rows that count, and how much, of mean 1; None where all count the same.

    Raises:
        ValueError: weights that are none, or an algorithm that cannot take any.
    """
    if sample_weight is None:
        return data, None
    weights = row_weights(sample_weight, data.n)
    if method.name not in WEIGHTED:
        raise Refusal(
            f"{method.name} takes no weights: its loss is not a mean over rows of what each row "
            "gives alone.",
            f"use one of {', '.join(sorted(WEIGHTED))}",
            "leave `sample_weight` and `class_weight` out",
        )
    counted = weights > 0
    if not counted.all():
        data, weights = data[counted.nonzero()[0]], weights[counted]
    if (weights == weights[0]).all():
        return data, None
    weights = weights / weights.max()  # so that no sum is too large
    return data, weights / weights.mean()


@door
def row_weights(sample_weight: Any, n: int) -> np.ndarray:
    """Weights of rows, float64 (n,): finite, not negative, not all 0; one number is all rows'.

    Raises:
        ValueError: something else; names the first row.
    """
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"sample_weight is {shortened(sample_weight)}; it is a number for each row."
        ) from None
    if weights.ndim == 0:
        weights = np.full(n, float(weights))
    if weights.shape != (n,):
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected {(n,)}: one number for each row."
        )
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(
            f"sample_weight is {weights[row]:g} in row {row}; weights are finite numbers from 0 on."
        )
    if not weights.any():
        raise ValueError(
            "every row has weight zero in sample_weight, so that no row is left to learn from."
        )
    return weights


def _labelled(data: Any, algorithm: Any) -> Labelled:
    """The data set, or one of (X, y).

    Raises:
        ValueError: something else; says what to write.
    """
    if isinstance(data, tuple) and len(data) == 2:
        return from_arrays(*data)
    if isinstance(data, Labelled):
        return data
    labels = algorithm is not None and not isinstance(algorithm, str | Algorithm)
    what = "inputs and labels as two arguments" if labels else f"a {type(data).__name__}"
    raise ValueError(
        f"fit takes one Labelled or a pair of inputs and labels, and this is {what}: "
        "fit((X, y), 'PRODEN')."
    )


def method_named(algorithm: Any) -> Algorithm:
    """The algorithm of a name, or a value that has one.

    Raises:
        ValueError: a value that no name stands for, so that a model of it could not be loaded.
        KeyError: a name that is not there.
    """
    if not isinstance(algorithm, Algorithm):
        try:
            return algorithm_named(algorithm)
        except UnknownName:
            if isinstance(algorithm, str) and not begins_with(algorithm, ALGORITHMS):
                lookup({**ALGORITHMS, **CLASSIFIERS}, algorithm, "algorithm or classifier")
            raise
    listed = ALGORITHMS.get(algorithm.name)
    if listed is None:
        raise ValueError(
            f"the algorithm {algorithm.name} is not among candidly.ALGORITHMS, and a model keeps "
            "the name alone. Register it first: candidly.register('algorithm', it)."
        )
    found = algorithm_named(algorithm.label)
    if found != algorithm:
        raise ValueError(
            f"candidly.ALGORITHMS has another algorithm named {algorithm.label}. Rename yours."
        )
    return found


def _check_net(net: Any) -> None:
    """Refuse a network that is no text, and say what to write."""
    if net is None or isinstance(net, str):
        return
    raise ValueError(
        f"net is a {type(net).__name__}, and a model keeps how its network is made: put a function "
        "that makes it into a file, def make(shape, classes): ..., and name both: "
        "net='my_net.py:make'."
    )


def _parameters(stack: Stack) -> dict[str, np.ndarray]:
    """Parameters and buffers of what predicts, as a model keeps them."""
    module = stack.modules[stack.algorithm.predicts]
    return {
        name: (tensor if stack.algorithm.averages else tensor[0]).detach().cpu().numpy().copy()
        for name, tensor in {**module.parameters, **module.buffers}.items()
    }


def recipe_for(text: str | None, kind: str) -> Recipe:
    """The recipe that is asked for, or the default for inputs of this kind.

    Raises:
        ValueError, KeyError: no recipe, or none for such inputs.
    """
    made = default_recipe(kind) if text is None else recipe_named(text)
    if problem := unsuited(made, kind):
        raise ValueError(problem)
    return made


def hyper_parameters(
    method: Algorithm,
    asked: Mapping[str, float],
    rows: int | None = None,
    shared: Mapping[str, Setting] | None = None,
) -> dict[str, float]:
    """The algorithm's defaults with what was asked for in their place.

    Args:
        rows: how many there are to learn from; the default batch size is halved until it is no
            more.
        shared: the hyper-parameters of every algorithm; by default those of Adam on tables.

    Raises:
        ValueError: a hyper-parameter that it does not have, which suggests the nearest, or a value
            that it cannot have.
    """
    settings = method.settings(common() if shared is None else shared)
    values = configuration(settings, 0, 0)
    for name, value in asked.items():
        if name not in values:
            raise ValueError(
                f"{method.label} has no hyper-parameter {name!r}{nearest(name, values)} "
                f"It has {', '.join(values)}."
            )
        settings[name].check(f"{method.label}'s {name}", value)
    if rows is not None:
        while values["batch_size"] > max(rows, 1):
            values["batch_size"] = int(values["batch_size"]) // 2
    return values | dict(asked)


def _whole_scaling(examples: Examples, member: Member) -> tuple[np.ndarray, np.ndarray]:
    """Shift and factor on raw inputs; a feature constant in training counts for nothing."""
    if member.scaling is None:  # of texts two times nothing
        return examples.centre, 1 / examples.spread
    shift, factor = member.scaling
    return examples.centre + shift * examples.spread, factor / examples.spread
