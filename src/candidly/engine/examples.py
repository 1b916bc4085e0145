"""The part of a data set that training sees, as tensors: inputs and labels, no truth unless asked.

Inputs are held once, standardised in float64 over all rows and rounded to the training dtype
after; a split's own scaling is a shift and a factor on top, applied to the rows of a batch. The
two steps compose to exactly the split's standardisation, and a feature with a large mean keeps
its digits in float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from ..inputs import Table
from ..labelled import Labelled

SCALINGS = ("train", "plench", "none")
GUARD = 1e-6  # added to every standard deviation: the benchmark's


@dataclass(frozen=True)
class Examples:
    """Tensors of n examples on one device.

    Attributes:
        inputs: dtype (n, d).
        labels: by name, what the algorithm reads: ``candidates`` bool (n, q), ``given`` or
            ``truth`` int64 (n,).
        centre, spread: float64 (d,); ``inputs`` is (raw - centre) / spread.
        q: number of classes.
    """

    inputs: Tensor
    labels: dict[str, Tensor]
    centre: np.ndarray
    spread: np.ndarray
    q: int

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one example's inputs."""
        return tuple(self.inputs.shape[1:])

    @property
    def dtype(self) -> torch.dtype:
        """That training computes in."""
        return self.inputs.dtype

    @property
    def device(self) -> torch.device:
        """Where batches are made."""
        return self.inputs.device

    def take(self, rows: Tensor) -> Tensor:
        """New tensors of some rows, int64 (m,): inputs (m, *shape) before a split's scaling."""
        return self.inputs.index_select(0, rows)


def table_of(inputs: np.ndarray | Table) -> np.ndarray:
    """Inputs as a table: images are flattened, (n, h, w, c) -> (n, h * w * c).

    Raises:
        ValueError: columns of different kinds, which are no numbers before they are encoded.
    """
    return np.asarray(inputs).reshape(len(inputs), -1)


def make_examples(
    data: Labelled,
    reads: Sequence[str],
    scaling: str = "train",
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
) -> Examples:
    """What an algorithm that ``reads`` these labels may see of ``data``.

    Raises:
        ValueError: the inputs are no table or images, ``data`` has multi-label tags, or it lacks
            a label that is read.
    """
    missing = unlearnable(data, reads)
    if missing:
        raise ValueError(missing)
    raw = table_of(data.inputs)
    mean, deviation, constant = _moments(raw)
    if scaling == "none":
        centre, spread = np.zeros_like(mean), np.ones_like(mean)
    elif scaling == "plench":
        centre, spread = mean, deviation + GUARD
    else:
        centre, spread = mean, np.where(constant | (deviation == 0), 1, deviation)
    inputs = torch.empty(raw.shape, dtype=dtype)
    for start in range(0, len(raw), 8192):  # in pieces: no second float64 copy of everything
        rows = slice(start, start + 8192)
        inputs[rows] = torch.from_numpy((raw[rows].astype(np.float64) - centre) / spread)
    labels = {name: torch.tensor(getattr(data, name), device=device) for name in reads}
    return Examples(inputs.to(device), labels, centre, spread, data.q)


def with_oracle_twins(examples: Examples, data: Labelled, rows: np.ndarray) -> Examples:
    """The examples, and behind them some of their rows again with the true label alone.

    Row ``n + i`` has the inputs of row ``rows[i]``; its ``candidates`` hold one class, and its
    ``given`` is that class. Scaling stays that of the n examples. This reads the truth of ``rows``
    and of no other row.

    Args:
        data: what the examples were made of; ``truth`` known for ``rows``.
        rows: int64 (m,).
    """
    assert data.truth is not None
    oracle = torch.tensor(data.truth[rows], device=examples.device)
    at = torch.from_numpy(rows).to(oracle.device)
    labels = {}
    for name, values in examples.labels.items():
        classes = torch.arange(examples.q, device=oracle.device)
        twins = oracle[:, None] == classes if name == "candidates" else oracle
        labels[name] = torch.cat([values, twins])
    return replace(
        examples, inputs=torch.cat([examples.inputs, examples.inputs[at]]), labels=labels
    )


def unlearnable(data: Labelled, reads: Sequence[str]) -> str:
    """Why an algorithm that ``reads`` these labels cannot learn from ``data``; '' when it can."""
    where = f"{data.source or 'the data'}"
    if data.tags is not None:
        return f"{where} is multi-label (tags): learning needs one true class per example."
    if data.kind not in ("table", "images"):
        return f"{where} holds {data.kind}; the networks here take a table or images."
    for name in reads:
        values = getattr(data, name)
        if values is None:
            have = [n for n in ("candidates", "given", "truth") if getattr(data, n) is not None]
            hint = {
                "candidates": "make some with --labels flip:rate=0.3, or from `given` with "
                "labelled.given_to_candidates",
                "given": "make some with --labels symmetric:rate=0.2, or take an algorithm "
                "that reads candidates",
                "truth": "the oracle needs the true labels",
            }[name]
            return f"{where} has no {name} (it has {', '.join(have) or 'no labels'}): {hint}."
        if name != "candidates" and (np.asarray(values) < 0).any():
            row = int(np.argmax(np.asarray(values) < 0))
            return f"{where} has no {name} label at row {row}; drop such rows before learning."
    return ""


def split_scaling(
    data: Labelled, examples: Examples, rows: np.ndarray, scaling: str
) -> tuple[np.ndarray, np.ndarray] | None:
    """Shift and factor (d,), float64, that turn ``examples.inputs`` into a split's scaled inputs.

    ``train`` standardises by the mean and population standard deviation of ``rows`` (the training
    rows); a feature that is constant on them becomes 0 everywhere. Other scalings need nothing
    more: None.
    """
    if scaling != "train":
        return None
    mean, deviation, constant = _moments(table_of(data.inputs)[rows])
    shift = (mean - examples.centre) / examples.spread
    factor = np.where(constant, 0, examples.spread / (deviation + GUARD))
    return shift, factor


def _moments(table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, population standard deviation and constancy of each column, in float64."""
    constant = (table == table[:1]).all(0)
    # the mean of equal numbers may differ from them in the last bit
    mean = np.where(constant, table[0], table.mean(0, dtype=np.float64))
    return mean, table.std(0, dtype=np.float64), constant
