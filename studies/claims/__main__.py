"""docs/studies/claims.md and docs/studies/claims: what four papers claim, and what holds here."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

from pathlib import Path

from studies.claims.findings import find
from studies.claims.page import COMMAND, FOLDER, make_pages
from studies.claims.shelf import Shelf
from studies.claims.table import read_claims
from studies.kit.pages import options_of, settle

ROOT = Path(__file__).parents[2]


def page_texts(root: Path = ROOT) -> dict[str, str]:
    """The pages by their places in docs."""
    papers, claims = read_claims()
    shelf = Shelf(root, {claim.id: claim.numbers for claim in claims})
    return make_pages(papers, claims, find(shelf, claims))


def main() -> None:
    asked = options_of(__doc__).parse_args()
    docs = ROOT / "docs"
    wanted = {docs / name: text.encode() for name, text in page_texts().items()}
    settle(wanted, asked, COMMAND, (docs / FOLDER).glob("*.md"))


if __name__ == "__main__":
    main()
