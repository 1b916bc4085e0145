"""Who somebody is: signed cookies of sessions that the server knows, links that sign in.

What signs in stands behind a link's ``#``, which browsers send nowhere: no log of this machine, of
a web server in front, or of whoever looks at addresses in mail has it. The page at ``/link`` sends
it in a form once somebody presses its button.

A signature says that a cookie or a link was made here; the database, whether it still counts. What
was made in the future counts, too: a clock that is put back locks nobody out.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from itsdangerous import BadData, TimestampSigner, URLSafeTimedSerializer

from ..review import Person, begin_session, find_person
from ..review.deeds import session_mark
from ._site import Site

ORGANISER, VIEWER, PERSON = "organiser", "viewer", "person"
ROLES = (PERSON, VIEWER, ORGANISER)
SESSION_S = 7 * 24 * 3600
LINK_S = 60 * 24 * 3600
LONGEST = 1000  # characters of a cookie or a link
# what is signed: neither can stand for the other; links of before, "link", may be in logs
SESSION, LINK = "open session", "link behind #"
LINKS = "/link"  # where links are followed


@dataclass(frozen=True)
class Session:
    """Who is signed in.

    Attributes:
        role: person (answers), viewer (reads) or organiser.
        number: the number of the session. id, code: of a person.
        csrf: what a form must send along; nobody else can know it.
    """

    role: str
    number: str = ""
    id: int = 0
    code: str = ""
    csrf: str = ""

    @property
    def name(self) -> str:
        """Who, as events say it: of roles that several share, with what stands for the session."""
        shared = f" {session_mark(self.number)}" if not self.code and self.number else ""
        return f"{self.role} {self.code}".strip() + shared

    @property
    def person(self) -> Person:
        """The person; whether they are left out, the database knows."""
        return Person(self.id, self.code)


def session_text(site: Site, role: str, person: Person | None = None) -> str:
    """The value of a cookie; its session begins now, and is kept by the server."""
    number = begin_session(site.project, role, person, seconds=SESSION_S)
    who = [] if person is None else [person.id, person.code]
    return _signer(site, SESSION).dumps([number, role, *who])


def signed_session(site: Site, text: str | None) -> Session | None:
    """Whose session a cookie was made for; None for no cookie, or one that was not made here.

    Whether that session is still open, ``read_session`` says, which asks the database.
    """
    said = _read(site, SESSION, text)
    if said is None:
        return None
    csrf = hmac.new(site.key.encode(), f"csrf {text}".encode(), hashlib.sha256).hexdigest()
    number, role, id, code = (*said[0], 0, "")[:4]
    return Session(role, number, id, code, csrf)


def read_session(site: Site, text: str | None) -> Session | None:
    """Who is signed in, or None for nobody, a forged cookie, or a session that has ended."""
    session = signed_session(site, text)
    return session if session and site.sessions.is_open(session.number) else None


def person_link(site: Site, base: str, person: Person) -> str:
    """An address that signs this person in, for sixty days or until somebody ends it."""
    return _link(site, base, [PERSON, person.id, person.code, person.revoked])


def viewer_link(site: Site, base: str) -> str:
    """An address for those who may look at everything and change nothing, for sixty days."""
    return _link(site, base, [VIEWER])


def organiser_link(site: Site, base: str) -> str:
    """An address that signs the organiser in, for sixty days."""
    return _link(site, base, [ORGANISER])


def follow_link(site: Site, text: str) -> tuple[str, Person | None] | None:
    """Role and person of a link, whole or behind its ``#``; None for one forged, old or ended."""
    said = _read(site, LINK, text.strip().rpartition("#")[2])
    if said is None or site.project.clock() - said[1] > LINK_S:
        return None
    role, *who = said[0]
    if not who:
        return role, None
    id, code, revoked = who
    try:
        person = find_person(site.project, code)
    except KeyError:
        return None
    return (role, person) if (person.id, person.revoked) == (id, revoked) else None


def is_token(site: Site, said: str) -> bool:
    """Whether this is the organiser's token; takes as long for every wrong one."""
    return hmac.compare_digest(said.encode(), site.token.encode())


class _Signer(TimestampSigner):
    """Signs with the time of the project's clock."""

    def __init__(self, *args: Any, clock: Callable[[], float], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.clock = clock

    def get_timestamp(self) -> int:
        return int(self.clock())


def _signer(site: Site, salt: str) -> URLSafeTimedSerializer:
    if salt not in site.signers:  # made once: each request reads a cookie
        # links and sessions end when the token is changed, too
        site.signers[salt] = URLSafeTimedSerializer(
            f"{site.key} {site.token}",
            salt=salt,
            signer=_Signer,
            signer_kwargs={"clock": site.project.clock},
        )
    return site.signers[salt]


def _link(site: Site, base: str, said: list[str | int]) -> str:
    return f"{base.rstrip('/')}{LINKS}#{quote(_signer(site, LINK).dumps(said))}"


def _read(site: Site, salt: str, text: str | None) -> tuple[list[Any], float] | None:
    """What was signed, and when, in seconds since 1970; None for what was not signed here."""
    if not text or len(text) > LONGEST:
        return None
    try:
        said, when = _signer(site, salt).loads(text, return_timestamp=True)
    except BadData:
        return None
    return said, when.timestamp()
