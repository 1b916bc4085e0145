"""Which encoder a model's inputs were seen by, so that no other one sees what it predicts for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...data.labels.labelled import Labelled
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ..written.folders import digest_of_folder, folder_named
from ._features import default_encoder, features, inputs_of
from ._named import picture_encoder, place_of
from ._own import is_own


@dataclass(frozen=True)
class SeenBy:
    """An encoder, as a model remembers it.

    Attributes:
        name: as it was named; a folder is looked for where it was.
        digest: of its numbers and of what is done to a picture before.
        side: pixels on a side, at which pictures are seen; None: texts, or as the folder says.
    """

    name: str
    digest: str
    side: int | None

    def vectors(self, inputs: Any) -> np.ndarray:
        """What the encoder makes of pictures, files of pictures or texts: float32 (n, d).

        Raises:
            Refusal: the encoder of this name is another one now.
            ValueError: as ``features``.
        """
        if not isinstance(inputs, np.ndarray) or inputs.dtype != np.uint8:
            inputs = list(inputs)
        found, texts = inputs_of(inputs)
        now = _digest(self.name, found, texts, self.side)
        if now != self.digest:
            raise Refusal(
                f"this model's inputs were seen by {self.name} with the digest {self.digest}, and "
                f"the encoder of that name here has {now}.",
                "install the one that it was trained with",
                "train the model again",
            )
        return features(inputs, self.name, side=self.side)

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "digest": self.digest, "side": self.side}

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> SeenBy:
        """What ``to_json`` said; KeyError, TypeError or ValueError of anything else."""
        side = told["side"]
        if side is not None and (isinstance(side, bool) or not isinstance(side, int)):
            raise ValueError(f"its encoder sees {side!r} pixels")
        return cls(str(told["name"]), str(told["digest"]), side)


def seen_through(
    data: Labelled, encoder: str | None = None, watch: OnProgress | None = None
) -> tuple[np.ndarray, SeenBy]:
    """Vectors of a data set's pictures or texts, float32 (n, d), and what made them.

    Args, Raises: see ``features``.
    """
    found, texts = inputs_of(data)
    name = encoder or default_encoder(data.kind)
    if is_own(name):
        raise Refusal(
            f"A model file that named {name} would run it wherever the model is used.",
            "make the vectors first with candidly data features, and train on them",
        )
    side = None if texts else picture_encoder(name, found).side
    seen = SeenBy(name, _digest(name, found, texts, side), side)
    return features(data, name, side=side, watch=watch), seen


def _digest(name: str, inputs: Any, texts: bool, side: int | None) -> str:
    if texts:
        return digest_of_folder(folder_named(place_of(name)), name)
    if isinstance(inputs, list):
        inputs = [Path(one) for one in inputs]
    return picture_encoder(name, inputs, side).digest
