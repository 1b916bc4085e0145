"""Every kind of input, by every name: what is fitted, to which rows, how often files are read."""

from __future__ import annotations

import datetime
import importlib.util
import re

import numpy as np
import polars as pl
import pytest
from PIL import Image

from candidly import from_arrays
from candidly.data.ingest import media
from candidly.data.ingest.media import _squares, decoded
from candidly.errors.crossval import DEFAULTS, NAMED, Network, _features, cross_validate
from candidly.errors.crossval._features import Views
from candidly.errors.crossval._named import OF_ONE_KIND

SMALL = {"batch_size": 32}
KINDS = ("table", "columns", "images", "media", "texts")


def columns(y, seed=0):
    """Columns of each kind, of which the number, the category and the text tell the class."""
    g = np.random.default_rng(seed)
    n = len(y)
    number = g.normal(size=n) + 2 * y
    start = datetime.datetime(2024, 1, 1)
    return pl.DataFrame(
        {
            "number": [None if k % 11 == 0 else x for k, x in enumerate(number.tolist())],
            "category": [("low", "high")[k ^ int(g.random() < 0.2)] for k in y],
            "date": [start + datetime.timedelta(days=int(d)) for d in g.integers(0, 700, n)],
            "text": [f"{('dull', 'fine')[k]} item {i}" for i, k in enumerate(y)],
        }
    )


def made(kind, folder, n=120):
    """Data of a kind whose class can be told, with a tenth of the labels wrong; and the truth."""
    g = np.random.default_rng(1)
    y = np.arange(n) % 2
    pixels = g.integers(0, 60, (n, 12, 10), dtype=np.uint8)
    pixels[y == 1, :, 5:] += 150  # an edge down the middle
    pixels[y == 0, 6:, :] += 150  # or across
    if kind == "media":
        for row, picture in enumerate(pixels):
            Image.fromarray(picture).resize((40, 60)).save(folder / f"{row:03}.png")
    inputs = {
        "table": lambda: g.normal(size=(n, 4)) + 2 * y[:, None],
        "columns": lambda: columns(y),
        "images": lambda: pixels,
        "media": lambda: sorted(folder.glob("*.png")),
        "texts": lambda: [
            f"{('dull', 'fine')[k]} film number {i} {i % 7}" for i, k in enumerate(y)
        ],
    }[kind]()
    return from_arrays(inputs, np.where(g.random(n) < 0.1, 1 - y, y)), y


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [name for name in NAMED if name not in OF_ONE_KIND])
def test_every_name_takes_every_kind(kind, name, tmp_path):
    data, y = made(kind, tmp_path)
    result = cross_validate(name, data, 2)
    assert (result.probs.argmax(1) == y).mean() > 0.7
    assert (result.chosen, result.probs.shape) == (name, (len(y), 2))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_networks_take_every_kind_and_candidate_sets(kind, tmp_path):
    data, y = made(kind, tmp_path)
    sets = from_arrays(
        data.inputs, candidates=[[0, 1] if k % 5 == 0 else [t] for k, t in enumerate(y)]
    )
    for network, some in (("ce", data), ("PRODEN", sets)):
        result = cross_validate(Network(network, 40, SMALL), some, 2)
        assert (result.probs.argmax(1) == y).mean() > 0.9


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_a_classifier_where_none_is_named(kind, tmp_path):
    data, y = made(kind, tmp_path)
    result = cross_validate(None, data, 2)
    assert result.chosen == DEFAULTS[kind].classifier
    assert DEFAULTS[kind].reason
    assert (result.probs.argmax(1) == y).mean() > 0.8


def test_candidate_sets_have_a_classifier_where_none_is_named():
    x = np.random.default_rng(0).normal(size=(90, 3))
    data = from_arrays(x, candidates=[[0, 1] if k % 3 else [k % 2] for k in range(90)])
    assert cross_validate(None, data, 2).chosen == "PRODEN"


# columns inside the folds


@pytest.mark.parametrize("classifier", ["logistic", Network("ce", 20, SMALL)], ids=str)
def test_no_held_out_cell_changes_what_a_fold_encodes(classifier, monkeypatch):
    """Other cells in fold 0 leave what is fitted without it, and said of the rest, as it was."""
    y = np.arange(90) // 3 % 2
    frame = columns(y)
    folds = np.arange(90) % 3
    other = frame.with_columns(
        number=pl.when(pl.Series(folds) == 0).then(1e4).otherwise(pl.col("number")),
        category=pl.when(pl.Series(folds) == 0).then(pl.lit("new")).otherwise(pl.col("category")),
        text=pl.when(pl.Series(folds) == 0).then(pl.lit("zzz")).otherwise(pl.col("text")),
    )
    seen = []
    original = _features.fit_encoding

    def noted(prepared, rows):
        seen.append((np.array(rows), original(prepared, rows)))
        return seen[-1][1]

    monkeypatch.setattr(_features, "fit_encoding", noted)
    kinds = from_arrays(frame, y).inputs.kinds
    made_of = []
    for some in (frame, other):
        seen.clear()
        from candidly.data.inputs import Table

        data = from_arrays(Table.of(some, kinds), y)
        cross_validate(classifier, data, folds)
        made_of.append({tuple(rows.tolist()): encoding for rows, encoding in seen})
    for k in range(3):
        train = tuple(np.flatnonzero(folds != k).tolist())
        assert (made_of[0][train] == made_of[1][train]) == (k == 0)


def test_a_classifier_of_ones_own_sees_columns_encoded_and_pictures_as_pixels(tmp_path):
    from recorders import Recorder, asked, cleared

    y = np.arange(60) % 2
    frame = pl.DataFrame({"row": np.arange(60), "c": [("a", "b")[k] for k in y]})
    cleared()
    cross_validate(Recorder(), from_arrays(frame, y), 2)
    assert len(asked) > 0
    views = Views(made("images", tmp_path)[0])
    assert views.plain(np.arange(3)).shape == (120, 120)
    assert views.usual(np.arange(3)).shape == (120, 408)


def test_folds_with_more_levels_do_not_disturb_others():
    """A network's folds lie below each other; a level that one fold lacks is no column of it."""
    y = np.arange(60) % 2
    level = ["rare" if k < 6 else "often" for k in range(60)]
    frame = pl.DataFrame({"x": y + np.linspace(0, 0.1, 60), "level": level})
    folds = np.where(np.arange(60) < 6, 0, np.arange(60) % 3)
    result = cross_validate(Network("ce", 60, {"batch_size": 16}), from_arrays(frame, y), folds)
    assert (result.probs.argmax(1) == y).all()


def test_skrub_encodes_columns_where_it_is_asked_for():
    if importlib.util.find_spec("skrub") is None:  # importing it would make a folder at home
        pytest.skip("skrub is not installed")
    data, y = made("columns", None)
    result = cross_validate("logistic", data, 2, encoder="skrub")
    assert (result.probs.argmax(1) == y).mean() > 0.8
    assert not np.array_equal(result.probs, cross_validate("logistic", data, 2).probs)
    with pytest.raises(ValueError, match=r"`encoder` is 'scrub', .*Use one of own, skrub"):
        cross_validate("logistic", data, 2, encoder="scrub")


# pictures


def test_files_are_decoded_once_whoever_asks(tmp_path, monkeypatch):
    data, _ = made("media", tmp_path)
    opened = []

    def decode(path, *how, **asked):
        opened.append(path)
        return media.pixels_of(path, *how, **asked)

    monkeypatch.setattr(_squares, "pixels_of", decode)
    told = []
    some = ["logistic", "knn", Network("ce", 20, SMALL)]
    cross_validate(some, data, 3, repeats=2, watch=lambda *both: told.append(both))
    assert opened == data.inputs.tolist()
    assert told[0] == (0, 100 * (3 * (2 * 3 + 3 * 5) + 1))
    assert told[-1][0] == told[-1][1]
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_pictures_of_all_sizes_and_kinds_become_squares(tmp_path):
    grey = Image.fromarray(np.tile(np.array([0, 255], np.uint8).repeat(50), (30, 1)))
    for name, picture in {
        "grey.png": grey,
        "bits.png": grey.convert("1"),
        "clear.png": grey.convert("RGBA"),
        "palette.gif": grey.convert("P"),
        "large.jpg": grey.resize((900, 500)),
    }.items():
        picture.save(tmp_path / name)
    found = decoded(sorted(tmp_path.iterdir()), 32)
    assert found.shape == (5, 32, 32, 3)
    assert np.abs(found[:, :, :12].astype(int)).max() < 10
    assert found[:, :, 20:].min() > 245


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.png", b"no picture", "a.png cannot be read as a picture"),
        ("a.wav", b"RIFF0000WAVEfmt ", "a.wav is a sound"),
        ("a.png", b"", "a.png is empty"),
        ("a.html", b"<p>", "a.html is no image or sound"),
    ],
)
def test_what_is_no_picture_is_refused_by_name(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(message)):
        decoded([tmp_path / name], 32)


def test_a_picture_that_ends_early_is_refused_by_name(tmp_path):
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (64, 64, 3), np.uint8)).save(
        tmp_path / "a.jpg"
    )
    whole = (tmp_path / "a.jpg").read_bytes()
    (tmp_path / "a.jpg").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"a\.jpg cannot be read to its end"):
        decoded([tmp_path / "a.jpg"], 32)


def test_going_on_from_columns_is_refused():
    data, _ = made("columns", None)
    for classifier in ("logistic", Network("ce", 5, SMALL)):
        with pytest.raises(ValueError, match="give both as tables of numbers"):
            cross_validate(classifier, data[:80], 2, start=data[80:])
