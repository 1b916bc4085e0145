"""The tables and the figure of docs/crowd.md, from committed results.

python -m studies.crowd            writes them
python -m studies.crowd --check    writes nothing; exits 1 when one is not up to date

``bench/crowd.py``, ``bench/aggregators.py`` and ``bench/answer_sets.py`` measure the numbers.
"""

from __future__ import annotations

import argparse

from studies.crowd.page import files
from studies.kit.pages import add_options, settle


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser)
    settle(files(), parser.parse_args(), "python -m studies.crowd")


if __name__ == "__main__":
    main()
