"""The app as a whole: every address in one table, behind the guard.

Several processes serve one project (``people/web/_processes.py``): they share a listening socket,
from which each takes one connection at a time, and what they must agree on is in the database and
in ``review.key``. A process keeps for itself only what may differ: which sessions were open within
five seconds, rates, and the organiser's sums, which ``Recent`` makes anew when the people have
changed. The process that started them replaces one that ends; they end with it, however it ends.
What is loaded at the start is frozen (``gc.freeze``), as looking through it takes a tenth of a
second each time.

The app (``people/web/``) is functions from a ``Visit`` to a response, listed in ``app.ROUTES`` with
who may see them. What it rests on:

* ``_connections.Connection`` is the server's protocol with bounds in time, and ``Crowd`` shares
  places among addresses: one connection too many pushes out the one of its address that waits
  longest for whoever opened it. So a flood from an address does not lock out others of that
  address, such as people behind one web server, as who asks at once is not waited for.
* ``_guard.Guard`` sees each request first and each response last: names (DNS rebinding), sizes,
  origins, rates; the headers are on every answer, refusals and faults included.
* A form is read only for who may send it, up to what a card can hold; ``_fields`` reads numbers,
  each within bounds; ``Turns`` has four requests of a client worked on at once, and keeps the rest
  waiting outside the threads that all share.
* A cookie is the signed number of a row of ``session``; the row is what counts. ``Sessions`` asks
  for it once in five seconds. A link holds how often its person's were ended (``person.revoked``),
  behind its ``#``, so that it is in no log; a button at ``/link`` sends it.
* A refusal says nothing but what was sent: ``answering._choice`` refuses before it translates, and
  what is said twice is refused by ``Visit.said``. ``test_oracle.py`` compares all answers.
* What a database cannot do is a ``StoreError`` from ``store.py`` on, with a sentence for people and
  a kind for the status; SQLAlchemy's exceptions stay inside ``people/review/``.
* A person's page holds no number of an item, turn or file that could be read: known items have
  numbers of their own, and files are named by row. Forms, keys of cards and addresses of files
  carry them sealed for this person and purpose (``_seal``), and messages leave them out. All cards
  are alike but for picture and class names (``test_all_cards_are_alike``). ``/media/NAME`` is for
  viewers and the organiser; people who answer get files at ``/shown/``, with headers that are the
  same for all. ``tests/people/web/test_attacker.py`` plays a reviewer who has the program and the
  data.
* The seed of a project is 128 bits, as text, unless a number was given (``_orders.drawn``): each
  purpose and time has a key from HMAC-SHA256, so that what one draw shows tells nothing of another.
  From a number, which can be found by trying, draws are those of ``seeds.draw``; earlier projects
  have one, and keep their orders.
* The script (``review.js``, ``card.js``, ``kept.js``) keeps each answer and each undo under a key
  of its own in ``localStorage`` and delivers them one at a time, in order, until the server has
  them; ids make a repetition harmless. Whatever is neither taken nor refused in words stays there.
  What is chosen and not sent is a draft beside them, by the key of its card; it goes when its
  answer is taken, or the card is no longer handed out.
"""

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
from ._site import Site
from ._turns import Turns
from ._visit import SAID_A_SECOND, SAID_AT_ONCE, Shared, route
from .links import ORGANISER, PERSON, VIEWER

LOOKERS = (VIEWER, ORGANISER)
ROUTES = (
    route("/", entering.door, open=True),
    route("/in", entering.sign_in, form=small_form, open=True),
    route("/in/{link}", entering.old_link, open=True),
    route("/link", entering.link, open=True),
    route("/link", entering.follow, form=small_form, open=True),
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
    route("/organiser/decide", organiser.decide, (ORGANISER,), form=card_form),
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
