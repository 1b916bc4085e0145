"""``candidly review serve``: the review app on this machine."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...ground.bounds import PORTS
from .._print import AsJson
from .._types import whole
from .project import by, check_installed, opened, user

if TYPE_CHECKING:
    from ...people.review import Person, Project
    from ...people.web import Site

SHOWN = 20  # links of people, where nobody is named


def serve(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The project's folder.")],
    person: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODE",
            help="Print a link that signs this person in; new people are added. May be repeated. "
            "(default: everybody who is there, up to twenty; you, while nobody is)",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to bind to; other than loopback it needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, whole("0 takes a free one.", most=PORTS)] = 8765,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="CANDIDLY_TOKEN", help="What the organiser signs in with. (default: made)"
        ),
    ] = None,
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="A further name under which others reach the app, or the whole address of what "
            "stands in front of it, https://...; needs a token.",
        ),
    ] = None,
    proxies: Annotated[
        list[str] | None,
        typer.Option(
            "--behind-proxy",
            metavar="ADDRESS",
            help="A web server in front asks from this address, such as 127.0.0.1, and says in "
            "X-Forwarded-For for whom; nobody else is believed. Needs a token.",
        ),
    ] = None,
    processes: Annotated[
        int, whole("Web processes that share the work; several need PostgreSQL.", 1, 16)
    ] = 1,
    browser: Annotated[
        bool, typer.Option("--open", help="Open the first link in a browser.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """People answer in the browser; stop with Ctrl-C. Work goes on where it was.

    Examples:

      candidly review serve check

      candidly review serve check --person ann --person bob

      candidly review serve check --host 0.0.0.0 --name labels.lan --token SECRET

      candidly review serve team --processes 4
    """
    check_installed(("sqlalchemy", "psycopg", "starlette", "uvicorn", "itsdangerous"))
    from ...people.web import open_site
    from ...people.web import serve as run

    with opened(folder) as project:
        site = open_site(project, host, token, names or (), proxies or ())
        people = _people(project, person)

        def ready(base: str) -> None:
            _tell(site, base, people, as_json)
            if browser:
                typer.launch(_links(site, base, people)[0][1])

        run(site, host, port, ready, processes, by())


def _people(project: Project, codes: list[str] | None) -> list[Person]:
    """Those named, added where they are new; else all who are there, or you."""
    from ...people.review import add_person, people

    there = {one.code: one for one in people(project)}
    if codes is None:
        codes = [*there][:SHOWN] or [re.sub(r"[^A-Za-z0-9._-]", "", user())[:64] or "me"]
    return [there.get(code) or add_person(project, code, by=by()) for code in codes]


def _links(site: Site, base: str, people: list[Person]) -> list[tuple[str, str]]:
    from ...people.web import organiser_link, person_link

    found = [(one.code, person_link(site, base, one)) for one in people]
    return [*found, ("organiser", organiser_link(site, base))]


def _tell(site: Site, base: str, people: list[Person], as_json: bool) -> None:
    links = _links(site, base, people)
    if as_json:
        print(json.dumps({"address": base, "links": dict(links)}), flush=True)
        return
    print(f"{site.title} is at {base}; Ctrl-C stops it. These links sign in:", flush=True)
    for code, link in links:
        print(f"  {code}: {link}", flush=True)
    if not site.local:
        print("others reach this machine: keep the token to yourself", file=sys.stderr)
