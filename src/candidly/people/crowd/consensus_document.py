"""What several annotators say: one self-contained page, and curves of candidate sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...show.document import Document
from ...show.figures import FAINT, INK, SERIES, STROKES, draw_svg
from ...show.grid import Column, Grid
from ...show.pieces import Piece, Section, Tiles
from ...stats import share_interval
from .known import KnownItems, known_parts

if TYPE_CHECKING:
    import polars as pl

    from . import Consensus, SetCurve

LISTED = 200  # doubtful items and annotators on the page
ASKED = 50  # items to ask about next

MEANING = {
    "majority": "the label said most often",
    "dawid-skene": "labels and error rates of annotators that explain the answers best",
    "one-coin": "labels and one accuracy per annotator that explain the answers best",
    "crowdlab": "answers and, where there is one, a model, weighed by how well they agree",
}


def crowd_document(
    consensus: Consensus,
    *,
    by: str,
    read: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    known: KnownItems | None = None,
) -> Document:
    """What several annotators say of items.

    Args:
        consensus: what ``crowd.consensus`` returns.
        by: the name of the way to it.
        read: what to say of where answers and probabilities came from, by name.
        notes: what to say besides, such as warnings.
        known: the consensus beside items whose label is known.
    """
    from . import annotators

    answers = consensus.answers
    people = annotators(consensus)
    asked = answers.per_item > 0
    unanimous = answers.counts.max(1) == answers.per_item
    agree = answers.label == consensus.labels[answers.item]
    numbers = [
        ("items", f"{answers.n:,}", _of_items(answers.n, int((~asked).sum()))),
        (
            "disputed",
            f"{int((asked & ~unanimous).sum()):,}",
            "items with answers that contradict one another",
        ),
        (
            "answers that are the consensus",
            f"{agree.mean():.1%}",
            f"of {len(answers):,} by {len(answers.annotators):,} annotators",
        ),
    ]
    unsaid = int(consensus.unsaid.sum())
    if unsaid:
        meaning = "items whose consensus is a label that nobody gave; their agreement is 0"
        numbers.append(("not among the answers", f"{unsaid:,}", meaning))
    facts = {
        **(read or {}),
        "items": f"{answers.n:,}",
        "annotators": f"{len(answers.annotators):,}",
        "classes": ", ".join(answers.classes[:20]) + (", ..." if answers.m > 20 else ""),
    }
    said: tuple[Piece, ...] = (Tiles(numbers), *(f"Note: {note}" for note in notes))
    doubtful = (
        f"The lowest quality first{_cut(answers.n, LISTED, 'labels')}. Agreement is the share of "
        "an item's answers that are its consensus."
    )
    worst = (
        f"The lowest quality first{_cut(len(people), LISTED, 'annotators')}. Agreement is with the "
        "consensus, on items that others answered too, with the 95 % interval of so many answers. "
        "The worst class is the one that, when this annotator says it, is least often the "
        "consensus."
    )
    most = "Items of which one more answer would tell most, the lowest priority score first."
    held = () if known is None else (Section("", tuple(known_parts(known)), label="Known items"),)
    return Document(
        f"What {len(answers.annotators):,} annotators say about {answers.n:,} items",
        (
            Section("", said, label="Counts"),
            *held,
            Section("Doubtful labels", (doubtful, doubts_grid(consensus, LISTED))),
            Section("Annotators", (worst, annotators_grid(people, LISTED))),
            Section("What to ask about next", (most, next_grid(consensus, ASKED))),
        ),
        lead=f"Consensus by {by}: {MEANING[by]}. Qualities lie between 0 and 1; they follow from "
        "the answers and from what the method takes for granted, not from the truth.",
        facts=facts,
        made_of="the answers of people",
    )


def doubts_grid(consensus: Consensus, most: int) -> Grid:
    """Items, those of the lowest quality first, and what was said of each."""
    columns = (
        Column("item", "name"),
        Column("consensus", "name"),
        Column("quality", form=".3f"),
        Column("", "bar"),
        Column("agreement", form=".3f"),
        Column("answers", form=","),
        Column("what was said", "text"),
    )
    rows = [
        (
            *(str(row["item"]), row["consensus"], row["quality"], row["quality"]),
            *(row["agreement"], row["answers"], _said(consensus, row["row"])),
        )
        for row in consensus.table().head(most).iter_rows(named=True)
    ]
    return Grid("Items, the most doubtful first", columns, rows)


def annotators_grid(people: pl.DataFrame, most: int) -> Grid:
    """Annotators, worst first, as ``crowd.annotators`` lists them."""
    columns = (
        Column("annotator", "name"),
        Column("answers", form=","),
        Column("quality", form=".3f"),
        Column("", "bar"),
        Column("agreement", form=".3f"),
        Column("95 %", "word"),
        Column("worst class", "name"),
        Column("right there", "word"),
    )
    rows = [
        (
            *(str(row["annotator"]), row["answers"], row["quality"], row["quality"]),
            *(row["agreement"], _within(row["agreement"], row["shared"])),
            row["worst class"],
            f"{round(row['worst agreement'] * row['worst answers'])} of {row['worst answers']:,}",
        )
        for row in people.head(most).iter_rows(named=True)
    ]
    return Grid("Annotators, worst first", columns, rows)


def _within(share: float | None, of: int) -> str | None:
    """The interval of a share, as text; None without items."""
    if share is None:
        return None
    low, high = share_interval(np.array(round(share * of)), of).tolist()
    return f"{low:.2f}–{high:.2f}"


def next_grid(consensus: Consensus, most: int) -> Grid:
    """Items to ask about, those first of which one more answer tells most."""
    from . import next_items

    columns = (
        Column("item", "name"),
        Column("score", form=".3f"),
        Column("answers", form=","),
        Column("consensus", "name"),
    )
    rows = [
        (str(row["item"]), row["priority"], row["answers"], row["consensus"])
        for row in next_items(consensus, most).iter_rows(named=True)
    ]
    return Grid("Items to ask about next", columns, rows)


def _cut(there: int, most: int, what: str) -> str:
    if there <= most:
        return ""
    return f"; the first {most} of {there:,}, the table of {what} has them all"


def _of_items(n: int, unasked: int) -> str:
    return f"of which {unasked:,} have no answer" if unasked else "each with an answer"


def _said(consensus: Consensus, row: int) -> str:
    """The answers about an item, the most frequent first."""
    counts = consensus.answers.counts[row]
    order = np.argsort(-counts, kind="stable")
    return ", ".join(f"{consensus.answers.classes[k]} × {counts[k]}" for k in order if counts[k])


def set_figure(curve: SetCurve, title: str, least: int | None = None) -> str:
    """Noise against size of candidate sets, a point per number of annotators, as SVG text.

    Args:
        curve: what ``crowd.set_curve`` gives.
        title: the title of the figure.
        least: items that a point needs; by default all, as points over other items do not compare.
    """
    shown = np.flatnonzero(curve.items >= (curve.items[0] if least is None else least))
    lines = {
        "union": (curve.union_size, curve.union_noise),
        "vaguest": (curve.vaguest_size, curve.vaguest_noise),
    }

    def draw(axes: Any) -> None:
        free = {"clip_on": False, "zorder": 3}  # a point at 0 is whole
        for number, (name, (size, noise)) in enumerate(lines.items()):
            x, y = size[shown], 100 * noise[shown]
            colour = SERIES[number]
            axes.plot(
                x, y, "o", linestyle=STROKES[number], color=colour, ms=4.5, label=name, **free
            )
            for k, a, b in zip(curve.annotators[shown], x, y):
                axes.annotate(
                    str(k), (a, b), (0, 6), textcoords="offset points", ha="center", color=INK
                )
        axes.set_xlabel("labels in a candidate set (beside points: annotators)")
        axes.set_ylabel("sets without the true label (%)")
        axes.set_ylim(bottom=0)
        axes.margins(y=0.15)
        axes.grid(color=FAINT, linewidth=0.6, alpha=0.3)
        axes.legend(frameon=False)

    ends = "; ".join(
        f"{name}: {100 * noise[shown[0]]:.2f} % at {size[shown[0]]:.2f} labels with one annotator,"
        f" {100 * noise[shown[-1]]:.2f} % at {size[shown[-1]]:.2f} with"
        f" {curve.annotators[shown[-1]]}"
        for name, (size, noise) in lines.items()
    )
    return draw_svg(draw, title, f"{ends}.")
