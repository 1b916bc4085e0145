"""Parquet files with a picture a row, encoded as PNG or JPEG, and its class.

==================  =============================================================================
picture             a column ``img``, ``image``, ``jpeg`` or ``png`` of bytes, or of structs with a
                    field ``bytes``
class               ``fine_label``, else ``label``: numbers; ``coarse_label`` must agree with them
part                a column ``split`` (train or test), or a file for each part
order               a column ``index``, the place in the part; else that of the rows
==================  =============================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...ground.files import noted
from ...ground.problem import why
from ._batches import check_coarse

if TYPE_CHECKING:
    import polars as pl

PICTURE, LABEL, COARSE = ("img", "image", "jpeg", "png"), ("fine_label", "label"), "coarse_label"
PARTS = ("train", "test")  # in this order
Rows = tuple[list[bytes], np.ndarray]  # encoded pictures, and their classes, int64


def read_table(files: Mapping[str, Sequence[Path]]) -> dict[str, Rows]:
    """Encoded pictures and classes of each part, in order.

    Args:
        files: those of the parts ``train`` and ``test``, or one of ``all``, which says by its
            column ``split`` which row is of which part.

    Raises:
        ValueError: no such table; the message names the file and the column or row.
    """
    found = {}
    for part, paths in files.items():
        tables = [_table(path) for path in paths]
        for one in PARTS if part == "all" else (part,):
            rows = [_rows(path, table, one) for path, table in zip(paths, tables)]
            labels = np.concatenate([labels for _, labels in rows])
            found[one] = [encoded for some, _ in rows for encoded in some], labels
    return found


def _table(path: Path) -> pl.DataFrame:
    """``picture`` and ``label``, and of ``coarse``, ``split`` and ``index`` what is there."""
    import polars as pl  # a fifth of a second to import

    try:
        schema = pl.read_parquet_schema(noted(path))
        names = {
            "picture": next((name for name in PICTURE if name in schema), None),
            "label": next((name for name in LABEL if name in schema), None),
            "coarse": COARSE if COARSE in schema else None,
            "split": "split" if "split" in schema else None,
            "index": "index" if "index" in schema else None,
        }
        for what, choice in (("picture", PICTURE), ("label", LABEL)):
            if names[what] is None:
                raise ValueError(
                    f"it has no column {' or '.join(choice)}; it has {', '.join(schema)}"
                )
        kept = {what: name for what, name in names.items() if name is not None}
        table = pl.read_parquet(path, columns=list(kept.values())).select(
            **{what: pl.col(name) for what, name in kept.items()}
        )
        if isinstance(table["picture"].dtype, pl.Struct):
            table = table.with_columns(picture=pl.col("picture").struct.field("bytes"))
        if table["picture"].dtype != pl.Binary:
            raise ValueError(
                f"its column {kept['picture']} holds {table['picture'].dtype}, not bytes"
            )
        for what in ("label", "coarse", "index"):
            if what in kept and not table[what].dtype.is_integer():
                raise ValueError(f"its column {kept[what]} holds {table[what].dtype}, not numbers")
        for what, name in kept.items():
            if table[what].null_count():
                row = int(table[what].is_null().arg_max() or 0)
                raise ValueError(f"its column {name} is empty at row {row}")
    except (pl.exceptions.PolarsError, OSError, ValueError) as error:
        raise ValueError(
            f"{path} cannot be read as a table of images{why(error, ': {}')}."
        ) from None
    return table


def _rows(path: Path, table: pl.DataFrame, part: str) -> Rows:
    import polars as pl

    if "split" in table.columns:
        table = table.filter(pl.col("split").cast(pl.String) == part)
    if "index" in table.columns:
        table = table.sort("index")
        if not np.array_equal(table["index"].to_numpy(), np.arange(len(table))):
            kind = {"train": "training", "test": "test"}[part]
            last = len(table) - 1
            raise ValueError(f"{path} does not hold the {kind} images 0 to {last}, once each.")
    labels = table["label"].to_numpy().astype(np.int64)
    if "coarse" in table.columns:
        check_coarse(str(path), labels, table["coarse"].to_numpy().astype(np.int64))
    return table["picture"].to_list(), labels
