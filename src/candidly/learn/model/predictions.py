"""What a saved model says of the rows of a file, and the files that hold it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...data.ingest import Roles, write_back
from ...data.labels.storage import write_arrays
from ...ground.files import replacing, write_table
from ...ground.problem import Refusal, passed
from ._model import Model, measures
from .new_rows import NewRows, read_new

if TYPE_CHECKING:
    import polars as pl

PREDICTION, PROBABILITY = "prediction", "probability"


@dataclass(frozen=True, eq=False)
class Predicted:
    """What a model says of n rows.

    Attributes:
        rows: that it was asked about.
        logits: float32 (n, q).
    """

    model: Model
    rows: NewRows
    logits: np.ndarray

    @cached_property
    def probs(self) -> np.ndarray:
        """Softmax, float64 (n, q)."""
        exps = np.exp(self.logits.astype(np.float64) - self.logits.max(1, keepdims=True))
        return np.asarray(exps / exps.sum(1, keepdims=True))

    @property
    def counts(self) -> dict[str, int]:
        """How often each class is predicted, the most frequent first."""
        counts = np.bincount(self.probs.argmax(1), minlength=len(self.model.classes))
        order = np.argsort(-counts, kind="stable")
        return {self.model.classes[k]: int(counts[k]) for k in order if counts[k]}

    @property
    def measured(self) -> dict[str, float]:
        """Against the labels of the rows; empty where they have none. See ``measures``."""
        labelled = self.rows.labelled
        return {} if labelled is None else dict(measures(self.logits, labelled))

    def write(self, out: Path, whole: bool = False, top: int = 1) -> None:
        """Writes the rows in order: id, prediction, probability and, if ``whole``, every class's.

        Args:
            out: ``.csv``, ``.parquet`` or ``.jsonl``; or ``.npz``, which has every probability.
            top: how many classes of a row, the likeliest first.

        Raises:
            ValueError: a class is called as a column of the predictions is.
        """
        if out.suffix == ".npz":
            ids = np.array([str(one) for one in self.rows.ids])
            arrays = {"probs": self.probs, PREDICTION: self.probs.argmax(1), "ids": ids}
            write_arrays(out, arrays | {"classes": np.array(self.model.classes)}, {"schema": 1})
            return
        table = self._table(whole, top)
        if out.suffix == ".jsonl":
            with replacing(out) as file:
                table.write_ndjson(file)
        else:
            write_table(table, out)

    def write_beside(self, out: Path, top: int = 1) -> None:
        """Writes the file's own columns, and two behind them for each class of a row.

        Raises:
            ValueError: the rows are from no table; what ``ingest.write_back`` refuses.
        """
        sheet = self.rows.sheet
        if sheet is None:
            raise ValueError("the rows are from no table, which could be written again.")
        added: dict[str, list[str]] = {}
        for prediction, names, probability, values in self._likeliest(top):
            added |= {prediction: names, probability: [f"{value:.6g}" for value in values]}
        write_back(sheet, added, out, beside=sheet.frame.columns[-1])

    def _likeliest(self, top: int) -> Iterator[tuple[str, list[str], str, np.ndarray]]:
        """A class of each row and its probability, with names of columns, the likeliest first."""
        probs = self.probs
        order = np.argsort(-probs, axis=1, kind="stable")[:, :top]
        for place, guess in enumerate(order.T):
            behind = f"_{place + 1}" if place else ""
            names = [self.model.classes[k] for k in guess]
            values = probs[np.arange(len(probs)), guess]
            yield PREDICTION + behind, names, PROBABILITY + behind, values

    def _table(self, whole: bool, top: int) -> pl.DataFrame:
        import polars as pl

        columns = [pl.Series(self.rows.id_name, list(self.rows.ids))]
        for prediction, names, probability, values in self._likeliest(top):
            columns += [pl.Series(prediction, names, pl.String), pl.Series(probability, values)]
        if whole:
            taken = [column.name for column in columns]
            for k, name in enumerate(self.model.classes):
                if name in taken:
                    raise Refusal(
                        f"a class is called {name!r}, as a column of the predictions is.",
                        f"write {passed('out', 'predictions.npz')}",
                        "leave `probs` out",
                    )
                columns.append(pl.Series(name, self.probs[:, k]))
        return pl.DataFrame(columns)


def predict_file(
    model: Model,
    what: str,
    *,
    label: str | None = None,
    roles: Roles | None = None,
    root: Path | None = None,
    adjusted: bool = False,
    check: Callable[[NewRows], None] = lambda rows: None,
    watch: Callable[[int, int], None] = lambda done, total: None,
) -> Predicted:
    """What a model says of the rows of a table, of arrays, of a folder or of a known data set.

    Args:
        what: a path, or the name of a known data set.
        label: for a table, a column of labels to compare with.
        roles: which column is what; columns go by the names that the model was trained with.
        root: where the files of known data sets are looked for first.
        adjusted: as if all classes had been equally frequent in training.
        check: may refuse what was read, before anything is predicted.
        watch: called with rows predicted and rows in all.

    Raises:
        FileNotFoundError, ValueError, UnknownName: it cannot be read, or does not suit the model.
    """
    rows = read_new(what, model, roles or Roles(), label, root)
    check(rows)
    return Predicted(model, rows, model.predict_logits(rows.inputs, watch, adjusted=adjusted))
