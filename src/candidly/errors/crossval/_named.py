"""Classifiers by name: of scikit-learn's, with what belongs inside the folds, and networks.

Those of scikit-learn's see pictures as descriptors and texts as counts of words (``_features``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...data.labels.kinds import ONE_OF
from ...data.labels.labelled import Labelled
from ...ground.names import same
from ...ground.spec import begins_with, read
from ...learn.classifiers import CLASSIFIERS, classifier
from ...learn.classifiers.pipelines import TEXTS_C, scaled
from ._features import Features, Views, grams, named_classes, sentences, usual
from ._job import Network


def knn(kind: str) -> Any:
    """Shares of the 10 nearest neighbours on standardised features; texts by cosine."""
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    metric = "cosine" if kind == "texts" else "minkowski"
    return make_pipeline(*scaled(kind), KNeighborsClassifier(10, metric=metric))


def of_sentences(kind: str) -> Any:
    """Logistic regression on vectors of length 1 that a sentence encoder makes of texts."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=TEXTS_C, max_iter=1000)


class SoftMax:
    """Probabilities of scores that somebody else gave; it learns nothing."""

    def fit(self, scores: np.ndarray, y: np.ndarray) -> SoftMax:
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, scores: np.ndarray) -> np.ndarray:
        """Of the classes that were there: float64 (n, classes)."""
        from scipy.special import softmax

        return np.asarray(softmax(np.asarray(scores, np.float64)[:, self.classes_], axis=1))


def zero_shot(kind: str) -> Any:
    """A model of pictures and texts, which knows the classes by their names."""
    return SoftMax()


def fasttext(kind: str) -> Any:
    """fastText's classifier."""
    from ._fasttext import FastText

    return FastText()


SENTENCES = "sentences"  # the classifier of a sentence encoder's vectors
MEANT = {"steps": "the number of updates", "net": "the kind", "recipe": "the training"}

# name -> (kind of inputs) -> an unfitted pipeline
NAMED: dict[str, Callable[[str], Any]] = {
    **{name: partial(classifier, name) for name in CLASSIFIERS},
    "knn": knn,
    "fasttext": fasttext,
    SENTENCES: of_sentences,
    "zero-shot": zero_shot,
}
OF_ONE_KIND: Mapping[str, Callable[[Views], Features]] = {  # which take nothing else
    "bayes": usual,
    "fasttext": grams,
    SENTENCES: sentences,
    "zero-shot": named_classes,
}


def seen_by(name: str) -> Callable[[Views], Features]:
    """What a classifier of ``NAMED`` sees of the inputs."""
    return OF_ONE_KIND.get(name, usual)


class Default(NamedTuple):
    """The classifier that a kind of input gets where none is named, and why."""

    classifier: str
    reason: str


DEFAULTS: Mapping[str, Default] = {  # figures: docs/out-of-sample.md
    "table": Default("logistic", "quick, and its probabilities are near the frequencies"),
    "columns": Default(
        "logistic", "as likely to be right as boosting on 50,000 mixed rows, in a tenth of the time"
    ),
    "images": Default("logistic", "the least log loss beside networks, in a tenth of their time"),
    "media": Default("logistic", "as for images"),
    "texts": Default("logistic", "quick on words, and its probabilities are near the frequencies"),
}
OF_SETS = Default("PRODEN", "learns from candidate sets, and most often among the best that do")


def default_classifier(data: Labelled) -> Default:
    """What ``cross_validate`` takes where no classifier is named."""
    return OF_SETS if data.label_kind == ONE_OF else DEFAULTS[data.kind]


def by_name(
    name: str,
    kind: str,
    steps: int | None = None,
    net: str | None = None,
    recipe: str | None = None,
) -> Any:
    """A pipeline of ``NAMED``, or a ``Network`` for a name of ``ALGORITHMS``.

    Args:
        kind: of inputs; see ``Labelled``. The pipeline takes them as ``_features`` makes them.
        steps, net, recipe: of a network, as in ``Network``; by default as there.

    Raises:
        UnknownName: neither; suggests the nearest.
        ValueError: one of these, which none of ``NAMED`` has.
    """
    asked = _given(steps, net, recipe)
    text = read(name, "classifier", "logistic")
    base = same(NAMED, text.name.text)
    if base is None:
        from ...learn.algorithms import ALGORITHMS  # which brings torch

        text.lookup({**NAMED, **ALGORITHMS}, "classifier or algorithm")
        return Network(name, **asked)
    for option in asked:
        raise _no_network([name], option)
    if base in CLASSIFIERS:
        return classifier(name, kind)
    text.alone()
    return NAMED[base](kind)


def is_named(name: str) -> bool:
    """Whether a text begins with a name of ``NAMED``."""
    return begins_with(name, NAMED)


def by_names(
    names: Sequence[str],
    steps: int | None = None,
    net: str | None = None,
    recipe: str | None = None,
) -> dict[str, str | Network]:
    """Several for ``cross_validate``; what is said of networks is for those among them.

    Raises:
        UnknownName: no such classifier or algorithm; suggests the nearest.
        ValueError: something is said of networks, and there is none.
    """
    found: dict[str, str | Network] = {}
    for name in names:
        each = by_name(name, "table")
        found[name] = each if isinstance(each, Network) else name
    networks = [name for name, each in found.items() if isinstance(each, Network)]
    for option in _given(steps, net, recipe) if not networks else ():
        raise _no_network(names, option)
    return found | {name: by_name(name, "table", steps, net, recipe) for name in networks}


def _given(steps: int | None, net: str | None, recipe: str | None) -> dict[str, Any]:
    options = {"steps": steps, "net": net, "recipe": recipe}
    return {option: value for option, value in options.items() if value is not None}


def _no_network(names: Sequence[str], option: str) -> ValueError:
    return ValueError(
        f"`{option}` is not used by {', '.join(names)}: it is {MEANT[option]} of a "
        "network. Leave it out, or choose an algorithm, such as ce."
    )
