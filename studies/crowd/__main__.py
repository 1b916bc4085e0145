"""The tables and the figure of docs/crowd.md.

``bench/crowd.py``, ``bench/aggregators.py`` and ``bench/answer_sets.py`` measure the numbers.
"""

from __future__ import annotations

from studies.crowd.page import files
from studies.kit.pages import options_of, settle


def main() -> None:
    parser = options_of(__doc__)
    settle(files(), parser.parse_args(), "python -m studies.crowd")


if __name__ == "__main__":
    main()
