"""Unfitted classifiers by name, for each kind of inputs, with what belongs inside the folds.

Inputs are numbers (n, d): columns as ``data.inputs`` encodes them, pictures as descriptors; or, of
texts, sparse counts of hashed words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...ground.spec import Reader, integer, number, read

PICTURES_C = 0.03  # descriptors are many, and say much the same
ENCODED_C = 0.001  # an encoder's numbers are 1,280, and wrong labels are learned of them in no time
TEXTS_C = 10  # words weigh between 0 and 1, and each says little
ROUGH = 1e-3  # of many standardised features; finer steps take thrice as long for no better loss
WORDS_KEPT = 1000  # where tables with mostly zeros are not taken
TREE_ROWS = 20_000  # that a tree of a forest learns from, at most


def logistic(kind: str, C: float | None = None) -> Any:
    """Logistic regression on standardised features, of texts on weighed words."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    of_texts: dict[str, Any] = {"C": TEXTS_C}  # at a rougher step it may stop before it begins
    settings = {
        "table": {},
        "texts": of_texts,
        "columns": {"tol": ROUGH},
        "encoded": {"C": ENCODED_C, "tol": ROUGH},
    }.get(kind, {"C": PICTURES_C, "tol": ROUGH})
    if C is not None:
        settings = {**settings, "C": C}
    return make_pipeline(*scaled(kind), LogisticRegression(max_iter=1000, **settings))


def encoded_logistic() -> str:
    """Logistic regression as it suits an encoder's vectors, by name.

    >>> encoded_logistic()
    'logistic:C=0.001'
    """
    return f"logistic:C={ENCODED_C}"


def forest(kind: str, leaf: int = 2, trees: int = 300) -> Any:
    """Trees on random parts of the rows and columns, at least so many examples a leaf."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*weighed(kind), RandomForestClassifier(trees, min_samples_leaf=leaf))


def boosting(kind: str, rate: float = 0.1, leaves: int = 31) -> Any:
    """Gradient boosting over histograms; of texts, on the 1000 words that tell most."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.feature_selection import SelectKBest, chi2
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    few = [SelectKBest(chi2, k=WORDS_KEPT), FunctionTransformer(dense)] if kind == "texts" else []
    trees = HistGradientBoostingClassifier(learning_rate=rate, max_leaf_nodes=leaves)
    return make_pipeline(*weighed(kind), *few, trees)


def bayes(kind: str, alpha: float = 0.1) -> Any:
    """Naive Bayes on the weights of words; of numbers, refused.

    Raises:
        ValueError: the inputs are no texts.
    """
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    if kind != "texts":
        raise ValueError(f"bayes reads texts, and the inputs are {kind}; take logistic.")
    return make_pipeline(*weighed(kind), MultinomialNB(alpha=alpha))


def weighed(kind: str) -> list[Any]:
    """Words that are in fewer of the training texts weigh more."""
    if kind != "texts":
        return []
    from sklearn.feature_extraction.text import TfidfTransformer

    return [TfidfTransformer(sublinear_tf=True)]


def scaled(kind: str) -> list[Any]:
    """What puts features on one scale."""
    if kind == "texts":
        return weighed(kind)
    from sklearn.preprocessing import StandardScaler

    return [StandardScaler()]


def dense(table: Any) -> Any:
    return table.toarray()


Options = Mapping[str, Reader]

# name -> (kind of inputs, options) -> an unfitted pipeline; and how its options are read
SINGLE: dict[str, tuple[Callable[..., Any], Options]] = {
    "logistic": (logistic, {"C": number(0, above=True)}),
    "forest": (forest, {"leaf": integer(1), "trees": integer(1)}),
    "boosting": (boosting, {"rate": number(0, above=True), "leaves": integer(2)}),
    "bayes": (bayes, {"alpha": number(0, above=True)}),
}
SLOW = "boosting:rate=0.05,leaves=8"  # which wrong labels move less
OF_NUMBERS = (
    "logistic",
    "logistic:C=0.03",
    *(f"forest:leaf={leaf},trees=100" for leaf in (1, 3, 10, 30)),
    SLOW,
)
# kind of inputs -> what ``blend`` is of
POOL: Mapping[str, tuple[str, ...]] = {
    "table": OF_NUMBERS,
    "columns": OF_NUMBERS,
    "media": ("logistic", "logistic:C=0.003", "forest:leaf=10,trees=100"),
    "images": ("logistic", "logistic:C=0.003", "forest:leaf=10,trees=100"),
    "encoded": ("logistic", "logistic:C=0.0001", "forest:leaf=10,trees=100"),
    "texts": ("logistic", "logistic:C=1", "bayes", "bayes:alpha=1"),
}


def single(text: str, kind: str) -> Any:
    """An unfitted classifier of ``SINGLE``.

    Args:
        text: ``NAME:key=value,...``.
        kind: of inputs; see ``Labelled``.

    Raises:
        UnknownName: no such name or option.
        ValueError: a value that an option cannot have.

    >>> single("forest:leaf=10", "table")[-1].min_samples_leaf
    10
    """
    spec = read(text, "classifier", "logistic")
    _, (make, readers) = spec.lookup(SINGLE, "classifier")
    return make(kind, **spec.options(readers))
