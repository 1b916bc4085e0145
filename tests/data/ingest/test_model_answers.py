"""Answers of language models: the forms they come in, what counts as a label, what is refused."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.data.ingest.model_answers import (
    _known_texts,
    label_in_answer,
    read_model_answers,
    read_pairs,
)
from candidly.people.crowd.answer_sets import by_known, by_mass

CLASSES = ("cat", "dog", "wild boar")


def lines(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def openai(item, text, top=None, model="gpt-x", **more):
    choice = {"index": 0, "message": {"role": "assistant", "content": text, "refusal": None}}
    if top is not None:
        tokens = [{"token": token, "logprob": math.log(p), "bytes": []} for token, p in top.items()]
        choice["logprobs"] = {"content": [{"token": "x", "logprob": -1, "top_logprobs": tokens}]}
    body = {"id": "c1", "object": "chat.completion", "model": model, "choices": [choice]}
    return {"id": "r1", "custom_id": item, "error": None,
            "response": {"status_code": 200, "request_id": "q", "body": body}} | more  # fmt: skip


def anthropic(item, text, kind="succeeded", model="claude-x"):
    if kind != "succeeded":
        return {"custom_id": item, "result": {"type": kind, "error": {"type": "overloaded"}}}
    message = {"id": "m", "model": model, "content": [{"type": "text", "text": text}]}
    return {"custom_id": item, "result": {"type": kind, "message": message}}


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("cat", "cat"),
        (" Cat.\n", "cat"),
        ("**DOG**", "dog"),
        ("`wild  boar`", "wild boar"),
        ("It has whiskers.\nAnswer: cat", "cat"),
        ("The label is 'dog'.", "dog"),
        ("Let me think.\nFinal answer: **Wild Boar**!", "wild boar"),
        ('{"label": "dog", "why": "ears"}', "dog"),
        ('```json\n{"answer": "cat"}\n```', "cat"),
        ("B", "dog"),
        ("(b)", "dog"),
        ("a cat or a dog", None),
        ("cat, dog", None),
        ("not a cat", None),
        ("Answer: cat or dog", None),
        ("The cat is a dog", None),
        ("", None),
        ("{broken", None),
        ('{"why": "ears"}', None),
    ],
)
def test_an_answer_is_a_label_by_plain_rules_or_none(text, label):
    assert label_in_answer(text, _known_texts(CLASSES, {"B": "dog"})) == label


def test_batches_and_ones_own_lines_are_read_together(tmp_path):
    one = lines(tmp_path / "gpt.jsonl", [
        openai("p1", "cat", {" cat": 0.6, "dog": 0.2, "wild": 0.1, "the": 0.1}),
        openai("p2", "I'm sorry, but I cannot tell."),
        openai("p3", "", model="gpt-x"),
        openai("p4", None, error={"code": "x"}),
    ])  # fmt: skip
    two = lines(tmp_path / "claude.jsonl", [
        anthropic("p1", "Dog"), anthropic("p2", "a fox"), anthropic("p3", "", "errored"),
    ])  # fmt: skip
    three = lines(tmp_path / "own.jsonl", [
        {"item": "p1", "model": "llama", "answer": "cat", "top": {"cat": math.log(0.5)}},
        {"id": 2, "annotator": "llama", "label": None},
    ])  # fmt: skip
    found = read_model_answers([one, two, three], CLASSES)
    assert list(zip(found.item, found.model, found.label)) == [
        ("p1", "gpt-x", "cat"), ("p1", "claude-x", "dog"), ("p1", "llama", "cat"),
    ]  # fmt: skip
    assert found.beliefs[0] == pytest.approx(
        {"cat": 0.6 / 0.9, "dog": 0.2 / 0.9, "wild boar": 1 / 9}
    )
    assert found.beliefs[1:] == [{"dog": 1.0}, {"cat": 1.0}]
    assert found.counts["gpt-x"] == {"answered": 1, "refused": 1, "empty": 1, "failed": 1}
    assert found.counts["claude-x"] == {"answered": 1, "off the list": 1}
    assert found.counts["unknown model"] == {"failed": 1}
    assert found.off_list == {"a fox": 1}
    assert found.covered == pytest.approx((0.9 + 1) / 2)


def test_fields_of_other_names_and_what_is_refused(tmp_path):
    own = lines(tmp_path / "own.jsonl", [{"picture": "p1", "who": "m", "said": "A"}])
    fields = {"item": "picture", "annotator": "who", "label": "said"}
    found = read_model_answers([own], CLASSES, {"A": "cat"}, fields)
    assert (found.item, found.model, found.label) == (["p1"], ["m"], ["cat"])
    with pytest.raises(ValueError, match="line 1 has none of the fields item, id, custom_id, key"):
        read_model_answers([own], CLASSES)
    with pytest.raises(ValueError, match="line 1 has no field 'photo', but picture, who, said"):
        read_model_answers([own], CLASSES, fields={"item": "photo"})
    (tmp_path / "cut.jsonl").write_text('{"item": "p1", "model": "m", "answer": "cat"}\n{"item":')
    with pytest.raises(ValueError, match=r"cut.jsonl, line 2 is damaged"):
        read_model_answers([tmp_path / "cut.jsonl"], CLASSES)
    twice = [{"item": "p1", "model": "m", "answer": "cat"}] * 2
    with pytest.raises(ValueError, match=r"line 2: m answers item 'p1' again, after .*line 1"):
        read_model_answers([lines(tmp_path / "twice.jsonl", twice)], CLASSES)
    with pytest.raises(ValueError, match="is empty"):
        read_model_answers([lines(tmp_path / "none.jsonl", [])], CLASSES)
    (tmp_path / "blank.jsonl").write_text("\n\n")
    with pytest.raises(ValueError, match="has no answer"):
        read_model_answers([tmp_path / "blank.jsonl"], CLASSES)
    with pytest.raises(ValueError, match="line 1 is no object"):
        read_model_answers([lines(tmp_path / "list.jsonl", [[1]])], CLASSES)
    bad = [{"item": "p1", "model": "m", "answer": "cat", "top": {"cat": 0.7}}]
    with pytest.raises(ValueError, match=r"log-probability 0\.7 of 'cat', above 0"):
        read_model_answers([lines(tmp_path / "top.jsonl", bad)], CLASSES)
    with pytest.raises(ValueError, match="two labels or more"):
        read_model_answers([own], ["cat"], fields=fields)
    with pytest.raises(ValueError, match="'cat' and 'CAT' look alike"):
        read_model_answers([own], ["cat", "CAT"], fields=fields)
    with pytest.raises(ValueError, match="'A' stands for 'emu', which is no label"):
        read_model_answers([own], CLASSES, {"A": "emu"}, fields)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["custom_id", "response", "result", "body", "choices", "message", "content", "error",
             "logprobs", "top_logprobs", "top", "type", "item", "model", "answer", "token", "text"]
        ),
        inner,
        max_size=5,
    ),
    max_leaves=25,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(JSON, st.booleans())
def test_whatever_a_line_holds_is_read_or_refused_by_its_place(tmp_path_factory, value, batch):
    if batch:
        value = {"custom_id": "p1", "response": value, "result": value}
    path = lines(tmp_path_factory.mktemp("any") / "any.jsonl", [value])
    said = "any.jsonl"
    try:
        read_model_answers([path], CLASSES)
    except ValueError as error:
        said = str(error)
    assert "any.jsonl" in said


def test_ones_own_line_may_call_its_answer_a_response(tmp_path):
    own = lines(tmp_path / "own.jsonl", [{"custom_id": "p1", "model": "m", "response": "cat"}])
    assert read_model_answers([own], CLASSES).label == ["cat"]


def test_pairs_of_a_table(tmp_path):
    (tmp_path / "t.csv").write_text("text,label\nA,cat\nB,dog\n")
    assert read_pairs(tmp_path / "t.csv", "text", "label") == {"A": "cat", "B": "dog"}
    (tmp_path / "twice.csv").write_text("text,label\nA,cat\nA,dog\n")
    with pytest.raises(ValueError, match="column 'text', has 'A' twice"):
        read_pairs(tmp_path / "twice.csv", "text", "label")
    with pytest.raises(ValueError, match="has no column 'word'"):
        read_pairs(tmp_path / "t.csv", "word", "label")


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=6), st.floats(0.05, 0.99))
def test_sets_by_mass_are_the_smallest(weights, mass):
    belief = {f"c{k}": value / sum(weights) for k, value in enumerate(weights)}
    (found,) = by_mass([belief], mass)
    heights = np.cumsum(sorted(belief.values(), reverse=True))
    assert len(found) == int(np.argmax(heights >= mass - 1e-9)) + 1
    assert sum(belief[name] for name in found) >= mass - 1e-9


def test_sets_by_known_items_lack_the_truth_as_often_as_asked():
    """Over many draws of the known items, of two models, one of which knows little."""
    rng = np.random.default_rng(0)
    names = ["a", "b", "c", "d"]
    lacks = {"good": [], "poor": []}
    for _ in range(60):
        truth = rng.integers(0, 4, 200)
        item, model, beliefs = [], [], []
        for who, sharp in (("good", 3.0), ("poor", 0.8)):
            logits = rng.normal(size=(200, 4)) + sharp * np.eye(4)[truth]
            p = np.exp(logits)
            p /= p.sum(1, keepdims=True)
            item += [str(i) for i in range(200)]
            model += [who] * 200
            beliefs += [dict(zip(names, row)) for row in p.tolist()]
        known = {str(i): names[truth[i]] for i in range(60)}
        sets = by_known(beliefs, model, item, known, names, 0.1)
        for who in lacks:
            lacks[who].append(np.mean([
                names[truth[int(i)]] not in one
                for one, w, i in zip(sets, model, item) if w == who and i not in known
            ]))  # fmt: skip
    for who, shares in lacks.items():
        assert 0.06 < np.mean(shares) < 0.115, who
    with pytest.raises(ValueError, match=r"good answered 5 items whose label is known; .* needs 9"):
        by_known(beliefs, model, item, {str(i): "a" for i in range(5)}, names, 0.1)
