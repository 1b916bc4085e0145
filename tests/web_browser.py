"""A real browser on a review app that runs: servers, and pages that are read and typed at."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
from playwright.sync_api import Page

from candidly import review
from candidly.people.web import Site

from web_cases import an_app

PATIENCE_S = 20.0
LABELS = {"question": "several labels", "threshold": None, "whole_batch": True}

CARD = """() => {
  const desk = document.getElementById("desk");
  const node = desk && desk.querySelector("section.card");
  if (!node || document.body.hasAttribute("data-back")) return null;
  const id = node.querySelector('input[name="id"]');
  const item = node.querySelector(".item > *");
  const buttons = {};
  for (const button of node.querySelectorAll("button[data-key]")) {
    buttons[button.dataset.key] = button.lastChild.textContent.trim();
  }
  return {
    id: id ? id.value : "",
    item: item ? item.textContent.trim() : "",
    items: [...node.querySelectorAll("fieldset.one .item")].map((one) => one.textContent.trim()),
    buttons,
    nothing: node.hasAttribute("data-nothing"),
  };
}"""


class Server:
    """``candidly review serve`` as a process of its own."""

    def __init__(self, folder: Path, *options: str, port: int = 0) -> None:
        command = [sys.executable, "-m", "candidly", "review", "serve", str(folder), *options]
        self.process = subprocess.Popen(
            [*command, "--port", str(port), "--json"],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        told = json.loads(self.process.stdout.readline())
        self.address: str = told["address"]
        self.links: dict[str, str] = told["links"]

    @property
    def port(self) -> int:
        return urlsplit(self.address).port

    def kill(self) -> None:
        """As a crash does: at once."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@contextmanager
def served(site: Site):
    """The app in a thread, on a free port; its address."""
    config = uvicorn.Config(
        an_app(site), port=0, log_level="warning", access_log=False, ws="none", lifespan="off"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = server.force_exit = True
        thread.join()


def until(found, patience: float = PATIENCE_S):
    """What ``found`` gives as soon as it is something."""
    end = time.monotonic() + patience
    while not (value := found()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)
    return value


@dataclass(frozen=True)
class Screen:
    """A page of somebody who answers."""

    page: Page

    def sign_in(self, address: str, code: str) -> None:
        """By keyboard alone: the field has the focus."""
        self.page.goto(address)
        until(lambda: self.focus() == "input code")
        self.page.keyboard.type(code)
        self.page.keyboard.press("Enter")
        self.ready()

    def follow(self, link: str) -> None:
        """By keyboard alone: the button has the focus."""
        self.page.goto(link)
        until(lambda: self.focus() == "button enter")
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(lambda address: not address.partition("#")[0].endswith("/link"))

    def ready(self) -> dict:
        """The card, once the script has it."""
        self.page.locator("body[data-ready]").wait_for(state="attached")
        return self.card()

    def card(self, after: dict | None = None) -> dict:
        """The card that is shown; another than ``after``."""

        def found() -> dict | None:
            card = self.page.evaluate(CARD)
            return None if card is None or (after and card["id"] == after["id"]) else card

        return until(found)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def answer(self, key: str) -> dict:
        """Presses a key that answers; the next card."""
        card = self.card()
        self.press(key)
        return self.card(after=card)

    def say(self, name: str) -> dict:
        """Answers with a class by keyboard: its button, or a search among the others."""
        card = self.card()
        keys = {text: key for key, text in card["buttons"].items()}
        if name in keys:
            self.press(keys[name])
        else:
            self.press("/")
            self.page.keyboard.type(name)
            self.press("Enter")
        return self.card(after=card)

    def leave(self) -> None:
        """Closes the page once the server has everything."""
        self.saved()
        self.page.close()

    def state(self) -> str:
        return self.page.locator("#state").inner_text()

    def wrong(self) -> str:
        """What is complained about, once it is."""
        return until(lambda: self.page.locator("#wrong").inner_text())

    def saved(self) -> None:
        """Waits until the server has everything."""
        until(lambda: "all saved" in self.state())

    def kept(self) -> list[dict]:
        """Entries that the browser keeps."""
        return self.page.evaluate(
            """() => Object.keys(localStorage).filter((key) => key.startsWith("candidly candidly-"))
                 .map((key) => JSON.parse(localStorage.getItem(key)))"""
        )

    def focus(self) -> str:
        """Tag, id and class of what has the focus."""
        return self.page.evaluate(
            """() => { const one = document.activeElement;
                 return `${one.tagName.toLowerCase()} ${one.id} ${one.className}`.trim(); }"""
        )


def arrive(browser, link: str) -> Screen:
    """The screen of somebody who follows their link, on a machine of their own."""
    screen = Screen(browser.new_context().new_page())
    screen.follow(link)
    screen.ready()
    return screen


def decide_all(page: Page, link: str, right: Callable[[Page], str]) -> list[str]:
    """The organiser has the last word on every item on which people differ: names of these.

    Args:
        right: what the label of the item on the page is.
    """
    page.goto(link)
    page.get_by_role("button").first.click()
    page.locator("a", has_text="you decide").click()
    page.locator(".grid a").first.click()
    done = []
    while True:
        name = page.inner_text("h1")
        page.fill("#decide-name", right(page))
        page.click("#decide button[value=named]")
        until(lambda: "Decided:" in page.inner_text("#decide"))
        page.wait_for_load_state()  # what follows that word is read, too
        done.append(name)
        following = page.locator("#decide a", has_text="Next item on which people differ")
        if not following.count():
            return done
        following.click()
        until(lambda name=name: page.inner_text("h1") != name)


def answers_of(project) -> dict[str, str]:
    """Name of each item -> the answer that stands."""
    votes = review.votes(project, everything=True)
    return dict(zip(votes["name"], votes["answer"]))
