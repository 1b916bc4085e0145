"""Made-up sets: classes that overlap more or less, a classifier, and errors of seven kinds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

SHAPES = ("gaussian", "stretched", "clusters", "rings")
KINDS = ("none", "uniform", "careless", "by class", "pairs", "ambiguous", "posterior")
CLASSIFIERS = ("logistic", "qda", "forest", "boosting", "knn", "mlp", "svm", "linear")
SIZES = (600, 1000, 1500, 2000, 3000, 5000, 8000)
LARGE = 20_000  # some, of classifiers that are fast enough
CLASSES, SHARES = (2, 3, 6, 10, 20), (0.15, 0.25, 0.25, 0.25, 0.1)
BEST = (0.999, 0.95, 0.88, 0.75, 0.6, 0.45)
RATES = (0.02, 0.05, 0.1, 0.2, 0.3)


@dataclass(frozen=True)
class Asked:
    """What a set is made of; the seed tells all else.

    Attributes:
        seed: of everything.
        shape: of the classes.
        kind: of the errors.
        classifier: whose out-of-sample probabilities are looked at.
        n, q: rows and classes.
        best: accuracy that nobody exceeds, about.
        rate: of errors, about.
    """

    seed: int
    shape: str
    kind: str
    classifier: str
    n: int
    q: int
    best: float
    rate: float


def ask(seed: int) -> Asked:
    """The set with this seed: kinds, classifiers and shapes take turns, the rest is drawn."""
    rng = np.random.default_rng([20261127, seed])
    kind = KINDS[seed % len(KINDS)]
    classifier = CLASSIFIERS[seed // len(KINDS) % len(CLASSIFIERS)]
    shape = SHAPES[int(rng.integers(len(SHAPES)))]
    if classifier == "logistic":  # where it is right; "linear" is the same, wherever it is asked
        shape = "gaussian"
    n = int(rng.choice(SIZES))
    if classifier in ("logistic", "qda", "linear") and rng.random() < 0.25:
        n = LARGE
    q = int(rng.choice(CLASSES, p=SHARES))
    best = float(rng.choice(BEST))
    if q == 2:
        best = max(best, 0.75)
    rate = float(rng.choice(RATES))
    return Asked(seed, shape, kind, classifier, n, q, best, rate)


def make(asked: Asked) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Inputs (n, d), true labels (n,), given labels (n,), and the posterior (n, q)."""
    rng = np.random.default_rng([7, asked.seed])
    draw = _shape(asked.shape, asked.q, rng)
    low, high = 0.02, 40.0  # how far apart classes are, found so that the best accuracy is as asked
    probe = np.random.default_rng([8, asked.seed])
    for _ in range(25):
        apart = (low * high) ** 0.5
        _, true, posterior = draw(4000, apart, np.random.default_rng(probe.integers(2**31)))
        if (posterior.argmax(1) == true).mean() < asked.best:
            low = apart
        else:
            high = apart
    x, true, posterior = draw(asked.n, (low * high) ** 0.5, rng)
    return x, true, spoil(true, posterior, asked.kind, asked.rate, rng), posterior


def _shape(shape: str, q: int, rng: np.random.Generator) -> Callable:
    d = 2 if shape == "rings" else min(max(q, 3), 8)
    shares = rng.dirichlet(np.full(q, 8.0))
    parts = 3 if shape == "clusters" else 1
    centres = rng.normal(size=(q, parts, d))
    mixing = rng.normal(size=(q, d, d)) * 0.5 + np.eye(d) if shape == "stretched" else None

    def draw(n: int, apart: float, rng: np.random.Generator) -> tuple:
        true = rng.choice(q, n, p=shares)
        if shape == "rings":  # radius is the class, and only a network or a tree sees it
            radius = np.sqrt(1 + apart * 2 * true) + 0.0
            r = radius + rng.normal(size=n) * 0.5
            angle = rng.random(n) * 2 * np.pi
            x = np.stack([r * np.cos(angle), r * np.sin(angle)], 1)
            logs = -0.5 * ((r[:, None] - np.sqrt(1 + apart * 2 * np.arange(q))) / 0.5) ** 2
            return x, true, _softmax(logs + np.log(shares))
        part = rng.integers(parts, size=n)
        noise = rng.normal(size=(n, d))
        if mixing is None:
            x = apart * centres[true, part] + noise
            logs = np.stack(
                [
                    np.logaddexp.reduce(
                        [-0.5 * ((x - apart * c) ** 2).sum(1) for c in centres[k]], axis=0
                    )
                    for k in range(q)
                ],
                1,
            )
            return x, true, _softmax(logs + np.log(shares))
        x = apart * centres[true, 0] + np.einsum("nij,nj->ni", mixing[true], noise)
        logs = np.empty((n, q))
        for k in range(q):
            back = np.linalg.solve(mixing[k], (x - apart * centres[k, 0]).T)
            logs[:, k] = -0.5 * (back**2).sum(0) - np.linalg.slogdet(mixing[k])[1]
        return x, true, _softmax(logs + np.log(shares))

    return draw


def spoil(
    true: np.ndarray, posterior: np.ndarray, kind: str, rate: float, rng: np.random.Generator
) -> np.ndarray:
    """Given labels with errors of this kind; ``rate`` is about how many."""
    n, q = posterior.shape
    given = true.copy()
    other = (true + rng.integers(1, q, n)) % q
    if kind == "uniform":
        hit = rng.random(n) < rate
        given[hit] = other[hit]
    elif kind == "careless":  # of 50 people who labelled a part each, a tenth did so at random
        person = rng.integers(50, size=n)
        careless = rng.random(50) < 0.1
        careless[int(rng.integers(50))] = True
        hit = careless[person]
        given[hit] = rng.integers(q, size=int(hit.sum()))
    elif kind == "by class":
        rates = np.zeros(q)
        some = rng.permutation(q)[: max(1, q // 2)]
        rates[some] = rng.random(len(some)) * min(2.5 * rate, 0.6)
        hit = rng.random(n) < rates[true]
        given[hit] = other[hit]
    elif kind == "pairs":
        rates = np.zeros(q)
        some = rng.permutation(q)[: max(1, q // 2)]
        rates[some] = min(2 * rate, 0.4)
        hit = rng.random(n) < rates[true]
        given[hit] = ((true + 1) % q)[hit]
    elif kind == "ambiguous":  # the less clear a row, the likelier; what is second likest is given
        unclear = 1 - posterior.max(1)
        chance = np.minimum(unclear * rate / max(unclear.mean(), 1e-9), 0.5)
        hit = rng.random(n) < chance
        ranked = np.argsort(-posterior, 1)
        second = np.where(ranked[:, 0] == true, ranked[:, 1], ranked[:, 0])
        given[hit] = second[hit]
    elif kind == "posterior":
        given = (posterior.cumsum(1) > rng.random(n)[:, None]).argmax(1)
    return given


def probabilities(asked: Asked, x: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Of five folds, each judged by a classifier that learned from the others: (n, q)."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    folds = StratifiedKFold(5, shuffle=True, random_state=asked.seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = cross_val_predict(
            _classifier(asked), x, given, cv=folds, method="predict_proba", n_jobs=1
        )
    there = np.unique(given)
    probs = np.zeros((len(given), asked.q))
    probs[:, there] = found
    return probs


def _classifier(asked: Asked) -> Any:
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    seed = asked.seed
    made: dict[str, Callable[[], Any]] = {
        "logistic": lambda: LogisticRegression(max_iter=500),
        "linear": lambda: LogisticRegression(max_iter=500),
        "qda": lambda: QuadraticDiscriminantAnalysis(reg_param=0.05),
        "forest": lambda: ExtraTreesClassifier(100, min_samples_leaf=3, random_state=seed),
        "boosting": lambda: HistGradientBoostingClassifier(max_iter=60, random_state=seed),
        "knn": lambda: KNeighborsClassifier(20),
        "mlp": lambda: MLPClassifier((32,), max_iter=60, early_stopping=True, random_state=seed),
        "svm": lambda: CalibratedClassifierCV(SVC(), cv=3, ensemble=False),
    }
    return make_pipeline(StandardScaler(), made[asked.classifier]())


def measured(seed: int) -> dict[str, Any]:
    """A set, and what is said of it: a row of the table."""
    import time

    from candidly import errors
    from candidly.errors.amount import estimate

    asked = ask(seed)
    x, true, given, posterior = make(asked)
    probs = probabilities(asked, x, given)
    wrong = given != true
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        evidence = errors.examine(given, probs)
        begun = time.perf_counter()
        found = estimate(evidence)
        seconds = time.perf_counter() - begun
        joint = errors.counts(evidence).expected / asked.n
        flags = float(errors.find(given, probs).mask.mean())
    order = np.argsort(-np.nan_to_num(found.chance), kind="stable")
    row: dict[str, Any] = {
        **asdict(asked),
        "reached": round(float((posterior.argmax(1) == true).mean()), 4),
        "skill": round(float((probs.argmax(1) == true).mean()), 4),
        "truth": round(float(wrong.mean()), 6),
        "share": _round(found.share),
        "low": _round(found.low),
        "high": _round(found.high),
        "disagreement": _round(found.disagreement),
        "joint": _round(joint),
        "flags": _round(flags),
        "fits": _round(found.fits),
        "moves": "; ".join(" ".join(map(str, move)) for move in found.moves),
        "why": found.why,
        "seconds": round(seconds, 3),
    }
    own, margin = evidence.own.astype(float), evidence.own.astype(float) - evidence.other
    for name, score in (("chance", found.chance), ("self", -own), ("margin", -margin)):
        row[f"ap {name}"] = _round(_precision(wrong, np.nan_to_num(score), own))
    for depth in (50, 200, 1000):
        if depth <= asked.n:
            row[f"said {depth}"] = _round(float(np.nan_to_num(found.chance)[order[:depth]].mean()))
            row[f"true {depth}"] = _round(float(wrong[order[:depth]].mean()))
    return row


def _precision(wrong: np.ndarray, score: np.ndarray, own: np.ndarray) -> float:
    """Average precision; ties by self-confidence."""
    if not wrong.any():
        return float("nan")
    order = np.lexsort((own, -score))
    hits = wrong[order].cumsum()
    return float((hits / np.arange(1, len(wrong) + 1))[wrong[order]].mean())


def _round(x: float) -> float | None:
    return None if not np.isfinite(x) else round(float(x), 6)


def _softmax(logs: np.ndarray) -> np.ndarray:
    z = np.exp(logs - logs.max(1, keepdims=True))
    return z / z.sum(1, keepdims=True)
