"""Numbers that nobody can have meant, on their way in, and in databases that hold some already."""

from __future__ import annotations

import json
import math

import pytest
from sqlalchemy import text

from candidly import review
from candidly.people.review import export
from candidly.people.review._log import LONGEST_MS
from candidly.people.review.sessions import MOST

from review_cases import take, team


@pytest.mark.parametrize("ms", [-1, math.nan, math.inf, 1e308, LONGEST_MS + 1])
def test_times_that_nobody_takes_are_refused(make, ms):
    project = make(2)
    [who] = team(project, 1)
    with pytest.raises(ValueError, match="a time in milliseconds, of a day"):
        take(project, who, ms=ms)
    assert review.votes(project, everything=True).is_empty()


def spoilt(project, who, ms: float) -> None:
    """The person's answers take this long, as a database of before may say."""

    def work(connection):
        connection.execute(text("UPDATE entry SET ms = :ms"), {"ms": ms})
        connection.execute(text("UPDATE person SET ms = :ms"), {"ms": 2 * ms})

    project.store.write(work)


def test_what_is_kept_follows_from_the_log_with_them_too(make):
    project = make(6)
    one, other = team(project, 2)
    for who in (one, other):
        take(project, who, ms=900.0)
    spoilt(project, one, 1e308)
    review.recount(project)
    assert [each.seconds for each in review.standings(project)] == [None, None]


@pytest.mark.parametrize("ms", [1e308, 10**400, -3, "soon"])
def test_logs_bring_none_in(make, tmp_path, ms):
    project = make(2)
    [who] = team(project, 1)
    take(project, who, ms=900.0)
    lines = [json.loads(line) for line in review.log(project)]
    lines[1] |= {"ms": ms, "id": "another-id", "item": 1}
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert review.merge_log(project, path) == 1
    assert review.votes(project)["ms"].to_list() in ([900.0, None], [None, 900.0])


def test_answers_of_endless_digits_are_refused_in_our_words(make):
    project = make(2, question="several labels", threshold=None)
    [who] = team(project, 1)
    with pytest.raises(ValueError, match="write class numbers from 0 to 2") as caught:
        take(project, who, "9" * 6000)
    assert len(str(caught.value)) < 300


def test_long_texts_are_searched_for_in_no_view():
    with pytest.raises(ValueError, match="Write a part of the name"):
        review.ItemFilter(text="x" * 60_000)


# ---- sessions


def test_sessions_end_when_somebody_ends_them(make):
    project = make(2)
    one, other = team(project, 2)
    numbers = [
        review.begin_session(project, "person", who, seconds=60) for who in (one, one, other)
    ]
    assert all(review.open_until(project, number) for number in numbers)
    review.end_session(project, numbers[0])
    review.end_session(project, numbers[0])
    assert [bool(review.open_until(project, number)) for number in numbers] == [False, True, True]
    review.end_sessions(project, one)
    assert [bool(review.open_until(project, number)) for number in numbers] == [False, False, True]
    assert [who.revoked for who in review.people(project)] == [1, 0]
    assert review.find_person(project, one.code).revoked == 1
    assert not review.open_until(project, "made up")


def test_sessions_end_in_time_and_a_clock_that_goes_back_ends_none(make):
    project = make(2)
    clock = project.clock
    [who] = team(project, 1)
    number = review.begin_session(project, "person", who, seconds=60)
    clock.now -= 7200
    assert review.open_until(project, number)
    clock.now += 7200 + 59
    assert review.open_until(project, number)
    clock.now += 1
    assert not review.open_until(project, number)


def test_sessions_of_a_person_are_bounded(make):
    project = make(2)
    one, other = team(project, 2)
    kept = review.begin_session(project, "person", other, seconds=60)
    viewer = review.begin_session(project, "viewer", seconds=60)
    numbers = []
    for _ in range(MOST + 5):
        project.clock.now += 1
        numbers.append(review.begin_session(project, "person", one, seconds=60))
    assert [review.open_until(project, number) for number in numbers[:6]] == [None] * 6
    with project.store.read() as connection:
        rows = connection.execute(text("SELECT count(*) FROM session")).scalar()
    assert rows <= MOST + 2
    assert review.open_until(project, numbers[-1])
    project.clock.now -= MOST
    assert review.open_until(project, kept)
    assert review.open_until(project, viewer)


def test_a_log_that_is_taken_slowly_keeps_nobody_from_the_database(make, monkeypatch):
    monkeypatch.setattr(export, "PART", 3)
    project = make(10)
    [who] = team(project, 1)
    for _ in range(10):
        take(project, who)
    whole = list(review.log(project))
    assert len(whole) == 11
    slow = [review.log(project) for _ in range(70)]  # more than there are connections
    assert [next(one) for one in slow] == [whole[0]] * 70
    assert [next(one) for one in slow] == [whole[1]] * 70
    assert review.progress(project).answers == 10
    assert list(slow[-1]) == whole[2:]
