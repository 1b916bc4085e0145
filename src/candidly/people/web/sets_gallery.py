"""One gallery over many data sets whose labels people checked: a folder that opens from disk.

``index.html`` has a row for each set; a set has a folder with its numbers, its items in pages, and
lists of them by verdict and by class. All of it are plain links. With its script the first page
also finds items across all sets.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from ...ground.names import shortened
from ...ground.progress import OnProgress
from ...ground.version import __version__
from ...ground.whole import whole_folder
from ..review import MEDIA_FOLDER, Looks
from ..validation.checked_sets import CheckedSet, VotedItem
from ..validation.verdicts_document import errors_grid
from ._looks import Look, look_in
from ._templates import part
from .static_gallery import STATIC, STYLES, short_text

PAGE = 100  # items of a page
OWN = (STATIC / "sets.css", STATIC / "sets.js")
VERDICTS = {  # what people read beside each; the order is that of bars and columns
    "non-error": "most chose exactly the given label, or found exactly the given classes",
    "correctable": "most chose the guess",
    "multi-label": "most chose both",
    "neither": "most chose neither",
    "non-agreement": "no answer was chosen by most",
    "different set": "the classes that most people found are not exactly the given ones",
    "pending": "too few answered",
}
NOTHING = Look("none")
MakeLooks = Callable[[Path], Looks]  # from the folder that files of pictures go into


@dataclass(frozen=True)
class ItemPlace:
    """An item, where its card stands in the folder of its set, and what it looks like there."""

    item: VotedItem
    page: int
    anchor: str
    look: Look

    @property
    def at(self) -> str:
        """Its address within the folder of its set."""
        return f"{page_name(self.page)}#{self.anchor}"


def write_sets_gallery(
    sets: Sequence[CheckedSet],
    out: Path | str,
    *,
    title: str = "Label errors",
    looks: Mapping[str, MakeLooks] | None = None,
    watch: OnProgress = lambda done, total: None,
) -> int:
    """All sets as pages in a folder; how many items. The same input, the same files.

    The address of an item, ``cifar10/page-2.html#item-17``, has its name in the file of votes. It
    changes only where items are added before it.

    Args:
        out: made; must be empty or not there.
        looks: by the names of sets: what items look like, by their row in the data set. Of other
            sets the pages say that there is nothing to show.
        watch: called with the number of items written, and of all.

    Raises:
        ValueError: no sets, two of one name, a folder with something in it or in no folder, or
            media that cannot be shown. OSError: it cannot be written.
    """
    folders = _folders(sets)
    with whole_folder(Path(out)) as beside, TemporaryDirectory() as scratch:
        for path in (*STYLES, *OWN):
            shutil.copyfile(path, beside / path.name)
        total, done, found = sum(len(one.items) for one in sets), 0, []
        for one, name in zip(sets, folders):
            (beside / name).mkdir()
            own = (looks or {}).get(one.name)
            shown = _shown(own, Path(scratch) / name, beside / name)
            places: list[ItemPlace] = []
            for k, item in enumerate(one.items):
                anchor = f"item-{quote(item.id, '/', errors='replace')}"
                places.append(ItemPlace(item, k // PAGE + 1, anchor, shown(item.row)))
                if (k + 1) % PAGE == 0 or k + 1 == len(one.items):
                    _write_page(one, places[k // PAGE * PAGE :], beside / name, title)
                    watch(done + k + 1, total)
            done += len(places)
            _write_lists(one, places, beside / name, title)
            found.append(places)
        _write_front(sets, folders, found, beside, title)
    return total


def page_name(number: int) -> str:
    """The file of a page of items."""
    return f"page-{number}.html"


def verdict_page(verdict: str) -> str:
    """The file of the list of items with one verdict."""
    return f"verdict-{verdict.replace(' ', '-')}.html"


def _folders(sets: Sequence[CheckedSet]) -> list[str]:
    """A folder for each set, after its name."""
    if not sets:
        raise ValueError("there are no votes, so there is nothing to write pages of.")
    taken = {path.name.lower(): path.name for path in (*STYLES, *OWN)}
    taken |= {"index.html": "index.html", "items.js": "items.js"}
    folders = []
    for one in sets:
        folder = re.sub(r"[^A-Za-z0-9._-]+", "-", one.name).strip(".-") or "set"
        if folder.lower() in taken:
            raise ValueError(
                f"the set {shortened(one.name)} would be at {folder}, where"
                f" {shortened(taken[folder.lower()])} is. Rename one of the files of votes."
            )
        taken[folder.lower()] = one.name
        folders.append(folder)
    return folders


def _shown(make: MakeLooks | None, scratch: Path, folder: Path) -> Callable[[int], Look]:
    """From a row to what a page shows of it; files go below the folder of the set."""
    if make is None:
        return lambda row: NOTHING
    scratch.mkdir()
    looks = make(scratch)

    def look(row: int) -> Look:
        if row < 0:
            return NOTHING
        seen = looks(row)
        if seen.kind in ("image", "audio"):
            (folder / MEDIA_FOLDER).mkdir(exist_ok=True)
            shutil.copyfile(scratch / seen.payload, folder / MEDIA_FOLDER / seen.payload)
        return look_in(scratch, seen, f"{MEDIA_FOLDER}/")

    return look


def _write(path: Path, template: str, **values: Any) -> None:
    html = part(template, version=__version__, **values)
    path.write_text(html, encoding="utf-8", errors="replace")


def _write_page(one: CheckedSet, places: Sequence[ItemPlace], folder: Path, title: str) -> None:
    number, pages = places[0].page, _pages(one)
    _write(
        folder / page_name(number),
        "sets_page.html",
        **_shared(one, title),
        number=number,
        places=places,
        shows=any(place.look.kind != "none" for place in places),
        steps=[
            (word, rel, page_name(step))
            for word, rel, step in (("Previous", "prev", number - 1), ("Next", "next", number + 1))
            if 1 <= step <= pages
        ],
    )


def _write_lists(one: CheckedSet, places: Sequence[ItemPlace], folder: Path, title: str) -> None:
    """The page of the set, a list for each verdict that there is, and one by given class."""
    shared = _shared(one, title)
    by_verdict: dict[str, list[ItemPlace]] = defaultdict(list)
    by_class: dict[int, list[ItemPlace]] = defaultdict(list)
    for place in places:
        by_verdict[place.item.verdict].append(place)
        for label in place.item.given or (-1,):
            by_class[label].append(place)
    kinds = Counter(place.look.kind for place in places)
    _write(
        folder / "index.html",
        "sets_set.html",
        **shared,
        kinds=kinds,
        errors=errors_grid(one.about).html(),
        ranges=[
            (page_name(k), (k - 1) * PAGE + 1, min(k * PAGE, len(places)))
            for k in range(1, _pages(one) + 1)
        ],
    )
    for verdict, some in by_verdict.items():
        ordered = sorted(some, key=lambda place: -(place.item.alike or 0))
        name = folder / verdict_page(verdict)
        _write(name, "sets_verdict.html", verdict=verdict, places=ordered, **shared)
    groups = [
        (_class(one, label), some, sum(_wrong(place.item) for place in some))
        for label, some in by_class.items()
    ]
    groups.sort(key=lambda group: (-group[2], group[0]))
    _write(folder / "classes.html", "sets_classes.html", groups=groups, **shared)


def _shared(one: CheckedSet, title: str) -> dict[str, Any]:
    return {
        "title": title,
        "one": one,
        "root": "../",
        "verdicts": dict(_counted(one)),
        "meaning": VERDICTS,
        "verdict_page": verdict_page,
        "names": lambda labels: [one.classes[k] for k in labels],
    }


def _write_front(
    sets: Sequence[CheckedSet],
    folders: Sequence[str],
    found: Sequence[Sequence[ItemPlace]],
    folder: Path,
    title: str,
) -> None:
    rows = [
        (one, name, dict(_counted(one)), (one.about.get("estimates") or {}).get("exact"))
        for one, name in zip(sets, folders)
    ]
    used = [verdict for verdict in VERDICTS if any(row[2].get(verdict) for row in rows)]
    _write(
        folder / "index.html",
        "sets_front.html",
        title=title,
        root="",
        rows=rows,
        used=used,
        meaning=VERDICTS,
        verdict_page=verdict_page,
        items=sum(len(one.items) for one in sets),
        wrong=sum(one.about["errors"]["exact"]["count"] for one in sets),
        looks={one.name: any(p.look.kind != "none" for p in p2) for one, p2 in zip(sets, found)},
    )
    data = {
        "verdicts": list(VERDICTS),
        "page": PAGE,
        "sets": [
            {"at": name, "title": one.title, "classes": one.classes, "words": one.words}
            for one, name in zip(sets, folders)
        ],
        "items": [
            _record(number, place) for number, places in enumerate(found) for place in places
        ],
    }
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    (folder / "items.js").write_text(f"const gallery = {text};\n", encoding="ascii")


def _record(number: int, place: ItemPlace) -> list[Any]:
    """What the script knows of an item: its set, and so on in the order of ``sets.js``."""
    item, look = place.item, place.look
    shown: list[Any] = []
    if look.kind in ("image", "audio"):
        shown = [look.kind, look.src, int(look.crisp)]
    elif look.kind != "none":
        shown = ["text", short_text(look)]
    return [
        number,
        item.id,
        0 if place.anchor == f"item-{item.id}" else place.anchor,
        place.page,
        item.given,
        item.guessed,
        list(VERDICTS).index(item.verdict),
        [number for answer in item.answers for number in answer],
        -1 if item.alike is None else item.alike,
        item.people,
        *shown,
    ]


def _counted(one: CheckedSet) -> Iterator[tuple[str, int]]:
    """Verdicts that there are, and how often."""
    counts = one.about["categories"]
    return ((name, counts[name]) for name in VERDICTS if counts.get(name))


def _wrong(item: VotedItem) -> bool:
    return item.verdict not in ("non-error", "pending")


def _class(one: CheckedSet, label: int) -> str:
    return "not said" if label < 0 else one.classes[label]


def _pages(one: CheckedSet) -> int:
    return -(-len(one.items) // PAGE)
