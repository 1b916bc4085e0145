"""Another class behind neither, the organiser's word, and what corrected labels make of both."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly import review, validation

from review_cases import an_id, reply, some_items, some_rules, take, team, work_through

FOUR = ("cat", "dog", "owl", "fox")
FOX = FOUR.index("fox")


def labels_of(items):
    """Labels of a data set whose rows the items are."""
    found = np.zeros(10 + len(items), int)
    for item in items:
        found[item.row] = item.given
    return found


def test_a_class_that_enough_people_name_becomes_the_label(make):
    project = make(4, classes=FOUR, people=3, threshold=2)
    named = {"i0": (FOX, FOX, FOX), "i1": (FOX, FOX, None), "i2": (FOX, None, None)}
    for k, who in enumerate(team(project, 3)):
        while tasks := review.next_tasks(project, who):
            for task in tasks:
                name = review.find_item(project, task.item).name
                if name == "i3":
                    review.answer(project, who, [reply(task, "given")])
                else:
                    review.answer(project, who, [reply(task, "neither", named=named[name][k])])
    found = review.verdicts(project)
    assert [validation.CATEGORIES[c] for c in found.category] == ["neither"] * 3 + ["non-error"]
    assert found.tally.naming.tolist() == [3, 2, 1, 0]
    given = labels_of(some_items(4))
    made = review.corrected_labels(project, given)
    assert made.labels[10:].tolist() == [FOX, FOX, -1, 0]
    assert made.sources[10:] == ["corrected", "corrected", "pruned", "confirmed"]
    # the same from the table that is exported, with classes by number or by name
    votes = review.votes(project)
    assert votes["named"].drop_nulls().to_list() == [FOX] * 6
    for column in (votes["named"], votes["named"].replace_strict({FOX: "fox"}, default=None)):
        place = project.folder / "votes.csv"
        votes.with_columns(column.alias("named")).write_csv(place)
        again = validation.read_answers(place, classes=FOUR)
        for name in ("counts", "named", "naming", "given", "guessed"):
            assert getattr(again, name).tolist() == getattr(found.tally, name).tolist()
        place.unlink()
    # into a copy, by its log and by the table
    told = review.said_about(project, [review.find_item(project, "i0")])[0]
    assert [one.words for one in told] == [["neither", "fox"]] * 3


def test_what_names_no_other_class_is_refused(make):
    project = make(3, classes=FOUR, people=1, threshold=1)
    [ann] = team(project, 1)
    [task] = review.next_tasks(project, ann)
    card = review.find_item(project, task.item)
    for choice, named, why in (
        ("given", FOX, "another class goes with 'neither'"),
        ("neither", 4, "numbered 0 to 3"),
        ("neither", -1, "numbered 0 to 3"),
        ("neither", card.given, "one of the two classes shown"),
        ("neither", card.guessed, "one of the two classes shown"),
    ):
        with pytest.raises(ValueError, match=why):
            review.answer(project, ann, [reply(task, choice, named=named)])
    assert review.answered(project, ann) == 0
    said = reply(task, "neither", named=FOX)
    review.answer(project, ann, [said])
    review.answer(project, ann, [said])  # again is nothing new
    with pytest.raises(ValueError, match="stands for another answer"):
        review.answer(project, ann, [replace(said, named=None)])


def test_other_questions_name_no_class_beside(make):
    project = make(2, question="yes or no", items=[replace(i, asks=0) for i in some_items(2)])
    [ann] = team(project, 1)
    [task] = review.next_tasks(project, ann)
    with pytest.raises(ValueError, match="name no other class"):
        review.answer(project, ann, [reply(task, "no", named=1)])


def test_a_class_named_makes_neither_a_known_answer_nor_a_repetition_wrong(make):
    gold = {f"i{k}": "neither" for k in range(0, 12, 2)}
    project = make(16, classes=FOUR, gold=gold, gold_every=2, repeat_every=3, people=1, threshold=1)
    [ann] = team(project, 1)
    while tasks := review.next_tasks(project, ann):
        turn = len(review.votes(project, everything=True))
        named = FOX if turn % 2 else None
        review.answer(project, ann, [reply(task, "neither", named=named) for task in tasks])
    [found] = review.standings(project)
    assert found.gold == found.gold_right > 2
    assert found.repeats == found.repeats_same
    assert validation.agreement(review.verdicts(project)).unanimous == 10


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(2, 3) | st.none()), max_size=30
    )
)
def test_the_class_named_most_against_a_slow_count(said):
    """Of each item: who names it most often, of those who answered neither and named one."""
    said = list({(item, person): (item, person, named) for item, person, named in said}.values())
    answers = ["given" if named is None else "neither" for _, _, named in said]
    found = validation.from_answers(
        np.array([item for item, _, _ in said], int),
        [person for _, person, _ in said],
        answers,
        named=[-1 if named is None else named for _, _, named in said],
        asked=np.arange(4),
    )
    for item in range(4):
        names = [named for at, _, named in said if at == item and named is not None]
        most = max(map(names.count, names), default=0)
        assert found.naming[item] == most
        best = {name for name in names if names.count(name) == most}
        assert found.named[item] in best if names else found.named[item] == -1


def test_who_names_a_class_must_have_answered_neither():
    with pytest.raises(ValueError, match="row 1 is 'given' and names class 2"):
        validation.from_answers([0, 1], ["a", "a"], ["neither", "given"], named=[2, 2])
    with pytest.raises(ValueError, match="2 people name another class"):
        replace(validation.from_counts([[1, 0, 0, 1]]), named=np.array([2]), naming=np.array([2]))


# ---- the organiser decides


def differing(make, **changes):
    """Four items: on i0 and i2 people differ."""
    project = make(4, classes=FOUR, people=3, threshold=2, **changes)
    said = {"i0": ("given", "guessed", "neither"), "i2": ("both", "guessed", "given")}
    for k, who in enumerate(team(project, 3)):
        work_through(
            project,
            who,
            lambda task, k=k: said.get(review.find_item(project, task.item).name, ["guessed"] * 3)[
                k
            ],
        )
    return project


def test_the_word_of_the_organiser_is_kept_apart_and_can_be_taken_back(make):
    project = differing(make)
    given = labels_of(some_items(4))
    before = review.progress(project)
    kept = review.corrected_labels(project, given)
    assert kept.sources[10:] == ["undecided", "corrected", "undecided", "corrected"]
    first = review.find_item(project, "i3")
    following = review.next_to_decide(project, first)
    assert following.name == "i0"
    assert review.next_to_decide(project, following).name == "i2"
    project.clock.now += 1
    review.decide(project, following.id, str(FOX), an_id(), note="it has a tail", by="ann")
    project.clock.now += 1
    review.decide(project, review.find_item(project, "i2").id, review.REMOVE, an_id())
    assert review.next_to_decide(project, first) is None
    made = review.corrected_labels(project, given)
    assert made.labels[10:].tolist() == [FOX, 2, -1, 1]
    assert made.sources[10:] == ["decided", "corrected", "decided", "corrected"]
    assert made.pruned.tolist() == [False] * 12 + [True, False]
    assert made.fingerprint != kept.fingerprint
    made.save(project.folder / "made.npz")
    again = validation.Corrected.load(project.folder / "made.npz")
    assert again.fingerprint == made.fingerprint
    assert again.undo(made.labels).tolist() == given.tolist()
    # nothing of the answers has changed
    after = review.progress(project)
    assert vars(after) | {"decided": 0} == vars(before)
    assert (before.decided, after.decided) == (0, 2)
    card = review.find_item(project, "i0")
    assert (card.outcome, card.decided.words, card.decided.note) == (
        "non-agreement",
        "fox",
        "it has a tail",
    )
    for decided, names in ((True, {"i0", "i2"}), (False, {"i1", "i3"})):
        found = review.browse(project, review.ItemFilter(decided=decided)).cards
        assert {one.name for one in found} == names
    # taken back
    project.clock.now += 1
    review.decide(project, card.id, None, an_id(), by="ann")
    assert review.find_item(project, "i0").decided is None
    assert review.corrected_labels(project, given).sources[10] == "undecided"
    told = review.events(project).filter(pl.col("about") == "i0")
    assert told["what"].to_list() == ["decided", "took a decision back"]
    assert told["by"].to_list() == ["ann", "ann"]
    assert "it has a tail" in told["more"][0]


def test_decisions_go_into_copies_in_any_order(make, tmp_path):
    project = differing(make)
    ids = [review.find_item(project, f"i{k}").id for k in range(4)]
    for k, choice in enumerate(("1", "2", None, review.REMOVE, "3")):
        project.clock.now += 1
        review.decide(project, ids[k % 4], choice, f"decision-{k}")
    wanted = {item: one.choice for item, one in review.decisions(project).items()}
    assert wanted == {ids[0]: "3", ids[1]: "2", ids[3]: review.REMOVE}
    lines = [*review.log(project)]
    (tmp_path / "whole.jsonl").write_text("\n".join(lines))
    parts = [[lines[0], *lines[1:-2]], [lines[0], *lines[-2:], lines[1]]]
    copy = review.make_project(
        tmp_path / "copy", some_items(4), some_rules(classes=FOUR, people=3, threshold=2)
    )
    with copy:
        assert copy.fingerprint == project.fingerprint
        for k, part in enumerate(reversed(parts)):
            (tmp_path / f"{k}.jsonl").write_text("\n".join(part))
            assert review.merge_log(copy, tmp_path / f"{k}.jsonl") > 0
        assert review.merge_log(copy, tmp_path / "whole.jsonl") == 0
        assert {item: one.choice for item, one in review.decisions(copy).items()} == wanted
        assert review.merge(copy, project) == 0
        bad = lines[-1].replace('"choice": "3"', '"choice": "77"')
        (tmp_path / "bad.jsonl").write_text(f"{lines[0]}\n{bad}\n")
        with pytest.raises(ValueError, match=r"cannot be read in line 2"):
            review.merge_log(copy, tmp_path / "bad.jsonl")


@pytest.mark.parametrize(
    ("choice", "why"),
    [("9", "from 0 to 3"), ("1 2", "holds 2 classes"), ("cat", "class numbers"), ("", "numbers")],
)
def test_what_cannot_be_decided_is_refused(make, choice, why):
    project = differing(make, gold={"i3": "given"})
    card = review.find_item(project, "i0")
    with pytest.raises(ValueError, match=why):
        review.decide(project, card.id, choice, an_id())
    for item in (99, review.find_item(project, "i3").id):  # one that is known, too
        with pytest.raises(ValueError, match="there is no item"):
            review.decide(project, item, "1", an_id())
    said = an_id()
    review.decide(project, card.id, "1", said)
    review.decide(project, card.id, "1", said)
    with pytest.raises(ValueError, match="stands for another decision"):
        review.decide(project, card.id, "2", said)
    assert review.decisions(project)[card.id].choice == "1"


def test_questions_without_a_label_of_an_item_have_no_last_word(make):
    project = make(2, question="several labels", threshold=None)
    assert not review.can_decide(project.rules)
    with pytest.raises(ValueError, match="nothing can be decided"):
        review.decide(project, 0, "1", an_id())
    with pytest.raises(ValueError, match="sets of labels are no one label of a row"):
        review.corrected_labels(project, labels_of(some_items(2)))


def test_a_decision_about_all_labels_that_hold(make):
    project = make(3, question="all labels", classes=FOUR, people=1, threshold=None)
    [ann] = team(project, 1)
    take(project, ann, "0 1")
    tags = np.zeros((13, 4), bool)
    tags[10:, 2] = True
    review.decide(project, review.find_item(project, "i0").id, "1 3", an_id())
    review.decide(project, review.find_item(project, "i1").id, "none", an_id())
    made = review.corrected_tags(project, tags)
    assert made.tags[10].tolist() == [False, True, False, True]
    assert not made.tags[11].any()
    assert made.sources[10:12] == ["decided", "decided"]


@settings(deadline=None, max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["0", "2", None])), max_size=12))
def test_the_last_word_stands(tmp_path_factory, said):
    folder = tmp_path_factory.mktemp("decided")
    with review.make_project(folder / "p", some_items(3), some_rules()) as project:
        for item, choice in said:
            review.decide(project, item, choice, an_id())
        wanted = {item: choice for item, choice in dict(said).items() if choice is not None}
        found = {item: one.choice for item, one in review.decisions(project).items()}
    assert found == wanted


# ---- one label of each item, yes or no, and what could fit


def test_answers_to_one_label_come_to_corrected_labels(make):
    project = make(4, question="one label", classes=FOUR, people=3, threshold=None)
    said = {"i0": "000", "i1": "333", "i2": "012", "i3": "223"}
    for k, who in enumerate(team(project, 3)):
        work_through(
            project, who, lambda task, k=k: said[review.find_item(project, task.item).name][k]
        )
    given = labels_of(some_items(4))  # 0, 1, 2, 0
    made = review.corrected_labels(project, given)
    assert made.labels[10:].tolist() == [0, FOX, 2, 2]
    assert made.sources[10:] == ["confirmed", "corrected", "undecided", "corrected"]
    review.decide(project, review.find_item(project, "i2").id, "1", an_id())
    assert review.corrected_labels(project, given).labels[12] == 1
    assert review.next_to_decide(project, review.find_item(project, "i0")).name == "i3"


@pytest.mark.parametrize(("people", "threshold"), [(1, None), (2, None), (2, 2), (3, 2), (5, 4)])
def test_status_and_the_exported_answers_come_to_the_same_verdicts(make, people, threshold):
    """Whoever judges: the project, or ``validate`` of its votes, while people still answer."""
    project = make(6, people=people, threshold=threshold)
    rng = np.random.default_rng(people)
    for k, who in enumerate(team(project, people)):
        for _ in range(6 - k):  # the last ones are not through
            take(project, who, str(rng.choice(["given", "guessed"])))
    review.votes(project).write_csv(project.folder / "votes.csv")
    tally = validation.read_answers(project.folder / "votes.csv")
    theirs, ours = validation.judge(tally), review.verdicts(project)
    there = np.isin(ours.tally.item, theirs.tally.item)
    assert theirs.category.tolist() == ours.category[there].tolist()
    assert theirs.threshold.tolist() == ours.threshold[there].tolist()
    found = review.progress(project).verdicts
    counted = np.bincount(ours.category, minlength=len(validation.CATEGORIES))
    assert list(found.values()) == counted.tolist()
    assert theirs.decided.any()


def test_yes_or_no_is_asked_of_the_label_and_makes_verdicts_on_it(make):
    project = make(3, question="yes or no", classes=FOUR, people=3, threshold=2)
    said = {"i0": ("yes",) * 3, "i1": ("no", "no", "yes"), "i2": ("yes", "no", "skip")}
    for k, who in enumerate(team(project, 3)):
        work_through(
            project, who, lambda task, k=k: said[review.find_item(project, task.item).name][k]
        )
    made = review.corrected_labels(project, labels_of(some_items(3)))
    assert made.labels[10:].tolist() == [0, -1, 2]
    assert made.sources[10:] == ["confirmed", "pruned", "pending"]
    review.decide(project, review.find_item(project, "i1").id, str(FOX), an_id())
    assert review.corrected_labels(project, labels_of(some_items(3))).labels[11] == FOX
    items = [replace(item, asks=item.guessed) for item in some_items(3)]
    other = make(items=items, question="yes or no", people=3, threshold=2)
    with pytest.raises(ValueError, match="others than its label"):
        review.corrected_labels(other, labels_of(some_items(3)))


def test_candidates_are_all_that_anybody_named_once_all_have_answered(make):
    project = make(3, question="several labels", classes=FOUR, people=2, threshold=None)
    ann, bob = team(project, 2)
    work_through(project, ann, lambda task: "0 3")
    take(project, bob, "1")
    sets = np.zeros((13, 4), bool)
    sets[np.arange(10, 13), [0, 1, 2]] = True
    made = review.corrected_candidates(project, sets)
    assert sorted(made.sources[10:]) == ["corrected", "pending", "pending"]
    [row] = [k for k, word in enumerate(made.sources) if word == "corrected"]
    assert made.tags[row].tolist() == [True, True, False, True]
    with pytest.raises(ValueError, match="only several labels make sets"):
        review.corrected_candidates(make(2), sets)


# ---- answers that come in by names


def test_answers_by_names_of_classes_are_those_by_numbers(make, tmp_path):
    first = make(4, classes=FOUR, people=3)
    for who, say in zip(team(first, 3), ("given", "guessed", "neither")):
        while tasks := review.next_tasks(first, who):
            named = FOX if say == "neither" else None
            review.answer(first, who, [reply(task, say, named=named) for task in tasks])
    table = review.votes(first)
    by_code = dict(enumerate(FOUR))
    words = pl.coalesce(
        pl.when(pl.col("answer") == "given").then(pl.col("given")),
        pl.when(pl.col("answer") == "guessed").then(pl.col("guessed")),
        pl.col("named"),
    ).replace_strict(by_code, return_dtype=pl.String)
    named = table.select("name", "person", answer=words)
    both = table.with_columns(pl.col("given", "guessed").replace_strict(by_code))
    for k, frame in enumerate((named, table, both)):
        frame.write_csv(tmp_path / f"{k}.csv")
        second = make(4, classes=FOUR, people=3)
        assert review.import_answers(second, tmp_path / f"{k}.csv") == 12
        assert review.import_answers(second, tmp_path / f"{k}.csv") == 0
        columns = ["name", "person", "answer", "named"]
        found = review.votes(second).select(columns).sort(columns)
        assert found.equals(table.select(columns).sort(columns))
    wrong = table.with_columns(guessed=3)
    wrong.write_csv(tmp_path / "wrong.csv")
    with pytest.raises(ValueError, match=r"row 0: the guessed class is 'fox', where the project"):
        review.import_answers(second, tmp_path / "wrong.csv")


def test_labels_by_name_and_what_is_no_class(make, tmp_path):
    project = make(3, question="several labels", classes=FOUR, threshold=None, people=2)
    rows = [("i0", "ann", "fox|cat"), ("i1", "ann", "1"), ("i2", "ann", "dog")]
    frame = pl.DataFrame(rows, schema=["name", "person", "answer"], orient="row")
    frame.write_csv(tmp_path / "a.csv")
    assert review.import_answers(project, tmp_path / "a.csv") == 3
    assert review.votes(project)["answer"].to_list() == ["0 3", "1", "1"]
    frame.with_columns(answer=pl.lit("fox|dgo"), person=pl.lit("bob")).write_csv(tmp_path / "b.csv")
    with pytest.raises(ValueError, match=r"row 0: the answer is 'fox\|dgo'"):
        review.import_answers(project, tmp_path / "b.csv")


@pytest.mark.parametrize(
    "changes",
    [
        *({"at": at} for at in (float("nan"), float("inf"), 1e300, -1, "now", None, True)),
        *({"item": item} for item in ("0", True, 1.0, None, -1, 99, 2**70)),
        *({"choice": choice} for choice in (5, ["1"], "x", "1 1")),
        *({"by": 5}, {"note": {}}, {"note": "x" * 5000}, {"by": "a\0b"}, {"id": 7}),
    ],
    ids=str,
)
def test_a_decision_of_a_log_that_cannot_be_is_refused_and_nothing_is_taken(
    make, tmp_path, changes
):
    project = differing(make)
    good = {"id": "decision-9", "item": 0, "choice": "1", "by": "ann", "note": None, "at": 5.0}
    head = next(iter(review.log(project)))

    def merge(line) -> int:
        text = json.dumps({"kind": "decision", **line})
        (tmp_path / "log.jsonl").write_text(f"{head}\n{text}\n")
        return review.merge_log(project, tmp_path / "log.jsonl")

    with pytest.raises(ValueError, match=r"line 2|which is not there"):
        merge(good | changes)
    assert review.decisions(project) == {}
    assert merge(good) == 1  # which it is alone for what was changed


@pytest.mark.parametrize("at", [float("nan"), 1e300, -1.0, "soon"], ids=str)
def test_an_answer_of_a_time_that_no_page_can_show_comes_in_by_no_door(make, tmp_path, at):
    project = differing(make)
    lines = [*review.log(project)]
    bad = json.dumps(json.loads(lines[1]) | {"at": at, "id": "another-id-1"})
    (tmp_path / "log.jsonl").write_text(f"{lines[0]}\n{bad}\n")
    with pytest.raises(ValueError, match="line 2"):
        review.merge_log(project, tmp_path / "log.jsonl")
    frame = pl.DataFrame({"name": ["i1"], "person": ["zoe"], "answer": ["given"], "at": [str(at)]})
    frame.write_csv(tmp_path / "a.csv")
    before = review.progress(project).answers
    with pytest.raises(ValueError, match=r"time|number|soon"):
        review.import_answers(project, tmp_path / "a.csv")
    assert review.progress(project).answers == before
