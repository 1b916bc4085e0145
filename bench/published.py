"""PRODEN and CC on the real Lost file, beside the published numbers.

Runs ``candidly bench run --dataset lost --algorithms PRODEN,CC --configs 4 --splits 5 --steps
10000``. Published (Wang et al., ICLR 2025, Table 7, 20 configurations): mean and standard error
of the test accuracy that each criterion selects. Needs CANDIDLY_DATA.

    python bench/published.py            a few minutes; writes bench/results/published.json
    python bench/published.py --quick    1,000 updates and 2 configurations; no target
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from bench._bench import Claim, at_most, main
from studies.reproduction.numbers import read_published


def measure(quick: bool) -> list[Claim]:
    if "CANDIDLY_DATA" not in os.environ:
        print("skipped: CANDIDLY_DATA does not say where lost.mat is", file=sys.stderr)
        return []
    from candidly.compare.sweep.journal import read_results
    from candidly.compare.sweep.select import cells

    size = ["2", "1000"] if quick else ["4", "10000"]
    with tempfile.TemporaryDirectory() as out:
        subprocess.run(
            [
                *(sys.executable, "-m", "candidly", "bench", "run", "--dataset", "lost"),
                *("--algorithms", "PRODEN,CC", "--configs", size[0], "--splits", "5"),
                *("--steps", size[1], "--out", out),
            ],
            check=True,
            capture_output=True,
        )
        found = cells(read_results(out))
    published = read_published()["lost"]
    claims = []
    for cell in found:
        summary = cell.summary["top1"]
        mean, error = 100 * summary.mean, 100 * summary.standard_error
        name = f"lost, {cell.algorithm}, chosen by {cell.criterion}"
        claims.append(Claim(f"{name}: test accuracy, %", mean))
        claims.append(Claim(f"{name}: standard error", error))
        if not quick:
            theirs = published[cell.algorithm, cell.criterion]
            combined = (error**2 + (100 * theirs.error) ** 2) ** 0.5
            away = abs(mean - 100 * theirs.mean) / combined
            about = f"{name}: combined standard errors from {100 * theirs.mean:.2f}"
            claims.append(at_most(about, away, 2))
    return claims


if __name__ == "__main__":
    main("published", __doc__ or "", measure)
