"""From a case to its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from ...ground.arrays import door
from ...ground.problem import within
from ...ground.progress import OnProgress
from ...people.validation import missed as missed_errors
from ...stats.pairs import discordant, fewest_discordant
from ...stats.places import open_ranks, secure_places
from ._bootstrap import resample
from ._case import Case, make_case
from ._corrections import THIS, correction_of
from ._crossings import find_crossings
from ._growing import associations_of, crossings_of, orders_of, tau_of
from ._places import budget_of_top, neighbours_of
from ._plan import checking_plan, order_by_rank
from ._premise import on_premise
from ._report import RankedModel, Report, UncheckedErrors
from ._standings import better_of, pairs_of, share_of, standings_of
from ._verdict import verdict

LISTED = 100  # items to check that a report names
RESAMPLES = 10_000
FEW_CHANGED = 20  # labels, below which a note says how little they can tell


@door
def assess(
    case: Case,
    *,
    alpha: float = 0.05,
    pairs: Literal["adjacent", "all"] = "adjacent",
    resamples: int = RESAMPLES,
    seed: int = 0,
    mid: bool = False,
    audited: int = 0,
    audit_errors: int = 0,
    corrections: Mapping[str, Any] | None = None,
    found: Sequence[int] | np.ndarray = (),
    probs: tuple[str, Any] | None = None,
    watch: OnProgress = lambda done, total: None,
) -> Report:
    """Whether the ranking of the models survives the errors in the labels.

    Args:
        case: from ``make_case``.
        alpha: one minus the level of every interval and test, in (0, 1).
        pairs: which pairs are tested together: neighbours in the corrected ranking, or all.
        resamples: the resamples of the bootstrap; 0 for none.
        seed: the seed of the bootstrap, permutations and the order of checks.
        mid: McNemar's mid-p in place of the exact p for the pairs.
        audited, audit_errors: items drawn at random from those nobody checked, and wrong labels
            among them; see ``validation.missed``.
        corrections: name -> corrected int (n,), other corrections to put beside this one.
        found: labels of the first items of the checking plan; see ``checking_plan``.
        probs: a model and its probabilities (n, classes) of items that it did not learn from; where
            nobody corrected the labels they tell how often models are right on true ones, on the
            premise of ``errors.estimate``.
        watch: called now and then with resamples done and in all.

    Raises:
        ValueError: an option out of range, or a correction that does not fit.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"`alpha` is {alpha}; it lies between 0 and 1, such as 0.05.")
    if pairs not in ("adjacent", "all"):
        raise ValueError(f"`pairs` is {pairs!r}; choose adjacent or all.")
    if resamples < 0:
        raise ValueError(f"`resamples` is {resamples}; it cannot be negative.")
    if corrections and case.versions == 1:
        raise ValueError(
            "`corrections` stand beside corrected labels (`corrected`); give one of them as these."
        )
    unchecked = int((~case.checked).sum())
    if not 0 <= audited <= unchecked:
        raise ValueError(
            f"`audited` is {audited:,}; it counts items that nobody had checked, and there are "
            f"{unchecked:,}."
        )
    if not 0 <= audit_errors <= audited:
        raise ValueError(
            f"`audit_errors` is {audit_errors:,}; it counts wrong labels among the audited "
            f"items, {audited:,}."
        )
    case = _by_rank(case)
    level = 1 - alpha
    benign, changed = case.right_corrected[:, case.benign], case.right_corrected[:, case.changed]
    old = case.right_original[:, case.changed]
    drawn = _drawn(benign, changed, old, resamples, seed, watch)
    on_b, on_c, on_old = drawn if drawn is not None else (None, None, None)
    crossings = find_crossings(benign, changed, level, _both(on_b, on_c))
    before = find_crossings(benign, old, level, _both(on_b, on_old))
    plan = checking_plan(case, found, alpha, seed)
    wins = discordant(case.right_corrected[:, case.kept])
    tested = pairs_of(case, wins, pairs, level, mid, on_b, on_c)
    better = better_of(wins, alpha)
    secure = secure_places(better)
    budget = budget_of_top(case, wins, secure)
    together = open_ranks(better)
    missed = _missed(case, audited, audit_errors)
    acc_b, acc_old, acc_new = (
        rows.sum(1) / max(rows.shape[1], 1) for rows in (benign, old, changed)
    )
    ties = np.concatenate([crossings.prevalence, before.prevalence])
    standings = standings_of(case, wins, alpha)
    rows = crossings_of(case, crossings)
    beyond = [row.prevalence for row in rows if row.established and not row.already]
    others = {THIS: case.corrected} if case.versions == 2 else {}
    others |= corrections or {}
    compared = tuple(correction_of(name, _other(case, name, them)) for name, them in others.items())
    sizes = case.sizes()
    changed_share = share_of(int(case.changed.sum()), int(case.kept.sum()), alpha)
    wrong_share = share_of(int((~case.benign).sum()), case.n, alpha)
    nothing = share_of(0, 0, alpha)
    twice = case.versions == 2
    first, left_open = verdict(
        sizes,
        [s.rank_original for s in standings],
        [s.rank_corrected for s in standings],
        case.names,
        secure,
        budget,
        together,
        beyond,
        case.versions,
    )
    return Report(
        verdict=first,
        left_open=left_open,
        versions=case.versions,
        notes=_notes(case, standings, alpha),
        sizes=sizes,
        prevalence=changed_share if twice else nothing,
        errors=wrong_share if twice else nothing,
        missed=missed,
        alpha=alpha,
        resamples=resamples,
        seed=seed,
        pairs_are=pairs,
        standings=standings,
        pairs=tested,
        neighbours=neighbours_of(case, plan, missed),
        secure=secure,
        budget=budget,
        together=together,
        crossings=rows,
        crossings_original=crossings_of(case, before),
        orders=orders_of(acc_b, acc_new, case.prevalence, crossings.prevalence) if twice else (),
        tau=tau_of(acc_b, acc_old, acc_new, case.prevalence, ties) if twice else (),
        associations=associations_of(case, seed) if twice else (),
        corrections=compared,
        to_check=plan.to_check,
        checks=tuple(_named(case, plan.items[plan.done : plan.done + LISTED])),
        premise=None if twice or probs is None else on_premise(case, *probs),
    )


def _by_rank(case: Case) -> Case:
    """The case with its models in order of rank."""
    order = order_by_rank(case)
    names = tuple(case.names[r] for r in order)
    return replace(case, names=names, predictions=case.predictions[order])


def _predicted(case: Case) -> dict[str, np.ndarray]:
    return dict(zip(case.names, case.predictions))


def _other(case: Case, name: str, corrected: Any) -> Case:
    """The same models by another correction."""
    try:
        return make_case(case.original, corrected, _predicted(case), classes=case.classes)
    except ValueError as error:
        raise within(f"correction {name!r}", error, corrected="`corrections`") from None


def _named(case: Case, items: np.ndarray) -> list[Any]:
    return (items if case.ids is None else case.ids[items]).tolist()


# resamples


def _drawn(
    benign: np.ndarray,
    changed: np.ndarray,
    old: np.ndarray,
    resamples: int,
    seed: int,
    watch: OnProgress,
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Right answers on B, on C by corrected and on C by original labels."""
    if not resamples:
        return None
    of_both = resample(np.concatenate([changed, old]), resamples, seed, "changed")
    models = len(changed)
    return (
        resample(benign, resamples, seed, "benign", watch),
        of_both[:, :models],
        of_both[:, models:],
    )


def _both(first: np.ndarray | None, second: np.ndarray | None) -> Any:
    return None if first is None or second is None else (first, second)


def _missed(case: Case, audited: int, errors: int) -> UncheckedErrors:
    unchecked = int((~case.checked).sum())
    bound = missed_errors(unchecked, audited, errors).high if audited or errors else None
    return UncheckedErrors(unchecked, audited, errors, bound)


# what else must be said


def _few_changed(changed: int, models: int, alpha: float) -> str:
    pairs = models * (models - 1) // 2
    needed = fewest_discordant(pairs, alpha)
    labels = "1 label was" if changed == 1 else f"{changed} labels were"
    holm = f", after Holm's correction over {pairs} pairs" if pairs > 1 else ""
    text = (
        f"Only {labels} changed. To tell two models apart there in a test at {100 * alpha:g} %"
        f"{holm}, they must differ on at least {needed} changed items, all one way"
    )
    return f"{text}, so no crossing can be established." if needed > changed else f"{text}."


def _notes(case: Case, standings: Sequence[RankedModel], alpha: float) -> tuple[str, ...]:
    notes = []
    if case.versions == 1:
        notes.append(
            "There is one version of the labels. What correcting them would change is not known:"
            " this is the ranking by the labels as they stand, and how firm it is."
        )
    elif not case.changed.any():
        notes.append(
            "No label was changed, so nothing can be said of accuracies on wrong labels, and there "
            "are no crossings."
        )
    elif (changed := int(case.changed.sum())) < FEW_CHANGED:
        notes.append(_few_changed(changed, len(case.names), alpha))
    equal = [
        f"{case.names[a]} and {case.names[b]}"
        for a in range(len(case.names))
        for b in range(a + 1, len(case.names))
        if np.array_equal(case.predictions[a], case.predictions[b])
    ]
    notes += [
        f"{pair} predict the same for every item: nothing tells them apart." for pair in equal
    ]
    without = [s.model for s in standings if s.top5 is None]
    if 0 < len(without) < len(standings):
        notes.append(f"Without probabilities there is no top-5 accuracy: {', '.join(without)}.")
    return tuple(notes)
