"""docs/which-algorithm.md: what committed results recommend for which labels and inputs."""

from __future__ import annotations

from pathlib import Path

from studies.claims.shelf import Shelf
from studies.kit.pages import options_of, settle
from studies.which_algorithm.page import COMMAND, PAGE, make_page

ROOT = Path(__file__).parents[2]


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("--results", type=Path, default=ROOT, help="a repository (default: this)")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    asked = parser.parse_args()
    settle({asked.docs / PAGE: make_page(Shelf(asked.results)).encode()}, asked, COMMAND)


if __name__ == "__main__":
    main()
