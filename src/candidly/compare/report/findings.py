"""What the tables show, in sentences written from the numbers.

Differences are paired over splits, and each comes with its 95 % interval by what the splits have
in common (``design``); where that includes zero, the sentence says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...show.words import listed, percent
from ...stats import PairedT
from ..sweep.results import Results
from ..sweep.select import METRICS, Cell, cells, usual_criteria
from ._wording import NOTHING, algorithm_order, dataset_order, is_upper_bound
from .design import averaged, by_split

WITHOUT_CLEAN = {
    "CR": ("CR", "AA"),
    "NVA": ("NVA",),
    "answers": ("answers",),
}  # by the first of the usual criteria

Table = dict[tuple[str, str], Cell]  # by (criterion, algorithm), of one data set


def findings(results: Results, metric: str = "top1") -> list[str]:
    """Sentences: who leads under CR, what clean labels would add, and how far the oracle is.

    Where given labels are learned from, NVA takes the place of CR and AA. Where the validation rows
    were trained on, nothing was chosen, and they say who leads so.

    >>> findings(Results((), {}))
    ['No runs are planned, so there is nothing to show.']
    """
    if not results.runs:
        return [NOTHING]
    grouped = findings_by_dataset(results, metric)
    return [f"{dataset}: {one}" for dataset, several in grouped.items() for one in several]


def findings_by_dataset(
    results: Results, metric: str = "top1", chosen: Sequence[Cell] | None = None
) -> dict[str, list[str]]:
    """The sentences of :func:`findings` without their data set in front.

    Args:
        chosen: the cells of the usual criteria, where they are known.
    """
    every = cells(results) if chosen is None else chosen
    algorithms = algorithm_order(results)
    lead = usual_criteria(results)[0]
    sentences = {}
    for dataset in dataset_order(results):
        table = {(c.criterion, c.algorithm): c for c in every if c.dataset == dataset}
        ranked = _ranked(table, algorithms, metric, lead)
        found: list[str | None] = [_leader(table, ranked, metric, lead, results)]
        if ranked:
            found += [
                _without_clean_labels(table, ranked, criterion, metric, results)
                for criterion in WITHOUT_CLEAN.get(lead, ())
            ]
            found.append(_oracle_gap(table, ranked[0], algorithms, metric, lead, results))
        found.append(_missing(table, lead))
        sentences[dataset] = [sentence for sentence in found if sentence]
    return sentences


def _ranked(table: Table, algorithms: Sequence[str], metric: str, lead: str) -> list[str]:
    """Algorithms with a value under criterion ``lead``, oracles aside, the highest mean first."""
    means = {
        name: table[lead, name].summary[metric].mean
        for name in algorithms
        if (lead, name) in table and not table[lead, name].oracle
    }
    there = {name: mean for name, mean in means.items() if mean is not None}
    return sorted(there, key=lambda name: -there[name])


def _leader(table: Table, ranked: Sequence[str], metric: str, lead: str, results: Results) -> str:
    what = f"mean {METRICS[metric].about}"
    how = (
        f"Chosen by {lead}"
        if lead in WITHOUT_CLEAN
        else "Trained on the validation rows' true labels too"
    )
    if not ranked:
        measured = any(choice for cell in table.values() for choice in cell.choices)
        return (
            "No true labels are known, so nothing says how accurate a choice is; the lists of "
            f"chosen configurations have the values of {listed(WITHOUT_CLEAN.get(lead, (lead,)))}."
            if measured
            else "No algorithm has a value yet."
        )
    first = table[lead, ranked[0]]
    mean = percent(first.summary[metric].mean, 1)
    if len(ranked) == 1:
        return f"{how}, {ranked[0]} has a {what} of {mean} %."
    ahead = _difference(first, table[lead, ranked[1]], metric, results)
    leads = f"{how}, {ranked[0]} has the highest {what}, {mean} %"
    if ahead.difference is None:
        return f"{leads}; it shares no finished split with {ranked[1]}, the next."
    behind = "but, on the splits both have, behind"
    return f"{leads}, {_compared(ahead, 'ahead of', behind, ranked[1])}."


def _oracle_gap(
    table: Table, best: str, algorithms: Sequence[str], metric: str, lead: str, results: Results
) -> str | None:
    oracles = [
        table[lead, name]
        for name in algorithms
        if (lead, name) in table
        and is_upper_bound(table[lead, name].reads)
        and any(table[lead, name].choices)
    ]
    if not oracles:
        return "No supervised oracle has finished, so nothing says how much is left to gain."
    gap = _difference(oracles[0], table[lead, best], metric, results)
    if gap.difference is None:
        return None
    where = _compared(gap, "above", "below", best)
    return f"Learning from the true labels instead, {oracles[0].algorithm} lies {where}."


def _without_clean_labels(
    table: Table, ranked: Sequence[str], criterion: str, metric: str, results: Results
) -> str | None:
    """How a criterion without clean labels compares with both that read them."""
    parts = []
    for oracle in ("OA", "OA & ES"):
        gap = _mean_over_algorithms(table, ranked, criterion, oracle, metric, results)
        if gap.difference is not None:
            parts.append(_compared(gap, "above", "below", oracle))
    if not parts:
        return None
    over = f", averaged over {len(ranked)} algorithms" if len(ranked) > 1 else ""
    return f"Choosing by {criterion}, without clean labels, scores {listed(parts)}{over}."


def _mean_over_algorithms(
    table: Table, names: Sequence[str], criterion: str, oracle: str, metric: str, results: Results
) -> PairedT:
    """Paired over splits; each split's value is the mean difference over the algorithms."""
    columns = [table[one, name] for one in (criterion, oracle) for name in names]
    pairs = [(k, k + len(names)) for k in range(len(names))]
    return averaged(by_split(columns, results, metric), pairs).compared(0, 1)


def _difference(first: Cell, second: Cell, metric: str, results: Results) -> PairedT:
    return by_split([first, second], results, metric).compared(0, 1)


def _compared(found: PairedT, above: str, below: str, other: str) -> str:
    """``1.9 points above OA (95 % interval ...)``, or ``level with OA (...)``."""
    size = f"{100 * abs(found.difference or 0):.1f}"
    if size == "0.0":
        return f"level with {other} {_judged(found)}"
    side = above if (found.difference or 0) > 0 else below
    return f"{size} point{'s' * (size != '1.0')} {side} {other} {_judged(found)}"


def _judged(found: PairedT) -> str:
    """What the splits can tell about a difference, in brackets."""
    if found.low is None or found.high is None:
        if found.pairs < 2:
            return "(one split: no interval)"
        if found.standard_deviation == 0:
            return "(the same on every split: no interval)"
        return "(no interval, as splits share test rows and it is not known what each row adds)"
    if max(abs(found.low), abs(found.high)) < 1e-9:
        return "(equal on every split)"
    low, high = (percent(end, 1).replace("-", "−") for end in (found.low, found.high))
    doubt = ", which includes 0" if found.low <= 0 <= found.high else ""
    return f"(95 % interval {low} to {high}{doubt})"


def _missing(table: Table, lead: str) -> str | None:
    """A caution when runs are unfinished or diverged; one criterion stands for all."""
    mine = [cell for (criterion, _), cell in table.items() if criterion == lead]
    unfinished = [cell.algorithm for cell in mine if cell.state == "incomplete"]
    fallen = [cell for cell in mine if cell.diverged]
    parts = []
    if unfinished:
        verb = "is" if len(unfinished) == 1 else "are"
        parts.append(f"{listed(unfinished)} {verb} not finished, so this may change")
    if fallen:
        counts = [f"{cell.diverged} of {cell.planned} of {cell.algorithm}" for cell in fallen]
        parts.append(f"Diverged runs: {listed(counts)}")
    return ". ".join(parts) + "." if parts else None
