"""Articles as a table of events, there and back."""

from __future__ import annotations

import pytest

from candidly.compare.corpora.articles import make_articles
from candidly.compare.corpora.builder import fingerprint
from candidly.compare.corpora.corpus import make_corpus
from candidly.compare.corpora.tables import read_articles, write_articles


def test_a_corpus_comes_back(tmp_path):
    corpus = make_corpus(50)
    write_articles(corpus, tmp_path / "events.csv")
    assert fingerprint(read_articles(tmp_path / "events.csv")) == fingerprint(corpus)


def test_odd_cells_come_back_and_rows_of_an_article_stand_apart(tmp_path):
    odd = make_articles(
        ["=1", "b"], [("A", "B"), ("C",)], [["-x", 'say "hi", twice'], ["line\nend"]]
    )
    write_articles(odd, tmp_path / "events.csv")
    again = read_articles(tmp_path / "events.csv")
    assert again.texts.tolist() == odd.texts.tolist()
    (tmp_path / "apart.jsonl").write_text(
        '{"event": "a", "article": 1, "category": "A>B", "more": 3}\n'
        '{"event": "b", "article": 2, "category": "C"}\n'
        '{"event": null, "article": 1, "category": "A>B"}\n'
    )
    found = read_articles(tmp_path / "apart.jsonl")
    assert found.categories == (("A", "B"), ("C",))
    assert found.texts.tolist() == ["a", "", "b"]
    assert found.ids.tolist() == ["1", "2"]


def test_a_line_may_be_a_whole_article(tmp_path):
    (tmp_path / "articles.jsonl").write_text(
        '{"article": "a", "category": ["A", "B"], "event": ["one", "two", null]}\n'
        '{"article": "b", "category": ["C"], "event": []}\n'
        '{"article": "c", "category": ["C"], "event": null}\n'
        '{"article": "a", "category": ["A", "B"], "event": ["three"]}\n'
    )
    found = read_articles(tmp_path / "articles.jsonl")
    assert found.categories == (("A", "B"), ("C",))
    assert found.texts.tolist() == ["one", "two", "", "three"]
    assert found.ids[found.article].tolist() == ["a"] * 4
    assert found.ids.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("article,event\n1,a\n", "has no column 'category'; a table of events has article, cat"),
        ("article,category,event\n1,A,a\n1,B,b\n", "article '1' is in 2 categories"),
        ("article,category,event\n1,A,a\n,B,b\n", "row 1: article is empty"),
        ("article,category,event\n1,A > A,a\n", "has the category 'A' above itself"),
    ],
)
def test_a_table_that_is_none_is_refused(tmp_path, text, message):
    (tmp_path / "events.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_articles(tmp_path / "events.csv")
