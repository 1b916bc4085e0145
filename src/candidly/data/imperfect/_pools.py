"""Inputs that are in no class, and what makes them comparable with those that are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from ...ground import seeds
from ..labels.labelled import Labelled
from ._classes import read_classes
from ._features import checked_table, condensed
from ._specs import ProcessInput, Values
from .open_set import Replacement, open_set

TEXT_COMPONENTS = 256

Embedding = Callable[[np.ndarray], np.ndarray]  # inputs (n, ...) -> numbers (n, d)


def hold_out(task: ProcessInput, values: Values) -> ProcessInput:
    """Classes whose examples leave the data and become the pool; the others keep their order.

    Of labels, the truth alone stays: what names a class that is gone means nothing.
    """
    classes = read_classes(values["classes"])
    data = task.data
    for label in classes:
        if not (task.truth == label).any():
            raise ValueError(
                f"class {label} has no example to hold out (classes are 0..{data.q - 1})."
            )
    kept = [label for label in range(data.q) if label not in classes]
    if len(kept) < 2:
        raise ValueError(f"holding out classes {values['classes']} leaves fewer than two.")
    held = np.isin(task.truth, classes)
    bare = replace(data, candidates=None, given=None, tags=None, votes=None)
    truth = np.searchsorted(kept, task.truth[~held])
    names = tuple(data.classes[label] for label in kept)
    # in one step: between two, labels and classes would disagree
    rest = bare[~held]
    rest = Labelled(
        inputs=rest.inputs,
        classes=names,
        truth=truth,
        ids=rest.ids,
        source=data.source,
        official_test=rest.official_test,
        official_validation=rest.official_validation,
    )
    return replace(task, data=rest, truth=truth, pool=bare[held])


def read_pool(task: ProcessInput, values: Values) -> ProcessInput:
    """The inputs of another file as the pool."""
    pool = Labelled.load(values["file"])
    data = task.data
    if pool.kind != data.kind or pool.inputs.shape[1:] != data.inputs.shape[1:]:
        raise ValueError(
            f"{values['file']} holds {pool.kind} of shape {pool.inputs.shape[1:]}, but the data "
            f"{data.kind} of shape {data.inputs.shape[1:]}; one cannot stand in for the other."
        )
    return replace(task, pool=pool)


def replaced_by(task: ProcessInput, values: Values, embed: Embedding | None = None) -> Replacement:
    """Which inputs of a task are replaced by which of its pool.

    Args:
        embed: of the inputs of data and pool together; by default that of their kind.
    """
    if task.pool is None:
        raise ValueError(
            "open-set needs inputs that are in no class: put hold-out:classes=8/9 or "
            "pool:file=other.npz in front of it, joined by +."
        )
    own = {key: value for key, value in values.items() if key != "per_class"}
    n = task.data.n
    both = np.concatenate([task.data.inputs, task.pool.inputs])
    if own["random"]:
        table = np.zeros((len(both), 1))  # nothing is compared
    else:
        table = (embed or embedding_of(task.data.kind))(both)
    groups = task.truth if values["per_class"] else None
    return open_set(table[:n], table[n:], groups=groups, watch=task.watch, **own)


def embedding_of(kind: str) -> Embedding:
    """What makes inputs of a kind comparable.

    Raises:
        ValueError: nothing does.
    """
    if kind not in EMBEDDINGS:
        raise ValueError(
            f"there is no embedding of {kind} here; call imperfect.replace_inputs with one of "
            "your own, or use random=true."
        )
    return EMBEDDINGS[kind]


def of_numbers(inputs: np.ndarray) -> np.ndarray:
    """Standardised columns, or their first components where there are many: (n, ...) -> (n, d)."""
    from threadpoolctl import threadpool_limits

    seed = int(seeds.draw(0, "imperfect.features").integers(2**31))  # whatever the labels' seed
    with threadpool_limits(1):  # the same sums whatever the number of cores
        return condensed(checked_table(inputs, len(inputs)), seed)


def _of_texts(inputs: np.ndarray) -> np.ndarray:
    """TF-IDF of words and pairs of words, in at most 256 dimensions."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from threadpoolctl import threadpool_limits

    words = TfidfVectorizer(ngram_range=(1, 2)).fit_transform(list(inputs))
    most = min(words.shape) - 1
    if most < 2:
        return words.toarray()
    seed = int(seeds.draw(0, "imperfect.texts").integers(2**31))
    with threadpool_limits(1):
        return TruncatedSVD(min(TEXT_COMPONENTS, most), random_state=seed).fit_transform(words)


EMBEDDINGS: Mapping[str, Embedding] = {
    "table": of_numbers,
    "images": of_numbers,
    "texts": _of_texts,
}
