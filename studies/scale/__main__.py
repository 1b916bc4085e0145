"""docs/studies/scale.md: bench/scale.py, cluster.py, review_scale.py and journal.py measured it.

python -m studies.scale            writes the page
python -m studies.scale --check    writes nothing; exits 1 when it is not up to date
"""

from __future__ import annotations

import argparse

from studies.kit.pages import add_options, settle
from studies.scale.page import COMMAND, PAGE, ROOT, make_page


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_options(parser)
    settle({ROOT / "docs" / PAGE: make_page().encode()}, parser.parse_args(), COMMAND)


if __name__ == "__main__":
    main()
