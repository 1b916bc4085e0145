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

from _bench import Claim, at_most, main


def measure(quick: bool) -> list[Claim]:
    if "CANDIDLY_DATA" not in os.environ:
        print("skipped: CANDIDLY_DATA does not say where lost.mat is", file=sys.stderr)
        return []
    from candidly.compare import published
    from candidly.compare.sweep.journal import read_results
    from candidly.compare.sweep.select import cells

    theirs = {
        (row["algorithm"], row["criterion"]): (float(row["mean"]), float(row["spread"]))
        for row in published.read("plench-7").iter_rows(named=True)
        if row["dataset"] == "lost"
    }
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
        found = cells(read_results(out), sorted({criterion for _, criterion in theirs}))
    claims = []
    for cell in found:
        summary = cell.summary["top1"]
        mean, error = 100 * summary.mean, 100 * summary.standard_error
        name = f"lost, {cell.algorithm}, chosen by {cell.criterion}"
        claims.append(Claim(f"{name}: test accuracy, %", mean))
        claims.append(Claim(f"{name}: standard error", error))
        if not quick:
            their_mean, their_error = theirs[cell.algorithm, cell.criterion]
            combined = (error**2 + their_error**2) ** 0.5
            away = abs(mean - their_mean) / combined
            about = f"{name}: combined standard errors from {their_mean:.2f}"
            claims.append(at_most(about, away, 2))
    return claims


if __name__ == "__main__":
    main("published", __doc__ or "", measure)
