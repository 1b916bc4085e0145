"""What the views that a method names are for a stack's inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from torch import Tensor

from ...ground.names import lookup
from ...ground.seeds import words
from ..algorithms import Algorithm, View
from ..views import TABLES, Change, view_of_pictures, view_of_tokens
from .examples import Examples
from .recipe import ADAM, Recipe


class MethodViews:
    """A method's views of some examples, as a recipe has them.

    Args:
        recipe: for pictures and texts, it says what training sees (``x``) and may replace a
            method's views.

    Raises:
        KeyError: inputs of this kind have no such view; the message suggests the nearest.
    """

    def __init__(self, method: Algorithm, examples: Examples, recipe: Recipe = ADAM):
        self.method, self.examples = method, examples
        self.declared: Mapping[str, View] = {"plain": View(), **method.views}
        self.changes: dict[str, Change] = {}
        make = self._maker()
        if make is not None:
            self.x = recipe.views
            self.changes = {
                name: make(recipe.replaced(name) or self._other_name(view) or name)
                for name, view in self.declared.items()
            }
            if self.x not in self.changes:
                self.changes[self.x] = make(recipe.replaced(self.x) or self.x)
        else:
            self.x = "plain"
            for name in self.declared:
                lookup(dict.fromkeys(TABLES), name, "view of a table")

    def _maker(self) -> Callable[[str], Change] | None:
        """What makes a view of its name, where inputs are changed row by row."""
        if self.examples.words is not None:
            return partial(view_of_tokens, special=self.examples.words.special)
        return view_of_pictures if self.examples.pictures else None

    def _other_name(self, view: View) -> str:
        return view.pictures if self.examples.pictures else ""

    def check(self, name: str) -> None:
        """Raises KeyError where the method has not declared this view."""
        if name not in self.declared:
            known = ", ".join(self.method.views) or "none"
            raise KeyError(f"{self.method.name} has no view {name!r}; it declares: {known}")

    def of_rows(
        self,
        view: str,
        seeds: int | np.ndarray,
        name: str,
        when: int,
        rows: Tensor | Callable[[], Tensor],
    ) -> Callable[[Tensor], Tensor] | None:
        """What changes the pixels or tokens of some rows as a view has them, for ``Examples.take``.

        A row's random numbers depend on (seed, name, when) and on its number in the data alone.

        Args:
            seeds: the seeds of the rows' trial, or integers (m,), of each row's.
            rows: int64 (m,), or () -> these on the host, called where they are needed.

        Returns:
            None where the view leaves them as they are.
        """
        if view == "plain":
            return None
        there = rows if isinstance(rows, Tensor) else rows()
        numbers = self.examples.data_rows(there).cpu().numpy()
        change = self.changes[view]
        return lambda raw: change(raw, lambda k: words(seeds, name, when, numbers, k))

    def noise(self, view: str, hyper: Mapping[str, float | int]) -> float:
        """Standard deviation of the noise that a view puts on a trial's table; 0: none."""
        noise = self.declared[view].noise
        return hyper[noise] if isinstance(noise, str) else noise
