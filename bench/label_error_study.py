"""Label errors in ten test sets: the published tables recomputed, and docs/label-error-study.md.

    python bench/label_error_study.py            recomputes all; needs CANDIDLY_DATA
    python bench/label_error_study.py --check    writes nothing; exits 1 when the page is not what
                                                 the committed results say
    python bench/label_error_study.py --quick    builds the page and writes nothing

Without CANDIDLY_DATA the page is written from bench/results/label_error_study.json as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from _label_errors.measure import measure
from _label_errors.page import make_page
from candidly._files import replacing

ROOT = Path(__file__).parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--results", type=Path, default=ROOT / "bench" / "results" / "label_error_study.json"
    )
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "label-error-study.md")
    parser.add_argument("--check", action="store_true", help="exit 1 when the page would change")
    parser.add_argument("--quick", action="store_true", help="write nothing")
    asked = parser.parse_args()
    data = os.environ.get("CANDIDLY_DATA")
    if data and not (asked.check or asked.quick):
        text = json.dumps(measure(data), indent=1, ensure_ascii=False) + "\n"
        _write(asked.results, text)
    elif not data:
        print("CANDIDLY_DATA is not set: from the results as they are", file=sys.stderr)
    page = make_page(json.loads(asked.results.read_text(encoding="utf-8")))
    same = asked.page.exists() and asked.page.read_text(encoding="utf-8") == page
    if asked.check and not same:
        print(f"{asked.page} is not up to date: run `python bench/label_error_study.py`.")
    elif asked.quick:
        print(f"{asked.page} {'is up to date' if same else 'would change'}")
    elif not asked.check:
        _write(asked.page, page)
    sys.exit(asked.check and not same)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(text.encode())
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
