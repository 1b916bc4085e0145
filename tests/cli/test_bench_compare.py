"""``candidly bench compare``, through the same door as a user."""

from __future__ import annotations

import json

import pytest

from small_sweeps import make_directory

LEVEL = {"PRODEN": 0.5, "PRODEN:plench": 0.4, "CC": 0.6, "CC:plench": 0.7}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    made = []
    for name, shift in (("a", 0.0), ("b", 0.1)):
        made.append(tmp_path_factory.mktemp("compare") / name)

        def top1(run, step, shift=shift):
            return LEVEL[run.algorithm] + shift * (1 + run.split / 10) + run.split / 20

        make_directory(made[-1], list(LEVEL), top1)
    return made


def test_two_directories_and_a_page(candidly, folders, tmp_path):
    words = ("bench", "compare", *folders, "--criterion", "CR")
    status, out, err = candidly(*words, "--html", "page.html")
    assert status == 0
    assert "+10.50" in out
    assert "page.html" in err
    assert "<svg" in (tmp_path / "page.html").read_text()
    about = json.loads(candidly(*words, "--format", "json")[1])
    assert {row["algorithm"] for row in about["rows"]} == set(LEVEL)
    assert all(row["paired"] for row in about["rows"])


def test_two_variants_of_one_directory(candidly, folders):
    words = ("bench", "compare", folders[0], "--variants", "plench,fixed", "--criterion", "CR")
    about = json.loads(candidly(*words, "--format", "json")[1])
    found = {row["algorithm"]: row["difference"] for row in about["rows"]}
    assert found == pytest.approx({"PRODEN": 0.1, "CC": -0.1})
    assert about["crossings"][0]["crossings"] == 0


def test_a_directory_and_its_own_table(candidly, folders, tmp_path):
    table = candidly("bench", "table", folders[0], "--format", "csv")[1]
    (tmp_path / "table.csv").write_text(table)
    words = ("bench", "compare", folders[0], "table.csv", "--criterion", "CR")
    about = json.loads(candidly(*words, "--format", "json")[1])
    assert len(about["rows"]) == 4
    assert all(abs(row["difference"]) < 1e-4 for row in about["rows"])
    assert not any(row["paired"] for row in about["rows"])


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("text", "Chosen by CR"),
        ("markdown", "### Chosen by CR"),
        ("csv", "dataset,algorithm,criterion,accuracy"),
        ("latex", r"% in the preamble: "),
        ("json", "{"),
        ("html", "<div"),
    ],
)
def test_every_form_of_the_tables_of_one_directory(candidly, folders, form, start):
    words = ("bench", "table", folders[0], "--criterion", "CR", "--format", form)
    status, out, _ = candidly(*words)
    assert status == 0
    assert out.startswith(start)
    assert "CC:plench" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "give two result sets"),
        (("--variants", "plench"), "two with a comma"),
        (("--variants", "plench,oracle"), "no variant 'oracle'"),
        (("nowhere.csv",), "nowhere.csv"),
        (("--variants", "plench,fixed", "--format", "pdf"), "format"),
        (("--variants", "plench,fixed", "--margin", "-1"), "margin"),
    ],
)
def test_what_cannot_be_is_said(candidly, folders, words, told):
    status, out, err = candidly("bench", "compare", folders[0], *words)
    assert (status, out) == (2, "")
    assert told in err
