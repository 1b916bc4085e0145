"""What a check found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..crossval import CrossValidated
from ..errors import Issues
from ..ingest import Roles
from ..inputs import Table
from ..labelled import Labelled
from ..report import write_issues_page
from ..report.media import Preview, preview_of
from ._fields import fields_of
from ._leaks import Leak

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, eq=False)
class Checked:
    """Labels to look at, and what they were found with.

    Attributes:
        name: of what was checked.
        data: the examples, without their truth.
        frame: the table's own columns, a row an example; None where there is no table.
        typed: those of them that the classifier saw, numbers as numbers.
        roles: which column is what.
        judged: probabilities out of sample, the classifier and its accuracy.
        issues: which labels look wrong, in what order.
        leaks: columns that tell the label by themselves.
        notes: sentences that were issued as ``UserWarning``, too.
    """

    name: str
    data: Labelled
    frame: pl.DataFrame | None
    typed: pl.DataFrame | None
    roles: Roles
    judged: CrossValidated
    issues: Issues
    leaks: tuple[Leak, ...] = ()
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"Checked({self.name}: {len(self.issues.indices)} of "
            f"{self.issues.evidence.number_labelled} labels look wrong, {self.judged.chosen}, "
            f"accuracy {self.accuracy:.4f})"
        )

    @property
    def accuracy(self) -> float:
        """Share of held-out predictions that are the given label (for sets: a candidate)."""
        return self.judged.accuracies[self.judged.chosen]

    @cached_property
    def largest(self) -> tuple[str, float]:
        """The largest class by its given labels, and its share of them: what a guess reaches."""
        marks = self.data.candidates if self.data.given is None else None
        if marks is None:
            assert self.data.given is not None
            counts = np.bincount(self.data.given[self.data.given >= 0], minlength=self.data.q)
            total = counts.sum()
        else:
            counts, total = marks.sum(0), self.data.n
        k = int(counts.argmax())
        return self.data.classes[k], float(counts[k] / total)

    def table(self) -> pl.DataFrame:
        """A row per flagged example, the most suspicious first.

        Columns: index (the row, from 0), id where the data have ids, given, proposed and
        predicted class, self-confidence and margin (low is suspicious); then the row's own
        columns, as they stand; one whose name is taken is called ``NAME (own)``.
        """
        import polars as pl

        found = self.issues.table(classes=self.data.classes)
        rows = found["index"].to_numpy()
        scores = ["given", "proposed", "predicted", "self-confidence", "margin"]
        ids = pl.Series("id", self.data.ids[rows].tolist())
        parts = [found["index"], ids, *(found[name] for name in scores)]
        own = [] if self.frame is None else self.frame[rows].get_columns()
        taken = {part.name for part in parts}
        own = [c.alias(f"{c.name} (own)") if c.name in taken else c for c in own]
        return pl.DataFrame([*parts, *own])

    def findings(self) -> tuple[str, ...]:
        """What came out, in sentences: how many labels look wrong, and how good who says so is."""
        flagged, labelled = len(self.issues.indices), self.issues.evidence.number_labelled
        name, share = self.largest
        folds = len(self.judged.fold_ece)
        return (
            f"{flagged:,} of {labelled:,} labels look wrong.",
            f"{self.judged.chosen} judged each row without having seen it ({folds} folds); it "
            f"agrees with {self.accuracy:.1%} of the labels, and always saying {name!r} would "
            f"with {share:.1%}.",
        )

    def look(self) -> Callable[[int], Preview]:
        """A function from a flagged row to what a page shows of it."""
        data = self.data
        if isinstance(data.inputs, np.ndarray) and data.kind != "table":
            shown = data.inputs
            return lambda row: preview_of(shown[row])
        table = self.issues.table().select("index", "given", "proposed")
        pairs = {i: (given, proposed) for i, given, proposed in table.iter_rows()}
        own = self._numbered() if self.frame is None else self.frame.drop(self.roles.label or [])
        assert data.given is not None
        fields = fields_of(own, own if self.typed is None else self.typed, data.given, data.q)
        return lambda row: Preview(fields=fields(row, *pairs[row]))

    def _numbered(self) -> pl.DataFrame:
        """Inputs as a frame: of an array, with numbers for names."""
        import polars as pl

        if isinstance(self.data.inputs, Table):
            return self.data.inputs.frame
        inputs = np.asarray(self.data.inputs)
        return pl.DataFrame(inputs, schema=[str(k) for k in range(inputs.shape[1])])

    def write_page(self, path: Path | str) -> None:
        """One self-contained page: the flagged rows, what they look like, and how many there are.

        Raises:
            OSError: it cannot be written; the message names ``path``.
        """
        plain = self.data.ids.dtype != object and (self.data.ids == np.arange(self.data.n)).all()
        write_issues_page(
            self.issues,
            path,
            classes=self.data.classes,
            media=self.look(),
            notes=self.notes,
            ids=None if plain else self.data.ids,
            of=self.name,
            findings=self.findings()[1:],
        )
