"""One page: how many labels are wrong, which, the examples themselves, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...data.ingest.previews import Media, open_media
from ...ground.arrays import door
from ...ground.names import made_by
from ...show.document import Document
from ...show.grid import Column, Datum, Grid
from ...show.pieces import (
    Bullets,
    Command,
    Folded,
    Paragraph,
    Piece,
    Pieces,
    Section,
    SideBySide,
    Tiles,
)
from ...show.words import in_percent, percent
from ._gallery import gallery as gallery_of
from ._where import PAIRS, doubts_by_class, where_section

if TYPE_CHECKING:
    import polars as pl

    from . import Issues

GALLERY = 200  # examples shown with what they look like
LISTED = 500  # rows of the ranked list

MEANING = {
    "noise rate": "for every pair of classes, as many as are estimated to be wrong: those that "
    "look most like the other class",
    "class": "for every class, as many as are estimated to be wrong: the least self-confident",
    "both": "what by noise rate and by class have in common",
    "confident": "confidently another class than given",
    "predicted": "the prediction differs from the given label",
    "margin": "the lowest margins of all examples",
    "self-confidence": "the lowest self-confidences of all examples",
    "chance": "contradicted, and with a chance of a fifth or more of being wrong; or the first few",
}
OVERLAP = "Confident learning counts classes that overlap like errors."
OFF_DIAGONAL = "confidently another class than given, near-ties aside"
CALIBRATED = "off the diagonal, once confident counts are scaled to how often each label was given"


@door
def issues_document(
    issues: Issues,
    *,
    classes: Sequence[str] | None = None,
    media: Path | str | Media | None = None,
    gallery: int = GALLERY,
    read: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    ids: Sequence[Any] | None = None,
    of: str = "",
    findings: Sequence[str] = (),
    following: Sequence[str] = (),
    counting: Sequence[str] = (),
    headline: str = "",
    how_many: Section | None = None,
    further: Sequence[Section] = (),
) -> Document:
    """How many labels are wrong, which as which class, the examples, and what it rests on.

    Args:
        issues: what ``errors.find`` returns.
        classes: names of the m classes.
        media: what the examples look like, see ``open_media``; or a function from an example's
            number to it.
        gallery: how many of them are shown, the most suspicious first.
        read: what to say of where labels and probabilities came from, by name.
        notes: what to say besides, such as warnings.
        ids: the ids of the n examples, where they have other names than their numbers.
        of: what was checked, for the title.
        findings: sentences on how it was found.
        following: commands to go on with.
        counting: commands by which people count the wrong labels among all.
        headline: the answer; by default how many are to be looked at.
        how_many: how many labels are wrong; by default what confident learning counts.
        further: sections behind the examples.

    Raises:
        ValueError: the media do not fit, or the evidence is not about one label per example.
        FileNotFoundError: there are no media of that name.
    """
    from . import Evidence, Issues, counts, health

    made_by(issues, Issues, "issues", "errors.find")
    evidence = issues.evidence
    if not isinstance(evidence, Evidence):
        raise ValueError("the page is about one given label per example, not about other labels.")
    names = list(classes) if classes is not None else [str(k) for k in range(evidence.m)]
    labelled = int(evidence.given_counts.sum())
    table = issues.table()
    flagged = len(table)
    cards: list[dict[str, Any]] = []
    absent = 0
    if media is not None:
        look = media if callable(media) else open_media(media, evidence.n)
        cards, absent = _cards(table, names, issues, look, gallery)
        cards = [card | {"called": None if ids is None else ids[card["index"]]} for card in cards]
    healthy = health(evidence)
    found = counts(evidence)
    agrees = int((evidence.predicted == evidence.given)[evidence.labelled].sum())
    facts = {
        **(read or {}),
        "examples": f"{evidence.n:,}",
        "without a label": f"{evidence.n - labelled:,}" if labelled < evidence.n else None,
        "classes": f"{evidence.m:,}",
        "prediction is the given label": f"{agrees / max(labelled, 1):.2%} of the labelled",
        "rows divided by their sums": "yes" if evidence.normalised else None,
        "guesses that the other collision rule changes": f"{evidence.disagreements:,}",
    }
    numbers = (
        ("off-diagonal", f"{found.off_diagonal:,}", OFF_DIAGONAL),
        ("calibrated", f"{found.calibrated:,}", CALIBRATED),
        (f"flagged by {issues.by}", f"{flagged:,}", MEANING[issues.by]),
    )
    ranked = _ranked(table, names, issues, {card["index"] for card in cards}, ids)
    where = f" in {of}" if of else ""
    source = "" if of else "Found from given labels and predicted probabilities. "
    title = (
        f"{flagged:,} of {labelled:,} labels{where} to look at"
        if flagged
        else f"No label of {labelled:,}{where} stands out"
    )
    if headline:  # then it is the answer
        source = f"{title}. "
    health_told = (
        f"Health is {percent(healthy.off_diagonal)} % by the off-diagonal count and "
        f"{percent(healthy.calibrated)} % by the calibrated joint: the share of labels that "
        f"confident learning does not doubt. {OVERLAP} The two definitions differ, so compare each "
        "with itself only."
    )
    worst = classes_grid(healthy.table(names), PAIRS)
    overlapping = overlaps_grid(healthy.overlap_table(names), PAIRS)
    classes_told = Section("Classes", (health_told, SideBySide((worst, overlapping))))
    confident = "What confident learning counts"
    if how_many is None:  # then its counts are the answer
        first = [Section(confident, (Tiles(numbers), OVERLAP)), *_where(issues, names)]
        last = [classes_told]
    else:
        first = [*_where(issues, names), how_many]
        last = [Section(confident, (OVERLAP, Folded("Its counts", (Tiles(numbers), classes_told))))]
    return Document(
        headline or title,
        (
            *first,
            *([_shown(cards, flagged, issues.rank, absent)] if cards else []),
            *further,
            *next_commands(following, counting),
            *([Section("How it was found", (Bullets(findings),))] if findings else []),
            *last,
            *([_list(flagged, ranked)] if flagged else []),
        ),
        lead=suspicious(source, (), [*notes, *issues.warnings]),
        over=f"Labels{where}" if headline else "",
        scripts=("gallery",) if cards else (),
        facts={name: value for name, value in facts.items() if value is not None},
        made_of="labels and probabilities",
        table=ranked,
    )


def suspicious(source: str, findings: Sequence[str], notes: Sequence[str]) -> Pieces:
    """What leads a page of doubts: how sure they are, what was done, what must be known."""
    return Pieces(
        (
            f"{source}What is here is suspicious, not certainly wrong: only looking tells.",
            *((Bullets(findings),) if findings else ()),
            *(Paragraph(note, "note") for note in dict.fromkeys(notes)),
        )
    )


def next_commands(following: Sequence[str], counting: Sequence[str] = ()) -> tuple[Section, ...]:
    """What to type next, where there is something."""
    told: list[Piece | str] = list(map(Command, following))
    if counting:
        told += ["Or have people count the wrong labels among all:", *map(Command, counting)]
    return (Section("What to do next", tuple(told)),) if told else ()


def classes_grid(table: pl.DataFrame, most: int) -> Grid:
    """Classes by the quality of their labels, worst first, from ``Health.table``."""
    from . import FEW

    rows = []
    for row in table.head(most).fill_nan(None).rows(named=True):
        few = "*" if row["given"] < FEW else ""
        sure = None
        if row["quality"] is not None:
            sure = f"{percent(row['quality from'], 1)} to {percent(row['quality to'], 1)}"
        rows.append(
            (
                str(row["class"]),
                Datum(row["given"], text=f"{row['given']:,}{few}"),
                *(row["label issues"], row["inverse issues"]),
                *(in_percent(row["quality"]), sure),
            )
        )
    note = (
        "Label issues: given this class, likely another. Inverse issues: likely this class, given "
        f"another. Both are estimated, from the calibrated joint. {OVERLAP}"
    )
    if any(row["given"] < FEW for row in table.head(most).rows(named=True)):
        note += f" *: fewer than {FEW} examples, so the numbers say little."
    columns = (
        Column("class", "name"),
        *(Column(name, form=",") for name in ("given", "label issues", "inverse issues")),
        *(Column("quality %", form=".1f"), Column("95 % interval")),
    )
    return Grid("Classes by label quality, worst first", columns, rows, (note,))


def overlaps_grid(table: pl.DataFrame, most: int) -> Grid:
    """Pairs of classes that are taken for one another, from ``Health.overlap_table``."""
    rows = []
    for row in table.head(most).rows(named=True):
        a, b, away, back = str(row["a"]), str(row["b"]), row["a to b"], row["b to a"]
        rows.append((a, b, away, back) if away >= back else (b, a, back, away))
    columns = (
        *(Column("given", "name"), Column("likely", "name")),
        *(Column("examples", form=","), Column("the other way", form=",")),
    )
    return Grid("Overlapping classes", columns, rows)


def _where(issues: Issues, names: Sequence[str]) -> Iterator[Section]:
    return where_section(doubts_by_class(issues), names)


def _list(flagged: int, ranked: Grid) -> Section:
    """The ranked list, folded; links lead from it to cards."""
    folded = Folded(f"{len(ranked.rows):,} rows", (ranked,))
    return Section("Ranked list", (_of_the_list(flagged), folded))


def _ranked(
    table: Any,
    names: Sequence[str],
    issues: Issues,
    pictured: set[int],
    ids: Sequence[Any] | None,
) -> Grid:
    columns = (
        *(Column("rank"), Column("example" if ids is None else "row")),
        *([] if ids is None else [Column("id", "name")]),
        *(Column(name, "name") for name in ("given", "predicted", "proposed")),
        *(Column("self-confidence", form=".4f"), Column("margin", form=".4f")),
        Column("flagged by", "text"),
    )
    rows = []
    for rank, row in enumerate(table.head(LISTED).iter_rows(named=True), 1):
        one = _row(rank, row, names, issues)
        link = f"example-{row['index']}" if row["index"] in pictured else None
        rows.append(
            (
                *(rank, Datum(row["index"], link=link)),
                *([] if ids is None else [str(ids[row["index"]])]),
                *(one["given"], one["predicted"]),
                Datum(one["proposed"], best=one["confident"]),
                *(one["own"], one["margin"], one["methods"]),
            )
        )
    return Grid("Flagged examples, the most suspicious first", columns, rows)


def _of_the_list(flagged: int) -> str:
    cut = ""
    if flagged > LISTED:
        cut = f"The first {LISTED:,} of {flagged:,}; the table of issues has them all. "
    return (
        f"{cut}Both scores lie between 0 and 1; low is suspicious. “proposed” is bold where the "
        "example is confidently that class."
    )


def _shown(cards: Sequence[Mapping[str, Any]], flagged: int, rank: str, absent: int) -> Section:
    first = f" {len(cards)} of {flagged:,}" if len(cards) < flagged else ""
    out = f"; {absent:,} that have no file are left out" if absent else ""
    order = (
        " Columns whose value is more usual for the proposed class come first; in bold, where it "
        "is far more usual."
    ) * bool(cards[0]["item"].fields)
    end = "highest" if rank == "chance" else "lowest"
    told = (
        f"By {rank}, the {end} first{out}. Beside each class: the probability that the model gave "
        f"it.{order}"
    )
    return Section(f"The most suspicious{first}", (told, gallery_of(cards)))


def _cards(
    table: Any, names: Sequence[str], issues: Issues, media: Media, count: int
) -> tuple[list[dict[str, Any]], int]:
    """The first examples that have a file, and how many before the last of them have none."""
    cards: list[dict[str, Any]] = []
    absent = 0
    for rank, row in enumerate(table.iter_rows(named=True), 1):
        if len(cards) == count:
            break
        item = media(row["index"])
        if item is None:
            absent += 1
        else:
            cards.append(_row(rank, row, names, issues) | {"item": item})
    return cards, absent


def _row(rank: int, row: dict[str, Any], names: Sequence[str], issues: Issues) -> dict[str, Any]:
    """What the list and a card say of an example."""
    evidence, index = issues.evidence, row["index"]
    given, proposed = row["given"], row["proposed"]
    own, other = float(evidence.own[index]), float(evidence.other[index])
    chance = own if proposed == given else other if proposed == row["predicted"] else None
    methods = [name[3:] for name, value in row.items() if name.startswith("by ") and value]
    return {
        "rank": rank,
        "index": index,
        "given": names[given],
        "predicted": names[row["predicted"]],
        "proposed": names[proposed],
        "own": own,
        "chance": chance,
        "confident": row["guess"] is not None and row["guess"] != given,
        "margin": row["margin"],
        "methods": ", ".join(methods if issues.by in methods else [issues.by, *methods]),
    }
