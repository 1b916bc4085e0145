"""The study of detectors: its noise, features and runner; docs/detectors.md is what it says."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from candidly import imperfect
from candidly.errors.detectors import DETECTORS, compare
from studies.detectors import data, features, study
from studies.detectors import page as made
from studies.detectors.__main__ import page as command
from studies.detectors.data import STUDIES, Piece
from studies.detectors.noise import NOISES
from studies.detectors.page import make_page

from committed import committed
from histories import small
from needs import real_files

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FAST = ["retag", "knn-vote"]
PIECE = Piece("digits", "symmetric", 0.2, 0)


# noise


@pytest.mark.parametrize("name", NOISES)
@pytest.mark.parametrize("rate", [0.0, 0.1, 0.4])
def test_as_many_labels_are_wrong_as_the_rate_says(name, rate):
    toy = small(n=403, q=5)
    made = NOISES[name](toy, rate, 3)
    rounding = toy.q if name == "class-dependent" else 0.5  # a matrix is rounded class by class
    assert abs((made.given != toy.truth).sum() - rate * toy.n) <= rounding
    np.testing.assert_array_equal(made.given, NOISES[name](toy, rate, 3).given)
    if rate and name != "look-alike":  # of which nothing is random
        assert (made.given != NOISES[name](toy, rate, 4).given).any()


def test_classes_differ_in_class_dependent_noise():
    toy = small(n=20_000, q=4)
    shares = imperfect.transition(NOISES["class-dependent"](toy, 0.2, 1).given, toy.truth, 4)
    off = shares[~np.eye(4, dtype=bool)]
    wrong = 1 - shares.diagonal()
    assert wrong.max() > 1.3 * wrong.min()
    assert off.max() > 2 * off.mean()


# features


def test_features_of_small_images(monkeypatch):
    monkeypatch.setattr(features, "PATCHES", 3000)
    rng = np.random.default_rng(0)
    images = rng.integers(0, 256, (30, 12, 12, 3), dtype=np.uint8)
    found = features.features_of(images, centres=8, components=5)
    assert found.shape == (30, 5)
    assert found.dtype == np.float32
    np.testing.assert_allclose(np.corrcoef(found.T), np.eye(5), atol=1e-3)
    assert (np.diff(found.std(0)) <= 1e-6).all()
    np.testing.assert_array_equal(found, features.features_of(images, centres=8, components=5))


def test_activations_against_loops():
    rng = np.random.default_rng(1)
    image = rng.integers(0, 256, (8, 9, 3), dtype=np.uint8)
    mean, whiten = rng.normal(size=108), rng.normal(size=(108, 108)) / 10
    codes = rng.normal(size=(4, 108))
    maps = features.activations(image, mean, whiten, codes)
    assert maps.shape == (3, 4, 4)
    for row in range(3):
        for column in range(4):
            patch = image[row : row + 6, column : column + 6].astype(float).ravel()
            patch = (patch - patch.mean()) / np.sqrt(patch.var() + 10)
            away = [np.linalg.norm((patch - mean) @ whiten - code) for code in codes]
            np.testing.assert_allclose(
                maps[row, column], [max(0, np.mean(away) - a) for a in away], atol=1e-4
            )
    np.testing.assert_allclose(
        features.pool(maps),
        np.concatenate(
            [
                maps[r, c].sum((0, 1))
                for r, c in (
                    (slice(1), slice(2)),
                    (slice(1), slice(2, 4)),
                    (slice(1, 3), slice(2)),
                    (slice(1, 3), slice(2, 4)),
                )
            ]
        ),
    )


def test_whitened_patches_are_white():
    patches = np.random.default_rng(0).normal(size=(5000, 6)) @ np.diag([9, 5, 4, 3, 2, 2.0])
    mean, whiten = features.whitening(patches)
    covariance = np.cov(((patches - mean) @ whiten).T)
    np.testing.assert_allclose(covariance, np.diag(covariance.diagonal()), atol=0.02)
    assert (abs(covariance.diagonal() - 1) < 0.05).all()


# the runner


def run(results, *more):
    piece = ["--data", "digits", "--noise", "symmetric", "--rate", "0.2", "--seed", "0"]
    study.main([*piece, "--results", str(results), "--epochs", "2", *more], results)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("study")
    run(folder, "--detectors", ",".join(FAST))
    return folder


def test_a_piece_is_a_comparison_line_by_line(results):
    rows = study.read_results(results)
    assert [row["detector"] for row in rows] == [*FAST, study.ANCHOR]
    (expected, *_) = compare(STUDIES["digits"].make(PIECE), FAST, seed=0)
    for name, value in expected.judgement.values().items():
        assert rows[0][name] == value
    assert rows[0]["wrong"] == round(0.2 * 1797)
    assert set(json.loads((results / "machines.json").read_text())) == {"digits"}


def test_what_is_done_is_not_done_again(results, tmp_path, capsys):
    shutil.copytree(results, tmp_path / "on")
    path = tmp_path / "on" / "digits.jsonl"
    whole = path.read_text()
    run(tmp_path / "on", "--detectors", ",".join(FAST))
    assert "0 of 1 sets" in capsys.readouterr().out
    assert path.read_text() == whole
    path.write_text(whole[: whole.index("\n") + 40])  # the second line is torn
    run(tmp_path / "on", "--detectors", ",".join(FAST), "--list")
    assert "digits symmetric 0.2 0 knn-vote" in capsys.readouterr().out
    run(tmp_path / "on", "--detectors", ",".join(FAST))
    rows = study.read_results(tmp_path / "on")
    assert [row["detector"] for row in rows] == [*FAST, study.ANCHOR]
    assert rows[1]["f1"] == study.read_results(results)[1]["f1"]


def test_every_piece_of_the_study_is_another():
    pieces = [piece for one in STUDIES.values() for piece in one.pieces()]
    assert len(set(pieces)) == len(pieces) == 5 * (1 + 5 * 3) + 3 * 5 + 3 + 5


@real_files
@pytest.mark.parametrize(
    ("name", "seen"), [("cifar10n", "cifar_features"), ("cifar10n-encoded", "encoded_vectors")]
)
def test_human_labels_meet_the_features_by_row(monkeypatch, name, seen):
    monkeypatch.setattr(data, seen, lambda: np.arange(50_000.0)[:, None])
    made = STUDIES[name].make(Piece(name, "worst", None, 0))
    assert (made.n, made.q, made.kind) == (50_000, 10, "table")
    assert (made.given != made.truth).sum() == 20_104
    assert made.inputs[49_999] == 49_999


@real_files
def test_one_answer_of_several():
    one, two = (
        STUDIES["labelme"].make(Piece("labelme", "one answer", None, seed)) for seed in (0, 1)
    )
    assert (one.n, one.q, one.inputs.shape[1]) == (1000, 8, 512)
    assert (one.given != two.given).any()
    assert 0.7 < (one.given == one.truth).mean() < 0.78  # 74.1 % of all answers are right


# the page


def test_the_page_is_what_the_committed_results_say_of_detectors(tmp_path):
    again = "run `python -m studies.detectors` and commit what it writes"
    assert make_page(committed("studies/detectors/results", tmp_path)) == (
        ROOT / "docs" / "detectors.md"
    ).read_text("utf-8"), again


def fake(folder: Path, f1: dict[str, list[float]]) -> str:
    """A page from made-up results: F1 by detector and seed; the others find nothing."""
    lines = []
    for name, values in {**{name: [0.0] for name in DETECTORS}, **f1}.items():
        for seed, value in enumerate(values):
            row = compare_like(name, value)
            lines.append(json.dumps({**Piece("digits", "pair", 0.1, seed)._asdict(), **row}))
    folder.mkdir(exist_ok=True)
    (folder / "digits.jsonl").write_text("\n".join(lines) + "\n")
    return make_page(folder)


def compare_like(name, value):
    measures = ("f1", "average_precision", "precision", "recall", "CPU s", "extra MB", "flagged")
    return {"detector": name, "epochs": 30, **dict.fromkeys(measures, value)}


def lines_of(page: str, start: str) -> list[str]:
    return [line for line in page.splitlines() if line.startswith(start)]


def test_the_page_says_who_wins_and_where_confident_learning_loses(tmp_path):
    page = fake(
        tmp_path / "a",
        {
            "cl-class": [0.50, 0.52, 0.51],
            "margin": [0.40, 0.41, 0.42],
            "aum": [0.70, 0.71, 0.73],
            "knn-vote": [0.72, 0.69, 0.72],
        },
    )
    table = page[page.index("### Which detector when") :]
    (line,) = lines_of(table, "| Digits | pair 10 % | `aum` 71.3")
    assert line.count("`knn-vote`") == 2  # the seeds do not tell them apart, twice
    assert "cl-class" not in line
    loses = page[page.index("### Where confident learning loses") :]
    # by F1: 0.713 - 0.51; by AP confident learning's order is margin's, 0.713 - 0.41
    (line,) = lines_of(loses, "| Digits | pair 10 % |")
    assert "`margin` / `aum` | +30.33 |" in line
    assert "`cl-class` / `aum` | +20.33 | **" in line
    assert "of 1 of Digits behind in 1." in " ".join(loses.split())
    cells = page[page.index("**F1 of the own cut, 10 % of the labels wrong**") :]
    assert lines_of(cells, "| `aum` |")[0] == "| `aum` | 71.3 ± 3.8 (3 of 5) |"
    assert "1 of 80 sets of labels are done" in " ".join(page.split())


def test_confident_learning_may_be_ahead_or_level(tmp_path):
    ahead = fake(tmp_path / "a", {"cl-both": [0.9, 0.91], "margin": [0.9, 0.9], "aum": [0.5, 0.51]})
    assert "ahead in 1." in " ".join(ahead.split())
    level = fake(tmp_path / "b", {"cl-both": [0.9, 0.5], "margin": [0.9, 0.5], "aum": [0.5, 0.9]})
    assert "level in 1." in " ".join(level.split())


def test_one_seed_or_some_detectors_tell_no_winner(tmp_path):
    one = fake(tmp_path / "a", {"cl-both": [0.9], "margin": [0.9], "aum": [0.5]})
    assert "level in" not in one
    assert "behind in" not in one
    line = lines_of(one[one.index("### Which detector when") :], "| Digits |")[0]
    assert line.count("one seed does not tell") == 2  # and not that nobody is level
    path = tmp_path / "a" / "digits.jsonl"
    some = [line for line in path.read_text().splitlines() if '"incv"' not in line]
    path.write_text("\n".join(some) + "\n")
    page = make_page(tmp_path / "a")
    assert "Not run: `incv`." in " ".join(page.split())
    assert not lines_of(page[page.index("### Which detector when") :], "| Digits |")


def test_without_results_the_page_says_so(tmp_path):
    page = make_page(tmp_path)
    assert "No results are there yet" in page
    for name in DETECTORS:
        assert f"| `{name}` |" in page


def test_the_command_writes_and_checks(tmp_path, results, monkeypatch):
    (tmp_path / "page.md").write_text(made.PAGE.read_text())
    monkeypatch.setattr(made, "PAGE", tmp_path / "page.md")
    where = ["--results", str(results)]
    with pytest.raises(SystemExit) as ended:
        command([*where, "--check"])
    assert ended.value.code == 1
    command(where)
    command([*where, "--check"])
    assert re.search(r"\| `knn-vote` \| \d\d\.\d", (tmp_path / "page.md").read_text())
