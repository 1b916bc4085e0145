"""Signing in by code, token or link, and out; and what people should know."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from ...ground.names import shortened
from ..review import Person, find_person
from ._templates import NAV, page
from ._visit import Refused, Visit
from .links import ORGANISER, PERSON, SESSION_S, follow_link, is_token, session_text

HOME = {role: pages[0][0] for role, pages in NAV.items()}


def door(visit: Visit) -> Response:
    """Where one signs in, or the first page of whoever has."""
    if visit.session is not None:
        return RedirectResponse(HOME[visit.session.role], 303)
    return page(visit.site, "door.html", None, wrong="")


def sign_in(visit: Visit) -> Response:
    """A form with a person's code, or the organiser's token.

    A code alone is enough where nobody else can reach the app; otherwise people have links, and
    the organiser's token beside a code signs in as that person.
    """
    site, code, token = visit.site, visit.said("code").strip(), visit.said("token").strip()
    if token and not is_token(site, token):
        return _not_in(visit, "That is not the token of this project.")
    if not code:
        return _entered(visit, ORGANISER) if token else _not_in(visit, "Write your code.")
    if not (site.local or token):
        return _not_in(visit, "A code alone is not enough here: use the link that you were given.")
    try:
        return _entered(visit, PERSON, find_person(site.project, code))
    except KeyError:
        return _not_in(visit, f"Nobody has the code {shortened(code)} here; ask who runs it.")


def link(visit: Visit) -> Response:
    """Where links lead: who reads it, such as a scanner of mail, has used up nothing."""
    return page(visit.site, "link.html", None)


def old_link(visit: Visit) -> Response:
    """A link of a form that stood in logs."""
    raise Refused(410, "This link is of an older kind, which signs in no more; ask for a new one.")


def follow(visit: Visit) -> Response:
    """A link that signs in: what stands behind its ``#``, or all of it, as somebody pasted it."""
    found = follow_link(visit.site, visit.said("link"))
    if found is None:
        raise Refused(
            403, "This link was ended, is too old, or is of another project; ask for a new one."
        )
    return _entered(visit, *found)


def sign_out(visit: Visit) -> Response:
    """End the session, here and on the server: whoever kept its cookie is signed out, too."""
    visit.site.sessions.end(visit.who.number)
    response = RedirectResponse("/", 303)
    response.delete_cookie(visit.site.cookie, httponly=True, samesite="lax")
    return response


def guidelines(visit: Visit) -> Response:
    """The project's own words for those who answer."""
    return page(visit.site, "guidelines.html", visit.session)


def _entered(visit: Visit, role: str, person: Person | None = None) -> Response:
    if visit.session is not None:  # the browser forgets it
        visit.site.sessions.end(visit.session.number)
    response = RedirectResponse(HOME[role], 303)
    response.set_cookie(
        visit.site.cookie,
        session_text(visit.site, role, person),
        max_age=SESSION_S,
        httponly=True,
        samesite="lax",
        secure=visit.base.startswith("https:"),
    )
    return response


def _not_in(visit: Visit, why: str) -> Response:
    if visit.script:
        raise Refused(403, why)
    return page(visit.site, "door.html", None, status=403, wrong=why)
