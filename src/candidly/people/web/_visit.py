"""One request, read and checked, so that a page is a plain function from it to a response."""

from __future__ import annotations

import errno
import hmac
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from ...ground.names import shortened
from ..review import Rules, StoreError
from ._fields import form_fields, has_nul
from ._guard import TOO_MANY, Rate, retry_after, sender, wants_json
from ._site import Site
from ._templates import page
from ._turns import Turns
from .links import ROLES, Session, signed_session

LOG = logging.getLogger("candidly.web")
SAID_AT_ONCE, SAID_A_SECOND = 60.0, 30.0  # forms of one session; nobody answers faster
STATUS = {"full": 507, "value": 422}  # of what a database cannot do; of all else 503


@dataclass(frozen=True, eq=False)
class Visit:
    """One request.

    Attributes:
        site: the app. session: who asks, or None on pages that are open to all.
        form: fields of a form, in order; empty when there is none. query: of the address.
        path: what the route's pattern caught.
        script: whether the page's script asks, and wants JSON; the browser wants a page.
        base: address of the app, for links.
    """

    site: Site
    session: Session | None
    form: Sequence[tuple[str, str]]
    query: QueryParams
    path: Mapping[str, Any]
    script: bool
    base: str

    @property
    def who(self) -> Session:
        """Who asks, on pages that need somebody."""
        assert self.session is not None
        return self.session

    @cached_property
    def fields(self) -> Mapping[str, Sequence[str]]:
        """All values of the form by name, in order."""
        found: dict[str, list[str]] = {}
        for name, value in self.form:
            found.setdefault(name, []).append(value)
        return found

    def said(self, name: str, usual: str = "") -> str:
        """The field of the form of that name.

        Raises:
            ValueError: there are two, and nobody knows which is meant.
        """
        found = self.fields.get(name, ())
        if len(found) > 1:
            raise ValueError(_twice("form", name))
        return next(iter(found), usual)

    def all_said(self, name: str) -> Sequence[str]:
        """All fields of the form of that name."""
        return self.fields.get(name, ())


def _twice(what: str, name: str) -> str:
    return f"The {what} has {shortened(name)} more than once; load the page again."


Page = Callable[[Visit], Response]


@dataclass(frozen=True, eq=False)
class Refused(Exception):
    """A request that cannot be done, with the status and a sentence for who asked."""

    status: int
    why: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Shared:
    """What all pages of an app have in common: how often forms come, how many work at once."""

    rate: Rate
    turns: Turns


def route(
    pattern: str,
    show: Page,
    roles: Sequence[str] = ROLES,
    form: Callable[[Rules], int] | None = None,
    open: bool = False,
) -> Callable[[Site, Shared], Route]:
    """A page at an address.

    Args:
        roles: who may see it. open: everybody, signed in or not.
        form: it takes a form by POST, of so many bytes, which must hold the session's token;
            otherwise it is read.
    """

    def make(site: Site, shared: Shared) -> Route:
        async def answer(request: Request) -> Response:
            session = signed_session(site, request.cookies.get(site.cookie))
            who = _name(request, session)
            visit = Visit(
                site,
                session,
                (),
                request.query_params,
                request.path_params,
                wants_json(request.headers),
                site.address or str(request.base_url).rstrip("/"),
            )
            try:
                if form:  # who may not send it is told before it is read
                    if session is None or site.sessions.is_known(session.number):
                        visit = _known(visit, roles, open)
                    else:
                        visit = await shared.turns.run(who, _known, visit, roles, open)
                    wait = 0.0 if visit.session is None else shared.rate.take(who)
                    if wait:
                        raise Refused(429, TOO_MANY, retry_after(wait))
                    body = await _body(request, form(site.project.rules))
                    return await shared.turns.run(who, _said, visit, show, body, open)
                return await shared.turns.run(who, _seen, visit, show, roles, open)
            except Exception as error:
                return _refused(visit, error)

        methods = ["POST"] if form else ["GET"]
        return Route(pattern, answer, methods=methods)

    return make


def _name(request: Request, session: Session | None) -> str:
    """Whose turn a request takes: a person's, a role's, or that of the address it comes from."""
    if session is not None:
        return f"{session.role} {session.code}"
    return sender(request.scope)


def _known(visit: Visit, roles: Sequence[str], open: bool) -> Visit:
    """The visit of whoever is still signed in.

    Raises:
        Refused: nobody, or not one of these roles.
    """
    session = visit.session
    if session is not None and not visit.site.sessions.is_open(session.number):
        session = None
    if not open and session is None:
        raise Refused(401, "Sign in first; what was answered is kept.")
    if not open and session is not None and session.role not in roles:
        raise Refused(403, f"This page is not for a {session.role}; sign in as {roles[-1]}.")
    return visit if session is visit.session else replace(visit, session=session)


def _seen(visit: Visit, show: Page, roles: Sequence[str], open: bool) -> Response:
    """A page to read."""
    for status, texts in ((404, visit.path.values()), (422, [*visit.query, *visit.query.values()])):
        if has_nul([str(text) for text in texts]):
            raise Refused(status, "The address holds a character of code 0, which no name has.")
    for name, times in Counter(name for name, _ in visit.query.multi_items()).items():
        if times > 1:
            raise Refused(422, _twice("address", name))
    visit = _known(visit, roles, open)
    return _shown(visit, show)


def _said(visit: Visit, show: Page, body: bytes, open: bool) -> Response:
    """What comes of a form."""
    visit = replace(visit, form=form_fields(body, visit.site.project.rules))
    if has_nul([text for pair in visit.form for text in pair]):  # which PostgreSQL cannot keep
        raise Refused(422, "The form holds a character of code 0; write it without.")
    if not open and not hmac.compare_digest(visit.said("csrf").encode(), visit.who.csrf.encode()):
        raise Refused(403, "The form is of another session; load the page again.")
    return _shown(visit, show)


def _shown(visit: Visit, show: Page) -> Response:
    try:
        return show(visit)
    except Exception as error:  # here, where the visit knows who is signed in
        return _refused(visit, error)


async def _body(request: Request, most: int) -> bytes:
    """What a form says.

    Raises:
        Refused: more than ``most`` bytes.
    """
    told = request.headers.get("content-length", "0")
    found = bytearray()
    if int(told) > most:  # digits: see the guard
        raise Refused(413, f"This form may hold {most} bytes; write less.")
    async for part in request.stream():
        found += part
        if len(found) > most:
            raise Refused(413, f"This form may hold {most} bytes; write less.")
    return bytes(found)


def _refused(visit: Visit, error: Exception) -> Response:
    """Why not, in words; what only the program can have done wrong is printed, and not told."""
    if isinstance(error, Refused):
        return refusal(visit, error.status, error.why, error.headers)
    if isinstance(error, ClientDisconnect):
        return refusal(visit, 400, "The connection broke before the whole form was here.")
    if isinstance(error, HTTPException):
        return refusal(visit, error.status_code, error.detail)
    if isinstance(error, ValueError | KeyError):
        return refusal(visit, 422, str(error.args[0] if error.args else error))
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        error = StoreError("full")
    if isinstance(error, StoreError):  # a line each: while it lasts, everybody tries again
        cause = getattr(error.__cause__, "orig", error.__cause__)
        LOG.error("%s The driver says: %s", error, str(cause).strip().partition("\n")[0])
        return refusal(visit, STATUS.get(error.kind, 503), str(error))
    LOG.error("a request failed", exc_info=error)
    return refusal(visit, 500, FAULT)


FAULT = (
    "The app failed here, and printed why where it runs. Try again; if it goes on, tell whoever"
    " runs this project what you did."
)


def refusal(
    visit: Visit, status: int, why: str, headers: Mapping[str, str] | None = None
) -> Response:
    """A page, or a line of JSON, that says why not."""
    if visit.script:
        return JSONResponse({"refused": why}, status, headers)
    if status == 401:
        return RedirectResponse("/", 303)
    said = page(visit.site, "refused.html", visit.session, status=status, why=why, code=status)
    said.headers.update(headers or {})
    return said
