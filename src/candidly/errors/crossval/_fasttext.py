"""fastText's classifier: the mean of embeddings of words and pairs of words, and a softmax.

Source: Joulin, Grave, Bojanowski & Mikolov, "Bag of tricks for efficient text classification", EACL
2017. As there, words and pairs are hashed, embeddings start uniform in ±1/dim and the softmax at
0, and one text at a time moves them by its gradient, at a rate that falls linearly to 0. Departs
from the released program: one thread, so that a seed gives one result; texts in a new order every
epoch; a class's row is kept for each class that was shown alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...ground.compiled import compiler

compiled = compiler()


class FastText:
    """A classifier with scikit-learn's methods, of counts of hashed words and pairs of words.

    Args:
        dim: the dimension of an embedding.
        rate: that the first update has.
        epochs: how often each text is seen.
        random_state: integer; None: 0.

    Attributes:
        classes_: the labels that were shown, in order.
        embeddings_: float32 (d, dim).
        weights_: float32 (classes, dim).
    """

    def __init__(
        self,
        dim: int = 64,
        rate: float = 0.5,
        epochs: int = 25,
        random_state: int | None = None,
    ):
        self.dim, self.rate, self.epochs, self.random_state = dim, rate, epochs, random_state

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments, as scikit-learn copies a classifier by them."""
        names = ("dim", "rate", "epochs", "random_state")
        return {name: getattr(self, name) for name in names}

    def set_params(self, **values: Any) -> FastText:
        """Other values of some arguments."""
        for name, value in values.items():
            setattr(self, name, value)
        return self

    def fit(self, x: Any, y: np.ndarray) -> FastText:
        """Learn.

        Args:
            x: scipy CSR (n, d), how often each word and pair is in each text.
            y: labels (n,), of at least two classes.
        """
        rng = np.random.default_rng(self.random_state or 0)
        self.classes_, labels = np.unique(y, return_inverse=True)
        n, d = x.shape
        low = 1 / self.dim
        self.embeddings_ = rng.uniform(-low, low, (d, self.dim)).astype(np.float32)
        self.weights_ = np.zeros((len(self.classes_), self.dim), np.float32)
        total = self.epochs * n
        for epoch in range(self.epochs):
            order = rng.permutation(n)
            pass_over(
                x.indptr,
                x.indices,
                x.data.astype(np.float32),
                labels.astype(np.int64),
                order,
                np.float32(self.rate * (1 - epoch * n / total)),
                np.float32(self.rate / total),
                self.embeddings_,
                self.weights_,
            )
        return self

    def predict_proba(self, x: Any) -> np.ndarray:
        """Probabilities float64 (n, classes); of a text without a known word, all alike."""
        sums = np.asarray(x.sum(1), np.float64).reshape(-1, 1)
        hidden = (x @ self.embeddings_) / np.where(sums > 0, sums, 1)
        scores = hidden @ self.weights_.T.astype(np.float64)
        scores -= scores.max(1, keepdims=True)
        exps = np.exp(scores)
        return np.asarray(exps / exps.sum(1, keepdims=True))


@compiled
def pass_over(starts, columns, counts, labels, order, rate, fall, embeddings, weights):
    """One update for each text in an order, in place.

    Args:
        starts, columns, counts: of the texts, as CSR has them; ``counts`` float32.
        labels: int64 (n,), rows of ``weights``.
        order: int64 (n,).
        rate, fall: float32, the rate of the first, and what it falls by with each.
        embeddings, weights: float32 (d, m) and (q, m).
    """
    classes, dim = weights.shape
    hidden, back = np.empty(dim, np.float32), np.empty(dim, np.float32)
    scores = np.empty(classes, np.float32)
    for i in order:
        first, last = starts[i], starts[i + 1]
        if first < last:
            size = np.float32(0)
            hidden[:] = 0
            for place in range(first, last):
                size += counts[place]
                hidden += counts[place] * embeddings[columns[place]]
            hidden /= size
            largest = np.float32(-np.inf)
            for k in range(classes):
                score = np.float32(0)
                for e in range(dim):
                    score += weights[k, e] * hidden[e]
                scores[k] = score
                largest = max(largest, score)
            total = np.float32(0)
            for k in range(classes):
                scores[k] = np.exp(scores[k] - largest)
                total += scores[k]
            back[:] = 0
            for k in range(classes):
                off = scores[k] / total - (np.float32(1) if labels[i] == k else np.float32(0))
                for e in range(dim):
                    back[e] += off * weights[k, e]
                    weights[k, e] -= rate * off * hidden[e]
            for place in range(first, last):
                embeddings[columns[place]] -= rate * (counts[place] / size) * back
        rate -= fall
