"""One request, read and checked, so that a page is a plain function from it to a response."""

from __future__ import annotations

import hmac
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from sqlalchemy.exc import SQLAlchemyError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from ._guard import TOO_MANY, Rate, retry_after
from ._links import ROLES, Session, read_session
from ._site import Site
from ._templates import page

LOG = logging.getLogger("candidly.web")
SAID_AT_ONCE, SAID_A_SECOND = 60.0, 30.0  # forms of one session; nobody answers faster


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
    query: Mapping[str, str]
    path: Mapping[str, Any]
    script: bool
    base: str

    @property
    def who(self) -> Session:
        """Who asks, on pages that need somebody."""
        assert self.session is not None
        return self.session

    def said(self, name: str, usual: str = "") -> str:
        """A field of the form, the first of that name."""
        return next((value for key, value in self.form if key == name), usual)

    def all_said(self, name: str) -> list[str]:
        """All fields of the form of that name."""
        return [value for key, value in self.form if key == name]


Page = Callable[[Visit], Response]


@dataclass(frozen=True, eq=False)
class Refused(Exception):
    """A request that cannot be done, with the status and a sentence for who asked."""

    status: int
    why: str
    headers: Mapping[str, str] = field(default_factory=dict)


def route(
    pattern: str, show: Page, roles: Sequence[str] = ROLES, form: bool = False, open: bool = False
) -> Callable[[Site, Rate], Route]:
    """A page at an address.

    Args:
        roles: who may see it. open: everybody, signed in or not.
        form: it takes a form by POST, which must hold the session's token; otherwise it is read.
    """

    def make(site: Site, rate: Rate) -> Route:
        async def answer(request: Request) -> Response:
            script = request.headers.get("accept", "") == "application/json"
            session = read_session(site, request.cookies.get(site.cookie))
            body = await request.body() if form else b""
            fields = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)
            visit = Visit(
                site,
                session,
                fields,
                request.query_params,
                request.path_params,
                script,
                site.address or str(request.base_url).rstrip("/"),
            )
            try:
                if any("\0" in value for _, value in fields):  # which PostgreSQL cannot keep
                    raise Refused(422, "The form holds a character of code 0.")
                if not open:
                    _check(visit, roles, form, rate)
                return await run_in_threadpool(show, visit)
            except Refused as error:
                return refusal(visit, error.status, error.why, error.headers)
            except (ValueError, KeyError) as error:
                return refusal(visit, 422, str(error.args[0] if error.args else error))
            except (OSError, SQLAlchemyError):
                LOG.exception("the database did not answer")
                return refusal(visit, 503, "The database does not answer; nothing was changed.")

        methods = ["POST"] if form else ["GET"]
        return Route(pattern, answer, methods=methods)

    return make


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


def json_text(value: Any) -> str:
    """JSON for an attribute of a page; the template escapes it."""
    return json.dumps(value, separators=(",", ":"))


def _check(visit: Visit, roles: Sequence[str], form: bool, rate: Rate) -> None:
    session = visit.session
    if session is None:
        raise Refused(401, "Sign in first; what was answered is kept.")
    if session.role not in roles:
        raise Refused(403, f"This page is not for a {session.role}; sign in as {roles[-1]}.")
    if not form:
        return
    if not hmac.compare_digest(visit.said("csrf").encode(), session.csrf.encode()):
        raise Refused(403, "The form is of another session; load the page again.")
    wait = rate.take(f"{session.role} {session.code}")
    if wait:
        raise Refused(429, TOO_MANY, retry_after(wait))
