"""What holds places apart: tests, wrong labels it would take, checks."""

from __future__ import annotations

import numpy as np

from ..checks import CheckingPlan, flip_budget
from ._case import Case
from ._report import Neighbour, UncheckedErrors


def _budget_between(case: Case, a: int, b: int) -> int | None:
    """Of a model and one that is behind it or level."""
    apart = (case.predictions[a] != case.predictions[b]) & ~case.checked
    for_a, for_b = case.right_corrected[a] & apart, case.right_corrected[b] & apart
    lead = int(case.right_corrected[a].sum() - case.right_corrected[b].sum())
    return flip_budget(lead, int(for_a.sum()), int(apart.sum() - for_a.sum() - for_b.sum()))


def budget_of_top(case: Case, wins: np.ndarray, secure: int) -> int | None:
    """The smallest budget of any pair with one model in the first places and a later one."""
    if not secure:
        return None
    budgets = [_budget_between(case, a, b) for a in range(secure) for b in range(a + 1, len(wins))]
    return min((b for b in budgets if b is not None), default=None)


def neighbours_of(case: Case, plan: CheckingPlan, missed: UncheckedErrors) -> tuple[Neighbour, ...]:
    rate = None if missed.bound is None else missed.bound / max(missed.unchecked, 1)
    return tuple(
        Neighbour(
            first=case.names[n.first],
            second=case.names[n.second],
            differing=n.differing,
            unchecked=n.unchecked,
            lead=int(n.lead),
            budget=_budget_between(case, n.first, n.second),
            expected_errors=None if rate is None else rate * n.unchecked,
            status=n.status,
            p_secure=n.p_secure,
            p_reversed=n.p_reversed,
            to_check=n.to_check,
        )
        for n in plan.neighbours
    )
