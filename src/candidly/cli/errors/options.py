"""Options that the commands of ``candidly errors`` share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .._types import how_many_workers

Labels = Annotated[
    str,
    typer.Option(
        "--labels",
        metavar="PATH",
        help="The given labels: a table with a column of numbers or names and, if you like, one "
        "of ids; an .npy; or the .npz of errors probs. For find also several a row, with "
        "--label-kind: cells such as cat|dog, or an .npy of bool, a row per example and a column "
        "per class. A folder holds a "
        "part of labels for each part of --probs, of the same name.",
    ),
]
Probabilities = Annotated[
    str,
    typer.Option(
        "--probs",
        metavar="PATH",
        help="Out-of-sample probabilities, a row per label and a column per class: a table, .npy, "
        ".npz, or a folder of .npy and .parquet, read in order of name. Where both files have ids, "
        "rows go by these. Also an address such as s3://bucket/folder, for fsspec.",
    ),
]
Normalise = Annotated[
    bool, typer.Option("--normalise", help="Divide each row of probabilities by its sum first.")
]
Unlabelled = Annotated[
    bool, typer.Option("--unlabelled", help="Allow -1 for no label; such rows take no part.")
]
Collisions = Annotated[
    str,
    typer.Option(
        help="Of several classes that an example confidently is: global takes the prediction, "
        "masked the most probable of them."
    ),
]
Workers = Annotated[
    int | None, how_many_workers("Threads, or what --on says. (default: one per core)")
]
On = Annotated[
    str | None,
    typer.Option(
        metavar="WHERE",
        help="Who reads the probabilities: processes, ray (a cluster of this machine's cores) or "
        "ray:ADDRESS. (default: threads) All find the same, bit for bit.",
    ),
]
Work = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Keep what was read in this folder instead of memory; the same command then goes on "
        "where a stopped one was.",
    ),
]
