"""Classifiers that remember what they were shown. The first feature is the row number."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.naive_bayes import GaussianNB

fitted: list[tuple[str, np.ndarray]] = []  # (who, row numbers), in order of the calls
asked: list[np.ndarray] = []


class Recorder(ClassifierMixin, BaseEstimator):
    """Naive Bayes that notes the rows of every call."""

    def fit(self, x, y):
        fitted.append(("classifier", x[:, 0].round().astype(int)))
        self.model_ = GaussianNB().fit(x[:, 1:], y)
        self.classes_ = self.model_.classes_
        return self

    def predict_proba(self, x):
        asked.append(x[:, 0].round().astype(int))
        return self.model_.predict_proba(x[:, 1:])


class Scaler(TransformerMixin, BaseEstimator):
    """Changes nothing, and notes the rows it was fitted to."""

    def fit(self, x, y=None):
        fitted.append(("scaler", x[:, 0].round().astype(int)))
        self.rows_ = len(x)
        return self

    def transform(self, x):
        return x


def numbered(n=90, d=3, q=3, seed=0):
    """Inputs whose first feature is the row number, and labels that the others mostly tell."""
    g = np.random.default_rng(seed)
    y = g.integers(0, q, n)
    x = g.normal(size=(n, d)) + 2 * np.eye(q)[y] @ g.normal(size=(q, d))
    return np.column_stack([np.arange(n), x]), np.where(g.random(n) < 0.2, g.integers(0, q, n), y)


def cleared():
    fitted.clear()
    asked.clear()
