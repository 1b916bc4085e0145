"""A gallery without a server: a folder of pages, with the media they show, that opens from disk.

The pages read without their script; with it, the first one filters and sorts.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ... import show
from ...ground.progress import OnProgress
from ...ground.version import __version__
from ...ground.whole import whole_folder
from .. import review as reviews
from ..review import (
    COUNTS,
    MEDIA_FOLDER,
    PAGE,
    REMARK,
    SORTS,
    Card,
    ItemFilter,
    Project,
    Said,
    Shown,
    all_cards,
    answers_of,
)
from ._looks import Look, look_in, look_of
from ._templates import part
from .files import media_file
from .gallery import BESIDE, labels_of

STATIC = Path(__file__).with_name("static")
STYLES = (Path(show.__file__).with_name("page.css"), STATIC / "app.css", STATIC / "pages.css")
SCRIPT = STATIC / "gallery.js"
TEXT = 200  # characters of a text that the grid shows


@dataclass(frozen=True)
class Shot:
    """An item on a page of the folder: what the grid shows, and what people said."""

    card: Card
    look: Look
    answers: Sequence[tuple[str, int]]
    said: Sequence[Said]


def write_gallery(
    project: Project,
    out: Path | str,
    *,
    codes: bool = False,
    watch: OnProgress | None = None,
) -> int:
    """All items with what people said, as pages in a folder; how many items.

    Items whose answer is known are not among them, nor are answers that do not count. Every item
    has an address, ``page-2.html#item-17``, 17 being its number.

    Args:
        out: made; must be empty or not there.
        codes: say who gave which answer; otherwise nothing says so.
        watch: called with the number of items written, and of all.

    Raises:
        ValueError: a folder with something in it, or in no folder. OSError: it cannot be written.
    """
    with whole_folder(Path(out)) as beside:
        (beside / MEDIA_FOLDER).mkdir()
        return _write(project, beside, codes, watch or (lambda done, total: None))


def _write(project: Project, folder: Path, codes: bool, watch: OnProgress) -> int:
    found = reviews.progress(project)
    total = found.items
    people = [one.code for one in reviews.people(project)] if codes else []
    shared = {
        "title": project.rules.title or "Check labels",
        "version": __version__,
        "made": time.strftime("%Y-%m-%d", time.gmtime(project.clock())),
        "found": found,
        "rules": project.rules,
        "pages": max(1, -(-total // PAGE)),
        "codes": codes,
        "classes_page": bool(project.examples),
        "labels": labels_of(project.rules),
        "outcomes": reviews.outcomes(project.rules),
        "people": people,
        "sorts": SORTS,
        "view": ItemFilter(),
    }
    for path in (*STYLES, SCRIPT):
        shutil.copyfile(path, folder / path.name)
    records: list[dict[str, Any]] = []
    for number, cards in enumerate(all_cards(project) if total else [[]], 1):
        shots = [
            _shot(project, folder, card, said)
            for card, said in zip(cards, reviews.said_about(project, cards))
        ]
        records += [_record(shot, number, people) for shot in shots]
        html = part("static_gallery.html", shots=shots, page=number, **shared)
        (folder / _page_name(number)).write_text(html, encoding="utf-8")
        watch(len(records), total)
    data = {"classes": project.rules.classes, "page": PAGE, "items": records}
    text = f"const gallery = {json.dumps(data, separators=(',', ':'), allow_nan=False)};\n"
    (folder / "items.js").write_text(text, encoding="ascii")
    if project.examples:
        html = part("static_classes.html", sides=_sides(project, folder), **shared)
        (folder / "classes.html").write_text(html, encoding="utf-8")
    return len(records)


def _page_name(number: int) -> str:
    return "index.html" if number == 1 else f"page-{number}.html"


def _shot(project: Project, folder: Path, card: Card, said: Sequence[Said]) -> Shot:
    kept = [one for one in said if one.state in (COUNTS, REMARK)]
    return Shot(card, _taken(project, folder, card.shown), answers_of(project, card), kept)


def _taken(project: Project, folder: Path, shown: Shown) -> Look:
    """What it looks like; its file is copied, unless it is none that the app would show."""
    if shown.kind not in ("image", "audio"):
        return look_of(project, shown)
    path = media_file(project.folder, shown.payload)
    if path is None:
        return Look("none")
    name = Path(shown.payload).stem + path.suffix
    shutil.copyfile(path, folder / MEDIA_FOLDER / name)
    seen = replace(shown, payload=name)
    px = project.rules.shown_px
    return look_in(folder / MEDIA_FOLDER, seen, f"{MEDIA_FOLDER}/", px=px)


def _sides(project: Project, folder: Path) -> list[tuple[str, list[Look]]]:
    sides = []
    for label, numbers in sorted(project.examples.items()):
        shown = reviews.shown_examples(project, numbers[:BESIDE])
        looks = [_taken(project, folder, one) for one in shown]
        sides.append((project.rules.classes[label], looks))
    return sides


def _record(shot: Shot, page: int, people: Sequence[str]) -> dict[str, Any]:
    """What the script knows of an item; what is not known is left out."""
    card, look = shot.card, shot.look
    who = {one.code for one in shot.said if one.state == COUNTS}
    values: dict[str, Any] = {
        "id": card.id,
        "at": f"{_page_name(page)}#item-{card.id}",
        "name": card.name,
        "given": card.given,
        "guessed": card.guessed,
        "asks": card.asks,
        "outcome": card.outcome,
        "decided": None if card.decided is None else card.decided.words,
        "score": card.score,
        "said": card.said,
        "differ": card.disagreement if card.said > 1 else None,
        "answers": shot.answers,
        "kind": look.kind,
        "src": look.src or None,
        "crisp": look.crisp,
        "text": short_text(look) or None,
        "people": [code for code in people if code in who],
    }
    return {name: value for name, value in values.items() if value is not None}


def short_text(look: Look) -> str:
    """What a grid shows of a text or of the cells of a row."""
    text = look.text or " ".join(cell for _, cell in look.cells[:12])
    return text if len(text) <= TEXT else f"{text[: TEXT - 3]}..."
