"""docs/which-algorithm.md: what committed results recommend for which labels and inputs.

python bench/which_algorithm.py            writes the page from bench/results
python bench/which_algorithm.py --check    writes nothing; exits 1 when the page is not up to date
python bench/which_algorithm.py --quick    builds the page and writes nothing
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench._bench import RESULTS
from studies.claims.shelf import Shelf
from studies.kit.pages import add_options, settle
from studies.which_algorithm.page import COMMAND, PAGE, make_page

DOCS = Path(__file__).parents[1] / "docs"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--docs", type=Path, default=DOCS)
    add_options(parser)
    asked = parser.parse_args()
    settle({asked.docs / PAGE: make_page(Shelf(asked.results)).encode()}, asked, COMMAND)


if __name__ == "__main__":
    main()
