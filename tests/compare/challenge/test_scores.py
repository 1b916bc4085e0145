"""Scores: F1 with its edge cases, answers in any order, anchors, common test rows."""

import io

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from candidly import load
from candidly.compare.challenge._answers import Rejected, detection, predictions
from candidly.compare.challenge._data import Truth
from candidly.compare.challenge._protocol import LabelSet
from candidly.compare.challenge._score import anchors, score_detection, score_learning, subset_rows
from candidly.data.sources.cifar_n import image_order

from needs import real_files


def npy(values) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asarray(values), allow_pickle=True)
    return file.getvalue()


def truth_of(wrong, ids=None, tested=(0, 1, 2, 1)) -> Truth:
    wrong = np.asarray(wrong, bool)
    ids = np.arange(len(wrong)) if ids is None else np.asarray(ids)
    zeros = np.zeros(len(wrong), np.int64)
    return Truth(ids, zeros, wrong.astype(np.int64), np.array(tested))


SET = LabelSet("x", "data", "made", 4, 4, 3)


def f1(flags, wrong, **files) -> float | None:
    given = {"detection.npy": npy(np.asarray(flags, bool)), "ids.npy": npy(np.arange(len(wrong)))}
    return score_detection({**given, **files}, SET, truth_of(wrong), "bootstrap", 0).score


@pytest.mark.parametrize(
    ("flags", "wrong", "expected"),
    [
        ([1, 1, 0, 0], [1, 1, 0, 0], 1.0),
        ([1, 0, 0, 0], [1, 1, 0, 0], 2 / 3),  # precision 1, recall 1/2
        ([0, 0, 1, 1], [1, 1, 0, 0], 0.0),  # nothing found
        ([0, 0, 0, 0], [1, 0, 0, 0], 0.0),  # nothing flagged, something wrong
        ([0, 0, 0, 0], [0, 0, 0, 0], 1.0),  # nothing flagged, nothing wrong
        ([1, 0, 0, 0], [0, 0, 0, 0], 0.0),  # something flagged, nothing wrong
        ([1, 1, 1, 1], [1, 0, 0, 0], 2 * 0.25 / 1.25),  # all flagged: 2e / (1 + e)
    ],
)
def test_f1_and_its_edge_cases(flags, wrong, expected):
    assert f1(flags, wrong) == pytest.approx(expected, abs=1e-15)


def test_a_precision_without_flags_is_undefined():
    files = {"detection.npy": npy(np.zeros(4, bool)), "ids.npy": npy(np.arange(4))}
    values = score_detection(files, SET, truth_of([1, 0, 0, 0]), "bootstrap", 0).values
    assert values["precision"] is None
    assert values["recall"] == 0


@pytest.mark.parametrize("ids", [np.arange(30) * 7 + 3, [f"picture {i}" for i in range(30)]])
def test_answers_are_put_in_order_by_their_ids(ids):
    rng = np.random.default_rng(0)
    wrong, order = rng.random(30) < 0.3, rng.permutation(30)
    truth = truth_of(wrong, ids)
    files = {"detection.npy": npy(wrong[order]), "ids.npy": npy(np.asarray(ids)[order])}
    assert score_detection(files, SET, truth, "bootstrap", 0).score == 1.0
    in_loader_order = {**files, "ids.npy": npy(truth.ids)}  # the trap: shuffled, and not told
    assert score_detection(in_loader_order, SET, truth, "bootstrap", 0).score < 0.9


def test_rankings_of_scores_are_scikit_learns():
    rng = np.random.default_rng(1)
    wrong, scores = rng.random(200) < 0.2, rng.integers(0, 30, 200).astype(float)
    files = {
        "detection.npy": npy(scores > 20),
        "ids.npy": npy(np.arange(200)),
        "scores.npy": npy(scores),
    }
    values = score_detection(files, SET, truth_of(wrong), "bootstrap", 0).values
    assert values["AUROC"] == pytest.approx(roc_auc_score(wrong, scores), abs=1e-12)
    assert values["average precision"] == pytest.approx(
        average_precision_score(wrong, scores), abs=1e-12
    )


def test_anchors_take_no_method():
    truth = Truth(np.arange(5), np.array([0, 0, 0, 1, 2]), np.array([0, 0, 0, 1, 1]), np.arange(3))
    assert anchors("detection", truth, 3) == {
        "flag every label": pytest.approx(2 * 0.2 / 1.2),
        "flag none": 0.0,
    }
    assert anchors("learning", truth, 3) == {
        "guess": pytest.approx(1 / 3),
        "the most frequent label": pytest.approx(1 / 3),
    }


def test_test_rows_follow_from_the_seed_alone():
    some = subset_rows(100, "bootstrap", 7)
    assert np.array_equal(some, subset_rows(100, "bootstrap", 7))
    assert not np.array_equal(some, subset_rows(100, "bootstrap", 8))
    assert len(some) == 100
    assert 55 <= len(np.unique(some)) <= 72  # 1 - 1/e of them
    without = subset_rows(100, "80", 7)
    assert len(np.unique(without)) == 80


def test_accuracy_is_of_the_seeds_test_rows():
    answer = np.array([0, 1, 0, 0])  # right at the first two of 0 1 2 1
    found = score_learning({"predictions.npy": npy(answer)}, SET, truth_of([0]), "bootstrap", 3)
    rows = subset_rows(4, "bootstrap", 3)
    assert found.score == np.isin(rows, [0, 1]).mean()
    assert found.values == {"on all test rows": 0.5}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "there is no predictions.npy"),
        (b"", "is empty"),
        (b"0 1 2 1", "is no .npy file"),
        (npy([0, 1, 2]), "shape (3,); it must be (4,)"),
        (npy([[0, 1, 2, 1]]), "shape (1, 4)"),
        (npy([0.0, 1.0, 2.0, 1.0]), "holds float64"),
        (npy([0.0, np.nan, 2.0, 1.0]), "holds float64"),
        (npy(np.array([0, 1, 2, 1], object)), "holds object"),
        (npy([0, 1, 3, 1]), "has 3 at row 2; classes are 0 to 2"),
        (npy([0, -1, 2, 1]), "has -1 at row 1"),
        (npy([0, 1, 2, 1])[:-1], "is cut off"),
        (npy([0, 1, 2, 1]) + b"x", "something behind"),
        (npy([0, 1, 2, 1]).replace(b"(4,)", b"(9,)"), "shape (9,)"),
        (npy([0, 1, 2, 1]).replace(b"'descr'", b"open(  "), "is no .npy file"),
    ],
)
def test_malformed_predictions_are_refused_with_the_reason(content, said):
    files = {} if content is None else {"predictions.npy": content}
    with pytest.raises(Rejected, match=said.replace("(", r"\(").replace(")", r"\)")):
        predictions(files, 4, 3)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"detection.npy": npy([1, 0, 0, 1])}, "holds int64; give bool"),
        ({"ids.npy": npy([0, 1, 1, 3])}, "names a row twice"),
        ({"ids.npy": npy([0, 1, 2, 4])}, "lacks the row 3"),
        ({"ids.npy": npy(["0", "1", "2", "3"])}, "the ids of the rows are int64"),
        ({"ids.npy": b""}, "ids.npy is empty"),
        ({"scores.npy": npy([0.1, np.nan, 0, 0])}, "has nan at row 1"),
        ({"scores.npy": npy([0.1, 0, 0])}, "shape"),
        ({"scores.npy": npy(["a", "b", "c", "d"])}, "give numbers"),
    ],
)
def test_malformed_detections_are_refused_with_the_reason(changed, said):
    files = {"detection.npy": npy([True, False, False, True]), "ids.npy": npy(np.arange(4))}
    with pytest.raises(Rejected, match=said):
        detection({**files, **changed}, truth_of([0, 0, 1, 1]))


def test_an_array_that_claims_to_be_huge_is_refused_before_it_is_made():
    huge = npy([0, 1, 2, 1]).replace(b"(4,)", b"(4000000000000,)")
    with pytest.raises(Rejected, match=r"shape|no \.npy"):
        predictions({"predictions.npy": huge}, 4, 3)


SETS = [f"cifar10n-{name}" for name in ("aggre", "rand1", "rand2", "rand3", "worst")]
SETS += ["cifar100n", "cifar100n-coarse"]


@real_files
@pytest.mark.filterwarnings("ignore:cifar10")
@pytest.mark.parametrize("name", SETS)
@pytest.mark.slow
def test_on_real_labels_a_perfect_detector_is_perfect_in_every_order(name):
    data = load(name, download=False)
    truth = Truth(data.ids, data.given, data.truth, np.zeros(1, np.int64))
    shuffled = np.random.default_rng(0).permutation(data.n)
    for order in (np.arange(data.n), shuffled, image_order(name)):
        files = {"detection.npy": npy(truth.wrong[order]), "ids.npy": npy(data.ids[order])}
        assert score_detection(files, SET, truth, "bootstrap", 0).score == 1.0


@real_files
@pytest.mark.filterwarnings("ignore:cifar10")
def test_the_worked_example_of_the_challenge():
    data = load("cifar10n-worst", download=False)
    truth = Truth(data.ids, data.given, data.truth, np.zeros(1, np.int64))
    flagged = truth.wrong & (np.arange(data.n) < 25_000)
    files = {"detection.npy": npy(flagged), "ids.npy": npy(data.ids)}
    found = score_detection(files, SET, truth, "bootstrap", 0)
    assert found.values["precision"] == 1.0
    assert found.values["recall"] == 0.5045264623955432
    assert found.score == pytest.approx(0.6706780837769035, abs=1e-15)
    # in the order of a shuffled loader, not told by ids: the trap
    trap = {**files, "detection.npy": npy(np.random.default_rng(1).permutation(truth.wrong))}
    assert score_detection(trap, SET, truth, "bootstrap", 0).score == pytest.approx(0.40, abs=0.01)
