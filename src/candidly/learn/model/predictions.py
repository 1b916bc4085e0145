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
from ...data.labels.text import BAR
from ...ground.files import replacing, write_table
from ...ground.problem import Refusal, passed
from ...ground.progress import OnProgress
from ._model import Model, measures
from .new_rows import NewRows, read_new
from .prediction_sets import check_sets, sets_of

if TYPE_CHECKING:
    import polars as pl

PREDICTION, PROBABILITY, SET = "prediction", "probability", "set"


@dataclass(frozen=True, eq=False)
class Predicted:
    """What a model says of n rows.

    Attributes:
        rows: that it was asked about.
        logits: float32 (n, q).
        abstain: a row whose likeliest class is less likely has no prediction.
        sets: how often a row's set of classes is to hold its label; None: there are no sets.
    """

    model: Model
    rows: NewRows
    logits: np.ndarray
    abstain: float = 0.0
    sets: float | None = None

    @cached_property
    def abstained(self) -> np.ndarray:
        """Rows without a prediction: bool (n,)."""
        return np.asarray(self.probs.max(1) < self.abstain)

    @cached_property
    def in_set(self) -> np.ndarray | None:
        """The classes of each row's set, bool (n, q); see ``prediction_sets``."""
        return None if self.sets is None else sets_of(self.model.about, self.probs, self.sets)

    @cached_property
    def probs(self) -> np.ndarray:
        """Softmax, float64 (n, q)."""
        exps = np.exp(self.logits.astype(np.float64) - self.logits.max(1, keepdims=True))
        return np.asarray(exps / exps.sum(1, keepdims=True))

    @property
    def set_size(self) -> float | None:
        """Classes in a set on average; None where there are no sets."""
        return None if self.in_set is None else float(self.in_set.sum(1).mean())

    @property
    def counts(self) -> dict[str, int]:
        """How often each class is predicted, the most frequent first."""
        told = self.probs.argmax(1)[~self.abstained]
        counts = np.bincount(told, minlength=len(self.model.classes))
        order = np.argsort(-counts, kind="stable")
        return {self.model.classes[k]: int(counts[k]) for k in order if counts[k]}

    @property
    def measured(self) -> dict[str, float]:
        """Against the labels of the rows; empty where they have none. See ``measures``."""
        labelled = self.rows.labelled
        return {} if labelled is None else dict(measures(self.logits, labelled))

    def write(self, out: Path, whole: bool = False, top: int = 1) -> None:
        """Writes the rows in order: id, prediction, probability, set; if ``whole`` every class's.

        In an ``.npz`` a row without a prediction has -1.

        Args:
            out: ``.csv``, ``.parquet`` or ``.jsonl``; or ``.npz``, which has every probability.
            top: how many classes of a row, the likeliest first.

        Raises:
            ValueError: a class is called as a column of the predictions is.
        """
        if out.suffix == ".npz":
            ids = np.array([str(one) for one in self.rows.ids])
            told = np.where(self.abstained, -1, self.probs.argmax(1))
            arrays = {"probs": self.probs, PREDICTION: told, "ids": ids}
            if self.in_set is not None:
                arrays[SET] = self.in_set
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
        if self.in_set is not None:
            added[SET] = self._set_texts()
        write_back(sheet, added, out, beside=sheet.frame.columns[-1])

    def _likeliest(self, top: int) -> Iterator[tuple[str, list[str], str, np.ndarray]]:
        """A class of each row and its probability, with names of columns, the likeliest first."""
        probs = self.probs
        order = np.argsort(-probs, axis=1, kind="stable")[:, :top]
        for place, guess in enumerate(order.T):
            behind = f"_{place + 1}" if place else ""
            names = [self.model.classes[k] for k in guess]
            if not place:
                names = ["" if no else name for name, no in zip(names, self.abstained)]
            values = probs[np.arange(len(probs)), guess]
            yield PREDICTION + behind, names, PROBABILITY + behind, values

    def _set_texts(self) -> list[str]:
        """A row's classes as candidly reads sets, the likeliest first."""
        assert self.in_set is not None
        order = np.argsort(-self.probs, axis=1, kind="stable")
        rows = zip(order.tolist(), self.in_set)
        return [BAR.join(self.model.classes[k] for k in row if there[k]) for row, there in rows]

    def _table(self, whole: bool, top: int) -> pl.DataFrame:
        import polars as pl

        columns = [pl.Series(self.rows.id_name, list(self.rows.ids))]
        for prediction, names, probability, values in self._likeliest(top):
            columns += [pl.Series(prediction, names, pl.String), pl.Series(probability, values)]
        if self.in_set is not None:
            columns.append(pl.Series(SET, self._set_texts(), pl.String))
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
    abstain: float = 0.0,
    sets: float | None = None,
    check: Callable[[NewRows], None] = lambda rows: None,
    watch: OnProgress = lambda done, total: None,
) -> Predicted:
    """What a model says of the rows of a table, of arrays, of a folder or of a known data set.

    Args:
        what: a path, or the name of a known data set.
        label: for a table, a column of labels to compare with.
        roles: which column is what; columns go by the names that the model was trained with.
        root: where the files of known data sets are looked for first.
        adjusted: as if all classes had been equally frequent in training.
        abstain: predict nothing for a row whose likeliest class is less likely than that.
        sets: how often each row's set of classes is to hold its label, such as 0.9.
        check: may refuse what was read, before anything is predicted.
        watch: called with rows predicted and rows in all.

    Raises:
        FileNotFoundError, ValueError, UnknownName: it cannot be read, or does not suit the model.
    """
    if not 0 <= abstain <= 1:
        raise ValueError(f"`abstain` is {abstain}; give a probability from 0 to 1.")
    if sets is not None and adjusted:
        raise Refusal(
            "sets are made by how the model did as it is, and adjusted probabilities are others.",
            "leave `adjusted` or `sets` out",
        )
    if sets is not None:
        check_sets(model.about, sets)
    rows = read_new(what, model, roles or Roles(), label, root)
    check(rows)
    logits = model.predict_logits(rows.inputs, watch, adjusted=adjusted)
    return Predicted(model, rows, logits, abstain, sets)
