"""A table with the columns ``x`` and ``label`` as ARFF."""

from __future__ import annotations

from pathlib import Path

import polars as pl


def write_arff(frame: pl.DataFrame, path: Path) -> None:
    lines = ["@relation t", "@attribute x numeric", "@attribute label string", "@data"]
    for x, label in frame.iter_rows():
        quoted = '"' + (label or "").replace("\\", "\\\\").replace('"', '\\"') + '"'
        lines.append(f"{x},{'?' if label is None else quoted}")
    path.write_text("\n".join(lines) + "\n")
