"""docs/studies/images.md and its figures, from the committed results."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from candidly.show.words import listed, percent
from candidly.stats.rank_correlation import kendall
from studies.kit.template import rendered
from studies.kit.words import grid, minus

from .figures import cost_figure, rank_figure
from .numbers import BASE, OnLabels, mean_ranks, spread
from .runs import (
    BATCH,
    CONFIGS,
    CONTRASTIVE,
    EPOCHS,
    GROUPS,
    IN_EPOCHS,
    LABEL_SETS,
    NET,
    SPLITS,
    STEPS,
    TUNED,
)

PAGE, IMAGE = "studies/images.md", "image-study-"
COMMAND = "python -m studies.images"
TITLES = {"flip": "Flipped labels", "instance": "Look-alike labels", "people": "People's labels"}
HOLISTIC = ("CRDPLL", *CONTRASTIVE)  # consistency between views, contrast, momentum networks
FIRST = 5  # algorithms that are named as leading
Study = Mapping[str, OnLabels]


def make_page(study: Study, memory: Mapping[str, float]) -> tuple[str, dict[str, str]]:
    """The page's text, and its figures as SVG by file name.

    Args:
        memory: peak of a process that trains DenseNet-22, in GB by algorithm.
    """
    images = {
        f"{IMAGE}ranks.svg": rank_figure(study),
        f"{IMAGE}costs.svg": cost_figure(study),
    }
    first = next(iter(study.values()))
    tops = {key: _best(labels, "CR") for key, labels in study.items()}
    ahead = leaders(study)[:FIRST]
    values = {
        "command": COMMAND,
        "image": IMAGE,
        "base": BASE,
        "winners": [f"{name} on {TITLES[key].lower()}" for key, name in tops.items()],
        "one_winner": len(set(tops.values())) == 1,
        "ahead": ahead,
        "spread": spread(study),
        "algorithms": len(first.rows),
        "steps": STEPS,
        "sizes": first.about,
        "label_sets": [(TITLES[key], of) for key, of in LABEL_SETS.items()],
        "titles": [TITLES[key].lower() for key in study],
        "net": NET,
        "batch": BATCH,
        "epochs": EPOCHS,
        "splits": SPLITS,
        "configs": CONFIGS,
        "groups": _groups(),
        "in_epochs": IN_EPOCHS,
        "agreement": [
            f"{TITLES[key].lower()} {labels.agreement('CR', one):.2f} with {one}"
            for key, labels in study.items()
            for one in ("AA", "OA & ES")
        ],
        "between": _between(study),
        "tables": [_table(study, key) for key in study],
        "lost": _lost(study),
        "holistic": HOLISTIC,
        "concise": _concise(study),
        "lowest": {
            "rank": mean_ranks(study, "CR")[ahead[0]],
            "places": [str(labels.ranks("CR")[ahead[0]]) for labels in study.values()],
        },
        "identification": _identification(study),
        "tuned": _figure_1(study),
        "costs": _costs(study, memory),
    }
    return rendered(Path(__file__).with_name("page.md"), values), images


def leaders(study: Study, criterion: str = "CR") -> list[str]:
    """Algorithms by their mean rank over the label sets, the best first."""
    ranks = mean_ranks(study, criterion)
    return sorted(ranks, key=lambda name: (ranks[name], name))


def _groups() -> list[str]:
    """Hyper-parameters that differ from their defaults, by those that have them."""
    return [
        f"{listed(names)}: {_values(hyper)}"
        for group, (names, hyper) in GROUPS.items()
        if group != "others" and _values(hyper)
    ]


def _values(hyper: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value}" for name, value in hyper.items() if name != "batch_size")


def _best(labels: OnLabels, criterion: str) -> str:
    return min(labels.rows, key=lambda name: (labels.ranks(criterion)[name], name))


def _between(study: Study) -> list[str]:
    keys = list(study)
    pairs = [(one, other) for i, one in enumerate(keys) for other in keys[i + 1 :]]
    return [
        f"{_tau(study[one], study[other]):.2f} between {TITLES[one].lower()} and "
        f"{TITLES[other].lower()}"
        for one, other in pairs
    ]


def _tau(one: OnLabels, other: OnLabels) -> float:
    means = np.array([[row.mean("CR"), other.rows[n].mean("CR")] for n, row in one.rows.items()])
    there = means[~np.isnan(means).any(1)]
    return kendall(there[:, 0], there[:, 1])


def _table(study: Study, key: str) -> tuple[str, list[str], str]:
    labels = study[key]
    ranks = {criterion: labels.ranks(criterion) for criterion in ("CR", "AA", "OA & ES")}
    order = sorted(labels.rows, key=lambda name: (ranks["CR"][name], name))
    header = (
        *("algorithm", "CR", "AA", "OA", "OA & ES"),
        *("rank by CR", "by AA", "by OA & ES", "seconds", "times CC"),
    )
    rows = [
        [
            name,
            *(_accuracy(labels.rows[name].mean(c)) for c in ("CR", "AA", "OA", "OA & ES")),
            *(str(ranks[c][name]) for c in ("CR", "AA", "OA & ES")),
            f"{labels.rows[name].seconds:.0f}",
            f"{labels.cost(name):.1f}",
        ]
        for name in order
    ]
    diverged = [name for name, row in labels.rows.items() if row.diverged]
    return TITLES[key], diverged, grid(header, rows)


def _accuracy(mean: float) -> str:
    return "–" if np.isnan(mean) else percent(mean, 1)


def _gaps(study: Study, criterion: str) -> list[float]:
    """How much lower the choice's test accuracy is than the oracle's."""
    return [
        row.mean("OA & ES") - row.mean(criterion)
        for labels in study.values()
        for row in labels.rows.values()
        if not np.isnan(row.mean("OA & ES") - row.mean(criterion))
    ]


def _lost(study: Study) -> dict[str, Any]:
    """What choosing by CR and by AA loses beside the oracle: median and most."""
    cr, aa = np.array(_gaps(study, "CR")), np.array(_gaps(study, "AA"))
    ends = {"CR": (np.median(cr), cr.max()), "AA": (np.median(aa), aa.max())}
    return ends | {"holds": np.median(cr) < 0.01 and cr.mean() <= aa.mean()}


def _concise(study: Study) -> dict[str, list[str]]:
    plain = {
        key: max(row.mean("CR") for name, row in labels.rows.items() if name not in HOLISTIC)
        for key, labels in study.items()
    }
    rich = {
        key: max(labels.rows[name].mean("CR") for name in HOLISTIC) for key, labels in study.items()
    }
    ahead = [TITLES[key].lower() for key in study if plain[key] >= rich[key]]
    apart = [f"{TITLES[key].lower()} {minus(100 * (plain[key] - rich[key]), 1)}" for key in study]
    return {"ahead": ahead, "apart": apart}


def _identification(study: Study) -> list[str]:
    family = ("PRODEN", "RC", "POP", "IDGP", "CAVL", "LWS", "VALEN")
    return [
        f"{name} {listed([str(labels.ranks('CR')[name]) for labels in study.values()])}"
        for name in family
    ]


def _figure_1(study: Study) -> dict[str, Any]:
    rows, better = [], 0
    for key, labels in study.items():
        for name in TUNED:
            tuned, trained, neither = (
                float(np.mean(each[name]))
                for each in (labels.tuned, labels.trained, labels.neither)
            )
            better += trained > tuned
            rows.append([TITLES[key], name, *(percent(v, 1) for v in (neither, tuned, trained))])
    header = ("label set", "algorithm", "defaults, CR", f"best of {CONFIGS}, OA & ES", "trained on")
    return {"better": better, "of": len(rows), "table": grid(header, rows)}


def _costs(study: Study, memory: Mapping[str, float]) -> str:
    first = next(iter(study.values()))
    order = sorted(first.rows, key=first.cost)
    median = {
        name: float(np.median([labels.cost(name) for labels in study.values()])) for name in order
    }
    rows = [
        [name, f"{median[name]:.1f}", f"{memory[name]:.2f}", f"{memory[name] / memory[BASE]:.2f}"]
        for name in sorted(order, key=lambda n: (median[n], n))
        if name in memory
    ]
    return grid(("algorithm", "time, times CC", "memory, GB", "memory, times CC"), rows)
