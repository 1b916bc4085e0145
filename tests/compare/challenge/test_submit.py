"""Taking submissions in: manifests, one table of hyper-parameters, links, likeness, replacing."""

import json
import os
import re
import textwrap
from pathlib import Path

import pytest

from candidly.compare.challenge import (
    copy_example,
    examples_there,
    read_manifest,
    read_protocol,
    submissions,
    submit,
)
from candidly.compare.challenge._manifest import check_against, sets_of
from candidly.compare.challenge.examples import example
from compare.challenge.challenge_cases import small, submission


@pytest.fixture(scope="module")
def challenge(tmp_path_factory):
    folder = tmp_path_factory.mktemp("challenge") / "c"
    return folder, small(folder)


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ('{"name": "a"', "is no JSON"),
        ("[1]", "no table of names"),
        ('{"name": "a", "task": "learning"}', "has no 'hyperparameters'"),
        ('{"name": "../a", "task": "learning", "hyperparameters": {}}', "the submission|name is"),
        ('{"name": "a", "task": "learing", "hyperparameters": {}}', "did you mean 'learning'"),
        ('{"name": "a", "task": "learning", "hyperparameters": 1}', "must be a table"),
        ('{"name": "a", "tasks": "learning", "hyperparameters": {}}', "did you mean 'task'"),
        ('{"name": "a", "task": "learning", "hyperparameters": {}, "track": "x"}', "track is 'x'"),
        ('{"name": "a", "task": "learning", "hyperparameters": {}, "data_sets": "x"}', "a list"),
    ],
)
def test_a_manifest_that_says_something_impossible_is_refused(tmp_path, manifest, said):
    made = submission(tmp_path, "a", "true")
    (made / "manifest.json").write_text(manifest)
    with pytest.raises(ValueError, match=said):
        read_manifest(made)


def test_a_folder_without_a_script_is_no_submission(tmp_path):
    made = submission(tmp_path, "a", "true")
    (made / "run.sh").unlink()
    with pytest.raises(ValueError, match=r"no file run.sh. A submission is a folder with"):
        read_manifest(made)


def test_settings_by_label_set_are_refused_wherever_they_stand(challenge, tmp_path):
    folder, protocol = challenge
    deep: dict = {"easy": 3}
    for _ in range(400):
        deep = {"x": [deep]}
    for hyper in ({"hard": {"lr": 1}}, {"digits": {"deep": [{"easy": 3}]}}, deep):
        made = submission(tmp_path, f"s{len(str(hyper))}", "true", hyperparameters=hyper)
        with pytest.raises(ValueError, match="One table holds for all label sets"):
            submit(folder, protocol, made)
    by_data_set = submission(tmp_path, "fine", "true", hyperparameters={"digits": {"lr": 1}})
    check_against(read_manifest(by_data_set), protocol)


def test_the_hash_of_settings_is_that_of_the_data_sets_table(tmp_path):
    def of(name, **hyper):
        return read_manifest(submission(tmp_path, name, "true", hyperparameters=hyper))

    one = of("a", x={"lr": 1}, y={"lr": 2})
    assert one.settings_hash("x") != one.settings_hash("y")
    assert one.settings_hash("x") == of("b", lr=1).settings_hash("z")  # no name in it
    assert of("c", lr=1).settings_hash("x") != of("d", lr=1.5).settings_hash("x")


def test_unknown_tracks_and_data_sets_are_refused(challenge, tmp_path):
    _, protocol = challenge
    for key, value in (("track", "features"), ("data_sets", ["digit"])):
        made = submission(tmp_path, key.replace("_", "-"), "true", **{key: value})
        with pytest.raises(ValueError, match=r"this challenge has labels|did you mean .digits."):
            check_against(read_manifest(made), protocol)
    some = read_manifest(submission(tmp_path, "some", "true", data_sets=["digits"]))
    assert sets_of(some, protocol) == ["easy", "hard"]


def test_links_are_refused_and_nothing_is_taken(challenge, tmp_path):
    folder, protocol = challenge
    made = submission(tmp_path, "linked", "true")
    os.symlink("/etc/passwd", made / "data.txt")
    with pytest.raises(ValueError, match="link or a special file"):
        submit(folder, protocol, made)
    assert "linked" not in [one.name for one in submissions(folder)]
    (made / "data.txt").unlink()
    os.mkfifo(made / "pipe")
    with pytest.raises(ValueError, match="link or a special file"):
        submit(folder, protocol, made)


def test_the_same_again_is_the_same_and_another_of_that_name_is_refused(challenge, tmp_path):
    folder, protocol = challenge
    made = submission(tmp_path, "again", "echo one")
    first = submit(folder, protocol, made)
    assert submit(folder, protocol, made) == first
    (made / "run.sh").write_text("echo two")
    with pytest.raises(FileExistsError, match="with `replace=True`"):
        submit(folder, protocol, made)
    runs = folder / "runs" / "again" / "easy"
    runs.mkdir(parents=True)
    assert submit(folder, protocol, made, replace=True).digest != first.digest
    assert not runs.exists()  # of the one that was replaced


PROGRAM = """import numpy as np
# {comment}
rate = {rate}
labels = np.load("labels.npy")
for epoch in range({epochs}):
    centre = labels * rate + epoch
np.save("{name}", centre)
"""


def test_what_differs_in_numbers_and_comments_alone_is_nearly_identical(challenge, tmp_path):
    folder, protocol = challenge
    texts = {
        "mine": PROGRAM.format(comment="mine", rate=0.1, epochs=10, name="out.npy"),
        "tuned": PROGRAM.format(comment="now tuned", rate=0.35, epochs=99, name="out.npy"),
        "other": "import sys\nprint(sorted(sys.argv, key=len)[0].upper(), file=sys.stderr)\n",
    }
    taken = {}
    for name, text in texts.items():
        made = submission(tmp_path, name, f"python {name}.py\n", hyperparameters={"rate": 1})
        (made / f"{name}.py").write_text(text)
        (made / "run.sh").write_text("python main.py")
        (made / f"{name}.py").rename(made / "main.py")
        taken[name] = submit(folder, protocol, made)
    assert taken["tuned"].alike == ("mine",)
    assert taken["other"].alike == ()


def test_no_example_is_nearly_identical_to_another(challenge):
    folder, protocol = challenge
    for name in examples_there():
        assert submit(folder, protocol, example(name)).alike == ()


def test_an_example_can_be_copied_and_entered(tmp_path):
    copy_example("elr", tmp_path / "mine")
    about = json.loads((tmp_path / "mine" / "manifest.json").read_text())
    assert about["name"] == "elr"
    with pytest.raises(FileExistsError):
        copy_example("elr", tmp_path / "mine")
    with pytest.raises(KeyError, match="knn-vote"):
        copy_example("knn-votes", tmp_path / "other")


def test_a_damaged_protocol_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="candidly challenge new"):
        read_protocol(tmp_path)
    (tmp_path / "challenge.json").write_text('{"schema": 1, "sets": 3}')
    with pytest.raises(ValueError, match=r"challenge.json is damaged"):
        read_protocol(tmp_path)


def test_the_program_in_the_documentation_is_the_example():
    page = (Path(__file__).parents[3] / "docs" / "challenge.md").read_text()
    shown = textwrap.dedent(re.search(r"^ *```py\n(.*?)^ *```", page, re.DOTALL | re.MULTILINE)[1])
    assert shown in (example("elr") / "learn.py").read_text()
