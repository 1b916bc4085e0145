"""The labels of a data set on one self-contained page: how often, how many, how wrong, as what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ...data.labels.describe import Description, describe, labelled_rows
from ...data.labels.votes import times_named
from ...show.document import Document
from ...show.grid import Column, Grid
from ...show.heat import heat_table
from ...show.pieces import Figure, Figures, Folded, Piece, Section, Tiles
from .label_figures import named_figure, noise_figure, sizes_figure

if TYPE_CHECKING:
    from ...data.labels.labelled import Labelled
    from .answer_sets import SetCurve

DRAWN = 30  # classes up to which figures and heat maps show all
LISTED = 500  # classes in a table
PAIRS = 50  # of classes, the most frequent confusions, in place of a heat map
MOST_CELLS = 2 * 10**8  # of answers x classes, beyond which curves are left out
LEAST_ITEMS = 0.5  # share of the items that a number of annotators needs to be shown
CURVE = 60  # numbers of annotators in a table


def labels_document(
    data: Labelled,
    *,
    read: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
) -> Document:
    """The labels of a data set: how often, how many, how wrong, as what.

    It reads the truth, where there is one, and says so. What cannot be shown for want of votes,
    candidate sets or a truth is told in its place. Official test rows that nobody labelled are left
    out.

    Args:
        data: with labels of any kind.
        read: what to say of where it came from, by name.
        notes: what must be known of it, above all else.
    """
    found = describe(data)
    facts = {
        "data": data.source or "data",
        **(read or {}),
        "examples": f"{data.n:,} ({data.kind})",
        "classes": ", ".join(data.classes[:20]) + (", ..." if data.q > 20 else ""),
        "content": f"SHA-256 {data.fingerprint()}",
    }
    if found.unlabelled_test:
        rows = f"{found.unlabelled_test:,} of the examples, which nobody labelled; not counted here"
        facts["official test rows"] = rows
    return Document(
        data.source or "data",
        (
            Section("", (Tiles(tuple(_numbers(data, found))), *notes), label="Counts"),
            Section("How often each class is named", tuple(_named(data, found))),
            Section("Labels in a candidate set", tuple(_sizes(found))),
            Section("Noise and the number of annotators", tuple(_noise(data))),
            Section("What is named where which class is true", tuple(_flips(data, found))),
        ),
        over="Labels of a data set",
        lead="A candidate set is wrong (noise) where the true label is not in it. Whatever says so "
        "has read the true labels, which training never sees."
        if found.oracle_class_counts is not None
        else "No true label is known, so nothing here says which labels are wrong.",
        facts=facts,
        made_of="the labels of a data set",
    )


def _numbers(data: Labelled, found: Description) -> Iterator[tuple[str, str, str]]:
    labelled = found.n - (found.unlabelled_test or 0)
    yield "examples", f"{labelled:,}", f"of {data.q:,} classes"
    if found.avg_candidates is not None:
        between = f"{found.min_candidates} to {found.max_candidates}"
        yield "labels in a candidate set", f"{found.avg_candidates:.2f}", f"on average; {between}"
    if found.oracle_noise_rate is not None:
        yield "noise", f"{found.oracle_noise_rate:.2%}", "of the sets lack the true label"
    if found.oracle_given_noise_rate is not None:
        rate = f"{found.oracle_given_noise_rate:.2%}"
        yield "wrong labels", rate, "of the given labels are not the true ones"
    if data.votes is not None:
        total = len(data.votes.labels)
        yield "answers", f"{len(data.votes):,}", f"of people, which name {total:,} labels in all"


# how often


def _named(data: Labelled, found: Description) -> Iterator[Piece]:
    rows = labelled_rows(data)
    counts: dict[str, np.ndarray] = {}
    if data.votes is not None:
        counts["answers"] = times_named(data.votes, data.n, data.q).sum(0)
    if data.candidates is not None:
        counts["candidate sets"] = data.candidates[rows].sum(0)
    if data.given is not None:
        given = data.given[rows]
        counts["given labels"] = np.bincount(given[given >= 0], minlength=data.q)
    if data.tags is not None:
        counts["tags"] = data.tags[rows].sum(0)
    if not counts:
        yield "There are no labels but the true ones."
    order, more = np.arange(data.q), ""
    if counts and data.q > DRAWN:
        order = np.argsort(-next(iter(counts.values())), kind="stable")
        more = f"the {DRAWN} named most often"
    shown = [
        Figure(f"In {what}", more, partial(_bars, data, values, order[:DRAWN], what))
        for what, values in counts.items()
    ]
    yield Figures(shown)
    true = found.oracle_class_counts
    columns = [Column("class", "name"), *(Column(f"in {what}", form=",") for what in counts)]
    columns += [Column("truly of it", form=",")] if true else []
    table = [
        (
            data.classes[label],
            *(int(values[label]) for values in counts.values()),
            *((true[label],) if true else ()),
        )
        for label in order[:LISTED]
    ]
    cut = (f"The first {LISTED} of {data.q:,} classes.",) * (data.q > LISTED)
    grid = Grid("Times that each class is named", tuple(columns), table, cut)
    yield Folded("The numbers", (grid,))


def _bars(data: Labelled, values: np.ndarray, order: np.ndarray, what: str) -> str:
    counts = {data.classes[label]: int(values[label]) for label in order}
    return named_figure(counts, f"How often each class is named in {what}", f"{what} that name it")


# how many


def _sizes(found: Description) -> Iterator[Piece]:
    sizes = found.candidate_sizes
    if sizes is None:
        yield "There are no candidate sets, so there is nothing to show here."
        return
    draw = partial(sizes_figure, sizes, "Set sizes")
    yield Figures([Figure("Sets by their number of labels", "", draw)])
    n = sum(sizes)
    rows = [(size, count, 100 * count / n) for size, count in enumerate(sizes) if count]
    columns = (Column("labels"), Column("sets", form=","), Column("%", form=".2f"))
    grid = Grid("Candidate sets by their number of labels", columns, rows)
    yield Folded("The numbers", (grid,))


# how wrong


def _noise(data: Labelled) -> Iterator[Piece]:
    votes, truth = data.votes, data.truth
    if votes is None or not len(votes):
        yield "There are no votes: no single answers of people, so none can be left out."
        return
    answered = np.bincount(votes.item, minlength=data.n) > 0
    if truth is None or not (answered & (truth >= 0)).any():
        yield "No true label is known of what was answered, so no noise either."
        return
    if len(votes) * data.q > MOST_CELLS:
        yield f"{len(votes):,} answers and {data.q:,} classes are too many to show this."
        return
    from .answer_sets import SetCurve, set_curve, union_spread

    whole = set_curve(votes, truth, data.q)
    many = whole.items >= LEAST_ITEMS * whole.items[0]
    curve = SetCurve(*(column[many] for column in whole))
    spread = union_spread(votes, truth, data.q)[many]
    told = (
        "The union of k answers of each example, and the longest of them (the vaguest). Lines are "
        "means over all orders of the answers, computed exactly; in one random order the noise of "
        "unions lies in the band in about 95 of 100 cases."
    )
    fewer = curve.items < curve.items[0]
    if fewer.any():
        first = int(curve.annotators[fewer.argmax()])
        told += f" From {first} annotators on, examples with fewer answers drop out."
    if len(curve.annotators) > 1:
        title = "Noise against the number of annotators"
        yield Figures([Figure(title, "", partial(noise_figure, curve, spread, title))])
    else:
        told = "Most examples have one answer, so there is no curve. " + told
    yield told
    yield Folded("The numbers", (_curve_grid(curve, spread),))


def _curve_grid(curve: SetCurve, spread: np.ndarray) -> Grid:
    columns = (
        Column("annotators"),
        Column("examples", form=","),
        Column("union lacks the truth %", form=".2f"),
        Column("± of one order", form=".2f"),
        Column("its labels", form=".2f"),
        Column("vaguest lacks it %", form=".2f"),
        Column("its labels", form=".2f"),
    )
    rows = [
        (
            int(k),
            int(items),
            *(100 * float(noise), 100 * float(deviation), float(size)),
            *(100 * float(vague), float(vague_size)),
        )
        for (k, items, noise, size, vague, vague_size), deviation in zip(zip(*curve), spread)
    ]
    kept = np.unique(np.linspace(0, len(rows) - 1, min(len(rows), CURVE)).round()).astype(int)
    notes = ("± is a standard deviation.",)
    return Grid("Candidate sets of k annotators", columns, [rows[row] for row in kept], notes)


# as what


def _flips(data: Labelled, found: Description) -> Iterator[Piece]:
    if found.oracle_flipping is None:
        why = "there are no labels but the true ones"
        if found.oracle_class_counts is None:
            why = "no true label is known"
        elif data.q > 2000:
            why = f"{data.q:,} classes are too many"
        elif data.votes is not None and data.candidates is None:
            why = "the votes are not made into candidate sets or given labels"
        yield f"No matrix, as {why}."
        return
    shares = np.array(found.oracle_flipping)
    what = "have it as a candidate" if data.candidates is not None else "are given it"
    caption = f"Of the examples truly of a class (rows), the share that {what} (columns), %"
    absent = [name for name, row in zip(data.classes, shares) if np.isnan(row).all()]
    if data.q <= DRAWN:
        yield heat_table(
            caption,
            data.classes,
            shares,
            lambda row, column: _short_percent(shares[row, column]),
            unknown="not known: no example is truly of this class",
            diagonal=True,
        )
        yield Folded("The numbers", (_matrix_grid(data.classes, shares, caption),))
    else:
        yield _pairs_grid(data.classes, shares, what)
        if absent:
            yield f"No example is truly of {len(absent):,} classes, of which nothing is known."
    if found.oracle_ambiguity is not None:
        yield (
            f"The largest share of a wrong class, {found.oracle_ambiguity:.2%}, stands for the "
            "ambiguity degree where sets depend on the true class alone."
        )


def _short_percent(share: float) -> str:
    """'' for none, and no more than two characters but for 100."""
    if not share:
        return ""
    return "<1" if share < 0.005 else f"{100 * share:.0f}"


def _matrix_grid(classes: Sequence[str], shares: np.ndarray, caption: str) -> Grid:
    columns = (Column("true class", "name"), *(Column(name, form=".2f") for name in classes))
    rows = [
        (name, *(None if np.isnan(share) else 100 * float(share) for share in row))
        for name, row in zip(classes, shares)
    ]
    return Grid(caption, columns, rows, ("A row without numbers is not known.",))


def _pairs_grid(classes: Sequence[str], shares: np.ndarray, what: str) -> Grid:
    off = np.where(np.eye(len(classes), dtype=bool) | np.isnan(shares), -1, shares)
    order = np.argsort(-off, axis=None, kind="stable")[:PAIRS]
    columns = (Column("true class", "name"), Column("class", "name"), Column("%", form=".2f"))
    rows = [
        (classes[row], classes[column], 100 * float(off[row, column]))
        for row, column in zip(*np.unravel_index(order, off.shape))
        if off[row, column] > 0
    ]
    return Grid(f"Pairs of classes: of the first, the largest shares that {what}", columns, rows)
