"""The user's rows, where the engine has a data set: inputs come from the user when asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...ground.problem import Refusal
from ..algorithms import Algorithm, View
from ..engine.examples import Examples
from ..engine.viewing import MethodViews

Inputs = Callable[[Tensor], Tensor]
ViewOf = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class UsersRows(Examples):
    """Examples of which the labels are here, and the inputs are the user's.

    Attributes:
        rows: n.
        source: ids int64 (m,) -> inputs (m, ...); None: there are those of the batch alone.
        changed: views are the user's functions; else the inputs are a table, or views come with
            the batch.
    """

    rows: int = 0
    source: Inputs | None = None
    changed: bool = False

    @property
    def n(self) -> int:
        """Rows."""
        return self.rows

    @property
    def kind(self) -> str:
        """``table``, whose views are candidly's; ``given``: they are the user's."""
        return "given" if self.changed else "table"

    def take(self, rows: Tensor, change: ViewOf | None = None) -> Tensor:
        """Inputs (m, ...) of some rows, int64 (m,), as the user's function gives them."""
        if self.source is None:
            raise Refusal(
                "rows beside the batch's are asked for, and nothing says what their inputs are.",
                "give `inputs`, a function of ids int64 (m,) that returns their inputs (m, ...)",
            )
        # NumPy takes a tensor of one number for the number itself, and would return no row axis
        asked = rows.repeat(2) if len(rows) == 1 else rows
        x = torch.as_tensor(self.source(asked), device=self.device)
        x = x.to(self.dtype) if x.is_floating_point() else x
        if len(x) != len(asked):
            raise Refusal(
                f"`inputs` was asked for {len(asked)} rows and returned {len(x)}.",
                "have it return the inputs of these ids, in their order",
            )
        x = x[: len(rows)]
        return x if change is None else change(x)


def rows_of(
    labels: Mapping[str, Tensor],
    q: int,
    dtype: torch.dtype,
    inputs: Any,
    changed: bool,
) -> UsersRows:
    """The user's rows under these labels; ``inputs`` is a function of ids, or an array of all."""
    first = next(iter(labels.values()))
    none = np.zeros(0)
    empty = torch.zeros(0, dtype=dtype, device=first.device)
    return UsersRows(
        empty,
        dict(labels),
        none,
        none,
        q,
        dtype,
        rows=len(first),
        source=_source(inputs),
        changed=changed,
    )


def _source(inputs: Any) -> Inputs | None:
    if inputs is None or callable(inputs):
        return inputs
    if not isinstance(inputs, Tensor):
        inputs = torch.from_numpy(np.asarray(inputs))
    return lambda ids: inputs[ids.to(inputs.device)]


class UsersViews(MethodViews):
    """A method's views as functions of the user's, of inputs (m, ...) -> (m, ...)."""

    def __init__(self, method: Algorithm, examples: Examples, views: Mapping[str, ViewOf]):
        self.method, self.examples, self.x = method, examples, "plain"
        self.declared: Mapping[str, View] = {"plain": View(), **method.views}
        self.of_user = views

    def of_rows(self, view, seeds, name, when, rows):
        """What changes some rows' inputs as a view has them; None where nothing does."""
        return None if view == "plain" else self.of_user[view]
