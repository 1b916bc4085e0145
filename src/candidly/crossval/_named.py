"""scikit-learn classifiers by name, each with what belongs inside the folds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
