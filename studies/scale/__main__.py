"""docs/studies/scale.md: bench/scale.py, cluster.py, review_scale.py and journal.py measured it."""

from __future__ import annotations

from studies.kit.pages import options_of, settle
from studies.scale.page import COMMAND, PAGE, ROOT, make_page


def main() -> None:
    parser = options_of(__doc__)
    settle({ROOT / "docs" / PAGE: make_page().encode()}, parser.parse_args(), COMMAND)


if __name__ == "__main__":
    main()
