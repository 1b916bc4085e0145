"""A trained classifier of ``learn.classifiers`` with all it takes to apply it to new inputs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...data.inputs.pictures import descriptors
from ...data.inputs.texts import SPARSE, hashed_words
from ...data.labels.labelled import Labelled
from ...ground.checks import checked_classes
from ...ground.problem import Refusal, why
from ...ground.progress import OnProgress
from ..classifiers import Frozen, classifier, frozen, thawed
from ._file import NoModel, write_model
from ._model import Model
from ._reading import Reading, fit_reading, from_json

COLUMNS = "columns"  # of hashed words, in a file
CLASSIFIER = "classifier/"  # in front of the names of its arrays, in a file


class ClassifierModel(Model):
    """A ``Model`` whose probabilities are those of a classifier that is no network.

    Attributes:
        classifier: the fitted classifier as arrays.
        columns: int64, the hashed words that it knows; of no texts, none.
    """

    def __init__(
        self,
        classifier: Frozen,
        columns: np.ndarray,
        about: dict,
        suspicion: np.ndarray | None = None,
    ):
        self.classifier, self.columns = classifier, columns
        none = np.zeros(classifier.d)
        super().__init__({}, (none, none), about, suspicion)

    def __repr__(self) -> str:
        return f"Model({self.about['algorithm']}, {self._takes()}, {len(self.classes)} classes)"

    def _takes(self) -> str:
        takes = {"texts": "texts", "images": "pictures", "media": "pictures"}
        return takes.get(self.reading.kind, f"{self.classifier.d} features")

    def _logits(self, inputs: Any, watch: OnProgress) -> np.ndarray:
        numbers = _numbers(self.reading, inputs, self.columns)
        with _one_blas_thread():
            logits = self.classifier.log_probs(numbers)
        watch(len(logits), len(logits))
        return logits

    def save(self, path: Path | str) -> None:
        """Write one ``.safetensors`` file, as ``Model.save`` does."""
        arrays = {} if self.suspicion is None else {"suspicion": self.suspicion}
        arrays |= {CLASSIFIER + name: array for name, array in self.classifier.arrays().items()}
        write_model(path, arrays | {COLUMNS: self.columns}, self.about)


def fit_classifier(
    data: Labelled,
    name: str,
    *,
    seed: int = 0,
    watch: OnProgress = lambda done, total: None,
) -> ClassifierModel:
    """Train a classifier of ``learn.classifiers`` on the given labels of all rows that have one.

    Args:
        name: ``NAME:key=value,...``.
        seed: the seed of what is random in it.
        watch: called with parts done and parts in all.

    Raises:
        ValueError: no given labels, or of one class alone; inputs that it does not take.
        UnknownName: no such classifier or option.
    """
    if data.given is None:
        raise Refusal(
            f"{name} learns from one label a row, and {data.source or 'the data'} has none.",
            "take an algorithm that reads candidate sets, such as PRODEN",
            "name the column of labels with `label`",
        )
    data = data.blind()[data.given >= 0]
    assert data.given is not None
    shown, labels = np.unique(data.given, return_inverse=True)
    if len(shown) < 2:
        named = data.classes[int(shown[0])] if len(shown) else "missing"
        raise ValueError(f"every label is {named!r}; to tell classes apart takes two.")
    unfitted = classifier(name, data.kind)
    reading = replace(fit_reading(data), pixels=False)
    numbers, columns = _numbers(reading, reading.of(data), None), np.zeros(0, np.int64)
    if data.kind.texts:
        columns = np.flatnonzero(numbers.getnnz(0))
        numbers = numbers[:, columns]
    with _one_blas_thread():
        fitted = _seeded(unfitted, seed, watch).fit(numbers, labels)
    made = frozen(fitted, shown, numbers.shape[1], data.q)
    about = {
        "algorithm": name,
        "classifier": {"judged": [asdict(each) for each in getattr(fitted, "judged_", [])]},
        "features": made.d,
        "hyper": {},
        "net": None,
        "steps": 0,
        "seed": seed,
        "classes": list(data.classes),
        "data": data.fingerprint(),
        "rows": data.n,
        "inputs": reading.to_json(),
        "label counts": np.bincount(data.given, minlength=data.q).tolist(),
    }
    own = made.log_probs(numbers)[np.arange(data.n), data.given]
    return ClassifierModel(made, columns, about, -own.astype(np.float64))


def _one_blas_thread() -> Any:
    """What is computed in the block does not depend on how many threads there are."""
    from threadpoolctl import threadpool_limits  # which scikit-learn brings

    return threadpool_limits(limits=1, user_api="blas")


def _seeded(unfitted: Any, seed: int, watch: OnProgress) -> Any:
    asked = unfitted.get_params(deep=True)
    given = {key: seed for key in asked if key.rpartition("__")[2] == "random_state"}
    return unfitted.set_params(**given, **({"watch": watch} if "watch" in asked else {}))


def _numbers(reading: Reading, inputs: Any, columns: np.ndarray | None) -> Any:
    """What a classifier sees: numbers (n, d), of texts sparse counts of some hashed words."""
    if reading.encoder is not None:
        return reading.numbers(inputs)
    if reading.kind.texts:
        counts = hashed_words(reading.strings(inputs))
        return counts if columns is None else counts[:, columns]
    if reading.kind.pixels:
        if not isinstance(inputs, np.ndarray):
            raise ValueError(
                f"`inputs` is a {type(inputs).__name__}; this model takes pictures, a uint8 array "
                "(n, h, w) or (n, h, w, 3)."
            )
        return descriptors(inputs)
    numbers = reading.numbers(inputs)
    finite = np.isfinite(numbers).all(1)
    if not finite.all():
        row = int(finite.argmin())
        raise ValueError(f"`inputs` has a value that is not finite at row {row}.")
    return numbers


def thawed_model(
    path: Path | str, arrays: Mapping[str, np.ndarray], about: dict
) -> ClassifierModel:
    """A model that ``ClassifierModel.save`` wrote, of what its file holds.

    Raises:
        NoModel: arrays that no classifier has.
    """
    try:
        q, d = len(checked_classes(about["classes"])), int(about["features"])
        own = {n.removeprefix(CLASSIFIER): a for n, a in arrays.items() if n.startswith(CLASSIFIER)}
        columns = arrays[COLUMNS]
        from_json(about["inputs"], d)
        if (len(columns) == d) != (about["inputs"]["kind"] == "texts"):
            raise ValueError(f"it knows {len(columns)} words and has {d} features")
        within = columns.dtype == np.int64 and ((columns >= 0) & (columns < SPARSE)).all()
        if columns.ndim != 1 or not within:
            raise ValueError("it knows words that there are not")
        made = thawed(own, d, q)
        return ClassifierModel(made, columns, about, arrays.get("suspicion"))
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        raise NoModel(f"{path} is a damaged model{why(error, ': {}')}. Train it again.") from error
