"""How large a network is, and the figure of sizes and right answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from _reproduction.figures import alone
from _reproduction.words import minus
from candidly.report.figures import FAINT, INK, PAPER, SERIES, draw_svg
from candidly.stability import Report

from .models import NETWORKS
from .published import OF, table_s2

Networks = Mapping[str, Mapping[str, Any]]
IMAGE = "cifar10-study-"


def signed(value: float) -> str:
    """A correlation.

    >>> signed(-0.5), signed(0.123)
    ('−0.50', '+0.12')
    """
    return minus(value, 2)


def sizes_of(networks: Networks, name: str) -> dict[str, int]:
    """``parameters`` and ``multiply_adds`` as trained, of given predictions at full size; or 0."""
    about = networks.get(name, {})
    return {
        size: about.get(size) or about.get(f"full_{size}") or 0
        for size in ("parameters", "multiply_adds")
    }


def published_names(networks: Networks) -> dict[str, str]:
    """Of the networks here, those of Table S2 by their name there."""
    known = {network.published: name for name, network in NETWORKS.items() if network.published}
    found = {}
    for published, name in known.items():
        for one in (name, published):
            if one in networks:
                found[published] = one
    return found


def full_sizes(networks: Networks) -> dict[str, dict[str, int]]:
    """Parameters and multiply-adds at full size of the networks of Table S2 that are here."""
    return {
        published: {
            size: networks[name][f"full_{size}"] for size in ("parameters", "multiply_adds")
        }
        for published, name in published_names(networks).items()
    }


def size_figure(report: Report, networks: Networks) -> str:
    """Right answers on the changed pictures by corrected labels, against parameters."""
    ours = {
        s.model: (sizes_of(networks, s.model)["parameters"], s.top1.changed_corrected.right)
        for s in report.standings
        if sizes_of(networks, s.model)["parameters"]
    }
    rows, full = table_s2(), full_sizes(networks)
    theirs = {
        name: (size["parameters"], rows[name].right["corrected_top1"])
        for name, size in full.items()
    }

    def draw(axes: Any) -> None:
        for points, colour, marker, label in (
            (ours, SERIES[0], "o", "here"),
            (theirs, SERIES[1], "s", "Table S2"),
        ):
            for name, (size, right) in points.items():
                axes.plot(size, right, marker, color=colour, mfc=PAPER, ms=4.5, mew=1.1)
                axes.annotate(
                    name, (size, right), (3, 3), textcoords="offset points", fontsize=6, color=INK
                )
            axes.plot([], [], marker, color=colour, mfc=PAPER, ms=4.5, label=label)
        axes.set_xscale("log")
        axes.set_xlabel("parameters")
        axes.set_ylabel(f"right of {OF}, corrected labels")
        axes.set_ylim(0, OF)
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.grid(color=FAINT, linewidth=0.6, alpha=0.3)
        axes.figure.legend(loc="outside lower center", ncols=2, frameon=False, handletextpad=0.2)

    told = "; ".join(f"{name} {right}" for name, (_, right) in {**ours, **theirs}.items())
    title = "Right answers on the corrected pictures against parameters"
    return alone(draw_svg(draw, title, f"Right of {OF}: {told}.", extra=1.2, width=6.4))
