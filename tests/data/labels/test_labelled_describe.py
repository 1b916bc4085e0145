"""``describe``: counted by hand on a small example, and on edges."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from candidly.data.labels.building import from_arrays
from candidly.data.labels.describe import describe, flipping
from candidly.data.labels.labelled import Labelled
from candidly.data.labels.votes import Votes


def test_counted_by_hand():
    data = from_arrays(
        [[0.0, 7, 1], [-0.0, 7, 1], [2, 7, 1], [3, 7, 2], [3, 7, 2]],
        [["a"], ["a", "b"], ["b"], ["a", "b", "c", "d"], ["b"]],
        truth=["a", "a", "a", "b", None],
        classes=["a", "b", "c", "d", "e"],
        source="by hand",
    )
    found = describe(data)
    assert (found.n, found.q, found.kind, found.features) == (5, 5, "table", 3)
    assert found.constant_columns == (1,)
    assert found.duplicate_rows == 2  # -0.0 is 0.0
    assert found.avg_candidates == pytest.approx(9 / 5)
    assert (found.min_candidates, found.max_candidates) == (1, 4)
    assert found.candidate_sizes == (0, 3, 1, 0, 1)
    assert (found.singleton_rows, found.full_rows) == (3, 0)
    assert found.never_candidates == ("e",)
    assert found.oracle_unknown == 1
    assert found.oracle_class_counts == (3, 1, 0, 0, 0)
    assert found.oracle_imbalance == 3.0
    assert found.oracle_never_true == ("c", "d", "e")
    assert found.oracle_noise_rate == pytest.approx(1 / 4)
    shares = np.array(found.oracle_flipping)
    assert shares[0] == pytest.approx([2 / 3, 2 / 3, 0, 0, 0])
    assert shares[1] == pytest.approx([1, 1, 1, 1, 0])
    assert np.isnan(shares[2:]).all()
    assert found.oracle_ambiguity == 1.0
    assert found.given_missing is found.oracle_given_noise_rate is found.answers is None


def test_given_labels():
    found = describe(
        from_arrays([[1], [2], [3], [4]], [0, 1, 1, -1], truth=[0, 0, -1, 1], classes=2)
    )
    assert found.given_missing == 1
    assert found.oracle_given_noise_rate == 0.5
    assert found.oracle_flipping[0] == (0.5, 0.5)
    assert all(math.isnan(share) for share in found.oracle_flipping[1])
    assert found.avg_candidates is found.oracle_noise_rate is found.oracle_ambiguity is None
    assert found.oracle_transition[0] == (0.5, 0.5)
    assert found.oracle_diagonal[0] == 0.5
    assert math.isnan(found.oracle_diagonal[1])  # the one example of class 1 has no label


def test_transitions_beside_candidate_sets():
    data = from_arrays(
        [[1], [2], [3], [4], [5]],
        candidates=[[0, 1], [0], [2], [2], [0, 2]],
        given=[1, 0, 0, 2, 2],
        truth=[0, 0, 2, 2, -1],
        classes=3,
    )
    found = describe(data)
    assert found.oracle_transition[0] == (0.5, 0.5, 0.0)
    assert found.oracle_transition[2] == (0.5, 0.0, 0.5)
    assert found.oracle_diagonal[::2] == (0.5, 0.5)
    assert np.isnan(found.oracle_transition[1]).all()
    assert found.oracle_flipping[0] == (1.0, 0.5, 0.0)  # of the sets
    assert describe(data.blind()).oracle_transition is None


def test_json_has_no_nan():
    data = from_arrays([[1], [2]], [[0], [0, 1]], truth=[0, 0])
    plain = describe(data).to_dict()
    assert plain["oracle_flipping"] == [[1.0, 0.5], [None, None]]
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain


def test_tags_votes_and_other_inputs():
    votes = Votes.from_rows([(0, "p", [0]), (1, "p", [1]), (1, "q", [])])
    found = describe(from_arrays(["x", "x"], tags=[[0, 1], [1]], votes=votes))
    assert (found.avg_tags, found.answers, found.annotators) == (1.5, 3, 2)
    assert (found.kind, found.features, found.duplicate_rows) == ("texts", None, 1)
    images = describe(from_arrays(np.zeros((3, 2, 2), np.uint8), [0, 1, 0]))
    assert (images.kind, images.duplicate_rows, images.constant_columns) == ("images", 2, None)
    assert describe(from_arrays([Path("a"), Path("b")], [0, 1])).duplicate_rows is None


def test_edges():
    unknown = describe(from_arrays([[1]], [[0, 1]], truth=[-1], classes=2))
    assert unknown.oracle_unknown == 1
    assert unknown.oracle_class_counts is unknown.oracle_noise_rate is None
    one_class = describe(from_arrays([[1]], [[0]], truth=[0]))
    assert one_class.oracle_ambiguity is None
    nothing = describe(Labelled(inputs=np.ones((2, 1)), classes=("a",)))
    assert nothing.oracle_unknown is nothing.avg_candidates is None
    with pytest.raises(ValueError, match="no example"):
        describe(Labelled(inputs=np.ones((0, 1)), classes=("a",)))


def test_flipping_leaves_out_unknown_truths():
    sets = np.array([[1, 0], [1, 1], [0, 1]], bool)
    assert flipping(sets, np.array([0, 0, -1]))[0].tolist() == [1.0, 0.5]


def test_describe_is_a_method_too():
    data = Labelled(inputs=np.ones((2, 1)), classes=("a", "b"), truth=np.array([0, 1]))
    assert data.describe().to_dict() == describe(data).to_dict()


def test_describing_knows_no_container():
    import ast

    from candidly.data.labels import describe as module

    tree = ast.parse(Path(module.__file__).read_text())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert "labelled" not in imported  # which imports this file, at its top
    assert Labelled.describe.__globals__["describe"] is describe
