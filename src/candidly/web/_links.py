"""Who somebody is: signed sessions that expire, links that sign in, tokens against forged forms."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from itsdangerous import BadData, URLSafeTimedSerializer

from ..review import Person
from ._site import Site

ORGANISER, VIEWER, PERSON = "organiser", "viewer", "person"
ROLES = (PERSON, VIEWER, ORGANISER)
SESSION_S = 7 * 24 * 3600
LINK_S = 60 * 24 * 3600


@dataclass(frozen=True)
class Session:
    """Who is signed in.

    Attributes:
        role: person (answers), viewer (reads) or organiser.
        id, code: of a person.
        csrf: what a form must send along; nobody else can know it.
    """

    role: str
    id: int = 0
    code: str = ""
    csrf: str = ""

    @property
    def person(self) -> Person:
        """The person; whether they are left out, the database knows."""
        return Person(self.id, self.code)


def session_text(site: Site, role: str, person: Person | None = None) -> str:
    """The value of a session's cookie."""
    who = [] if person is None else [person.id, person.code]
    return _signer(site, "session").dumps([role, *who])


def read_session(site: Site, text: str | None) -> Session | None:
    """Who is signed in, or None for nobody, a forged cookie, or one that has expired."""
    said = _read(site, "session", text, SESSION_S)
    if said is None:
        return None
    csrf = hmac.new(site.key.encode(), f"csrf {text}".encode(), hashlib.sha256).hexdigest()
    role, id, code = (*said, 0, "")[:3]
    return Session(role, id, code, csrf)


def person_link(site: Site, base: str, person: Person) -> str:
    """An address that signs this person in, for sixty days."""
    return _link(site, base, [PERSON, person.id, person.code])


def viewer_link(site: Site, base: str) -> str:
    """An address for those who may look at everything and change nothing, for sixty days."""
    return _link(site, base, [VIEWER])


def organiser_link(site: Site, base: str) -> str:
    """An address that signs the organiser in, for sixty days."""
    return _link(site, base, [ORGANISER])


def follow_link(site: Site, text: str) -> tuple[str, Person | None] | None:
    """Role and person of a link; None for one that is forged or too old."""
    said = _read(site, "link", text, LINK_S)
    return None if said is None else (said[0], Person(*said[1:]) if said[1:] else None)


def is_token(site: Site, said: str) -> bool:
    """Whether this is the organiser's token; takes as long for every wrong one."""
    return hmac.compare_digest(said.encode(), site.token.encode())


def _signer(site: Site, salt: str) -> URLSafeTimedSerializer:
    # links and sessions end when the token is changed, too
    return URLSafeTimedSerializer(f"{site.key} {site.token}", salt=salt)


def _link(site: Site, base: str, said: list[str | int]) -> str:
    return f"{base.rstrip('/')}/in/{quote(_signer(site, 'link').dumps(said))}"


def _read(site: Site, salt: str, text: str | None, seconds: int) -> list[Any] | None:
    try:
        said: list[Any] = _signer(site, salt).loads(text or "", max_age=seconds)
    except BadData:
        return None
    return said
