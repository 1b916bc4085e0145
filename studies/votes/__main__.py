"""docs/studies/votes.md: learning from the answers themselves, beside consensus and then training.

Trains what is not in results yet: half an hour, a line a training.
"""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")


from studies.kit.by_rows import keep, kept
from studies.kit.encoders import find_encoders
from studies.kit.pages import data_to_train, files_of, options_of, settle
from studies.votes.cases import CASES
from studies.votes.page import COMMAND, PAGE, make_page
from studies.votes.runs import trained

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results") / "runs.jsonl"


def train(data: Path, only: list[str]) -> None:
    """Every training that is not kept yet, a line behind the others as soon as it has ended."""
    known = {(one["case"], one["way"], one["seed"]) for one in kept(RESULTS)}
    for name in only or CASES:
        left = [key for key in CASES[name].trainings(name) if key not in known]
        if not left:
            continue
        made = CASES[name].load(data)
        for case, way, seed in left:
            line = {"case": case, "way": way, "seed": seed, **trained(made, CASES[name], way, seed)}
            print(name, way, seed, line["right"], flush=True)
            keep(RESULTS, line)


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("--only", nargs="+", default=[], choices=list(CASES), help="these alone")
    asked = parser.parse_args()
    if data := data_to_train(asked):
        find_encoders()
        train(data, asked.only)
    settle(files_of(make_page(kept(RESULTS)), PAGE, ROOT / "docs"), asked, COMMAND)


if __name__ == "__main__":
    main()
