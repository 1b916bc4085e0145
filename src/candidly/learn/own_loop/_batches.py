"""A loader's batch as the engine has it: rows checked, views, and what else a stage asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from ...ground.problem import Refusal
from ..engine.batches import BatchRows, StackBatch
from ._needs import Needs
from ._processes import Processes
from ._stack import UsersStack


class UsersBatches:
    """The batches of a stack in somebody's own loop.

    Args:
        repeats: a row may be in one more than once.
    """

    def __init__(self, stack: UsersStack, needs: Needs, repeats: bool, processes: Processes):
        self.stack, self.needs, self.repeats = stack, needs, repeats
        self.processes, self.size, self.label = processes, stack.B, stack.algorithm.label

    def together(self, ids: Any, given: Mapping[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
        """Checked ids int64 (B,), and inputs by view, of all processes."""
        s = self.stack
        ids = torch.as_tensor(ids)
        if ids.dim() != 1 or ids.is_floating_point() or ids.dtype == torch.bool:
            raise Refusal(
                f"`ids` is {ids.dtype} of shape {tuple(ids.shape)}; it has to be a whole number a "
                "row of the batch: have the data set return each row's number with its inputs."
            )
        rows = ids.shape[0]
        for view, x in given.items():
            if x.shape[0] != rows:
                raise Refusal(f"{view} has {len(x)} rows, and `ids` {rows}.")
        if self.processes.several:
            ids = self.processes.gathered(ids.to(s.device, torch.int64))
            given = {view: self.processes.gathered(x.to(s.device)) for view, x in given.items()}
        order = sorted(ids.tolist())
        if order and not 0 <= order[0] <= order[-1] < s.n:
            wrong = order[0] if order[0] < 0 else order[-1]
            raise Refusal(f"`ids` has {wrong}; there are {s.n} rows, 0 to {s.n - 1}.")
        chosen = callable(s.stage.samplers[0])
        if not (self.repeats or chosen) and len(set(order)) < len(order):
            twice = next(one for one, other in pairwise(order) if one == other)
            raise Refusal(
                f"row {twice} is in the batch more than once.",
                "if the sampler draws with replacement, or pads, say `repeats=True`",
            )
        if not len(order) or len(order) > self.size * self._networks_apart():
            raise Refusal(
                f"the batch has {len(order)} rows, and `batch_size={self.size}` was said."
            )
        return ids.to(s.device, torch.int64), dict(given)

    def _networks_apart(self) -> int:
        """How many networks have rows of their own in a batch."""
        return self.stack.algorithm.networks if callable(self.stack.stage.samplers[0]) else 1

    def of_update(self, ids: Tensor, given: Mapping[str, Tensor]) -> list[StackBatch]:
        """The batches of the update: the loader's first, and what others the stage asks for."""
        s = self.stack
        samplers, chosen = s.stage.samplers, callable(s.stage.samplers[0])
        others: Sequence[StackBatch] = ()
        s.B = self.size
        if chosen or len(samplers) > 1:
            first, *others = s.next_batches()
            if chosen and not torch.equal(first.ids.flatten(), ids):
                raise Refusal(
                    f"{self.label} chooses the rows of its batches itself at this stage.",
                    "use DataLoader(..., batch_sampler=method.batch_sampler()), and pass ids on as "
                    "they come",
                )
        shape = first.ids.shape if chosen else (1, len(ids))
        batch = self._batch(ids.view(shape), chosen or self.repeats)
        s.B = shape[-1]
        for key, x in given.items():
            view, _, which = key.partition(" ")
            x = x.to(s.device)
            batch.__dict__[f"view {view} {which or 0}"] = x.view(*shape, *x.shape[1:])
        if "plain" in given:
            batch.__dict__["x"] = batch.__dict__["view plain 0"]
        self._check_views(batch)
        return [batch, *(self._cut(other) for other in others)]

    def _batch(self, ids: Tensor, repeats: bool) -> StackBatch:
        flat = ids.flatten()
        rows = BatchRows(ids, flat, flat, lambda: flat.cpu())
        feed = self.stack.feed
        return StackBatch(rows, partial(feed.gather, self.stack), self._view, "0", repeats)

    def _view(self, name: str, which: int, batch: StackBatch) -> Tensor:
        """A view that the loader has not given."""
        s = self.stack
        if s.changed is None or name == "plain":
            return s.feed.change(s, name, which, batch)
        s.views.check(name)
        x = batch.x
        lead = batch.ids.dim()
        return s.changed[name](x.flatten(0, lead - 1)).view_as(x)

    def _check_views(self, batch: StackBatch) -> None:
        s = self.stack
        if s.changed is not None or not (self.needs.views or self.needs.views_of_others):
            return
        x = batch.__dict__.get("x")
        table = x is not None and x.dim() == batch.ids.dim() + 1 and x.is_floating_point()
        if table:
            return
        if self.needs.views_of_others:
            view = self.needs.views_of_others[0]
            raise Refusal(
                f"{self.label} asks for the view {view!r} of further rows, and these are no table.",
                "give functions of inputs with `views`",
            )
        keys = {
            view: f"view {view}" if " " in view else f"view {view} 0" for view in self.needs.views
        }
        missing = [view for view, key in keys.items() if key not in batch.__dict__]
        if missing:
            raise Refusal(
                f"{self.label} asks for the view {missing[0]!r} of inputs that are no table.",
                "give functions of inputs with `views`",
                "have the loader give {'plain': x, " + f"'{missing[0]}': ..." + "}",
            )

    def _cut(self, batch: StackBatch) -> StackBatch:
        """As many of a further batch's rows as the first one has."""
        s = self.stack
        if batch.ids.shape[-1] == s.B:
            return batch
        return s.feed.batch(s, batch.ids[..., : s.B].contiguous(), batch.name)
