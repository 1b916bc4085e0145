"""How names and numbers are written, the same in every form of the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..stats import Summary
from ..sweep.counts import examples
from ..sweep.records import Results
from ..sweep.select import METRICS, Cell, untested

UNTESTED = "value of the criterion on the validation rows"
NOTHING = "No runs are planned, so there is nothing to show."


def is_oracle(algorithm: str) -> bool:
    """Whether the algorithm is told some of the truth; its name says so."""
    return "oracle" in algorithm.lower()


def is_upper_bound(algorithm: str) -> bool:
    """Whether the algorithm learns from the true labels themselves.

    Others with an oracle in their name are told less: ``forward-t:oracle`` only how often which
    class is mistaken for which.
    """
    return algorithm == "supervised-oracle"


def algorithm_order(results: Results) -> list[str]:
    """Algorithms in the order of the plan, oracles after them and the upper bound last."""
    names = _distinct(run.algorithm for run in examples(results))
    return sorted(names, key=lambda name: (is_oracle(name), is_upper_bound(name)))


def dataset_order(results: Results) -> list[str]:
    return _distinct(run.dataset for run in examples(results))


def algorithm_label(algorithm: str) -> str:
    if is_upper_bound(algorithm):
        return f"{algorithm} (upper bound)"
    return f"{algorithm} (told the truth)" if is_oracle(algorithm) else algorithm


def short_names(names: Sequence[str], most: int = 24) -> dict[str, str]:
    """Each name in at most ``most`` characters, no two alike; a longer one loses its middle.

    Where that would make names alike, what is kept is where they differ, else they are numbered.

    Args:
        names: distinct.
        most: at least 12.

    >>> short_names(["resnet 50", "convnext-huge-with-augmentation"], 16)
    {'resnet 50': 'resnet 50', 'convnext-huge-with-augmentation': 'convnext…ntation'}
    """
    kept = {name: name if len(name) <= most else _ends(name, most) for name in names}
    for alike in _alike(kept):
        letters = enumerate(zip(*alike))
        start = next((k for k, them in letters if len(set(them)) > 1), min(map(len, alike)))
        for name in alike:
            kept[name] = name if len(name) <= most else _from(name, max(start - 2, 0), most)
    for alike in _alike(kept):
        for number, name in enumerate(alike, 1):
            if len(name) > most:
                mark = f" ({number})"
                kept[name] = _ends(name, most - len(mark)) + mark
    return kept


def _alike(kept: Mapping[str, str]) -> list[list[str]]:
    groups: dict[str, list[str]] = {}
    for name, short in kept.items():
        groups.setdefault(short, []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _ends(name: str, most: int) -> str:
    head = most // 2
    return f"{name[:head]}…{name[len(name) - (most - head - 1) :]}"


def _from(name: str, start: int, most: int) -> str:
    if start == 0:
        return f"{name[: most - 1]}…"
    rest = name[start:]
    return f"…{rest}" if len(rest) < most else f"…{rest[: most - 2]}…"


def percent(value: float | None, digits: int = 2) -> str:
    """A share as a percentage without its sign, a dash for nothing.

    >>> percent(0.71333), percent(None)
    ('71.33', '–')
    """
    return "–" if value is None else f"{100 * value:.{digits}f}"


def in_percent(share: float | None) -> float | None:
    """A share as a percentage, nothing as nothing."""
    return None if share is None else 100 * share


def finite(value: Any) -> Any:
    """JSON has no NaN; it becomes null."""
    if isinstance(value, Mapping):
        return {str(name): finite(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in value]
    return None if isinstance(value, float) and value != value else value


def plus_minus(summary: Summary) -> str:
    """Mean and standard error in percent.

    >>> plus_minus(Summary(0.7133, 0.0548, 0.0245, 5)), plus_minus(Summary(0.7, None, None, 1))
    ('71.33 ± 2.45', '70.00 ± –')
    """
    return f"{percent(summary.mean)} ± {percent(summary.standard_error)}"


def cell_text(cell: Cell, metric: str) -> str:
    """A cell as it stands in a table, with the number of splits behind it in brackets."""
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
        return f"{plus_minus(summary)} ({of_splits}, {runs}) !"
    if summary.count < len(cell.splits):
        return f"{plus_minus(summary)} ({of_splits})"
    return f"{plus_minus(summary)} ({summary.count})"


def legend(results: Results, metric: str) -> str:
    """What the numbers of a table are, in a few sentences."""
    if results.ddof:
        deviation = "sample standard deviation (ddof 1)"
    else:
        deviation = "population standard deviation (ddof 0, as in the published PLENCH tables)"
    datasets = {run.dataset for run in examples(results)}
    known = datasets - untested(results.runs) or not datasets
    what = METRICS[metric].about if known else UNTESTED
    return (
        f"Mean {what} in percent ± standard error over splits: the {deviation} "
        "divided by the square root of the number of splits, which stands in brackets. "
        "A dash: one split has no spread. An exclamation mark: not every planned run is finished."
        f"{budget_text(results)}"
    )


def budget_text(results: Results) -> str:
    """A sentence where results were cut to a budget, with a space in front; else ''."""
    budget = results.settings.get("budget")
    if budget is None:
        return ""
    return f" At an equal budget: no record beyond {budget:,} updates times networks."


def hyper_text(hyper: Mapping[str, float | int]) -> str:
    """Hyper-parameters on one line.

    >>> hyper_text({"lr": 0.000119061, "batch_size": 128})
    'lr=0.000119, batch_size=128'
    """
    return ", ".join(f"{name}={_number(value)}" for name, value in hyper.items())


def listed(names: Iterable[str]) -> str:
    """Names in a sentence.

    >>> listed(["CC", "LWS", "CE"])
    'CC, LWS and CE'
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _number(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
