"""The gallery, through the whole app: views and their addresses, items and all that was said."""

from __future__ import annotations

import html as parser
import re
from dataclasses import replace
from urllib.parse import urlencode

import pytest

from candidly import review
from candidly.people.review import ItemFilter
from candidly.people.web.gallery import address_of, link_of, view_of

from review_cases import an_id, reply, some_items, some_rules
from review_pages import HOSTILE, cells, copied_project, looker


@pytest.fixture
def project(tmp_path):
    with copied_project(tmp_path / "project") as project:
        yield project


def shown(html: str) -> list[str]:
    """Names of the items of a grid."""
    return [parser.unescape(name) for name in re.findall(r'<h2><a href="[^"]*">(.*?)</a>', html)]


def links(html: str) -> list[str]:
    return [parser.unescape(link) for link in re.findall(r'<h2><a href="([^"]*)">', html)]


VIEWS = (
    ItemFilter(),
    ItemFilter(given=1),
    ItemFilter(given=0, guessed=1),
    ItemFilter(outcome="pending"),
    ItemFilter(outcome="non-error", sort="disagreement"),
    ItemFilter(least=1, most=2, sort="votes"),
    ItemFilter(low=-0.5, high=1.25, sort="score"),
    ItemFilter(high=0.0, sort="highest score"),
    ItemFilter(person="p1", sort="name"),
    ItemFilter(text="<SCRIPT"),
    ItemFilter(text="i1", page=2),
    ItemFilter(known=True),
    ItemFilter(low=1e-9, text="a&b=c#d%"),
)


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_a_view_is_its_address(project, view):
    address = address_of(view, project.rules)
    query = dict(re.findall(r"[?&]([^=]+)=([^&]*)", address))
    from urllib.parse import unquote_plus

    said = {name: unquote_plus(text) for name, text in query.items()}
    assert view_of(said, project.rules) == view
    found = review.browse(project, view)
    html = looker(project, "viewer").text(address)
    assert shown(html) == [card.name or str(card.id) for card in found.cards]
    number = f"<strong>{found.total}</strong> item{'' if found.total == 1 else 's'}"
    assert number in html
    here = replace(view, page=found.page)
    link = parser.unescape(re.search(r'<a href="([^"]*)">link to this view', html)[1])
    assert link == address_of(here, project.rules)
    assert "style=" not in html


def test_the_form_remembers_what_was_chosen(project):
    said = {
        "given": HOSTILE,
        "guessed": "",
        "outcome": "pending",
        "text": 'a"b',
        "least": "1",
        "most": "",
        "low": "-0.5",
        "high": "",
        "person": "p2",
        "sort": "score",
        "known": "1",
    }
    html = looker(project).text(f"/gallery?{urlencode(said)}")
    for name, value in said.items():
        field = re.search(rf'<(?:input|select)[^>]*name="{name}".*?>', html, re.DOTALL)
        if field[0].startswith("<select"):
            rest = html[field.start() : html.index("</select>", field.start())]
            picked = re.findall(r"<option(?: value=\"([^\"]*)\")? selected[^>]*>([^<]*)<", rest)
            picked += re.findall(r"<option selected value=\"([^\"]*)\">([^<]*)<", rest)
            texts = {parser.unescape(text) for pair in picked for text in pair}
            assert (value in texts) or (value == "" and not picked), name
        elif name == "known":
            assert "checked" in field[0]
        else:
            assert f'value="{parser.escape(value)}"'.replace("&quot;", "&#34;") in field[0]


def test_wrong_addresses_are_refused(project):
    one = looker(project)
    wrong = (
        "given=emu", "least=-1", "least=x", "most=1.5", "page=0", "page=-1", "page=" + "9" * 30,
        "low=x", "high=nan", "low=inf", "outcome=wrong", "sort=size", "person=zoe", "text=%00",
    )  # fmt: skip
    for query in wrong:
        html = one.get(f"/gallery?{query}", 422).text
        assert "That did not work" in html
    one.get("/gallery?other=1&given=&guessed=&least=&page=99")


def test_pages_lead_on_and_back(tmp_path):
    rules = some_rules(classes=("cat", "dog", "owl"))
    with review.make_project(tmp_path / "p", some_items(130), rules) as project:
        one = looker(project)
        names, address = [], "/gallery?given=&sort=name"
        while address:
            html = one.text(address)
            names += shown(html)
            step = re.search(r'href="([^"]*)" rel="next"', html)
            address = parser.unescape(step[1]) if step else ""
        assert names == sorted(f"i{k}" for k in range(130))
        assert "page 3 of 3" in html
        back = parser.unescape(re.search(r'href="([^"]*)" rel="prev"', html)[1])
        assert back == "/gallery?sort=name&page=2"
        assert shown(one.text(back)) == names[60:120]


def test_what_a_card_says(project):
    html = looker(project).text("/gallery?text=i1&sort=name")
    cards = review.browse(project, ItemFilter(text="i1", sort="name")).cards
    parts = html[html.index('<ul class="grid">') :].split("<li>")[1:]
    assert len(parts) == len(cards) > 5
    for part, card in zip(parts, cards):
        text = parser.unescape(" ".join(re.sub(r"<[^>]*>", " ", part).split()))
        classes = project.rules.classes
        assert f"given {classes[card.given]} guess {classes[card.guessed]}" in text
        assert card.outcome in text
        for word, times in review.answers_of(project, card):
            assert f"{word} {times}" in text
        assert ("no answers" in text) == (card.said == 0)
        if card.shown.kind == "image":
            assert f'<img src="/media/{card.shown.payload}" alt="Item {card.name}"' in part
        assert f"score {card.score:.3g}" in text


def test_every_item_has_a_page(project):
    one = looker(project, "viewer")
    cards = (
        review.browse(project, ItemFilter()).cards
        + review.browse(project, ItemFilter(known=True)).cards
    )
    found = links(one.text("/gallery")) + links(one.text("/gallery?known=1"))
    assert found == [link_of(card) for card in cards]
    for card, link in zip(cards, found):
        html = one.text(link)
        assert "<script>alert" not in html
        facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html))
        assert facts["Number"] == str(card.id)
        assert facts["Row"] == str(card.row)
        assert facts["Verdict"] == card.outcome
        assert parser.unescape(facts["Given"]) == project.rules.classes[card.given]
        assert ("Known answer" in facts) == (card.key is not None)
        said = review.said_about(project, [card])[0]
        rows = [
            [one.code, ", ".join(one.words), one.state, f"{one.ms / 1000:.1f}", one.note or ""]
            for one in said
        ]
        assert [[*row[:4], row[5]] for row in cells(html) if len(row) == 6][1:] == rows
    assert {HOSTILE, "..", "a/../b c?d#e%"} <= {card.name for card in cards}


def test_states_of_answers_are_said(project):
    said = "".join(looker(project).text(link) for link in links(looker(project).text("/gallery")))
    assert "person left out" in said
    who = review.find_person(project, "p2")
    task = review.next_tasks(project, who)[0]
    review.answer(project, who, [reply(task, "both", ms=1234.0)])
    review.undo(project, who, an_id())
    review.look(project, who, an_id(), task.item)
    card = review.find_item(project, task.item)
    html = looker(project).text(link_of(card))
    assert ["p2", "both", "taken back", "1.2"] in [row[:4] for row in cells(html)]


def test_an_item_by_number_and_none(project):
    one = looker(project)
    card = review.find_item(project, 0)
    html = one.text("/gallery/item/0")  # there is no such name
    assert f"<h1>{parser.escape(card.name).replace('&#x27;', '&#39;')}</h1>" in html.replace(
        "&#34;", "&quot;"
    )
    ids = re.compile(r'name="id" value="\w+"')
    assert ids.sub("", one.text("/gallery/item/?number=0")) == ids.sub("", html)
    for nothing in ("/gallery/item/nothing", "/gallery/item/", "/gallery/item/999"):
        assert "there is no item" in one.get(nothing, 404).text
    one.get("/gallery/item/?number=999", 404)
    one.get("/gallery/item/a%00b", 404)


def test_next_like_this_goes_through_the_pair(project):
    one = looker(project)
    cards = list(review.browse(project, ItemFilter(given=0, guessed=1)).cards)
    names, link = [], link_of(min(cards, key=lambda card: card.id))
    while link:
        html = one.text(link)
        names.append(re.search(r"<dt>Number</dt><dd>(\d+)</dd>", html)[1])
        step = re.search(r'href="([^"]*)" rel="next"', html)
        link = parser.unescape(step[1]) if step else ""
        alike = parser.unescape(re.search(r'href="([^"]*)">All like this', html)[1])
        assert sorted(shown(one.text(alike))) == sorted(c.name for c in cards)
    assert names == [str(number) for number in sorted(card.id for card in cards)]
    assert len(names) > 2


def test_examples_of_the_classes_stand_side_by_side(tmp_path):
    import candidly

    data = candidly.from_arrays(
        [f"example {k} {HOSTILE}" for k in range(30)], given=[k % 3 for k in range(30)], classes=3
    )
    rules = some_rules(classes=data.classes)
    with review.make_project(tmp_path / "p", some_items(4), rules, examples=data) as project:
        card = review.browse(project, ItemFilter()).cards[0]
        html = looker(project).text(link_of(card))
        sides = html[html.index("Examples of the classes") :]
        assert re.findall(r"<h3>(.*?)</h3>", sides) == [
            data.classes[card.given],
            data.classes[card.guessed],
        ]
        numbers = [int(k) % 3 for k in re.findall(r"example (\d+)", sides)]
        assert numbers == [card.given] * 10 + [card.guessed] * 10
        assert "<script>alert" not in html


def test_filters_of_other_questions(tmp_path):
    rules = some_rules(question="yes or no")
    items = [review.Item(k, f"i{k}", asks=k % 3) for k in range(6)]
    with review.make_project(tmp_path / "p", items, rules) as project:
        html = looker(project).text("/gallery?asks=owl")
        assert sorted(shown(html)) == ["i2", "i5"]
        assert "Class asked about" in html
        assert "All like this" in looker(project).text("/gallery/item/i2")
    rules = some_rules(question="one label", threshold=None)
    with review.make_project(
        tmp_path / "q", [review.Item(0, "x"), review.Item(1, "y")], rules
    ) as project:
        html = looker(project).text("/gallery?outcome=pending")
        assert 'name="guessed"' not in html
        assert sorted(shown(html)) == ["x", "y"]
        assert "All like this" not in looker(project).text("/gallery/item/x")


def test_pages_make_no_request_outside(project):
    one = looker(project)
    for address in ("/organiser", "/gallery", "/gallery/item/i1"):
        html = one.text(address)
        for link in re.findall(r'(?:src|href|action)="([^"]*)"', html):
            assert link.startswith(("/", "#")), link
        policy = one.get(address).headers["content-security-policy"]
        assert "default-src 'none'" in policy
