"""Guidelines in Markdown: headings, lists and tables are there, and nothing of them runs."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from candidly.people.web._templates import markdown

from web_cases import a_project, a_site, browser

TEXT = """# How to choose

Say *what you see*:

- a **tail**
- no tail

| class | sign |
| --- | --- |
| cat | whiskers |

First line
second line, with [more](https://example.org/guide) and <b>html</b>.
"""
PIECES = (
    *("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))"),
    *("<javascript:alert(1)>", "![p](http://example.org/p.png)", "[d](data:text/html,<b>x)"),
    *("[v](vbscript:x)", '[q](https://e.org "t" onmouseover="x)', "`", "# ", "* ", "> ", "\n", "|"),
    *("---\n", "<a href='x'>", "&lt;script&gt;", "\\", "]", "(", "1. ", "~~~\n", "    "),
)
HARMLESS = {
    *("p", "em", "strong", "a", "ul", "ol", "li", "code", "pre", "blockquote", "br", "hr"),
    *("table", "thead", "tbody", "tr", "th", "td", "h2", "h3", "h4", "h5", "h6"),
}


class Tags(HTMLParser):
    """The tags of a text with their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_a_person_reads_headings_lists_and_tables(tmp_path):
    with a_project(tmp_path / "check", guidelines=TEXT) as project:
        html = browser(a_site(project), "person", "ann").get("/guidelines").text
    assert "<h2>How to choose</h2>" in html
    assert len(re.findall("<h1", html)) == 1
    assert "<li>a <strong>tail</strong></li>" in html
    assert "<td>whiskers</td>" in html
    assert re.search(r"First line<br ?/?>\nsecond line", html)
    assert '<a href="https://example.org/guide">more</a>' in html
    assert "&lt;b&gt;html&lt;/b&gt;" in html


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=12).map("".join))
def test_whatever_is_written_nothing_runs_or_is_loaded(text):
    for tag, attributes in Tags(markdown(text)).found:
        assert tag in HARMLESS, text
        assert {*attributes} <= {"href", "title", "style", "start", "class"}, text
        href = (attributes.get("href") or "").strip().lower()
        assert not re.match(r"(javascript|vbscript|data|file):", href), text
        assert re.fullmatch(r"(text-align:\w+)?", attributes.get("style") or ""), text


def test_how_many_there_are_tells_of_nothing_that_was_answered(tmp_path):
    """The number stays while known items are answered, so that it does not tell which these are."""
    gold = {f"i{k}": "given" for k in range(0, 9, 3)}
    rules = {"gold": gold, "gold_every": 3, "repeat_every": 0}
    with a_project(tmp_path / "a", 12, **rules) as project:
        ann, seen = browser(a_site(project), "person", "ann"), set()
        while cards := ann.cards():
            html = ann.get("/review").text
            seen.add(re.search(r'id="state">\d+ answered (of [^<]*)<', html)[1])
            ann.say(cards[0], "a")
        answered = int(re.search(r'id="state">(\d+)', ann.get("/review").text)[1])
    [said] = seen
    assert answered <= int(re.fullmatch(r"of at most (\d+)", said)[1]) <= answered + 2
    with a_project(tmp_path / "b", 12) as project:
        html = browser(a_site(project), "person", "ann").get("/review").text
        assert "0 answered of at most 12<" in html
    with a_project(tmp_path / "c", 12, limit=5) as project:
        html = browser(a_site(project), "person", "ann").get("/review").text
        assert "0 answered of at most 5<" in html
