"""In and out: round trips give the same counts, merging is idempotent and knows no order."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from candidly import review, validation
from candidly.data.ingest import ReadAs, read_frame
from candidly.people.validation.label_errors import CARDS, study

from needs import real_files
from review_cases import CLASSES, an_id, some_items, some_rules, take, team, work_through

CHOICES = ("given", "guessed", "both", "neither", "skip")


def answered(make, n=12, people=3, **changes):
    project = make(n, **changes)
    rng = np.random.default_rng(n)
    for who in team(project, people):
        work_through(project, who, lambda task: CHOICES[int(rng.integers(5))])
    return project


def counts(project):
    tally = review.tally(project)
    return {name: row.tolist() for name, row in zip(tally.ids, tally.counts)}


def test_votes_are_what_validation_reads(make, tmp_path):
    project = answered(make)
    table = review.votes(project)
    assert table["name"].to_list() == [f"i{row - 10}" for row in table["item"]]
    table.write_csv(tmp_path / "votes.csv")
    tally = validation.read_answers(tmp_path / "votes.csv")
    mine = review.tally(project)
    assert tally.item.tolist() == mine.item.tolist()
    assert tally.counts.tolist() == mine.counts.tolist()
    assert tally.skipped.tolist() == mine.skipped.tolist()
    assert tally.guessed.tolist() == mine.guessed.tolist()


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_table_goes_into_another_project_and_counts_the_same(make, tmp_path, ending):
    project, other = answered(make), make(12)
    path = tmp_path / f"votes{ending}"
    table = review.votes(project)
    (table.write_csv if ending == ".csv" else table.write_parquet)(path)
    assert review.import_answers(other, path) == len(table)
    assert review.import_answers(other, path) == 0
    assert counts(other) == counts(project)
    assert [s.answers for s in review.standings(other)] == [
        s.answers for s in review.standings(project)
    ]
    without = table.select("item", "person", "answer")
    third = make(12)
    without.write_csv(tmp_path / "bare.csv")
    for added in (len(table), 0):
        assert review.import_answers(third, tmp_path / "bare.csv") == added
    assert counts(third) == counts(project)


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        ({"name": ["i0"], "answer": ["given"]}, "no column 'person'"),
        ({"person": ["a"], "answer": ["given"]}, "no column 'name'"),
        ({"name": ["x"], "person": ["a"], "answer": ["given"]}, "about name 'x'"),
        ({"name": ["i0"], "person": ["a"], "answer": ["giv"]}, "row 0: the answer is 'giv'"),
        ({"name": ["i0"], "person": ["a b"], "answer": ["both"]}, "is by 'a b'"),
        ({"name": ["i0"] * 2, "person": ["a"] * 2, "answer": ["both"] * 2}, "twice, in rows 0"),
    ],
)
def test_bad_tables_are_refused(make, tmp_path, rows, match):
    project = make(2)
    pl.DataFrame(rows).write_csv(tmp_path / "t.csv")
    with pytest.raises(ValueError, match=match):
        review.import_answers(project, tmp_path / "t.csv")
    assert review.progress(project).answers == 0


def test_the_released_layout_counts_the_same(make, tmp_path):
    project = answered(make, offered=("given", "guessed", "both", "neither", "other"))
    path = tmp_path / "votes.json"
    path.write_text(json.dumps(review.released(project)))
    back = validation.read_released(path)
    mine = review.tally(project)
    assert back.item.tolist() == mine.item.tolist()
    assert back.counts.tolist() == mine.counts.tolist()


def copies(project, tmp_path, number):
    """Folders with the same project; on PostgreSQL the originals stay where they are."""
    made = []
    for k in range(number):
        folder = tmp_path / f"copy{k}"
        made.append(
            review.make_project(folder, some_items(8), replace(project.rules, adaptive=False))
        )
    return [replace(copy, clock=project.clock) for copy in made]


def test_logs_merge_in_any_order_and_once(make, tmp_path):
    project = make(8)
    a, b = copies(project, tmp_path, 2)
    ann, bob = review.add_person(a, "ann"), review.add_person(b, "bob")
    work_through(a, ann, lambda task: "both")
    project.clock.now += 1
    work_through(b, bob)
    project.clock.now += 1
    again = review.add_person(b, "ann")  # ann answers two items on the other machine as well
    for _ in range(2):
        take(b, again, "neither")
    review.undo(b, again, an_id())
    review.exclude(a, review.add_person(a, "cy"), an_id())
    logs = []
    for name, copy in (("a", a), ("b", b)):
        logs.append(tmp_path / f"{name}.jsonl")
        logs[-1].write_text("\n".join(review.log(copy)) + "\n")
    found = []
    for order in (logs, logs[::-1], [*logs, logs[0]]):
        target = make(8)
        for path in order:
            review.merge_log(target, path)
        assert review.merge_log(target, logs[0]) == 0
        found.append((counts(target), sorted(s.code for s in review.standings(target))))
    assert found[0] == found[1] == found[2]
    # the first answer of ann stands, not the one she gave later elsewhere
    assert found[0][0] == {f"i{k}": [1, 0, 1, 0, 0] for k in range(8)}
    assert review.merge(a, b) > 0
    assert review.merge(a, b) == 0
    assert review.merge(b, a) > 0
    assert counts(a) == counts(b) == found[0][0]
    assert [s.excluded for s in review.standings(a)] == [False, True, False]
    for copy in (a, b):
        copy.close()


def test_who_saw_an_item_openly_elsewhere_is_not_blind(make, tmp_path):
    project = make(8)
    a, b = copies(project, tmp_path, 2)
    review.look(a, review.add_person(a, "ann"), an_id(), 0)
    project.clock.now += 1
    work_through(b, review.add_person(b, "ann"))
    review.merge(b, a)
    assert sum(sum(row) for row in counts(b).values()) == 7
    assert review.votes(b, everything=True)["blind"].to_list().count(False) == 1
    for copy in (a, b):
        copy.close()


def test_logs_of_other_projects_and_damaged_ones_are_refused(make, tmp_path):
    project, other = make(3), make(4)
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(review.log(other)))
    with pytest.raises(ValueError, match="another project"):
        review.merge_log(project, path)
    with pytest.raises(ValueError, match="another project"):
        review.merge(project, other)
    head = "\n".join(review.log(project))
    for text, match in (
        ("", "line 1"),
        ('{"log": 5}', "is no log"),
        (head + '\n{"id": "x"', "line 2"),
        (head + '\n{"id": "x"}', "is missing"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=match):
            review.merge_log(project, path)
    with pytest.raises(FileNotFoundError):
        review.merge_log(project, tmp_path / "none.jsonl")


def test_corrected_labels_go_through_validation(make):
    project = make(4)
    said = {"i0": "guessed", "i1": "given", "i2": "neither", "i3": "guessed"}
    for who in team(project, 5):
        work_through(project, who, lambda task: said[f"i{number(project, task)}"])
    labels = np.zeros(14, np.int64)
    labels[10:14] = [0, 1, 2, 0]
    made = review.corrected_labels(project, labels)
    assert made.labels[10:].tolist() == [1, 1, -1, 1]
    assert [validation.PROVENANCE[p] for p in made.provenance[9:]] == [
        *("unflagged", "corrected", "confirmed", "pruned", "corrected")
    ]
    with pytest.raises(ValueError, match="Are they about these labels"):
        review.corrected_labels(project, np.where(labels == 2, 1, labels))


def number(project, task):
    """Which of ``some_items`` a task is about."""
    from sqlalchemy import text

    with project.store.read() as connection:
        query = text("SELECT at_row FROM item WHERE id = :item")
        return connection.execute(query, {"item": task.item}).scalar() - 10


def test_label_questions_make_votes_and_statistics(make):
    items = [replace(item, truth=k % 3) for k, item in enumerate(some_items(6))]
    project = make(items=items, question="several labels", threshold=None, people=2)
    said = {"p0": "0 1", "p1": "1"}
    for who in team(project, 2):
        work_through(project, who, lambda task, who=who: said[who.code])
    votes = review.label_votes(project)
    assert votes.rows()[:2] == [(10, "p0", (0, 1)), (10, "p1", (1,))]
    found = review.progress(project).labels
    assert (found.size, found.per_answer) == (2.0, 1.5)
    assert found.coverage == pytest.approx(4 / 6)
    assert found.flips.tolist() == [[0.5, 1.0, 0.0]] * 3
    assert review.votes(project)["labels"].to_list()[:2] == ["cat|dog", "dog"]
    with pytest.raises(ValueError, match="only verdicts"):
        review.tally(project)
    with pytest.raises(ValueError, match="released layouts"):
        review.released(project)


def test_one_label_and_yes_or_no_stop_when_settled(make):
    one = make(1, question="one label", threshold=None, people=5, adaptive=True)
    for who in team(one, 5):
        take(one, who, "2")
    assert (review.progress(one).answers, review.progress(one).saved) == (3, 2)
    items = [replace(item, asks=item.given) for item in some_items(2)]
    ask = make(items=items, question="yes or no", threshold=3, people=5, adaptive=True)
    said = {0: ["yes"] * 5, 1: ["no", "no", "no", "yes", "yes"]}
    for k, who in enumerate(team(ask, 5)):
        work_through(ask, who, lambda task, k=k: said[number(ask, task)][k])
    found = review.progress(ask)
    assert (found.answers, found.yes) == (6, (1, 1))


def test_label_studio_and_argilla(make):
    project = answered(make, n=3, people=2)
    tasks, setup = review.label_studio(project)
    assert len(tasks) == 3
    names = {f"i{k}": (CLASSES[k % 3], CLASSES[(k + 1) % 3]) for k in range(3)}
    table = review.votes(project)
    for task in tasks:
        rows = table.filter(pl.col("name") == task["data"]["name"]).rows(named=True)
        given, guessed = names[task["data"]["name"]]
        said = [a["result"][0]["value"]["choices"] for a in task["annotations"]]
        words = {"given": [given], "guessed": [guessed], "skip": []}
        assert said == [words.get(row["answer"], [row["answer"]]) for row in rows]
        cancelled = [a["was_cancelled"] for a in task["annotations"]]
        assert cancelled == [row["answer"] == "skip" for row in rows]
    for name in (*CLASSES, "both", "neither"):
        assert f'<Choice value="{name}"/>' in setup
    records = review.argilla(project)
    people = {r["user_id"] for record in records for r in record["responses"]["answer"]}
    assert len(people) == 2
    answers = sum(len(record["responses"]["answer"]) for record in records)
    assert answers == review.progress(project).answers
    json.dumps([tasks, records])


def test_what_goes_to_other_tools_is_read_back(make, tmp_path):
    project = answered(make, n=6, people=3)
    tasks, _ = review.label_studio(project)
    table = review.votes(project).filter(pl.col("answer") != "skip")
    shown = {f"i{k}": {"given": CLASSES[k % 3], "guessed": CLASSES[(k + 1) % 3]} for k in range(6)}
    rows = table.select("name", "person", "answer").rows()
    said = {(name, who, shown[name].get(answer, answer)) for name, who, answer in rows}
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    with pytest.warns(ReadAs, match="Label Studio export, 3 annotators, 6 items"):
        frame = read_frame(tmp_path / "tasks.json").frame
    assert set(frame.select("name", "annotator", "label").drop_nulls().rows()) == said
    for number, task in enumerate(tasks):  # as Label Studio numbers them, all of one person
        task["id"] = number + 1
        for annotation in task["annotations"]:
            annotation["completed_by"] = 1
    (tmp_path / "tasks.json").write_text(json.dumps(tasks))
    with pytest.warns(ReadAs, match="3 annotators"):
        again = read_frame(tmp_path / "tasks.json").frame
    assert set(again.select("name", "annotator", "label").drop_nulls().rows()) == said
    (tmp_path / "records.json").write_text(json.dumps(review.argilla(project)))
    with pytest.warns(ReadAs, match="Argilla records, 3 annotators, 6 items"):
        records = read_frame(tmp_path / "records.json").frame
    kept = records.select("item", "label").drop_nulls()
    assert sorted(kept.rows()) == sorted((name, label) for name, _, label in said)


def test_items_of_issues(tmp_path, make):
    pl.DataFrame(
        {
            "index": [7, 3, 5],
            "given": ["cat", "dog", "owl"],
            "proposed": ["dog", "owl", "cat"],
            "margin": [-0.5, -0.9, None],
        }
    ).write_parquet(tmp_path / "issues.parquet")
    items, names = review.items_of_issues(tmp_path / "issues.parquet", CLASSES)
    assert names == CLASSES
    assert [(i.row, i.given, i.guessed, i.score) for i in items] == [
        (7, 0, 1, -0.5),
        (3, 1, 2, -0.9),
        (5, 2, 0, None),
    ]
    project = make(items=items, goal="quality")
    who = team(project, 1)[0]
    rows = [number(project, task) + 10 for task in work_through(project, who)]
    assert rows == [3, 7, 5]
    with pytest.raises(ValueError, match="sample is 4"):
        review.items_of_issues(tmp_path / "issues.parquet", CLASSES, sample=4)
    few = [review.items_of_issues(tmp_path / "issues.parquet", CLASSES, sample=2) for _ in "ab"]
    assert few[0] == few[1]
    pl.DataFrame({"index": [1], "given": [0]}).write_csv(tmp_path / "x.csv")
    with pytest.raises(ValueError, match="no column 'proposed'"):
        review.items_of_issues(tmp_path / "x.csv")


def test_media_and_examples(tmp_path):
    from PIL import Image

    from candidly import from_arrays

    images = np.arange(6 * 4 * 4, dtype=np.uint8).reshape(6, 4, 4)
    data = from_arrays(images, [0, 1, 2, 0, 1, 2], classes=list(CLASSES))
    folder = tmp_path / "project0"
    looks = review.looks_of(data, folder / "media")
    items = review.items_of_data(data, [4, 3], guessed=[1, 2, 0, 1, 2, 0], looks=looks)
    project = review.make_project(folder, items, some_rules(examples=2), examples=data)
    with project:
        who = review.add_person(project, "ann")
        task = review.next_tasks(project, who)[0]
        with Image.open(folder / "media" / task.shown.payload) as picture:
            assert any(np.array_equal(np.array(picture), images[row]) for row in (3, 4))
        shown = [review.shown_examples(project, numbers) for numbers in task.examples]
        assert {len(some) for some in shown} == {1, 2}
        for label, some in zip(task.classes, shown):  # an item as an example would tell its label
            rows = {label, label + 3} - {4, 3}
            assert {s.payload for s in some} == {f"example-{row}.png" for row in rows}


def test_looks_of_files(tmp_path):
    from PIL import Image

    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for name in ("2.png", "10.png"):
        Image.new("L", (2, 2), int(name[:-4])).save(pictures / name)
    look = review.looks_of_files(pictures, tmp_path / "media")
    assert look(10) == review.Shown("image", "10.png")
    assert (tmp_path / "media" / "10.png").read_bytes() == (pictures / "10.png").read_bytes()
    with pytest.raises(ValueError, match="has nothing of row 3"):
        look(3)
    (tmp_path / "t.txt").write_text("one\ntwo\n")
    texts = review.looks_of_files(tmp_path / "t.txt", tmp_path)
    assert texts(1) == review.Shown("text", "two")
    with pytest.raises(ValueError, match="has nothing of row 2"):
        texts(2)
    with pytest.raises(FileNotFoundError):
        review.looks_of_files(tmp_path / "none", tmp_path)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"people": 0}, "people is 0"),
        ({"threshold": 2}, "two answers could reach it"),
        ({"threshold": 6}, "threshold is 6 and people is 5"),
        ({"gold_every": 1}, "gold_every is 1"),
        ({"question": "verdikt"}, "did you mean 'verdict'"),
        ({"goal": "speed"}, "no goal named"),
        ({"offered": ("given", "guess")}, "did you mean 'guessed'"),
        ({"classes": ("a", "a")}, "a name twice"),
        ({"question": "several labels", "adaptive": True}, "sets only grow"),
    ],
)
def test_rules_that_cannot_be(changes, match):
    with pytest.raises((ValueError, KeyError), match=match):
        some_rules(**changes)


@pytest.mark.parametrize(
    ("items", "more", "match"),
    [
        ([], {}, "nothing to ask about"),
        (some_items(2) * 2, {}, "stands twice"),
        ([replace(some_items(1)[0], given=7)], {}, "the given class of item 'i0' is 7"),
        ([replace(some_items(1)[0], guessed=-1)], {}, "has no guessed class"),
        (some_items(2), {"gold": {"i9": "given"}}, "'i9' is not among"),
        (some_items(2), {"gold": {"i1": "yes"}}, "the answer is 'yes'"),
        (some_items(2), {"gold": {"i1": "skip"}}, "has the answer 'skip'"),
        (some_items(2), {"order": [1]}, "go together"),
    ],
)
def test_projects_that_cannot_be(tmp_path, items, more, match):
    with pytest.raises(ValueError, match=match):
        review.make_project(tmp_path / "p", items, some_rules(), **more)
    assert not (tmp_path / "p" / "review.db").exists()


def test_presets_are_as_published():
    presets = review.PRESETS
    assert (presets["verdict"].people, presets["verdict"].threshold) == (5, 3)
    c = presets["candidates"]
    assert (c.batch, c.people, c.shown_px, c.most_labels, c.most_per_label) == (10, 10, 256, 6, 6)
    assert c.whole_batch
    assert (presets["single"].batch, presets["single"].people) == (10, 3)
    cost = review.plan_cost(95, c, seconds_per_batch=90, pay_per_hour=8)
    assert (cost.answers, cost.batches) == (950, 95)
    assert cost.money == pytest.approx(95 * 90 / 3600 * 8)
    with pytest.raises(ValueError, match="must be positive"):
        review.plan_cost(0, c, seconds_per_batch=90)


@real_files
@pytest.mark.parametrize("name", CARDS)
def test_released_votes_go_in_and_out(name, tmp_path):
    tally = study(name).votes
    sets = isinstance(tally, validation.SetTally)
    rules = review.Rules(classes=tally.classes, people=5, threshold=3, gold_every=0)
    rules = replace(rules, question="yes or no") if sets else replace(rules, offered=tally.offered)
    project = review.make_project(tmp_path / name, review.items_of_tally(tally), rules)
    with project:
        added = review.import_votes(project, tally)
        assert added == (tally.counts.sum() if not sets else 5 * len(review.items_of_tally(tally)))
        assert review.import_votes(project, tally) == 0
        (tmp_path / "out.json").write_text(json.dumps(review.released(project)))
        mine = review.set_tally(project) if sets else review.tally(project)
    before = validation.totals(validation.judge(tally, 3))
    back = validation.read_released(tmp_path / "out.json")
    for other in (mine, back):
        after = validation.totals(validation.judge(other, 3))
        assert after.categories == before.categories
        assert {k: v.count for k, v in after.errors.items()} == {
            k: v.count for k, v in before.errors.items()
        }
    shutil.rmtree(tmp_path / name)
