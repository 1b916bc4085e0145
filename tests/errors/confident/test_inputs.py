"""What is refused, by row and value, and what is taken as it is; never anything else."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch
from hypothesis import given as examples
from hypothesis import settings
from hypothesis import strategies as st

from candidly import errors

import slow_errors as slow

passes = importlib.import_module("candidly.errors.confident._passes")

GIVEN = np.array([0, 1, 2, 0, 1, 2])
PROBS = slow.softmax(3 * np.eye(3)[GIVEN])


def with_row(row, values):
    probs = PROBS.copy()
    probs[row] = values
    return probs


# A1, row by row


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_no_numbers(value, dtype, monkeypatch):
    monkeypatch.setattr(passes, "BLOCK_BYTES", 30)  # of several chunks, in the last one too
    for row in (0, 5):
        for place in range(3):
            probs = PROBS.astype(dtype)
            probs[row, place] = value
            what = f"`probs` has NaN or infinity at row {row}, and in 1 row in all."
            with pytest.raises(ValueError, match=what):
                errors.examine(GIVEN, probs)
    probs[4] = np.nan
    with pytest.raises(ValueError, match="at row 4, and in 2 rows in all"):
        errors.examine(GIVEN, probs)


def test_entries_outside():
    for bad in ([2e-6 + 1, 0, 0], [1.5, 0.5, 0]):
        with pytest.raises(ValueError, match=r"outside \[0, 1\] at row 3.*normalise=True"):
            errors.examine(GIVEN, with_row(3, bad))
    for bad in ([-0.01, 0.51, 0.5], [1.01, -0.01, 0.0], [-2e-6, 0, 1]):
        with pytest.raises(ValueError, match=r"outside \[0, 1\] at row 3") as refused:
            errors.examine(GIVEN, with_row(3, bad))
        assert "normalise" not in str(refused.value)  # which would not help
        assert "softmax of logits" in str(refused.value)
    errors.examine(GIVEN, with_row(3, [1 + 5e-7, -5e-7, 0]))
    errors.examine(GIVEN, with_row(3, [1.0, -0.0, -0.0]))


def test_sums_that_are_off():
    probs = with_row(2, [0.3, 0.3, 0.3])
    probs[4] = 0.25, 0.25, 0.25
    with pytest.raises(ValueError, match=r"row 2 of `probs` sums to 0.9, and 2 .* row 4, by 0.25"):
        errors.examine(GIVEN, probs)
    for off in (0.0009, -0.0009):
        with pytest.warns(UserWarning, match=r"sum to 1 up to 0.0009 \(row 2\)"):
            errors.examine(GIVEN, with_row(2, [0.3, 0.3, 0.4 + off]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        errors.examine(GIVEN, with_row(2, [0.3, 0.3, 0.4 + 1e-7]))


def test_rows_that_are_normalised_first():
    twice = errors.examine(GIVEN, 2 * PROBS, normalise=True)
    once = errors.examine(GIVEN, PROBS)
    assert twice.normalised
    assert not once.normalised
    np.testing.assert_allclose(twice.own, once.own, rtol=1e-15)
    with pytest.raises(ValueError, match="is 0 all over row 1, which cannot be divided"):
        errors.examine(GIVEN, with_row(1, [0, 0, 0]), normalise=True)
    with pytest.raises(ValueError, match=r"is -1 at row 1, column 0, .*not divided by its sum"):
        errors.examine(GIVEN, with_row(1, [-1, 1, 3]), normalise=True)
    errors.examine(GIVEN, with_row(1, [-1e-7, 0.5, 0.5]), normalise=True)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("ask", [errors.examine, errors.scores, errors.find, errors.health])
def test_log_probabilities_are_not_normalised(ask, dtype):
    with np.errstate(divide="ignore"):
        logs = np.log(PROBS).astype(dtype)  # divided by their sums, the label would come last
    for normalise in (True, False):
        with pytest.raises(ValueError, match=r"the exponential of log-probabilities") as refused:
            ask(GIVEN, logs, normalise=normalise)
        assert "normalise" not in str(refused.value)
    sets = np.eye(3, dtype=bool)[GIVEN]
    with pytest.raises(ValueError, match=r"is -[\d.]+ at row 0, column 0"):
        errors.find(sets, logs, by="margin", normalise=True)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(
    ("row", "sound"),
    [
        ([0.333, 0.333, 0.333], True),
        ([0.4995, 0.4995, 0.0], True),
        ([0.5005, 0.5005, 0.0], True),
        ([0.4990, 0.4990, 0.0], False),
        ([0.5010, 0.5010, 0.0], False),
        ([0.33, 0.33, 0.33], False),
    ],
)
def test_sums_at_the_edge_of_what_is_allowed(row, sound, dtype):
    probs = np.tile(row, (3, 1)).astype(dtype)
    for ask in (errors.examine, errors.scores):
        if sound:
            with pytest.warns(UserWarning, match="sum to 1 up to"):
                ask([0, 1, 0], probs)
            continue
        with pytest.raises(ValueError, match=r"sum to 1, give or take 0\.001"):
            ask([0, 1, 0], probs)


@pytest.mark.parametrize(
    ("labels", "what"),
    [
        ([0, 1, 2, 0, 1, 3], "`given` has label 3 at row 5, but there are 3 classes"),
        ([0, 1, -1, 0, 1, 2], "`given` has no label .* at row 2.*unlabelled=True"),
        ([0, 1, -7, 0, 1, 2], "`given` has label -7 at row 2"),
        ([0, 1, 1.5, 0, 1, 2], "`given` has 1.5 at row 2; labels are names or whole"),
        ([0, 1, np.nan, 0, 1, 2], "`given` has no label .* at row 2"),
        ([0, 1, np.inf, 0, 1, 2], "`given` has inf at row 2"),
        ([0, 1, 2], r"`given` has shape \(3,\); `probs` has 6 rows"),
        ([[0], [1], [2], [0], [1], [2]], r"shape \(6, 1\)"),
        (3, r"shape \(\)"),
        (np.array([255, 0, 1, 2, 0, 1], np.uint8), "`given` has label 255 at row 0"),
        (
            np.array([0, 1, 2, 0, 1, 2**63], np.uint64),
            "`given` has label 9223372036854775808 at row 5",
        ),
        (["a", "b", "c", "a", "b", "c"], r"holds names \('a' at row 0\)"),
        ([None, "b", "c", "a", "b", "c"], "holds names"),
    ],
)
def test_labels_that_are_none(labels, what):
    with pytest.raises(ValueError, match=what):
        errors.examine(labels, PROBS)


@pytest.mark.parametrize("labels", [[True] * 6, np.zeros(6, complex), np.zeros(6, "M8[s]")])
def test_labels_of_another_kind(labels):
    with pytest.raises(ValueError, match=r"holds names|labels are names or whole numbers"):
        errors.examine(labels, PROBS)


def test_labels_in_many_forms(tmp_path):
    pl.DataFrame({"label": GIVEN}).write_parquet(tmp_path / "given.parquet")
    pl.DataFrame({"label": GIVEN}).write_csv(tmp_path / "given.csv")
    (tmp_path / "plain.csv").write_text("\n".join(map(str, GIVEN)))
    forms = [
        GIVEN.tolist(),
        GIVEN.astype(np.uint8),
        GIVEN.astype(np.int8),
        GIVEN.astype(float),
        GIVEN.astype(object),
        GIVEN[::-1].copy()[::-1],
        torch.from_numpy(GIVEN),
        pl.Series(GIVEN),
        *(tmp_path / name for name in ("given.parquet", "given.csv", "plain.csv")),
    ]
    for form in forms:
        assert errors.examine(form, PROBS).given.tolist() == GIVEN.tolist()
    names = np.array(["cat", "dog", "eel"])
    for form in (
        names[GIVEN],
        names[GIVEN].tolist(),
        names[GIVEN].astype("S"),
        pl.Series(names[GIVEN]),
    ):
        assert errors.examine(form, PROBS, classes=names.tolist()).given.tolist() == GIVEN.tolist()
    with pytest.raises(ValueError, match=r"'bee' at row 0, which is not among the classes .cat"):
        errors.examine(["bee", *names[GIVEN][1:]], PROBS, classes=names.tolist())
    with pytest.raises(ValueError, match="2 names; `probs` has 3 columns"):
        errors.examine(names[GIVEN], PROBS, classes=["cat", "dog"])


@settings(max_examples=20, deadline=None)
@examples(st.permutations(["cat", "dog", "eel", "1", "p0"]), st.integers(0, 99), st.booleans())
def test_the_columns_of_a_frame_are_the_classes(order, seed, listed):
    numbers, probs = slow.make(seed, 200, 5, sharp=2, wrong=0.2)
    labels = np.array(order, object)[numbers]
    labels = labels.tolist() if listed else labels
    frame = pl.DataFrame(probs, schema=order)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert errors.examine(labels, frame).classes == tuple(order)
        for what in (errors.joint, errors.scores, lambda *of: errors.find(*of).mask):
            assert np.array_equal(what(labels, frame), what(numbers, probs))
        amounts = errors.estimate(labels, frame), errors.estimate(numbers, probs)
        assert amounts[0].as_dict() == amounts[1].as_dict()
        with pytest.raises(ValueError, match=r"'fox' at row 0.*not among the classes"):
            errors.find(["fox", *labels[1:]], frame)


def test_rows_without_a_label():
    given, probs = slow.make(1, 300, 4, sharp=1, wrong=0.4)
    given[::5] = -1
    evidence = errors.examine(given, probs, unlabelled=True)
    kept = errors.examine(given[given >= 0], probs[given >= 0])
    for by in ("noise rate", "class", "both", "confident", "predicted", "margin"):
        found = errors.find(evidence, by=by).mask
        assert not found[given < 0].any()
        assert np.array_equal(found[given >= 0], errors.find(kept, by=by).mask)
    assert np.array_equal(evidence.counts, kept.counts)
    assert evidence.own[given < 0].tolist() == [0] * 60
    assert np.array_equal(evidence.other[given < 0], probs[given < 0].max(1))
    with pytest.raises(ValueError, match="no label"):
        errors.examine(np.full(300, -1), probs, unlabelled=True)


def test_one_class_is_given():
    with pytest.warns(UserWarning, match="all labels are the same class"):
        evidence = errors.examine(np.zeros(6, int), PROBS)
    assert errors.joint(evidence).tolist() == np.diag([1.0, 0, 0]).tolist()
    for by in ("noise rate", "class", "both", "confident"):
        assert not errors.find(evidence, by=by).mask.any()


def test_a_class_that_nobody_was_given():
    with pytest.warns(UserWarning, match=r"can never be proposed: 2\.") as seen:
        evidence = errors.examine(GIVEN % 2, PROBS)
    assert len(seen) == 1
    assert evidence.thresholds[2] == 2
    assert (evidence.guess != 2).all()
    with pytest.warns(UserWarning, match="proposed: 'eel'"):
        errors.examine(GIVEN % 2, PROBS, classes=["cat", "dog", "eel"])


def test_too_little():
    with pytest.raises(ValueError, match="`probs` has 1 column"):
        errors.examine([0, 0], np.ones((2, 1)))
    for empty in (np.empty((0, 3)), np.empty((0, 3), np.float32), [], iter([])):
        with pytest.raises(ValueError, match="holds no examples"):
            errors.examine([], empty)
    for probs in (np.ones(3), np.ones((1, 2, 3)), np.float64(1.0)):
        with pytest.raises((ValueError, TypeError), match="probs"):
            errors.examine([0], probs)


def test_as_little_as_there_can_be():
    with pytest.warns(UserWarning, match="same class"):
        evidence = errors.examine([1], [[0.75, 0.25]])
    assert evidence.guess.tolist() == [1]  # it is as much of class 1 as the class's examples are
    assert errors.find(evidence, by="predicted").indices.tolist() == [0]
    with pytest.warns(UserWarning, match="left alone: 1"):
        assert not errors.find(evidence).mask.any()
    assert errors.counts(evidence).off_diagonal == 0


@pytest.mark.parametrize(
    ("probs", "what"),
    [
        (np.full((6, 3), "a"), "holds <U1"),
        (np.full((6, 3), 0.5, complex), "holds complex128"),
        (np.full((6, 3), None), "holds object"),
        (np.full((6, 3), 1 / 3, np.longdouble), "holds (float128|longdouble)"),
        (7, "is int"),
        (None, "is NoneType"),
    ],
)
def test_probabilities_of_another_kind(probs, what):
    with pytest.raises(TypeError, match=what):
        errors.examine(GIVEN, probs)


def test_probabilities_in_many_forms():
    usual = errors.examine(GIVEN, PROBS)
    odd = np.frombuffer(b"x" + PROBS.tobytes(), np.uint8)[1:].view(np.float64).reshape(6, 3)
    assert not odd.flags.aligned
    forms = [
        PROBS.tolist(),
        PROBS.astype(">f8"),
        np.asfortranarray(PROBS),
        np.concatenate([PROBS, PROBS], 1)[:, :3],
        PROBS[::-1].copy()[::-1],
        torch.from_numpy(PROBS).requires_grad_(),
        pl.DataFrame(PROBS),
        odd,
    ]
    for form in forms:
        assert errors.examine(GIVEN, form).own.tolist() == usual.own.tolist()
    with pytest.warns(UserWarning, match="sum to 1 up to"):
        half = errors.examine(GIVEN, torch.from_numpy(PROBS).bfloat16(), normalise=False)
    assert half.own.dtype == np.float32
    hot = np.eye(3, dtype=int)[GIVEN]
    assert errors.examine(GIVEN, hot).own.tolist() == [1] * 6


# files


def test_files_that_cannot_be_read(tmp_path):
    np.save(tmp_path / "whole.npy", PROBS)
    pl.DataFrame(PROBS).write_parquet(tmp_path / "whole.parquet")
    for name in ("whole.npy", "whole.parquet"):
        data = (tmp_path / name).read_bytes()
        short = tmp_path / f"short-{name}"
        for size in (len(data) - 9, 20, 0):
            short.write_bytes(data[:size])
            with pytest.raises(ValueError, match=r"truncated|or a damaged one|is empty"):
                errors.examine(GIVEN, short)
    np.savez(tmp_path / "archive.npz", PROBS)
    (tmp_path / "archive.npz").rename(tmp_path / "archive.npy")
    np.save(tmp_path / "objects.npy", PROBS.astype(object), allow_pickle=True)
    for name, what in (
        ("archive.npy", "archive"),
        ("objects.npy", "cannot be read"),
        ("whole.txt", "is empty"),
    ):
        (tmp_path / "whole.txt").touch()
        for pair in ((GIVEN, tmp_path / name), (tmp_path / name, PROBS)):
            with pytest.raises(ValueError, match=what):
                errors.examine(*pair)
    for pair in ((GIVEN, tmp_path / "none.npy"), (tmp_path / "none.npy", PROBS)):
        with pytest.raises(FileNotFoundError, match=r"there is no file .*none.npy"):
            errors.examine(*pair)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"holds no .npy or .parquet file"):
        errors.examine(GIVEN, tmp_path / "empty")


def test_tables(tmp_path):
    table = pl.DataFrame(PROBS, schema=["a", "b", "c"])
    table.write_csv(tmp_path / "names.csv")
    table.write_csv(tmp_path / "plain.csv", include_header=False)
    for name in ("names.csv", "plain.csv"):
        assert errors.examine(GIVEN, tmp_path / name).own.tolist() == PROBS.max(1).tolist()
    table.with_columns(a=pl.lit("x")).write_parquet(tmp_path / "text.parquet")
    with pytest.raises(ValueError, match="columns that are no numbers: a"):
        errors.examine(GIVEN, tmp_path / "text.parquet")
    missing = pl.when(pl.int_range(pl.len()) == 4).then(None).otherwise(pl.col("b"))
    table.with_columns(b=missing).write_parquet(tmp_path / "null.parquet")
    with pytest.raises(ValueError, match="NaN or infinity at row 4"):
        errors.examine(GIVEN, tmp_path / "null.parquet")


def test_folders_and_chunks_of_other_widths(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    np.save(folder / "0.npy", PROBS)
    np.save(folder / "1.npy", PROBS[:, :2])
    np.save(folder / ".2.npy", PROBS)  # hidden: none of the data
    with pytest.raises(ValueError, match=r"1.npy has 2 classes, .*0.npy has 3"):
        errors.examine(np.tile(GIVEN, 2), folder)
    np.save(folder / "1.npy", PROBS[:0])
    pl.DataFrame(PROBS[:0]).write_parquet(folder / "3.parquet")
    assert errors.examine(GIVEN, folder).n == 6
    with pytest.raises(ValueError, match="chunk 1 of `probs` has 2 classes"):
        errors.examine(GIVEN, iter([PROBS, PROBS[:, :2]]))
    with pytest.raises(ValueError, match="chunk 1 of `probs` has 3 classes of float32"):
        errors.examine(GIVEN, iter([PROBS, PROBS.astype(np.float32)]))
    with pytest.raises(ValueError, match=r"chunk 0 of `probs` has shape \(3,\)"):
        errors.examine(GIVEN, iter(PROBS))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"collisions": "both"}, "choose global or masked"),
        ({"workers": 0}, "workers is 0"),
        ({"thresholds": [0.5, 0.5]}, r"shape \(2,\), not \(3,\)"),
        ({"thresholds": [0.5, np.nan, 0.5]}, "`thresholds` is nan for class 1"),
    ],
)
def test_options_that_make_no_sense(options, what):
    with pytest.raises(ValueError, match=what):
        errors.examine(GIVEN, PROBS, **options)


# whatever comes


@st.composite
def anything(draw):
    """Labels, probabilities in any form, and the plain array that they are."""
    n, m = draw(st.integers(0, 30)), draw(st.integers(1, 6))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    dtype = draw(st.sampled_from([np.float16, np.float32, np.float64]))
    probs = rng.dirichlet(np.full(m, draw(st.sampled_from([0.05, 1.0, 50.0]))), n).astype(dtype)
    given = rng.integers(0, draw(st.integers(1, m)), n)
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        if probs.size:
            value = draw(
                st.sampled_from([np.nan, np.inf, -np.inf, -1, -1e-7, -0.0, 0, 1, 1.5, 3e4, 1e-7])
            )
            probs[rng.integers(n), rng.integers(m)] = value
    if n and draw(st.integers(0, 9)) == 0:
        given[rng.integers(n)] = draw(st.sampled_from([-1, -2, m, 10**9]))
    form = draw(st.sampled_from(["plain", "fortran", "slice", "back", "tensor", "list", "chunks"]))
    return given, probs, form, draw(st.booleans()), draw(st.sampled_from(["global", "masked"]))


def formed(probs, form):
    if form == "slice":
        return np.repeat(np.repeat(probs, 2, 0), 3, 1)[::2, ::3]
    return {
        "plain": lambda: probs,
        "fortran": lambda: np.asfortranarray(probs),
        "back": lambda: probs[::-1, ::-1].copy()[::-1, ::-1],
        "tensor": lambda: torch.from_numpy(probs.copy()),
        "list": lambda: probs.tolist(),
        "chunks": lambda: np.array_split(probs, 3),
    }[form]()


@pytest.mark.parametrize("count", [80, pytest.param(600, marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_result_or_a_sentence(count):
    settings(max_examples=count, derandomize=True)(examples(anything())(a_result_or_a_sentence))()


def a_result_or_a_sentence(case):
    given, probs, form, normalise, collisions = case
    plain = probs.astype(np.float64 if form == "list" or probs.dtype == np.float64 else np.float32)
    if normalise:
        with np.errstate(all="ignore"):
            plain = plain / plain.sum(1, keepdims=True)
    n, m = plain.shape
    with np.errstate(all="ignore"):
        sound = (
            n > 0
            and m > 1
            and np.isfinite(plain).all()
            and (plain >= -1e-6).all()
            and (plain <= 1 + 1e-6).all()
            and (np.abs(plain.sum(1) - 1) <= 1e-3).all()
            and ((given >= 0) & (given < m)).all()
            and (not normalise or (probs >= -1e-6 * np.abs(probs.sum(1, keepdims=True))).all())
        )
    options = {"normalise": normalise, "collisions": collisions}
    if not sound:
        with pytest.raises((ValueError, TypeError), match=r"\w+ .*\.$"):
            errors.find(given, formed(probs, form), **options)
        return
    evidence = errors.examine(given, formed(probs, form), **options)
    its = slow.examined(given, plain, collisions)
    for name in ("guess", "counts", "predicted", "own", "other"):
        assert np.array_equal(getattr(evidence, name), getattr(its, name)), name
    np.testing.assert_allclose(evidence.thresholds, its.thresholds, rtol=1e-12)
    assert evidence.disagreements == its.disagreements
    for by in ("noise rate", "class", "both", "confident", "margin"):
        mask = slow.find(given, plain, by, collisions=collisions)
        assert np.array_equal(errors.find(evidence, by=by).mask, mask), by


def agreeing(n, wrong, majority=0.5):
    """Labels of two classes, and predictions that are these but for the last few."""
    given = (np.arange(n) >= majority * n).astype(int)
    predicted = np.where(np.arange(n) >= n - wrong, 1 - given, given)
    return given, np.where(np.eye(2, dtype=bool)[predicted], 0.9, 0.1)


@pytest.mark.parametrize(
    ("n", "wrong", "majority", "told"),
    [
        (1000, 0, 0.5, True),
        (3000, 2, 0.5, True),
        (3000, 3, 0.5, False),
        (999, 0, 0.5, False),
        (2000, 0, 0.95, False),  # who says the common class is right that often
    ],
)
def test_probabilities_that_agree_too_well_are_told(n, wrong, majority, told):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        errors.examine(*agreeing(n, wrong, majority))
    texts = [str(w.message) for w in caught]
    assert ["learned these labels" in text for text in texts] == [True] * told
    assert [text for text in texts if "cross_validate" not in text] == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("p0,p1\n0.5,0.5\n0.5,x\n", "column 'p1', has 'x' at row 1, which is no number"),
        ("0.5,0.5\na,b\n0.5,0.5\n", "column 0, has 'a' at row 1, which is no number"),
        ("", "is empty"),
    ],
)
def test_a_bad_cell_is_named_in_plain_words(text, what, tmp_path):
    (tmp_path / "probs.csv").write_text(text)
    with pytest.raises(ValueError, match=what) as refused:
        errors.examine(GIVEN, tmp_path / "probs.csv")
    assert str(tmp_path / "probs.csv") in str(refused.value)
    for inner in ("polars", "Schema", "dtype", "truncate_ragged_lines", "infer_schema"):
        assert inner not in str(refused.value)


@pytest.mark.parametrize("name", ["labels.csv", "bare.csv", "labels.parquet"])
@pytest.mark.parametrize(
    ("value", "classes", "what"),
    [
        ("7", None, r"(has label|is) 7 at row 4[,;].* 3 classes"),
        ("-1", None, r"has no label .* at row 4.*`unlabelled=True`"),
        ("1.5", None, "has 1.5 at row 4; labels are names or whole"),
        ("cow", None, r"holds names \('cow' at row 4\); say with .*or correct the cell"),
        ("cow", ["cat", "dog", "emu"], "has 'cow' at row 4, which is not among the classes"),
        (None, None, r"has no label \(-1, or an empty cell\) at row 4.*`unlabelled=True`"),
    ],
)
def test_a_bad_label_in_a_file_is_named(tmp_path, monkeypatch, name, value, classes, what):
    monkeypatch.chdir(tmp_path)
    cells = [str(k) if classes is None else classes[k] for k in GIVEN]
    cells[4] = value
    path = Path(name)
    header = path.stem != "bare"
    if path.suffix == ".parquet":
        column = pl.Series("given", cells)
        try:
            column = column.cast(pl.Float64 if "1.5" in cells else pl.Int64)
        except pl.exceptions.InvalidOperationError:
            assert value == "cow"
        pl.DataFrame([column]).write_parquet(path)
    else:
        text = "\n".join("" if cell is None else cell for cell in cells) + "\n"
        path.write_text("given\n" * header + text)
    column = "'given'" if header else "0"
    with pytest.raises(ValueError, match=rf"^{name}, column {column}, {what}"):
        errors.examine(path, PROBS, classes=classes)


RAGGED = {
    "a short line": ("1,0,0\n0,1\n0,0,1\n", "line 2 has 2 cells, and the first line has 3"),
    "a long line": ("1,0,0\n0,1,0,0\n0,0,1\n", "line 2 has 4 cells, and the first line has 3"),
    "a short line below a header": ("a,b,c\n1,0,0\n0,1\n", "line 3 has 2 cells"),
    "a long line below a header": ("a,b,c\n1,0,0\n0,1,0,0\n", "line 3 has 4 cells"),
    "a short first line": ("1,0\n0,1,0\n0,0,1\n", "line 2 has 3 cells, and the first line has 2"),
    "a comma at each end but the first": ("1,0\n0,1,\n0,1,\n", "line 2 has 3 cells"),
    "a long line far down": ("1,0\n" * 3000 + "0,1,0\n" + "1,0\n", "line 3001 has 3 cells"),
}


@pytest.mark.parametrize("case", RAGGED)
def test_lines_of_other_widths_are_refused(tmp_path, case):
    text, what = RAGGED[case]
    path = tmp_path / "p.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"p.csv: {what}"):
        errors.examine([0, 1, 2], path)


def test_a_label_too_many_is_refused(tmp_path):
    path = tmp_path / "given.csv"
    path.write_text("given\n" + "".join(f"{k}\n" for k in GIVEN[:3]) + "1,2\n")
    with pytest.raises(ValueError, match=r"given.csv: line 5 has 2 cells"):
        errors.examine(path, PROBS[:4])


def test_empty_lines_at_the_end_are_no_examples(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in PROBS.tolist()) + "\n\n")
    assert errors.examine(GIVEN, path).own.tolist() == errors.examine(GIVEN, PROBS).own.tolist()
