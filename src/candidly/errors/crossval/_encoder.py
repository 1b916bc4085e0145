"""What makes numbers of inputs, where nobody has named it, and whether what is named can."""

from __future__ import annotations

import numpy as np

from ...data.labels.labelled import Labelled
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ...learn.encoders.choice import better_encoder, has_choice

OWN, SKRUB, NONE = "own", "skrub", "none"
OF_COLUMNS = (OWN, SKRUB, NONE)


def encoder_for(
    data: Labelled,
    asked: str | None,
    strata: np.ndarray | None = None,
    watch: OnProgress | None = None,
) -> str:
    """The name of what makes numbers of inputs.

    Args:
        asked: of columns ``own``, ``skrub`` or ``none``; of pictures and texts ``own`` or an
            encoder of ``learn.encoders``; None for what suits.
        strata: int (n,), a class for each row, -1 for none. Where there are pictures, an encoder
            is installed and none is named, both it and the descriptors are tried on up to 1,000
            rows, and the one whose held-out predictions agree more often with these is taken.
        watch: called with pictures encoded for that, and in all.

    Raises:
        ValueError: it is not of this kind of inputs.
    """
    if not data.kind.encoded:
        if asked is not None and asked not in OF_COLUMNS:
            raise Refusal(
                f"`encoder` is {asked!r}, and the inputs are of the kind {data.kind}.",
                f"use one of {', '.join(OF_COLUMNS)}",
            )
        return asked or OWN
    if asked in (SKRUB, NONE):
        raise Refusal(
            f"`encoder` is {asked!r}, which is of columns, and the inputs are of the kind"
            f" {data.kind}.",
            "leave it out",
            "use own, or the name of an encoder",
        )
    if strata is None or not has_choice(data, asked):
        return asked or OWN
    return better_encoder(data, strata, watch) or OWN
