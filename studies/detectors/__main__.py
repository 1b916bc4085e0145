"""docs/detectors.md: which detectors find the most wrong labels.

python -m studies.detectors study    runs what is missing of the study, hours; see study --help
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

RESULTS = Path(__file__).with_name("results")


def study(arguments: Sequence[str]) -> None:
    from studies.detectors.study import main as run

    run(arguments, RESULTS)


def page(arguments: Sequence[str] | None = None) -> None:
    from studies.detectors.page import PAGE, make_page
    from studies.kit.pages import options_of, settle

    parser = options_of(__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    text = make_page(asked.results)
    settle({PAGE: text.encode()}, asked, "python -m studies.detectors")


if __name__ == "__main__":
    if sys.argv[1:2] == ["study"]:
        study(sys.argv[2:])
    else:
        page()
