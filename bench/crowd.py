"""Consensus of annotators: time and memory, and accuracy against the truth on real answers.

Dawid-Skene with 1.8 million answers runs in a child process on one core, and with fewer beside
crowd-kit where that is installed (pip install crowd-kit). Accuracies are in percent,
differences from majority in points with a 95 % bootstrap interval over items, paired (10,000
resamples), and the p of McNemar's exact test. The model is a logistic regression, cross-validated
in 5 folds on the majority's labels: of standardised features (LabelMe), of weighted words and pairs
of words (sentiment); its settings are the usual ones. The real data are looked for, or downloaded,
as ``candidly.load`` does.

    python bench/crowd.py            some minutes; writes bench/results/crowd.json
    python bench/crowd.py --quick    seconds, without downloads
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

from _bench import Claim, at_most, cpu_timed, interleaved, main, median_ratio
from candidly import crowd, load
from candidly.data.labels.labelled import Labelled
from candidly.ground.seeds import draw

RESAMPLES = 10_000
DATA = ("labelme", "bluebirds", "sentiment")

Way = Callable[[crowd.Answers, np.ndarray | None], crowd.Consensus]
PEOPLE: dict[str, Way] = {
    "dawid-skene": lambda said, _: crowd.dawid_skene(said),
    "one-coin": lambda said, _: crowd.dawid_skene(said, one_coin=True),
    "crowdlab": lambda said, _: crowd.crowdlab(said),
}
WITH_MODEL: dict[str, Way] = {
    "crowdlab with the model": lambda said, probs: crowd.crowdlab(said, probs),
    "crowdlab with the model, temperature": lambda said, probs: crowd.crowdlab(
        said, probs, temperature=True
    ),
    "dawid-skene with the model": lambda said, probs: crowd.dawid_skene(said, probs=probs),
}


# time and memory


def simulated(n: int, number: int, m: int, each: int) -> crowd.Answers:
    """Answers of ``each`` of ``number`` annotators per item, right in 15 to 60 % of cases."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, m, n)
    first = rng.integers(0, number, n)[:, None]
    who = ((first + rng.integers(1, number // each, n)[:, None] * np.arange(each)) % number).ravel()
    item = np.repeat(np.arange(n), each)
    right = rng.random(n * each) < rng.uniform(0.15, 0.6, number)[who]
    label = np.where(right, truth[item], rng.integers(0, m, n * each))
    return crowd.Answers.from_columns(item, who, label, items=n, classes=m)


def child(n: int, number: int) -> tuple[float, int, float]:
    """Seconds, rounds and the process's peak memory in MB, on one core."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    answers = simulated(n, number, 10, 18)
    start = time.perf_counter()
    found = crowd.dawid_skene(answers)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    return seconds, len(found.log_likelihood), peak


def time_and_memory(n: int, number: int) -> list[Claim]:
    command = [sys.executable, __file__, "child", json.dumps([n, number])]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    seconds, rounds, peak = json.loads(done.stdout)
    label = f"dawid-skene, {18 * n} answers by {number} annotators, {n} items, 10 classes"
    return [
        at_most(f"{label}: seconds", seconds, 30),
        Claim(f"{label}: rounds", rounds),
        at_most(f"{label}: peak MB of the process", peak, 1000),
    ]


def beside_the_library(n: int, number: int, rounds: int) -> list[Claim]:
    """Dawid-Skene beside crowd-kit, where that is installed: as many rounds of the same formula."""
    try:
        import pandas as pd
        from crowdkit.aggregation import DawidSkene
    except ImportError:
        print("crowd-kit is not installed, so nothing stands beside Dawid-Skene", file=sys.stderr)
        return []
    answers = simulated(n, number, 10, 18)
    table = pd.DataFrame({"task": answers.item, "worker": answers.annotator})
    table["label"] = answers.label
    ours = crowd.dawid_skene(answers, alpha=0, rounds=10)
    done = len(ours.log_likelihood)
    theirs = DawidSkene(n_iter=done, tol=0).fit(table)
    posterior = theirs.probas_.sort_index()[range(10)].to_numpy()

    mine, its = interleaved(
        rounds,
        cpu_timed(lambda: crowd.dawid_skene(answers, alpha=0, rounds=done)),
        cpu_timed(lambda: DawidSkene(n_iter=done, tol=0).fit(table)),
    )
    label = f"beside crowd-kit: dawid-skene, {18 * n} answers, {done} rounds"
    return [
        Claim(f"{label}: times as fast, CPU time", median_ratio(its, mine)),
        at_most(
            f"{label}: largest difference of a posterior",
            abs(posterior - ours.posterior).max(),
            1e-6,
        ),
    ]


# accuracy


def features(data: Labelled):
    """A scikit-learn pipeline that starts from the inputs, or None where they are names alone."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    steps = {
        "labelme": StandardScaler(),
        "sentiment": TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True),
    }
    step = steps.get(data.source)
    return None if step is None else make_pipeline(step, LogisticRegression(max_iter=1000))


def model_of(data: Labelled, labels: np.ndarray) -> np.ndarray | None:
    """Out-of-sample probabilities from the majority's labels."""
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    pipeline = features(data)
    if pipeline is None:
        return None
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    return cross_val_predict(pipeline, data.inputs, labels, cv=folds, method="predict_proba")


def compared(name: str, way: str, right: np.ndarray, base: np.ndarray) -> list[Claim]:
    """Accuracy, and its difference from the base's on the same items."""
    from scipy.stats import binomtest

    n = len(right)
    better, worse = int((right & ~base).sum()), int((~right & base).sum())
    shares = np.array([better, worse, n - better - worse]) / n
    drawn = draw(0, f"{name} {way}").multinomial(n, shares, RESAMPLES)
    low, high = np.percentile(100 * (drawn[:, 0] - drawn[:, 1]) / n, (2.5, 97.5))
    p = binomtest(better, better + worse).pvalue if better + worse else 1.0
    return [
        Claim(f"{name}: {way}, accuracy %", 100 * float(right.mean())),
        Claim(f"{name}: {way} minus majority, points", 100 * (better - worse) / n),
        Claim(f"{name}: {way} minus majority, from", float(low)),
        Claim(f"{name}: {way} minus majority, to", float(high)),
        Claim(f"{name}: {way} minus majority, p", float(p)),
    ]


def accuracies(name: str, download: bool) -> list[Claim]:
    data = load(name, download=download)
    answers = crowd.Answers.from_labelled(data)
    first = crowd.majority(answers)
    base = first.labels == data.truth
    claims = [
        Claim(f"{name}: items", data.n),
        Claim(f"{name}: annotators", len(answers.annotators)),
        Claim(f"{name}: classes", data.q),
        Claim(f"{name}: answers", len(answers)),
        Claim(f"{name}: majority, accuracy %", 100 * float(base.mean())),
        Claim(f"{name}: majority, ties", sum(first.ties.values())),
    ]
    for way, method in PEOPLE.items():
        claims += compared(name, way, method(answers, None).labels == data.truth, base)
    probs = model_of(data, first.labels)
    if probs is not None:
        claims += compared(name, "the model alone", probs.argmax(1) == data.truth, base)
        for way, method in WITH_MODEL.items():
            claims += compared(name, way, method(answers, probs).labels == data.truth, base)
    return claims


def curve(download: bool) -> list[Claim]:
    data = load("cifar10s:sets=none", download=download)
    found = crowd.set_curve(data.votes, data.truth, data.q)
    return [
        Claim(f"cifar10s: {k} annotators, {field}", float(getattr(found, field)[place]))
        for place, k in enumerate(found.annotators)
        if found.items[place] == found.items[0]
        for field in found._fields[1:]
    ]


def measure(quick: bool) -> list[Claim]:
    warnings.simplefilter("ignore")
    if quick:
        return time_and_memory(5000, 100)
    claims = time_and_memory(100_000, 2000) + beside_the_library(10_000, 200, 5)
    for name in DATA:
        claims += accuracies(name, download=True)
    return claims + curve(download=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        print(json.dumps(child(*json.loads(sys.argv[2]))))
    else:
        main("crowd", __doc__ or "", measure)
