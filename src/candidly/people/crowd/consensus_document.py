"""What several annotators say: one page, which begins with them, and curves of candidate sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ground.numbers import count_of
from ...show.document import Document
from ...show.figures import FAINT, INK, SERIES, STROKES, draw_svg
from ...show.grid import Column, Grid
from ...show.heat import heat_table
from ...show.pieces import (
    Figure,
    Figures,
    Folded,
    Paragraph,
    Piece,
    Pieces,
    Section,
    SideBySide,
    Tiles,
)
from ...show.words import short_names
from ...stats import share_interval
from .dependence.document import sentence, shared_section
from .dependence.summary import claim_lines, untold
from .drift_document import drift_section
from .known import KnownItems, known_parts

if TYPE_CHECKING:
    import polars as pl

    from ._consensus import Consensus
    from ._more_answers import MoreAnswers
    from .answer_sets import SetCurve
    from .dependence import OpinionPool

LISTED = 200  # doubtful items and annotators on the page
ASKED = 50  # items to ask about next
OPEN = 20  # rows up to which a table is not folded
NAMED = 8  # annotators that a figure names
ENDS = 200  # annotators up to which a figure shows their intervals
NARROW = 3  # times the fewest answers, up to which their axis is no logarithmic one
HEAT = 20  # classes up to which confusions are heat maps
WORST = 4  # annotators with a heat map of their own
ALPHA = 0.05  # chance of one annotator who is called clearly behind, and is not

MEANING = {
    "opinion-pool": "three ways of pooling what annotators say, in the mean, with near-copies "
    "counted once",
    "majority": "the label said most often",
    "dawid-skene": "labels and error rates of annotators that explain the answers best",
    "one-coin": "labels and one accuracy per annotator that explain the answers best",
    "crowdlab": "answers and, where there is one, a model, weighed by how well they agree",
    "wawa": "votes weighed by how often annotators agree with the plain majority",
    "zero-based-skill": "votes weighed by how often annotators agree with this very majority",
    "mace": "annotators who know the label, or else answer by habit",
    "glad": "how able annotators and how easy items are, so that they explain the answers best",
    "ibcc": "labels and error rates of annotators with priors on all of them",
    "kos": "votes weighed by how the other answers of their annotators fit those of others",
    "ordinal": "steps of a scale, and annotators who are lenient or strict, and more or less exact",
}
PLUGGED = "a way that a plug-in brought"


def crowd_document(
    consensus: Consensus,
    *,
    by: str,
    read: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    known: KnownItems | None = None,
    more: MoreAnswers | None = None,
    pool: OpinionPool | None = None,
    changes: pl.DataFrame | None = None,
) -> Document:
    """What several annotators say of items: who they are first, then the items.

    Args:
        consensus: what ``crowd.consensus`` returns.
        by: the name of the way to it.
        read: what to say of where answers and probabilities came from, by name.
        notes: what to say besides, such as warnings.
        known: the consensus beside items whose label is known.
        more: what ``crowd.more_answers`` returns.
        pool: the opinion pool of the same answers, which says how far to trust the consensus; by
            default it is made.
        changes: what ``crowd.drift`` returns.
    """
    from ._annotators import annotators
    from ._ways import pool_beside

    if pool is None:
        pool = pool_beside(consensus)

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
            f"of {len(answers):,} by {count_of(len(answers.annotators), 'annotator')}",
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
    wanted = () if more is None else (Paragraph(f"{more}"),)
    said: tuple[Piece, ...] = (Tiles(numbers), *wanted, *(f"Note: {note}" for note in notes))
    behind = clearly_behind(people)
    claimed = untold(consensus)
    if pool is not None:
        claimed = next(claim_lines(pool, by, float(np.nanmean(consensus.quality))))
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
        f"What {count_of(len(answers.annotators), 'annotator')} say about"
        f" {count_of(answers.n, 'item')}",
        (
            Section("", (people_figures(people, behind),), label="Agreement of annotators"),
            Section("", said, label="Counts"),
            *held,
            *(() if pool is None else (shared_section(pool),)),
            *_confused(consensus, people),
            Section("Annotators", (worst, _fold(annotators_grid(people, LISTED)))),
            *(() if changes is None else (drift_section(changes, LISTED),)),
            Section("Doubtful labels", (doubtful, _fold(doubts_grid(consensus, LISTED)))),
            Section("What to ask about next", (most, _fold(next_grid(consensus, ASKED)))),
        ),
        lead=Pieces(
            (
                Paragraph(sentence(claimed), "headline"),
                Paragraph(_standing(people, behind)),
                f"Consensus by {by}: {MEANING.get(by, PLUGGED)}. Qualities lie between 0 and 1; "
                "they follow from the answers and from what the method takes for granted, not from "
                "the truth.",
            )
        ),
        facts=facts,
        made_of="the answers of people",
    )


def clearly_behind(people: pl.DataFrame) -> list[bool]:
    """Of each annotator whether agreement is below that of the middle one beyond chance.

    By intervals that hold for all annotators together (Bonferroni). Nobody of fewer than three is.

    Args:
        people: from ``crowd.annotators``.
    """
    there = people["agreement"].drop_nulls().to_numpy()
    if len(people) < 3 or not len(there):
        return [False] * len(people)
    of = people["shared"].to_numpy()
    agreed = np.rint(people["agreement"].fill_null(0.0).to_numpy() * of)
    high = share_interval(agreed, np.maximum(of, 1), 1 - ALPHA / len(people))[:, 1]
    found: list[bool] = ((of > 0) & (high < np.median(there))).tolist()
    return found


def _standing(people: pl.DataFrame, behind: Sequence[bool]) -> str:
    """How many are clearly behind, in a sentence."""
    there, everyone, count = people["agreement"].drop_nulls().to_numpy(), len(people), sum(behind)
    if everyone < 3 or not len(there):
        are = "annotator is" if everyone == 1 else "annotators are"
        return f"{everyone:,} {are} too few to say who of them is behind the others."
    who = f"{count:,} of {everyone:,} annotators agree" if count else "No annotator agrees"
    if count == 1:
        who = f"1 of {everyone:,} annotators agrees"
    return (
        f"{who} with the consensus less often than the middle one "
        f"({100 * float(np.median(there)):.0f} %), beyond chance."
    )


def people_figures(people: pl.DataFrame, behind: Sequence[bool]) -> Figures:
    """Agreement of every annotator against the number of answers."""
    below = (
        "Each point is an annotator"
        + (", with a 95 % interval" if len(people) <= ENDS else "")
        + ". Orange diamonds: less often than the middle one (dashed) beyond chance, over all "
        "annotators."
    )
    title = "Agreement with the consensus, and how much was answered"
    return Figures([Figure(title, below, lambda: _people_figure(people, behind, title))])


def _people_figure(people: pl.DataFrame, behind: Sequence[bool], title: str) -> str:
    there = people.with_columns(behind=np.array(behind)).drop_nulls("agreement")
    if not len(there):
        return ""
    x, y = there["shared"].to_numpy(), 100 * there["agreement"].to_numpy()
    low, high = (100 * there[f"agreement {end}"].to_numpy() for end in ("from", "to"))
    late = there["behind"].to_numpy()
    middle = float(np.median(y))

    def draw(axes: Any) -> None:
        for who, colour, mark in ((~late, SERIES[0], "o"), (late, SERIES[1], "D")):
            if len(x) <= ENDS:
                axes.vlines(x[who], low[who], high[who], colors=colour, linewidths=0.9, alpha=0.5)
            axes.plot(x[who], y[who], mark, ms=4.5, color=colour)
        axes.axhline(middle, color=FAINT, lw=0.9, ls=(0, (4, 3)), zorder=1)
        named = there.filter("behind").sort("agreement").head(NAMED)
        short = short_names(named["annotator"].to_list(), 18)
        for one in named.iter_rows(named=True):
            place = (one["shared"], 100 * one["agreement"])
            axes.annotate(
                short[one["annotator"]], place, (6, 0), textcoords="offset points",
                va="center", fontsize=8, color=INK,
            )  # fmt: skip
        if x.max() > NARROW * x.min():
            axes.set_xscale("log")
            axes.xaxis.set_minor_formatter(lambda place, _: "")
        else:
            axes.locator_params(axis="x", nbins=4, integer=True)
        axes.xaxis.set_major_formatter(lambda place, _: f"{place:,.0f}")
        axes.set_xlabel("answers about items that others answered, too")
        axes.set_ylabel("% that are the consensus")
        axes.grid(color=FAINT, linewidth=0.6, alpha=0.3)

    listed = ", ".join(there.filter("behind").sort("agreement")["annotator"].head(NAMED).to_list())
    about = (
        f"{len(there):,} annotators with {x.min():,} to {x.max():,} answers agree on {y.min():.0f} "
        f"to {y.max():.0f} %, the middle one on {middle:.0f} %. Behind: {listed or 'nobody'}."
    )
    return draw_svg(draw, title, about, width=6.4)


def _confused(consensus: Consensus, people: pl.DataFrame) -> Iterator[Section]:
    """What is said where a class is the consensus: by all, and by those of the lowest quality."""
    answers = consensus.answers
    if answers.m > HEAT:
        return
    everyone = _said_there(consensus, np.ones(len(answers), bool))
    maps: list[Piece] = [_heat("All annotators", consensus, everyone)]
    place = {name: j for j, name in enumerate(answers.annotators)}
    for name in people["annotator"].head(WORST if len(people) > WORST else 0):
        mine = _said_there(consensus, answers.annotator == place[name])
        given = count_of(int(answers.per_annotator[place[name]]), "answer")
        maps.append(_heat(f"{name}, {given}", consensus, mine))
    lowest = ", and by those of the lowest quality" * (len(maps) > 1)
    told = f"By all{lowest}. A row is the consensus, a column what was said there; in percent."
    yield Section("Which class for which", (told, maps[0], _fold_pieces(maps[1:])))


def _fold_pieces(maps: Sequence[Piece]) -> Piece:
    return Folded("The annotators of the lowest quality", (SideBySide(maps),)) if maps else ""


def _said_there(consensus: Consensus, which: np.ndarray) -> np.ndarray:
    """How often each class was said where each is the consensus: int64 (m, m)."""
    answers = consensus.answers
    there = which & (consensus.labels[answers.item] >= 0)
    cell = consensus.labels[answers.item[there]] * answers.m + answers.label[there]
    return np.bincount(cell, minlength=answers.m**2).reshape(answers.m, answers.m)


def _heat(caption: str, consensus: Consensus, counts: np.ndarray) -> Piece:
    total = counts.sum(1, keepdims=True)
    shares = np.where(total > 0, counts / np.maximum(total, 1), np.nan)
    return heat_table(
        caption,
        consensus.answers.classes,
        shares,
        lambda row, column: f"{100 * shares[row, column]:.0f}" if counts[row, column] else "",
        unknown="never the consensus",
        diagonal=True,
    )


def _fold(grid: Grid) -> Piece:
    """The table, folded where it is long."""
    return grid if len(grid.rows) <= OPEN else Folded(f"{len(grid.rows):,} rows", (grid,))


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
    from ._annotators import next_items

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
