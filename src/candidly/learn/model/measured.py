"""Training on what people have, with rows held out to say how good the model is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...data.inputs import Table
from ...data.labels.describe import labelled_rows, track_of, with_given_features
from ...data.labels.labelled import Labelled
from ...ground.arrays import door
from ...ground.problem import Refusal, passed
from ...ground.progress import OnProgress, part
from ...stats.shares import share_interval
from ..algorithms import Published, published
from ..algorithms import algorithm as algorithm_named
from ..classifiers import is_classifier
from ..engine.examples import answered_rows
from ..written.nets import of_tokens
from ._fit import default_algorithm
from ._judging import READ, kind_read, reads, rights_of, to_learn_from
from ._model import Model, measures
from .compared import Compared, compare_ways
from .encoded import inputs_to_learn, of_inputs
from .prediction_sets import HELD, remembered
from .stopping import AUTO, Needed, fit_as_needed

CHECKED = "truth"  # in place of a share of rows to hold out: those whose true label is known


@dataclass(frozen=True, eq=False)
class Trained:
    """A model and what it was measured on.

    Attributes:
        data: all rows, as they were given.
        algorithm: its name, that was asked for or the data's usual one.
        encoder: the name of what made vectors of the inputs; None where nothing did.
        learned, held: rows that it learned from, and that were held out; None where none were.
        logits: of the rows held out, float32 (m, q); None where none were.
        left_out: rows without the label that the algorithm reads.
        steps: updates.
        compared: how it was chosen, where several were compared; else None.
        needed: how many updates early stopping found; None where it was not asked.
    """

    data: Labelled
    model: Model
    algorithm: str
    encoder: str | None
    learned: Labelled
    held: Labelled | None
    logits: np.ndarray | None
    left_out: int
    steps: int
    compared: Compared | None = None
    needed: Needed | None = None

    @cached_property
    def measured(self) -> Mapping[str, float]:
        """On the rows held out; see ``Model.measure``."""
        if self.held is None or self.logits is None:
            return {}
        return measures(self.logits, self.held)

    @property
    def probs(self) -> np.ndarray | None:
        """Of the rows held out, float32 (m, q), each row of which sums to 1; None without any."""
        if self.logits is None:
            return None
        exps = np.exp(self.logits - self.logits.max(1, keepdims=True))
        return np.asarray(exps / exps.sum(1, keepdims=True))

    @property
    def labels(self) -> str:
        """Which labels it learned from, in words."""
        return READ[kind_read(self.algorithm)]

    @cached_property
    def intervals(self) -> Mapping[str, tuple[float, float] | None]:
        """Of each measure what it may be of all such rows, at 95 %; None where nothing says."""
        if self.held is None or self.logits is None:
            return {}
        return {name: _interval(name, self.logits, self.held) for name in self.measured}

    @property
    def truth_known(self) -> int:
        """Of how many rows held out the true label is known."""
        return _known(self.held)

    @property
    def constant(self) -> dict[str, Any]:
        """The best answer without looking at inputs, and how often it is right."""
        return {} if self.held is None else _constant(self.learned, self.held)

    def as_dict(self) -> dict[str, Any]:
        """All of it by name, of plain values; what cannot be measured is None."""
        chosen_on, seen = self.data.official_validation, self.data.source
        if self.encoder is not None:
            seen = with_given_features(seen, self.encoder)
        return {
            "rows": self.data.n,
            "without a label": self.left_out,
            "learned from": self.learned.n,
            "held out": 0 if self.held is None else self.held.n,
            "validation set": 0 if chosen_on is None else int(chosen_on.sum()),
            "truth known": self.truth_known,
            "columns": columns_of(self.data),
            "classes": list(self.model.classes),
            "labels": self.labels,
            "algorithm": self.model.about["algorithm"],
            "early stopping": None if self.needed is None else asdict(self.needed),
            "compared": None if self.compared is None else asdict(self.compared),
            "judged": self.model.about.get("classifier", {}).get("judged", []),
            "net": self.model.about["net"],
            "hyper": self.model.about["hyper"],
            "steps": self.steps,
            "encoder": self.encoder,
            "track": track_of(seen),
            "measured": {n: v if math.isfinite(v) else None for n, v in self.measured.items()},
            "intervals": self.intervals,
            "constant": self.constant,
        }


@door
def fit_and_measure(
    data: Labelled,
    algorithm: str | None = None,
    *,
    encoder: str | None = None,
    sets: np.ndarray | None = None,
    against: Sequence[str] = (),
    validation: float | str = 0.1,
    as_published: str | None = None,
    steps: int | str | None = None,
    seed: int = 0,
    scaling: str = "train",
    net: str | None = None,
    recipe: str | None = None,
    device: str = "cpu",
    watch: OnProgress = lambda done, total: None,
    **hyper: Any,
) -> Trained:
    """A model that has learned from some rows, and is measured on the others.

    Args:
        algorithm: a name; by default what suits the labels.
        encoder: of pictures and texts, what makes numbers of them; by default as ``fit``.
        sets: bool (n, q), candidate sets to learn from in place of the data's, such as those of
            ``narrow``. What is held out is measured by the data's own.
        against: further names. All are compared on a fifth of the rows to learn from, and the one
            that is right most often is trained on all of these; see ``compare_ways``.
        validation: the share of rows to hold out; 0 trains on all, and ``truth`` holds out the rows
            whose true label is known. An official test set is held out whatever it is.
        as_published: a data set, for the network, recipe, epochs and hyper-parameters that were
            published for it and are not given here.
        steps: updates; ``auto``: as many as early stopping on a fifth of the rows says, see
            ``updates_needed``; by default those of ``default_steps``, or the published epochs.
        seed: the seed of what is held out, of initialisation and order.
        scaling, net, recipe, device, hyper: see ``fit``.
        watch: called with work done and work in all: updates, or behind an encoder the share of
            both.

    Raises:
        ValueError, UnknownName: what does not suit the data, by name.
    """
    if steps == AUTO and as_published is not None:
        raise Refusal(
            f"{passed('steps', AUTO)} and published epochs are two rules.", "leave one of them out"
        )
    settings = published_settings(algorithm, as_published)
    own = net is not None and recipe is not None
    asked = dict(hyper)
    if settings is not None:
        net, recipe = net or settings.net, recipe or settings.recipe
        asked = {**settings.hyper_parameters(), **asked}
    if validation != CHECKED and (isinstance(validation, str) or not 0 <= validation < 1):
        raise ValueError(
            f"`validation` is {validation!r}; give a share from 0 to below 1, or {CHECKED!r}."
        )
    if data.q < 2:
        raise ValueError(
            f"{data.source}: every label is {data.classes[0]!r}; to tell classes apart takes two."
            " Check the column of `label`."
        )
    of_network = (net, recipe, steps, settings, *asked.values())
    network = any(each is not None for each in of_network) or (scaling, device) != ("train", "cpu")
    inputs, seen, named = inputs_to_learn(
        data,
        algorithm,
        encoder,
        not (algorithm or network or against),
        lambda: rows_to_learn(data, validation, seed),
        part(watch, 0, 1, 2),
    )
    tell = watch if seen is None else part(watch, 1, 2, 2)
    name = named or default_algorithm(inputs, network)
    if settings is not None and not own:
        _check_inputs(settings, inputs)
    usable, left_out = _usable(inputs, name)
    if sets is not None:
        for one in (name, *against):
            if "candidates" not in reads(one):
                raise Refusal(
                    f"{one} learns from {READ[kind_read(one)]}, and what was narrowed are candidate"
                    " sets.",
                    "name an `algorithm` that learns from these, such as PRODEN",
                )
        sets = _usable(replace(data, candidates=np.asarray(sets)), name)[0].candidates
    learned, held = _divided(usable, validation, seed, sets)
    compared = None
    if against:
        ways = 1 + len(against)
        _check_against(asked, as_published)
        compared = compare_ways(
            learned,
            (name, *against),
            steps=steps,
            seed=seed,
            scaling=scaling,
            net=net,
            recipe=recipe,
            device=device,
            watch=part(tell, 0, ways, ways + 1),
        )
        name, tell = compared.chosen, part(tell, ways, ways + 1, ways + 1)
    if steps is None and settings is not None:
        batch_size = None if "batch_size" not in asked else int(asked["batch_size"])
        steps = settings.updates(to_learn_from(learned).n, batch_size)
    how = {"net": net, "recipe": recipe, "scaling": scaling, "device": device, **asked}
    how["steps"] = steps
    if compared and is_classifier(name):  # chosen among networks, of which something is said
        how = {}
    model, needed = fit_as_needed(learned, name, seed=seed, watch=tell, **how)
    logits = None if held is None else model.predict_logits(held)
    if seen is not None:  # the same rows, before the encoder
        learned, held = _divided(_usable(data, name)[0], validation, seed, sets)
        of_inputs(model, data, seen)
    updates = 0 if is_classifier(name) else int(model.about["steps"])
    by = None if seen is None else seen.name
    trained = Trained(
        data=data,
        model=model,
        algorithm=name,
        encoder=by,
        learned=to_learn_from(learned),
        held=held,
        logits=logits,
        left_out=left_out,
        steps=updates,
        compared=compared,
        needed=needed,
    )
    return _remembering(trained)


def _check_against(asked: Mapping[str, Any], as_published: str | None) -> None:
    """Refuse what is said of one algorithm where several are compared."""
    if asked or as_published is not None:
        what = "hyper" if asked else "as_published"
        raise Refusal(
            f"`{what}` is of one algorithm, and several are compared.",
            "leave it out, or leave `against` out",
        )


def _remembering(trained: Trained) -> Trained:
    """The same, whose model knows how it did on the rows held out."""
    if trained.held is not None and trained.probs is not None:
        kept = remembered(trained.probs, trained.held)
        if kept is not None:
            trained.model.about[HELD] = kept
    return trained


def _interval(name: str, logits: np.ndarray, held: Labelled) -> tuple[float, float] | None:
    """Of a share of rows; None for what is no such share."""
    predicted = logits.argmax(1)
    if name == "covering rate" and held.candidates is not None:
        right = rights_of(predicted, held, "candidates")
    elif name in ("given accuracy", "oracle accuracy"):
        labels = held.given if name == "given accuracy" else held.truth
        assert labels is not None
        right = (predicted == labels)[labels >= 0]
    else:
        return None
    if not len(right):
        return None
    low, high = share_interval(np.array(right.sum()), len(right)).tolist()
    return low, high


def published_settings(algorithm: str | None, dataset: str | None) -> Published | None:
    """The published settings that are asked for; None where none are.

    Raises:
        ValueError: no algorithm is named, or of this one there are none.
    """
    if dataset is None:
        return None
    if algorithm is None:
        raise Refusal(
            "settings that were published are those of an algorithm, and `as_published` is alone.",
            "name the `algorithm` (candidly algorithms show ce prints some)",
        )
    return published(algorithm_named(algorithm).label, dataset)


def _check_inputs(settings: Published, data: Labelled) -> None:
    """Refuse settings that were published for inputs of another kind."""
    texts = of_tokens(settings.net)
    name = "texts" if texts else "pictures"
    if data.kind.texts != texts or not data.kind.encoded:
        raise Refusal(
            f"these published settings are for {name}, and the inputs of {data.source} are none.",
            f"give a network and a recipe of your own beside them: {passed('net', 'mlp')}"
            f" {passed('recipe', 'sgd')}",
        )


def _usable(data: Labelled, algorithm: str) -> tuple[Labelled, int]:
    """The rows that have the label that the algorithm reads, and how many have none.

    Raises:
        ValueError: no row has one.
    """
    for name in reads(algorithm):
        if getattr(data, name) is None:
            continue
        labelled = answered_rows(data, name)
        there = labelled.copy()
        if data.official_test is not None:
            there |= data.official_test  # which nothing learns from
        if not labelled.any():
            raise ValueError(f"{data.source}: no row has a label; there is nothing to learn from.")
        if not there.all():
            return data[there], int((~there).sum())
    return data, 0


def _divided(
    data: Labelled, share: float | str, seed: int, sets: np.ndarray | None = None
) -> tuple[Labelled, Labelled | None]:
    """Rows to learn from, and rows to measure on: a share, those with a truth, or the official set.

    An official validation set stays among the former: it chooses what is learned.

    Of test rows that nobody labelled, sets of all classes say nothing, and the truth alone counts.

    Args:
        sets: bool (n, q), the candidate sets of rows to learn from in place of the data's.

    Raises:
        ValueError: rows with a truth are to be held out, and there are none, or no others.
    """
    to_learn = data if sets is None else replace(data, candidates=sets)
    test = data.official_test
    rows = np.arange(data.n)
    if test is not None and test.any():
        held = data[test]
        if labelled_rows(data).all():
            return to_learn[~test], held
        if held.truth is not None:
            return to_learn[~test], replace(held, candidates=None, given=None, votes=None)
        rows = np.flatnonzero(~test)
    if not share:
        return to_learn[rows], None
    own = data.official_validation
    own = np.zeros(len(rows), bool) if own is None else own[rows]
    rest = rows[~own]
    kept, apart = _apart(data[rest], share, seed)
    return to_learn[np.concatenate([rest[kept], rows[own]])], data[rest[apart]]


def rows_to_learn(data: Labelled, validation: float | str, seed: int) -> np.ndarray:
    """Which rows ``fit_and_measure`` learns from by given labels: bool (n,).

    Args:
        validation, seed: as there.

    Raises:
        ValueError: as there.
    """
    numbered = replace(data, ids=np.arange(data.n))
    learned, _ = _divided(_usable(numbered, "ce")[0], validation, seed)
    found = np.zeros(data.n, bool)
    found[np.asarray(learned.ids)] = True
    return found


def _apart(data: Labelled, share: float | str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Which rows to learn from, and which to hold out.

    Raises:
        ValueError: as ``_divided``.
    """
    if share == CHECKED:
        known = _known(data)
        if known in (0, data.n):
            raise Refusal(
                f"{passed('validation', CHECKED)} holds out the rows whose true label is known, and"
                f" learns from the others; here it is known of {'all' if known else 'no'} rows.",
                "name its column with `truth`",
                f"give a share, such as {passed('validation', 0.1)}",
            )
        assert data.truth is not None
        return np.flatnonzero(data.truth < 0), np.flatnonzero(data.truth >= 0)
    split = data.split(seed, test=0.0, validation=float(share))
    return split.train, split.validation


def _known(data: Labelled | None) -> int:
    """Of how many rows the true label is known."""
    return 0 if data is None or data.truth is None else int((data.truth >= 0).sum())


def columns_of(data: Labelled) -> dict[str, list[str] | int]:
    """What the columns of the inputs are used as: names by kind, or how many where unnamed."""
    if isinstance(data.inputs, Table):
        kinds: dict[str, Any] = {}
        for name, kind in data.inputs.kinds.items():
            kinds.setdefault(kind, []).append(name)
        return kinds
    if data.kind == "table":
        return {"number": list(data.features or ()) or data.inputs.shape[1]}
    if data.kind.pixels:
        return {"pixel": math.prod(data.inputs.shape[1:])}
    return {{"texts": "text", "media": "picture"}[data.kind]: list(data.features or ()) or 1}


def _constant(learned: Labelled, held: Labelled) -> dict[str, Any]:
    """The best answer without looking at inputs, and how often it is right."""
    for name in ("candidates", "given"):
        marks = getattr(learned, name)
        if marks is None or getattr(held, name) is None:
            continue
        one_hot = marks if marks.ndim == 2 else np.arange(learned.q) == marks[:, None]
        best = int(one_hot.sum(0).argmax())
        there = getattr(held, name)
        right = there[:, best] if there.ndim == 2 else there == best
        return {"class": learned.classes[best], "share": float(right.mean())}
    return {}
