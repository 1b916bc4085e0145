"""How long it takes to say how many labels are wrong, and `check` beside what it was before.

python bench/amount.py            a few minutes; writes bench/results/amount.json
python bench/amount.py --quick    small sets; writes nothing
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402

from _bench import Claim, at_most, interleaved, main, median_ratio  # noqa: E402
from candidly import errors  # noqa: E402

RUNS = 5
LARGE = """
import sys; sys.path[:0] = {path!r}
from amount import large
large({n}, {q})
"""


def made(n: int, q: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Labels, a tenth of them moved, and probabilities (n, q) in float32."""
    rng = np.random.default_rng(seed)
    true = rng.integers(q, size=n)
    probs = rng.standard_normal((n, q), dtype=np.float32)
    probs[np.arange(n), true] += 2.5 + np.log(q) / 2
    np.exp(probs, out=probs)
    probs /= probs.sum(1, keepdims=True)
    hit = rng.random(n) < 0.1
    return np.where(hit, (true + rng.integers(1, q, n)) % q, true), probs


def seconds(n: int, q: int) -> float:
    labels, probs = made(n, q)
    begun = time.perf_counter()
    errors.estimate(labels, probs)
    return time.perf_counter() - begun


def large(n: int, q: int) -> None:
    """Seconds, and megabytes of a process at most; in a process of its own."""
    labels, probs = made(n, q)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.perf_counter()
    errors.estimate(labels, probs)
    spent = time.perf_counter() - begun
    print(spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, before / 1024)


def of_check() -> list[list[float]]:
    """Seconds of a check of 20,000 rows with confident learning alone, and as it is."""
    rng = np.random.default_rng(0)
    true = rng.integers(10, size=20_000)
    x = rng.normal(size=(20_000, 20)) + 1.5 * np.eye(10, 20)[true]
    hit = rng.random(20_000) < 0.1
    labels = np.where(hit, (true + 1) % 10, true)

    def before() -> float:
        begun = time.perf_counter()
        judged = errors.cross_validate("logistic", (x, labels))
        errors.find(judged.given, judged.probs).table()
        return time.perf_counter() - begun

    def now() -> float:
        begun = time.perf_counter()
        judged = errors.cross_validate("logistic", (x, labels))
        evidence = errors.examine(judged.given, judged.probs)
        errors.worth_a_look(errors.estimate(evidence), evidence).table()
        return time.perf_counter() - begun

    return interleaved(RUNS, before, now)


def measure(quick: bool) -> list[Claim]:
    warnings.simplefilter("ignore")
    if quick:
        return [Claim("2,000 x 10, s", seconds(2000, 10))]
    seconds(2000, 10)  # compiles
    small = [seconds(20_000, 10) for _ in range(RUNS)]
    claims = [
        at_most("20,000 x 10, median s", float(np.median(small)), 1),
        at_most("20,000 x 10, slowest s", max(small), 10),
    ]
    for n, q, most in ((1_000_000, 10, 20), (50_000, 1000, 30)):
        code = LARGE.format(path=sys.path, n=n, q=q)
        told = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
        ).stdout.split()
        claims.append(at_most(f"{n:,} x {q:,}, s", float(told[0]), most))
        claims.append(Claim(f"{n:,} x {q:,}, MB at most", float(told[1])))
        claims.append(Claim(f"{n:,} x {q:,}, MB before", float(told[2])))
    before, now = of_check()
    claims.append(at_most("check of 20,000 x 20, beside before", median_ratio(now, before), 1.3))
    return claims


if __name__ == "__main__":
    main("amount", __doc__ or "", measure)
