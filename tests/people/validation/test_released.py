"""Released files: each layout in small, and what is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from candidly.people.validation import CATEGORIES, SetTally, judge, read_released


@pytest.fixture
def write(tmp_path):
    def write(rows, name="votes.json"):
        path = tmp_path / name
        path.write_text(rows if isinstance(rows, str) else json.dumps(rows))
        return path

    return write


def row(number=3, given=1, guessed=2, votes=(4, 1, 0, 0), **more):
    names = ("given", "guessed", "neither", "both")
    return {
        "id": number,
        "url": f"https://example.org/{number}.png",
        "given_original_label": given,
        "given_original_label_name": f"class {given}",
        "our_guessed_label": guessed,
        "our_guessed_label_name": f"class {guessed}",
        "mturk": dict(zip(names, votes)),
    } | more


def test_images(write):
    tally = read_released(write([row(), row(7, 0, 2, (0, 1, 3, 1))]))
    assert tally.item.tolist() == [3, 7]
    assert tally.counts.tolist() == [[4, 1, 0, 0, 0], [0, 1, 1, 3, 0]]
    assert (tally.given.tolist(), tally.guessed.tolist()) == ([1, 0], [2, 2])
    assert tally.classes == ("class 0", "class 1", "class 2")
    assert tally.offered == ("given", "guessed", "both", "neither")


def test_a_class_offered_twice_is_counted_once(write):
    tally = read_released(write([row(1, 5, 5, (4, 4, 1)), row(2, 5, 6, (1, 4, 0))]))
    assert tally.counts[:, :4].tolist() == [[4, 0, 0, 1], [1, 4, 0, 0]]
    assert tally.answers.tolist() == [5, 5]
    assert tally.degenerate.tolist() == [True, False]
    assert tally.offered == ("given", "guessed", "neither")  # without both


def test_two_classes_of_one_name_are_told_apart(write):
    rows = [row(), row(4, 0, 2)]
    for r in rows:
        r["given_original_label_name"] = "crane"
    assert read_released(write(rows)).classes == ("crane (0)", "crane (1)", "class 2")


def imdb(name, given, votes):
    other = {"Negative": "Positive", "Positive": "Negative"}[given]
    kinds = ("given", "guessed", "neutral", "off-topic")
    return {
        "id": name,
        "url": "x",
        "given_original_label": given,
        "our_guessed_label": other,
        "mturk": dict(zip(kinds, votes)),
    }


def test_sentiment_by_file_name(write):
    rows = [
        imdb("test/pos/7_9", "Positive", (1, 1, 2, 1)),
        imdb("test/neg/3_1", "Negative", (3, 2, 0, 0)),
    ]
    index = ["neg/3_1.txt", "neg/7_9.txt", "pos/7_9.txt"]
    tally = read_released(write(rows), index)
    assert tally.item.tolist() == [2, 0]
    assert tally.counts.tolist() == [[1, 1, 0, 0, 3], [3, 2, 0, 0, 0]]
    assert tally.classes == ("Negative", "Positive")
    assert (tally.given.tolist(), tally.guessed.tolist()) == ([1, 0], [0, 1])
    assert {name: votes.tolist() for name, votes in tally.others.items()} == {
        "neutral": [2, 0],
        "off-topic": [1, 0],
    }
    assert read_released(write(rows)).item.tolist() == [-1, -1]
    path = write(index, "index.json")
    assert read_released(write(rows), path).item.tolist() == [2, 0]
    with pytest.raises(ValueError, match="index of 1 files has no 'test/pos/7_9'"):
        read_released(write(rows), index[:1])


def test_sentiment_by_name_of_class(write):
    rows = [
        {
            "id": number,
            "url": "x",
            "given_original_label": given,
            "our_guessed_label": guessed,
            "mturk": {"positive": 1, "negative": 2, "neutral": 1, "off-topic": 1},
        }
        for number, given, guessed in ((5, "Neutral", "Negative"), (9, "Negative", "Positive"))
    ]
    tally = read_released(write(rows))
    assert tally.counts.tolist() == [[1, 2, 0, 0, 2], [2, 1, 0, 0, 2]]
    assert tally.classes == ("Negative", "Neutral", "Positive")
    assert tally.others["third class"].tolist() == [1, 1]


def test_numbers_of_file_names_are_no_places(write):
    url = "https://labelerrors.com//static/imagenet/val/n01/ILSVRC2012_val_00000293.JPEG"
    path = write([row(293, url=url)])
    assert read_released(path).item.tolist() == [-1]
    index = ["val/n01/ILSVRC2012_val_00000017.JPEG", "val/n01/ILSVRC2012_val_00000293.JPEG"]
    assert read_released(path, index).item.tolist() == [1]
    with pytest.raises(ValueError, match="has no 293"):
        read_released(path, index[:1])


def test_sets_of_sounds(write):
    rows = [
        {
            "id": 2,
            "url": "x",
            "given_original_labels": ["Crowd", "Cheering"],
            "our_guessed_labels": ["Speech"],
            "mturk": {"Cheering": 4, "Speech": 1, "Crowd": 3},
        },
        {
            "id": 4,
            "url": "x",
            "given_original_labels": ["Speech"],
            "our_guessed_labels": ["Crowd"],
            "mturk": {"Speech": 5, "Crowd": 3},
        },
    ]
    tally = read_released(write(rows))
    assert isinstance(tally, SetTally)
    assert tally.classes == ("Cheering", "Crowd", "Speech")
    assert tally.heard.tolist() == [[4, 3, 1], [0, 3, 5]]
    assert [CATEGORIES[c] for c in judge(tally).category] == ["non-error", "different set"]
    rows[1]["our_guessed_labels"] = ["Music"]
    with pytest.raises(ValueError, match="nobody voted on 'Music' of row 1"):
        read_released(write(rows))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("[{", "is no JSON"),
        ("{}", "holds no list of rows"),
        ("[1]", "holds no list of rows"),
        ([{"id": 1, "url": ""}], "row 0 has no 'mturk'"),
        ([row(), {"id": 1, "mturk": {"given": 1}}], "row 1 has no 'given_original_label'"),
        ([row(mturk={"yes": 1})], "votes for yes, which is none of the released layouts"),
        ([row(), row()], "item 3 stands twice"),
        ([row(1, 5, 5, (4, 3, 1))], "item 1 is the given one, and there are 3 votes"),
    ],
)
def test_what_is_no_released_file_is_refused(write, rows, message):
    with pytest.raises(ValueError, match=message):
        read_released(write(rows))


def test_an_empty_list_and_no_file(write, tmp_path):
    assert len(read_released(write([]))) == 0
    with pytest.raises(FileNotFoundError):
        read_released(tmp_path / "none.json")
    assert np.array_equal(judge(read_released(write([]))).category, np.zeros(0))
