"""The app as a whole: every address in one table, behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from anyio.to_thread import current_default_thread_limiter
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

from . import answering, entering, files, gallery, organiser
from ._guard import App, Guard, Rate
from ._links import ORGANISER, PERSON, VIEWER
from ._site import Site
from ._visit import SAID_A_SECOND, SAID_AT_ONCE, route

LOOKERS = (VIEWER, ORGANISER)
ROUTES = (
    route("/", entering.door, open=True),
    route("/in", entering.sign_in, form=True, open=True),
    route("/in/{link}", entering.follow, open=True),
    route("/out", entering.sign_out, form=True),
    route("/page.css", files.style, open=True),
    route("/guidelines", entering.guidelines),
    route("/media/{name}", files.media),
    route("/review", answering.review, (PERSON,)),
    route("/tasks", answering.tasks, (PERSON,)),
    route("/answer", answering.answer, (PERSON,), form=True),
    route("/undo", answering.undo, (PERSON,), form=True),
    route("/look", answering.look, (PERSON,), form=True),
    route("/organiser", organiser.organiser, LOOKERS),
    route("/organiser/person", organiser.add, (ORGANISER,), form=True),
    route("/organiser/exclude", organiser.exclude, (ORGANISER,), form=True),
    route("/download/{name}", organiser.download, LOOKERS),
    route("/gallery", gallery.gallery, LOOKERS),
    route("/gallery/item/{name:path}", gallery.item, LOOKERS),
)

THREADS = 64  # requests worked on at once; writers of one moment share a commit


def make_app(site: Site) -> App:
    """An ASGI application for one project.

    It serves only ``site.hosts``. Nothing of it is global: several run side by side.
    """
    said = Rate(SAID_AT_ONCE, SAID_A_SECOND)
    static = StaticFiles(directory=Path(__file__).parent / "static")
    routes = [make(site, said) for make in ROUTES]
    app = Starlette(routes=[*routes, Mount("/static", static)], lifespan=_threads)
    # guessing codes is slow, everything else only bounded
    rates = {"/in": Rate(20, 0.5), "": Rate(2000, 1000)}
    return Guard(app, site.hosts, rates)


@asynccontextmanager
async def _threads(app: Starlette) -> AsyncIterator[None]:
    current_default_thread_limiter().total_tokens = THREADS
    yield
