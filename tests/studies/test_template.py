"""Pages with slots: each slot has a value and each value a slot; words are wrapped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from studies.kit.template import rendered, wrapped

WORDS = st.lists(st.text("abcäé,.", min_size=1, max_size=30), min_size=1, max_size=40)


def page(tmp_path, text, **values):
    path = tmp_path / "page.md"
    path.write_text(text, encoding="utf-8")
    return rendered(path, values)


def test_slots_are_filled_in_the_words_of_pages(tmp_path):
    text = (
        "# {{ a|code }}\n\n{{ b|percent(1) }} % of {{ c|fixed }}: {{ d|minus(1) }}, {{ e|listed }}"
    )
    told = page(tmp_path, text, a="CC", b=0.1234, c=12345.6, d=-0.04, e=["x", "y"])
    assert told == "# `CC`\n\n12.3 % of 12,346: 0.0, x and y\n"


def test_a_value_without_a_slot_and_a_slot_without_a_value_are_refused(tmp_path):
    for values in ({}, {"a": 1, "b": 2}):
        with pytest.raises(ValueError, match="only one of"):
            page(tmp_path, "{{ a }}", **values)
    for text, value in (("{{ a }}", None), ("{{ a.clear }}", {"clear": 1})):
        with pytest.raises(ValueError, match="no value"):
            page(tmp_path, text, a=value)
    with pytest.raises(UndefinedError):
        page(tmp_path, "{{ a.there }}", a={"here": 1})


@given(WORDS)
def test_wrapping_changes_spaces_alone(words):
    text = wrapped(" ".join(words))
    assert text.split() == words
    assert wrapped(text) == text
    assert all(len(line) <= 100 or " " not in line for line in text.splitlines())


@given(st.lists(WORDS, min_size=1, max_size=5))
def test_points_of_a_list_stay_apart(points):
    text = wrapped("\n".join(f"* {' '.join(words)}" for words in points))
    assert text.count("* ") == text.startswith("* ") + text.count("\n* ") == len(points)
    assert wrapped(text) == text


def test_tables_and_fences_stay_as_they_are():
    kept = f"| {'a ' * 80} |\n| --- |\n\n```text\nfirst  {'b ' * 80}\n\n\nsecond\n```\n"
    assert wrapped(kept) == kept
    with pytest.raises(ValueError, match="not closed"):
        wrapped("```\nfor ever")
