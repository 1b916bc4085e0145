"""What `candidly.rank` costs: many items, many models, a table read from a file.

Each in a child process: wall seconds, and the peak of its memory, imports included.

* 1,000,000 items x 50 models, right or wrong: `make_scores` and `rank`. At most 30 s and 2 GB.
* the same, graded, in groups of four. At most 30 s and 2 GB.
* 12,000 items x 300 models with possible places of all together. At most 60 s.
* `candidly rank` on a Parquet file of 200,000 items x 20 models, with a page.

    python bench/ranking_speed.py            a minute; writes bench/results/ranking_speed.json
    python bench/ranking_speed.py --quick    a tenth of the items
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from _bench import Claim, at_most, main

SIZES = {  # name -> models, items, most seconds, most MB
    "right or wrong": (50, 1_000_000, 30, 2000),
    "graded, in groups": (50, 1_000_000, 30, 2000),
    "many models": (300, 12_000, 60, None),
}


def made(models: int, items: int, levels: int) -> dict[str, np.ndarray]:
    g = np.random.default_rng(0)
    ease = g.random(items, dtype=np.float32)
    found = {}
    for k in range(models):
        right = 0.5 * ease + 0.5 * g.random(items, dtype=np.float32) < 0.6 - 0.3 * k / models
        graded = right.astype(np.float32) if levels == 2 else g.integers(0, levels, items) * right
        found[f"model {k}"] = right if levels == 2 else (graded / (levels - 1)).astype(np.float32)
    return found


def child(name: str, models: int, items: int) -> dict[str, float]:
    from candidly.compare.ranking import make_scores, rank

    grouped = name.endswith("groups")
    scores = made(models, items, 5 if grouped else 2)
    start = time.perf_counter()
    found = rank(make_scores(scores, groups=np.arange(items) // 4 if grouped else None))
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    return {"seconds": seconds, "MB": peak, "apart": found.apart}


def command(items: int) -> float:
    import polars as pl

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scores.parquet"
        columns = {name: one.astype(np.int8) for name, one in made(20, items, 2).items()}
        pl.DataFrame({"id": np.arange(items), **columns}).write_parquet(path)
        start = time.perf_counter()
        asked = [sys.executable, "-m", "candidly", "rank", str(path), "--html", f"{folder}/p.html"]
        subprocess.run(asked, check=True, capture_output=True)
        return time.perf_counter() - start


def measure(quick: bool) -> list[Claim]:
    claims = []
    for name, (models, items, seconds, memory) in SIZES.items():
        items = items // 10 if quick else items
        asked = json.dumps([name, models, items])
        done = subprocess.run(
            [sys.executable, __file__, "child", asked],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        found = json.loads(done.stdout)
        about = f"{name}, {items:,} items x {models} models"
        claims.append(at_most(f"{about}: seconds", found["seconds"], seconds))
        peak = f"{about}: peak MB"
        claims.append(at_most(peak, found["MB"], memory) if memory else Claim(peak, found["MB"]))
        claims.append(Claim(f"{about}: pairs told apart", found["apart"]))
    items = 20_000 if quick else 200_000
    claims.append(Claim(f"the command on {items:,} items x 20 models: seconds", command(items)))
    return claims


if __name__ == "__main__":
    if sys.argv[1:2] == ["child"]:
        print(json.dumps(child(*json.loads(sys.argv[2]))))
    else:
        main("ranking_speed", __doc__ or "", measure)
