"""Pages: what people wrote is text, nothing is inline, nothing comes from elsewhere."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
import sqlalchemy

from candidly import review
from candidly.people.web import _templates, answering
from candidly.people.web.app import ROUTES
from candidly.people.web.links import PERSON

from review_cases import some_items
from web_cases import JSON, a_project, a_site, browser, fields_of, said

FOLDER = Path(_templates.__file__).parent
TEMPLATES = sorted((FOLDER / "templates").rglob("*.html"))
EVIL = "<script>alert(1)</script><img src=x onerror='a()'>\"'&{{7*7}}</textarea></div>"
EVILS = (f"{EVIL}0", f"{EVIL}1", f"{EVIL}2")
QUESTIONS = tuple(answering.SCREENS)


class Walk(HTMLParser):
    """Tags with their attributes, in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


def hostile(folder, question: str, kind: str):
    items = [
        replace(item, name=f"{EVIL}{k}", asks=k % 3, shown=review.Shown(kind, EVIL))
        for k, item in enumerate(some_items(6))
    ]
    if kind == "image":
        items = [replace(item, shown=review.Shown("image", f"{item.row}.png")) for item in items]
    changes = {"classes": EVILS, "title": EVIL, "guidelines": EVIL, "question": question}
    if question not in ("verdict", "yes or no"):
        changes |= {"threshold": None, "batch": 3, "whole_batch": True}
    return a_project(folder, items=items, **changes)


def pages_of(site) -> dict[str, str]:
    """All pages that somebody can get, and the pieces that the script gets."""
    nobody, ann = browser(site), browser(site, PERSON, "ann")
    found = {
        "door": nobody.get("/").text,
        "wrong": nobody.client.post("/in", data={"code": EVIL}).text,
    }
    for address in ("/review", "/guidelines"):
        found[address] = ann.get(address).text
    found["refused"] = ann.post("/undo", {"id": EVIL}).text
    cards = ann.cards()
    for k, card in enumerate(cards):
        found[f"card {k}"] = card
    ids = [v for n, v in fields_of(cards[0]) if n == "id"]
    fields = fields_of(cards[0]) + [(f"say.{id}", EVIL) for id in ids]
    found["not taken"] = ann.post("/answer", fields).text
    if "data-open" in cards[0]:
        found["opened"] = ann.post("/look", fields_of(cards[0], 1)).text
    found["nothing"] = _templates.part("nothing.html")
    return found


@pytest.fixture(params=[(q, k) for q in QUESTIONS for k in ("text", "image")], ids="-".join)
def hostile_pages(request, tmp_path):
    question, kind = request.param
    with hostile(tmp_path / "check", question, kind) as project:
        yield pages_of(a_site(project))


def test_what_people_wrote_is_text(hostile_pages):
    for name, text in hostile_pages.items():
        tags = Walk(text).tags
        allowed = [a for t, a in tags if t == "script"]
        assert all(a.get("src") == "/static/review.js" for a in allowed), name
        assert not any(a.get("src") == "x" for _, a in tags), name
        assert "49" not in re.sub(r"\b[0-9a-f]{8,}\b|/media/\S*|content=\S*", "", text), name
        assert "alert(1)</script>" not in text, name
    everything = "".join(hostile_pages.values())
    assert everything.count("&lt;script&gt;alert(1)") >= 10


def test_nothing_is_inline_and_nothing_comes_from_elsewhere(hostile_pages):
    for name, text in hostile_pages.items():
        check_tags(name, text)


def check_tags(name: str, text: str) -> None:
    for tag, attributes in Walk(text).tags:
        assert tag not in ("style", "base", "iframe", "object", "embed", "meta-refresh"), name
        if tag == "script":
            assert attributes.get("src", "").startswith("/static/"), name
        for attribute, value in attributes.items():
            assert attribute != "style", (name, tag)
            assert not attribute.startswith("on"), (name, tag, attribute)
            if attribute in ("src", "href", "action", "formaction", "poster", "srcset", "data"):
                assert re.match(r"[/#](?!/)", value or ""), (name, attribute, value)
            assert attribute != "http-equiv", name


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: p.name)
def test_templates_have_nothing_inline(path):
    text = path.read_text()
    assert "<style" not in text
    assert not re.search(r"\sstyle\s*=", text)
    assert not re.search(r"\son\w+\s*=\s*[\"']", text)
    assert not re.search(r"javascript:", text, re.IGNORECASE)
    assert not re.search(r"https?://", text)
    for script in re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL):
        assert not script.strip()
    # pages of a folder that opens from disk lie beside what they name
    of_folders = path.name.startswith(("static_", "sets_"))
    beside = r"|(\.\./)?[a-z]+(-1)?\.(html|css|js)$" if of_folders else ""
    for attribute in re.findall(r"(?:src|href|action)=\"([^\"]*)\"", text):
        assert re.match(r"[/#](?!/)|\{\{" + beside, attribute), attribute


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: p.name)
def test_what_is_not_escaped_is_html_of_our_own(path):
    # the first card, rendered by a template itself, and a table, escaped by `Grid.html`
    ours = {"review.html": "{{ first|safe }}", "sets_set.html": "{{ errors|safe }}"}
    for found in re.findall(r"\{\{[^}]*\|\s*safe[^}]*\}\}", path.read_text()):
        assert found == ours[path.name]
    assert "autoescape" not in path.read_text()
    assert _templates.environment().autoescape is True


@pytest.mark.parametrize("name", ["review.js", "card.js", "kept.js", "app.css"])
def test_static_files_ask_nobody_else(name):
    text = (FOLDER / "static" / name).read_text()
    assert not re.search(r"https?://|//[a-z]+\.", text)
    assert not re.search(r"\beval\(|new Function|document\.write|insertAdjacentHTML", text)
    # one place makes elements of text, and that is HTML from the app
    assert text.count("innerHTML") == (name == "review.js")
    assert not re.search(r"\.style\b|setAttribute\([\"']style", text)


def test_every_address_in_a_page_is_there(site):
    ann = browser(site, PERSON, "ann")
    patterns = {make(site, None).path for make in ROUTES}
    addresses = set()
    for text in (browser(site).get("/").text, ann.get("/review").text, ann.get("/guidelines").text):
        for _, attributes in Walk(text).tags:
            addresses |= {attributes[n] for n in ("src", "href") if attributes.get(n)}
    assert {"/page.css", "/static/app.css", "/static/review.js", "/review"} <= addresses
    for address in addresses - {"#main"}:
        assert ann.get(address).status_code == 200, address
    assert "/review" in patterns


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_without_the_script(tmp_path, question):
    with hostile(tmp_path / "check", question, "text") as project:
        ann = browser(a_site(project), PERSON, "ann")
        page = ann.get("/review").text
        card = re.search(r'<section class="card".*</section>', page, re.DOTALL).group()
        fields = fields_of(card)
        value = {"verdict": "both", "yes or no": "yes"}.get(question, "1")
        fields += [(f"say.{v}", value) for n, v in fields if n == "id"]
        answer = ann.post("/answer", fields)
        assert (answer.status_code, answer.headers["location"]) == (303, "/review")
        votes = review.votes(project)
        assert set(votes["answer"]) == {value}
        assert set(votes["interface"]) == {answering.INTERFACE}
        undone = ann.post("/undo", {"id": "undo-number-1"})
        assert undone.headers["location"] == "/review"
        assert len(review.votes(project)) == len(votes) - 1


def test_notes_are_text_wherever_they_go(tmp_path):
    with hostile(tmp_path / "check", "verdict", "text") as project:
        ann = browser(a_site(project), PERSON, "ann")
        [card, *_] = ann.cards()
        id = dict(fields_of(card))["id"]
        fields = [*fields_of(card), (said(card), "a"), (f"note.{id}", EVIL)]
        assert ann.post("/answer", fields, headers=JSON).status_code == 200
        assert review.votes(project)["note"].to_list() == [EVIL]


def test_an_unknown_name_in_a_template_is_an_error():
    from jinja2 import UndefinedError

    with pytest.raises(UndefinedError):
        _templates.environment().from_string("{{ nothing_of_that_name }}").render()


def test_limits_are_said_and_held(tmp_path):
    changes = {"threshold": None, "question": "several labels", "batch": 3, "whole_batch": True}
    with a_project(tmp_path / "check", most_labels=2, most_per_label=2, **changes) as project:
        ann = browser(a_site(project), PERSON, "ann")
        [card] = ann.cards()
        assert "at most 2 on an item" in card
        assert "no label on more than 2 items" in card
        ids = [v for n, v in fields_of(card) if n == "id"]

        def answers(*values: str):
            pairs = [(f"say.{id}", v) for id, value in zip(ids, values) for v in value.split()]
            return ann.post("/answer", [*fields_of(card), *pairs], headers=JSON)

        assert "at most 2" in answers("0 1 2", "0", "1").json()["refused"]
        assert "'cat' is on 3 items" in answers("0", "0", "0").json()["refused"]
        assert "0 to 2" in answers("0", "0", "7").json()["refused"]
        assert answers("0", "0").status_code == 422
        assert answers("1 0", "0", "skip").status_code == 200
        assert review.votes(project)["answer"].to_list().count("0 1") == 1
        part = [pair for pair in fields_of(card) if ids[0] not in pair[0] and ids[0] != pair[1]]
        assert len(part) < len(fields_of(card))


def test_all_labels_that_hold_or_none_of_them(tmp_path):
    changes = {"threshold": None, "question": "all labels", "batch": 2, "whole_batch": True}
    with a_project(tmp_path / "check", **changes) as project:
        ann = browser(a_site(project), PERSON, "ann")
        [card] = ann.cards()
        assert card.count('value="none"') == 2
        assert "Choose every label that holds." in card
        ids = [v for n, v in fields_of(card) if n == "id"]

        def answers(*values: str):
            pairs = [(f"say.{id}", v) for id, value in zip(ids, values) for v in value.split()]
            return ann.post("/answer", [*fields_of(card), *pairs], headers=JSON)

        assert answers("none 1", "0").status_code == 422
        assert answers("2 0", "none").status_code == 200
        assert sorted(review.votes(project)["answer"]) == ["0 2", "none"]


def test_a_part_of_a_batch_is_not_enough(tmp_path):
    changes = {"threshold": None, "question": "one label", "batch": 2, "whole_batch": True}
    with a_project(tmp_path / "check", **changes) as project:
        ann = browser(a_site(project), PERSON, "ann")
        [card] = ann.cards()
        fields = fields_of(card)
        id = dict(fields[:1])["id"]
        answer = ann.post("/answer", [*fields[:3], (f"say.{id}", "1")], headers=JSON)
        assert answer.status_code == 422
        assert "1 items of the batch are not answered" in answer.json()["refused"]


def test_who_is_left_out_is_asked_nothing_more(site, project):
    ann = browser(site, PERSON, "ann")
    [card, *_] = ann.cards()
    review.exclude(project, review.find_person(project, "ann"), "exclude-ann")
    assert ann.cards() == []
    assert "Nothing to do" in ann.get("/review").text
    assert ann.say(card, "a").status_code == 200  # what was on its way is kept, and not counted
    assert review.votes(project).is_empty()
    assert len(review.votes(project, everything=True)) == 1


DROP = sqlalchemy.text("DROP TABLE seat")


def test_a_database_that_cannot_do_it_is_said_in_words(site):
    ann = browser(site, PERSON, "ann")
    site.project.store.write(lambda connection: connection.execute(DROP))
    answer = ann.get("/tasks", headers=JSON)
    assert answer.status_code == 503
    said = answer.json()["refused"]
    assert said.startswith("The database could not do this. Try again;")
    assert not any(word in answer.text.lower() for word in ("seat", "sql", "select"))
