"""The review screen in Chromium: by keyboard, through crashes, offline, without its script."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import wave
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from candidly import review
from candidly.people.web.links import PERSON, SESSION_S, VIEWER, session_text

from review_cases import CLASSES, some_items
from web_browser import LABELS, Screen, Server, answers_of, until
from web_cases import TOKEN, a_project

MANY = tuple(f"{one}{two}" for one in "abcd" for two in ("pe", "lm", "rk"))


# ---- fifty items, a crash, nothing lost


def meaning(card: dict, key: str) -> str:
    """What a key says of the item shown, from the text of its button."""
    number = int(card["item"].rsplit("i", 1)[1])
    given, guessed = CLASSES[number % 3], CLASSES[(number + 1) % 3]
    text = card["buttons"][key]
    return {given: "given", guessed: "guessed"}.get(text, text)


LATENCY = """() => {
  window.times = [];
  let since = 0;
  document.addEventListener("keydown", (event) => {
    since = /^[0-4]$/.test(event.key) ? performance.now() : 0;
  }, true);
  new MutationObserver(() => {
    if (!since || !document.querySelector("#desk section.card")) return;
    const from = since;
    since = 0;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      window.times.push(performance.now() - from);
    }));
  }).observe(document.getElementById("desk"), { childList: true });
}"""


@pytest.mark.slow
def test_fifty_items_by_keyboard_through_a_crash(tmp_path, visit, capsys):
    folder, gold = tmp_path / "check", {f"i{k}": "given" for k in range(50, 55)}
    items = [
        replace(item, shown=review.Shown("text", f"look at {item.name}")) for item in some_items(55)
    ]
    a_project(folder, items=items, gold=gold, gold_every=10, repeat_every=12).close()
    server = Server(folder)
    screen, chance = visit(), random.Random(5)
    visit.home.add(server.address.split("/")[2])
    done: list[tuple[str, str, bool]] = []  # what was pressed: item, meaning, shown openly
    times: list[float] = []

    def note(text: str) -> None:
        screen.press("n")
        assert screen.focus().startswith("textarea")
        screen.page.keyboard.type(text)
        assert screen.card()["id"] == card["id"]
        screen.press("Escape")

    try:
        screen.sign_in(server.address, "ann")
        screen.page.evaluate(LATENCY)
        card = screen.card()
        undone, crashed, opened = 0, False, False
        while not card["nothing"]:
            turn = len(done)
            if turn % 9 == 2:
                note(f"a note with keys 1 2 z o {turn}")
            if turn % 11 == 3:
                screen.press("Space")
                expect(screen.page.locator("#large")).to_be_visible()
                screen.press("1", "Escape")
                expect(screen.page.locator("#large")).not_to_be_visible()
            if turn % 13 == 4:
                screen.press("?")
                expect(screen.page.locator("#keys")).to_be_visible()
                screen.press("Escape")
                screen.press("ArrowLeft", "1", "ArrowRight")
            if turn == 9 and not opened:
                screen.press("o")
                until(lambda: "given label" in screen.page.locator("#desk").inner_text())
                card, opened = screen.card(), True
            if turn == 20 and not crashed:
                screen.saved()
                server.kill()
                crashed = True
            key = chance.choice("1112234" + "0" * (turn % 5 == 0))
            done.append((card["item"], meaning(card, key), opened and turn == 9))
            screen.press(key)
            if crashed and len(done) == 22:
                until(lambda: "2 answers are kept here" in screen.state())
                assert len(screen.kept()) == 2
                server = Server(folder, port=server.port)
            card = screen.card(after=card)
            if len(done) % 8 == 7 and undone < 6 and not (crashed and len(done) < 22):
                undone += 1
                screen.press("z")
                back = done.pop()
                card = screen.card(after=card)
                assert card["item"] == back[0]
        screen.saved()
        times = screen.page.evaluate("() => window.times")
        assert screen.state().startswith(f"{len(done)} answered")
    finally:
        server.kill()

    assert undone == 6
    assert len(done) >= 54
    counted: dict[str, str] = {}
    for item, said, shown_openly in done:
        name = item.rsplit(" ", 1)[1]
        if name not in gold and not shown_openly:
            counted.setdefault(name, said)  # a repetition comes later
    repeated = [item for item, number in Counter(item for item, _, _ in done).items() if number > 1]
    assert len(repeated) >= 2
    out = tmp_path / "totals.json"
    command = ("review", "export", str(folder), "--as", "totals", "--out", str(out))
    subprocess.run([sys.executable, "-m", "candidly", *command], check=True, capture_output=True)
    with review.open_project(folder) as project:
        votes = review.votes(project)
        assert dict(zip(votes["name"], votes["answer"])) == counted
        assert len(review.votes(project, everything=True)) == len(done)
        notes = [text for text in votes["note"] if text]
        assert all(text.startswith("a note with keys 1 2 z o") for text in notes)
        assert len(notes) >= 4
        expected = Counter(counted.values())
        totals = Counter()
        for row in json.loads(out.read_text()):
            totals.update(row["mturk"])
        assert totals == {k: v for k, v in expected.items() if k != "skip"} | {
            k: 0 for k in totals if k not in expected
        }
    middle, late = np.percentile(times, [50, 95])
    with capsys.disabled():
        print(f"\nanswer to next item painted: median {middle:.0f} ms, p95 {late:.0f} ms", end=" ")
    assert middle < 100


# ---- labels


def test_labels_by_keyboard(serve, visit):
    site, address = serve(6, **LABELS, batch=3, most_labels=2, most_per_label=2)
    screen = visit()
    screen.sign_in(address, "ann")
    first = screen.card()
    assert len(first["items"]) == 3
    screen.press("Enter")  # nothing is answered yet
    assert "not answered yet" in screen.wrong()
    screen.press("1", "2", "3", "Enter")
    assert "At most 2 labels" in screen.wrong()
    screen.press("3", "ArrowDown", "1", "ArrowDown", "1", "Enter")
    assert "cat is on 3 items; at most 2" in screen.wrong()
    assert screen.card()["id"] == first["id"]
    # the complaint leads to the first item with it
    screen.press("1", "ArrowDown", "s", "ArrowDown", "ArrowDown", "ArrowDown", "2", "ArrowUp", "s")
    assert review.votes(site.project).is_empty()
    screen.press("s", "Enter")
    second = screen.card(after=first)
    screen.saved()
    names = [text.split()[-1] for text in first["items"]]
    assert answers_of(site.project) == dict(zip(names, ["1", "skip", "0 1"]))
    screen.press("z")  # of the batch the last item alone
    again = screen.card(after=second)
    assert again["items"] == first["items"][2:]
    screen.press("3", "Enter")
    screen.card(after=again)
    screen.saved()
    assert answers_of(site.project) == dict(zip(names, ["1", "skip", "2"]))


def test_a_label_is_searched(serve, visit):
    changes = {**LABELS, "question": "one label", "batch": 2, "classes": MANY}
    site, address = serve(4, **changes)
    screen = visit()
    screen.sign_in(address, "ann")
    card = screen.card()
    screen.press("/")
    assert screen.focus() == "input  find"
    screen.page.keyboard.type("ln")  # nothing of that name; keys that are typed do nothing else
    screen.press("Enter")
    assert screen.page.locator(".find").first.input_value() == "ln"
    assert screen.card()["id"] == card["id"]
    screen.press("Escape", "/")
    screen.page.keyboard.type("clm")
    visible = screen.page.locator("fieldset.one").first.locator(".names label:visible")
    assert visible.count() == 1
    screen.press("Enter")
    assert visible.count() == len(MANY) + 1
    screen.press("Enter")  # which leads to the item that is left
    assert "not answered yet" in screen.wrong()
    screen.press("/")
    screen.page.keyboard.type("b")
    screen.press("Enter", "ArrowRight")  # the first with a b, and the one after it
    screen.press("Enter")
    screen.card(after=card)
    screen.saved()
    names = [text.split()[-1] for text in card["items"]]
    chosen = [str(MANY.index(label)) for label in ("clm", "blm")]
    assert answers_of(site.project) == dict(zip(names, chosen))


def test_yes_or_no_by_keyboard(serve, visit):
    site, address = serve(3, question="yes or no")
    screen = visit()
    screen.sign_in(address, "ann")
    told = {}
    for key in "120":
        card = screen.card()
        told[card["item"].split()[-1]] = {"1": "yes", "2": "no", "0": "skip"}[key]
        number = int(card["item"].rsplit("i", 1)[1])
        assert CLASSES[number % 3] in card["buttons"]["1"]
        screen.answer(key)
    assert screen.card()["nothing"]
    screen.saved()
    assert answers_of(site.project) == told


# ---- without the script, offline, signed out


def test_without_the_script(serve, visit):
    site, address = serve(3)
    page = visit(java_script_enabled=False).page
    page.goto(address)
    page.get_by_label("Your code").fill("ann")
    page.get_by_role("button", name="Sign in").click()
    told = {}
    for text in ("both", "neither", "skip"):
        item = page.locator(".item .text").inner_text().split()[-1]
        page.get_by_role("button", name=text).click()
        told[item] = text
    expect(page.get_by_text("Nothing to do")).to_be_visible()
    assert answers_of(site.project) == told
    page.get_by_role("button", name="Undo the last answer").click()
    assert page.locator(".item .text").inner_text().split()[-1] == item
    assert item not in answers_of(site.project)
    page.get_by_role("button", name="both").click()
    assert answers_of(site.project) == told | {item: "both"}
    expect(page.get_by_text("3 answered")).to_be_visible()


def test_offline_and_back_and_the_page_closed_between(serve, visit):
    site, address = serve(8)
    screen = visit()
    screen.sign_in(address, "ann")
    said = {screen.card()["item"].split()[-1]: "both"}
    screen.answer("3")
    screen.saved()
    assert answers_of(site.project) == said
    screen.page.context.set_offline(True)
    card = screen.card()
    for key, what in (("4", "neither"), ("0", "skip"), ("3", "both")):  # as many as are held
        item = card["item"].split()[-1]
        said[item] = what
        screen.press(key)
        until(lambda: f"{len(said) - 1} answer" in screen.state())
        card = screen.card(after=card) if len(said) < 4 else None
    screen.press("4", "3")  # there is nothing to answer
    screen.press("z")  # taken back, when there is a connection
    del said[item]
    assert "Taking back" in screen.page.locator("#desk").inner_text()
    assert len(screen.kept()) == 4
    assert len(answers_of(site.project)) == 1
    screen.page.close()
    screen.page.context.set_offline(False)
    other = Screen(screen.page.context.new_page())
    other.page.goto(f"{address}/review")
    assert other.ready()["item"].split()[-1] == item
    other.saved()
    assert other.kept() == []
    assert answers_of(site.project) == said
    assert other.state().startswith("3 answered")


def test_signed_out_in_the_middle(serve, visit):
    site, address = serve(6)
    screen = visit()
    screen.sign_in(address, "ann")
    screen.answer("3")
    screen.saved()
    screen.page.context.clear_cookies()
    screen.answer("4")
    assert "kept in this browser" in screen.wrong()
    screen.press("3")
    assert len(screen.kept()) == 2
    # somebody else signs in at this browser: what ann said is not theirs
    screen.sign_in(address, "bob")
    assert len(screen.kept()) == 2
    screen.answer("0")
    screen.saved()
    assert sorted(review.votes(site.project, everything=True)["person"]) == ["ann", "bob"]
    screen.page.get_by_role("button", name="Sign out").click()
    screen.sign_in(address, "ann")
    screen.saved()
    assert screen.kept() == []
    votes = review.votes(site.project, everything=True)
    assert votes.filter(votes["person"] == "ann")["answer"].sort().to_list() == [
        "both",
        "both",
        "neither",
    ]


def test_a_session_that_expires_and_one_that_is_renewed_elsewhere(serve, visit):
    site, address = serve(6)
    screen = visit()
    screen.sign_in(address, "ann")
    now = site.project.clock
    object.__setattr__(site.project, "clock", lambda: now() - SESSION_S - 60)
    old = session_text(site, PERSON, review.find_person(site.project, "ann"))
    object.__setattr__(site.project, "clock", now)
    screen.page.context.add_cookies([{"name": site.cookie, "value": old, "url": address}])
    screen.answer("3")
    assert "signed out" in screen.wrong()
    screen.page.get_by_role("link", name="Load this page again").click()
    screen.page.get_by_label("Your code").wait_for()
    screen.sign_in(address, "ann")
    screen.saved()
    assert len(answers_of(site.project)) == 1
    # a session that is renewed in another tab: this page's forms are of the old one
    screen.page.context.clear_cookies()
    other = Screen(screen.page.context.new_page())
    other.sign_in(address, "ann")
    screen.answer("4")
    assert "kept in this browser" in screen.wrong()
    assert len(screen.kept()) == 1
    screen.page.get_by_role("link", name="Load this page again").click()
    until(lambda: screen.kept() == [])
    screen.ready()
    assert sorted(answers_of(site.project).values()) == ["both", "neither"]


def test_two_tabs_of_one_person(serve, visit):
    site, address = serve(8)
    one = visit()
    one.sign_in(address, "ann")
    two = Screen(one.page.context.new_page())
    two.page.goto(f"{address}/review")
    same = two.ready()
    assert same["item"] == one.card()["item"]
    one.answer("3")
    one.saved()
    two.answer("4")  # the same item: the first answer stands, and this tab is told
    assert "An answer was not taken: 'ann' has answered this item already." in two.wrong()
    two.saved()
    assert list(answers_of(site.project).values()) == ["both"]
    for _ in range(20):
        for tab in (one, two):
            if not tab.card()["nothing"]:
                tab.answer("3")
    for tab in (one, two):
        tab.saved()
        assert tab.card()["nothing"]
        assert tab.kept() == []
        tab.page.reload()
        assert tab.state().startswith("8 answered")
    assert list(answers_of(site.project).values()) == ["both"] * 8


def test_a_person_is_left_out_while_they_answer(serve, visit):
    site, address = serve(8)
    screen = visit()
    screen.sign_in(address, "ann")
    screen.answer("3")
    screen.saved()
    review.exclude(site.project, review.find_person(site.project, "ann"), "exclude-ann")
    for _ in range(4):  # what the page holds can still be said
        if not screen.card()["nothing"]:
            screen.answer("3")
    assert screen.card()["nothing"]
    assert "Nothing to do" in screen.page.locator("#desk").inner_text()
    screen.saved()
    assert review.votes(site.project).is_empty()
    assert 2 <= len(answers_of(site.project)) <= 4


# ---- what items look like


def test_sounds(serve, visit, tmp_path):
    def sound(name: str) -> None:
        wave_of = (8000 * np.sin(np.arange(32000) / 5) * np.linspace(0, 1, 32000)).astype("<i2")
        with wave.open(str(tmp_path / "check0" / "media" / name), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(8000)
            file.writeframes(wave_of.tobytes())

    (tmp_path / "check0" / "media").mkdir(parents=True)
    items = [
        replace(item, shown=review.Shown("audio", f"{item.row}.wav")) for item in some_items(3)
    ]
    for item in items:
        sound(item.shown.payload)
    site, address = serve(items=items)
    screen = visit()
    screen.sign_in(address, "ann")
    drawn = """() => {
      const canvas = document.querySelector("#desk canvas");
      const pen = canvas.getContext("2d");
      const high = (x) => {
        const pixels = pen.getImageData(x, 0, 20, canvas.height).data;
        return pixels.filter((value, k) => k % 4 === 3 && value > 0).length / 20;
      };
      return canvas.hidden ? null : [high(10), high(600)];
    }"""
    start, end = until(lambda: [v for v in screen.page.evaluate(drawn) or [] if v] or None)
    assert end > 5 * start  # it grows louder

    def audio(what: str):
        return screen.page.evaluate(f"() => document.querySelector('#desk audio').{what}")

    until(lambda: audio("readyState") >= 2)
    screen.press("p")
    until(lambda: not audio("paused"))
    screen.press("p")
    until(lambda: audio("paused"))
    before = audio("currentTime")
    screen.press("]")
    until(lambda: audio("currentTime") > before + 1)
    screen.press("[")
    until(lambda: audio("currentTime") < before + 1)
    screen.answer("3")
    screen.saved()
    assert len(answers_of(site.project)) == 1


def test_tables(serve, visit):
    values = [0.5, -2.0, 1e-9]
    items = [
        replace(item, shown=review.Shown("table", json.dumps(values))) for item in some_items(2)
    ]
    _, address = serve(items=items)
    screen = visit()
    screen.sign_in(address, "ann")
    from review_pages import shows

    shows(screen.page.locator("#desk tbody td"), ["0.5", "-2", "1e-09"])


def test_small_images_are_enlarged_in_whole_steps(serve, visit):
    items = [replace(i, shown=review.Shown("image", f"{i.row}.png")) for i in some_items(2)]
    _, address = serve(items=items)
    screen = visit()
    screen.sign_in(address, "ann")
    image = screen.page.locator("#desk .item img")
    assert image.bounding_box()["width"] == 384  # 48 times 8
    assert "crisp" in image.get_attribute("class")
    until(lambda: image.evaluate("(one) => one.complete && one.naturalWidth"))
    assert image.evaluate("(one) => getComputedStyle(one).imageRendering") == "pixelated"
    screen.press("Space")
    large = screen.page.locator("#large img")
    assert large.bounding_box()["height"] > 0.7 * screen.page.viewport_size["height"]
    screen.press("Space")  # on the button to close
    expect(large).not_to_be_visible()


# ---- keys, focus


def test_keys_do_not_steal_and_can_be_switched_off(serve, visit):
    site, address = serve(6)
    screen = visit()
    screen.sign_in(address, "ann")
    card = screen.card()
    screen.press("n")
    screen.page.keyboard.type("1234 0zno?/ s")
    screen.press("ArrowLeft")
    assert screen.page.locator("#desk textarea").input_value() == "1234 0zno?/ s"
    screen.press("Escape")
    assert screen.focus() == "section  card"
    for keys in ("Control+z", "Alt+1", "Meta+2", "Control+3"):
        screen.press(keys)
    assert screen.card()["id"] == card["id"]
    screen.press("?", "1", "z", "o")
    expect(screen.page.locator("#keys")).to_be_visible()
    box = screen.page.get_by_label("Keys answer without a button in focus")
    assert box.is_checked()
    box.focus()
    screen.press("Space", "Escape")
    assert not box.is_checked()
    screen.press("1", "z", "o", "n", "?")
    assert screen.card()["id"] == card["id"]
    expect(screen.page.locator("#keys")).not_to_be_visible()
    screen.page.reload()
    screen.ready()
    screen.press("2")
    assert answers_of(site.project) == {}
    screen.press("Tab", "Enter")  # the buttons remain
    screen.card(after=card)
    screen.page.get_by_role("button", name="Keys").click()
    box.check()
    screen.press("Escape")
    screen.answer("3")
    screen.saved()
    assert len(answers_of(site.project)) == 2


def test_focus_after_each_answer(serve, visit):
    _, address = serve(6)
    screen = visit()
    screen.page.goto(address)
    until(lambda: screen.focus() == "input code")
    screen.sign_in(address, "ann")
    for _ in range(2):
        assert screen.focus() == "section  card"
        screen.answer("3")
    screen.press("Tab")
    assert screen.focus() == "button"
    ring = """() => { const look = getComputedStyle(document.activeElement);
      return [look.outlineStyle, parseFloat(look.outlineWidth)]; }"""
    assert screen.page.evaluate(ring) == ["solid", 3]
    card = screen.card()
    screen.press("Enter")  # on the button with the focus
    screen.card(after=card)
    assert screen.focus() == "section  card"
    card = screen.card()
    screen.press("z")
    card = screen.card(after=card)
    assert screen.focus() == "section  card"
    screen.press("ArrowLeft")
    assert "looking back 1" in screen.state()
    # at the answer before the one that was taken back
    assert screen.page.locator("#desk .item").inner_text().strip() != card["item"]
    screen.press("Escape")
    assert screen.focus() == "section  card"


def test_a_skip_link_comes_first(serve, visit):
    _, address = serve(2)
    screen = visit()
    screen.sign_in(address, "ann")
    screen.page.evaluate("() => document.activeElement.blur()")
    screen.page.goto(f"{address}/guidelines")
    screen.press("Tab")
    link = screen.page.get_by_role("link", name="To the content")
    assert link.bounding_box()["x"] >= 0


# ---- everybody can use it, everywhere


@pytest.fixture
def all_pages(serve, visit):
    """Addresses of all pages, and who opens each, for projects of every question."""
    long = "a class whose name is very long and has no end that one would see coming"
    names = (long, "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk", "owl")

    def all_pages(**context):
        for question in ("verdict", "several labels", "yes or no"):
            batch = {"batch": 2, "whole_batch": True} if "labels" in question else {}
            classes = names if question == "verdict" else MANY
            changes = {"question": question, "classes": classes, "threshold": None, **batch}
            _, address = serve(3, title="Pets and other animals", guidelines="Look.", **changes)
            screen = visit(**context)
            if question == "verdict":
                screen.page.goto(address)
                yield "door", screen
            screen.sign_in(address, "ann")
            yield question, screen
            if question == "verdict":
                screen.press("o")
                screen.page.get_by_text("given label").wait_for()
                yield "opened", screen
                for key in ("Space", "?"):
                    screen.press(key)
                    yield f"dialog {key}", screen
                    screen.press("Escape")
                screen.page.goto(f"{address}/guidelines")
                yield "guidelines", screen
                screen.page.goto(f"{address}/organiser-of-nothing")
                screen.page.goto(f"{address}/media/none.png")
                yield "refused", screen
        while not screen.card()["nothing"]:
            screen.answer("1")
        yield "nothing", screen

    return all_pages


WIDTH = "() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
SIZES = {"360 px": (360, 640), "200 %": (640, 400), "usual": (1280, 720)}


@pytest.mark.slow
def test_every_page_is_for_everybody(all_pages):
    axe, seen = Axe(), []
    for name, screen in all_pages(bypass_csp=True):
        for scheme in ("dark", "light"):
            screen.page.emulate_media(color_scheme=scheme)
            bad = [
                (fault["id"], [node["html"][:120] for node in fault["nodes"]])
                for fault in axe.run(screen.page).response["violations"]
                if fault["impact"] in ("serious", "critical")
            ]
            assert not bad, (name, scheme, bad)
        for size, (width, height) in SIZES.items():
            screen.page.set_viewport_size({"width": width, "height": height})
            wide, room = screen.page.evaluate(WIDTH)
            assert wide <= room, (name, size)
        seen.append(name)
    assert len(seen) == 10


def test_paths_that_a_browser_would_tidy_lead_nowhere(serve):
    import http.client

    site, address = serve(2)
    session = session_text(site, VIEWER)
    outside = site.project.folder / "outside.png"
    outside.write_bytes(b"\x89PNG outside")
    (site.project.folder / "media").mkdir()
    for path in (
        "../outside.png",
        "..%2foutside.png",
        "%2e%2e/outside.png",
        "..%5coutside.png",
        f"/{outside}",
        f"%2f{outside}",
        "../review.key",
        "..%2freview.key",
        "%00",
    ):
        door = http.client.HTTPConnection(address.removeprefix("http://"), timeout=20)
        door.putrequest("GET", f"/media/{path}", skip_accept_encoding=True)
        door.putheader("Cookie", f"{site.cookie}={session}")
        door.endheaders()
        answer = door.getresponse()
        assert answer.status in (400, 404), path
        assert b"outside" not in answer.read()
        door.close()


def test_the_process_says_where_it_is(tmp_path):
    a_project(tmp_path / "check", people=()).close()
    server = Server(tmp_path / "check", "--person", "zoe", "--token", TOKEN)
    try:
        assert server.address.startswith("http://127.0.0.1:")
        assert set(server.links) == {"zoe", "organiser"}
        assert all(link.startswith(f"{server.address}/link#") for link in server.links.values())
    finally:
        server.kill()
