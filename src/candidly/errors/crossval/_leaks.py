"""What can make probabilities look more out of sample than they are: found, and put in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.inputs import Table
from ...data.labels.labelled import Labelled
from ..confident import COMMON, IN_SAMPLE
from ._duplicates import NEAR, NEAR_TEXT, Copies, digests, exact_copies, near_copies
from ._job import Held, Job
from ._result import OnPermuted

if TYPE_CHECKING:
    from ...learn.model import Model

SUSPICIOUS = 5.0  # standard deviations above chance, of agreement with permuted labels
LISTED = 10


def of_copies(data: Labelled, folds: np.ndarray, seed: int) -> Iterator[str]:
    """Warnings of examples with a copy, or nearly, in another fold."""
    exact = exact_copies(digests(data), folds)
    if len(exact.rows):
        yield _of(exact, data.n, "an exact copy")
    near = near_copies(data, folds, seed)
    left = ~np.isin(near.rows, exact.rows)
    if left.any():
        among = near._replace(rows=near.rows[left])
        if near.pair[0] not in among.rows:
            among = among._replace(pair=())
        least = NEAR_TEXT if data.kind.texts else NEAR
        yield _of(among, data.n, "a near copy", least)


def _of(copies: Copies, n: int, what: str, least: float | None = None) -> str:
    looked = f"{copies.looked_at:,}"
    if copies.looked_at < n:
        looked += f" examples that were compared with all others (of {n:,})"
    else:
        looked += " examples"
    alike = "" if least is None else f" (a cosine of {least:g} or more)"
    pair = f", such as rows {copies.pair[0]} and {copies.pair[1]}" if copies.pair else ""
    have = "has" if len(copies.rows) == 1 else "have"
    return (
        f"{len(copies.rows):,} of {looked} {have} {what}{alike} in another fold{pair}: their models"
        " have seen them. Keep copies together with `groups`, or drop them."
    )


def of_constant_inputs(data: Labelled) -> Iterator[str]:
    """A warning of inputs that are all the same."""
    if isinstance(data.inputs, Table):
        same = all(column.n_unique() <= 1 for column in data.inputs.frame.get_columns())
    else:
        same = data.kind.array and bool((data.inputs == data.inputs[:1]).all())
    if same:
        yield "all features are constant, so there is nothing to learn from but shares of classes."


def of_split_groups(folds: np.ndarray, groups: np.ndarray | None) -> Iterator[str]:
    """A warning of groups that lie in several folds, which only folds of a caller's can have."""
    if groups is None:
        return
    pairs = np.unique(np.stack([groups, folds]), axis=1)
    if several := int((np.bincount(pairs[0]) > 1).sum()):
        yield f"{several:,} groups lie in more than one of the given `folds`."


def of_rare_classes(marks: np.ndarray, classes: Sequence[str], folds: int) -> Iterator[str]:
    """A warning of classes with fewer examples than folds."""
    counts = marks.sum(0)
    if len(rare := np.flatnonzero((counts > 0) & (counts < folds))):
        yield (
            f"fewer examples than folds ({folds}): {_listed(classes, rare)}. Their probabilities "
            "rest on very few examples."
        )


def of_absent_classes(held: Sequence[Held], classes: Sequence[str]) -> Iterator[str]:
    """A warning of classes that some fold's model was not shown."""
    seen = np.stack([each.known for each in held])
    if len(nowhere := np.flatnonzero(~seen.any(0))):
        yield f"no example to learn from, so probability 0: {_listed(classes, nowhere)}."
    if len(absent := np.flatnonzero(seen.any(0) & ~seen.all(0))):
        numbers = [each.part.number for each in held if not each.known[absent].all()]
        yield (
            f"absent from the training rows of fold {', '.join(map(str, sorted(set(numbers))))}: "
            f"{_listed(classes, absent)}. Their probability there is 0, which says nothing of "
            "the labels."
        )


def of_memory(held: Sequence[Held], accuracy: float, marks: np.ndarray) -> Iterator[str]:
    """A warning of agreement with the labels that is as good as in sample."""
    on_train = np.array([each.train_accuracy for each in held])
    on_train = on_train[~np.isnan(on_train)]
    suspicious = accuracy > IN_SAMPLE and marks.sum(0).max() <= COMMON * marks.any(1).sum()
    if suspicious and len(on_train) and (on_train > IN_SAMPLE).all():
        yield (
            f"{accuracy:.2%} of the held-out predictions agree with the labels, as on the training "
            "rows. Unless the classes are that easy, a feature holds the label or the examples are "
            "there twice."
        )


def of_pretraining(data: Labelled, pretrained_on: Any, what: str) -> Iterator[str]:
    """A warning where a model has been trained on the examples before.

    Args:
        pretrained_on: ``Labelled``, compared by inputs; a fingerprint; or ids, and fingerprints, of
            what it was trained on.

    Raises:
        TypeError: something else.
    """
    if isinstance(pretrained_on, Labelled):
        common = int(np.isin(digests(data), digests(pretrained_on)).sum())
    else:
        names = {pretrained_on} if isinstance(pretrained_on, str) else _names(pretrained_on)
        if names & fingerprints(data):
            common = data.n
        else:
            common = sum(name in names for name in data.ids.tolist())
    if common:
        yield (
            f"{common:,} of {data.n:,} examples are among those that {what} was trained on: for "
            "them the probabilities are not out of sample."
        )


def _names(pretrained_on: Any) -> set[str | int]:
    array = np.asarray(pretrained_on)
    if array.ndim != 1 or array.dtype.kind not in "iuUOT":
        raise TypeError(
            f"`pretrained_on` is {type(pretrained_on).__name__}; give a Labelled, a fingerprint or "
            "a list of ids."
        )
    return set(array.tolist())


def fingerprints(data: Labelled) -> set[str | int]:
    """Of the data, with and without its truth."""
    return {data.fingerprint(), data.blind().fingerprint()}


def of_start(data: Labelled, start: Labelled | Model | None) -> Iterator[str]:
    """A warning where ``start`` holds, or was trained on, the examples themselves."""
    if isinstance(start, Labelled):
        yield from of_pretraining(data, start, "`start`")
    elif start is not None:
        yield from of_pretraining(data, str(start.about.get("data", "")), "`start`")


def of_fitted_parts(classifier: Any, name: str) -> Iterator[str]:
    """Warnings of what a scikit-learn classifier brings along from an earlier ``fit``."""
    if not hasattr(classifier, "get_params"):
        if is_fitted(classifier):
            yield (
                f"{name} is fitted already and has no get_params, so every fold starts from what "
                "it has learned; give an unfitted one."
            )
        return
    settings = classifier.get_params(deep=True)
    kept = [part for part in (classifier, *settings.values()) if _is_frozen(part)]
    frozen = {id(part.estimator) for part in kept}
    prefit = [
        key
        for key, value in settings.items()
        if (key.rpartition("__")[2] == "prefit" and value is True)
        or (key.rpartition("__")[2] == "cv" and value == "prefit")
    ]
    if kept or prefit:
        which = ", ".join([*(type(part.estimator).__name__ for part in kept), *prefit])
        yield (
            f"{name} keeps in every fold what was fitted before ({which}): if that has seen these "
            "examples, the probabilities are not out of sample."
        )
    fitted = {
        type(part).__name__
        for part in (classifier, *settings.values())
        if is_fitted(part) and not _is_frozen(part) and id(part) not in frozen
    }
    if fitted:
        yield (
            f"already fitted: {', '.join(sorted(fitted))}. It is fitted afresh in every fold; if "
            "the inputs went through it before, they carry what it saw of all rows. Give raw "
            "inputs and a Pipeline."
        )


def is_fitted(part: Any) -> bool:
    """Whether it has attributes that only ``fit`` makes, by scikit-learn's convention."""
    if not hasattr(part, "fit") or not hasattr(part, "__dict__"):
        return False
    return any(name.endswith("_") and not name.startswith("_") for name in vars(part))


def _is_frozen(part: Any) -> bool:
    return type(part).__name__ == "FrozenEstimator"  # scikit-learn has it from 1.6 on


def permuted(job: Job, random: np.random.Generator) -> Job:
    """The same with the labels of labelled examples dealt out anew."""
    order = np.arange(job.data.n)
    labelled = np.flatnonzero(job.marks.any(1))
    order[labelled] = random.permutation(labelled)
    labels = {
        name: getattr(job.data, name)[order]
        for name in ("given", "candidates", "tags")
        if getattr(job.data, name) is not None
    }
    return replace(job, data=replace(job.data, **labels), marks=job.marks[order])


def on_permuted(probs: np.ndarray, marks: np.ndarray) -> OnPermuted:
    """How many predictions agree with permuted labels.

    Who has not seen the labels of the held-out rows can only guess: the expected agreement is
    Σ_k (share of predictions k) (share of labels k).

    Args:
        probs: float (n, q), cross-validated on the permuted labels.
        marks: bool (n, q), these labels.
    """
    labelled = marks.any(1)
    probs, marks = probs[labelled], marks[labelled]
    predicted = probs.argmax(1)
    n = len(predicted)
    shares = np.bincount(predicted, minlength=marks.shape[1]) / n
    chance = float(shares @ marks.mean(0))
    return OnPermuted(float(marks[np.arange(n), predicted].mean()), chance)


def of_permuted_labels(found: OnPermuted, n: int) -> Iterator[str]:
    """A warning where ``n`` predictions agree with permuted labels more than chance explains."""
    agrees, chance = found
    if agrees > chance + SUSPICIOUS * np.sqrt(chance * (1 - chance) / n):
        yield (
            f"on permuted labels {agrees:.1%} of the held-out predictions agree, and chance gives "
            f"{chance:.1%}: the classifier sees labels of rows that it is not fitted to."
        )


def _listed(classes: Sequence[str], numbers: np.ndarray) -> str:
    names = ", ".join(classes[k] for k in numbers[:LISTED])
    more = f" and {len(numbers) - LISTED} more" if len(numbers) > LISTED else ""
    return f"class {names}" if len(numbers) == 1 else f"classes {names}{more}"
