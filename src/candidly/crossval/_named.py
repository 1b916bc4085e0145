"""Classifiers by name: of scikit-learn's, with what belongs inside the folds, and networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._names import lookup
from ._job import Network

WORDS = 50_000  # of a vocabulary
DENSE_WORDS = 1000  # where tables with mostly zeros are not taken


def logistic(texts: bool) -> Any:
    """Logistic regression on standardised features."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*_scaled(texts), LogisticRegression(max_iter=1000))


def forest(texts: bool) -> Any:
    """300 trees, at least two examples a leaf."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*_words(texts), RandomForestClassifier(300, min_samples_leaf=2))


def boosting(texts: bool) -> Any:
    """Gradient boosting over histograms."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    dense = [FunctionTransformer(_dense)] if texts else []
    return make_pipeline(*_words(texts, DENSE_WORDS), *dense, HistGradientBoostingClassifier())


def knn(texts: bool) -> Any:
    """Shares of the 10 nearest neighbours on standardised features; texts by cosine."""
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    metric = "cosine" if texts else "minkowski"
    return make_pipeline(*_scaled(texts), KNeighborsClassifier(10, metric=metric))


def _words(texts: bool, most: int = WORDS) -> list[Any]:
    if not texts:
        return []
    from sklearn.feature_extraction.text import TfidfVectorizer

    return [TfidfVectorizer(sublinear_tf=True, max_features=most)]


def _scaled(texts: bool) -> list[Any]:
    if texts:
        return _words(texts)
    from sklearn.preprocessing import StandardScaler

    return [StandardScaler()]


def _dense(table: Any) -> Any:
    return table.toarray()


# name -> (texts or not) -> an unfitted pipeline
NAMED: dict[str, Callable[[bool], Any]] = {
    "logistic": logistic,
    "forest": forest,
    "boosting": boosting,
    "knn": knn,
}


def by_name(name: str, kind: str, steps: int | None = None) -> Any:
    """A pipeline of ``NAMED``, or a ``Network`` for a name of ``ALGORITHMS``.

    Args:
        kind: of inputs; see ``Labelled``.
        steps: updates of a network; by default ``Network.steps``.

    Raises:
        UnknownName: neither; suggests the nearest.
        ValueError: files, or steps, which none of ``NAMED`` reads.
    """
    base = name.partition(":")[0]
    if base not in NAMED:
        from ..algorithms import ALGORITHMS  # which brings torch

        base = lookup({**NAMED, **ALGORITHMS}, base, "classifier or algorithm")[0]
    if base not in NAMED:
        return Network(name) if steps is None else Network(name, steps)
    if steps is not None:
        raise _no_network([name])
    if kind == "media":
        raise ValueError(
            f"{base} needs a table, images or texts, and the data holds files; make features of "
            "them, or give a Pipeline that reads paths."
        )
    return NAMED[base](kind == "texts")


def by_names(names: Sequence[str], kind: str, steps: int | None = None) -> dict[str, Any]:
    """Several of ``by_name``; the steps are for the networks among them.

    Raises:
        UnknownName, ValueError: see ``by_name``; there are steps, and no network.
    """
    found = {name: by_name(name, kind) for name in names}
    networks = [name for name, each in found.items() if isinstance(each, Network)]
    if steps is not None and not networks:
        raise _no_network(names)
    return found | {name: by_name(name, kind, steps) for name in networks}


def _no_network(names: Sequence[str]) -> ValueError:
    return ValueError(
        f"`steps` (--steps) is not used by {', '.join(names)}: it counts the updates of a network. "
        "Leave it out, or choose an algorithm, such as ce."
    )
