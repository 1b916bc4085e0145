"""docs/wrong-labels.md: how many labels are wrong, by ``errors.estimate`` and in truth.

Makes sets of seven kinds of errors, eight classifiers and classes that overlap more or less, a row
each in results/made.csv: 616 sets, two processes, about ten minutes; and measures real sets with
people's verdicts. May be stopped, and goes on where it was. Others, without the page:

python -m studies.wrong_labels --sets 28 --out /tmp/tried.csv --first 5000
"""

from __future__ import annotations

import csv
import json
import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")

from bench._bench import machine
from studies.kit.pages import data_to_train, options_of, settle
from studies.wrong_labels.made import measured

ROOT = Path(__file__).parents[2]
SETS = 616  # eleven of every kind by every classifier
FIRST = 10_000  # the procedure was chosen on sets with other seeds
FOLDER = Path(__file__).with_name("results")


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("--sets", type=int, default=SETS)
    parser.add_argument("--first", type=int, default=FIRST, help="seed of the first")
    parser.add_argument("--out", type=Path, default=FOLDER / "made.csv")
    asked = parser.parse_args()
    ours = asked.out.parent == FOLDER
    if not (asked.check or asked.quick):
        sum_up(asked.out, range(asked.first, asked.first + asked.sets))
    if ours and (data := data_to_train(asked)):
        from studies.wrong_labels.real import measured as of_real

        write(FOLDER / "real.csv", [_as_text(row) for row in of_real(data)], key=None)
    if ours:
        from studies.wrong_labels.page import pages

        settle(pages(ROOT, FOLDER), asked, "python -m studies.wrong_labels")


def sum_up(out: Path, seeds: range) -> None:
    """Make the sets that are missing, and print how often what was promised holds."""
    from studies.wrong_labels.table import holding, rows_of, summed_up

    make(out, seeds)
    print(summed_up(out))
    claims = holding(rows_of(out))
    for claim in claims:
        print(f"{claim.name:<72} {claim.value:>6.1f}  {claim.target:<7} {_mark(claim.holds)}")
    if out.parent == FOLDER:
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
