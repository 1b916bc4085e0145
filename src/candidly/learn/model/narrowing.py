"""Candidate sets narrowed by what a file of probabilities or the names of the classes say."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...data.ingest import Roles
from ...data.ingest.probabilities import probabilities_of
from ...data.labels.labelled import Labelled
from ...data.labels.narrowing import narrowed
from ...ground.arrays import door
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ...ground.spec import begins_with
from ..written.nets import HF


@dataclass(frozen=True, eq=False)
class Narrowed:
    """Smaller candidate sets, and those that were given.

    Attributes:
        given: all rows, with the candidate sets that were given.
        sets: bool (n, q), within those, at least one label a row.
        by: the file or model that narrowed them.
        mass: what was kept of each set, as a share of its probability.
    """

    given: Labelled
    sets: np.ndarray
    by: str
    mass: float

    @cached_property
    def data(self) -> Labelled:
        """All rows with the smaller sets."""
        source = f"{self.given.source or 'data'} + narrowed({self.by}, mass={self.mass:g})"
        return dataclasses.replace(self.given, candidates=self.sets, source=source)

    def as_dict(self) -> dict[str, Any]:
        """What was narrowed, in numbers."""
        given, truth = self.given.candidates, self.given.truth
        assert given is not None
        before, after = given.sum(1), self.sets.sum(1)
        about: dict[str, Any] = {
            "rows": self.given.n,
            "narrowed": int((after < before).sum()),
            "labels a row": {"before": float(before.mean()), "after": float(after.mean())},
        }
        if truth is not None and len(rows := np.flatnonzero(truth >= 0)):
            about["rows with the truth"] = {
                "of": len(rows),
                "before": int(given[rows, truth[rows]].sum()),
                "after": int(self.sets[rows, truth[rows]].sum()),
            }
        return about

    def __str__(self) -> str:
        about = self.as_dict()
        size = about["labels a row"]
        told = (
            f"{about['narrowed']:,} of {about['rows']:,} sets are smaller: {size['before']:.2f}"
            f" labels a row before, {size['after']:.2f} now"
        )
        if truth := about.get("rows with the truth"):
            told += (
                f"; the truth is in {truth['after']:,} of {truth['of']:,},"
                f" before in {truth['before']:,}"
            )
        return f"{told}."


@door
def narrow(
    data: Labelled,
    by: str | Path,
    mass: float = 0.95,
    *,
    roles: Roles | None = None,
    watch: OnProgress | None = None,
) -> Narrowed:
    """Candidate sets without the candidates that ``by`` holds to be unlikely; see ``narrowed``.

    Args:
        by: a file of probabilities of the classes for each row, by id where both have ids; or of
            pictures ``hf:FOLDER``, a model of pictures and texts, such as CLIP, which scores each
            class by its name (``zero_shot``).
        mass: in (0, 1].
        roles: how a table of probabilities is read, by its separator.
        watch: called with work done and work in all.

    Raises:
        ValueError: ``data`` has no candidate sets, or ``by`` other rows or classes.
        FileNotFoundError: no such file or folder.
    """
    if data.candidates is None:
        raise Refusal(
            f"{data.source or 'the data'} has no candidate sets to narrow.",
            "where several labels of a row are given and one is right, say `label_kind='one-of'`",
        )
    if begins_with(str(by), [HF]):
        from scipy.special import softmax

        from ..encoders import zero_shot

        probs = softmax(zero_shot(data, str(by), watch=watch), axis=1)
    else:
        probs = probabilities_of(data, str(by), roles or Roles())
    return Narrowed(data, narrowed(data.candidates, probs, mass), str(by), float(mass))
