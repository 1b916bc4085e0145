"""docs/studies/building.md: sources of noise at equal local rates, and methods against them.

Trains what is not in results yet, without files of anybody's: 40 minutes of one core for all.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from pathlib import Path

from studies.building.numbers import read_study
from studies.building.page import COMMAND, PAGE, make_page
from studies.building.runs import CORPORA, train
from studies.kit.pages import options_of, settle

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results")


def page_files(docs: Path) -> dict[Path, bytes]:
    return {docs / PAGE: make_page(read_study(RESULTS)).encode()}


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("--corpora", type=int, default=CORPORA, help="so many")
    parser.add_argument("--minutes", type=float, default=60, help="begin nothing after so many")
    asked = parser.parse_args()
    if not (asked.check or asked.quick):
        train(RESULTS, asked.corpora, asked.minutes)
    settle(page_files(ROOT / "docs"), asked, COMMAND)


if __name__ == "__main__":
    main()
