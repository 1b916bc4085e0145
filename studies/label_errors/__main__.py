"""Label errors in ten test sets: the published tables recomputed, and docs/studies/label-errors.md.

    python -m studies.label_errors            recomputes all; needs CANDIDLY_DATA
    python -m studies.label_errors --check    writes nothing; exits 1 when the page is not what
                                                 the committed results say
    python -m studies.label_errors --quick    builds the page and writes nothing

Without CANDIDLY_DATA the page is written from studies/label_errors/results/measured.json as it is.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from candidly.ground.files import replacing
from studies.kit.pages import add_options, settle
from studies.label_errors.measure import measure
from studies.label_errors.page import FIGURE, make_page, rank_figure

ROOT = Path(__file__).parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--results", type=Path, default=Path(__file__).with_name("results") / "measured.json"
    )
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "studies" / "label-errors.md")
    add_options(parser)
    asked = parser.parse_args()
    data = os.environ.get("CANDIDLY_DATA")
    if data and not (asked.check or asked.quick):
        text = json.dumps(measure(data), indent=1, ensure_ascii=False) + "\n"
        with replacing(asked.results) as file:
            file.write(text.encode())
    elif not data:
        print("CANDIDLY_DATA is not set: from the results as they are", file=sys.stderr)
    page = make_page(json.loads(asked.results.read_text(encoding="utf-8")))
    figure = asked.page.parents[1] / "images" / FIGURE
    files = {asked.page: page.encode(), figure: rank_figure().encode()}
    settle(files, asked, "python -m studies.label_errors")


if __name__ == "__main__":
    main()
