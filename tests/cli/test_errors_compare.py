"""``candidly errors compare``, through the same door as a user."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from candidly import detectors
from candidly.data.labels.building import from_arrays
from candidly.errors.detectors.noises import compare_noises, with_noise

from histories import small

NAMES = "loss,data-maps,knn-vote"
FAST = ("--seeds", 2)
BRIEF = ("--epochs", 2)


@pytest.fixture
def data(tmp_path):
    made = small(n=120, q=3)
    made.save(tmp_path / "mine.npz")
    return made


def asked(candidly, *more):
    status, out, err = candidly("errors", "compare", "mine.npz", *FAST, *more)
    assert status == 0, err
    return out, err


def test_json_holds_what_the_library_says(candidly, data):
    rows = json.loads(asked(candidly, "--detectors", NAMES, *BRIEF, "--json")[0])["rows"]
    assert len(rows) == 2 * 4
    for seed in range(2):
        for row in detectors.compare(data, NAMES.split(","), seed=seed, epochs=2):
            (mine,) = (r for r in rows if (r["detector"], r["seed"]) == (row.detector, seed))
            expected = row.values()
            for name in expected.keys() - {"CPU s", "extra MB"}:
                assert mine[name] == expected[name], name
            assert mine["noise"] == "as given"


def test_the_table_has_means_and_intervals(candidly, data):
    out, _ = asked(candidly, "--detectors", NAMES, *BRIEF)
    wrong = int((data.given != data.truth).sum())
    assert f"as given: {wrong} of 120 labels are wrong; 2 seeds" in out
    (line,) = (line for line in out.splitlines() if line.split()[:1] == ["loss"])
    assert "±" in line
    assert "–" in line.split()  # no cut
    assert "flag everything" in out
    assert "Student's t" in out


def test_files(candidly, data, tmp_path):
    for name in ("rows.csv", "rows.parquet", "rows.json"):
        asked(candidly, "--detectors", "retag,loss", "--seeds", 1, "--out", name)
    tables = [pl.read_csv("rows.csv"), pl.read_parquet("rows.parquet")]
    rows = json.loads((tmp_path / "rows.json").read_text())
    for table in tables:
        assert table["detector"].to_list() == ["retag", "loss", "flag everything"]
        assert table["roc_auc"].to_list() == [row["roc_auc"] for row in rows]
        assert table["f1"].null_count() == 1


def test_the_page_is_one_file_and_escapes(candidly, data, tmp_path):
    asked(
        candidly,
        "--detectors",
        "loss,retag",
        "--noise",
        "symmetric:rate=0.2",
        "--html",
        "page.html",
    )
    page = (tmp_path / "page.html").read_text()
    assert "symmetric:rate=0.2" in page
    assert page.count("<svg") == 1
    assert "<strong>" in page
    assert not any(f'{word}="http' in page for word in ("src", "href"))
    from candidly.errors.detectors.comparison_document import comparison_document

    row = detectors.compare(data, ["loss"])[0].values()
    odd = comparison_document([{"noise": "<b>x", "seed": 0, **row}]).page()
    assert "<b>x" not in odd
    assert "&lt;b&gt;x" in odd


def test_noise_is_made_from_the_truth_and_another_for_each_seed(data):
    made = [with_noise(data, "symmetric:rate=0.25", seed) for seed in (0, 0, 1)]
    np.testing.assert_array_equal(made[0].given, made[1].given)
    assert (made[0].given != made[2].given).any()
    assert 0.1 < (made[0].given != data.truth).mean() < 0.4
    assert made[0].candidates is None
    clean = with_noise(data, "none", 3)
    np.testing.assert_array_equal(clean.given, data.truth)
    assert with_noise(data, "as given", 0) is data
    fixed = [with_noise(data, "symmetric:rate=0.25,seed=4", seed).given for seed in (0, 1)]
    np.testing.assert_array_equal(*fixed)
    looks = with_noise(data, "lookalike:rate=0.2", 5)  # which draws nothing, and has no seed
    assert (looks.given != data.truth).sum() == int(0.2 * data.n + 0.5)
    with pytest.raises(ValueError, match="makes candidate sets"):
        with_noise(data, "flip:rate=0.2", 0)


def test_several_kinds_of_noise(candidly, data):
    out = asked(
        candidly,
        "--detectors",
        "loss",
        "--noise",
        "none",
        "--noise",
        "symmetric:rate=0.3",
        "--json",
    )[0]
    rows = json.loads(out)["rows"]
    assert [row["noise"] for row in rows] == ["none"] * 4 + ["symmetric:rate=0.3"] * 4
    assert {row["wrong"] for row in rows[:4]} == {0}
    assert rows[0]["average_precision"] is None


def test_probabilities_of_ones_own(candidly, data, tmp_path):
    probs = np.eye(3)[data.given] * 0.7 + 0.1
    np.save(tmp_path / "p.npy", probs)
    rows = json.loads(asked(candidly, "--detectors", "retag", "--probs", "p.npy", "--json")[0])
    assert rows["rows"][0]["flagged"] == 0  # these agree with every label


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--detectors", "los"), "did you mean 'loss'"),
        (("--detectors", "loss", "--noise", "flip:rate=0.3"), "makes candidate sets"),
        (("--detectors", "loss", "--noise", "nois:rate=0.3"), "did you mean 'noise'"),
        (("--probs", "p.npy", "--noise", "none"), "--probs are of one set of labels"),
        (("--probs", "no.npy"), "no.npy"),
        (("--features", "f.csv"), "there is no file f.csv"),
        (("--out", "rows.xls"), "--out is rows.xls"),
        (("--html", "page.txt"), "--html is page.txt"),
        (("--detectors", "retag,loss", *BRIEF), "--epochs is not used by retag, loss. Leave it"),
        (("--detectors", "retag", "--metric", "l2"), "choose one of knn-vote, knn-rank, rank-av"),
        (("--detectors", "aum", "--probs", "no.npy"), "--probs is not used by aum"),
        (("--metric", "cosin", "--detectors", "knn-vote"), "did you mean 'cosine'"),
    ],
)
def test_what_is_refused(candidly, data, arguments, message):
    status, _, err = candidly("errors", "compare", "mine.npz", *FAST, *arguments)
    assert status == 2
    assert message in " ".join(err.split())


def test_one_detector_that_uses_an_option_is_enough(candidly, data, tmp_path):
    options = ("--detectors", "retag,small-loss", *BRIEF, "--html", "page.html")
    assert len(json.loads(asked(candidly, *options, "--json")[0])["rows"]) == 6
    assert "epochs" in (tmp_path / "page.html").read_text()


def test_without_a_truth_there_is_nothing_to_compare_with(candidly, data, tmp_path):
    replace(data, truth=None).save(tmp_path / "blind.npz")
    status, _, err = candidly("errors", "compare", "blind.npz", "--detectors", "loss")
    assert status == 2
    assert "no `truth`" in err


def test_python_refuses_what_the_command_refuses(data):
    probs = np.full((data.n, data.q), 1 / data.q)
    with pytest.raises(ValueError, match="`probs` are of one set of labels"):
        compare_noises(data, ["symmetric:rate=0.2"], probs=probs)
    for seeds in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="seeds"):
            compare_noises(data, seeds=seeds)


def test_detectors_that_see_what_an_encoder_makes(candidly, tmp_path, monkeypatch):
    monkeypatch.setenv("CANDIDLY_CACHE", "")
    g = np.random.default_rng(0)
    truth = np.tile([0, 1], 60)
    given = np.where(np.arange(120) < 12, 1 - truth, truth)
    pictures = np.where(truth[:, None, None], 170, 90) + g.integers(-60, 60, (120, 8, 8))
    made = from_arrays(pictures.astype(np.uint8), given, truth=truth)
    made.save(tmp_path / "mine.npz")
    (tmp_path / "means.py").write_text(
        "from torch import nn\n"
        "class Means(nn.Module):\n"
        "    side = 8\n"
        "    def forward(self, pictures):\n"
        "        return pictures.float().mean((1, 2))\n"
        "def make():\n"
        "    return Means()\n"
    )
    options = ("--detectors", "knn-vote", "--metric", "l2", "--encoder", "means.py:make")
    found = json.loads(asked(candidly, *options, "--json")[0])
    assert found["encoder"] == "means.py:make"
    assert (
        min(row["average_precision"] for row in found["rows"] if row["detector"] == "knn-vote")
        > 0.9
    )
    np.save("f.npy", np.zeros((4, 2)))
    status, _, err = candidly("errors", "compare", "mine.npz", *options, "--features", "f.npy")
    assert status == 2
    assert "--encoder makes what --features holds. Leave one of them out." in err
