"""A trained network with all it takes to apply it to new inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ...data.inputs import Pictures
from ...data.inputs.tokens import Tokens, Words
from ...data.labels.labelled import Labelled
from ...data.labels.votes import shares_named
from ...ground.arrays import door
from ...ground.numbers import count_of
from ...ground.progress import OnProgress
from ...stats import criteria
from ..algorithms import algorithm as algorithm_named
from ..engine.forward import rows_at_once
from ..engine.train import one_thread
from ..nets import Net, fixed, network
from ._file import write_model
from ._reading import Reading, from_json

LARGEST_INPUT = 2**24  # numbers
NET = "net/"  # in front of the names of parameters and buffers, in a file


class Model:
    """A trained network with the scaling it was trained under.

    Attributes:
        classes: q names, in the order of the probabilities' columns.
        about: how it was trained, as JSON values.
        parameters: float32 by name, and the network's buffers in their own types.
        scaling: shift and factor of an input, float64 (d,) or (C, 1, 1).
        reading: how inputs become the numbers or pictures that the network takes.
        suspicion: float64 (n,), how suspicious the label of each training row was when training
            ended, in the order of the data; higher is likelier wrong. By default the loss of the
            label, in nats; some algorithms have a score of their own (``candidly.algorithms``).
            None if the model was saved without it.

    Inputs to predict for are of the kind that the model was trained on. A data frame, polars' or
    pandas', goes by the names of its columns, whatever their order, where the model knows such
    names (``features``); further columns are left out with a warning. Arrays go by position. A
    ``Labelled`` stands for its inputs. What is predicted for a row does not depend on the number
    of threads.
    """

    def __init__(
        self,
        parameters: dict[str, np.ndarray],
        scaling: tuple[np.ndarray, np.ndarray],
        about: dict,
        suspicion: np.ndarray | None = None,
    ):
        self.parameters, self.scaling, self.about = parameters, scaling, about
        self.suspicion = suspicion
        self.classes: tuple[str, ...] = tuple(about["classes"])
        self.reading: Reading = from_json(about.get("inputs"), self.shape[0])

    def __repr__(self) -> str:
        return (
            f"Model({self.about['algorithm']}, {self._takes()}, "
            f"{len(self.classes)} classes, {self.about['steps']} updates)"
        )

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one input as the network takes it, (d,) or (C, H, W)."""
        return shape_of(self.about, self.scaling[0])

    def _takes(self) -> str:
        words = self.about.get("words")
        return size_text(self.shape) if words is None else f"texts of {words['size']:,} tokens"

    @property
    def features(self) -> tuple[str, ...] | None:
        """Names of the columns that inputs are taken from; None where they have no names."""
        return self.reading.names

    @door
    def predict_logits(
        self,
        inputs: Any,
        watch: OnProgress = lambda done, total: None,
        *,
        adjusted: bool = False,
    ) -> np.ndarray:
        """Logits float32 (n, q).

        Args:
            adjusted: for classes as frequent as each other, and not as they were among the training
                labels (``criteria.prior_adjusted``).
            watch: called now and then with the rows done and the rows in all.

        Raises:
            ValueError: inputs of another kind or shape, a column that is not there, or a number
                that is not finite; the message names the column or row. Or a model that knows no
                frequencies of labels is to adjust for them.

        Warns:
            UserWarning: columns that the model does not use.
        """
        counts = self._label_counts() if adjusted else None
        if isinstance(inputs, Labelled):
            inputs = self.reading.of(inputs)
        logits = self._logits(inputs, watch)
        return logits if counts is None else criteria.prior_adjusted(logits, counts)

    def _logits(self, inputs: Any, watch: OnProgress) -> np.ndarray:
        raw = self._read(inputs)
        net, averaged = network_of(self.about, self.shape, self.classes)
        tensors = {
            name: torch.from_numpy(v if averaged > 1 else v[None])
            for name, v in self.parameters.items()
        }
        state = fixed(
            {name: tensors[name] for name in net.shapes},
            {name: tensors[name] for name in net.buffers},
        )
        logits = np.empty((len(raw), len(self.classes)), np.float32)
        at_once = rows_at_once(net)
        order = np.arange(len(raw))
        if isinstance(raw, Tokens):  # like lengths together
            order = np.argsort(raw.lengths, kind="stable")
        with torch.no_grad(), one_thread():
            for start in range(0, len(raw), at_once):
                rows = order[start : start + at_once]
                x = torch.from_numpy(self._scaled(raw, rows))
                trunk = net.trunk(state, x.expand(averaged, *x.shape))
                logits[rows] = net.head(state, trunk).mean(0).numpy()
                watch(min(start + at_once, len(raw)), len(raw))
        return logits

    def _label_counts(self) -> np.ndarray:
        """Of each class among the training labels, int64 (q,)."""
        if "label counts" not in self.about:
            raise ValueError(
                "this model does not know how frequent each class was in training: it learned from"
                " candidate sets, or was saved by an earlier version. Leave adjusted out, or train"
                " it again from one label a row."
            )
        return np.array(self.about["label counts"])

    def _read(self, inputs: Any) -> np.ndarray | Pictures | Tokens:
        """Inputs as numbers, pictures or tokens, of the shape that the model takes."""
        if self.reading.tokeniser is not None:
            return self.reading.tokens(inputs)
        raw = self.reading.pictures(inputs) if self.reading.pixels else self.reading.numbers(inputs)
        shape = raw.shape if isinstance(raw, Pictures) else raw.shape[1:]
        if shape != self.shape:
            raise ValueError(
                f"`inputs` has {size_text(shape)}; this model was trained on "
                f"{size_text(self.shape)}."
            )
        return raw

    @door
    def predict_proba(self, inputs: Any, *, adjusted: bool = False) -> np.ndarray:
        """Softmax of the logits: float32 (n, q), rows sum to 1."""
        logits = self.predict_logits(inputs, adjusted=adjusted)
        return torch.from_numpy(logits).softmax(-1).numpy()

    @door
    def predict(self, inputs: Any, *, adjusted: bool = False) -> np.ndarray:
        """Class indices int64 (n,); the lowest of equals."""
        return self.predict_logits(inputs, adjusted=adjusted).argmax(1)

    def measure(self, data: Labelled, *, adjusted: bool = False) -> dict[str, float]:
        """How well predictions for ``data`` agree with its labels: see ``measures``.

        Raises:
            ValueError: other classes, no labels, or inputs that do not suit the model.
        """
        if data.classes != self.classes:
            raise ValueError(
                f"`data` has the classes {', '.join(data.classes[:5])}, ... and the model "
                f"{', '.join(self.classes[:5])}, ...; they must be the same, in order."
            )
        return measures(self.predict_logits(data, adjusted=adjusted), data)

    def save(self, path: Path | str) -> None:
        """Write one ``.safetensors`` file, whose header says all the rest in JSON.

        Raises:
            ValueError: another ending. OSError: it cannot be written.
        """
        shift, factor = self.scaling
        arrays = {"shift": shift, "factor": factor}
        arrays |= {} if self.suspicion is None else {"suspicion": self.suspicion}
        arrays |= {NET + name: value for name, value in self.parameters.items()}
        write_model(path, arrays, self.about)

    def _scaled(self, raw: np.ndarray | Pictures | Tokens, rows: np.ndarray) -> np.ndarray:
        """Rows as the network sees them: float32, or token numbers."""
        shift, factor = self.scaling
        if isinstance(raw, Tokens):
            return raw.take(rows)
        if isinstance(raw, Pictures):
            pixels = raw.take(rows).astype(np.float32)
            return (pixels - shift.astype(np.float32)) * factor.astype(np.float32)
        numbers = raw[rows].astype(np.float64)
        if not np.isfinite(numbers).all():
            row = rows[np.argmin(np.isfinite(numbers).all(1))]
            raise ValueError(f"`inputs` has a value that is not finite at row {row}.")
        return ((numbers - shift) * factor).astype(np.float32)


def shape_of(about: Mapping[str, Any], shift: np.ndarray) -> tuple[int, ...]:
    """Of one input; models of before kept no shape, and took rows of numbers."""
    return tuple(int(size) for size in about.get("shape", (len(shift),)))


def size_text(shape: tuple[int, ...]) -> str:
    if len(shape) == 1:
        return f"{shape[0]} features"
    channels, high, wide = shape
    return f"pictures of {high} x {wide} pixels in {count_of(channels, 'channel')}"


@door
def measures(logits: np.ndarray, data: Labelled) -> dict[str, float]:
    """How well predictions agree with the labels that are there, each a share in [0, 1].

    Args:
        logits: (n, q), or log-probabilities.
        data: the same rows, which the model did not learn from.

    Returns:
        by name: ``covering rate`` (a candidate is predicted) and ``approximated accuracy`` (the
        expected accuracy, from the candidates alone), ``given accuracy`` (the given label is
        predicted), ``answer accuracy`` (the mean share of a row's answers that are predicted),
        ``oracle accuracy`` (the true label is). NaN where no row has such a label.

    Raises:
        ValueError: no labels.
    """
    found = {}
    if data.candidates is not None:
        found["covering rate"] = criteria.covering_rate(logits, data.candidates)
        found["approximated accuracy"] = criteria.approximated_accuracy(logits, data.candidates)
    if data.given is not None:
        found["given accuracy"] = criteria.accuracy(logits, data.given)
    if data.votes is not None:
        shares = shares_named(data.votes, data.n, data.q)
        found["answer accuracy"] = criteria.answer_accuracy(logits, shares)
    if data.truth is not None:
        found["oracle accuracy"] = criteria.accuracy(logits, data.truth)
    if not found:
        raise ValueError(
            "`data` has no labels to measure by: no candidates, given, votes or truth."
        )
    return {name: float(value) for name, value in found.items()}


def network_of(
    about: Mapping[str, Any], shape: tuple[int, ...], classes: Sequence[str]
) -> tuple[Net, int]:
    """The network that predicts, and how many copies of it are averaged."""
    method = algorithm_named(about["algorithm"])
    settings = method.settings()
    for name, value in about["hyper"].items():
        if name in settings:
            settings[name].check(f"its {name}", value)
    words = about.get("words")
    words = None if words is None else Words(words["size"], words["unknown"], (*words["special"],))
    made = network(about["net"], shape, len(classes), words, tuple(classes))
    nets = method.networks_on(made, len(classes), about["hyper"])
    return nets[method.predicts], int(about.get("averaged", 1))
