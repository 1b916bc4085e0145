"""Out-of-sample probabilities for detectors that need them, when one has none."""

from __future__ import annotations

import numpy as np

from ..labelled import Labelled
from ..seeds import draw

FOLDS = 5


def held_out_probs(data: Labelled, *, folds: int = FOLDS, seed: int = 0) -> np.ndarray:
    """Cross-validated probabilities of logistic regression on standardised inputs.

    Every example is predicted once, by a model that saw neither it nor its scale. Folds are
    stratified by the given label as far as it goes round. A class that a fold's model never saw
    has probability 0 there.

    Args:
        data: a table or images, with ``given`` on every row.
        folds: at least 2, at most n.

    Returns:
        float64 (n, q), rows sum to 1.

    Raises:
        ValueError: other inputs, or folds out of range.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from threadpoolctl import threadpool_limits

    if data.kind not in ("table", "images"):
        raise ValueError(f"the inputs are {data.kind}: pass `probs` of a model that reads them.")
    if not 2 <= folds <= data.n:
        raise ValueError(f"folds is {folds}; there are {data.n} examples, so use 2 to {data.n}.")
    assert data.given is not None
    table = np.asarray(data.inputs).reshape(data.n, -1)
    order = np.lexsort((draw(seed, "detectors.folds").random(data.n), data.given))
    fold = np.empty(data.n, np.int64)
    fold[order] = np.arange(data.n) % folds  # dealt out like cards, class by class
    probs = np.zeros((data.n, data.q))
    with threadpool_limits(1):  # a second thread gains little, and on a busy machine costs much
        for k in range(folds):
            out = fold == k
            known = np.unique(data.given[~out])
            if len(known) == 1:
                probs[out, known] = 1
                continue
            model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
            model.fit(table[~out], data.given[~out])
            probs[np.ix_(out, known)] = model.predict_proba(table[out])
    return probs
