"""Small review apps to ask things of, and forms read off their pages."""

from __future__ import annotations

import html
import re
import warnings
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

with warnings.catch_warnings():  # of httpx, which is what there is
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

from candidly import review
from candidly.people.web import Site, make_app, open_site
from candidly.people.web import app as apps
from candidly.people.web.links import ORGANISER, PERSON, VIEWER, session_text

from review_cases import CLASSES, some_items, some_rules

HERE = "http://127.0.0.1:8765"
TOKEN = "a-token-of-twenty-six-chars"
JSON = {"accept": "application/json"}
FORMS = apps.SAID_AT_ONCE  # of one session, as it is served


@dataclass(frozen=True)
class Browser:
    """A client with its own cookies, signed in or not."""

    site: Site
    client: TestClient

    def get(self, address: str, **more):
        return self.client.get(address, follow_redirects=False, **more)

    def post(self, address: str, fields=(), csrf: str | None = None, **more):
        """A form; with the session's token unless another is given."""
        token = self.csrf if csrf is None else csrf
        pairs = [*(fields.items() if isinstance(fields, dict) else fields), ("csrf", token)]
        body = "&".join(f"{_quoted(name)}={_quoted(value)}" for name, value in pairs)
        headers = {"content-type": "application/x-www-form-urlencoded", **more.pop("headers", {})}
        return self.client.post(
            address, content=body, headers=headers, follow_redirects=False, **more
        )

    def follow(self, link: str, **more):
        """See the function."""
        return follow(self.client, link, **more)

    @property
    def csrf(self) -> str:
        from candidly.people.web.links import read_session

        session = read_session(self.site, self.client.cookies.get(self.site.cookie))
        return "" if session is None else session.csrf

    def cards(self) -> list[str]:
        """HTML of the cards that this person holds."""
        return [card["html"] for card in self.get("/tasks", headers=JSON).json()["cards"]]

    def say(self, card: str, value: str, **more):
        """Answers a card of one item with this value."""
        return self.post("/answer", [*fields_of(card), (said(card), value)], headers=JSON, **more)


def an_app(site: Site):
    """The app for clients that answer faster than people do, on a machine however fast.

    Only tests of rates set their own, which count.
    """
    with pytest.MonkeyPatch.context() as patch:
        if apps.SAID_AT_ONCE == FORMS:
            patch.setattr(apps, "SAID_AT_ONCE", 1e9)
        return make_app(site)


def browser(site: Site, role: str = "", code: str = "", base: str = HERE, app=None) -> Browser:
    """A client at the app's own address; with a role it is signed in."""
    client = TestClient(app or an_app(site), base_url=base)
    if role:
        person = review.find_person(site.project, code) if role == PERSON else None
        client.cookies.set(site.cookie, session_text(site, role, person))
    return Browser(site, client)


def follow(client, link: str, **more):
    """What comes of a link: its page is read, and what stands behind its # is sent."""
    address, _, secret = link.partition("#")
    assert client.get(address, **more).status_code == 200
    return client.post(address, data={"link": secret}, follow_redirects=False, **more)


def everybody(site: Site, code: str) -> dict[str, Browser]:
    """Nobody, a person, a viewer and the organiser, by role."""
    return {
        "nobody": browser(site),
        PERSON: browser(site, PERSON, code),
        VIEWER: browser(site, VIEWER),
        ORGANISER: browser(site, ORGANISER),
    }


def fields_of(card: str, form: int = 0) -> list[tuple[str, str]]:
    """Hidden fields of a form of a card, as a browser would send them; 1: that which opens it."""
    form = re.findall(r"<form.*?</form>", card, re.DOTALL)[form]
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form)
    return [(html.unescape(n), html.unescape(v)) for n, v in found if n != "csrf"]


def said(card: str) -> str:
    """Name of the field that holds the answer."""
    return re.search(r'name="(say\.[0-9a-f]+)"', card).group(1)


def buttons(card: str) -> dict[str, str]:
    """Value of each answer -> the text that is read."""
    found = re.findall(r'<button name="say[^"]*" value="([^"]*)"[^>]*>(.*?)</button>', card)
    return {v: html.unescape(re.sub(r"<kbd.*?</kbd>|<[^>]*>", "", t)).strip() for v, t in found}


NUMBERED = re.compile(r'data-key="\d"|rows="2"|name="named\.\w+" value="\d+"')  # keys, classes


def plain(card: str) -> str:
    """A card without what must differ: random ids, what is sealed, names of classes."""
    card = re.sub(r"\b[0-9a-f]{64}\b", "SEALED", card)
    card = re.sub(r"\b[0-9a-f]{32}\b", "ID", card)
    card = re.sub("|".join(CLASSES), "CLASS", card)
    return re.sub(r'value="\d+">CLASS', 'value="K">CLASS', card)


def picture(place: Path, shade: int = 0) -> None:
    """A small image file."""
    from PIL import Image

    place.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((8, 8), shade, np.uint8)).save(place)


def a_project(
    folder: Path, n: int = 6, gold=None, items=None, people=("ann", "bob"), url=None, **changes
):
    """A project of small images with two people."""
    if items is None:
        items = [
            replace(item, shown=review.Shown("image", f"{item.row}.png")) for item in some_items(n)
        ]
    for item in items:
        if item.shown.kind == "image":
            picture(folder / "media" / item.shown.payload, 20 + item.row)
    project = review.make_project(folder, items, some_rules(**changes), gold=gold, url=url)
    for code in people:
        review.add_person(project, code)
    return project


def a_site(project: review.Project, **more) -> Site:
    return open_site(project, token=TOKEN, **more)


def _quoted(text: str) -> str:
    from urllib.parse import quote_plus

    return quote_plus(str(text))
