"""Writes tests/slow_tests.txt: tests that take long, which `make test` leaves to `make test-all`.

    pytest -m "not slow" --durations=0 > LOG && python tools/slow_tests.py LOG [--seconds 1]

adds what took longer in that run to what is there. Take a line out to have a test in `make test`.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

TABLE = Path(__file__).parents[1] / "tests" / "slow_tests.txt"
LINE = re.compile(r"([\d.]+)s (?:call|setup) +(\S.*)$")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("log", type=Path)
    parser.add_argument("--seconds", type=float, default=1.0)
    asked = parser.parse_args()
    found = (LINE.match(line.strip()) for line in asked.log.read_text().splitlines())
    slow = {one[2] for one in found if one and float(one[1]) >= asked.seconds}
    there = TABLE.read_text(encoding="utf-8").splitlines() if TABLE.exists() else []
    TABLE.write_text("\n".join(sorted({*there, *slow})) + "\n", encoding="utf-8")
    print(f"{len(slow - {*there})} more in {TABLE}")


if __name__ == "__main__":
    main()
