"""Fourteen classifiers of different capacity, each predicting 10,000 images it did not train on."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from candidly.ground.files import replacing

FOLDS = 10
SIDE = 28


def read_images(data: Path) -> np.ndarray:
    """The test images as float32 (10000, 784) in [0, 1]."""
    raw = gzip.decompress((data / "mnist" / "t10k-images-idx3-ubyte.gz").read_bytes())
    pixels = np.frombuffer(raw, np.uint8, offset=16)
    return pixels.reshape(-1, SIDE * SIDE).astype(np.float32) / 255


def read_labels(data: Path) -> np.ndarray:
    """The test labels as int64 (10000,)."""
    raw = gzip.decompress((data / "mnist" / "t10k-labels-idx1-ubyte.gz").read_bytes())
    return np.frombuffer(raw, np.uint8, offset=8).astype(np.int64)


def _pooled(x: np.ndarray) -> np.ndarray:
    """Means over squares of 2 x 2 pixels."""
    half = SIDE // 2
    return x.reshape(-1, half, 2, half, 2).mean((2, 4)).reshape(-1, half * half)


def make_models() -> dict[str, Callable[[], Any]]:
    """Name -> a fresh classifier."""
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import (
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
    )
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        HistGradientBoostingClassifier,
        RandomForestClassifier,
    )
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    def components(count: int) -> Any:
        return PCA(count, svd_solver="randomized", random_state=0)

    pooled = FunctionTransformer(_pooled)
    return {
        "naive Bayes": GaussianNB,
        "decision tree": lambda: DecisionTreeClassifier(random_state=0),
        "linear SVM": lambda: SGDClassifier(alpha=1e-3, random_state=0),
        "logistic": lambda: make_pipeline(pooled, LogisticRegression(C=0.3, max_iter=200)),
        "linear discriminant": lambda: make_pipeline(components(100), LinearDiscriminantAnalysis()),
        "quadratic discriminant": lambda: make_pipeline(
            components(40), QuadraticDiscriminantAnalysis(reg_param=0.02)
        ),
        "1 neighbour": lambda: KNeighborsClassifier(1, algorithm="brute"),
        "5 neighbours": lambda: KNeighborsClassifier(5, algorithm="brute"),
        "forest of 10": lambda: RandomForestClassifier(10, random_state=0),
        "forest of 100": lambda: RandomForestClassifier(100, random_state=0),
        "extra trees": lambda: ExtraTreesClassifier(100, random_state=0),
        "boosted trees": lambda: make_pipeline(
            pooled, HistGradientBoostingClassifier(max_iter=40, random_state=0)
        ),
        "kernel SVM": lambda: make_pipeline(components(50), SVC(C=10, gamma=0.02)),
        "small network": lambda: MLPClassifier((64,), max_iter=20, random_state=0),
    }


def train(data: Path, cache: Path) -> dict[str, np.ndarray]:
    """Predictions uint8 (10000,) by name; a model whose file is in ``cache`` is not trained."""
    from sklearn.model_selection import StratifiedKFold

    x, y = read_images(data), read_labels(data)
    folds = list(StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(x, y))
    cache.mkdir(parents=True, exist_ok=True)
    found = {}
    for name, make in make_models().items():
        file = cache / f"{name}.npy"
        if not file.exists():
            began = time.process_time()
            predicted = np.empty(len(y), np.uint8)
            for inside, outside in folds:
                predicted[outside] = make().fit(x[inside], y[inside]).predict(x[outside])
            with replacing(file) as place:
                np.save(place, predicted, allow_pickle=False)
            print(
                f"{name}: {np.mean(predicted == y):.2%}, {time.process_time() - began:.0f} CPU s",
                flush=True,
            )
        found[name] = np.load(file, allow_pickle=False)
    return found
