"""The table of issues, row by row."""

from __future__ import annotations

import numpy as np
import pytest

from candidly import errors

GIVEN = np.array([0, 0, 1, 1, 1, 2, 2, 0])
PROBS = np.array(
    [
        [0.90, 0.05, 0.05],
        [0.80, 0.10, 0.10],
        [0.10, 0.85, 0.05],
        [0.05, 0.90, 0.05],
        [0.95, 0.03, 0.02],  # confidently 0, given 1
        [0.10, 0.10, 0.80],
        [0.02, 0.90, 0.08],  # confidently 1, given 2
        [0.34, 0.36, 0.30],  # predicted 1, but confidently nothing
    ]
)


def test_by_hand():
    issues = errors.find(GIVEN, PROBS, "predicted")
    table = issues.table()
    assert table["index"].to_list() == issues.indices.tolist() == [4, 6, 7]
    assert table["given"].to_list() == [1, 2, 0]
    assert table["predicted"].to_list() == [0, 1, 1]
    assert table["guess"].to_list() == [0, 1, None]
    assert table["proposed"].to_list() == [0, 1, 1]
    np.testing.assert_allclose(table["self-confidence"], [0.03, 0.08, 0.34])
    np.testing.assert_allclose(table["margin"], [(1 - 0.92) / 2, (1 - 0.82) / 2, 0.49])
    assert table["by predicted"].to_list() == [True, True, True]
    assert table["by confident"].to_list() == [True, True, False]
    assert "entropy" not in table.columns
    assert "by both" not in table.columns  # found without pairs


def test_the_guess_is_proposed_where_it_is_not_the_prediction():
    # thresholds 0.9 and 0.3: the prediction is not confident, another class is
    given = np.array([0, 0, 1, 1, 2, 2])
    probs = np.array(
        [[0.9, 0.05, 0.05], [0.9, 0.05, 0.05], [0.4, 0.3, 0.3], [0.4, 0.3, 0.3],
         [0.05, 0.05, 0.9], [0.5, 0.4, 0.1]]
    )  # fmt: skip
    table = errors.find(given, probs, "predicted").table(everything=True)
    row = table.filter(table["index"] == 5)
    assert row["predicted"].item() == 0
    assert row["guess"].item() == row["proposed"].item() == 1


def test_every_method_that_the_evidence_allows():
    rng = np.random.default_rng(0)
    probs = rng.dirichlet(np.full(4, 0.4), 300)
    given = np.where(rng.random(300) < 0.3, rng.integers(0, 4, 300), probs.argmax(1))
    evidence = errors.examine(given, probs)
    table = errors.find(evidence).table(everything=True)
    assert len(table) == 300
    for by in ("noise rate", "class", "both", "confident", "predicted"):
        mask = errors.find(evidence, by=by).mask
        assert (table[f"by {by}"].to_numpy() == mask[table["index"].to_numpy()]).all()
    assert table["flagged"].to_list() == table["by noise rate"].to_list()
    for by in ("margin", "self-confidence"):
        expected = errors.scores(evidence, by=by)[table["index"].to_numpy()]
        np.testing.assert_array_equal(table[by], expected)
    assert table["margin"].is_sorted()
    short = errors.find(evidence, rank="self-confidence").table(entropy=True)
    assert (
        short["index"].to_list() == errors.find(evidence, rank="self-confidence").indices.tolist()
    )
    expected = errors.scores(evidence, by="entropy")[short["index"].to_numpy()]
    np.testing.assert_allclose(short["entropy"], expected, rtol=1e-12)


def test_names_of_classes_and_rows_without_a_label():
    given = GIVEN.copy()
    given[0] = -1
    names = ["cat", "dog", "fox"]
    issues = errors.find(given, PROBS, "predicted", unlabelled=True)
    table = issues.table(everything=True, classes=names, entropy=True)
    assert table["index"].to_list()[-1] == 0
    last = table.row(-1, named=True)
    assert last["given"] is None
    assert last["margin"] is None
    assert last["entropy"] is None
    assert last["predicted"] == "cat"
    assert not last["flagged"]
    assert table.row(0, named=True)["given"] == "dog"
    with pytest.raises(ValueError, match="`classes` has 2 names; there are 3"):
        issues.table(classes=names[:2])


def test_nothing_found():
    table = errors.find(GIVEN[:4], PROBS[:4, :2] / PROBS[:4, :2].sum(1, keepdims=True)).table(
        entropy=True
    )
    assert len(table) == 0
    assert table.columns[:5] == ["index", "given", "predicted", "guess", "proposed"]


def test_candidate_sets():
    sets = np.zeros((8, 3), bool)
    sets[np.arange(8), GIVEN] = True
    sets[:, 2] = True
    sets[6] = [True, False, True]
    table = errors.find(sets, PROBS, "confident").table(classes=["cat", "dog", "fox"])
    assert table["index"].to_list() == [4, 6]
    assert table["given"].to_list() == [["dog", "fox"], ["cat", "fox"]]
    assert table["proposed"].to_list() == ["cat", "dog"]
    np.testing.assert_allclose(table["self-confidence"], [0.05, 0.1])
