"""Exports of annotation tools hold what a plain long table of the same answers holds."""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candidly
import export_files as files
from candidly.data.ingest import ReadAs, Roles, read_frame
from candidly.data.ingest.answers import read_answers
from candidly.data.ingest.labels import read_labels
from candidly.people import crowd

LABELS = ("cat", "dog", "a bird")
SAID = st.dictionaries(
    st.integers(1, 30),
    st.dictionaries(st.sampled_from(files.PEOPLE), st.sampled_from(LABELS)),
    min_size=2,
    max_size=6,
).filter(lambda said: len({label for by in said.values() for label in by.values()}) > 1)
FEW = settings(deadline=None, max_examples=20)
TOOLS = pytest.mark.parametrize("tool", files.FILES)


def written(name: str, data: bytes) -> Path:
    path = Path(tempfile.mkdtemp(), name)
    path.write_bytes(data)
    return path


def quiet(read, *arguments, **named):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return read(*arguments, **named)


def told(read, *arguments) -> str:
    with pytest.warns(ReadAs) as caught:
        read(*arguments)
    assert len(caught) == 1
    return str(caught[0].message)


def answers_in(path: Path, **roles) -> set[tuple[str, ...]]:
    frame = quiet(read_answers, path, Roles(**roles)).frame
    rows = frame.select("item", "annotator", "label").rows()
    return {tuple(map(str, row)) for row in rows if row[2] is not None}


def items_in(path: Path, **roles) -> set[str]:
    return set(map(str, quiet(read_answers, path, Roles(**roles)).frame["item"]))


def data_in(path: Path, **named):
    """What is read as examples: classes, texts and answers or labels, by name of the item."""
    data = quiet(candidly.read, path, **named)
    names, classes = [str(name) for name in data.ids], data.classes
    texts = dict(zip(names, data.inputs))
    if data.votes is None:
        given = {n: classes[k] if k >= 0 else None for n, k in zip(names, data.given)}
        return classes, texts, given
    votes = {(names[i], who, tuple(classes[k] for k in ks)) for i, who, ks in data.votes.rows()}
    return classes, texts, votes


@TOOLS
@FEW
@given(SAID)
def test_exports_hold_the_answers_of_a_long_table(tool, said):
    name, write = files.FILES[tool]
    path, plain = written(name, write(said)), written("long.csv", files.long_csv(said))
    assert answers_in(path) == answers_in(plain)
    if tool not in files.SILENT:
        assert items_in(path) == items_in(plain)
    mine, its = (quiet(crowd.read_answers, one) for one in (path, plain))
    assert mine.classes == its.classes
    assert mine.annotators == its.annotators


@TOOLS
@FEW
@given(SAID)
def test_exports_hold_the_examples_of_a_long_table(tool, said):
    if tool in files.SILENT:
        said = {item: by for item, by in said.items() if by}
    name, write = files.FILES[tool]
    assert data_in(written(name, write(said))) == data_in(written("long.csv", files.long_csv(said)))


@TOOLS
@FEW
@given(st.dictionaries(st.integers(1, 30), st.sampled_from(LABELS), min_size=3))
def test_with_one_answer_an_item_it_is_a_table_of_labels(tool, labels):
    if len(set(labels.values())) < 2:
        return
    said = {item: {files.PEOPLE[item % 3]: label} for item, label in labels.items()}
    name, write = files.FILES[tool]
    found = data_in(written(name, write(said)))
    assert found[2] == {str(item): label for item, label in labels.items()}
    rows = [{"id": k, "text": files.text(k), "label": label} for k, label in labels.items()]
    assert found == data_in(written("plain.csv", pl.DataFrame(rows).write_csv().encode()))


@FEW
@given(SAID)
def test_a_column_for_each_person_is_the_same(said):
    path, plain = written("w.csv", files.wide(said)), written("long.csv", files.long_csv(said))
    assert answers_in(path, annotators=files.PEOPLE) == answers_in(plain)
    assert items_in(path, annotators=files.PEOPLE) == items_in(plain)
    named = data_in(path, annotator=files.PEOPLE, item="item")
    assert named[0] == data_in(plain)[0]
    assert data_in(path, annotator=files.PEOPLE) == named  # an item by its usual name
    assert data_in(path, annotator=files.PEOPLE, id="item") == named
    if any(len(by) > 1 for by in said.values()):
        assert named == data_in(plain)


def test_what_is_known_stands_beside_lists_of_labels(tmp_path):
    said = {"item": ["a", "a", "b"], "annotator": ["x", "y", "x"], "truth": ["cat", "cat", "dog"]}
    labels = {"label": [["cat"], ["cat", "dog"], ["dog"]]}
    pl.DataFrame(said | labels).write_parquet(tmp_path / "t.parquet")
    data = quiet(candidly.read, tmp_path / "t.parquet", label="label")
    assert data.truth.tolist() == [0, 1]


@FEW
@given(SAID)
def test_get_another_label_is_the_same(said):
    path = written("labels.txt", files.get_another_label(said))
    plain = written("long.csv", files.long_csv(said))
    again = [cells for cells in zip(*answers_in(plain)) if len(set(cells)) < len(cells)]
    if again:  # else nothing tells the first line from names of columns
        assert answers_in(path) == answers_in(plain)


@FEW
@given(SAID)
def test_doccano_has_a_file_for_each_person(said):
    plain, folder = written("long.csv", files.long_csv(said)), Path(tempfile.mkdtemp())
    for who in {who for by in said.values() for who in by}:
        (folder / f"{who}.jsonl").write_bytes(files.doccano(said, who))
    found = quiet(crowd.read_answers, folder)
    expected = quiet(crowd.read_answers, plain)
    assert found.annotators == expected.annotators
    assert found.classes == expected.classes
    assert (found.label == expected.label).all()
    assert (found.item == expected.item).all()


# what it was taken for


def test_it_is_said_what_a_file_was_taken_for():
    said = {1: {"ann": "cat", "bob": "dog"}, 2: {}, 3: {"ann": "dog"}}
    line = told(read_frame, written("export.json", files.label_studio(said)))
    assert line == "export.json read as: Label Studio export, 2 annotators, 3 items, 3 answers."


def test_a_plain_table_is_taken_for_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_frame(written("long.csv", files.long_csv({1: {"ann": "cat"}})))


# half-finished and damaged files


def edited(change) -> Path:
    said = {1: {"ann": "cat", "bob": "dog"}, 2: {"ann": "dog", "bob": "dog"}}
    tasks = json.loads(files.label_studio(said))
    change(tasks)
    return written("export.json", json.dumps(tasks).encode())


def test_a_cancelled_annotation_is_left_out_and_counted():
    path = edited(lambda tasks: tasks[0]["annotations"][1].update(was_cancelled=True))
    assert ("1", "ann", "cat") in answers_in(path)
    assert ("1", "bob", "dog") not in answers_in(path)
    assert told(read_frame, path).endswith("3 answers; left out: 1 cancelled.")


def test_an_annotation_without_a_choice_is_left_out_and_counted():
    path = edited(lambda tasks: tasks[0]["annotations"][1].update(result=[]))
    assert told(read_frame, path).endswith("3 answers; left out: 1 without a choice.")


def test_two_choices_in_one_answer_are_a_set_as_in_a_table():
    def both(tasks):
        tasks[0]["annotations"][0]["result"][0]["value"]["choices"] = ["cat", "dog"]

    path = edited(both)
    assert ("1", "ann", "cat|dog") in answers_in(path)
    plain = written("long.csv", b"item,annotator,label\n1,ann,cat|dog\n1,bob,dog\n2,ann,dog\n")
    for one in (path, plain):
        with pytest.raises(ValueError, match="is 2 labels; it takes one"):
            quiet(crowd.read_answers, one)
    votes = quiet(candidly.read, path).votes
    assert votes is not None
    assert (0, "ann", (0, 1)) in votes.rows()


def test_ground_truth_is_what_is_known_of_an_item_and_no_answer():
    path = edited(lambda tasks: tasks[0]["annotations"][1].update(ground_truth=True))
    table = quiet(read_answers, path)
    assert answers_in(path) == {("1", "ann", "cat"), ("2", "ann", "dog"), ("2", "bob", "dog")}
    assert table.frame["truth"].to_list() == ["dog", None, None]
    known = crowd.known_in(table, crowd.answers_of(table))
    assert known is not None
    assert known.tolist() == [1, -1]


def test_several_questions_have_a_column_each():
    def second(tasks):
        for task in tasks:
            for annotation in task["annotations"]:
                more = dict(annotation["result"][0], from_name="mood")
                more["value"] = {"choices": ["good"]}
                annotation["result"].append(more)

    path = edited(second)
    assert ("1", "ann", "good") in answers_in(path, label="mood")
    assert ("1", "ann", "cat") in answers_in(path, label="animal")
    with pytest.raises(ValueError, match="no column 'label', but item, annotator, animal, mood"):
        quiet(read_answers, path)


def test_a_column_of_ours_in_the_data_keeps_apart():
    def clash(tasks):
        for task in tasks:
            task["data"]["label"] = "what a model said"

    frame = quiet(read_frame, edited(clash)).frame
    assert frame["data.label"][0] == "what a model said"
    assert frame["label"][0] == "cat"


def spans(tasks):
    for task in tasks:
        for annotation in task["annotations"]:
            annotation["result"][0].update(type="labels", value={"start": 0, "labels": ["X"]})


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (spans, "of the kinds labels, which label parts of texts and pictures"),
        (lambda tasks: tasks[1].update(data=7), "task 1 has no `data`"),
        (lambda tasks: tasks[1].update(annotations=[7]), "holds something else further on"),
        (lambda tasks: [task.update(annotations=[]) for task in tasks], "there is no answer"),
    ],
)
def test_what_is_no_export_of_labels_is_refused(change, words):
    with pytest.raises(ValueError, match=f"export.json.*{words}"):
        quiet(read_frame, edited(change))


def test_a_file_that_was_cut_off_is_refused():
    data = files.label_studio({1: {"ann": "cat"}, 2: {"ann": "dog"}})
    with pytest.raises(ValueError, match=r"it is no JSON: .* export it again"):
        read_frame(written("export.json", data[:-40]))


def test_label_studio_local_files_go_by_their_path():
    def local(tasks):
        for task in tasks:
            task["data"] = {"image": "/data/local-files/?d=pictures/a%20cat.jpg"}

    assert quiet(read_frame, edited(local)).frame["image"][0] == "pictures/a cat.jpg"


def test_answers_come_in_the_order_of_their_times():
    def again(tasks):
        first, second = tasks[0]["annotations"]
        second["completed_by"] = first["completed_by"]
        first["created_at"] = "2025-01-01T00:00:00Z"  # stands first and was given last

    path = edited(again)
    with pytest.raises(
        ValueError, match=r"'ann' answers item 1 twice.*with `keep`: first, last or all"
    ):
        quiet(crowd.read_answers, path)
    found = quiet(crowd.read_answers, path, keep="last")
    assert found.classes[found.label[0]] == "cat"


def test_drafts_and_discarded_responses_are_left_out_and_counted():
    rows = [json.loads(line) for line in files.argilla_lines(SOME).splitlines()]
    rows[0]["animal.responses.status"] = ["draft", "submitted"]
    rows[1]["animal.responses.status"] = ["discarded", "submitted"]
    path = written("a.jsonl", b"\n".join(json.dumps(row).encode() for row in rows))
    assert told(read_frame, path).endswith("2 answers; left out: 1 draft, 1 discarded.")


SOME: files.Said = {1: {"ann": "cat", "bob": "dog"}, 2: {"ann": "dog", "bob": "dog"}}


def test_argilla_text_classification_of_version_1():
    rows = [
        {
            "text": f"text {k}",
            "inputs": {"text": f"text {k}"},
            "prediction": [{"label": "cat", "score": 0.5}],
            "prediction_agent": "model",
            "annotation": label,
            "annotation_agent": "ann" if label else None,
            "multi_label": False,
            "explanation": None,
            "id": f"r{k}",
            "metadata": {},
            "status": status,
            "event_timestamp": None,
            "metrics": {},
        }
        for k, (label, status) in enumerate(
            [("cat", "Validated"), ("dog", "Validated"), (None, "Default"), ("cat", "Discarded")]
        )
    ]
    path = written("v1.jsonl", b"\n".join(json.dumps(row).encode() for row in rows))
    assert answers_in(path) == {("r0", "ann", "cat"), ("r1", "ann", "dog")}
    classes, texts, given = data_in(path)
    assert given == {"r0": "cat", "r1": "dog", "r2": None, "r3": None}
    assert texts["r3"] == "text 3"
    assert classes == ("cat", "dog")


def decision(text, label, answer, who="ann"):
    row = {"text": text, "label": label, "answer": answer, "_annotator_id": who}
    return row | {"_input_hash": hash(text) % 999, "_task_hash": 5, "_view_id": "classification"}


def prodigy(*rows) -> Path:
    return written("p.jsonl", b"\n".join(json.dumps(row).encode() for row in rows))


def test_decisions_about_one_label_are_it_and_not_it():
    path = prodigy(
        decision("a", "SPAM", "accept"), decision("b", "SPAM", "reject"),
        decision("c", "SPAM", "ignore"),
    )  # fmt: skip
    assert {row[2] for row in answers_in(path)} == {"SPAM", "not SPAM"}
    assert told(read_frame, path).endswith("3 items, 2 answers; left out: 1 ignored.")


def test_labels_that_were_accepted_for_an_input_are_one_answer():
    path = prodigy(
        decision("a", "RED", "accept"), decision("a", "BIG", "accept"),
        decision("b", "RED", "reject"), decision("b", "BIG", "accept"),
    )  # fmt: skip
    assert {row[2] for row in answers_in(path)} == {"RED|BIG", "BIG"}
    assert told(read_frame, path).endswith("left out: 1 rejected.")


def test_decisions_on_parts_of_texts_are_refused():
    row = decision("a", None, "accept") | {"spans": [{"start": 0, "end": 1, "label": "X"}]}
    with pytest.raises(ValueError, match="hold no choices and no labels"):
        read_frame(prodigy(row))


def test_doccano_of_one_person_and_of_old_versions():
    alone = written("ann.jsonl", files.doccano(SOME, "ann"))
    assert answers_in(alone) == {("1", "ann", "cat"), ("2", "ann", "dog")}
    assert data_in(alone)[2] == {"1": "cat", "2": "dog"}
    old = {"id": 7, "text": "t", "meta": {}, "annotation_approver": None}
    old["annotations"] = [{"label": 2, "user": 1}, {"label": 3, "user": 4}]
    assert answers_in(prodigy(old)) == {("7", "1", "2"), ("7", "4", "3")}
    with pytest.raises(ValueError, match="line 1 has labels of parts of its text"):
        read_frame(prodigy({"id": 1, "text": "t", "label": [[0, 1, "X"]], "Comments": []}))


def toloka(*rows: dict[str, str]) -> Path:
    base = pl.read_csv(files.toloka(SOME), separator="\t", infer_schema=False).to_dicts()
    changed = [row | dict(more) for row, more in zip(base, (*rows, *({} for _ in base)))]
    text = pl.DataFrame(changed, infer_schema_length=None).write_csv(separator="\t")
    return written("assignments.tsv", text.encode())


def test_golden_answers_of_toloka_are_known_and_rejected_assignments_left_out():
    golden = {"GOLDEN:result": "dog"}
    path = toloka(golden, golden | {"ASSIGNMENT:status": "REJECTED"})
    table = quiet(read_answers, path)
    assert answers_in(path) == {("1", "ann", "cat"), ("2", "ann", "dog"), ("2", "bob", "dog")}
    known = crowd.known_in(table, crowd.answers_of(table))
    assert known is not None
    assert known.tolist() == [1, -1]
    assert told(read_frame, path).endswith("3 answers; left out: 1 rejected.")


def test_trainings_of_toloka_are_left_out_and_a_verdict_counts():
    path = toloka({"HINT:text": "It barks.", "GOLDEN:result": "dog"}, {"ACCEPT:verdict": "-"})
    assert answers_in(path) == {("2", "ann", "dog"), ("2", "bob", "dog")}
    assert told(read_frame, path).endswith("left out: 1 of trainings, 1 rejected.")


def test_a_known_class_that_nobody_said_is_a_class():
    path = toloka({"GOLDEN:result": "a whale"})
    assert quiet(crowd.read_answers, path).classes == ("a whale", "cat", "dog")


def test_two_known_labels_of_one_item_are_refused():
    path = toloka({"GOLDEN:result": "cat"}, {"GOLDEN:result": "dog"})
    table = quiet(read_answers, path)
    with pytest.raises(ValueError, match="says of item '1' 'cat' and another label"):
        crowd.known_in(table, crowd.answers_of(table))


def test_labels_of_an_export_by_several_people_are_not_one_each():
    said = {1: {"ann": "cat", "bob": "dog"}, 2: {"ann": "dog"}}
    path = written("export.json", files.label_studio(said))
    with pytest.raises(ValueError, match=r"several answers about an item; .* called consensus"):
        quiet(read_labels, path)
    alone = written("one.json", files.label_studio({1: {"ann": "cat"}, 2: {"ann": "dog"}}))
    found = quiet(read_labels, alone)
    assert found.values.tolist() == ["cat", "dog"]
    assert found.ids is not None
    assert found.ids.tolist() == ["1", "2"]


# other layouts


def test_a_table_of_people_is_recognised_by_its_labels():
    path = written("w.csv", b"item,text,ann,bob\nq1,good day,cat,dog\nq2,bye,dog,\nq3,hm,,\n")
    line = told(read_answers, path)
    assert line == "w.csv read as: a column for each annotator, 2 annotators, 3 items, 3 answers."
    assert answers_in(path) == {("q1", "ann", "cat"), ("q1", "bob", "dog"), ("q2", "ann", "dog")}


def test_a_table_of_other_columns_is_not_taken_for_one_of_people():
    path = written("t.csv", b"item,size,colour\nq1,big,red\nq2,small,blue\n")
    with pytest.raises(ValueError, match="`annotator` names them all"):
        read_answers(path)


def test_a_person_without_a_column_is_refused():
    path = written("w.csv", b"item,ann,bob\nq1,cat,dog\n")
    with pytest.raises(ValueError, match=re.escape("there is no column 'bop'")):
        read_answers(path, Roles(annotators=("ann", "bop")))


def test_the_first_line_without_names_is_an_answer():
    path = written("labels.txt", b"w1\tq1\tcat\nw2\tq1\tdog\nw1\tq2\tdog\n")
    assert ("q1", "w1", "cat") in answers_in(path)
    assert "Get-Another-Label (annotator, item, label), 2 annotators" in told(read_answers, path)


def test_a_first_line_of_unusual_names_is_none():
    path = written("labels.txt", b"question\twho\tverdict\nq1\tw1\tcat\nq1\tw2\tdog\n")
    with pytest.raises(ValueError, match="no column 'item', but question, who, verdict"):
        read_answers(path)
    named = {"item": "question", "annotator": "who", "label": "verdict"}
    assert answers_in(path, **named) == {("q1", "w1", "cat"), ("q1", "w2", "dog")}


# answers that are given again


AGAIN = b"item,annotator,label\n1,ann,cat\n1,ann,dog\n1,bob,dog\n2,ann,cat\n1,ann,cow\n"


@pytest.mark.parametrize(
    ("keep", "counts"),
    [("first", [[1, 0, 1], [1, 0, 0]]), ("last", [[0, 1, 1], [1, 0, 0]])],
)
def test_the_first_or_the_last_answer_is_kept(keep, counts):
    found = crowd.read_answers(written("a.csv", AGAIN), keep=keep)
    named = [[0] * len(found.classes) for _ in range(2)]
    for item, label in zip(found.item, found.label):
        named[item][label] += 1
    shown = {"cat": 0, "cow": 1, "dog": 2}
    expected = [[row[shown[name]] for name in found.classes] for row in counts]
    assert named == expected
    assert sum(map(sum, counts)) == len(found)


def test_all_answers_count_where_that_is_asked_for():
    found = crowd.read_answers(written("a.csv", AGAIN), keep="all")
    assert found.counts.tolist() == [[1, 1, 2], [1, 0, 0]]
    assert found.repeated == 2
    assert crowd.majority(found).labels.tolist() == [2, 0]
    with pytest.raises(ValueError, match="crowdlab weighs people by how they agree"):
        crowd.crowdlab(found)
    alone = crowd.read_answers(
        written("b.csv", b"item,annotator,label\n1,ann,cat\n1,ann,dog\n2,bob,dog\n"), keep="all"
    )
    assert not alone.shared.any()  # nobody else answered


@FEW
@given(st.permutations(AGAIN.decode().splitlines()[1:]))
def test_of_all_answers_their_order_is_no_matter(lines):
    text = "\n".join(["item,annotator,label", *lines]) + "\n"
    one = crowd.read_answers(written("a.csv", text.encode()), keep="all")
    other = crowd.read_answers(written("a.csv", AGAIN), keep="all")
    assert (one.label == other.label).all()
    assert (one.annotator == other.annotator).all()


def test_answers_that_are_given_again_are_refused_otherwise():
    with pytest.raises(ValueError, match=r"'ann' answers item 1 twice, in rows 0 and 1"):
        crowd.read_answers(written("a.csv", AGAIN))
    with pytest.raises(ValueError, match=r"`keep` is 'best'.*first, last, all"):
        crowd.read_answers(written("a.csv", AGAIN), keep="best")  # type: ignore[arg-type]
