"""What training took: time and memory of every algorithm, and what they buy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...show.figures import FAINT, INK, draw_svg
from ...show.grid import Column, Datum, Grid
from ...stats import summarise
from ..sweep.results import Results
from ..sweep.spent import spent
from ._wording import algorithm_order
from .results_figures import Colours


@dataclass(frozen=True)
class TrainingCost:
    """What training took, over the complete runs of an algorithm on a data set."""

    algorithm: str
    runs: int
    networks: int
    epochs: float | None  # of all networks together; of the longest run
    ms_per_update: float | None
    spread_ms: float | None  # standard deviation over runs
    peak_mib: float | None


def costs(results: Results, dataset: str) -> list[TrainingCost]:
    """Time and memory per algorithm, in the order of the tables."""
    found = []
    taken = spent(results, dataset)
    for algorithm in algorithm_order(results):
        runs = taken.get(algorithm, [])
        last = [run for run in runs if run.step is not None]
        pace = summarise([1000 * r.seconds / r.step for r in last if r.step], ddof=1)
        peak = max((r.memory_bytes for r in last), default=0)
        found.append(
            TrainingCost(
                algorithm=algorithm,
                runs=len(runs),
                networks=max((run.networks for run in runs), default=1),
                epochs=max((run.epochs for run in last if run.epochs), default=None),
                ms_per_update=pace.mean,
                spread_ms=pace.standard_deviation,
                peak_mib=peak / 2**20 or None,
            )
        )
    return found


def cost_grid(spent: Sequence[TrainingCost]) -> Grid:
    """Time and memory of every algorithm."""
    columns = (
        Column("algorithm", "name"),
        Column("runs"),
        Column("networks"),
        Column("epochs × networks", form=".1f"),
        Column("ms per update", form=".3f", spread="standard deviation"),
        Column("peak MiB", form=".0f"),
    )
    rows = [
        (
            *(cost.algorithm, cost.runs, cost.networks, cost.epochs),
            Datum(
                cost.ms_per_update,
                cost.spread_ms,
                text=f"{cost.ms_per_update:.3f} ± –"
                if cost.ms_per_update is not None and cost.spread_ms is None
                else None,
            ),
            cost.peak_mib,
        )
        for cost in spent
    ]
    note = (
        "A run's time is its share of the stack it was trained in; memory is the peak of the "
        "process, its imports included. Epochs are those of the longest run: batch sizes differ."
    )
    title = "Mean over complete runs ± standard deviation over runs"
    return Grid(title, columns, rows, (note,))


def pareto_front(points: Mapping[str, tuple[float, float]]) -> list[str]:
    """Names that no other beats in both, by rising cost: cheaper, or as cheap, and better.

    Args:
        points: cost and worth by name.

    >>> pareto_front({"a": (1.0, 50.0), "b": (2.0, 60.0), "c": (3.0, 55.0), "d": (2.0, 58.0)})
    ['a', 'b']
    """
    front, best = [], float("-inf")
    for name in sorted(points, key=lambda one: (points[one][0], -points[one][1])):
        if points[name][1] > best:
            front.append(name)
            best = points[name][1]
    return front


def pareto_figure(
    points: Mapping[str, tuple[float, float]], colours: Colours, title: str, label: str, worth: str
) -> tuple[str, Callable[[], str]]:
    """Worth against cost, a point per algorithm; the front is a line, its points have numbers.

    Args:
        points: cost and worth by algorithm.
        label, worth: of the axes.

    Returns:
        who is on the front, by number; and what draws the SVG text.
    """
    front = pareto_front(points)

    def draw(axes: Any) -> None:
        for name, (cost, value) in points.items():
            axes.plot(cost, value, "o", ms=5, color=colours[name][0])
        axes.step(*zip(*(points[name] for name in front)), where="post", color=INK, lw=1, zorder=0)
        costs_of = [cost for cost, _ in points.values()]
        if max(costs_of) > 5 * min(costs_of) > 0:
            axes.set_xscale("log", subs=(2, 5))
            axes.xaxis.set_major_formatter("{x:g}")
            axes.xaxis.set_minor_formatter("{x:g}")
        for number, name in enumerate(front, 1):
            axes.annotate(
                str(number),
                points[name],
                xytext=(-9, 3),
                textcoords="offset points",
                fontsize=8,
                color=INK,
            )
        axes.margins(x=0.1, y=0.1)
        axes.set_xlabel(label)
        axes.set_ylabel(worth)
        axes.grid(color=FAINT, linewidth=0.6, alpha=0.3)

    named = ", ".join(f"{number} {name}" for number, name in enumerate(front, 1))
    told = "; ".join(f"{name} {points[name][0]:.3g}, {points[name][1]:.1f}" for name in front)
    return named, partial(draw_svg, draw, title, f"On the front, by rising cost: {told}.")
