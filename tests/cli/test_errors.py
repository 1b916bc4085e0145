"""``candidly errors``, through the same door as a user."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager

import numpy as np
import polars as pl
import pytest

from candidly import errors
from candidly.cli import _progress
from candidly.errors.confident import _work

N, M = 600, 4
NAMES = ("cat", "dog", "[bold]cow", "<b>emu")


@pytest.fixture
def made(tmp_path):
    """Labels of which 30 are wrong, and probabilities that mostly know: files, and the truth."""
    rng = np.random.default_rng(0)
    truth = np.arange(N) % M
    given = truth.copy()
    wrong = rng.choice(N, 30, replace=False)
    given[wrong] = (given[wrong] + 1) % M
    logits = rng.normal(size=(N, M)) + 4 * np.eye(M)[truth]
    probs = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    np.save(tmp_path / "labels.npy", given)
    np.save(tmp_path / "probs.npy", probs)
    (tmp_path / "classes.txt").write_text("\n".join(NAMES) + "\n")
    return given, probs


FILES = ("--labels", "labels.npy", "--probs", "probs.npy")


def asked(candidly, *more, files=FILES, verb="find"):
    status, out, err = candidly("errors", verb, *files, *more, "--json")
    assert status == 0, err
    return json.loads(out)


def test_find_prints_three_counts_by_name_and_the_top(candidly, made):
    given, probs = made
    issues, counts = errors.find(given, probs), errors.counts(given, probs)
    status, out, err = candidly("errors", "find", *FILES, "--classes", "classes.txt", "--top", 3)
    assert status == 0
    # progress, where the loops have yet to be compiled, and nothing else
    assert all(" % read " in line for line in err.splitlines())
    words = [" ".join(line.split()) for line in out.splitlines()]
    for name, number in (
        ("off-diagonal", counts.off_diagonal),
        ("calibrated", counts.calibrated),
        ("flagged by noise rate", len(issues.indices)),
    ):
        assert any(line.startswith(f"{name} {number} ") for line in words), name
    first = int(issues.indices[0])
    assert any(line.startswith(f"{first} {NAMES[given[first]]} ") for line in words)
    assert f"the first 3 of {len(issues.indices)} examples" in out
    assert sum(line.split(" ")[0].isdigit() for line in words) == 3 + 1  # and "600 examples"


@pytest.mark.parametrize("by", [*errors.FindBy.__args__])
def test_every_way_finds_what_python_finds(candidly, made, by):
    found = asked(candidly, "--by", by, "--top", N)
    issues = errors.find(*made, by=by)
    assert [row["index"] for row in found["issues"]] == issues.indices.tolist()
    assert (found["by"], found["counts"]["flagged"]) == (by, len(issues.indices))
    assert all(row.get(f"by {by}", True) for row in found["issues"])


def test_json_says_what_was_read_and_found(candidly, made):
    found = asked(candidly, "--classes", ",".join(NAMES), "--top", 1)
    counts = errors.counts(*made)
    assert found["counts"]["off-diagonal"] == counts.off_diagonal
    assert found["counts"]["calibrated"] == counts.calibrated
    assert found["expected"] == pytest.approx(counts.expected)
    assert (found["read"]["examples"], found["read"]["classes"]) == (N, M)
    assert found["read"]["labels"] == "labels.npy"
    (row,) = found["issues"]
    assert row["given"] in NAMES
    assert row["given"] != row["proposed"]
    assert 0 <= row["margin"] <= 0.5


@pytest.mark.parametrize("count", ["7", "calibrated", "expected", None])
def test_count_says_how_many_of_the_lowest(candidly, made, count):
    more = () if count is None else ("--count", count)
    found = asked(candidly, "--by", "self-confidence", *more)
    told = {**found["counts"], "expected": round(found["expected"]), "7": 7}
    assert found["counts"]["flagged"] == told[count or "off-diagonal"]


def test_rank_orders_what_is_shown(candidly, made):
    for rank in ("margin", "self-confidence"):
        values = [row[rank] for row in asked(candidly, "--rank", rank)["issues"]]
        assert values == sorted(values)
    assert asked(candidly, "--rank", "self confidence")["rank"] == "self-confidence"


def test_labels_by_name_as_csv_and_probabilities_as_csv_parquet_or_chunks(candidly, made, tmp_path):
    given, probs = made
    expected = asked(candidly)["issues"]
    pl.DataFrame({"label": given}).write_csv(tmp_path / "labels.csv")
    pl.DataFrame({"label": given}).write_parquet(tmp_path / "labels.parquet")
    (tmp_path / "names.csv").write_text("\n".join(f'"{NAMES[k]}"' for k in given) + "\n")
    columns = pl.DataFrame(probs, schema=[f"c{k}" for k in range(M)])
    columns.write_csv(tmp_path / "probs.csv")
    columns.write_parquet(tmp_path / "probs.parquet")
    (tmp_path / "chunks").mkdir()
    for number, part in enumerate(np.array_split(probs, 7)):
        np.save(tmp_path / "chunks" / f"{number:03}.npy", part)
    for labels in ("labels.npy", "labels.csv", "labels.parquet"):
        for read in ("probs.csv", "probs.parquet", "chunks"):
            found = asked(candidly, files=("--labels", labels, "--probs", read))
            assert [r["index"] for r in found["issues"]] == [r["index"] for r in expected]
    named = (tmp_path / "names.csv").read_text()
    for head in ("", "label\n", "7\n"):  # with and without the column's name
        (tmp_path / "names.csv").write_text(head + named)
        files = ("--labels", "names.csv", "--probs", "chunks")
        found = asked(candidly, "--classes", "classes.txt", files=files)
        assert [r["given"] for r in found["issues"]] == [NAMES[r["given"]] for r in expected]
    (tmp_path / "names.csv").write_text("mouse\n" + named.replace("dog", "mouse") + "cat\n")
    status, out, err = candidly("errors", "find", *files, "--classes", "classes.txt")
    assert (status, out) == (2, "")
    assert "names.csv, column 0, has shape" in err


def test_normalise_unlabelled_collisions_workers(candidly, made, tmp_path):
    given, probs = made
    plain = asked(candidly, "--workers", 1)
    np.save(tmp_path / "probs.npy", probs * 3)
    again = asked(candidly, "--normalise", "--workers", 2)
    assert [r["index"] for r in again["issues"]] == [r["index"] for r in plain["issues"]]
    assert again["read"]["normalised"]
    assert "rows divided by their sums" in candidly("errors", "find", *FILES, "--normalise")[1]
    given[:10] = -1
    np.save(tmp_path / "labels.npy", given)
    found = asked(candidly, "--normalise", "--unlabelled", "--collisions", "masked")
    assert found["read"]["labelled"] == N - 10
    assert all(row["index"] >= 10 for row in found["issues"])
    text = candidly("errors", "find", *FILES, "--normalise", "--unlabelled")[1]
    assert "10 without a label" in text


def test_media_that_cannot_be_shown_are_refused_and_the_table_is_there(candidly, made, tmp_path):
    first = int(errors.find(*made).indices[0])
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / f"{first}.png").write_bytes(b"<svg/>")
    more = ("--media", "in", "--html", "page.html", "--out", "issues.csv")
    status, _, err = candidly("errors", "find", *FILES, *more)
    assert (status, f"{first}.png cannot be read as a picture" in err) == (2, True)
    assert not (tmp_path / "page.html").exists()
    assert len(pl.read_csv(tmp_path / "issues.csv")) == len(errors.find(*made).indices)


def test_candidate_sets(candidly, made, tmp_path):
    given, probs = made
    sets = np.eye(M, dtype=bool)[given] | np.eye(M, dtype=bool)[(given + 2) % M]
    np.save(tmp_path / "labels.npy", sets)
    issues = errors.find(sets, probs, by="margin", count=7)
    status, _, err = candidly("errors", "find", *FILES)
    assert status == 2
    assert "say --label-kind one-of, or if all of them are, --label-kind all-of" in err
    kind = ("--label-kind", "one-of")
    found = asked(candidly, *kind, "--by", "margin", "--count", 7, "--classes", "classes.txt")
    assert [row["index"] for row in found["issues"]] == issues.indices.tolist()
    first = int(issues.indices[0])
    assert found["issues"][0]["given"] == [NAMES[k] for k in np.flatnonzero(sets[first])]
    confident = int(issues.evidence.guessed_outside.sum())
    assert found["counts"] == {"off-diagonal": confident, "flagged": 7}
    assert found["expected"] is None
    more = (*kind, "--by", "margin", "--count", 7, "--out", "issues.csv")
    status, out, _ = candidly("errors", "find", *FILES, *more)
    assert status == 0
    in_words = "|".join(str(k) for k in np.flatnonzero(sets[first]))
    assert pl.read_csv(tmp_path / "issues.csv")["given"][0] == in_words
    assert f" {in_words} " in out
    assert "calibrated" not in out


@pytest.mark.parametrize(
    ("verb", "more", "message"),
    [
        ("find", [], "choose margin, self-confidence, predicted, confident."),
        ("find", ["--by", "margin", "--html", "p.html"], "for candidate sets, --out"),
        ("find", ["--by", "margin", "--work", "w"], "--work is for given labels"),
        ("find", ["--by", "margin", "--count", "calibrated"], "no calibrated joint"),
        ("health", [], "--labels holds several labels a row"),
    ],
)
def test_what_candidate_sets_cannot_have(candidly, made, tmp_path, verb, more, message):
    np.save(tmp_path / "labels.npy", np.eye(M, dtype=bool)[made[0]])
    status, out, err = candidly("errors", verb, *FILES, *more)
    assert (status, out) == (2, "")
    assert message in err
    assert not (tmp_path / "p.html").exists()


@pytest.mark.parametrize("name", ["issues.csv", "issues.parquet", "issues.json"])
def test_out_holds_every_flagged_example(candidly, made, tmp_path, name):
    status, _, err = candidly("errors", "find", *FILES, "--out", name, "--top", 0)
    assert (status, err) == (0, f"wrote {name}\n")
    indices = errors.find(*made).indices.tolist()
    path = tmp_path / name
    if name.endswith(".json"):
        read = [row["index"] for row in json.loads(path.read_text())]
    else:
        table = pl.read_csv(path) if name.endswith(".csv") else pl.read_parquet(path)
        read = table["index"].to_list()
        assert {"given", "predicted", "guess", "proposed", "margin"} <= set(table.columns)
    assert read == indices


def test_html_is_written_with_escaped_names_and_pictures(candidly, made, tmp_path):
    np.save(tmp_path / "images.npy", np.zeros((N, 5, 5), np.uint8))
    more = ("--html", "page.html", "--media", "images.npy", "--gallery", 2)
    found = asked(candidly, "--classes", "classes.txt", *more)
    assert found["written"] == {"html": "page.html"}
    page = (tmp_path / "page.html").read_text()
    assert "&lt;b&gt;emu" in page
    assert "<b>emu" not in page
    assert page.count("<img ") == 2
    assert "labels.npy" in page


def test_health_as_text_json_and_files(candidly, made, tmp_path):
    status, out, err = candidly("errors", "health", *FILES, "--classes", "classes.txt")
    assert (status, err) == (0, "")
    assert "health by the off-diagonal count" in out
    assert "health by the calibrated joint" in out
    assert all(name in out for name in NAMES)
    found = asked(candidly, "--classes", "classes.txt", verb="health")
    counts = errors.counts(*made)
    assert found["health"]["off-diagonal"] == pytest.approx(1 - counts.off_diagonal / N)
    assert found["health"]["calibrated"] == pytest.approx(1 - counts.calibrated / N)
    qualities = [row["quality"] for row in found["classes"]]
    assert qualities == sorted(qualities)
    assert {row["class"] for row in found["classes"]} == set(NAMES)
    assert all(r["quality from"] < r["quality"] <= r["quality to"] for r in found["classes"])
    first = found["overlaps"][0]
    assert first["count"] == first["a to b"] + first["b to a"]
    assert first["gains"] == (first["b"] if first["a to b"] > first["b to a"] else first["a"])
    numbers = {k: list(NAMES).index(first[k]) for k in "ab"}
    strays = errors.confident_joint(*made)[numbers["a"], numbers["b"]]
    assert first["a to b"] == strays
    pairs = out[out.index("Overlapping classes") :].splitlines()[3:]
    ways = [tuple(map(int, line.split()[2:])) for line in pairs if line.strip()]
    assert len(ways) == len(found["overlaps"])
    assert all(there >= back for there, back in ways)
    assert any(row["b to a"] > row["a to b"] for row in found["overlaps"])
    for name in ("health.json", "health.csv", "health.parquet"):
        assert candidly("errors", "health", *FILES, "--out", name)[0] == 0
    assert len(json.loads((tmp_path / "health.json").read_text())["classes"]) == M
    assert len(pl.read_csv(tmp_path / "health.csv")) == M
    assert len(pl.read_parquet(tmp_path / "health.parquet")) == M
    short = candidly("errors", "health", *FILES, "--top", 1)[1]
    assert f"the first 1 of {M} classes" in short


def test_what_a_reader_should_know_is_a_warning_and_in_json(candidly, made, tmp_path):
    given = made[0]
    np.save(tmp_path / "labels.npy", np.where(given == 3, 2, given))
    status, out, err = candidly("errors", "find", *FILES, "--json", "--html", "p.html")
    assert status == 0
    assert "warning: classes that nobody was given can never be proposed: 3" in err
    assert json.loads(out)["warnings"] == [err.strip().removeprefix("candidly: warning: ")]
    assert "can never be proposed: 3" in (tmp_path / "p.html").read_text()
    found = json.loads(candidly("errors", "health", *FILES, "--json")[1])
    assert found["classes"][-1]["class"] == 3
    assert found["classes"][-1]["quality"] is None
    assert candidly("errors", "health", *FILES)[0] == 0


def spoil(given, probs, how):
    if how == "nan":
        probs[3, 0] = np.nan
    elif how == "sums":
        probs[5] *= 2
        probs[5, 0] = min(probs[5, 0], 1)
    elif how == "outside":
        probs[4] = [1.5, -0.5, 0, 0]
    elif how == "label":
        given[7] = 9
    elif how == "minus":
        given[7] = -1
    elif how == "short":
        return given[:-1], probs
    elif how == "floats":
        return given + 0.5, probs
    elif how == "kind":
        return given.astype(bool), probs
    elif how == "complex":
        return given, probs.astype(complex)
    elif how == "flat":
        return given, probs[:, 0]
    elif how == "one class":
        return given * 0, np.ones((N, 1))
    elif how == "empty":
        return given[:0], probs[:0]
    return given, probs


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("nan", "probs.npy has NaN or infinity at row 3, and in 1 row in all."),
        ("sums", "with --normalise"),
        ("outside", "outside [0, 1] at row 4"),
        ("label", "labels.npy has label 9 at row 7, but there are 4 classes (0..3,"),
        ("minus", "with --unlabelled"),
        ("short", "labels.npy has shape (599,); --probs has 600 rows."),
        ("floats", "labels are names or whole"),
        ("kind", "labels.npy holds names"),
        ("complex", "probs.npy holds complex128"),
        ("flat", "probs.npy has shape (600,)"),
        ("one class", "label errors need two classes"),
        ("empty", "holds no examples"),
    ],
)
@pytest.mark.parametrize("verb", ["find", "health"])
def test_bad_data_are_one_sentence_and_status_2(candidly, made, tmp_path, verb, how, message):
    given, probs = spoil(*made, how)
    np.save(tmp_path / "labels.npy", given)
    np.save(tmp_path / "probs.npy", probs)
    status, out, err = candidly("errors", verb, *FILES)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--by", "noise rat"], "did you mean 'noise rate'?"),
        (["--rank", "margn"], "did you mean 'margin'?"),
        (["--count", "5"], "--count is for --by margin"),
        (["--by", "margin", "--count", "many"], "Or write off-diagonal, calibrated or expected"),
        (
            ["--by", "margin", "--count", "601"],
            "count is 601, but must be a whole number from 0 to 600",
        ),
        (["--by", "margin", "--count", "-1"], "--count is '-1'; give a whole number from 0"),
        (["--collisions", "both"], "choose global or masked"),
        (["--classes", "cat,dog"], "--classes has 2 names; --probs has 4 columns."),
        (["--classes", "cat,dog,cat,cow"], "--classes has 'cat' twice."),
        (["--classes", "classes.tx"], "'classes.tx', which is no file"),
        (["--classes", "probs.npy"], "no text in UTF-8"),
        (["--out", "issues.xlsx"], "must end in .parquet or .csv or .json"),
        (["--out", "no/issues.csv"], "there is no folder no"),
        (["--html", "page.pdf"], "must end in .html"),
        (["--media", "labels.npy"], "say where with --html"),
        (["--media", "nowhere", "--html", "p.html"], "nowhere does not exist."),
        (["--media", "labels.npy", "--html", "p.html"], "images are uint8"),
        (["--labels", "nowhere.npy"], "there is no file nowhere.npy."),
        (["--labels", "classes.txt"], "classes.txt, column 'cat', has shape (3,)"),
        (["--labels", "notes.doc"], "notes.doc must end in one of .npy, .npz, .csv"),
        (
            ["--labels", "labels.npy", "--label", "x"],
            "--label says nothing of labels.npy, an array and",
        ),
        (["--probs", "nowhere"], "there is no file nowhere."),
        (["--probs", "classes.txt"], "classes.txt, column 'cat', has 'dog' at row 0"),
        (["--work", "classes.txt"], "classes.txt is no folder"),
    ],
)
def test_bad_options_are_one_sentence_and_status_2(candidly, made, tmp_path, more, message):
    (tmp_path / "notes.doc").touch()
    status, out, err = candidly("errors", "find", *FILES, *more)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "p.html").exists()


def test_missing_options_are_named(candidly):
    for verb in ("find", "health"):
        status, out, err = candidly("errors", verb, "--probs", "p.npy")
        assert (status, out) == (2, "")
        assert "--labels" in err


@pytest.fixture
def in_pieces(monkeypatch):
    """Work folders in chunks of 100 rows; rows done as the first pass goes; when to stop."""
    monkeypatch.setattr(_work, "CHUNK_BYTES", 100 * M * 8)
    done: list[int] = []
    limit: list[int | None] = [None]

    @contextmanager
    def reading():
        def watch(rows, total):
            assert total == 2 * N
            if rows <= N:
                done.append(rows)
            if rows == limit[0]:
                raise KeyboardInterrupt

        yield watch

    monkeypatch.setattr(_progress, "reading", reading)
    return done, limit


def test_a_stopped_run_says_how_to_go_on_and_does(candidly, made, in_pieces, tmp_path):
    done, limit = in_pieces
    expected = asked(candidly)["issues"]
    done.clear()
    limit[0] = 300
    status, out, err = candidly("errors", "find", *FILES, "--work", "kept", "--workers", 1)
    assert (status, out) == (130, "")
    assert "stopped; the same command goes on from what is in kept." in err
    assert done == [100, 200, 300]
    done.clear()
    limit[0] = None
    found = asked(candidly, "--work", "kept", "--workers", 1)
    assert found["issues"] == expected
    assert done == [400, 500, 600]
    done.clear()
    healthy = asked(candidly, "--work", "kept", verb="health")
    assert done == []  # both commands share a folder
    assert healthy["health"] == asked(candidly, verb="health")["health"]
    np.save(tmp_path / "labels.npy", made[0][::-1])
    status, _, err = candidly("errors", "find", *FILES, "--work", "kept")
    assert status == 2
    assert "kept was begun with other labels" in err


def test_stopped_without_a_folder_says_what_would_help(candidly, made, in_pieces):
    in_pieces[1][0] = N
    status, out, err = candidly("errors", "find", *FILES)
    assert (status, out) == (130, "")
    assert "with --work DIR" in err


def test_progress_is_silent_at_first_and_then_says_what_is_left(monkeypatch, capsys):
    now = [0.0]
    monkeypatch.setattr(_progress.time, "monotonic", lambda: now[0])
    with _progress.reading() as watch:
        for done in (10, 20, 30, 40):
            watch(done, 100)
            now[0] += 1.5
        for now[0], done in ((20.0, 50), (30.0, 55), (40.0, 60)):
            watch(done, 100)
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "30 % read · 0:03 elapsed",
        "50 % read · 0:20 elapsed · about 0:25 left",
        "60 % read · 0:40 elapsed · about 0:32 left",
    ]


def test_progress_on_a_terminal_is_a_bar(monkeypatch, capsys):
    monkeypatch.setattr(_progress, "QUIET_S", 0.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    with _progress.reading() as watch:
        watch(10, 100)
        watch(100, 100)
    assert "reading" in capsys.readouterr().err


def test_probabilities_that_tell_nothing_are_said(candidly, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    guesses = np.full((300, 5), 0.05)
    guesses[np.arange(300), rng.integers(0, 5, 300)] = 0.8
    np.save("g.npy", guesses)
    np.save("l.npy", np.arange(300) % 5)
    command = ["errors", "find", "--labels", "l.npy", "--probs", "g.npy", "--json"]
    code, out, err = candidly(*command, "--html", "page.html")
    assert code == 0
    warned = json.loads(out)["warnings"]
    for what in ("guesses would agree in", "Where more than half are"):
        assert sum(what in sentence for sentence in warned) == 1
        assert err.count(what) == 1
        assert what in (tmp_path / "page.html").read_text()
    _, out, _ = candidly("errors", "health", "--labels", "l.npy", "--probs", "g.npy", "--json")
    assert sum("guesses would agree in" in said for said in json.loads(out)["warnings"]) == 1


def test_amount_says_what_python_says(candidly, made, tmp_path):
    given, probs = made
    found = errors.estimate(given, probs)
    about = asked(candidly, verb="amount")
    assert about["headline"] == found.headline()
    assert (about["number"], about["from"], about["to"]) == (found.number, found.least, found.most)
    assert about["contradicted"] == (probs.argmax(1) != given).sum()
    listed = errors.worth_a_look(found, errors.examine(given, probs))
    assert [row["index"] for row in about["issues"]] == listed.indices[:20].tolist()
    status, out, err = candidly("errors", "amount", *FILES, "--top", 2, "--out", "all.csv")
    assert status == 0, err
    assert found.headline() in " ".join(out.split())
    table = pl.read_csv(tmp_path / "all.csv").sort("index")
    assert np.allclose(table["chance"].to_numpy(), found.chance)
    assert table["flagged"].sum() == len(listed.indices)


def test_amount_says_why_nothing_can_be_said(candidly, made):
    given, probs = made
    np.save("few.npy", given[:60])
    np.save("few_probs.npy", probs[:60])
    files = ("--labels", "few.npy", "--probs", "few_probs.npy")
    about = asked(candidly, files=files, verb="amount")
    assert about["number"] is None
    assert "there are 60 labels" in about["why not"]
    status, out, _ = candidly("errors", "amount", *files)
    assert status == 0
    assert "cannot be told" in out


def test_amount_is_of_one_label_each(candidly, made):
    given, _ = made
    sets = np.eye(M, dtype=bool)[given]
    sets[:, 0] = True
    np.save("sets.npy", sets)
    status, _, err = candidly("errors", "amount", "--labels", "sets.npy", "--probs", "probs.npy")
    assert status == 2
    assert "--labels holds several labels a row, and amount is of one label each" in err


def test_counts_of_confident_learning_are_said_to_be_none_of_wrong_labels(candidly, made):
    status, out, err = candidly("errors", "find", *FILES)
    assert status == 0, err
    assert "Confident learning counts classes that overlap like errors." in " ".join(out.split())
