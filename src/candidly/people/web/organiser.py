"""The organiser's page: how far the project is, who does what, what is left, and files to take."""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse

from ...ground.names import nearest, shortened
from .. import review as reviews
from ..review import Cost, Labels, Overview, Project, Rules, pace, plan_cost
from ..review.files import FILES
from ..review.questions import NO_LABEL
from ._fields import decimal, whole
from ._site import Site
from ._templates import page, part
from ._visit import Refused, Visit
from .gallery import link_of
from .links import ORGANISER, person_link, viewer_link

TOP = 20  # pairs of classes
EVENTS = 20  # the newest, on the page
MOST_CLASSES = 16  # up to which the whole matrix of labels is shown
CHUNK = 500  # lines of a log sent at once
BETWEEN = {"seconds": (0.001, 1e6), "pay": (0.0, 1e9)}  # of a batch, and for an hour


@dataclass(frozen=True)
class Download:
    """A file to take: its kind, its ending, what is in it."""

    kind: str
    ending: str
    text: str

    @property
    def name(self) -> str:
        """In the address."""
        return f"{self.kind}{self.ending}"


DOWNLOADS = (
    Download("votes", ".csv", "a row per answer that counts"),
    Download("votes", ".parquet", "the same"),
    Download("votes", ".json", "the same"),
    Download("all", ".csv", "with what does not count, and why"),
    Download("crowd", ".csv", "one label a person, for candidly crowd"),
    Download("totals", ".json", "counts, in the layout of the released files"),
    Download("log", ".jsonl", "everything that was said, to merge"),
    Download("pay", ".csv", "a row per person: answers, time, known items"),
    Download("events", ".csv", "who signed in, exported, left somebody out"),
    Download("label-studio", ".json", "tasks with answers"),
    Download("label-studio", ".xml", "its labelling set-up"),
    Download("argilla", ".json", "records with answers"),
)


@dataclass(frozen=True)
class RemainingWork:
    """What the answers that are left take.

    Attributes:
        seconds: per batch, given or measured; None: neither. measured: by the answers so far.
        pay: per hour. cost: None where the seconds are not known, or nothing is left.
    """

    seconds: float | None
    measured: float | None
    pay: float
    cost: Cost | None


@dataclass(frozen=True)
class Flip:
    """Of items of a class, the share of answers that name another."""

    truth: str
    named: str
    share: float


def organiser(visit: Visit) -> Response:
    """The page, or, for its script, the part of it that changes."""
    values = _values(visit)
    if visit.script:
        html = part("organiser_live.html", site=visit.site, session=visit.who, **values)
        return JSONResponse({"html": html})
    return page(visit.site, "organiser.html", visit.session, here="/organiser", **values)


def add(visit: Visit) -> Response:
    """Somebody new, who then stands in the table with a link."""
    code, name = visit.said("code").strip(), visit.said("name").strip()
    made = reviews.add_person(visit.site.project, code or None, name[:200] or None, visit.who.name)
    return RedirectResponse(f"/organiser?added={made.code}#added", 303)


def exclude(visit: Visit) -> Response:
    """Leaves somebody out of the totals, or takes them in again."""
    project = visit.site.project
    who = reviews.find_person(project, visit.said("code"))
    back = visit.said("back") == "1"
    reason = visit.said("reason").strip() or None
    reviews.exclude(project, who, visit.said("id"), back, reason, visit.who.name)
    return RedirectResponse("/organiser#people", 303)


def decide(visit: Visit) -> Response:
    """The organiser's word on an item, or its taking back; then the item again."""
    project = visit.site.project
    card = reviews.find_item(project, whole(visit.said("number"), "number"))
    reviews.decide(
        project,
        card.id,
        _decided(visit),
        visit.said("id"),
        visit.said("reason").strip() or None,
        visit.who.name,
    )
    return RedirectResponse(f"{link_of(card)}#decide", 303)


def _decided(visit: Visit) -> str | None:
    """What the form says: a class by number or by name, several, removal, or nothing any more."""
    said, classes = visit.said("choice"), visit.site.project.rules.classes
    if said == "labels":
        chosen = sorted(whole(text, "class") for text in visit.all_said("label"))
        return " ".join(map(str, chosen)) or NO_LABEL
    if said == "named":
        name = visit.said("name").strip()
        if name not in classes:
            raise ValueError(
                f"there is no class {shortened(name)} in this project{nearest(name, classes)}"
            )
        return str(classes.index(name))
    return None if said == "back" else said


def end(visit: Visit) -> Response:
    """Ends all sessions and links of somebody, who then stands in the table with a new link."""
    project = visit.site.project
    who = reviews.find_person(project, visit.said("code"))
    visit.site.sessions.end_all_of(who, visit.who.name)
    return RedirectResponse("/organiser#people", 303)


def download(visit: Visit) -> Response:
    """A file of answers."""
    found = [one for one in downloads(visit.site.project.rules) if one.name == visit.path["name"]]
    if not found:
        raise Refused(404, "There is no such file.")
    file = found[0]
    name = f"{_plain(visit.site.title)}-{file.name}"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    project = visit.site.project
    reviews.record(project, visit.who.name, "exported", file.name)
    if file.kind == "log":
        return StreamingResponse(_log(project), media_type="application/jsonl", headers=headers)
    with TemporaryDirectory() as folder:
        place = Path(folder) / f"file{'.json' if file.ending == '.xml' else file.ending}"
        FILES[file.kind](project, place)
        content = place.with_suffix(file.ending).read_bytes()
    return Response(content, media_type=_TYPES[file.ending], headers=headers)


_TYPES = {
    ".csv": "text/csv",
    ".parquet": "application/vnd.apache.parquet",
    ".json": "application/json",
    ".xml": "application/xml",
}


def downloads(rules: Rules) -> Sequence[Download]:
    """The files that a question has."""
    there = {"totals": rules.decides, "crowd": rules.asked.taken_out == "crowd"}
    return [one for one in DOWNLOADS if there.get(one.kind, True)]


def _values(visit: Visit) -> dict[str, Any]:
    site = visit.site
    whole = site.overview.get()
    added = visit.query.get("added")
    organises = visit.who.role == ORGANISER
    return {
        "whole": whole,
        "rules": site.project.rules,
        "classes": site.project.rules.classes,
        "top": whole.pairs[:TOP],
        "flips": _flips(whole.progress.labels, site.project.rules),
        "matrix": len(site.project.rules.classes) <= MOST_CLASSES,
        "plan": _plan(visit, whole),
        "files": downloads(site.project.rules),
        "links": _links(site, visit.base) if organises else {},
        "events": [_told(one) for one in reviews.last_events(site.project, EVENTS)],
        "viewer": viewer_link(site, visit.base) if organises else "",
        "added": added if organises else None,
        "new_id": lambda: uuid.uuid4().hex,
        "now": time.strftime("%H:%M:%S"),
    }


def _told(event: Any) -> tuple[str, str, str, str]:
    """Of an event: when, who, what, about whom or what and why."""
    more = json.loads(event.more) if event.more else {}
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(event.at))
    told = [event.about, *(str(more[name]) for name in ("label", "reason") if more.get(name))]
    return when, event.by, event.what, ": ".join(told)


def _links(site: Site, base: str) -> dict[str, str]:
    return {one.code: person_link(site, base, one) for one in reviews.people(site.project)}


def _plan(visit: Visit, whole: Overview) -> RemainingWork:
    rules, found = visit.site.project.rules, whole.progress
    measured = pace(whole.people, rules)
    given = _number(visit, "seconds")
    seconds = measured if given is None else given
    pay = _number(visit, "pay") or 0.0
    if seconds is None or not found.left:
        return RemainingWork(seconds, measured, pay, None)
    cost = plan_cost(
        found.items,
        rules,
        seconds_per_batch=seconds,
        pay_per_hour=pay,
        said=found.wanted - found.left,
        golds=len(visit.site.project.golds),
    )
    return RemainingWork(seconds, measured, pay, cost)


def _number(visit: Visit, name: str) -> float | None:
    text = visit.query.get(name, "").strip()
    return decimal(text, name, *BETWEEN[name]) if text else None


def _flips(labels: Labels | None, rules: Rules) -> Sequence[Flip]:
    """Labels named most for items of another class, where the truth is known."""
    if labels is None:
        return ()
    away = np.nan_to_num(labels.flips.copy())
    np.fill_diagonal(away, 0)
    order = np.argsort(-away, axis=None, kind="stable")[:TOP]
    places = [divmod(int(place), len(rules.classes)) for place in order]
    return [
        Flip(rules.classes[i], rules.classes[j], float(away[i, j]))
        for i, j in places
        if away[i, j] > 0
    ]


def _log(project: Project) -> Iterator[str]:
    lines: list[str] = []
    for line in reviews.log(project):
        lines.append(line + "\n")
        if len(lines) == CHUNK:
            yield "".join(lines)
            lines = []
    yield "".join(lines)


def _plain(title: str) -> str:
    """A title as the name of a file."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "review"
