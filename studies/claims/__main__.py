"""docs/studies/claims.md and docs/claims: what four papers claim, and what bench/results say of it.

python -m studies.claims              writes the page from the committed results
python -m studies.claims --check      writes nothing; exits 1 when the page is not up to date
python -m studies.claims --quick      builds the page and writes nothing
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
from pathlib import Path

from studies.claims.findings import find
from studies.claims.page import COMMAND, FOLDER, make_pages
from studies.claims.shelf import Shelf
from studies.claims.table import read_claims
from studies.kit.pages import add_options, settle

ROOT = Path(__file__).parents[2]


def page_texts(root: Path = ROOT) -> dict[str, str]:
    """The pages by their places in docs."""
    papers, claims = read_claims()
    shelf = Shelf(root, {claim.id: claim.numbers for claim in claims})
    return make_pages(papers, claims, find(shelf, claims))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser)
    asked = parser.parse_args()
    docs = ROOT / "docs"
    wanted = {docs / name: text.encode() for name, text in page_texts().items()}
    settle(wanted, asked, COMMAND, (docs / FOLDER).glob("*.md"))


if __name__ == "__main__":
    main()
