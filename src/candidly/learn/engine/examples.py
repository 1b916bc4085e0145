"""The part of a data set that training sees, as tensors: inputs and labels, no truth unless asked.

Inputs are held once: tables standardised in float64 over all rows and rounded to the training dtype
after, pictures as the uint8 pixels that they are, where the data has them. A batch of pictures
becomes numbers when it is taken. Texts are held as tokens for networks that take these, else as
counts of hashed words. See ``scaling`` for what splits add.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import torch
from torch import Tensor

from ...data.inputs import Pictures, Table
from ...data.inputs.tokens import Words
from ...data.labels.describe import labelled_rows
from ...data.labels.kinds import several_hold
from ...data.labels.labelled import Labelled
from ...data.labels.votes import padded
from ...ground.problem import Problem, Refusal
from ..written.seen import seen_as
from .scaling import (
    SCALINGS,
    Sums,
    base_scaling,
    check_scaling,
    split_of_pictures,
    split_of_table,
    sums_of,
)
from .texts import HeldTexts, counts_of, held, tokenised

__all__ = [
    "SCALINGS",
    "Examples",
    "make_examples",
    "repeated",
    "split_scaling",
    "table_of",
    "takes_tokens",
    "unlearnable",
    "with_oracle_twins",
]


LABELS = ("candidates", "given", "votes", "truth")  # that an algorithm may read


@dataclass(frozen=True)
class Examples:
    """Tensors of n examples on one device.

    Attributes:
        inputs: dtype (m, d), uint8 pixels (m, H, W, C), or the tokens of all texts, int32.
        labels: by name, what the algorithm reads: ``candidates`` bool (n, q), ``given`` or
            ``truth`` int64 (n,), ``votes`` int64 (n, R, 2) as ``votes.padded`` has them.
        centre, spread: float64 (d,) or (C, 1, 1); ``take`` gives (raw - centre) / spread.
        q: number of classes.
        dtype: that training computes in.
        index: int64 (n,), which of the inputs each example has; None: its own.
        sums: of each input's pixels, where a split's scaling needs them.
        texts: where in ``inputs`` each text lies; None where the inputs are no tokens.
    """

    inputs: Tensor
    labels: dict[str, Tensor]
    centre: np.ndarray
    spread: np.ndarray
    q: int
    dtype: torch.dtype = torch.float32
    index: Tensor | None = None
    sums: Sums | None = None
    texts: HeldTexts | None = None

    @property
    def n(self) -> int:
        """Examples."""
        if self.index is not None:
            return len(self.index)
        return len(self.inputs if self.texts is None else self.texts)

    @property
    def kind(self) -> str:
        """``table``, ``images`` or ``tokens``."""
        return "tokens" if self.texts is not None else "images" if self.pictures else "table"

    @property
    def words(self) -> Words | None:
        """Of tokens, what is known of their numbers."""
        return None if self.texts is None else self.texts.words

    @property
    def pictures(self) -> bool:
        """Whether the inputs are pixels."""
        return self.inputs.dtype == torch.uint8

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one example's inputs: (d,), (C, H, W), or (L,), the longest text's tokens."""
        if self.texts is not None:
            return self.texts.shape
        shape = tuple(self.inputs.shape[1:])
        return (shape[2], *shape[:2]) if self.pictures else shape

    @property
    def device(self) -> torch.device:
        """Where batches are made."""
        return self.inputs.device

    def data_rows(self, rows: Tensor) -> Tensor:
        """Which of the inputs examples have, int64 (m,), where ``rows`` are or on the host: the
        numbers of rows in the data."""
        if self.index is None:
            return rows
        here = rows.device == self.index.device
        return (self.index if here else self._index_on_host).index_select(0, rows)

    @cached_property
    def _index_on_host(self) -> Tensor:
        assert self.index is not None
        return self.index.cpu()

    def take(self, rows: Tensor, change: Callable[[Tensor], Tensor] | None = None) -> Tensor:
        """New tensors of some rows, int64 (m,): inputs (m, *shape) before a split's scaling.

        Texts are padded to the longest of these rows.

        Args:
            change: for pictures, what becomes of their pixels first: uint8 (m, C, H, W), and back;
                of texts, of their tokens: int64 (m, L), and back.
        """
        if self.texts is not None:
            tokens = self.texts.take(self.data_rows(rows))
            return tokens if change is None else change(tokens)
        found = self.inputs.index_select(0, self.data_rows(rows))
        if not self.pictures:
            return found
        pixels = found.permute(0, 3, 1, 2).contiguous()
        numbers = (pixels if change is None else change(pixels)).to(self.dtype)
        return numbers.sub_(self._centre).mul_(self._factor)

    @cached_property
    def _centre(self) -> Tensor:
        return torch.from_numpy(self.centre).to(self.device, self.dtype)

    @cached_property
    def _factor(self) -> Tensor:
        return torch.from_numpy(1 / self.spread).to(self.device, self.dtype)


def takes_tokens(kind: str, net: str | None) -> bool:
    """Whether a network is given inputs of a kind as tokens."""
    return seen_as(kind, net) != kind


def table_of(inputs: np.ndarray | Table) -> np.ndarray:
    """Inputs as a table: images are flattened, (n, h, w, c) -> (n, h * w * c); texts are counted.

    Raises:
        ValueError: columns of different kinds, which are no numbers before they are encoded.
    """
    if not isinstance(inputs, Table) and inputs.dtype == object:
        return counts_of(inputs)
    return np.asarray(inputs).reshape(len(inputs), -1)


def make_examples(
    data: Labelled,
    reads: Sequence[str],
    scaling: str = "train",
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
    official: bool = False,
    like: Examples | None = None,
    net: str | None = None,
) -> Examples:
    """What an algorithm that ``reads`` these labels may see of ``data``.

    Args:
        scaling: one of ``SCALINGS``.
        official: nothing is learned from the official test rows, so that they may lack labels.
        like: examples of the same inputs, with these scaling, dtype and device, to share.
        net: the network that takes them, which decides what texts become.

    Raises:
        ValueError: the inputs are no table, images or texts, or cannot have this scaling; ``data``
            has multi-label tags, or it lacks a label that is read.
    """
    missing = unlearnable(data, reads, official)
    if missing:
        raise Refusal(missing)
    labels = {name: label_tensor(data, name).to(device) for name in reads}
    if like is not None:
        return replace(like, labels=labels)
    if data.kind.pixels:
        pictures = Pictures(np.asarray(data.inputs))
        check_scaling(scaling, pictures)
        sums = sums_of(pictures) if scaling == "train" else None
        centre, spread = base_scaling(pictures, scaling, sums)
        pixels = _shared(pictures.by_row).to(device)
        return Examples(pixels, labels, centre, spread, data.q, dtype, sums=sums)
    if net is not None and takes_tokens(data.kind, net):
        texts = held(tokenised(np.asarray(data.inputs), net)[1], device)
        none = np.zeros(0)
        return Examples(texts.ids, labels, none, none, data.q, dtype, texts=texts)
    raw = table_of(data.inputs)
    check_scaling(scaling, raw)
    centre, spread = base_scaling(raw, scaling)
    inputs = torch.empty(raw.shape, dtype=dtype)
    for start in range(0, len(raw), 8192):  # in pieces: no second float64 copy of everything
        rows = slice(start, start + 8192)
        inputs[rows] = torch.from_numpy((raw[rows].astype(np.float64) - centre) / spread)
    return Examples(inputs.to(device), labels, centre, spread, data.q, dtype)


def label_tensor(data: Labelled, name: str) -> Tensor:
    """Labels of a name as ``Examples`` has them, on the host."""
    labels = getattr(data, name)
    return torch.tensor(padded(labels, data.n, data.q) if name == "votes" else labels)


def _shared(array: np.ndarray) -> Tensor:
    """The array as a tensor of the same memory, or of the same mapped file."""
    with warnings.catch_warnings():  # nothing here writes to it
        warnings.filterwarnings("ignore", "The given NumPy array is not writable")
        return torch.from_numpy(array)


def repeated(examples: Examples, rows: np.ndarray, labels: Mapping[str, Tensor]) -> Examples:
    """The examples, and behind them some of their rows again with other labels.

    Nothing is copied of the inputs, and scaling stays that of the n examples.

    Args:
        rows: int64 (m,); example ``n + i`` has the inputs of example ``rows[i]``.
        labels: by name, of the m examples; labels that are not named are left out of all.
    """
    every = torch.arange(examples.n, device=examples.device)
    places = torch.cat([every, torch.from_numpy(rows).to(examples.device)])
    joined = {name: torch.cat([examples.labels[name], more]) for name, more in labels.items()}
    return replace(examples, labels=joined, index=examples.data_rows(places))


def with_oracle_twins(examples: Examples, data: Labelled, rows: np.ndarray) -> Examples:
    """The examples, and behind them some of their rows again with the true label alone.

    Row ``n + i`` has the inputs of row ``rows[i]``; its ``candidates`` hold one class, and its
    ``given`` is that class. This reads the truth of ``rows`` and of no other row.

    Args:
        data: what the examples were made of; ``truth`` known for ``rows``.
        rows: int64 (m,).
    """
    assert data.truth is not None
    oracle = torch.tensor(data.truth[rows], device=examples.device)
    classes = torch.arange(examples.q, device=oracle.device)
    twins = {
        name: oracle[:, None] == classes if name == "candidates" else oracle
        for name in examples.labels
    }
    return repeated(examples, rows, twins)


def unlearnable(data: Labelled, reads: Sequence[str], official: bool = False) -> Problem | None:
    """Why an algorithm that ``reads`` these labels cannot learn from ``data``; None: it can.

    Args:
        official: it does not learn from the official test rows.
    """
    where = f"{data.source or 'the data'}"
    if not official and not labelled_rows(data).all():
        return Problem(
            f"nobody labelled the official test rows of {where}, so they are there to be tested on "
            "alone.",
            ("use `split='official'`",),
        )
    if data.tags is not None:
        return Problem(several_hold(where))
    if data.kind == "columns":
        return Problem(
            f"{where} holds columns with categories, dates, texts or gaps; the networks here take "
            "numbers.",
            ("make numbers of them with `inputs.fit_encoding`",),
        )
    if not (data.kind.array or data.kind.texts):
        return Problem(
            f"{where} holds {data.kind}; the networks here take a table, images or texts."
        )
    for name in reads:
        values = getattr(data, name)
        if values is None:
            have = [n for n in LABELS if getattr(data, n) is not None]
            remedy = {
                "candidates": (
                    "make some with `imperfect.apply`",
                    "make them of given labels with `labelled.given_to_candidates`",
                ),
                "given": (
                    "make some with `imperfect.apply`",
                    "take an algorithm that reads candidates",
                ),
                "votes": ("take an algorithm that reads one label or candidates",),
                "truth": ("add them, as the oracle learns from them",),
            }[name]
            had = ", ".join(have) or "no labels"
            return Problem(f"{where} has no {name} (it has {had}).", remedy)
        gaps = ~answered_rows(data, name)
        if official and data.official_test is not None:
            gaps &= ~data.official_test
        if gaps.any():
            row = int(np.argmax(gaps))
            return Problem(
                f"{where} has no {name} label at row {row}; drop such rows before learning."
            )
    return None


def answered_rows(data: Labelled, name: str) -> np.ndarray:
    """The rows that have a label of this name: bool (n,)."""
    labels = getattr(data, name)
    if name == "votes":
        return np.bincount(labels.item, minlength=data.n) > 0
    return np.ones(data.n, bool) if name == "candidates" else np.asarray(labels) >= 0


def split_scaling(
    data: Labelled, examples: Examples, rows: np.ndarray, scaling: str
) -> tuple[np.ndarray, np.ndarray] | None:
    """Shift and factor, float64 (d,) or (C, 1, 1), that turn examples into a split's scaled inputs.

    ``train`` standardises by the mean and population standard deviation of ``rows`` (the training
    rows); a feature that is constant on them becomes 0 everywhere. Other scalings need nothing
    more: None.

    Args:
        data: what the examples were made of, with this scaling.
        rows: int64 (m,), in the data.
    """
    if scaling != "train" or examples.texts is not None:
        return None
    if examples.sums is not None:
        return split_of_pictures(examples.sums, rows, examples.centre, examples.spread)
    return split_of_table(table_of(data.inputs)[rows], examples.centre, examples.spread)
