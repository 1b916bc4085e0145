"""One self-contained page: labels to look at, confusions, classes, the examples themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._files import replacing
from ._template import rendered
from .media import Media, open_media

if TYPE_CHECKING:
    from ..errors import Issues

GALLERY = 100  # examples shown with what they look like
LISTED = 500  # rows of the ranked list
HEAT = 30  # classes up to which confusions are a heat map
FIELDS = 6  # columns of a row that are shown at once
PAIRS = 20  # confusions, overlapping classes and classes that are listed

MEANING = {
    "noise rate": "for every pair of classes, as many as are estimated to be wrong: those that "
    "look most like the other class",
    "class": "for every class, as many as are estimated to be wrong: the least self-confident",
    "both": "what by noise rate and by class have in common",
    "confident": "confidently another class than given",
    "predicted": "the prediction differs from the given label",
    "margin": "the lowest margins of all examples",
    "self-confidence": "the lowest self-confidences of all examples",
}
OFF_DIAGONAL = "confidently another class than given, near-ties aside"
CALIBRATED = (
    "how many are expected to be wrong, after confident counts are scaled to how often each label "
    "was given"
)


def write_issues_page(issues: Issues, path: Path | str, **options: Any) -> None:
    """Write the page, whole or not at all; options are those of ``make_issues_page``.

    Raises:
        OSError: the folder cannot be written, or the disk is full; the message names ``path``.
        ValueError, FileNotFoundError: the media do not fit; nothing is written.
    """
    page = make_issues_page(issues, **options).encode("utf-8", "replace")
    with replacing(path) as file:
        file.write(page)


def make_issues_page(
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
) -> str:
    """The page as HTML text; it refers to nothing outside itself. The same input, the same text.

    Args:
        issues: what ``errors.find`` returns.
        classes: names of the m classes.
        media: what the examples look like, see ``open_media``; or a function from an example's
            number to it.
        gallery: how many of them are shown, the most suspicious first.
        read: what to say of where labels and probabilities came from, by name.
        notes: what to say besides, such as warnings.
        ids: of the n examples, where they have other names than their numbers.
        of: what was checked, for the title.
        findings: sentences that stand first.
        following: commands to go on with.

    Raises:
        ValueError: the media do not fit, or the evidence is not about one label per example.
        FileNotFoundError: there are no media of that name.
    """
    from ..errors import FEW, Evidence, counts, health

    evidence = issues.evidence
    if not isinstance(evidence, Evidence):
        raise ValueError("the page is about one given label per example, not about other labels.")
    names = list(classes) if classes is not None else [str(k) for k in range(evidence.m)]
    labelled = int(evidence.given_counts.sum())
    table = issues.table()
    given, proposed = table["given"].to_numpy(), table["proposed"].to_numpy()
    cards: list[dict[str, Any]] = []
    absent = 0
    if media is not None:
        look = media if callable(media) else open_media(media, evidence.n)
        cards, absent = _cards(table, names, issues, look, gallery)
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
    return rendered(
        "issues.html",
        {name: value for name, value in facts.items() if value is not None},
        of=of,
        shown_fields=FIELDS,
        findings=findings,
        following=following,
        called=lambda index: None if ids is None else ids[index],
        flagged=len(table),
        labelled=labelled,
        by=issues.by,
        rank=issues.rank,
        counts=[
            ("off-diagonal", found.off_diagonal, OFF_DIAGONAL),
            ("calibrated", found.calibrated, CALIBRATED),
            (f"flagged by {issues.by}", len(table), MEANING[issues.by]),
        ],
        off_diagonal=healthy.off_diagonal,
        calibrated=healthy.calibrated,
        notes=list(dict.fromkeys([*notes, *issues.warnings])),
        names=names,
        heat=_heat(given, proposed, evidence.m) if evidence.m <= HEAT else None,
        pairs=_pairs(given, proposed, names),
        worst=healthy.table(names).head(PAIRS).fill_nan(None).rows(named=True),
        overlaps=healthy.overlap_table(names).head(PAIRS).rows(named=True),
        few=FEW,
        rows=[
            _row(rank, row, names, issues)
            for rank, row in enumerate(table.head(LISTED).iter_rows(named=True), 1)
        ],
        cards=cards,
        pictured={card["index"] for card in cards},
        absent=absent,
    )


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


def _heat(given: np.ndarray, proposed: np.ndarray, m: int) -> list[list[tuple[int, float]]]:
    """Flagged examples by (given, proposed), each with its share of the largest count."""
    counts = np.zeros((m, m), dtype=np.int64)
    np.add.at(counts, (given, proposed), 1)
    largest = max(int(counts.max()), 1)
    return [[(int(c), c / largest) for c in row] for row in counts]


def _pairs(given: np.ndarray, proposed: np.ndarray, names: Sequence[str]) -> list[dict[str, Any]]:
    pairs, counts = np.unique(np.stack([given, proposed], 1), axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:PAIRS]
    largest = max(counts.max(initial=0), 1)
    return [
        {
            "given": names[pairs[i, 0]],
            "proposed": names[pairs[i, 1]],
            "count": int(counts[i]),
            "share": counts[i] / largest,
        }
        for i in order
    ]
