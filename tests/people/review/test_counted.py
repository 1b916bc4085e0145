"""Rows that were drawn for a count: kept by the project, counted by verdicts, taken out and in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from candidly import review, validation
from candidly.people.review import migrations
from candidly.people.review.status import status_of, status_parts
from candidly.people.review.store import open_store
from candidly.stats.checked import RowsToCheck, count_checked

from review_cases import CLASSES, some_items, some_rules, take, team, work_through


def drawn_of(n: int, strata: int = 2) -> RowsToCheck:
    """The rows of ``some_items``, of strata of 500 labels each."""
    stratum = np.arange(n) % strata
    chance = np.linspace(0.1, 0.6, strata)
    return RowsToCheck(np.arange(10, 10 + n), stratum, np.full(strata, 500), chance)


@pytest.fixture
def project(tmp_path):
    made = review.make_project(
        tmp_path / "p", some_items(12), some_rules(people=2, threshold=2), drawn=drawn_of(12)
    )
    with made:
        yield made


def says(project, wrong):
    """Everybody says of these rows that the label is wrong, of others that it is right."""

    def say(task):
        return "guessed" if task.item in wrong else "given"

    for who in team(project, 2):
        work_through(project, who, say)


def test_the_count_is_that_of_the_verdicts(project):
    says(project, {0, 3, 5})
    with project.store.read() as connection:
        rows = dict(connection.execute(text("SELECT id, at_row FROM item")).all())
    wrong = np.isin(project.drawn.rows, [rows[k] for k in (0, 3, 5)])
    expected = count_checked(project.drawn, wrong)
    found = review.overview(project).counted
    assert found == expected
    assert found.checked == 12
    assert found.expected == 350
    about = status_of(project)
    assert (about["counted"]["from"], about["counted"]["to"]) == expected.ends
    assert any(expected.headline() in str(part) for part in status_parts(about))
    checked = review.checked_rows(project)
    assert checked.count() == expected
    assert checked.asked == 12
    tally = review.tally(project)
    assert checked.given == [CLASSES[k] for k in tally.given]


def test_disagreement_counts_as_the_readings_say(project):
    ann, bob = team(project, 2)
    work_through(project, ann, lambda task: "given")
    work_through(project, bob, lambda task: "guessed")
    counts = validation.counted(review.verdicts(project))
    assert counts["exact"].found == 12  # nobody's label was confirmed
    assert counts["confirmed wrong"].found == 0
    assert review.overview(project).counted == counts["exact"]


def test_items_that_further_answers_may_change_are_not_counted_yet(tmp_path):
    """Two of three for the given label is no error while two of five have still to answer."""
    rules = some_rules(people=5, threshold=3)
    made = review.make_project(tmp_path / "p", some_items(12), rules, drawn=drawn_of(12))
    with made as project:
        ann, bob, cy, dan, eve = team(project, 5)
        for who, said in ((ann, "given"), (bob, "given"), (cy, "guessed")):
            work_through(project, who, lambda task, said=said: said)
        assert review.overview(project).counted is None
        assert review.verdicts(project).error.all()  # so far
        review.votes(project).write_csv(tmp_path / "votes.csv")
        work_through(project, dan, lambda task: "given")
        found = review.overview(project).counted  # three of at most five: that is settled
        assert (found.checked, found.found) == (12, 0)
        work_through(project, eve, lambda task: "neither")
        assert review.overview(project).counted == found
        review.votes(project).write_csv(tmp_path / "votes.csv")
        assert validation.read_checked(tmp_path / "votes.csv").count() == found


def test_a_stratum_column_of_the_tables_own_says_nothing(tmp_path):
    columns = {"item": [1, 2], "person": ["a", "a"], "answer": ["given", "both"], "stratum": [7, 8]}
    pl.DataFrame(columns).write_csv(tmp_path / "v.csv")
    assert validation.read_answers(tmp_path / "v.csv").drawn is None


def test_nothing_is_counted_before_every_stratum_has_a_verdict(project):
    assert review.overview(project).counted is None
    assert "counted" not in status_of(project)
    with pytest.raises(ValueError, match="0 of 12 drawn rows whether their label is wrong"):
        review.checked_rows(project).count()
    ann, bob = team(project, 2)
    work_through(project, ann)
    answers = 0
    while (counted := review.overview(project).counted) is None:
        take(project, bob)
        answers += 1
    assert 2 <= counted.checked == answers < 12


def test_it_is_kept_and_a_copy_has_it(project, tmp_path):
    with review.open_project(project.folder) as again:
        assert again.drawn.columns().keys() == project.drawn.columns().keys()
        for name in ("rows", "stratum", "sizes", "chance"):
            assert getattr(again.drawn, name).tolist() == getattr(project.drawn, name).tolist()


def test_votes_take_it_along(project, tmp_path):
    says(project, {1, 2})
    table = review.votes(project)
    assert table["stratum size"].to_list() == [500] * 24
    for ending in ("csv", "parquet"):
        path = tmp_path / f"votes.{ending}"
        getattr(table.sample(fraction=1, shuffle=True, seed=1), f"write_{ending}")(path)
        found = validation.read_checked(path)
        assert found.count() == review.checked_rows(project).count()
        read = validation.read_validation(path)
        assert validation.counted(read.verdicts)["exact"] == found.count()
    plain = table.drop("stratum", "stratum size", "stratum chance")
    plain.write_csv(tmp_path / "plain.csv")
    with pytest.raises(ValueError, match="rows that were not drawn for a count"):
        validation.read_checked(tmp_path / "plain.csv")
    table.drop("stratum size").write_csv(tmp_path / "half.csv")
    with pytest.raises(ValueError, match="no column 'stratum size'"):
        validation.read_checked(tmp_path / "half.csv")


def test_what_is_said_of_flagged_rows_does_not_go_with_a_sample_of_all(project, tmp_path):
    says(project, {1, 2})
    review.votes(project).write_csv(tmp_path / "votes.csv")
    for more in ({"flagged": 20, "size": 1000}, {"audited": 20, "size": 1000}):
        with pytest.raises(ValueError, match="flagged or not"):
            validation.read_validation(tmp_path / "votes.csv", **more)
    with pytest.raises(ValueError, match="drawn from 1,000 labels, and there are 999"):
        validation.read_validation(tmp_path / "votes.csv", size=999)
    assert validation.read_validation(tmp_path / "votes.csv", size=1000).missed is None


@pytest.mark.parametrize(
    ("changes", "gold", "rows", "why"),
    [
        ({"goal": "quality"}, None, 12, "only a random order"),
        ({}, {"i3": "given"}, 12, "known items are no part"),
        ({}, None, 11, "other rows"),
        ({"question": "one label", "threshold": None}, None, 12, "no verdict"),
    ],
)
def test_what_makes_no_count_is_refused(tmp_path, changes, gold, rows, why):
    rules = some_rules(people=2, **({"threshold": 2} | changes))
    with pytest.raises(ValueError, match=why):
        review.make_project(tmp_path / "p", some_items(12), rules, gold=gold, drawn=drawn_of(rows))
    assert not (tmp_path / "p").exists()


def test_a_project_of_before_opens_without(tmp_path):
    project = review.make_project(tmp_path / "p", some_items(3), some_rules())
    project.close()
    place = tmp_path / "p" / "review.db"
    store = open_store(place)

    def back(connection):
        connection.execute(text("ALTER TABLE project DROP COLUMN drawn"))
        connection.execute(text("DROP INDEX entry_named"))
        connection.execute(text("ALTER TABLE entry DROP COLUMN named"))
        connection.execute(text("DROP TABLE decision"))
        connection.execute(text("DELETE FROM version WHERE number > 1"))

    store.write(back)
    store.close()
    assert len(migrations.MIGRATIONS) == 3
    with review.open_project(tmp_path / "p") as again:
        assert again.drawn is None
        assert "stratum" not in review.votes(again).columns
        with pytest.raises(ValueError, match="not drawn for a count"):
            review.checked_rows(again)


def test_tallies_hold_rows_and_items_together():
    tally = validation.from_counts([[3, 0, 0, 0], [0, 3, 0, 0]], item=[10, 11])
    assert replace(tally, drawn=drawn_of(2)).drawn.sizes.tolist() == [500, 500]
    with pytest.raises(ValueError, match="other rows than `item`"):
        replace(tally, drawn=drawn_of(3))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from(["yes", "no", "", "True", "0"]), min_size=8, max_size=40), st.data()
)
def test_marks_in_the_table_are_a_count(tmp_path_factory, cells, data):
    n = len(cells)
    cells[:2] = "yes", "no"  # one of each stratum
    drawn = drawn_of(n)
    labels = [CLASSES[k % 3] for k in range(n)]
    path = tmp_path_factory.mktemp("marks") / "sample.csv"
    columns = {"index": drawn.rows, "given": labels, **drawn.columns(), "wrong": cells}
    pl.DataFrame(columns).write_csv(path)
    found = validation.read_checked(path)
    said = np.array([cell != "" for cell in cells])
    wrong = np.array([cell in ("yes", "True") for cell in cells])
    assert found.count() == count_checked(drawn.some(said), wrong[said])
    assert list(found.given) == [labels[k] for k in np.flatnonzero(said)]
    assert found.asked == n


def test_marks_of_other_words_are_refused(tmp_path):
    columns = {"index": drawn_of(4).rows, **drawn_of(4).columns()}
    for cells, why in (
        (["yes", "no", "maybe", ""], "'maybe' at row 2"),
        ([2, 0, 1, 1], "has '?2'? at row 0"),
    ):
        pl.DataFrame({**columns, "wrong": cells}).write_csv(tmp_path / "t.csv")
        with pytest.raises(ValueError, match=why):
            validation.read_checked(tmp_path / "t.csv")
    pl.DataFrame({"index": [1], "wrong": ["yes"]}).write_csv(tmp_path / "t.csv")
    with pytest.raises(ValueError, match="no column 'stratum'"):
        validation.read_checked(tmp_path / "t.csv")
    twice = {name: [*values, values[0]] for name, values in columns.items()}
    pl.DataFrame({**twice, "wrong": ["yes"] * 5}).write_csv(tmp_path / "t.csv")
    with pytest.raises(ValueError, match="a row stands twice"):
        validation.read_checked(tmp_path / "t.csv")
