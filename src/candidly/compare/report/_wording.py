"""How names and numbers are written, the same in every form of the report."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from ...show.words import plus_minus
from ..sweep.counts import examples, labels_read
from ..sweep.results import Results
from ..sweep.select import METRICS, Cell
from .design import one_test_set

UNTESTED = "value of the criterion on the validation rows"
NOTHING = "No runs are planned, so there is nothing to show."


def is_oracle(reads: Collection[str]) -> bool:
    """Whether an algorithm that learns from these labels is told some of the truth."""
    return "truth" in reads


def is_upper_bound(reads: Collection[str]) -> bool:
    """Whether an algorithm learns from the true labels, and from no others.

    Others that read the truth are told less: ``forward-t:oracle`` only how often which class is
    mistaken for which.
    """
    return set(reads) == {"truth"}


def algorithm_order(results: Results) -> list[str]:
    """Algorithms in the order of the plan, oracles after them and the upper bound last."""
    reads = labels_read(results)
    return sorted(reads, key=lambda name: (is_oracle(reads[name]), is_upper_bound(reads[name])))


def dataset_order(results: Results) -> list[str]:
    return _distinct(run.dataset for run in examples(results))


def algorithm_label(algorithm: str, reads: Collection[str]) -> str:
    if is_upper_bound(reads):
        return f"{algorithm} (upper bound)"
    return f"{algorithm} (told the truth)" if is_oracle(reads) else algorithm


def cell_text(cell: Cell, metric: str) -> str:
    """A cell as it stands in a table, with the number of splits behind it in brackets."""
    warm = f", {cell.warm_ups} in warm-up" if cell.warm_ups else ""
    summary = cell.summary[metric]
    runs = f"{cell.finished}/{cell.planned} runs"
    if cell.state == "diverged":
        return "all runs diverged"
    if cell.untested and cell.own.count:
        return f"{cell.criterion} {plus_minus(cell.own)} ({cell.own.count})"
    if summary.count == 0:
        return f"no value yet ({runs}) !" if cell.state == "incomplete" else "no value"
    of_splits = f"{summary.count} of {len(cell.splits)} splits"
    if cell.state == "incomplete":
        return f"{plus_minus(summary)} ({of_splits}, {runs}{warm}) !"
    if summary.count < len(cell.splits):
        return f"{plus_minus(summary)} ({of_splits}{warm})"
    return f"{plus_minus(summary)} ({summary.count}{warm})"


def warm_up_text(cells: Iterable[Cell]) -> str:
    """A sentence where a cell has choices from a warm-up; else ''."""
    if not any(cell.warm_ups for cell in cells):
        return ""
    return (
        "In warm-up: of so many splits the record that was chosen lies before the method's own "
        "stage begins, so its number is that of what the method warms up with."
    )


def legend(results: Results, metric: str) -> str:
    """What the numbers of a table are, in a few sentences."""
    if results.ddof:
        deviation = "sample standard deviation (ddof 1)"
    else:
        deviation = "population standard deviation (ddof 0, as in the published PLENCH tables)"
    datasets = {run.dataset for run in examples(results)}
    known = datasets - results.runs.untested or not datasets
    what = METRICS[metric].about if known else UNTESTED
    return (
        f"Mean {what} in percent ± standard error over splits: the {deviation} "
        "divided by the square root of the number of splits, which stands in brackets. "
        "A dash: one split has no spread. An exclamation mark: not every planned run is finished."
        f"{rows_text(results)}{budget_text(results)}"
    )


def rows_text(results: Results) -> str:
    """A sentence where ± leaves out the chance of the test rows, with a space in front; else ''."""
    if not one_test_set(results):
        return ""
    return " All splits have the same test rows, so ± says nothing of other test rows."


def budget_text(results: Results) -> str:
    """A sentence where results were cut to a budget, with a space in front; else ''."""
    budget = results.settings.get("budget")
    if budget is None:
        return ""
    return f" At an equal budget: no record beyond {budget:,} updates times networks."


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
