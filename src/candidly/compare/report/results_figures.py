"""Figures of a sweep's results: accuracies per split, learning curves, numbers as bars."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from ...show.figures import FAINT, INK, PAPER, SERIES, STROKES, draw_svg
from ...show.words import listed, plus_minus, short_names
from ...stats import summarise
from ..sweep.records import Record, Run
from ..sweep.select import METRICS, Cell

ENDS = (SERIES[1], "#8a8a8a", SERIES[0])  # of the lowest mean, between, and of the highest
BOXED = 10  # values from which on they get a box
WARM, START = 4, 0.01  # from so many records on, one in the first hundredth is not drawn
LINE, HANDLE = 70, 6  # characters that stand beside each other below a panel; those of a stroke

Colours = Mapping[str, tuple[str, Any]]  # algorithm -> colour, line style


def make_colours(algorithms: Sequence[str], oracles: Collection[str] = ()) -> Colours:
    """A colour and line style per algorithm, the same in every figure; ink for an oracle."""
    learners = [name for name in algorithms if name not in oracles]
    colours: dict[str, tuple[str, Any]] = {
        name: (SERIES[i % len(SERIES)], STROKES[i // len(SERIES) % len(STROKES)])
        for i, name in enumerate(learners)
    }
    return colours | {name: (INK, STROKES[1]) for name in algorithms if name in oracles}


def boxed(values: Sequence[float | None]) -> bool:
    """Whether there are enough values for their quartiles to say more than the points do."""
    return len(_percents(values)) >= BOXED


def split_plot(
    cells: Sequence[Cell],
    metric: str = "top1",
    limits: tuple[float, float] | None = None,
) -> str:
    """Test accuracy of the chosen models, a row per algorithm: a point per split, and their mean.

    From ten values on there is a box in place of the mean: it spans the quartiles, its line is the
    median, its whiskers reach the extremes. Colours go from the lowest mean to the highest.
    ``limits``, in percent, give several figures the same axis.
    """
    shown = [(c.algorithm, _percents(c.values(metric))) for c in cells]
    colours = _by_mean(shown, [c.algorithm for c in cells if c.oracle])
    names = short_names([name for name, _ in shown])
    criterion, dataset = (cells[0].criterion, cells[0].dataset) if cells else ("", "")

    def draw(axes: Any) -> None:
        # a collection for all of a kind: a figure of 21 rows takes half the time of single lines
        points = [(value, row, colours[name]) for row, (name, v) in enumerate(shown) for value in v]
        x, y, edges = zip(*points) if points else ((), (), ())
        axes.scatter(x, y, s=20, facecolors=PAPER, edgecolors=edges, linewidths=1, zorder=3)
        several = [
            (sum(values) / len(values), row, colours[name])
            for row, (name, values) in enumerate(shown)
            if len(values) > 1 and not boxed(values)
        ]
        if several:
            means, rows, inks = zip(*several)
            ends = [row - 0.3 for row in rows], [row + 0.3 for row in rows]
            axes.vlines(means, *ends, colors=inks, linewidths=2.2)
        for row, (name, values) in enumerate(shown):
            if boxed(values):
                # every value is drawn as a point, so the whiskers need not mark outliers
                axes.boxplot([values], positions=[row], **_box(colours[name]))
            if not values:
                # x as a share of the width, y in rows
                axes.text(0.02, row, "no value", va="center", transform=axes.get_yaxis_transform())
        axes.set_yticks(range(len(shown)), list(names.values()))
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.set_xlim(limits)
        axes.set_xlabel(f"{METRICS[metric].about} (%)")
        axes.grid(axis="x", color=FAINT, linewidth=0.6, alpha=0.3)
        axes.tick_params(axis="y", length=0)

    values = "; ".join(f"{c.algorithm} {plus_minus(c.summary[metric])}" for c in cells)
    title = f"{dataset}, chosen by {criterion}: {METRICS[metric].about} per split"
    return draw_svg(draw, title, f"Mean ± standard error in percent: {values}.", rows=len(shown))


def learning_curve(
    runs: Mapping[str, Sequence[Run]],
    colours: Colours,
    measure: str,
    title: str,
    label: str,
    value: Callable[[Record], float | None],
    chosen: Mapping[str, Sequence[int]] | None = None,
) -> str:
    """Mean of a measured value over runs, against updates; a line per algorithm.

    A band of one standard error lies around each line where there are several runs. A step at
    which any of the runs has no value (it diverged) is left out rather than averaged over the rest,
    and so is a record of the first moments where others say more.

    Args:
        runs: algorithm -> its runs, one per split.
        chosen: algorithm -> the step of each run's record that was chosen, marked by a point.
        measure: names the value in the description.
        title, label: of the figure and of the vertical axis.
        value: reads it from a record.
    """
    curves = {name: _curve(list(mine), value) for name, mine in runs.items()}
    marks = {
        name: _marked(runs[name], steps, value)
        for name, steps in (chosen or {}).items()
        if name in runs
    }
    names = short_names(list(curves))
    columns = _columns(names.values())

    def draw(axes: Any) -> None:
        for name, points in curves.items():
            colour, stroke = colours[name]
            steps, means, errors = points
            axes.plot(steps, means, color=colour, ls=stroke, lw=1.7, label=names[name])
            low = [m - e for m, e in zip(means, errors)]
            high = [m + e for m, e in zip(means, errors)]
            axes.fill_between(steps, low, high, color=colour, alpha=0.13, linewidth=0)
            x, y = marks.get(name, ((), ()))
            axes.scatter(x, y, s=11, facecolors=PAPER, edgecolors=colour, linewidths=0.9, zorder=3)
        axes.set_xlabel("updates")
        axes.set_ylabel(label)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.xaxis.get_major_locator().set_params(nbins=6)
        axes.grid(color=FAINT, linewidth=0.6, alpha=0.3)
        _legend_below(axes, len(curves), columns)

    ends = [f"{name} {means[-1]:.1f}" for name, (_, means, _) in curves.items() if means]
    about = f"Mean {measure} in percent at the end: {listed(ends)}." if ends else "No values."
    return draw_svg(draw, title, about, extra=0.22 * (1 + (len(curves) - 1) // columns))


def bars(values: Mapping[str, float | None], colours: Colours, title: str, label: str) -> str:
    """One bar per algorithm, its number beside it."""
    shown = {name: value for name, value in values.items() if value is not None}
    short = short_names(list(shown))

    def draw(axes: Any) -> None:
        names = list(shown)
        drawn = axes.barh(
            range(len(names)),
            list(shown.values()),
            height=0.62,
            color=[colours[n][0] for n in names],
        )
        axes.bar_label(drawn, [f"{value:.3g}" for value in shown.values()], padding=4, color=INK)
        axes.set_yticks(range(len(names)), list(short.values()))
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.margins(x=0.15)
        axes.set_xlabel(label)
        axes.grid(axis="x", color=FAINT, linewidth=0.6, alpha=0.3)
        axes.tick_params(axis="y", length=0)

    numbers = ", ".join(f"{name} {value:.3g}" for name, value in shown.items())
    return draw_svg(draw, title, f"{label}: {numbers or 'no values'}.", rows=len(shown))


# drawing


def _by_mean(
    shown: Sequence[tuple[str, Sequence[float]]], oracles: Collection[str]
) -> dict[str, str]:
    """A colour for each name, by the rank of its mean; ink for an oracle."""
    means = {
        name: sum(values) / len(values) for name, values in shown if values and name not in oracles
    }
    order = sorted(means, key=lambda name: means[name])
    steps = max(1, len(order) - 1)
    return {name: INK for name, _ in shown} | {
        name: _between(*ENDS, place / steps) for place, name in enumerate(order)
    }


def _between(low: str, middle: str, high: str, share: float) -> str:
    """A colour on the way from low through middle to high, as text."""
    first, second, part = (low, middle, 2 * share) if share < 0.5 else (middle, high, 2 * share - 1)
    mixed = (
        round((1 - part) * int(first[k : k + 2], 16) + part * int(second[k : k + 2], 16))
        for k in (1, 3, 5)
    )
    return "#" + "".join(f"{one:02x}" for one in mixed)


def _box(colour: str) -> dict[str, Any]:
    line = {"color": colour, "linewidth": 1.2}
    return {
        "orientation": "horizontal",
        "widths": 0.55,
        "whis": (0, 100),
        "showfliers": False,
        "showcaps": False,
        "patch_artist": True,
        "manage_ticks": False,
        "boxprops": {"facecolor": colour + "30", "edgecolor": colour, "linewidth": 1.2},
        "medianprops": {**line, "linewidth": 2.2},
        "whiskerprops": line,
    }


def _columns(names: Iterable[str]) -> int:
    """Columns of a legend that fit below a panel, by the longest name."""
    return max(1, min(3, LINE // (max(map(len, names), default=0) + HANDLE)))


def _legend_below(axes: Any, entries: int, columns: int) -> None:
    if entries:
        axes.figure.legend(
            loc="outside lower center",
            ncols=min(columns, entries),
            frameon=False,
            handlelength=2.2,
            columnspacing=1.4,
        )


# numbers


def _percents(values: Iterable[float | None]) -> list[float]:
    return [100 * v for v in values if v is not None and v == v]


def _curve(
    runs: Sequence[Run], value: Callable[[Record], float | None]
) -> tuple[list[int], list[float], list[float]]:
    """Steps at which every run has a value, with mean and standard error in percent."""
    by_step: dict[int, list[float]] = {}
    for run in runs:
        for record in run.records:
            by_step.setdefault(record.step, []).extend(_percents([value(record)]))
    steps = [step for step in sorted(by_step) if len(by_step[step]) == len(runs)]
    if len(steps) >= WARM and steps[0] < START * steps[-1]:
        steps = steps[1:]
    summaries = [summarise(by_step[step]) for step in steps]
    means = [s.mean for s in summaries if s.mean is not None]
    return steps, means, [s.standard_error or 0.0 for s in summaries]


def _marked(
    runs: Sequence[Run], steps: Sequence[int], value: Callable[[Record], float | None]
) -> tuple[list[int], list[float]]:
    """Where the records lie that were chosen, a step for each run; those without a value do not."""
    x, y = [], []
    for run, step in zip(runs, steps):
        for record in run.records:
            if record.step == step:
                for percent in _percents([value(record)]):
                    x.append(step)
                    y.append(percent)
    return x, y
