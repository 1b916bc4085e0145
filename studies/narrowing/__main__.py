"""A part of docs/encoders.md: candidate sets narrowed by a model that saw a few true labels.

Trains what is not in results yet, where the encoder is installed: some twenty minutes.
"""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

from studies.kit.by_rows import keep, kept
from studies.kit.encoders import find_encoders
from studies.kit.pages import data_to_train, filled, options_of, settle
from studies.narrowing.page import told
from studies.narrowing.runs import DRAWS, PROCESSES, of_draw, read

PAGE = Path(__file__).parents[2] / "docs" / "encoders.md"
RESULTS = Path(__file__).with_name("results") / "runs.jsonl"


def train(data: Path) -> None:
    """Every draw that is not kept yet, a line each."""
    known = {(one["process"], one["seed"]) for one in kept(RESULTS)}
    left = [(p, s) for p in PROCESSES for s in range(DRAWS) if (p, s) not in known]
    learned, test = read(data) if left else (None, None)
    for process, seed in left:
        assert learned is not None
        assert test is not None
        found = of_draw(learned, test, process, seed)
        print(process, seed, found["the sets"], flush=True)
        keep(RESULTS, {"process": process, "seed": seed, **found})


def files() -> dict[Path, bytes]:
    parts = {"narrowing": told(kept(RESULTS))}
    return {PAGE: filled(PAGE.read_text(encoding="utf-8"), parts).encode()}


def main() -> None:
    asked = options_of(__doc__).parse_args()
    if data := data_to_train(asked):
        find_encoders()
        train(data)
    settle(files(), asked, "python -m studies.narrowing")


if __name__ == "__main__":
    main()
