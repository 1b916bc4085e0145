"""docs/studies/label-errors.md: label errors in ten test sets, the published tables recomputed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from candidly.ground.files import replacing
from studies.kit.pages import data_to_train, options_of, settle
from studies.label_errors.measure import measure
from studies.label_errors.page import FIGURE, make_page, rank_figure

ROOT = Path(__file__).parents[2]


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument(
        "--results", type=Path, default=Path(__file__).with_name("results") / "measured.json"
    )
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "studies" / "label-errors.md")
    asked = parser.parse_args()
    if data := data_to_train(asked):
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
