"""``candidly.check``: planted wrong labels come out, with what they were found by."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from PIL import Image
from sklearn.datasets import load_wine

import candidly
from candidly.errors import Network
from candidly.errors.checking import find_leaks, find_siblings

NAMES = np.array(["red", "white", "rose"])


@pytest.fixture(scope="module")
def wine():
    """178 wines with names for classes, and the rows whose label was changed."""
    bunch = load_wine(as_frame=True)
    y = bunch.target.to_numpy().copy()
    wrong = np.random.default_rng(0).choice(len(y), 8, replace=False)
    y[wrong] = (y[wrong] + 1) % 3
    frame = pl.from_pandas(bunch.data).with_columns(
        pl.Series("kind", NAMES[y]), pl.Series("id", [f"w{k}" for k in range(len(y))])
    )
    return frame, set(wrong.tolist())


@pytest.fixture(scope="module")
def found(wine):
    return candidly.check(wine[0], label="kind", classifier="logistic")


def test_planted_errors_are_flagged_with_ids_and_own_columns(wine, found):
    frame, wrong = wine
    table = found.table()
    assert len(wrong - set(table["index"].to_list())) <= 1
    assert len(table) == found.flagged <= 20
    assert table["id"].to_list() == [f"w{k}" for k in table["index"]]
    assert table["id (own)"].to_list() == table["id"].to_list()
    assert table["alcohol"].to_list() == frame["alcohol"][table["index"].to_list()].to_list()
    assert table["given"].to_list() == table["kind"].to_list()


def test_it_is_cross_validation_and_an_estimate_and_nothing_else(wine, found):
    frame, _ = wine
    x = frame.drop("kind", "id").to_numpy().astype(np.float64)
    judged = candidly.errors.cross_validate("logistic", (x, frame["kind"].to_list()))
    assert np.array_equal(judged.probs, found.judged.probs)
    evidence = candidly.errors.examine(judged.given, judged.probs)
    wrong = candidly.errors.estimate(evidence)
    assert found.headline() == wrong.headline()
    again = candidly.errors.worth_a_look(wrong, evidence)
    assert again.indices.tolist() == found.issues.indices.tolist()


def test_by_lists_what_a_method_of_confident_learning_flags(wine, found):
    by_name = candidly.check(wine[0], label="kind", classifier="logistic", by="noise rate")
    flagged = candidly.errors.find(found.judged.given, found.judged.probs)
    assert by_name.issues.indices.tolist() == flagged.indices.tolist()
    assert by_name.headline() == found.headline()
    assert "chance" not in by_name.table().columns


def test_accuracy_and_the_largest_class_are_those_of_a_slow_count(wine, found):
    labels = wine[0]["kind"].to_list()
    said = [found.judged.classes[k] for k in found.judged.probs.argmax(1)]
    assert found.accuracy == np.mean([a == b for a, b in zip(labels, said)])
    most = max(set(labels), key=labels.count)
    assert found.largest == (most, labels.count(most) / len(labels))
    assert not found.useless


def test_a_pandas_frame_a_file_and_a_polars_frame_say_the_same(wine, found, tmp_path):
    frame, _ = wine
    frame.write_csv(tmp_path / "wine.csv")
    for where in (pd.DataFrame(frame.to_dict(as_series=False)), tmp_path / "wine.csv"):
        other = candidly.check(where, label="kind", classifier="logistic")
        assert other.issues.indices.tolist() == found.issues.indices.tolist()


def test_a_group_stays_in_one_fold_and_is_no_input(wine):
    frame, _ = wine
    groups = np.arange(len(frame)) // 6
    grouped = candidly.check(
        frame.with_columns(pl.Series("cask", groups)), label="kind", group="cask"
    )
    folds = grouped.judged.folds
    assert all(len(set(folds[groups == g])) == 1 for g in set(groups))
    assert grouped.typed is not None
    assert "cask" not in grouped.typed.columns


def test_rows_without_a_label_are_counted_and_never_flagged(wine):
    frame, _ = wine
    some = frame.with_columns(
        pl.when(pl.int_range(len(frame)) % 9 == 0).then(None).otherwise("kind").alias("kind")
    )
    result = candidly.check(some, label="kind")
    assert result.labelled == some["kind"].count()
    assert "rows without a label" in result.read()["labels"]
    assert not (result.issues.indices % 9 == 0).any()


def test_a_classifier_no_better_than_guesses_is_told(wine):
    frame, _ = wine
    rng = np.random.default_rng(3)
    noise = pl.DataFrame({"x": rng.normal(size=178), "kind": rng.permutation(frame["kind"])})
    with pytest.warns(UserWarning, match="tell nothing of the labels"):
        result = candidly.check(noise, label="kind", classifier="logistic")
    assert result.useless
    assert "no better than a guess" in " ".join(result.findings())


def test_the_count_of_a_weak_classifier_is_put_in_its_place(found):
    g = np.random.default_rng(0)
    truth = np.arange(600) % 30
    x = np.eye(30)[truth] + g.normal(scale=0.42, size=(600, 30))  # every label is right
    weak = candidly.check(candidly.from_arrays(x, truth))
    assert 0.3 < weak.accuracy < 0.6
    assert weak.flagged == 20
    assert weak.headline().startswith("Classes that overlap can explain every contradiction.")
    said = "That is weak: what it contradicts says little"
    assert said in " ".join(weak.findings())
    assert said not in " ".join(found.findings())


def test_sets_of_candidates_are_checked_for_the_missing_truth(wine):
    frame, _ = wine
    rng = np.random.default_rng(1)
    true = load_wine().target
    sets = []
    for row, y in enumerate(true):
        names = {NAMES[y]} if row % 16 else {NAMES[(y + 1) % 3]}  # every 16th lacks the truth
        if rng.random() < 0.3:
            names.add(NAMES[(y + 2) % 3])
        sets.append("|".join(sorted(names)))
    asked = frame.with_columns(pl.Series("kind", sets))
    with pytest.raises(ValueError, match=r"one-of.*all-of.*single"):
        candidly.check(asked, label="kind")
    result = candidly.check(
        asked,
        label="kind",
        label_kind="one-of",
        classifier=Network("PRODEN", 150, {"lr": 3e-3}),
        folds=3,
    )
    assert "sets" in result.headline()
    flagged = result.issues.indices
    assert np.mean(flagged % 16 == 0) > 0.4
    assert np.isin(np.arange(0, 178, 16), flagged).mean() >= 0.5
    assert result.table()["given"].dtype == pl.List(pl.String)


# leaks


def labels(n=90, q=3, seed=0):
    return np.random.default_rng(seed).integers(0, q, n)


def test_columns_that_tell_the_label_are_named_and_others_are_not():
    y = labels()
    rng = np.random.default_rng(5)
    frame = pl.DataFrame(
        {
            "finer": [f"{k}{row % 2}" for row, k in enumerate(y)],  # six values, each of one class
            "position": y * 10 + rng.random(90),  # no value repeats, but neighbours agree
            "honest": y + rng.normal(size=90),
            "constant": np.zeros(90),
            "number": np.arange(90),
            "name": [f"row {k}" for k in range(90)],
            "old": [NAMES[k] if row % 10 else "red" for row, k in enumerate(y)],  # another label
            "colour": [("red", "blue")[int(r < 0.5)] for r in rng.random(90)],
        }
    )
    leaks = find_leaks(frame, y, NAMES.tolist())
    assert {leak.column for leak in leaks} == {"finer", "position", "old"}
    assert {leak.column: leak.agrees for leak in leaks}["finer"] == 1
    slow = np.mean([a == NAMES[b] for a, b in zip(frame["old"], y)])
    assert {leak.column: leak.agrees for leak in leaks}["old"] == pytest.approx(slow)
    assert "`drop='old'`" in str(next(leak for leak in leaks if leak.column == "old"))


def test_a_column_that_says_whom_rows_are_from_gets_the_advice_to_group_by_it():
    rng = np.random.default_rng(1)
    who = rng.integers(0, 120, 600)
    y = rng.integers(0, 2, 120)[who]
    features = rng.normal(size=(120, 3))[who] + 0.1 * rng.normal(size=(600, 3))
    frame = pl.DataFrame(features, schema=["a", "b", "c"]).with_columns(
        patient=pl.Series([f"P{k:03}" for k in who]), kind=pl.Series(NAMES[y])
    )
    (leak,) = find_leaks(frame.drop("kind"), y, NAMES[:2].tolist())
    assert leak.repeats
    assert str(leak).index("`group='patient'`") < str(leak).index("`drop='patient'`")
    with pytest.warns(UserWarning, match="keep such rows in one fold with `group='patient'`"):
        seen = candidly.check(frame, label="kind", classifier="forest", folds=3)
    apart = candidly.check(frame, label="kind", classifier="forest", folds=3, group="patient")
    assert seen.accuracy > 0.9
    assert apart.accuracy < 0.7  # nothing tells the label of somebody new


def people(label_of=lambda y, rng: y):
    """600 rows of 120 people: two columns say of whom a row is; the others are measured."""
    rng = np.random.default_rng(1)
    who = rng.integers(0, 120, 600)
    y = rng.integers(0, 2, 120)
    own = label_of(y[who], rng)
    age = np.round(40 + 15 * own + rng.normal(scale=4, size=600)).astype(int)
    columns = {
        "person": [f"P{k:03}" for k in who],
        "number": rng.permutation(120)[who] * 7,
        "age": age,
        "ward": rng.integers(0, 60, 600),
        "score": rng.normal(size=120)[who],
    }
    return pl.DataFrame(columns).with_columns(kind=pl.Series(NAMES[own])), own


def test_columns_that_say_whom_rows_are_from_are_found_among_all():
    frame, own = people()
    found = find_siblings(frame.drop("kind"), own)
    assert {one.column for one in found} == {"person", "number"}
    assert {one.agrees for one in found} == {1}
    some = own[own >= 0]
    assert found[0].chance == pytest.approx((np.bincount(some) ** 2).sum() / len(some) ** 2)
    # labels of a person that differ in one row of five agree in fewer pairs, by hand
    frame, own = people(lambda y, rng: np.where(rng.random(600) < 0.2, 1 - y, y))
    (person, *_) = find_siblings(frame.select("person"), own)
    pairs = [
        own[a] == own[b]
        for a in range(600)
        for b in range(a)
        if frame["person"][a] == frame["person"][b]
    ]
    assert person.agrees == pytest.approx(np.mean(pairs))
    assert not find_siblings(frame.drop("kind"), np.full(600, -1))


def test_a_dropped_column_that_says_whom_rows_are_from_is_advised_to_group_by():
    frame, _ = people()
    asked = {"label": "kind", "folds": 3, "drop": ["person", "number"]}
    with pytest.warns(UserWarning, match="same 'person' have the same label in 100% of pairs"):
        candidly.check(frame, **asked)
    asked["drop"] = ["number"]
    apart = candidly.check(frame, group="person", **asked)
    assert not any("same label" in note for note in apart.notes)


def test_what_is_measured_says_of_nobody_whom_rows_are_from(tmp_path):
    """Weights in a CSV file are texts until they are read as numbers; those of cats are alike."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 400)
    weights = np.round(4 + 20 * y + rng.normal(scale=1.5, size=400), 1)
    ages = 3 + 9 * y + rng.integers(0, 12, 400)
    frame = pl.DataFrame({"weight": weights, "age": ages, "kind": NAMES[y]})
    frame.write_csv(tmp_path / "pets.csv")
    found = candidly.check(tmp_path / "pets.csv", label="kind", folds=3)
    assert not any("have the same label" in note for note in found.notes)


def test_own_columns_keep_their_values_beside_what_people_fill_in():
    """A table may have a column ``wrong`` or ``stratum`` of its own: neither is an answer."""
    frame, _ = people()
    own = frame.with_columns(wrong=pl.lit("yes"), stratum=pl.lit(7)).drop("number", "person")
    found = candidly.check(own, label="kind", folds=3, drop=["wrong", "stratum"])
    table = found.to_check()
    assert {"wrong (own)", "stratum (own)"} <= set(table.columns)
    assert set(table["wrong (own)"]) == {"yes"}
    assert "wrong" not in table.columns


def test_rows_without_a_label_and_a_single_class_show_no_leak():
    y = labels()
    y[::2] = -1
    frame = pl.DataFrame({"a": np.where(y >= 0, y, 7)})
    assert find_leaks(frame, y, NAMES.tolist())
    assert not find_leaks(frame, np.zeros(90, int), ("red", "white"))


def test_an_earlier_label_among_the_columns_is_warned_of(wine):
    frame, _ = wine
    truth = pl.Series("first entered", NAMES[load_wine().target])
    with pytest.warns(UserWarning, match="column 'first entered' holds names of the classes"):
        candidly.check(frame.with_columns(truth), label="kind")


def test_a_column_that_copies_the_label_is_refused_by_name(wine):
    frame, _ = wine
    codes = frame["kind"].replace_strict(dict(zip(NAMES.tolist(), (7, 3, 5)))).alias("code")
    with pytest.raises(ValueError, match=r"column 'code' copies the label.*`drop="):
        candidly.check(frame.with_columns(codes), label="kind")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"label": "kin"}, "no column 'kin'.*did you mean 'kind'"),
        ({"label": "kind", "group": "cask"}, r"no column 'cask' \(`group`\)"),
        ({"label": "kind", "drop": ["alkohol"]}, "no column 'alkohol'.*'alcohol'"),
        ({"label": "kind", "classifier": "logistik"}, "logistic"),
        ({}, "with `label`"),
    ],
)
def test_what_is_not_there_is_refused_by_name(wine, more, said):
    with pytest.raises((ValueError, KeyError), match=re.compile(said, re.S)):
        candidly.check(wine[0], **more)


def test_labels_that_are_all_empty_or_all_the_same_are_refused(wine):
    frame, _ = wine
    with pytest.raises(ValueError, match="'kind' is empty in every row"):
        candidly.check(frame.with_columns(pl.lit(None, pl.String).alias("kind")), label="kind")
    with pytest.raises(ValueError, match="every label is 'red'"):
        candidly.check(frame.with_columns(kind=pl.lit("red")), label="kind")


# the page


def test_the_page_shows_each_rows_columns_escaped_and_what_is_usual(wine, tmp_path):
    frame, _ = wine
    odd = frame.with_columns(
        pl.lit("<script>alert(1)</script>").alias("remark <b>"),
        pl.Series("kind", [f"{name} & <i>" for name in frame["kind"]]),
    )
    result = candidly.check(odd, label="kind", classifier="logistic")
    result.document().write(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.count("<script") == 1  # candidly's own, for cards in pages
    assert "<i>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    first = int(result.issues.indices[0])
    assert f"usual for {frame['kind'][first]} &amp; &lt;i&gt;" in page
    card = page[page.index(f'id="example-{first}"') :]
    card = card[: card.index("</li>")]
    assert f"w{first} " in card
    for name in frame.columns:
        if name not in ("kind", "id"):
            assert f">{name}</th>" in card.replace("<wbr>", ""), name
    assert str(frame["alcohol"][first]) in card
    low, high = np.percentile(  # of the class that is given, as it is given
        frame["alcohol"].to_numpy()[frame["kind"].to_numpy() == frame["kind"][first]], [10, 90]
    )
    assert f"{low:.4g} to {high:.4g}" in card
    result.document().write(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text() == page


@pytest.fixture(scope="module")
def notes():
    g = np.random.default_rng(0)
    words = (("oven", "flour", "bread"), ("wheel", "chain", "road"))
    topic = np.arange(60) % 2
    texts = [" ".join([*g.choice(words[k], 2), f"x{i}"]) for i, k in enumerate(topic)]
    return pl.DataFrame({"the note": texts, "topic": [("baking", "cycling")[k] for k in topic]})


@pytest.mark.parametrize(
    ("classifier", "given"),
    [
        (None, "counts of words, weighed by how rare a word is"),
        ("fasttext", "counts of words and of pairs"),
        (Network("ce", steps=5), "the texts."),
    ],
)
def test_of_texts_it_says_what_the_classifier_was_given(notes, classifier, given):
    found = candidly.check(notes, "topic", text="the note", classifier=classifier, folds=2)
    assert f"it is given {given}" in found.findings()[0]
    assert not any("`text=" in sentence for sentence in found.findings())


def test_a_column_of_texts_among_others_can_be_taken_word_for_word(notes):
    coded = notes.with_columns(pl.Series("code", [f"c{i}" for i in range(60)]))
    found = candidly.check(coded, "topic", folds=2)
    assert found.roles.id == "code"  # different words, and no values
    assert found.kinds == {"the note": "text"}
    told = [sentence for sentence in found.findings() if "`text=" in sentence]
    assert [sentence.partition(" takes")[0] for sentence in told] == [
        "Of each text in 'the note' it saw 32 numbers; `text='the note'`"
    ]


def test_a_network_checks_pictures_that_a_table_names(tmp_path):
    g = np.random.default_rng(0)
    for i in range(20):
        pixels = g.integers(0, 80, (16, 16, 3)) + 150 * (i % 2)
        Image.fromarray(pixels.astype(np.uint8)).save(tmp_path / f"{i}.png")
    table = pl.DataFrame({"photo": [f"{i}.png" for i in range(20)], "kind": ["dark", "light"] * 10})
    table.write_csv(tmp_path / "photos.csv")
    network = Network("ce", steps=50)
    found = candidly.check(
        tmp_path / "photos.csv", "kind", image="photo", classifier=network, folds=2
    )
    assert found.accuracy > 0.8


def frauds(informed: bool):
    """Of 20,000 rows 100 are of the rare class, which no prediction may be; 20 labels are wrong."""
    g = np.random.default_rng(0)
    truth = (g.random(20_000) < 0.005).astype(int)
    x = g.normal(size=(20_000, 4)) + (1.2 * truth[:, None] if informed else 0)
    given = np.where(g.random(20_000) < 0.001, 1 - truth, truth)
    return candidly.from_arrays(x, given, classes=("fine", "fraud"))


def test_a_classifier_of_a_rare_class_is_not_useless_because_guesses_are_often_right():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        told = candidly.check(frauds(True), classifier="logistic")
    assert told.accuracy <= told.largest[1] + 0.002
    assert not told.useless
    assert told.wrong.low <= 20 / 20_000 <= told.wrong.high
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nothing = candidly.check(frauds(False), classifier="logistic")
    assert nothing.useless
    assert "cannot be told" in nothing.headline()


def test_the_headline_of_a_weak_classifier_says_how_weak(found):
    g = np.random.default_rng(0)
    truth = np.arange(600) % 30
    x = np.eye(30)[truth] + g.normal(scale=0.42, size=(600, 30))
    weak = candidly.check(candidly.from_arrays(x, truth))
    assert f"agrees with only {weak.accuracy:.1%} of them: weak evidence." in weak.headline()
    assert "weak" not in found.headline()
