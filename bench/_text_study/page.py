"""docs/text.md and its figures, from the committed results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from _reproduction.figures import alone
from candidly.report.figures import FAINT, SERIES, STROKES, draw_svg
from candidly.stats import Summary, interval, paired_difference

from .events import KINDS, RATES
from .numbers import BASE, Row, Study, gain
from .runs import EPOCHS, EVERY, FEW, SPLITS

PAGE, IMAGE = "text.md", "text-"
COMMAND = "python bench/text_study.py"
CURVE = "curves.svg"
SHOWN = (("replaced", 40), ("symmetric", 40))
CLEAN = ("clean", 0)


def make_page(study: Study) -> tuple[str, dict[str, str]]:
    """The page's text, and its figures as SVG by file name."""
    panels = {_noise(key): study[key] for key in (CLEAN, *SHOWN) if key in study}
    names = [name for name in FEW if all(name in rows for rows in panels.values())]
    parts = [
        "# Noisy labels on texts",
        f"Written by `{COMMAND}` from `bench/results/text_study`.",
        _about(),
        "## What noise costs cross-entropy",
        "Points of test accuracy, with 95 % intervals as below.",
        _findings(study),
        "## Selected accuracy minus cross-entropy's",
        "Points of test accuracy, the mean of the splits, in brackets a 95 % interval (Student's "
        "t, split by split; somewhat too narrow, because splits share rows and all of them have "
        "the same test rows and the same noise). In bold: the interval leaves out 0. Many "
        "comparisons stand here, and none of the intervals allows for that.",
        _gains(study),
        "## Accuracy by epoch",
        f"![Test accuracy by epoch](images/{IMAGE}{CURVE})",
        *_tables(study),
        "## What is missing",
        _missing(study),
    ]
    images = {f"{IMAGE}{CURVE}": _curves(panels, names)} if names else {}
    return "\n\n".join(parts) + "\n", images


def _noise(key: tuple[str, int]) -> str:
    kind, percent = key
    if not percent:
        return "no noise"
    return f"{percent} % {'replaced inputs' if kind == 'replaced' else 'symmetric'}"


def _about() -> str:
    text = f"""The 15,800 events of the released validation and test files of noisywikiHow. Of 158
classes, 108 drawn at random are the labels; the 5,000 events of the other 50 are the pool. A fifth
of each class is for testing, without noise. Of the other 8,640 rows, a quarter (drawn anew for each
of {SPLITS} splits) is for validation, with the same noise as the training rows; `selected` is the
epoch that is best there, `best` the one that is best on the test rows, which nobody can choose.
Replaced inputs: the text becomes its nearest of the pool and the label stays, the most alike first
(`open-set`), no text of the pool twice; so where 60 % is asked for only 57.9 % can be replaced, and
as many labels are wrong beside it. Both noises are drawn over training and validation rows
together. A linear layer on a sentence encoder's 384 numbers, which stay as they are; {EPOCHS}
epochs in batches of 64, each algorithm with its default settings.

What differs from the paper (Wu et al., Findings of ACL 2023): there a pretrained BART is fine-tuned
on more events and validation rows are clean. Nearness is here that of the same numbers which the
linear layer learns from."""
    return text.replace("\n\n", "\0").replace("\n", " ").replace("\0", "\n\n")


def _missing(study: Study) -> str:
    """What is planned and not in the results."""
    noises = [(kind, rate) for rate in RATES for kind in (KINDS if rate else ["clean"])]
    alike: dict[tuple[str, ...], list[str]] = {}
    for key in noises:
        names = tuple(name for name in EVERY if name not in study.get(key, {}))
        alike.setdefault(names, []).append(_noise(key))
    lacking = [
        f"{', '.join(where)}: "
        + ("nothing yet" if len(names) == len(EVERY) else ", ".join(f"`{n}`" for n in names))
        for names, where in alike.items()
        if names
    ]
    others = "networks from scratch, fine-tuning, long tails, losses of right and wrong examples"
    return "\n".join(["Not run:", "", *(f"* {line}" for line in (*lacking, others))])


def _findings(study: Study) -> str:
    """What noise costs cross-entropy, and what selecting an epoch does."""
    clean, lines = study[CLEAN][BASE], []
    for key in (key for key in study if key != CLEAN):
        row = study[key][BASE]
        costs = _points(paired_difference(clean.selected, row.selected))
        falls = _points(paired_difference(row.best, row.last))
        lines.append(f"| {_noise(key)} | {costs} | {falls} |")
    head = "| noise | no noise minus this, selected | best minus last epoch |\n|---|---|---|"
    return "\n".join([head, *lines])


def _points(found: Summary) -> str:
    span = interval(found)
    if found.mean is None or span is None:
        return "–"
    low, high = (100 * each for each in span)
    return f"{100 * found.mean:.1f} ({low:.1f} to {high:.1f})".replace("-", "−")


def _percent(values: tuple[float, ...]) -> str:
    value = 100 * float(np.mean(values))
    return "–" if np.isnan(value) else f"{value:.1f}"


def _gains(study: Study) -> str:
    keys = [key for key in study if BASE in study[key]]
    names = [n for n in EVERY if n != BASE and any(n in study[key] for key in keys)]
    lines = [
        "| algorithm | " + " | ".join(map(_noise, keys)) + " |",
        "|---" * (len(keys) + 1) + "|",
    ]
    for name in names:
        cells = [_gain(study[key], name) if name in study[key] else "" for key in keys]
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _gain(rows: Mapping[str, Row], name: str) -> str:
    found, span = gain(rows, name)
    if found.mean is None or span is None:
        return "–"
    low, high = (100 * each for each in span)
    text = f"{100 * found.mean:+.1f} ({low:+.1f} to {high:+.1f})".replace("-", "−")
    return f"**{text}**" if low * high > 0 else text


def _tables(study: Study) -> list[str]:
    parts = ["## Every algorithm", "Percent of the test rows, the mean of the splits."]
    for key, rows in study.items():
        lines = ["| algorithm | best | selected | last | top-5, selected |", "|---" * 5 + "|"]
        for name in (name for name in EVERY if name in rows):
            row = rows[name]
            cells = map(_percent, (row.best, row.selected, row.last, row.five))
            lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
        parts += [f"### {_noise(key)}", "\n".join(lines)]
    return parts


def _curves(panels: Mapping[str, Mapping[str, Row]], names: list[str]) -> str:
    def draw(axes: Any) -> None:
        axes.set_axis_off()
        first = None
        grid = axes.get_subplotspec().subgridspec(1, len(panels))
        for place, (panel, rows) in zip(grid, panels.items()):
            one = axes.figure.add_subplot(place, sharey=first)
            first = first or one
            for number, name in enumerate(names):
                curve = [100 * value for value in rows[name].curve]
                colour, stroke = SERIES[number % len(SERIES)], STROKES[number // len(SERIES)]
                epochs = range(1, len(curve) + 1)
                one.plot(epochs, curve, color=colour, ls=stroke, lw=1.5, label=name)
            one.set_title(panel, fontsize=9)
            one.set_xlabel("epoch")
            one.grid(color=FAINT, linewidth=0.6, alpha=0.3)
        first.set_ylabel("test accuracy in percent")
        handles, words = first.get_legend_handles_labels()
        axes.figure.legend(handles, words, loc="outside lower center", ncols=4, frameon=False)

    told = "; ".join(
        f"{panel}: " + ", ".join(f"{n} {_percent(rows[n].last)}" for n in names)
        for panel, rows in panels.items()
    )
    about = f"After the last epoch, in percent: {told}."
    return alone(draw_svg(draw, "Test accuracy by epoch", about, rows=14, width=9))
