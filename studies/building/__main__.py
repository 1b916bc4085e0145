"""docs/studies/building.md: sources of noise at equal local rates, and methods against them.

python -m studies.building              trains what is not in studies/building/results yet (40
                                         minutes of one core if nothing is), and writes the page
    --corpora N                          of so many corpora
    --minutes N                          begins no training after so many minutes; 0: trains nothing
python -m studies.building --check      writes nothing; exits 1 when the page is not up to date
python -m studies.building --quick      builds the page and writes nothing
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
from pathlib import Path

from studies.building.numbers import read_study
from studies.building.page import COMMAND, PAGE, make_page
from studies.building.runs import CORPORA, train
from studies.kit.pages import add_options, settle

ROOT = Path(__file__).parents[2]
RESULTS = Path(__file__).with_name("results")


def page_files(docs: Path) -> dict[Path, bytes]:
    return {docs / PAGE: make_page(read_study(RESULTS)).encode()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpora", type=int, default=CORPORA)
    parser.add_argument("--minutes", type=float, default=60)
    add_options(parser)
    asked = parser.parse_args()
    if not (asked.check or asked.quick):
        train(RESULTS, asked.corpora, asked.minutes)
    settle(page_files(ROOT / "docs"), asked, COMMAND)


if __name__ == "__main__":
    main()
