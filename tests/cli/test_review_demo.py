"""The demo of the review app: real flagged labels, and it goes on where it was."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from candidly.cli.review.demo import IMAGES, VOTES, _find, _make
from candidly.data.sources import load
from candidly.people.review import (
    Reply,
    add_person,
    answer,
    next_tasks,
    open_project,
    standings,
    tally,
)

from needs import real_files

REAL = os.environ.get("CANDIDLY_DATA")


def test_the_digits_asked_about_are_mostly_wrong_and_the_known_ones_right(tmp_path):
    _make(tmp_path / "demo", None)
    truth = load("digits").truth
    with open_project(tmp_path / "demo") as project:
        flagged = tally(project)
        assert (flagged.given != truth[flagged.item]).mean() > 0.7
        assert (flagged.guessed == truth[flagged.item]).mean() > 0.7
        assert len(project.golds) == 8
        person = add_person(project, "ann")
        for turn in range(25):
            (task,) = next_tasks(project, person)
            assert (project.folder / "media" / task.shown.payload).is_file()
            assert [len(shown) for shown in task.examples] == [5, 5]
            row = int(Path(task.shown.payload).stem)
            right = task.classes.index(truth[row]) if truth[row] in task.classes else None
            said = "neither" if right is None else task.choice("ab"[right])
            answer(project, person, [Reply(f"reply-{turn:04}", task.item, said, task.repeat)])
        (who,) = standings(project)
        assert who.gold >= 1
        assert who.gold_right == who.gold


@real_files
def test_of_cifar10_the_275_flagged_test_images_are_asked_about(tmp_path):
    _make(tmp_path / "demo", Path(str(REAL)))
    votes = json.loads(_find(Path(str(REAL)), VOTES).read_text())
    assert _find(Path(str(REAL)), IMAGES)
    with open_project(tmp_path / "demo") as project:
        flagged = tally(project)
        assert sorted(flagged.item) == sorted(int(row["id"]) for row in votes)
        assert project.rules.classes[flagged.given[0]].isalpha()
        person = add_person(project, "ann")
        assert [len(shown) for shown in next_tasks(project, person)[0].examples] == [5, 5]
        assert len(list((project.folder / "media").glob("[0-9]*.png"))) == 275


@pytest.mark.slow
def test_the_command_makes_the_project_once_and_serves_it(tmp_path):
    command = [sys.executable, "-m", "candidly", "review", "demo", "--port", "0"]
    out = ["--out", str(tmp_path / "demo"), "--data", str(tmp_path)]
    seen, first = [], {}
    for _ in range(2):
        process = subprocess.Popen([*command, *out], stdout=subprocess.PIPE, text=True)
        with process:
            lines = [process.stdout.readline() for _ in range(3)]
            process.kill()
        assert "organiser: http://127.0.0.1:" in lines[2]
        assert lines[1].split(":")[0] == first.setdefault("person", lines[1].split(":")[0])
        seen.append((tmp_path / "demo" / "review.db").stat().st_ino)
    assert np.unique(seen).size == 1
