"""``candidly data`` and ``candidly labels``, through the same door as a user."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from candidly.data.imperfect import PROCESSES, apply
from candidly.data.ingest import read
from candidly.data.inputs import encoded
from candidly.data.labels.building import from_arrays
from candidly.data.labels.labelled import Labelled
from candidly.data.sources import SOURCES, load


def test_list_names_every_source(candidly):
    status, out, err = candidly("data", "list")
    assert (status, err) == (0, "")
    assert all(name in out for name in SOURCES)
    listed = json.loads(candidly("data", "list", "--json")[1])
    assert [entry["name"] for entry in listed] == list(SOURCES)
    assert {entry["availability"] for entry in listed} == {"built in", "download", "bring your own"}


@pytest.mark.parametrize("name", SOURCES)
def test_show_says_all_that_is_known(candidly, name):
    status, out, _ = candidly("data", "show", name)
    assert status == 0
    assert SOURCES[name].title in out
    shown = json.loads(candidly("data", "show", name.upper(), "--json")[1])
    assert shown["expected"]["n"] == SOURCES[name].expected.n
    assert shown["note"] == SOURCES[name].note
    assert shown["citation"] == SOURCES[name].citation


def test_describe_compares_with_what_was_published(candidly):
    status, out, err = candidly("data", "describe", "digits")
    assert (status, err) == (0, "")
    assert "1797" in out
    assert "agrees" in out
    assert "NO" not in out
    assert "█" in out


def test_describe_json_with_labels(candidly):
    found = json.loads(
        candidly("data", "describe", "digits", "--labels", "flip:rate=0.5", "--json")[1]
    )
    assert found["source"] == "digits + flip(rate=0.5, seed=0)"
    assert found["avg_candidates"] == pytest.approx(1 + 9 * 0.5, abs=0.15)
    assert [row["agrees"] for row in found["published"]] == [True] * 3
    assert found == json.loads(
        candidly("labels", "describe", "digits", "--labels", "flip:rate=0.5", "--json")[1]
    )


def test_a_page_of_the_labels(candidly, tmp_path):
    page = tmp_path / "labels.html"
    spec = ("--labels", "flip:rate=0.3", "--html", page)
    status, out, err = candidly("labels", "describe", "digits", *spec)
    assert (status, err) == (0, f"wrote {page}: a page of the labels\n")
    assert "candidates" in out
    assert "flip(rate=0.3" in page.read_text()
    assert "E. Alpaydin" in page.read_text()
    status, _, err = candidly("labels", "describe", "digits", "--html", tmp_path / "labels.pdf")
    assert status == 2
    assert "--html" in err


def test_options_behind_names_are_listed_explained_and_refused(candidly):
    assert "Options stand behind the names of cifar10s, cifar10h, plcifar10" in " ".join(
        candidly("data", "list")[1].split()
    )
    shown = json.loads(candidly("data", "show", "cifar10h:k=3", "--json")[1])
    assert shown["name"] == "cifar10h:k=3"
    assert list(shown["options"]) == ["sets", "k", "seed", "scored"]
    assert "official training pictures" in shown["note"]
    status, _, err = candidly("data", "show", "cifar10h:sets=longest")
    assert status == 2
    assert "choose from union, vaguest, majority, at-least-2, none" in err
    asked = ("--dataset", "digits,cifar10h:k=3,kk=4", "--algorithms", "CC")
    status, _, err = candidly("bench", "plan", *asked)
    assert status == 2
    assert "no option 'kk'" in err


def test_a_file_that_differs_is_told_on_stderr(candidly, tmp_path):
    savemat(tmp_path / "lost.mat", {"data": np.eye(3), "partial_target": np.ones((2, 3))})
    status, out, err = candidly("data", "describe", "lost", "--data", tmp_path)
    assert status == 0
    assert "warning" in err
    assert "has SHA-256" in err
    assert "NO" in out


def test_make_and_convert_write_what_the_library_makes(candidly, tmp_path):
    status, out, err = candidly("labels", "make", "digits", "uniform+noise:rate=0.1", "noisy.npz")
    assert (status, out) == (0, "")
    assert "wrote noisy.npz" in err
    made = apply(load("digits"), "uniform+noise:rate=0.1")
    assert Labelled.load(tmp_path / "noisy.npz") == made
    told = json.loads(candidly("data", "convert", "noisy.npz", "again.npz", "--json")[1])
    assert told == {"path": "again.npz", "source": made.source, "fingerprint": made.fingerprint()}
    assert Labelled.load(tmp_path / "again.npz") == made


def test_columns_become_numbers_that_a_benchmark_takes(candidly, tmp_path):
    kinds = ["red", "green", "", "red"] * 10
    lines = [
        f"{k % 7},{kind},{'xy'[k % 2]}|{'xyz'[k % 3]},{'z' if k % 4 == 0 else ''}"
        for k, kind in enumerate(kinds)
    ]
    Path("mine.csv").write_text("\n".join(["size,colour,names,known", *lines]) + "\n")
    words = ("data", "convert", "mine.csv", "mine.npz", "--label", "names", "--truth", "known")
    status, _, err = candidly(*words, "--numbers")
    assert status == 0, err
    made, table = Labelled.load("mine.npz"), read("mine.csv", label="names", truth="known")
    assert made.kind == "table"
    np.testing.assert_array_equal(made.inputs, encoded(table.inputs))
    assert "size" in made.features[0]
    np.testing.assert_array_equal(made.truth, table.truth)
    assert (made.truth >= 0).sum() == 10
    told = json.loads(
        candidly("data", "describe", "mine.csv", "--label", "names", "--truth", "known", "--json")[
            1
        ]
    )
    assert told["oracle_unknown"] == 30


def test_given_labels_are_made_and_described(candidly, tmp_path):
    spec = "pair:rate=0.25,to=3-5/5-3,per_class=true"
    status, out, err = candidly("labels", "make", "digits", "a.npz", "--noise", spec)
    assert (status, out) == (0, "")
    assert "wrote a.npz" in err
    assert Labelled.load(tmp_path / "a.npz") == apply(load("digits"), spec)
    found = json.loads(candidly("labels", "describe", "a.npz", "--json")[1])
    wrong = sum(round(0.25 * (load("digits").truth == label).sum()) for label in (3, 5))
    assert found["oracle_given_noise_rate"] == pytest.approx(wrong / 1797)
    assert found["oracle_diagonal"][2:6] == pytest.approx([1, 0.75, 1, 0.75], abs=0.005)
    assert found["oracle_transition"][3][5] == pytest.approx(0.25, abs=0.005)
    shown = candidly("labels", "describe", "a.npz")[1]
    assert "given noise rate (oracle)" in shown
    assert "given labels that are right, by true class (oracle)" in shown
    row = ["3", *3 * ["0.0"], "74.9", "0.0", "25.1", *4 * ["0.0"]]
    assert row in [line.split() for line in shown.splitlines()]
    again = candidly("labels", "describe", "digits", "--noise", spec, "--json")[1]
    assert json.loads(again)["oracle_transition"] == found["oracle_transition"]


def test_matrices_of_many_classes_are_cut_short(candidly, tmp_path):
    truth = np.arange(150) % 30
    given = np.where(truth == 7, 8, truth)
    from_arrays(truth[:, None], given, truth=truth, classes=30).save(tmp_path / "many.npz")
    out = candidly("labels", "describe", "many.npz")[1]
    assert "the 20 true classes with the fewest right given labels (oracle)" in out
    assert ["7", "0.0", "8", "100.0"] in [line.split() for line in out.splitlines()]
    assert "columns, by number" not in out


def test_labels_that_take_long_say_how_long(candidly, monkeypatch):
    monkeypatch.setattr("candidly.cli._progress.QUIET_S", 0.0)
    monkeypatch.setattr("candidly.cli._progress.FIRST_LINE_S", 0.0)
    err = candidly("labels", "make", "digits", "lookalike:rate=0.2", "x.npz")[2]
    assert "100 % of the examples compared · 0:0" in err
    assert "elapsed" in err


def test_many_classes_and_strange_names_are_shown(candidly, tmp_path):
    (tmp_path / "t.csv").write_text(
        "a,candidates,truth\n" + "".join(f"{i},[bold]{i}|x,[bold]{i}\n" for i in range(30))
    )
    status, out, _ = candidly("data", "describe", "t.csv")
    assert status == 0
    assert "20 largest of 31 classes" in out
    assert "[bold]0" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["data", "show", "losst"], "no data set named 'losst'; did you mean 'lost'?"),
        (["data", "describe", "losst"], "did you mean 'lost'?"),
        (["data", "describe", "none.mat"], "there is no file none.mat"),
        (["data", "describe", "english"], "'English.mat'"),
        (["data", "describe", "digits", "--labels", "flipp"], "did you mean 'flip'?"),
        (["labels", "make", "digits", "flip", "out.npz"], "flip needs rate"),
        (
            ["labels", "make", "digits", "flip:rate=7", "out.npz"],
            "rate is '7'; give a number from 0 to 1",
        ),
        (["labels", "make", "digits", "out.npz"], "labels make needs one SPEC and one OUT"),
        (["labels", "make", "digits", "uniform", "out.npz", "--noise", "uniform"], "one SPEC"),
        (["labels", "make", "digits", "--noise", "matrix:file=T.csv", "out.npz"], "no file T.csv"),
        (["data", "convert", "digits", "out.csv"], "must end in .npz"),
        (["data", "convert", "digits", "no/folder/out.npz"], "no/folder/out.npz"),
        (["data", "describe", "damaged.npz"], "damaged.npz: not an .npz file"),
    ],
)
def test_errors_are_one_line_and_status_2(candidly, tmp_path, arguments, message):
    (tmp_path / "damaged.npz").write_bytes(b"PK damaged")
    status, out, err = candidly(*arguments)
    assert status == 2
    assert out == ""
    assert message in err
    assert "Traceback" not in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out.npz").exists()


def test_features_are_joined_and_are_a_track_of_their_own(candidly, tmp_path):
    candidly("labels", "make", "digits", "symmetric:rate=0.2", str(tmp_path / "noisy.npz"))
    noisy = Labelled.load(tmp_path / "noisy.npz")
    order = np.random.default_rng(0).permutation(noisy.n)
    np.savez(tmp_path / "f.npz", features=noisy.inputs[order][:, ::2], ids=noisy.ids[order])
    files = [str(tmp_path / name) for name in ("noisy.npz", "f.npz", "probe.npz")]
    status, _, err = candidly("data", "join", *files)
    assert status == 0, err
    assert "probe.npz: Labelled(1797 x 32 table, 10 classes, given, truth" in err
    assert "+ features(f.npz)" in err
    probe = Labelled.load(tmp_path / "probe.npz")
    assert np.array_equal(probe.inputs, noisy.inputs[:, ::2])
    assert np.array_equal(probe.given, noisy.given)
    described = json.loads(candidly("data", "describe", files[2], "--json")[1])
    assert described["track"] == "pre-trained features given"
    assert "track" not in json.loads(candidly("data", "describe", files[0], "--json")[1])
    ours = ("--net", "linear", "--steps", 20, "--out", str(tmp_path / "m.safetensors"))
    status, out, err = candidly("train", files[2], *ours)
    assert status == 0, err
    assert "pre-trained features given: a track of its own" in out
    small = ("--net", "linear", "--configs", 1, "--splits", 1, "--steps", 4, "--eval-every", 2)
    folder = str(tmp_path / "runs")
    words = ("--dataset", files[2], "--algorithms", "ce", *small, "--workers", 1, "--out", folder)
    status, out, err = candidly("bench", "run", *words)
    assert status == 0, err
    told = "".join((out + err).split())  # a long path is broken anywhere
    assert "probe.npz:pre-trainedfeaturesgiven,atrackofitsown;comparewithsuch" in told
    status, _, err = candidly("data", "join", *files, "--ids", files[0])
    assert (status, "it has ids of its own" in err) == (2, True)


def test_help_shows_examples_and_processes(candidly):
    for noun, verbs in {
        "data": ["list", "show", "describe", "convert", "features", "join"],
        "labels": ["make"],
    }.items():
        for verb in verbs:
            status, out, _ = candidly(noun, verb, "--help")
            assert status == 0
            assert f"candidly {noun} {verb}" in out
    out = candidly("labels", "make", "--help")[1]
    assert all(name in out for name in PROCESSES)


def test_no_torch_for_data():
    code = (
        "import sys, candidly.cli.data, candidly.data.sources, candidly.data.imperfect;"
        "print([m for m in ('torch', 'sklearn', 'scipy', 'polars', 'pooch') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr
