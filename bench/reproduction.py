"""docs/reproduction.md, from the results directories in bench/results.

    python bench/reproduction.py            writes the page and its figures
    python bench/reproduction.py --check    writes nothing; exits 1 when they are not up to date
    python bench/reproduction.py --quick    builds the page and writes nothing

Why a number differs from the published one is written in bench/explanations.toml.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from _reproduction.numbers import read_sources
from _reproduction.page import Page, make_page
from candidly._files import replacing

ROOT = Path(__file__).parents[1]


def files_of(page: Page, docs: Path) -> dict[Path, bytes]:
    """What belongs where."""
    images = {docs / "images" / name: svg.encode() for name, svg in page.images.items()}
    return {docs / "reproduction.md": page.text.encode(), **images}


def differing(wanted: dict[Path, bytes], docs: Path) -> list[Path]:
    """Files that are missing, different, or left over from another page."""
    left_over = set((docs / "images").glob("reproduction-*.svg")) - set(wanted)
    changed = {p for p, text in wanted.items() if not p.exists() or p.read_bytes() != text}
    return sorted(left_over | changed)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=ROOT / "bench" / "results")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    parser.add_argument("--check", action="store_true", help="exit 1 when a file would change")
    parser.add_argument("--quick", action="store_true", help="write nothing")
    asked = parser.parse_args()
    wanted = files_of(make_page(read_sources(asked.results)), asked.docs)
    changed = differing(wanted, asked.docs)
    for path in changed:
        if asked.check:
            print(f"{path} is not up to date: run `python bench/reproduction.py`.", file=sys.stderr)
        elif asked.quick:
            print(f"{path} would change")
        elif path in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path) as file:
                file.write(wanted[path])
            print(f"wrote {path}")
        else:
            path.unlink()
            print(f"removed {path}")
    sys.exit(asked.check and bool(changed))


if __name__ == "__main__":
    main()
