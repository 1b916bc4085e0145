"""What a submission in Python needs: the task it was given, and where its answers go.

A submission may be written in anything: the files are plain ``.npy`` and JSON. In Python:

    from candidly.compare.challenge.entry import read_task

    task = read_task()                      # what run.sh was called with
    learn, held = task.split()              # held: rows to choose the best model by
    model = my_method(learn, seed=task.seed)
    task.predict(model.predict(task.tested))
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.labels.labelled import Labelled
from ...ground.files import replacing
from ...ground.seeds import draw

if TYPE_CHECKING:
    from ...learn.model import Model

ARGUMENTS = ("DATA_SET", "LABEL_SET", "SEED", "DATA", "OUT", "SECONDS")
STARTED = "CANDIDLY_STARTED"  # when the run began, seconds since 1970
BATCH = 128


@dataclass(frozen=True)
class Assignment:
    """One run of a submission: data to learn from, what to predict, and how long it may take.

    Attributes:
        data: inputs, ``given`` labels and ids; no truth.
        tested: test inputs, without labels.
        data_set, label_set: their names.
        seed: the seed of everything random.
        out: the folder that answers are written to.
        seconds: that the run may take in all.
        about: ``task.json``.
        hyper: the submission's hyper-parameters for this data set.
        annotators: int64 (n, k), what each annotator said, -1 for nothing; None in other tracks.
        batch, workers, seconds_taken: int64 (n,), (n, k) and (n, k), in which batch each row was
            labelled, by whom, and how long these took for the batch; None where nobody knows.
        features, test_features: numbers that were given; None in other tracks.
        began: when the run began, seconds since 1970.
    """

    data: Labelled
    tested: Labelled
    data_set: str
    label_set: str
    seed: int
    out: Path
    seconds: float
    about: Mapping[str, Any]
    hyper: Mapping[str, Any] = field(default_factory=dict)
    annotators: np.ndarray | None = None
    batch: np.ndarray | None = None
    workers: np.ndarray | None = None
    seconds_taken: np.ndarray | None = None
    features: np.ndarray | None = None
    test_features: np.ndarray | None = None
    began: float = field(default_factory=time.time)

    @property
    def left(self) -> float:
        """Seconds until the run is stopped."""
        return self.seconds - (time.time() - self.began)

    def split(self, share: float | None = None) -> tuple[Labelled, Labelled]:
        """Rows to learn from, and rows held out to choose by; by default as the rules say.

        The labels of both may be wrong: nobody has clean ones.
        """
        share = self.about["validation_share"] if share is None else share
        order = draw(self.seed, "validation").permutation(self.data.n)
        held = np.zeros(self.data.n, bool)
        held[order[: max(1, round(share * self.data.n))]] = True
        return self.data[~held], self.data[held]

    @property
    def training(self) -> dict[str, Any]:
        """How the challenge's baseline is trained, as keywords of ``candidly.fit``.

        The network, the recipe, and learning rate, weight decay and batch size where the
        challenge says them; ``batch_size`` is always there.
        """
        base = self.about["baseline"]
        hyper = {key: base[key] for key in ("lr", "weight_decay") if base[key] is not None}
        batch = min(base["batch_size"] or BATCH, self.data.n // 2)
        return {"net": base["net"], "recipe": base["recipe"], "batch_size": batch, **hyper}

    def epoch(self, rows: int) -> int:
        """Updates of an epoch over so many rows, in the baseline's batches."""
        return max(1, rows // int(self.training["batch_size"]))

    def steps(self, rows: int) -> int:
        """Updates of the baseline's training on so many rows."""
        return int(self.about["baseline"]["epochs"]) * self.epoch(rows)

    def predict(self, classes: Any) -> None:
        """Write the predicted classes of the test rows, int (m,); what was there is replaced.

        Called again and again during a training, the last is what counts when time is up.
        """
        self._write("predictions.npy", np.asarray(classes).astype(np.int64))

    def detect(self, flagged: Any, scores: Any = None, ids: Any = None) -> None:
        """Write which labels the entry takes to be wrong.

        Args:
            flagged: bool (n,).
            scores: numbers (n,), higher for more suspicious, if there are any.
            ids: of the rows that the two are about, in their order; by default those of ``data``.
        """
        ids = self.data.ids if ids is None else np.asarray(ids)
        self._write("ids.npy", ids if ids.dtype.kind in "iu" else ids.astype(str))
        if scores is not None:
            self._write("scores.npy", np.asarray(scores, np.float64))
        self._write("detection.npy", np.asarray(flagged, bool))

    def best(self, held: Labelled) -> BestModel:
        """For ``fit(each=...)``: writes predictions whenever a model is the best so far."""
        return BestModel(self, held)

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Write how long starting took, and the training in the block: ``timing.json``."""
        before, began = time.time() - self.began, time.perf_counter()
        yield
        training = time.perf_counter() - began
        self._write_json("timing.json", {"starting": before, "training": training})

    def note(self, **values: Any) -> None:
        """Write ``notes.json``, which is kept beside the answers: choices made from the data."""
        self._write_json("notes.json", values)

    def _write(self, name: str, values: np.ndarray) -> None:
        with replacing(self.out / name) as file:
            np.save(file, values, allow_pickle=False)

    def _write_json(self, name: str, values: Any) -> None:
        with replacing(self.out / name) as file:
            file.write(json.dumps(values).encode())


class BestModel:
    """Keeps the predictions of the model with the best accuracy on noisy labels held out."""

    def __init__(self, task: Assignment, held: Labelled):
        self.task, self.held = task, held
        self.accuracy, self.at = -1.0, 0

    def __call__(self, model: Model, done: int) -> None:
        accuracy = model.measure(self.held)["given accuracy"]
        if accuracy > self.accuracy:
            self.accuracy, self.at = accuracy, done
            self.task.predict(model.predict(self.task.tested))


def read_task(arguments: Sequence[str] | None = None) -> Assignment:
    """The task that ``run.sh`` was called with, and handed on as ``"$@"``.

    Args:
        arguments: DATA_SET LABEL_SET SEED DATA OUT SECONDS; by default those of the program.

    Raises:
        SystemExit: other arguments.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    if len(given) != len(ARGUMENTS):
        raise SystemExit(f"{len(given)} arguments; a run is called with {' '.join(ARGUMENTS)}")
    data_set, label_set, seed, data, out, seconds = given
    at = Path(data)
    about = json.loads((at / "task.json").read_text("utf-8"))
    classes = tuple(about["classes"])
    inputs, tested = (_inputs(at, name, classes) for name in ("inputs", "test_inputs"))
    ids = np.load(at / "ids.npy", allow_pickle=False)
    learned = Labelled(
        inputs=inputs.inputs,
        classes=classes,
        features=inputs.features,
        given=np.load(at / "labels.npy", allow_pickle=False),
        ids=ids if ids.dtype.kind in "iu" else ids.astype(object),
        source=f"{data_set} {label_set}",
    )
    extra = {
        name: np.load(at / f"{name}.npy", allow_pickle=False)
        for name in ("annotators", "features", "test_features")
        if (at / f"{name}.npy").exists()
    }
    side = {"batch": "batch", "workers": "workers", "seconds": "seconds_taken"}
    extra |= {
        name: np.load(at / f"{file}.npy", allow_pickle=False)
        for file, name in side.items()
        if (at / f"{file}.npy").exists()
    }
    return Assignment(
        data=learned,
        tested=tested,
        data_set=data_set,
        label_set=label_set,
        seed=int(seed),
        out=Path(out),
        seconds=float(seconds),
        about=about,
        hyper=_hyper(data_set),
        began=float(os.environ.get(STARTED, time.time())),
        **extra,
    )


def _inputs(at: Path, name: str, classes: tuple[str, ...]) -> Labelled:
    if (at / f"{name}.npy").exists():
        values = np.load(at / f"{name}.npy", allow_pickle=False, mmap_mode="r")
        return Labelled(inputs=np.asarray(values), classes=classes)
    return Labelled.load(at / f"{name}.npz")


def _hyper(data_set: str) -> dict[str, Any]:
    """The hyper-parameters of the manifest beside the program, of this data set."""
    path = Path("manifest.json")
    if not path.is_file():
        return {}
    table = json.loads(path.read_text("utf-8")).get("hyperparameters", {})
    return dict(table.get(data_set, table))
