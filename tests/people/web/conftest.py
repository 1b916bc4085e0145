"""A review app of six images and two people; Chromium on one that runs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from anyio.from_thread import start_blocking_portal

from candidly import review

from needs import a_browser
from review_cases import some_items
from review_databases import server, url
from web_browser import Screen, served
from web_cases import TestClient, a_project, a_site

__all__ = ["server", "url"]


@pytest.fixture(scope="session", autouse=True)
def loop():
    """One event loop for all requests of clients, as a server has; else each starts its own."""
    with start_blocking_portal() as portal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(TestClient, "portal", portal)
        yield


@pytest.fixture
def project(tmp_path):
    with a_project(tmp_path / "check", title="Pets", guidelines="Look twice.") as project:
        yield project


@pytest.fixture
def site(project):
    return a_site(project)


@pytest.fixture(scope="module")
def chromium():
    with a_browser() as browser:
        yield browser


@pytest.fixture
def visit(chromium):
    """Opens a page in a context of its own, and holds it to asking nobody else, without errors."""
    contexts, asked, faults, home = [], [], [], set()

    def visit(**more) -> Screen:
        context = chromium.new_context(**more)
        contexts.append(context)
        context.on("request", lambda request: asked.append(request.url))
        context.on("weberror", lambda error: faults.append(str(error.error)))
        context.on("console", lambda said: _note(said, faults))
        page = context.new_page()
        page.set_default_timeout(20_000)
        return Screen(page)

    visit.home = home
    yield visit
    for context in contexts:
        context.close()
    assert not faults
    assert asked or not contexts
    assert {url.split("/")[2] for url in asked if not url.startswith("data:")} <= home


def _note(said, faults: list[str]) -> None:
    # the network's own complaints are part of what is tried; the policy's are not
    if said.type == "error" and "Failed to load resource" not in said.text:
        faults.append(said.text)


@pytest.fixture
def serve(tmp_path, visit):
    """Serves a new project; its site and address."""
    open_ones = []

    def serve(n: int = 6, **changes):
        items = changes.pop("items", None)
        if items is None:
            items = [
                replace(item, asks=item.given, shown=review.Shown("text", f"this is {item.name}"))
                for item in some_items(n)
            ]
        project = a_project(tmp_path / f"check{len(open_ones)}", items=items, **changes)
        site = a_site(project)
        manager = served(site)
        address = manager.__enter__()
        open_ones.append((manager, project))
        visit.home.add(address.split("/")[2])
        return site, address

    yield serve
    for manager, project in open_ones:
        manager.__exit__(None, None, None)
        project.close()
