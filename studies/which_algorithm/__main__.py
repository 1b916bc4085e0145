"""docs/which-algorithm.md: what committed results recommend for which labels and inputs.

python -m studies.which_algorithm            writes the page from the committed results
python -m studies.which_algorithm --check    writes nothing; exits 1 when the page is not up to date
python -m studies.which_algorithm --quick    builds the page and writes nothing
"""

from __future__ import annotations

import argparse
from pathlib import Path

from studies.claims.shelf import Shelf
from studies.kit.pages import add_options, settle
from studies.which_algorithm.page import COMMAND, PAGE, make_page

ROOT = Path(__file__).parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=ROOT, help="a repository (default: this)")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    add_options(parser)
    asked = parser.parse_args()
    settle({asked.docs / PAGE: make_page(Shelf(asked.results)).encode()}, asked, COMMAND)


if __name__ == "__main__":
    main()
