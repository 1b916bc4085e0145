"""The committed results, each read once and only when a verdict asks for it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from candidly.compare.stability import Report
from candidly.compare.sweep.facts import Facts
from candidly.compare.sweep.journal import read_results
from candidly.compare.sweep.plan import read_plan
from candidly.compare.sweep.results import Results
from studies.building import numbers as sources
from studies.cifarn import numbers as people
from studies.detectors.study import read_results as read_detections
from studies.frozen import numbers as frozen
from studies.frozen_sets import runs as frozen_sets
from studies.images import numbers as pictures
from studies.images.runs import GROUPS
from studies.kit.by_rows import Runs, by_way, kept
from studies.kit.rankings import read_results as read_report_of
from studies.kit.rows import Rows
from studies.reproduction.numbers import ORACLE, TITLES, Published, Row, make_rows, read_published
from studies.texts import numbers as texts


@dataclass(frozen=True)
class Tabular:
    """A results directory of one table with candidate sets.

    Attributes:
        rows: by algorithm, those with all runs. runs: all of them.
        published: by algorithm and criterion.
    """

    name: str
    title: str
    facts: Facts
    rows: Mapping[str, Row]
    results: Results
    published: Mapping[tuple[str, str], Published]

    @property
    def fixed(self) -> dict[str, Row]:
        """The methods as meant."""
        return {name: row for name, row in self.rows.items() if ":" not in name}

    @property
    def whole(self) -> bool:
        """Whether every algorithm of the published table is there, as meant."""
        return all(name in self.rows for name, _ in self.published)

    @property
    def test_share(self) -> float:
        """Of the rows that are tested on or trained on."""
        n = self.facts.n - (self.facts.n_validation or 0)
        return self.facts.n_test / n


@dataclass(frozen=True)
class Shelf:
    """Results by their places in the repository, and the published numbers that claims name.

    Attributes:
        folder: the repository, or another that has such results.
        claimed: by claim and name.
    """

    folder: Path
    claimed: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def numbers(self, claim: str) -> Mapping[str, Any]:
        return self.claimed[claim]

    def number(self, claim: str, name: str) -> float:
        return float(self.claimed[claim][name])

    def there(self, place: str) -> bool:
        return (self.folder / place).exists()

    def of(self, study: str) -> Path:
        """The results of a study."""
        return self.folder / "studies" / study / "results"

    def tabular(self, name: str) -> Tabular | None:
        return self._tabular.get(name)

    @cached_property
    def _tabular(self) -> dict[str, Tabular]:
        wanted = {name: name for name in TITLES} | {ORACLE: "lost"}
        found, tables = {}, read_published()
        for name, dataset in wanted.items():
            place = self.of("reproduction") / name
            plan = read_plan(place)
            if plan is not None:
                results = read_results(place)
                rows = {label: row for label, row in make_rows(results).items() if row.complete}
                facts, title = plan.facts[dataset], TITLES[dataset]
                found[name] = Tabular(name, title, facts, rows, results, tables[dataset])
        return found

    @property
    def tables(self) -> list[Tabular]:
        """Those that are there, finished or not, the oracle's aside."""
        return [one for name, one in self._tabular.items() if name in TITLES]

    @cached_property
    def pictures(self) -> dict[str, pictures.OnLabels]:
        return pictures.read_study(self.of("images"))

    def last_validation(self, key: str) -> dict[str, tuple[float, float]]:
        """Of a set of labels, by algorithm: covering rate and accuracy of the last records."""
        found: dict[str, list[tuple[float, float]]] = {}
        for group in GROUPS:
            for run in read_results(self.of("images") / f"{key}-{group}").runs:
                last = run.records[-1].validation if run.records else {}
                if last.get("CR") is not None and last.get("OA") is not None:
                    found.setdefault(run.algorithm, []).append((last["CR"], last["OA"]))
        return {name: tuple(np.mean(pairs, axis=0)) for name, pairs in found.items()}

    @cached_property
    def memory(self) -> dict[str, float]:
        return pictures.read_memory(
            self.folder / "bench" / "results" / "picture_costs.json", "densenet22"
        )

    @cached_property
    def texts(self) -> texts.Study:
        return texts.read_study(self.of("texts"))

    @cached_property
    def sources(self) -> sources.Study:
        return sources.read_study(self.of("building"))

    @cached_property
    def people(self) -> people.Study:
        return people.read_study(self.of("cifarn"))

    @cached_property
    def encoded(self) -> Mapping[str, Rows]:
        return frozen.read_study(self.of("frozen"))

    @cached_property
    def encoded_sets(self) -> Mapping[str, Rows]:
        folder = self.of("frozen_sets")
        return frozen.read_study(folder, frozen_sets.sweeps(), frozen_sets.CHOSEN_BY)

    @cached_property
    def votes(self) -> Runs:
        """Of trainings on several annotators' answers, by case and way."""
        return by_way(kept(self.of("votes") / "runs.jsonl"))

    @cached_property
    def noisy(self) -> Results:
        return read_results(self.of("noisy_labels"))

    @cached_property
    def detections(self) -> list[dict[str, Any]]:
        return read_detections(self.of("detectors"))

    @cached_property
    def errors(self) -> dict[str, Any]:
        path = self.of("label_errors") / "measured.json"
        return json.loads(path.read_text(encoding="utf-8"))

    def ranking(self, name: str) -> Report:
        """Of models by two versions of the labels."""
        return read_report_of(self.of(name))
