"""docs/studies/reproduction.md: published tables beside the results directories in results.

Why a number differs from the published one is written in explanations.toml.
"""

from __future__ import annotations

from pathlib import Path

from studies.kit.pages import options_of, settle
from studies.reproduction.numbers import read_sources
from studies.reproduction.page import Page, make_page

ROOT = Path(__file__).parents[2]


def files_of(page: Page, docs: Path) -> dict[Path, bytes]:
    """What belongs where."""
    images = {docs / "images" / name: svg.encode() for name, svg in page.images.items()}
    return {docs / "studies" / "reproduction.md": page.text.encode(), **images}


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("--results", type=Path, default=Path(__file__).with_name("results"))
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    asked = parser.parse_args()
    wanted = files_of(make_page(read_sources(asked.results)), asked.docs)
    there = (asked.docs / "images").glob("reproduction-*.svg")
    settle(wanted, asked, "python -m studies.reproduction", there)


if __name__ == "__main__":
    main()
