"""NoisywikiHow: the real held-out files, made-up ones in every released form, and every refusal."""

from __future__ import annotations

import csv
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from candidly import load
from candidly.data.sources.noisywikihow import (
    FLIPPED,
    LEVELS,
    PLAIN,
    REPLACED,
    load_noisywikihow,
    replaced_or_flipped,
)

from needs import real_files

NOISY = 6  # rows of the made-up training files


def write(path: Path, columns, rows) -> None:
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)


def sizes() -> list[int]:
    """Of 158 classes: 54 of at most 400 with 18,656 events, all with 89,143."""
    tail = [301, *[346] * 52, 363]
    rest = [(89_143 - sum(tail)) // 104] * 104
    rest[0] += 89_143 - sum(tail) - sum(rest)
    return tail + rest


def text(number: int) -> str:
    """An event; of the first 49 no space stands before the full stop."""
    return f"mix the dough number {number}{'' if number < 49 else ' '}."


@pytest.fixture(scope="module")
def released(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("released")
    levels = [level for level, count in LEVELS.items() for _ in range(count)]
    names = [f"Craft {k}" for k in range(158)]
    write(folder / "cat158.csv", ("category", "level", "steps"), zip(names, levels, sizes()))
    for half, name in enumerate(("val", "test")):
        ids = [7_900 * half + i for i in range(7_900)]
        write(
            folder / f"{name}.csv",
            PLAIN,
            [(i, 2 * i, i % 158, text(i), names[i % 158]) for i in ids],
        )
    training = [(20_000 + i, 40_000 + i, i, text(20_000 + i), names[i]) for i in range(NOISY)]
    write(folder / "train.csv", PLAIN, training)
    replaced = [
        (a, b, 700_000 + i if i % 2 else b, c, step, cat)
        + ((text(30_000 + i), "Other", -1) if i % 2 else (step, cat, c))
        for i, (a, b, c, step, cat) in enumerate(training)
    ]
    for mode in ("mix", "neighbor", "uncommon", "tail"):
        write(folder / "noisy" / f"{mode}_0.1.csv", REPLACED, replaced)
    flipped = [
        (a, b, c, (c + 3) if i == 2 else c, step, cat, names[c + 3] if i == 2 else cat)
        for i, (a, b, c, step, cat) in enumerate(training)
    ]
    write(folder / "noisy" / "sym_0.1.csv", FLIPPED, flipped)
    return folder


def loaded(folder: Path, **values):
    return load_noisywikihow(folder / "cat158.csv", "noisywikihow", **values)


def test_clean_files_are_texts_with_their_labels(released):
    data = loaded(released)
    assert (data.kind, data.n, data.q) == ("texts", NOISY + 7_900, 158)
    assert data.official_test.sum() == 7_900
    assert not data.official_test[:NOISY].any()
    assert np.array_equal(data.given, data.truth)
    assert data.inputs[0] == text(20_000)
    assert data.ids[:3].tolist() == [20_000, 20_001, 20_002]
    held = loaded(released, part="heldout")
    assert (held.n, held.official_test.sum()) == (15_800, 7_900)
    assert load("noisywikihow:part=heldout", root=released).n == 15_800


@pytest.mark.parametrize("mode", ["mix", "neighbor", "uncommon", "tail"])
def test_replaced_texts_keep_their_labels_and_have_no_truth(released, mode):
    data = load(f"noisywikihow:noise={mode}", root=released)
    noisy = np.arange(NOISY) % 2 == 1
    assert np.array_equal(data.truth[:NOISY], np.where(noisy, -1, np.arange(NOISY)))
    assert np.array_equal(data.given[:NOISY], np.arange(NOISY))
    assert data.inputs[1] == text(30_001)
    assert data.inputs[2] == text(20_002)
    assert np.array_equal(replaced_or_flipped(released / "noisy" / f"{mode}_0.1.csv"), noisy)
    assert (data.truth[NOISY:] == data.given[NOISY:]).all()


def test_the_clean_validation_file_chooses_where_it_is_asked_for(released):
    share = load("noisywikihow:noise=sym,rate=0.1", root=released)
    data = load("noisywikihow:noise=sym,rate=0.1,validation=clean", root=released)
    assert share.official_validation is None
    assert (data.n, data.official_validation.sum()) == (share.n + 7_900, 7_900)
    chosen, rest = data[data.official_validation], data[~data.official_validation]
    assert replace(rest, official_validation=None, source="") == replace(share, source="")
    assert np.array_equal(chosen.given, chosen.truth)
    assert np.array_equal(chosen.ids, loaded(released, part="heldout").ids[:7_900])
    split = data.split(1, validation=0.1, official=True)
    assert len(split.train) == NOISY  # none of them is lost to a share
    assert np.array_equal(np.sort(split.validation), np.flatnonzero(data.official_validation))
    with pytest.raises(ValueError, match="leave validation out"):
        loaded(released, part="heldout", validation="clean")


def test_flipped_labels_keep_their_texts(released):
    data = load("noisywikihow:noise=sym,rate=0.1", root=released)
    assert data.given[:NOISY].tolist() == [0, 1, 5, 3, 4, 5]
    assert data.truth[:NOISY].tolist() == list(range(NOISY))
    found = replaced_or_flipped(released / "noisy" / "sym_0.1.csv")
    assert found.tolist() == [False, False, True, False, False, False]


def changed(rows, place, **new):
    columns, *lines = rows
    lines[place] = [str(new.get(name, value)) for name, value in zip(columns, lines[place])]
    return [columns, *lines]


CHANGES = {
    "a column renamed": ("val.csv", lambda r: [["chosen_id", *r[0][1:]], *r[1:]], "choosen_id is"),
    "an empty cell": ("val.csv", lambda r: changed(r, 3, step=""), "row 3: step is empty"),
    "no number": ("val.csv", lambda r: changed(r, 3, cat_id="x"), "row 3: cat_id is 'x'"),
    "a class beyond": ("val.csv", lambda r: changed(r, 3, cat_id=158), "it lies in 0 to 157"),
    "an id beyond": ("val.csv", lambda r: changed(r, 3, choosen_id=89_143), "0 to 89,142"),
    "a step id beyond": ("val.csv", lambda r: changed(r, 3, step_id=777_135), "0 to 777,134"),
    "another name": ("val.csv", lambda r: changed(r, 3, cat="Sewing"), "class 3 is 'Craft 3'"),
    "too short": ("val.csv", lambda r: changed(r, 3, step="mix."), "has 1 tokens"),
    "too long": ("val.csv", lambda r: changed(r, 3, step="a " * 80 + "."), "has 81 tokens"),
    "capitals": ("val.csv", lambda r: changed(r, 60, step="Mix the dough ."), "in lower case"),
    "no full stop": ("val.csv", lambda r: changed(r, 60, step="mix the dough"), "full stop"),
    "an id twice": ("val.csv", lambda r: changed(r, 3, choosen_id=2), "choosen_id is 2, as in"),
    "a step id twice": ("val.csv", lambda r: changed(r, 3, step_id=4), "step_id is 4, as in"),
    "a row less": ("test.csv", lambda r: r[:-1], "has 7,899 events"),
    "another class": ("val.csv", lambda r: changed(r, 3, cat_id=4, cat="Craft 4"), "49 of class 3"),
    "a text in both": ("test.csv", lambda r: changed(r, 0, step=text(60)), "is there twice"),
    "a space more": ("val.csv", lambda r: changed(r, 0, step="mix number 0 ."), "48 events"),
    "an event in both": ("test.csv", lambda r: changed(r, 0, choosen_id=5), "an event is in both"),
    "a class less": ("cat158.csv", lambda r: r[:-1], "has 157 classes"),
    "two of a name": ("cat158.csv", lambda r: changed(r, 1, category="Craft 0"), "different names"),
    "events in all": ("cat158.csv", lambda r: changed(r, 157, steps=900), "events in all"),
    "the smallest": (
        "cat158.csv",
        lambda r: changed(changed(r, 0, steps=302), 1, steps=345),
        "events of the smallest class",
    ),
    "tails": (
        "cat158.csv",
        lambda r: changed(changed(r, 1, steps=446), 157, steps=577),
        "classes of at most 400",
    ),
    "a level": ("cat158.csv", lambda r: changed(r, 0, level=3), "classes of level 2"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_files_that_are_not_as_released_are_refused(released, tmp_path, what):
    name, change, message = CHANGES[what]
    for file in ("cat158.csv", "val.csv", "test.csv"):
        (tmp_path / file).write_bytes((released / file).read_bytes())
    with (released / name).open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    columns, *lines = change(rows)
    write(tmp_path / name, columns, lines)
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        loaded(tmp_path, part="heldout")


def noisy_with(released, tmp_path, change):
    for file in ("cat158.csv", "val.csv", "test.csv", "train.csv"):
        (tmp_path / file).write_bytes((released / file).read_bytes())
    with (released / "noisy" / "mix_0.1.csv").open(encoding="utf-8", newline="") as file:
        columns, *lines = change(list(csv.reader(file)))
    write(tmp_path / "noisy" / "mix_0.1.csv", columns, lines)
    return tmp_path


def test_noisy_files_agree_with_their_ids(released, tmp_path):
    folder = noisy_with(released, tmp_path, lambda r: changed(r, 1, noisy_label=5))
    with pytest.raises(ValueError, match="row 1: noisy_label is 5 and the text is another's"):
        loaded(folder, noise="mix")
    folder = noisy_with(released, tmp_path, lambda r: changed(r, 2, noisy_step="another text ."))
    with pytest.raises(ValueError, match="row 2: noisy_step differs from step"):
        loaded(folder, noise="mix")


def test_what_is_not_there_is_said_with_the_next_step(released, tmp_path):
    with pytest.raises(FileNotFoundError, match="mix_0"):
        loaded(released, noise="mix", rate="0.4")
    for file in ("cat158.csv", "val.csv", "test.csv"):
        (tmp_path / file).write_bytes((released / file).read_bytes())
    with pytest.raises(FileNotFoundError, match="noisywikihow:part=heldout"):
        loaded(tmp_path)
    with pytest.raises(ValueError, match="leave noise out"):
        loaded(tmp_path, part="heldout", noise="mix")
    with pytest.raises(ValueError, match=r"Choose from: 0\.1, 0\.2"):
        load("noisywikihow:noise=mix,rate=0.3", root=released)


@real_files
def test_the_released_held_out_files_are_as_described():
    root = Path(os.environ["CANDIDLY_DATA"]) / "noisywikihow"
    data = load("noisywikihow:part=heldout", root=root)
    assert (data.n, data.q, data.official_test.sum()) == (15_800, 158, 7_900)
    counts = np.bincount(data.given[~data.official_test], minlength=158)
    assert (counts == 50).all()
    assert round(np.mean([len(t.split()) for t in data.inputs[~data.official_test]]), 2) == 10.75
