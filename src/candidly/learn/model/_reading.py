"""How the inputs of a model become numbers: found out from the training rows, kept with it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ...data.ingest.media import decoded
from ...data.inputs import Encoding, InputKind, Pictures, Table, as_inputs, fit_encoding, parsed
from ...data.inputs.pictures import SIDE, descriptors
from ...data.inputs.texts import check_told, dense_counts
from ...data.inputs.tokenisers import Tokeniser, tokeniser_from_json
from ...data.inputs.tokens import Tokens
from ...data.labels.labelled import Labelled
from ...ground.names import nearest
from ..encoders.seen import SeenBy
from ..engine.examples import table_of, takes_tokens
from ..engine.texts import tokenised
from ..written.nets import read_net
from ._unlike import TrainedColumn, held_in, to_json, warn_of_unlike
from ._unlike import from_json as held_of

FLAT = ("mlp", "linear")  # networks for tables


def _texts(texts: list[Any]) -> list[str]:
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"`inputs` has {text!r} at row {row}; this model takes texts.")
    return texts


def _of_texts(texts: list[Any]) -> np.ndarray:
    return dense_counts(_texts(texts))


def _files(files: list[Any]) -> list[Path]:
    for row, file in enumerate(files):
        if not isinstance(file, (str, Path)):
            raise ValueError(
                f"`inputs` has {file!r} at row {row}; this model takes pictures' files."
            )
    return [Path(file) for file in files]


def _decoded(files: list[Any]) -> np.ndarray:
    return decoded(_files(files), SIDE)


def _of_pictures(files: list[Any]) -> np.ndarray:
    return descriptors(_decoded(files))


# by kind of inputs, what is made of each example by itself
ALONE: dict[InputKind, Callable[[list[Any]], np.ndarray]] = {
    InputKind.TEXTS: _of_texts,
    InputKind.MEDIA: _of_pictures,
}


def takes_pictures(kind: InputKind, net: str | None) -> bool:
    """Whether a network is given pictures as pixels, and not a table of numbers.

    Files of pictures become descriptors, a few hundred numbers each, where no network is named or
    it is one for tables: quicker on a CPU, and better on few pictures (docs/networks.md).

    Args:
        kind: the kind of the inputs; see ``Labelled``.
        net: as somebody wrote it; None: none was.
    """
    if kind.files:
        return net is not None and read_net(net).name not in FLAT
    return kind.pixels


@dataclass(frozen=True)
class Reading:
    """How inputs become a float table (n, d), or pictures.

    Attributes:
        kind: the kind of the inputs in training; see ``Labelled``.
        names: the names of the columns they were taken from; None where they have none.
        encoding: the encoding of columns of different kinds.
        pixels: pictures stay pictures; those in files are made 32 x 32 in colour.
        tokeniser: for texts that become tokens; None: they are counts of words.
        encoder: what makes numbers of pictures or texts, where one does that was trained elsewhere.
        held: what columns of numbers and categories held in training.
    """

    kind: InputKind = InputKind.TABLE
    names: tuple[str, ...] | None = None
    encoding: Encoding | None = None
    pixels: bool = False
    tokeniser: Tokeniser | None = None
    encoder: SeenBy | None = None
    held: tuple[TrainedColumn, ...] = ()

    def table(self, data: Labelled) -> Labelled:
        """The same examples, whose inputs are what ``numbers`` or ``pictures`` makes of them.

        Texts that become tokens stay texts until there are examples of them.
        """
        if self.tokeniser is not None:
            return data
        if self.pixels:
            pixels = self.pictures(data.inputs).pixels
            return data if data.kind.pixels else replace(data, inputs=pixels, features=None)
        if self.encoding is None and self.kind not in ALONE:
            return data
        return replace(data, inputs=self.numbers(data.inputs), features=None)

    def pictures(self, inputs: Any) -> Pictures:
        """Pictures of uint8 arrays (n, h, w[, c]), or of files.

        Raises:
            ValueError: another kind.
        """
        if self.kind.files:
            return Pictures(_decoded(_cells(inputs, self.names, self.kind)))
        if not isinstance(inputs, np.ndarray):
            raise ValueError(
                f"`inputs` is a {type(inputs).__name__}; this model takes pictures, a uint8 array "
                "(n, h, w) or (n, h, w, 3)."
            )
        return Pictures(inputs)

    def tokens(self, inputs: Any) -> Tokens:
        """Tokens of texts.

        Raises:
            ValueError: no texts.
        """
        assert self.tokeniser is not None
        frame = inputs.frame if isinstance(inputs, Table) else inputs
        return self.tokeniser.encode(_texts(_cells(frame, self.names, self.kind)))

    def strings(self, inputs: Any) -> list[str]:
        """Texts, one a row, of a list, an array, a table or a frame.

        Raises:
            ValueError: another kind.
        """
        frame = inputs.frame if isinstance(inputs, Table) else inputs
        return _texts(_cells(frame, self.names, self.kind))

    def numbers(self, inputs: Any) -> np.ndarray:
        """Numbers (n, d) of arrays, frames, tables, texts or files.

        Raises:
            ValueError: another kind, a column that is missing, or a cell that is no number.

        Warns:
            UserWarning: columns that are not used.
        """
        frame = inputs.frame if isinstance(inputs, Table) else inputs
        if self.encoder is not None:
            return self._encoded(frame)
        if self.kind in ALONE:
            return ALONE[self.kind](_cells(frame, self.names, self.kind))
        if self.names is not None and hasattr(frame, "columns"):
            chosen = _chosen(frame, self.names)
            if self.encoding is not None:
                table = _read(chosen, self.encoding.kinds)
                warn_of_unlike(self.held, table, None)
                return self.encoding.encode(table)
            if self.kind == "table":
                numbers = _numbers(chosen)
                warn_of_unlike(self.held, numbers, self.names)
                return numbers
        elif self.encoding is not None:
            raise ValueError(
                f"this model takes columns by name ({', '.join(self.names or ())[:60]}), and"
                f" `inputs` is a {type(inputs).__name__}. Give a data frame."
            )
        if hasattr(frame, "toarray"):  # a sparse matrix
            frame = as_inputs(frame)
        try:
            numbers = np.asarray(table_of(np.asarray(frame)), dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError("`inputs` must be numbers, a row an example.") from None
        warn_of_unlike(self.held, numbers, self.names)
        return numbers

    def _encoded(self, inputs: Any) -> np.ndarray:
        """What the encoder makes of pictures, of files or of texts."""
        assert self.encoder is not None
        if self.kind.pixels:
            return self.encoder.vectors(self.pictures(inputs).pixels)
        cells = _cells(inputs, self.names, self.kind)
        texts = self.kind.texts
        return self.encoder.vectors(_texts(cells) if texts else _files(cells))

    def of(self, data: Labelled) -> Any:
        """What ``numbers`` takes of a data set: by names, where both have some."""
        inputs = data.inputs
        if isinstance(inputs, Table) or None in (self.names, data.features) or data.kind != "table":
            return inputs
        import polars as pl

        return pl.DataFrame(inputs, schema=list(data.features or ()))

    def to_json(self) -> dict[str, Any]:
        """As JSON values; ``from_json`` reads them."""
        encoding = None if self.encoding is None else self.encoding.to_json()
        names = None if self.names is None else list(self.names)
        told: dict[str, Any] = {
            "kind": self.kind,
            "names": names,
            "encoding": encoding,
            "pixels": self.pixels,
        }
        told |= {"held": to_json(self.held)} if self.held else {}
        told |= {"tokeniser": self.tokeniser.to_json()} if self.tokeniser else {}
        return told | ({"encoder": self.encoder.to_json()} if self.encoder else {})


def fit_reading(data: Labelled, net: str | None = None) -> Reading:
    """How these inputs become numbers; all rows are training rows.

    Args:
        net: the network that takes them, as somebody wrote it.

    Raises:
        ValueError: inputs that nothing here makes numbers of, or texts that are names.
    """
    if isinstance(data.inputs, Table):
        held = held_in(data.inputs, None)
        return Reading(data.kind, data.inputs.names, fit_encoding(data.inputs), held=held)
    if data.kind.texts:
        check_told(data.inputs.tolist())
    if net is not None and takes_tokens(data.kind, net):
        tokeniser, _ = tokenised(np.asarray(data.inputs), net)
        return Reading(data.kind, data.features, tokeniser=tokeniser)
    if data.kind.array and data.kind.named:
        return Reading(data.kind, data.features, held=held_in(data.inputs, data.features))
    return Reading(data.kind, data.features, pixels=takes_pictures(data.kind, net))


def from_json(told: Mapping[str, Any] | None, d: int) -> Reading:
    """What ``Reading.to_json`` said; None, of models from before it, is a table without names.

    Args:
        d: numbers that the network takes.

    Raises:
        ValueError, KeyError, TypeError: something else, or other numbers.
    """
    if told is None:
        return Reading()
    names = None if told["names"] is None else tuple(map(str, told["names"]))
    encoding = None if told["encoding"] is None else Encoding.from_json(told["encoding"])
    kind, made = InputKind(str(told["kind"])), d
    if encoding is not None:
        made = len(encoding.features)
    elif kind is InputKind.TABLE and names is not None:
        made = len(names)
    if made != d:
        raise ValueError(f"its inputs are {made} numbers, and its network takes {d}")
    tokeniser, encoder = told.get("tokeniser"), told.get("encoder")
    return Reading(
        kind,
        names,
        encoding,
        bool(told.get("pixels", False)),
        None if tokeniser is None else tokeniser_from_json(tokeniser),
        None if encoder is None else SeenBy.from_json(encoder),
        held_of(told.get("held")),
    )


def _cells(inputs: Any, names: tuple[str, ...] | None, kind: str) -> list[Any]:
    """Texts or files, one a row, of a list, an array, or a frame's column of the model's name."""
    if hasattr(inputs, "columns"):
        if not names:
            raise ValueError(f"this model takes {kind}, one a row, and no data frame.")
        inputs = _chosen(inputs, names)
        inputs = inputs[inputs.columns[0]]
    if isinstance(inputs, (str, bytes)) or not hasattr(inputs, "__iter__"):
        raise ValueError(f"this model takes a list of {kind}, one a row.")
    return list(inputs)


def _chosen(frame: Any, names: Any) -> Any:
    """The columns of these names, in that order, of a data frame that may hold others.

    Raises:
        ValueError: one is missing.
    """
    there = {str(name): name for name in frame.columns}  # pandas has numbers as names, too
    gone = [name for name in names if name not in there]
    if gone:
        more = f" {len(gone)} columns of training are missing." if len(gone) > 1 else ""
        raise ValueError(
            f"there is no column {gone[0]!r}{nearest(gone[0], there)}{more} Columns go by their"
            " names; those of this model are what it was trained on."
        )
    if extra := [name for name in there if name not in names]:
        warnings.warn(
            f"columns that the model does not use: {', '.join(extra[:10])}"
            f"{', ...' if len(extra) > 10 else ''}.",
            stacklevel=5,
        )
    return frame[[there[name] for name in names]]


def _read(frame: Any, kinds: Mapping[str, str]) -> Table:
    """Columns of these kinds; text that a file has of numbers and truth values is read."""
    import polars as pl

    if isinstance(frame, pl.DataFrame):
        texts = [
            name
            for name, kind in kinds.items()
            if kind == "number" and frame[name].dtype == pl.String
        ]
        frame = frame.with_columns(parsed(frame.select(texts)))
    return Table.of(frame, kinds)


def _numbers(frame: Any) -> np.ndarray:
    """Float64 (n, columns), in the order of the frame."""
    names = [str(name) for name in frame.columns]
    table = _read(frame, dict.fromkeys(names, "number")).frame
    for column in table:
        if column.null_count():
            raise ValueError(
                f"column {column.name!r} has no number at row {column.is_null().arg_max()};"
                " training had one in every row. Fill in or drop such rows."
            )
    return table.to_numpy()
