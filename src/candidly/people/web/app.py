"""The app as a whole: every address in one table, behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from anyio.to_thread import current_default_thread_limiter
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from . import answering, entering, files, gallery, organiser
from ._fields import card_form, small_form
from ._guard import App, Guard, Rate, wants_json
from ._links import ORGANISER, PERSON, VIEWER
from ._site import Site
from ._turns import Turns
from ._visit import SAID_A_SECOND, SAID_AT_ONCE, Shared, route

LOOKERS = (VIEWER, ORGANISER)
ROUTES = (
    route("/", entering.door, open=True),
    route("/in", entering.sign_in, form=small_form, open=True),
    route("/in/{link}", entering.follow, open=True),
    route("/out", entering.sign_out, form=small_form),
    route("/page.css", files.style, open=True),
    route("/guidelines", entering.guidelines),
    route("/media/{name}", files.media, LOOKERS),
    route("/shown/{what}/{seal}", files.shown, (PERSON,)),
    route("/review", answering.review, (PERSON,)),
    route("/tasks", answering.tasks, (PERSON,)),
    route("/answer", answering.answer, (PERSON,), form=card_form),
    route("/undo", answering.undo, (PERSON,), form=card_form),  # it says which cards are there
    route("/look", answering.look, (PERSON,), form=small_form),
    route("/organiser", organiser.organiser, LOOKERS),
    route("/organiser/person", organiser.add, (ORGANISER,), form=small_form),
    route("/organiser/exclude", organiser.exclude, (ORGANISER,), form=small_form),
    route("/organiser/end", organiser.end, (ORGANISER,), form=small_form),
    route("/download/{name}", organiser.download, LOOKERS),
    route("/gallery", gallery.gallery, LOOKERS),
    route("/gallery/item/{name:path}", gallery.item, LOOKERS),
)

NO_PAGE = {
    404: "There is nothing at this address; go to the start of the app, /.",
    405: "This address is not asked in this way; go to the start of the app, /.",
}
THREADS = 64  # requests worked on at once; writers of one moment share a commit


def make_app(site: Site) -> App:
    """An ASGI application for one project.

    It serves only ``site.hosts``. Nothing of it is global: several run side by side.
    """
    shared = Shared(Rate(SAID_AT_ONCE, SAID_A_SECOND), Turns())
    static = StaticFiles(directory=Path(__file__).parent / "static")
    routes = [make(site, shared) for make in ROUTES]
    app = Starlette(
        routes=[*routes, Mount("/static", static)],
        lifespan=_threads,
        exception_handlers={HTTPException: _no_page},
    )
    # guessing codes is slow, everything else only bounded
    rates = {"/in": Rate(20, 0.5), "": Rate(2000, 1000)}
    return Guard(app, site.hosts, rates)


async def _no_page(request: Request, error: Exception) -> Response:
    """What is at no address of the app, or cannot be asked in this way."""
    assert isinstance(error, HTTPException)
    why = NO_PAGE.get(error.status_code, error.detail)
    if wants_json(request.headers):
        return JSONResponse({"refused": why}, error.status_code, error.headers)
    return PlainTextResponse(why + "\n", error.status_code, error.headers)


@asynccontextmanager
async def _threads(app: Starlette) -> AsyncIterator[None]:
    current_default_thread_limiter().total_tokens = THREADS
    yield
