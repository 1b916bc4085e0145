"""Learning from noisy labels: all its algorithms on wrong labels made and wrong labels met.

python -m studies.noisy_labels run           trains what is missing, an hour; appends to
                                           studies/noisy_labels/results; see run --help
python -m studies.noisy_labels losses        losses of right and wrong labels early in training, a
                                           minute; writes studies/noisy_labels/results/losses.json
python -m studies.noisy_labels page          writes the page and its figure from these
python -m studies.noisy_labels page --check  writes nothing; exits 1 when they are not up to date
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

STUDY = Path(__file__).with_name("results")


def run(arguments: Sequence[str]) -> None:
    from studies.noisy_labels.study import main

    main(arguments, STUDY)


def losses(arguments: Sequence[str]) -> None:
    from studies.noisy_labels.losses import main

    main(arguments, STUDY)


def page(arguments: Sequence[str]) -> None:
    from studies.kit.pages import add_options, settle
    from studies.noisy_labels.page import FIGURE, PAGE, make_page

    parser = argparse.ArgumentParser(prog="python -m studies.noisy_labels page")
    parser.add_argument("--results", type=Path, default=STUDY)
    add_options(parser)
    asked = parser.parse_args(arguments)
    text, figure = make_page(asked.results)
    wanted = {
        PAGE: text.encode(),
        PAGE.parents[1] / "images" / FIGURE: figure.encode(),
    }
    settle(wanted, asked, "python -m studies.noisy_labels page")


COMMANDS: Mapping[str, Callable[[Sequence[str]], None]] = {
    "run": run,
    "losses": losses,
    "page": page,
}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](sys.argv[2:])
