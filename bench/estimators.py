"""What the estimators of scikit-learn cost beside candidly's own functions, and start-up times.

    python bench/estimators.py            some minutes; writes bench/results/estimators.json
    python bench/estimators.py --quick    seconds

Both sides train the same network on the same rows, in turns. A sweep's single run is the same
engine; bench/engine.py measures that beside a plain loop.
"""

from __future__ import annotations

import statistics
import subprocess
import sys

import numpy as np

import candidly
from _bench import Claim, at_most, interleaved, main, median_ratio, timed
from candidly.learn.estimators import NoisyLabelClassifier, PartialLabelClassifier

IMPORT = "import time; t = time.perf_counter(); import candidly; print(time.perf_counter() - t)"
SHARE, IMPORT_S, HELP_S = 1.10, 0.1, 0.5


def measure(quick: bool) -> list[Claim]:
    n, steps, rounds = (2_000, 300, 3) if quick else (20_000, 2_000, 9)
    g = np.random.default_rng(0)
    truth = g.integers(0, 10, n)
    X = g.normal(size=(n, 50)) + 3 * g.normal(size=(10, 50))[truth]
    sets = g.random((n, 10)) < 0.3
    sets[np.arange(n), truth] = True
    given = np.where(g.random(n) < 0.3, g.integers(0, 10, n), truth)
    claims = []
    for name, estimator, y in (
        ("PartialLabelClassifier", PartialLabelClassifier("PRODEN", steps=steps), sets),
        ("NoisyLabelClassifier", NoisyLabelClassifier("ce", steps=steps), given),
    ):
        estimator.set_params(random_state=0)
        labels = {"candidates" if y.ndim == 2 else "given": y, "classes": 10}
        data = candidly.from_arrays(X, **labels)
        plain = candidly.fit(data, estimator.algorithm, steps=steps)
        assert np.array_equal(estimator.fit(X, y).predict_proba(X), plain.predict_proba(X))
        ours, engine = interleaved(
            rounds,
            timed(lambda e=estimator, y=y: e.fit(X, y), 1),
            timed(lambda d=data, e=estimator: candidly.fit(d, e.algorithm, steps=steps), 1),
        )
        ratio = median_ratio(ours, engine)
        claims.append(at_most(f"{name}.fit, {steps:,} updates, over candidly.fit", ratio, SHARE))
        ours, engine = interleaved(
            rounds,
            timed(lambda e=estimator: e.predict(X), 3),
            timed(lambda m=plain: m.predict(X), 3),
        )
        ratio = median_ratio(ours, engine)
        claims.append(at_most(f"{name}.predict, {n:,} rows, over Model.predict", ratio, SHARE))
    command = [sys.executable, "-c", IMPORT]
    times = [float(subprocess.check_output(command)) for _ in range(rounds)]
    claims.append(at_most("import candidly, s", statistics.median(times), IMPORT_S))

    def help_s() -> None:
        subprocess.check_output([sys.executable, "-m", "candidly", "--help"])

    times = [timed(help_s, 1)() for _ in range(rounds)]
    claims.append(at_most("candidly --help, s", statistics.median(times), HELP_S))
    return claims


if __name__ == "__main__":
    main("estimators", (__doc__ or "").partition("\n")[0], measure)
