"""docs/studies/cifar10.md is what the committed report says, and that what the predictions say."""

from __future__ import annotations

import json
import os
import re
import sys
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest

from candidly import Labelled
from candidly.compare.stability import read_report
from candidly.learn.nets import network
from candidly.people.validation import judge, read_released
from studies.cifar10 import __main__ as cifar10_study
from studies.cifar10.given import given_predictions
from studies.cifar10.models import CIFAR10, FULL, NETWORKS, SCALES, Scale
from studies.cifar10.page import PAGE, answer, make_page
from studies.cifar10.published import OF, paired_p, published_ranks, smallest_holm, table_s2
from studies.cifar10.train import as_pictures, train
from studies.kit.pages import differing, files_of
from studies.kit.rankings import corrected_labels, read_predictions, read_results, report_of

from needs import real_files
from small_sweeps import words_in

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "studies" / "cifar10" / "results"
DOCS = ROOT / "docs"
CLASSES = ("airplane", "automobile", "bird")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not RESULTS.exists(), reason="comes without its results"),
]


@pytest.fixture(scope="module")
def report():
    return read_results(RESULTS)


@pytest.fixture(scope="module")
def made():
    return cifar10_study.read_made(RESULTS)


@pytest.fixture(scope="module")
def page(report, made):
    return make_page(report, made)


# the committed page


def test_the_cifar10_page_is_what_the_committed_report_says(page):
    text, images = page
    again = "run `python -m studies.cifar10` and commit what it writes"
    assert text == (DOCS / PAGE).read_text(encoding="utf-8"), again
    assert {path.name for path in (DOCS / "images").glob("cifar10-study-*.svg")} == set(images)
    tested = re.search(r"matplotlib==(\S+)", (ROOT / "constraints.txt").read_text())[1]
    for name, svg in images.items():
        drawn = (DOCS / "images" / name).read_text(encoding="utf-8")
        assert words_in(svg) == words_in(drawn), (name, again)
        if version("matplotlib") == tested:  # another one may place things otherwise
            assert svg == drawn, (name, again)


def test_the_committed_predictions_are_of_this_scale(report, made):
    assert sum(path.stat().st_size for path in RESULTS.iterdir()) < 400_000
    predictions = read_predictions(RESULTS)
    assert list(predictions) == list(made["networks"])
    assert set(predictions) == {s.model for s in report.standings} <= set(NETWORKS)
    assert all(p.shape == (10_000,) and p.dtype == np.uint8 for p in predictions.values())
    assert made["scale"] == "reduced"
    for name, about in made["networks"].items():
        asked = SCALES["reduced"].training(name)
        assert {key: about[key] for key in asked} == asked, name
    shares = {s.model: s.top1.original.share for s in report.standings}
    assert shares == pytest.approx({n: a["accuracy"] for n, a in made["networks"].items()})


@real_files
def test_the_committed_report_is_what_the_predictions_say(report):
    data = Path(os.environ["CANDIDLY_DATA"])
    labels, classes = cifar10_study.read_labels(data)
    folder = data / "label_errors" / "original_test_labels"
    assert np.array_equal(labels, np.load(folder / "cifar10_test_set_original_labels.npy"))
    assert len(classes) == 10
    assert report_of(read_predictions(RESULTS), labels, data, "cifar10") == report


@real_files
def test_people_s_answers_give_the_eighteen_corrected_labels():
    data = Path(os.environ["CANDIDLY_DATA"])
    original, _ = cifar10_study.read_labels(data)
    corrected, checked = corrected_labels(data, "cifar10", original)
    votes = read_released(data / "label_errors" / "mturk" / "cifar10_mturk.json")
    assert checked.sum() == 275
    kept = (corrected[checked] == original[checked]).sum()
    assert (kept, 275 - kept) == (221, 54)
    assert (judge(votes).tally.counts[:, 0] < 3).sum() == 54  # of five chose the given label
    changed = (corrected != original) & (corrected >= 0)
    assert changed.sum() == OF == 18
    assert (corrected == -1).sum() == 4 + 32  # neither, no agreement
    guess = dict(zip(votes.item.tolist(), votes.guessed.tolist()))
    assert all(corrected[k] == guess[k] for k in np.flatnonzero(changed))


# the published table


def test_table_s2_is_multiples_of_an_eighteenth_and_its_ranks_follow_from_the_counts():
    rows = table_s2()
    assert len(rows) == 13
    for row in rows.values():
        for column, percent in row.percent.items():
            assert percent == pytest.approx(100 * row.right[column] / OF, abs=0.0051)
    ranks = published_ranks(rows)
    for column, places in ranks.items():
        assert places == {name: row.rank[column] for name, row in rows.items()}, column


def test_p_of_a_published_pair_is_that_of_the_binomial_test_at_some_overlap():
    # 12 and 7 of 18: both may be right on 1 to 7 items
    each = [binomtest(12 - both, 19 - 2 * both).pvalue for both in range(1, 8)]
    assert paired_p(12, 7) == pytest.approx((min(each), max(each)))
    assert paired_p(7, 12) == paired_p(12, 7)
    assert min(each) == 0.0625
    assert paired_p(9, 9) == (1, 1)
    assert smallest_holm([18, 0, 9]) == pytest.approx(3 * 2.0**-17)


def test_sizes_are_those_of_the_published_networks():
    millions = {
        "vgg11_bn": 28.150,
        "vgg13_bn": 28.334,
        "vgg16_bn": 33.647,
        "vgg19_bn": 38.959,
        "resnet18": 11.174,
        "resnet34": 21.282,
        "resnet50": 23.521,
        "mobilenet_v2": 2.237,
        "densenet121": 6.956,
        "densenet161": 26.483,
        "densenet169": 12.493,
        "googlenet": 5.491,
        "inception_v3": 21.640,
    }
    found = {n.published: n.parameters / 1e6 for n in NETWORKS.values() if n.published}
    assert found == pytest.approx(millions, abs=0.0011)
    assert set(millions) == set(table_s2())
    assert set(SCALES["full"].nets) == set(SCALES["reduced"].nets) == set(NETWORKS)


@pytest.mark.parametrize(
    "name",
    [
        "cnn",
        *(pytest.param(name, marks=pytest.mark.slow) for name in FULL if name != "cnn"),
    ],
)
def test_sizes_are_those_of_candidly_s_networks(name):
    net = network(FULL[name], *CIFAR10)
    count = sum(int(np.prod(shape)) for shape in net.shapes.values())
    assert (count, net.macs) == (NETWORKS[name].parameters, NETWORKS[name].multiply_adds)


# the answer


@pytest.mark.parametrize(("sign", "said"), [(-1, "**Yes"), (1, "**No, larger")])
def test_the_first_sentence_follows_from_the_numbers(report, made, sign, said):
    right = {s.model: s.top1.changed_corrected.right for s in report.standings}
    sizes = {name: {"parameters": 100 + sign * n} for name, n in right.items()}
    networks = {name: about | sizes[name] for name, about in made["networks"].items()}
    assert answer(report, {**made, "networks": networks})["said"].startswith(said)


def test_given_predictions_of_unknown_networks_make_a_page_without_an_answer(report):
    said = json.dumps(report.as_dict())
    for k, row in enumerate(report.standings):
        said = said.replace(f'"{row.model}"', f'"model {k}"')
    networks = {f"model {k}": {} for k in range(len(report.standings))}
    made = {"scale": "given", "networks": networks}
    text, images = make_page(read_report(json.loads(said)), made)
    assert "These predictions do not say" in text.split("\n\n")[1]
    assert "## Beside the published" not in text
    assert "## What the published table alone can say" in text
    assert "Table S2" in images["cifar10-study-sizes.svg"]


# training


def test_a_network_that_is_in_the_cache_is_not_trained_again(tmp_path):
    g = np.random.default_rng(0)
    official = np.arange(60) >= 40
    data = Labelled(
        inputs=g.integers(0, 256, (60, 32, 32, 3), dtype=np.uint8),
        classes=tuple("abcdefghij"),
        truth=g.integers(0, 10, 60),
        official_test=official,
    )
    labels, asked = data.truth[official], []

    def read():
        asked.append(1)
        return as_pictures(data)

    scale = Scale({"a": "cnn:width=2", "b": "cnn:width=3"}, 2, SCALES["quick"].recipe, 0.01, 0, 8)
    first = train(scale, read, labels, tmp_path)
    assert {made.predicted.shape for made in first.values()} == {(20,)}
    assert first["a"].about["accuracy"] == np.mean(first["a"].predicted == labels)
    (tmp_path / "b.npz").unlink()
    second = train(scale, read, labels, tmp_path)
    assert len(asked) == 2
    assert all(np.array_equal(first[n].predicted, second[n].predicted) for n in scale.nets)
    train(scale, read, labels, tmp_path)
    assert len(asked) == 2
    train(replace(scale, seed=1), read, labels, tmp_path)
    assert len(asked) == 3


def test_training_does_not_see_the_test_pictures_labels():
    data = Labelled(
        inputs=np.zeros((6, 32, 32, 3), np.uint8),
        classes=tuple("abcdefghij"),
        truth=np.arange(6),
        official_test=np.arange(6) >= 4,
    )
    pictures = as_pictures(data)
    assert pictures.whole.truth is None
    assert pictures.examples.labels["given"].tolist() == [0, 1, 2, 3, -1, -1]
    assert (pictures.rows.tolist(), pictures.test.tolist()) == ([0, 1, 2, 3], [4, 5])


# given predictions


def test_predictions_are_taken_in_every_form(tmp_path):
    right = np.array([2, 0, 1, 1])
    np.save(tmp_path / "numbers.npy", right)
    np.save(tmp_path / "probabilities.npy", np.eye(3)[right])
    np.savez(tmp_path / "packed.npz", predicted=right, other=right[:2])
    names = "\n".join(["label", *(CLASSES[k] for k in right)])
    (tmp_path / "names.csv").write_text(f"{names}\n")
    (tmp_path / "readme.md").write_text("no predictions")
    found = given_predictions(tmp_path, 4, CLASSES)
    assert set(found) == {"numbers", "probabilities", "packed", "names"}
    for predicted in found.values():
        assert predicted.dtype == np.uint8
        assert predicted.tolist() == right.tolist()


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros(3, int), r"shape \(3,\); give \(4,\) classes or \(4, 3\) probabilities"),
        (np.zeros((4, 5)), r"shape \(4, 5\)"),
        (np.array([0, 1, 3, 0]), "is 3 at row 2; classes are numbered 0 to 2"),
        (np.array([0, -1, 0, 0]), "is -1 at row 1"),
        (np.array([0, 0.5, 0, 0]), "is 0.5 at row 1"),
        (np.array([0, np.nan, 0, 0]), "no finite numbers"),
        (np.full((4, 3), np.nan), "no finite numbers"),
    ],
)
def test_predictions_that_do_not_fit_are_refused(tmp_path, array, words):
    np.save(tmp_path / "bad.npy", array)
    np.save(tmp_path / "good.npy", np.zeros(4, int))
    with pytest.raises(ValueError, match=f"bad.npy.*{words}"):
        given_predictions(tmp_path, 4, CLASSES)


def test_folders_that_do_not_fit_are_refused(tmp_path):
    with pytest.raises(ValueError, match="no folder"):
        given_predictions(tmp_path / "none", 4, CLASSES)
    np.save(tmp_path / "one.npy", np.zeros(4, int))
    with pytest.raises(ValueError, match="1 files of predictions"):
        given_predictions(tmp_path, 4, CLASSES)
    np.savez(tmp_path / "one.npz", np.zeros(4, int))
    with pytest.raises(ValueError, match="more than one file for 'one'"):
        given_predictions(tmp_path, 4, CLASSES)
    (tmp_path / "one.npy").unlink()
    np.savez(tmp_path / "two.npz", a=np.zeros(4, int), b=np.zeros(4, int))
    with pytest.raises(ValueError, match=r"two\.npz holds 2 arrays"):
        given_predictions(tmp_path, 4, CLASSES)


# the command


def test_an_old_page_is_noticed(page, tmp_path):
    for folder in ("images", "studies"):
        (tmp_path / folder).mkdir()
    wanted = files_of(page, PAGE, tmp_path)
    for path, content in wanted.items():
        path.write_bytes(content)
    assert differing(wanted, (tmp_path / "images").glob("cifar10-study*.svg")) == []
    (tmp_path / PAGE).write_text("old")
    assert differing(wanted) == [tmp_path / PAGE]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--scale", "full"], "say where it goes, such as --out mine"),
        (["--predictions", "models"], "say where it goes"),
        (["--scale", "quick", "--out", "here"], "CANDIDLY_DATA is not set"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(monkeypatch, capsys, arguments, words):
    monkeypatch.delenv("CANDIDLY_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["cifar10_study.py", *arguments])
    with pytest.raises(SystemExit) as ended:
        cifar10_study.main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


@real_files
def test_predictions_in_files_make_a_page_of_their_own(report, monkeypatch, tmp_path):
    (tmp_path / "models").mkdir()
    predictions = read_predictions(RESULTS)
    for name in ("vgg11", "vgg13", "vgg19"):
        np.save(tmp_path / "models" / f"{name}_bn.npy", predictions[name])
    out = tmp_path / "out"
    arguments = ["--predictions", str(tmp_path / "models"), "--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["cifar10_study.py", *arguments])
    cifar10_study.main()
    text = (out / PAGE).read_text(encoding="utf-8")
    assert "They were given as files" in text
    assert "vgg11\\_bn | 28.15" in text
    assert json.loads((out / "training.json").read_text())["scale"] == "given"
    with pytest.raises(FileNotFoundError, match="training"):
        cifar10_study.read_made(tmp_path)
