"""Which of an algorithm's stages an update belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..algorithms import Stage


@dataclass(frozen=True)
class Stages:
    """Stages one after the other.

    Attributes:
        ends: updates done when each ends; one that ends no later than the one before is left out.
        updates: in all.
    """

    stages: Sequence[Stage]
    ends: Sequence[int]
    updates: int

    def at(self, t: int) -> Stage:
        """The stage of the update behind ``t`` others."""
        return self.stages[self._number(t)]

    def begins_at(self, t: int) -> bool:
        """Whether that update is the first of its stage."""
        return t == self._start(self._number(t))

    def end_of(self, t: int) -> int:
        """Updates done when the stage of the update behind ``t`` others is over."""
        return min(self.ends[self._number(t)], self.updates)

    def share(self, t: int) -> float:
        """How much of the stage is done behind ``t`` updates, in [0, 1)."""
        number = self._number(t)
        start, end = self._start(number), self.end_of(t)
        return (t - start) / max(1, end - start)

    def until(self, t: int) -> Iterator[Stage]:
        """The stages that the first ``t`` updates belong to, in order; the first at least."""
        last = self._number(max(0, t - 1))
        for number, stage in enumerate(self.stages[: last + 1]):
            if number == last or self.ends[number] > self._start(number):
                yield stage

    def _number(self, t: int) -> int:
        passed = (i for i, end in enumerate(self.ends) if t < end)
        return next(passed, len(self.ends) - 1)

    def _start(self, number: int) -> int:
        """Updates done when a stage begins."""
        return max(0, *self.ends[:number]) if number else 0
