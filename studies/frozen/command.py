"""The command of a study on what a frozen encoder sees: trains what is missing, writes the page."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from candidly import Labelled
from studies.kit.encoders import find_encoders
from studies.kit.pages import data_to_train, files_of, options_of, settle
from studies.kit.rows import Rows, steps_of
from studies.kit.sweeps import finished, keep

from .numbers import AnySweep, read_study

ROOT = Path(__file__).parents[2]


class Trained(AnySweep):
    """A sweep with the group of algorithms that it trains."""

    group: str
    of: Any


@dataclass(frozen=True)
class Study:
    """What one command trains and writes.

    Attributes:
        name: of its folder in studies.
        sweeps: all results directories, in the order in which they are trained.
        groups: names of groups of algorithms.
        vectors: (label set, folder of data, who is told) -> what is learned from.
        run: (sweep, data, folder, workers) trains what the folder does not hold yet.
        splits: of every sweep. criterion: what selects a record.
        page, make_page, command: the page's name, its text and figures, and what writes it.
    """

    name: str
    sweeps: Callable[[], Iterable[Trained]]
    groups: Sequence[str]
    vectors: Callable[[str, Path, Callable[[int, int], None]], Labelled]
    run: Callable[[Any, Labelled, Path, int], None]
    splits: int
    criterion: str
    page: str
    make_page: Callable[[Mapping[str, Rows]], tuple[str, dict[str, str]]]
    command: str

    @property
    def results(self) -> Path:
        return ROOT / "studies" / self.name / "results"

    def read(self) -> Mapping[str, Rows]:
        """What is committed."""
        return read_study(self.results, self.sweeps(), self.criterion)


def train(
    study: Study, data: Path, cache: Path, minutes: float, only: Sequence[str], workers: int
) -> None:
    """Every sweep that begins in time, of some groups or all, and of each a small copy to keep.

    What is committed and whole is not trained again.
    """
    start, known = time.monotonic(), {}
    for sweep in study.sweeps():
        kept, algorithms = study.results / sweep.name, sweep.of.algorithms
        if (only and sweep.group not in only) or finished(kept, algorithms, study.splits):
            continue
        if not finished(cache / sweep.name, algorithms, study.splits):
            if time.monotonic() - start > 60 * minutes:
                continue
            print(sweep.name, round(time.monotonic() - start), flush=True)
            if sweep.label_set not in known:
                found = study.vectors(sweep.label_set, data, lambda done, total: None)
                known = {sweep.label_set: found}
            study.run(sweep, known[sweep.label_set], cache, workers)
        keep(cache / sweep.name, kept, rows=partial(steps_of, criterion=study.criterion))


def main(study: Study, about: str | None) -> None:
    """What a person asks for on the command line.

    Args:
        about: what the command says of itself.
    """
    parser = options_of(about)
    cache = Path(tempfile.gettempdir()) / f"candidly-{study.name}"
    parser.add_argument("--cache", type=Path, default=cache, help="where sweeps are trained")
    parser.add_argument("--minutes", type=float, default=60, help="begin nothing after so many")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--only", nargs="+", default=[], choices=study.groups, help="these alone")
    asked = parser.parse_args()
    if data := data_to_train(asked):
        find_encoders()
        train(study, data, asked.cache, asked.minutes, asked.only, asked.workers)
    settle(files_of(study.make_page(study.read()), study.page, ROOT / "docs"), asked, study.command)
