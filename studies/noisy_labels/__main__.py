"""docs/studies/noisy-labels.md: all its algorithms on wrong labels made and wrong labels met.

python -m studies.noisy_labels run       trains what is missing, an hour; see run --help
python -m studies.noisy_labels losses    losses of right and of wrong labels early on, a minute
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

RESULTS = Path(__file__).with_name("results")


def run(arguments: Sequence[str]) -> None:
    from studies.noisy_labels.study import main

    main(arguments, RESULTS)


def losses(arguments: Sequence[str]) -> None:
    from studies.noisy_labels.losses import main

    main(arguments, RESULTS)


def page(arguments: Sequence[str] | None = None) -> None:
    from studies.kit.pages import options_of, settle
    from studies.noisy_labels.page import FIGURE, PAGE, make_page

    parser = options_of(__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    text, figure = make_page(asked.results)
    wanted = {
        PAGE: text.encode(),
        PAGE.parents[1] / "images" / FIGURE: figure.encode(),
    }
    settle(wanted, asked, "python -m studies.noisy_labels")


if __name__ == "__main__":
    parts: Mapping[str, Callable[[Sequence[str]], None]] = {"run": run, "losses": losses}
    if len(sys.argv) > 1 and sys.argv[1] in parts:
        parts[sys.argv[1]](sys.argv[2:])
    else:
        page()
