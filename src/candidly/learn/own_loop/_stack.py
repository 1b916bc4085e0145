"""The engine's stack, of one trial, in somebody's own loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..algorithms import Stage
from ..engine.stack import Stack
from ..engine.viewing import MethodViews
from ._optimiser import UsersMovers
from ._rows import UsersViews, ViewOf


class UsersStack(Stack):
    """The engine's stack, of one trial, in somebody's own loop.

    Attributes:
        rows_seen: rows trained on; batches may differ in length.
    """

    def __init__(self, *args: Any, changed: Mapping[str, ViewOf] | None, **named: Any):
        self.changed, self.rows_seen = changed, 0
        self._stage_at = -1
        super().__init__(*args, **named)

    def _views(self) -> MethodViews:
        if self.changed is None:
            return MethodViews(self.algorithm, self.examples, self.recipe)
        return UsersViews(self.algorithm, self.examples, self.changed)

    def _movers(self) -> UsersMovers:
        return UsersMovers(self.flats, self.hyper)

    @property
    def stage(self) -> Stage:
        """The stage that the next update belongs to."""
        if self._stage_at != self.t:
            self._stage_at, self._stage = self.t, self.stages.at(self.t)
        return self._stage

    @property
    def seen(self) -> int:
        """Rows that the updates done have trained on, repetitions counted."""
        return self.rows_seen

    def count(self, rows: int) -> None:
        """An update is done, whose last batch had so many rows."""
        super().count(rows)
        self.rows_seen += rows
        self.B = int(self.hyper[0]["batch_size"])
