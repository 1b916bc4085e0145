"""Tables of what is in a data set: facts, sizes of sets, given labels by true class."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ...data.labels.describe import Description
from ...data.labels.labelled import Labelled
from ...data.sources import Comparison
from ...show.grid import Column, Grid

SHOWN_CLASSES = 20  # longer histograms hide the rest of the page
WHOLE_MATRIX = 12  # classes of a matrix that fits beside its names
FACTS = (Column("", "word"), Column("", "text"))


def description_grid(description: Description, beside: Mapping[str, Any]) -> Grid:
    rows = [(name.replace("_", " "), as_text(value)) for name, value in beside.items()]
    elsewhere = {"candidate_sizes", "oracle_class_counts", "oracle_flipping"}
    elsewhere |= {"source", "oracle_transition", "oracle_diagonal"}
    for key, value in description.to_dict().items():
        if value is None or key in elsewhere:
            continue
        if isinstance(value, list):
            listed = ", ".join(str(item) for item in value[:SHOWN_CLASSES])
            more = ", ..." if len(value) > SHOWN_CLASSES else ""
            value = f"{len(value)} ({listed}{more})" if value else "none"
        if key.endswith("noise_rate") and description.oracle_unknown:
            value = f"{as_text(value)} of the rows whose true label is known"
        label = {"n": "examples", "q": "classes"}.get(key, key)
        label = label.removeprefix("oracle_").replace("_", " ")
        rows.append((label + (" (oracle)" if key.startswith("oracle_") else ""), as_text(value)))
    return Grid(description.source or "data", FACTS, rows)


def histograms(data: Labelled, description: Description) -> Iterator[Grid]:
    if description.candidate_sizes is not None:
        sizes = [(str(s), c) for s, c in enumerate(description.candidate_sizes) if c]
        yield _bars("labels in a set", sizes)
    if description.oracle_class_counts is not None:
        counts = list(zip(data.classes, description.oracle_class_counts))
        title = "examples of a class (oracle)"
        if len(counts) > SHOWN_CLASSES:
            counts = sorted(counts, key=lambda pair: -pair[1])[:SHOWN_CLASSES]
            title = f"examples of the {SHOWN_CLASSES} largest of {data.q} classes (oracle)"
        yield _bars(title, counts)


def transitions(data: Labelled, description: Description) -> Iterator[Grid]:
    """Given labels by true class: how many are right, what the others are, and the whole matrix."""
    if description.oracle_transition is None:
        return
    shares = np.array(description.oracle_transition)
    right = shares.diagonal()
    wrong = np.where(np.eye(data.q, dtype=bool), -1, shares)
    known = np.flatnonzero(~np.isnan(right))
    shown = known[np.argsort(right[known], kind="stable")][:SHOWN_CLASSES]
    title = "given labels that are right, by true class (oracle)"
    if len(shown) < len(known):
        title = f"the {len(shown)} true classes with the fewest right given labels (oracle)"
    columns = (
        *(Column("true class", "name"), Column("right %", form=".1f")),
        *(Column("most often wrong as", "name"), Column("%", form=".1f")),
    )
    rows = []
    for label in shown if len(shown) < len(known) else known:
        other = wrong[label].argmax()
        name = data.classes[other] if wrong[label, other] > 0 else "-"
        share = 100 * max(float(wrong[label, other]), 0)
        rows.append((data.classes[label], 100 * float(right[label]), name, share))
    yield Grid(title, columns, rows)
    if data.q <= WHOLE_MATRIX:
        yield _matrix_grid(data.classes, shares)


def _matrix_grid(classes: tuple[str, ...], shares: np.ndarray) -> Grid:
    columns = (Column("", "name"), *(Column(str(k), form=".1f") for k in range(len(classes))))
    rows = [
        (name if name == str(k) else f"{k} {name}", *(100 * row).tolist())
        for k, (name, row) in enumerate(zip(classes, shares))
    ]
    title = "given label (columns, by number) by true class (rows), % (oracle)"
    return Grid(title, columns, rows)


def _bars(title: str, counts: list[tuple[str, int]]) -> Grid:
    largest = max(count for _, count in counts)
    columns = (Column("", "name"), Column(""), Column("", "bar"))
    return Grid(title, columns, [(name, count, count / largest) for name, count in counts])


def comparison_grid(rows: list[Comparison]) -> Grid:
    columns = (Column("published", "name"), *map(Column, ("expected", "measured", "agrees")))
    lines = [
        (row.what, as_text(row.expected), as_text(row.measured), "yes" if row.agrees else "NO")
        for row in rows
    ]
    return Grid("", columns, lines)


def as_text(value: Any) -> str:
    if value in (None, ""):
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
