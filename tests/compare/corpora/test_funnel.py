"""The funnel: every stage counted by hand, its boundaries, and a slow version of TF-IDF."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.compare.corpora.articles import make_articles
from candidly.compare.corpora.funnel import (
    REASONS,
    KeyTokens,
    copies,
    funnel,
    keep_categories,
    with_keyword,
)
from candidly.compare.corpora.noise import parents_of

HOME, PETS = ("Home", "Kitchen"), ("Animals", "Pets")


def corpus():
    """Two categories of two articles; what becomes of each event stands beside it."""
    return make_articles(
        ["sink", "oven", "dog", "cat"],
        [HOME, HOME, PETS, PETS],
        [
            [
                "Scrub the sink with soda.",
                "Wipe it.",  # three tokens
                "Go!",  # two: too few
                "smallUrl:icon.png Rinse the sink.",
                "The basics of drains.",  # no verb
                "Rinse the drain slowly.",
            ],
            [
                "Scrub the Sinks with the soda!",  # a copy, by its key
                "Heat the oven.",
                "Open the window.",  # as for the dog
                "Do it again.",  # stop words but for "do"
            ],
            ["Walk the dog.", "Open the windows.", "Brush the dog " + "very " * 80 + "well."],
            ["Brush the cat.", "Feed the cat.", ""],
        ],
    )


def test_every_stage_by_hand():
    """Keywords: of "sink" drain, rinse and slowly; of "oven" heat, oven and open; of "dog" dog,
    walk and open; of "cat" all. Tokens of one article alone have log 4, those of two log 2."""
    found = funnel(corpus(), more_than=2)
    several, small = "in several categories", "its category has too few events"
    assert [found.reason_of(row) for row in range(len(found.reason))] == [
        *("no keyword of its article", "no keyword of its article", "too few tokens"),
        *("markup of an icon", "no verb", small),
        *("a copy in its category", small, several, "nothing but stop words"),
        *("", several, "too many tokens"),
        *("", "", "too few tokens"),
    ]
    assert [(stage.name, stage.classes, stage.events) for stage in found.stages] == [
        ("articles", 2, 16),
        ("length", 2, 12),
        ("format", 2, 10),
        ("copies", 2, 7),
        ("keywords", 2, 5),
        ("sample size", 1, 3),
    ]
    assert sum(found.reasons().values()) == 13
    assert found.step_id[found.step_id >= 0].tolist() == [0, 1, 2, 3, 4]
    assert np.flatnonzero(found.choosen_id >= 0).tolist() == [10, 13, 14]
    assert found.texts[0] == "scrub the sink with soda ."
    assert found.texts[6] == "scrub the sinks with the soda ."
    assert found.keys[0] == found.keys[6]
    assert found.keys[8] == found.keys[11]


def one_category(events, **how):
    return funnel(make_articles(["a"], [("A",)], [events]), more_than=0, **how)


@pytest.mark.parametrize(("tokens", "reason"), [(2, 2), (3, 0), (80, 0), (81, 3)])
def test_events_have_3_to_80_tokens_the_full_stop_among_them(tokens, reason):
    words = ["open", *(f"box{chr(97 + n % 26)}" for n in range(tokens - 2))]
    found = one_category([" ".join(words) + "."])
    assert found.reason[0] == reason
    assert len(found.texts[0].split()) == tokens


@pytest.mark.parametrize(("events", "kept"), [(300, 0), (301, 301)])
def test_a_class_has_more_than_300_events(events, kept):
    letters = "abcdefghijklmnopqrstuvwxyz"
    names = [f"open {letters[n // 26]}{letters[n % 26]}x now" for n in range(events)]
    articles = make_articles(
        [str(n) for n in range(events)], [("A",)] * events, [[x] for x in names]
    )
    found = funnel(articles)
    assert (found.choosen_id >= 0).sum() == kept


def test_copies_go_before_one_of_each_is_kept():
    keys, category = np.array([0, 0, 1, 1, 2, 2, 3]), np.array([0, 1, 0, 0, 1, 1, 0])
    reasons = [REASONS[one] for one in copies(keys, category)]
    several, copy = "in several categories", "a copy in its category"
    assert reasons == [several, several, "", copy, "", copy, ""]
    # three of a key, two in one category: all go
    assert set(copies(np.array([0, 0, 0]), np.array([0, 0, 1]))) == {6}


@pytest.mark.parametrize(
    ("distinct", "keywords"),
    [(1, 1), (2, 2), (3, 3), (29, 3), (40, 4), (49, 4), (100, 10), (130, 10)],
)
def test_a_tenth_of_the_tokens_but_3_to_10_are_keywords(distinct, keywords):
    words = KeyTokens(
        np.arange(distinct, dtype=np.int32),
        np.arange(distinct + 1),
        tuple(f"w{n:03}" for n in range(distinct)),
    )
    found = with_keyword(words, np.zeros(distinct, int), np.ones(distinct, bool))
    assert found.sum() == keywords
    assert found[:keywords].all()  # all alike: the first in the alphabet


def slow_keywords(events: list[list[str]], article: list[int], left: list[bool]) -> list[bool]:
    """From the definition, with dictionaries."""
    documents: dict[int, Counter[str]] = {}
    for tokens, one, there in zip(events, article, left):
        if there and tokens:
            documents.setdefault(one, Counter()).update(tokens)
    spread = Counter(token for counts in documents.values() for token in counts)
    keywords = {}
    for one, counts in documents.items():
        score = {t: n * math.log(len(documents) / spread[t]) for t, n in counts.items()}
        ranked = sorted(counts, key=lambda t: (-score[t], t))
        keywords[one] = set(ranked[: min(10, max(3, len(counts) // 10))])
    return [
        there and any(token in keywords.get(one, ()) for token in tokens)
        for tokens, one, there in zip(events, article, left)
    ]


@given(st.integers(0, 10_000))
@settings(max_examples=40)
def test_keywords_are_those_of_a_slow_version(seed):
    g = np.random.default_rng(seed)
    vocabulary = tuple(f"w{n}" for n in g.permutation(40))
    n = int(g.integers(1, 30))
    events = [g.integers(0, 40, g.integers(0, 9)) for _ in range(n)]
    article, left = np.sort(g.integers(0, 5, n)), g.random(n) < 0.8
    starts = np.concatenate([[0], np.cumsum([len(one) for one in events])])
    flat = np.concatenate(events).astype(np.int32)
    found = with_keyword(KeyTokens(flat, starts, vocabulary), article, left)
    named = [[vocabulary[t] for t in one] for one in events]
    assert found.tolist() == slow_keywords(named, article.tolist(), left.tolist())


WORDS = ["open", "close", "box", "boxes", "the", "lamp", "red", "quickly", "ñandú", "smallUrl", "."]


@given(st.lists(st.lists(st.lists(st.sampled_from(WORDS), max_size=5), max_size=6), max_size=8))
@settings(max_examples=60)
def test_what_holds_of_every_funnel(drawn):
    drawn = [*drawn, [["open", "box", "lamp"]]]
    paths = [("A", "B"), ("A", "C"), ("D",)]
    events = [[" ".join(words) for words in article] for article in drawn]
    ids = [str(n) for n in range(len(events))]
    articles = make_articles(ids, [paths[n % 3] for n in range(len(events))], events)
    found = funnel(articles, more_than=1)
    sizes = [(stage.classes, stage.events) for stage in found.stages]
    assert sizes == sorted(sizes, reverse=True)
    left, chosen = found.step_id >= 0, found.choosen_id >= 0
    assert len(set(found.keys[left])) == left.sum()  # distinct, within and across categories
    assert found.choosen_id[chosen].tolist() == list(range(chosen.sum()))
    assert not chosen[~left].any()
    assert all(text.endswith(" .") and text == text.lower() for text in found.texts[left])
    assert [REASONS[one] == "" for one in found.reason] == chosen.tolist()


def test_people_say_which_categories_are_wanted():
    found = keep_categories(funnel(corpus(), more_than=1), [0])
    assert found.stages[-1].name == "categories"
    assert set(found.category[found.choosen_id >= 0]) == {0}
    assert (found.step_id >= 0).sum() > (found.choosen_id >= 0).sum()
    assert found.reasons()["its category is not wanted"] > 0


def test_a_category_is_its_path_in_a_forest_and_where_names_go_round():
    paths = [
        ("Pets", "Dogs"),
        ("Dogs", "Pets"),
        ("Pets",),
        ("Dogs", "Pets", "Food"),
        ("Pets", "Dogs"),
    ]
    found = make_articles(list("abcde"), paths, [["Walk the dog."]] * 5)
    assert found.categories == tuple(paths[:4])
    assert found.category.tolist() == [0, 1, 2, 3, 0]
    assert len(set(parents_of(found.categories).tolist())) == 4  # nobody is anybody's sibling


@pytest.mark.parametrize(
    ("ids", "paths", "message"),
    [
        (["a", "a"], [("A",), ("B",)], r"article 1 \('a'\) has the id of an article before"),
        (["a", ""], [("A",), ("B",)], r"article 1 \(''\) has no id"),
        (["a", "b"], [("A",), ()], r"article 1 \('b'\) has no category"),
        (["a", "b"], [("A",), ("B", " ")], r"article 1 \('b'\) has no category, or an empty name"),
        (["a", "b"], [("A",), ("B", "C", "B")], r"has the category 'B' above itself"),
        (["a"], [("A",), ("B",)], "there are 1 ids, 2 categories and 2 lists"),
        ([], [], "there are no articles"),
    ],
)
def test_articles_that_are_none_are_refused(ids, paths, message):
    with pytest.raises(ValueError, match=message):
        make_articles(ids, paths, [[] for _ in paths])
