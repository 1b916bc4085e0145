"""How many labels are wrong, as `errors.estimate` says it, beside the truth.

Made-up sets of seven kinds of errors, eight classifiers and classes that overlap more or less, and
real sets with people's verdicts. Writes studies/wrong_labels/results/made.csv, a row a set, and
studies/wrong_labels/results/wrong_labels.json. May be stopped, and goes on where it was.

    python -m studies.wrong_labels                  616 sets, two processes: about ten minutes
    python -m studies.wrong_labels --sets 28 --out /tmp/tried.csv --first 5000     others
    python -m studies.wrong_labels --table          what is there, summed up; makes nothing
    python -m studies.wrong_labels --page           writes docs/wrong-labels.md from what is there
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")
ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "src")]

from bench._bench import machine  # noqa: E402
from studies.kit.pages import add_options, settle  # noqa: E402
from studies.wrong_labels.made import measured  # noqa: E402

SETS = 616  # eleven of every kind by every classifier
FIRST = 10_000  # the procedure was chosen on sets with other seeds
FOLDER = Path(__file__).with_name("results")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", type=int, default=SETS)
    parser.add_argument("--first", type=int, default=FIRST, help="seed of the first")
    parser.add_argument("--out", type=Path, default=FOLDER / "made.csv")
    parser.add_argument("--table", action="store_true", help="make nothing, sum up")
    parser.add_argument("--page", action="store_true", help="docs/wrong-labels.md from the results")
    add_options(parser)
    asked = parser.parse_args()
    if asked.page:
        from studies.wrong_labels.page import pages

        settle(pages(ROOT, FOLDER), asked, "python -m studies.wrong_labels --page")
        return
    if not asked.table:
        make(asked.out, range(asked.first, asked.first + asked.sets))
        data = os.environ.get("CANDIDLY_DATA")
        if data and asked.out.parent == FOLDER:
            from studies.wrong_labels.real import measured as of_real

            write(FOLDER / "real.csv", [_as_text(row) for row in of_real(Path(data))], key=None)
    from studies.wrong_labels.table import holding, rows_of, summed_up

    print(summed_up(asked.out))
    claims = holding(rows_of(asked.out))
    for claim in claims:
        print(f"{claim.name:<72} {claim.value:>6.1f}  {claim.target:<7} {_mark(claim.holds)}")
    if asked.out.parent == FOLDER and not asked.table:
        about = {"machine": machine(), "claims": [asdict(claim) for claim in claims]}
        FOLDER.joinpath("wrong_labels.json").write_text(json.dumps(about, indent=1) + "\n")


def _as_text(row: dict[str, object]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in row.items()}


def _mark(holds: bool | None) -> str:
    return {None: "", True: "ok", False: "MISSED"}[holds]


def make(out: Path, seeds: range) -> None:
    """Measure what is not there yet; rows as they come, and sorted in the end."""
    out.parent.mkdir(parents=True, exist_ok=True)
    rows = read(out) if out.exists() else []
    left = [seed for seed in seeds if str(seed) not in {row["seed"] for row in rows}]
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        waiting = [pool.submit(measured, seed) for seed in left]
        for count, done in enumerate(as_completed(waiting), 1):
            rows.append(_as_text(done.result()))
            if count % 20 == 0 or count == len(left):
                write(out, rows)
                print(f"{count} of {len(left)}", flush=True)


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: list[dict[str, str]], key: str | None = "seed") -> None:
    """Rows in the order of a number that each has."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    beside = path.with_suffix(".part")
    with beside.open("w", newline="") as file:
        writer = csv.DictWriter(file, names, restval="")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: int(row[key])) if key else rows)
    beside.replace(path)


if __name__ == "__main__":
    main()
