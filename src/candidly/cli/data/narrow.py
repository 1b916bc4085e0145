"""``candidly labels narrow``: candidate sets without what probabilities hold to be unlikely."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ...data.ingest import Roles
from .._column_options import ANY, CELLS, INPUTS, LABELS, reads
from .._issues import check_place
from .._narrowing import Mass, narrowed_by
from .._print import AsJson
from .common import Data, What, loaded_from, print_json, save, tell


@reads(*LABELS, "truth", *CELLS, "id", *INPUTS)
def narrow(
    what: What,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The .npz file to write.")],
    by: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Probabilities of the classes for each row: .npy, .npz, a table. Of pictures also "
            "hf:FOLDER with a model of pictures and texts, such as CLIP, which scores each class "
            "by its name.",
        ),
    ],
    mass: Mass = None,
    root: Data = None,
    roles: Roles = ANY,
    as_json: AsJson = False,
) -> None:
    """Take the candidates out of candidate sets that probabilities hold to be unlikely.

    The probabilities must know what the sets do not say: those of a model that saw true labels, or
    the names of the classes (hf:FOLDER, zero-shot). Where the truth is known it says how many sets
    still have it; a method for candidate sets cannot find a truth that is gone.

    All rows are narrowed, also those that are held out later. To measure by the sets that were
    given, let train narrow them (candidly train --narrow).

    Examples:

      candidly labels narrow sets.csv narrow.npz --by probs.npz

      candidly labels narrow photos/ narrow.npz --by hf:clip-vit-base-patch32 --mass 0.9
    """
    check_place(out, "OUT", (".npz",))
    found = narrowed_by(loaded_from(what, root, roles), by, mass, roles)
    if as_json:
        found.data.save(out)
        print_json({"path": str(out), **found.as_dict(), "fingerprint": found.data.fingerprint()})
        return
    tell(str(found))
    save(found.data, out, as_json)
