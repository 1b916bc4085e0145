"""The documentation site, built as ``make site`` builds it, without a network."""

from __future__ import annotations

import functools
import http.server
import importlib
import inspect
import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

import griffe
import pytest

import candidly
from check_site import clicks, faults, read_site

from needs import a_browser

ROOT = Path(__file__).parents[1]

# what a newcomer asks, one question a tutorial, and words of the sentence that answers it
ANSWERS = {
    "Is the covering rate of my classifier its accuracy?": (
        "tutorials/partial-labels.html",
        "Covering rate is how often the predicted class is among the candidates. It is not the",
    ),
    "I had the suspicious labels checked. How many wrong ones are left?": (
        "tutorials/wrong-labels.html",
        "So at most 20 labels are still wrong, with 95 % confidence.",
    ),
    "Which of my annotators guess, and which mix up two classes?": (
        "tutorials/several-annotators.html",
        "Kim says oak for ash and ash for oak: two names are swapped.",
    ),
    "May I say which of my models is the best?": (
        "tutorials/benchmark-owner.html",
        "publish both accuracies and both versions of the labels, and no winner",
    ),
    "Three questions are about one text. Are they three questions?": (
        "tutorials/leaderboard.html",
        "three questions about one article are not three independent questions",
    ),
    "The ± of two algorithms overlap. Is there no difference?": (
        "tutorials/new-method.html",
        "overlap decides nothing: both algorithms saw the same splits",
    ),
}

NO_NETWORK = """
import socket

def refused(*_):
    raise OSError("this build has no network")

socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = refused
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built with warnings as errors in a process that cannot connect to anything."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "usercustomize.py").write_text(NO_NETWORK)
    (folder / "sitecustomize.py").write_text(NO_NETWORK)
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder / "site"]
    environment = {**os.environ, "PYTHONPATH": str(folder), "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder / "site"


def test_docstrings_name_parameters_that_are_there(caplog):
    """What the site's build refuses, in two seconds."""
    extensions = griffe.load_extensions(ROOT / "tools" / "docstrings.py")
    options = {"docstring_parser": "google", "extensions": extensions}
    with caplog.at_level(logging.WARNING):
        todo = [griffe.load("candidly", search_paths=[ROOT / "src"], **options)]
        number = 0
        while todo:
            thing = todo.pop()
            todo += [member for member in thing.members.values() if not member.is_alias]
            if thing.docstring is not None:
                assert thing.docstring.parsed
                number += 1
    told = [record.getMessage() for record in caplog.records]
    types = "No type or annotation for"  # compiled loops have none
    assert [text for text in told if types not in text] == []
    assert number > 5000


@pytest.fixture(scope="module")
def pages(site):
    """What each page says and where it leads."""
    return read_site(site)


@pytest.mark.slow
def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(site):
    assert list(faults(site)) == []


@pytest.mark.slow
@pytest.mark.parametrize("question", ANSWERS)
def test_a_newcomers_question_is_answered_within_two_clicks(site, pages, question):
    page, words = ANSWERS[question]
    assert clicks(site, 2)[(site / page).resolve()] <= 2
    assert words in pages[(site / page).resolve()].text


@pytest.mark.slow
def test_the_reference_has_every_public_function_and_class(site, pages):
    for page in sorted((ROOT / "docs" / "reference").glob("*.md")):
        if page.stem in ("index", "candidly", "compare", "data", "errors", "learn", "people"):
            continue  # faces, whose names tests/test_faces.py has
        module = importlib.import_module(page.read_text().partition("\n")[0].removeprefix("# "))
        public = getattr(module, "__all__", None)
        ids = pages[(site / "reference" / f"{page.stem}.html").resolve()].ids
        for name, value in inspect.getmembers(module, inspect.isroutine) + inspect.getmembers(
            module, inspect.isclass
        ):
            if public is None and (value.__module__ != module.__name__ or name[0] == "_"):
                continue
            if public is not None and name not in public:
                continue
            if value.__module__.startswith(module.__name__):
                here = f"{module.__name__}.{name}"
                assert {here, f"{here}.{name}"} & ids, (page.name, name)


def test_the_reference_of_candidly_names_all_of_it():
    text = (ROOT / "docs" / "reference" / "candidly.md").read_text()
    for name in candidly.__all__:
        if not inspect.ismodule(getattr(candidly, name)):
            assert f"[{name}](" in text or f"`{name}`" in text, name


@pytest.mark.slow
def test_in_a_browser_the_search_finds_a_page_and_nothing_is_asked_of_others(site):
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(site))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}"
    asked = []
    try:
        with a_browser() as browser:
            page = browser.new_page()
            page.on("request", lambda request: asked.append(request.url))
            page.goto(f"{home}/index.html")
            page.get_by_placeholder("Search").fill("covering rate")
            page.locator(".md-search-result__link").first.wait_for()
            page.locator(".md-search-result__link").first.click()
            page.wait_for_url(f"{home}/*.html*")
    finally:
        server.shutdown()
    assert [url for url in asked if not url.startswith((home, "data:", "blob:"))] == []


def test_faults_are_found(tmp_path):
    def page(body):
        return f"<html><body><article>{body}</article></body></html>"

    (tmp_path / "index.html").write_text(
        page('<a href="a.html#there">a</a><a href="a.html#gone">b</a><a href="b.html">c</a>')
    )
    (tmp_path / "a.html").write_text(
        page('<h2 id="there">A</h2><script src="https://example.org/x.js"></script>')
    )
    assert list(faults(tmp_path)) == [
        "a.html loads https://example.org/x.js from elsewhere",
        "index.html: a.html#gone leads to no heading of that page",
        "index.html: b.html leads to no file of the site",
    ]
    assert clicks(tmp_path, 2) == {tmp_path / "index.html": 0, tmp_path / "a.html": 1}
