"""What is trained: CC with a linear layer, from candidate sets before and after.

CIFAR-10 as EfficientNet-Lite0 sees it: 10,000 of the training pictures to learn from, the 10,000
test pictures to measure on; each draw has rows, sets and known labels of its own. A logistic
regression learns from so many true labels a class, and its probabilities narrow the sets of all
rows.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import candidly
from candidly.data import imperfect, narrowed
from candidly.data.labels.labelled import Labelled

ENCODER = "efficientnet-lite0"
PROCESSES = {  # in words
    "flip:rate=0.3": "each with 0.3",
    "flip:rate=0.7": "each with 0.7",
    "instance:rate=0.3": "where the picture looks like it",
}
KNOWN = (5, 20, 100)  # true labels a class
MASSES = (0.5, 0.8, 0.95, 0.99)
ROWS, DRAWS, STEPS = 10_000, 5, 1_560  # ten epochs


def read(folder: Path) -> tuple[Labelled, Labelled]:
    """Vectors of the training pictures, standardised by themselves, and of the test pictures."""
    data = candidly.load("cifar10", folder, download=False, tested=True)
    found = candidly.features(data, ENCODER)
    test = data.official_test
    assert test is not None
    found = (found - found[~test].mean(0)) / np.maximum(found[~test].std(0), 1e-6)
    seen = replace(data, inputs=found.astype(np.float32), features=None, official_test=None)
    return seen[~test], seen[test]


def of_draw(train: Labelled, test: Labelled, process: str, seed: int) -> dict[str, float]:
    """What each way puts right of the test pictures, and what narrowing does to the sets."""
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(seed)
    some = train[np.sort(rng.permutation(train.n)[:ROWS])]
    made = imperfect.apply(some, process, seed=seed)
    sets, truth = made.candidates, some.truth
    assert sets is not None
    assert truth is not None

    def right_from(candidates: np.ndarray) -> float:
        data = replace(some, candidates=candidates, truth=None, given=None)
        model = candidly.fit(data, "CC", net="linear", steps=STEPS, batch_size=64, seed=seed)
        return float((np.asarray(model.predict(test)) == test.truth).mean())

    found = {"the sets": right_from(sets), "the sets: labels": float(sets.sum(1).mean())}
    for known in KNOWN:
        rows = [rng.permutation(np.flatnonzero(truth == k))[:known] for k in range(some.q)]
        few = np.concatenate(rows)
        judge = LogisticRegression(C=0.01, max_iter=500).fit(some.inputs[few], truth[few])
        probs = judge.predict_proba(some.inputs)
        found[f"{known} known"] = float(judge.score(test.inputs, test.truth))
        for mass in MASSES:
            fewer, way = narrowed(sets, probs, mass), f"{known} known, {mass:g}"
            found[way] = right_from(fewer)
            found[f"{way}: labels"] = float(fewer.sum(1).mean())
            found[f"{way}: truth"] = float(fewer[np.arange(some.n), truth].mean())
    return found
