"""Figures as SVG text: the same bytes from the same results, and legible on light and dark paper.

Drawn with matplotlib's objects, never ``pyplot``, so that nothing global changes. Colours are CSS
variables with a fallback (``var(--series-1, #0072b2)``), so a page may set them for dark paper; ink
is ``currentColor``. Every figure has a title and a description for readers who cannot see it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any

from ..stats import summarise
from ..sweep.records import Record, Run
from ..sweep.select import METRICS, Cell
from ._wording import is_oracle, listed, plus_minus, short_names

# Okabe and Ito's colours, which colour-blind readers can tell apart, without their yellow
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
STROKES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)))  # for the second and third round of colours
INK, FAINT, PAPER = "#010203", "#040506", "#fcfdfe"  # stand-ins that become CSS values
BOXED = 10  # values from which on they get a box
LINE, HANDLE = 70, 6  # characters that stand beside each other below a panel; those of a stroke
PANEL = (4.6, 3.0)  # inches; two fit beside each other on a page, one on a telephone

Colours = Mapping[str, tuple[str, Any]]  # algorithm -> colour, line style
Draw = Callable[[Any], None]


def make_colours(algorithms: Sequence[str]) -> Colours:
    """A colour and line style per algorithm, the same in every figure; ink for an oracle."""
    learners = [name for name in algorithms if not is_oracle(name)]
    colours: dict[str, tuple[str, Any]] = {
        name: (SERIES[i % len(SERIES)], STROKES[i // len(SERIES) % len(STROKES)])
        for i, name in enumerate(learners)
    }
    return colours | {name: (INK, STROKES[1]) for name in algorithms if is_oracle(name)}


def boxed(values: Sequence[float | None]) -> bool:
    """Whether there are enough values for their quartiles to say more than the points do."""
    return len(_percents(values)) >= BOXED


def split_plot(
    cells: Sequence[Cell],
    colours: Colours,
    metric: str = "top1",
    limits: tuple[float, float] | None = None,
) -> str:
    """Test accuracy of the chosen models, a row per algorithm: a point per split, and their mean.

    From ten values on there is a box in place of the mean: it spans the quartiles, its line is the
    median, its whiskers reach the extremes. ``limits``, in percent, give several figures the same
    axis.
    """
    shown = [(c.algorithm, _percents(c.values(metric))) for c in cells]
    names = short_names([name for name, _ in shown])
    criterion, dataset = (cells[0].criterion, cells[0].dataset) if cells else ("", "")

    def draw(axes: Any) -> None:
        for row, (name, values) in enumerate(shown):
            colour, _ = colours[name]
            if boxed(values):
                # every value is drawn as a point, so the whiskers need not mark outliers
                axes.boxplot([values], positions=[row], **_box(colour))
            elif len(values) > 1:
                mean = sum(values) / len(values)
                axes.plot([mean, mean], [row - 0.3, row + 0.3], color=colour, lw=2.2)
            axes.plot(
                values, [row] * len(values), "o", color=colour, ms=4.5, mfc=PAPER, mew=1, zorder=3
            )
            if not values:
                # x as a share of the width, y in rows
                axes.text(0.02, row, "no value", va="center", transform=axes.get_yaxis_transform())
        axes.set_yticks(range(len(shown)), list(names.values()))
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.set_xlim(limits)
        axes.set_xlabel(f"{METRICS[metric]} (%)")
        axes.grid(axis="x", color=FAINT, linewidth=0.6, alpha=0.3)
        axes.tick_params(axis="y", length=0)

    values = "; ".join(f"{c.algorithm} {plus_minus(c.summary[metric])}" for c in cells)
    title = f"{dataset}, chosen by {criterion}: {METRICS[metric]} per split"
    return draw_svg(draw, title, f"Mean ± standard error in percent: {values}.", rows=len(shown))


def learning_curve(
    runs: Mapping[str, Sequence[Run]],
    colours: Colours,
    measure: str,
    title: str,
    label: str,
    value: Callable[[Record], float | None],
) -> str:
    """Mean of a measured value over runs, against updates; a line per algorithm.

    A band of one standard error lies around each line where there are several runs. A step at
    which any of the runs has no value (it diverged) is left out rather than averaged over the rest.

    Args:
        runs: algorithm -> its runs, one per split.
        measure: names the value in the description.
        title, label: of the figure and of the vertical axis.
        value: reads it from a record.
    """
    curves = {name: _curve(list(mine), value) for name, mine in runs.items()}
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


def draw_svg(
    draw: Draw,
    title: str,
    about: str,
    rows: int = 0,
    extra: float = 0.0,
    width: float = PANEL[0],
) -> str:
    """Lay out one panel, draw on it, and return it as an accessible SVG element."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    height = 0.75 + 0.27 * rows if rows else PANEL[1] + extra
    with rc_context(_style(title)):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        draw(figure.subplots())
        page = io.StringIO()
        metadata: Any = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(page, format="svg", transparent=True, metadata=metadata)
    return _for_a_page(page.getvalue(), title, about)


def _style(title: str) -> Any:
    return {
        "svg.hashsalt": title,
        "svg.fonttype": "none",
        "font.size": 9,
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "text.color": INK,
        "axes.labelcolor": INK,
        "axes.edgecolor": FAINT,
        "xtick.color": INK,
        "ytick.color": INK,
        "axes.axisbelow": True,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.parse_math": False,
    }


def _for_a_page(svg: str, title: str, about: str) -> str:
    """The SVG element alone, with unique ids, page colours, and words for screen readers."""
    import hashlib

    prefix = "f" + hashlib.sha256(f"{title}\n{svg}".encode()).hexdigest()[:8]
    svg = svg[svg.index("<svg") :]
    # a style element would reach out into the page that holds the figure
    svg = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", svg, count=1, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'(xlink:href="|url\()#', rf"\g<1>#{prefix}-", svg)
    svg = svg.replace("'DejaVu Sans'", "system-ui, 'DejaVu Sans'")
    svg = svg.replace(INK, "currentColor").replace(FAINT, "var(--faint, #888)")
    svg = svg.replace(PAPER, "var(--paper, #fff)")
    for number, colour in enumerate(SERIES, 1):
        svg = svg.replace(colour, f"var(--series-{number}, {colour})")
    head, body = svg.split(">", 1)
    head = re.sub(r' (width|height)="([\d.]+)pt"', "", head)
    words = (
        f'<title id="{prefix}-title">{escape(title)}</title>'
        f'<desc id="{prefix}-about">{escape(about)}</desc>'
    )
    named = f'role="img" aria-labelledby="{prefix}-title" aria-describedby="{prefix}-about"'
    joins = 'style="stroke-linejoin: round; stroke-linecap: butt"'
    return f"{head} {named} {joins}>{words}{body}".strip()


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
    summaries = [summarise(by_step[step]) for step in steps]
    means = [s.mean for s in summaries if s.mean is not None]
    return steps, means, [s.standard_error or 0.0 for s in summaries]
