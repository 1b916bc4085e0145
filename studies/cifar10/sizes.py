"""How large a network is, and the figure of sizes and right answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from candidly.compare.stability import Report
from candidly.show.figures import FAINT, PAPER, SERIES, draw_svg
from studies.kit.figures import alone
from studies.kit.words import minus

from .models import NETWORKS
from .published import OF, table_s2

Training = Mapping[str, Any]  # what ``training.json`` holds: see ``make_page``
SIZES = ("parameters", "multiply_adds")
IMAGE = "cifar10-study-"


def signed(value: float) -> str:
    """A correlation; a bar where there is none.

    >>> signed(-0.5), signed(0.123), signed(float("nan"))
    ('−0.50', '+0.12', '–')
    """
    return "–" if value != value else minus(value, 2)


def known_as(name: str) -> str:
    """The study's name of a network that goes by it or by that of Table S2; '' of another."""
    found = (known for known, one in NETWORKS.items() if name in (known, one.published))
    return next(found, "")


def sizes_of(made: Training, name: str) -> dict[str, int]:
    """``SIZES`` of a network as it was trained here, or else as it is known; 0 of an unknown."""
    about, known = made["networks"][name], NETWORKS.get(known_as(name))
    return {size: about.get(size) or getattr(known, size, 0) for size in SIZES}


def published_names(made: Training) -> dict[str, str]:
    """Of the networks here, those of Table S2 by their name there."""
    here = {known_as(name): name for name in made["networks"]}
    return {
        one.published: here[known]
        for known, one in NETWORKS.items()
        if one.published and known in here
    }


def full_sizes() -> dict[str, dict[str, int]]:
    """``SIZES`` of the networks of Table S2, by their name there."""
    return {
        one.published: {size: getattr(one, size) for size in SIZES}
        for one in NETWORKS.values()
        if one.published
    }


def size_figure(report: Report, made: Training) -> str:
    """Right answers on the changed pictures by corrected labels, against parameters."""
    here = {
        s.model: (sizes_of(made, s.model)["parameters"], s.top1.changed_corrected.right)
        for s in report.standings
    }
    here = {name: point for name, point in here.items() if point[0]}
    rows = table_s2()
    there = {
        name: (size["parameters"], rows[name].right["corrected_top1"])
        for name, size in full_sizes().items()
    }
    series = (
        (here, SERIES[0], "o", "here, as trained (names on the left)"),
        (there, SERIES[1], "s", "Table S2, at full size (names on the right)"),
    )

    def draw(axes: Any) -> None:
        for points, colour, marker, label in series:
            sizes, right = zip(*points.values()) if points else ((), ())
            axes.plot(sizes, right, marker, color=colour, mfc=PAPER, ms=4.5, mew=1.1, label=label)
            left = points is here
            for row in set(right):
                names = [name for name, point in points.items() if point[1] == row]
                names.sort(key=lambda name: points[name][0])
                axes.text(
                    *(0.01 if left else 1.01, row, ", ".join(names)),
                    va="center",
                    fontsize=6.5,
                    color=colour,
                    transform=axes.get_yaxis_transform(),
                )
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlim(2e2, 6e7)
        axes.set_xlabel("parameters")
        axes.set_ylabel(f"right of {OF}, corrected labels")
        axes.set_ylim(-0.5, OF)
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.grid(color=FAINT, linewidth=0.6, alpha=0.3)
        axes.figure.legend(loc="outside lower center", ncols=2, frameon=False, handletextpad=0.2)

    told = " ".join(
        f"{label}: {'; '.join(f'{name} {right}' for name, (_, right) in points.items())}."
        for points, _, _, label in series
        if points
    )
    title = "Right answers on the corrected pictures against parameters"
    return alone(draw_svg(draw, title, f"Right of {OF}. {told}", extra=0.8, width=8.4))
