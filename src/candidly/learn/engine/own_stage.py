"""When a method begins to be itself: behind a warm-up it is what it warmed up with until then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .stack import Stack

Hyper = Mapping[str, Any]

# methods whose warm-up is a condition in their one stage: updates until it is over
INSIDE: Mapping[str, Callable[[Hyper, Stack], float]] = {
    "IDGP": lambda hyper, s: hyper["warm_up"] * s.n / s.B,
    "POP": lambda hyper, s: hyper["warm_up"] * s.E,
    "co-teaching+": lambda hyper, s: hyper["warm_up"] * s.E,
}


def own_stage_from(stack: Stack) -> list[int]:
    """How many updates each trial makes before its method's own stage begins; 0 without a warm-up.

    Of several stages the first is a warm-up, which many methods share.
    """
    method = stack.algorithm
    if len(method.stages) > 1:
        return [min(stack.stages.ends[0], stack.T)] * stack.K
    until = INSIDE.get(method.label) or INSIDE.get(method.name)
    return [0 if until is None else int(min(until(hyper, stack), stack.T)) for hyper in stack.hyper]
