"""The gallery: all items with what they come to, by many filters; a page of each with every vote.

A view is its address: whoever has the address sees the same.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any
from urllib.parse import quote, urlencode

from starlette.responses import Response

from ...ground.names import shortened
from .. import review as reviews
from ..review import SORTS, Card, ItemFilter, Project, Rules, answers_of
from ._fields import decimal, whole
from ._looks import Look, look_of
from ._site import Site
from ._templates import page
from ._visit import Refused, Visit
from .links import ORGANISER

LABELS = ("given", "guessed", "asks")
BESIDE = 10  # examples of a class beside an item


@dataclass(frozen=True)
class Tile:
    """An item of the grid: what is known of it, what it looks like, what people said, a link."""

    card: Card
    look: Look
    answers: Sequence[tuple[str, int]]
    link: str


def gallery(visit: Visit) -> Response:
    """The grid."""
    site, rules = visit.site, visit.site.project.rules
    view = view_of(visit.query, rules)
    found = reviews.browse(site.project, view)
    view = replace(view, page=found.page)
    steps = {"Previous": found.page - 1, "Next": found.page + 1}
    return page(
        site,
        "gallery.html",
        visit.session,
        here="/gallery",
        view=view,
        said=dict(visit.query),
        found=found,
        tiles=[tile_of(site.project, card) for card in found.cards],
        steps={
            text: address_of(replace(view, page=number), rules)
            for text, number in steps.items()
            if 1 <= number <= found.pages
        },
        here_link=address_of(view, rules),
        filtered=address_of(replace(view, page=1, sort="queue"), rules) != "/gallery",
        rules=rules,
        outcomes=reviews.outcomes(rules),
        sorts=SORTS,
        people=[one.code for one in reviews.people(site.project)],
        labels=labels_of(rules),
    )


def item(visit: Visit) -> Response:
    """One item with everything that was said about it."""
    site, rules = visit.site, visit.site.project.rules
    number = visit.query.get("number", "")
    try:
        which = whole(number, "number") if number else visit.path["name"]
        card = reviews.find_item(site.project, which)
    except KeyError as error:
        raise Refused(404, str(error.args[0])) from None
    following = reviews.next_like(site.project, card)
    labels = [getattr(card, name) for name in LABELS]
    alike = ItemFilter(**{name: label for name, label in zip(LABELS, labels) if label >= 0})
    return page(
        site,
        "item.html",
        visit.session,
        here="/gallery",
        tile=tile_of(site.project, card),
        rules=rules,
        votes=[
            (one, time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(one.at)))
            for one in reviews.said_about(site.project, [card])[0]
        ],
        examples=_examples(site, labels),
        following=None if following is None else link_of(following),
        decides=_to_decide(visit, card),
        new_id=uuid.uuid4().hex,
        alike=address_of(alike, rules) if alike != ItemFilter() else "",
    )


@dataclass(frozen=True)
class ToDecide:
    """What an organiser can say of an item.

    Attributes:
        near: the classes that are likely, by number and name: those shown, and those named.
        several: whether several hold. next: the address of the next item on which people differ.
        when: of the decision that is there.
    """

    near: Sequence[tuple[int, str]]
    several: bool
    next: str | None
    when: str


def _to_decide(visit: Visit, card: Card) -> ToDecide | None:
    """None for who may not, and where there is nothing to decide."""
    project, rules = visit.site.project, visit.site.project.rules
    if visit.who.role != ORGANISER or card.key is not None or not reviews.can_decide(rules):
        return None
    if card.asks >= 0 and card.asks != card.given:  # one of several classes of a thing
        return None
    following = reviews.next_to_decide(project, card)
    named = card.counts if rules.asked.counted == "labels" else ()
    near = dict.fromkeys(label for label in (card.given, card.guessed, *named) if label >= 0)
    at = 0.0 if card.decided is None else card.decided.at
    return ToDecide(
        near=[(label, rules.classes[label]) for label in near],
        several=rules.asked.all_hold,
        next=None if following is None else link_of(following),
        when=time.strftime("%Y-%m-%d %H:%M", time.gmtime(at)),
    )


def tile_of(project: Project, card: Card) -> Tile:
    """What a page shows of an item."""
    return Tile(card, look_of(project, card.shown), answers_of(project, card), link_of(card))


def labels_of(rules: Rules) -> Sequence[tuple[str, str]]:
    """The classes by which items of a question can be chosen, and what they are called."""
    names = {"given": "Given", "guessed": "Guess", "asks": "Class asked about"}
    return [(name, names[name]) for name in rules.asked.chosen_by]


def view_of(query: Any, rules: Rules) -> ItemFilter:
    """The view that an address says; empty fields are those not given.

    Raises:
        ValueError: a class that is not there, a number that is none.
    """
    said = {name: text for name, text in query.items() if text != ""}
    readers: dict[str, Any] = {
        **dict.fromkeys(LABELS, lambda text: _class(text, rules)),
        **{name: partial(whole, what=name) for name in ("least", "most", "page")},
        **{name: partial(decimal, what=name) for name in ("low", "high")},
        **dict.fromkeys(("outcome", "person", "text", "sort"), str),
        **dict.fromkeys(("known", "decided"), lambda text: text == "1"),
    }
    return ItemFilter(**{name: read(said[name]) for name, read in readers.items() if name in said})


def address_of(view: ItemFilter, rules: Rules) -> str:
    """The address of a view, the shortest one."""
    usual = asdict(ItemFilter())
    said: dict[str, Any] = {}
    for name, value in asdict(view).items():
        if value != usual[name]:
            said[name] = rules.classes[value] if name in LABELS else value
    said |= {name: int(said[name]) for name in ("known", "decided") if name in said}
    return f"/gallery?{urlencode(said)}" if said else "/gallery"


def link_of(card: Card) -> str:
    """The address of an item; by number where a browser would take its name for a folder."""
    if card.name in ("", ".", ".."):
        return f"/gallery/item/?number={card.id}"
    return f"/gallery/item/{quote(card.name, safe='')}"


def _examples(site: Site, labels: Sequence[int]) -> list[tuple[str, list[Look]]]:
    project = site.project
    there = [label for label in dict.fromkeys(labels) if project.examples.get(label)]
    return [
        (
            project.rules.classes[label],
            [look_of(project, site.examples[k]) for k in project.examples[label][:BESIDE]],
        )
        for label in there
    ]


def _class(text: str, rules: Rules) -> int:
    if text not in rules.classes:
        raise ValueError(f"there is no class {shortened(text)} in this project.")
    return rules.classes.index(text)
