"""``candidly crowd``, through the same door as a user."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from candidly import crowd, stability, stats
from candidly.data.examples import write as write_example
from candidly.data.labels.building import from_arrays
from candidly.data.labels.votes import Votes

NAMES = ("cat", "[bold]dog", "<b>emu")
N, J = 40, 6


@pytest.fixture
def rows(tmp_path):
    """Answers of six people, the last of whom guesses: rows, and the file answers.csv."""
    rng = np.random.default_rng(0)
    made = []
    for i in range(N):
        for j in range(J):
            if rng.random() < 0.6:
                right = rng.random() < (0.9 if j < J - 1 else 0.3)
                made.append((f"p{i:02}", f"w{j}", NAMES[i % 3 if right else rng.integers(3)]))
    write(tmp_path, made)
    return made


def write(folder, rows, name="answers.csv"):
    frame = pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")
    (frame.write_csv if name.endswith("csv") else frame.write_parquet)(folder / name)


def probs_of(rng_seed=1):
    logits = np.random.default_rng(rng_seed).normal(size=(N, 3)) + 2 * np.eye(3)[np.arange(N) % 3]
    return np.exp(logits) / np.exp(logits).sum(1, keepdims=True)


def asked(candidly, *arguments):
    status, out, err = candidly("crowd", "consensus", *arguments, "--json")
    assert status == 0, err
    return json.loads(out)


@pytest.mark.parametrize("by", [by for by in crowd.METHODS if by != "ordinal"])
def test_every_way_is_what_python_gives(candidly, rows, by):
    found = asked(candidly, "answers.csv", "--by", by, "--top", N)
    mine = crowd.consensus(crowd.Answers.from_columns(*zip(*rows)), by)
    assert found["by"] == by
    assert found["consensus"] == mine.table().rows(named=True)
    assert found["annotators"] == crowd.annotators(mine).rows(named=True)
    assert found["next"] == crowd.next_items(mine).rows(named=True)
    assert (found["answers"], found["items"], tuple(found["classes"])) == (
        len(rows), len({row[0] for row in rows}), tuple(sorted(NAMES)),
    )  # fmt: skip
    assert (found["ties"] is not None) == (by == "majority")


def test_stars_are_steps_of_a_scale_and_names_are_not(candidly, rows, tmp_path):
    stars = [(item, who, str(1 + NAMES.index(label))) for item, who, label in rows]
    write(tmp_path, stars, "stars.csv")
    found = asked(candidly, "stars.csv", "--by", "ordinal", "--top", N)
    mine = crowd.ordinal(crowd.Answers.from_columns(*zip(*stars)))
    assert found["consensus"] == mine.table().rows(named=True)
    status, _, err = candidly("crowd", "consensus", "answers.csv", "--by", "ordinal")
    assert status == 2
    assert "ordinal labels need an order of their classes: the class '<b>emu' is no number" in err
    assert err.endswith("Call the classes by numbers.\n")


def test_what_is_printed(candidly, rows):
    status, out, err = candidly("crowd", "consensus", "answers.csv", "--by", "majority", "--top", 2)
    assert (status, err) == (0, "")
    mine = crowd.majority(crowd.Answers.from_columns(*zip(*rows)))
    assert f"{len(rows)} answers about 40 items by 6 annotators, 3 classes" in out
    assert "consensus by majority: mean quality 0." in out
    assert f"{mine.ties['rarer class']} rarer class" in out
    first = mine.table().row(0, named=True)
    words = [line.split() for line in out.splitlines()]
    assert any(line[:2] == [first["item"], first["consensus"]] for line in words)
    assert any(line[:1] == ["w5"] for line in words)
    assert out.count("the first 2 of 40 items") == 2
    _, out, _ = candidly("crowd", "consensus", "answers.csv", "--top", 0, "--by", "dawid-skene")
    assert "rounds, converged, log-likelihood -" in out
    assert "annotators, worst first" not in out
    _, out, _ = candidly("crowd", "consensus", "answers.csv", "--by", "crowdlab", "--top", 0)
    assert "1 label differs from the majority; the model weighs 0.00" in out


@pytest.mark.parametrize("end", [".csv", ".parquet", ".json"])
def test_files_hold_everything(candidly, rows, tmp_path, end):
    found = asked(
        candidly, "answers.csv", "--out", f"labels{end}", "--annotators", f"people{end}",
        "--html", "page.html", "--top", 1,
    )  # fmt: skip
    read = {".csv": pl.read_csv, ".parquet": pl.read_parquet, ".json": pl.read_json}[end]
    mine = crowd.opinion_pool(crowd.Answers.from_columns(*zip(*rows)))
    labels = read(tmp_path / f"labels{end}")
    assert labels["item"].to_list() == mine.table()["item"].to_list()
    assert labels["consensus"].to_list() == mine.table()["consensus"].to_list()
    people = read(tmp_path / f"people{end}")
    assert people["annotator"].to_list() == crowd.annotators(mine)["annotator"].to_list()
    assert len(found["consensus"]) == 1
    assert found["written"] == {
        "out": f"labels{end}", "annotators": f"people{end}", "html": "page.html"
    }  # fmt: skip
    page = (tmp_path / "page.html").read_text()
    assert "Consensus by opinion-pool" in page
    assert "answers.csv" in page


def test_probabilities_by_name_go_to_their_items_and_classes(candidly, rows, tmp_path):
    probs = probs_of()
    items = [f"p{i:02}" for i in range(N)]
    answers = crowd.Answers.from_columns(*zip(*rows), items=items, classes=NAMES)
    expected = crowd.crowdlab(answers, probs)
    columns = {"item": items} | {name: probs[:, k] for k, name in enumerate(NAMES)}
    frame = pl.DataFrame(columns).sample(N, shuffle=True, seed=3)
    frame.select("item", *NAMES[::-1]).write_csv(tmp_path / "probs.csv")
    frame.write_parquet(tmp_path / "probs.parquet")
    for name in ("probs.csv", "probs.parquet"):
        found = asked(candidly, "answers.csv", "--by", "crowdlab", "--probs", name, "--top", N)
        rows_of = {row["item"]: row for row in found["consensus"]}
        for item, label, quality in zip(items, expected.labels, expected.quality):
            assert rows_of[item]["consensus"] == NAMES[label]
            assert rows_of[item]["quality"] == pytest.approx(quality, abs=1e-12)


def test_probabilities_by_number(candidly, rows, tmp_path):
    numbers = [(int(item[1:]), who, NAMES.index(label)) for item, who, label in rows]
    write(tmp_path, [row for row in numbers if row[0] < N - 2], "numbers.parquet")
    probs = probs_of()
    np.save(tmp_path / "probs.npy", 2 * probs)
    how = ("numbers.parquet", "--by", "crowdlab", "--probs", "probs.npy", "--top", N)
    found = asked(candidly, *how, "--normalise", "--classes", ",".join(NAMES))
    assert found["items"] == N  # two without answers
    by_item = {row["item"]: row for row in found["consensus"]}
    assert by_item[N - 1]["answers"] == 0
    assert by_item[N - 1]["consensus"] == NAMES[probs[N - 1].argmax()]
    unnamed = asked(candidly, *how, "--normalise")
    assert unnamed["classes"] == ["0", "1", "2"]
    status, _, err = candidly("crowd", "consensus", *how)
    assert status == 2
    assert "--probs has an entry outside [0, 1] at row 0" in err
    # a column `item` of numbers, columns of classes by number in any order
    frame = pl.DataFrame({"item": range(N)} | {str(k): probs[:, k] for k in (2, 0, 1)})
    frame.reverse().write_csv(tmp_path / "numbered.csv")
    how = ("numbers.parquet", "--by", "crowdlab", "--probs", "numbered.csv", "--top", N)
    again = asked(candidly, *how)
    drop = ("consensus", "annotators", "next")
    assert again["classes"] == unnamed["classes"]
    for name in drop:
        for one, other in zip(again[name], unnamed[name]):
            assert one["quality" if "quality" in one else "priority"] == pytest.approx(
                other["quality" if "quality" in one else "priority"]
            )


def test_saved_data(candidly, rows, tmp_path):
    items = [f"p{i:02}" for i in range(N)]
    votes = Votes.from_rows([(items.index(i), w, [NAMES.index(c)]) for i, w, c in rows])
    data = from_arrays(np.eye(N), votes=votes, classes=list(NAMES), ids=items)
    data.save(tmp_path / "mine.npz")
    found = asked(candidly, "mine.npz", "--top", 3)
    mine = crowd.opinion_pool(crowd.Answers.from_labelled(data))
    assert found["consensus"] == mine.table().head(3).rows(named=True)
    renamed = asked(candidly, "mine.npz", "--classes", "x,y,z")
    assert renamed["classes"] == ["x", "y", "z"]
    columns = {"item": items} | {name: probs_of()[:, k] for k, name in enumerate(NAMES)}
    frame = pl.DataFrame(columns).reverse().select("item", *NAMES[::-1])
    frame.write_csv(tmp_path / "probs.csv")
    found = asked(candidly, "mine.npz", "--probs", "probs.csv", "--by", "crowdlab", "--top", N)
    mine = crowd.crowdlab(crowd.Answers.from_labelled(data), probs_of())
    assert [row["item"] for row in found["consensus"]] == mine.table()["item"].to_list()
    assert [row["quality"] for row in found["consensus"]] == pytest.approx(
        mine.table()["quality"].to_list()
    )


def test_warnings_reach_the_page_and_stderr(candidly, tmp_path):
    write(tmp_path, [("a", "w", "x"), ("b", "v", "y")])
    pl.DataFrame({"item": ["a", "b"], "x": [0.5, 0.9], "y": [0.5, 0.1]}).write_csv("probs.csv")
    how = ("answers.csv", "--by", "crowdlab", "--probs", "probs.csv", "--html", "page.html")
    status, _, err = candidly("crowd", "consensus", *how)
    assert status == 0
    assert "candidly: warning: every item has one answer" in err
    assert "Note: every item has one answer" in (tmp_path / "page.html").read_text()
    assert asked(candidly, *how)["warnings"][0].startswith("every item has one answer")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["answers.csv", "--by", "mayority"], "no way to a consensus named 'mayority'; did you"),
        (["none.csv"], "there is no file none.csv"),
        (["none.npz"], "there is no file none.npz"),
        (["answers.cvs"], "answers.cvs is no file that can be read: its name must end in"),
        (["digits"], "digits has no votes"),
        (
            ["bad.csv"],
            "bad.csv: it has no column 'annotator', but item, label; it needs",
        ),
        (["torn.parquet"], "it is no Parquet file, or a damaged one"),
        (["answers.csv", "--out", "x.txt"], "--out is x.txt; it must end in .parquet or .csv"),
        (["answers.csv", "--html", "no/x.html"], "there is no folder no"),
        (["answers.csv", "--normalise"], "--normalise is of probabilities, and there are none"),
        (["answers.csv", "--classes", "cat,dog"], "`label` has '"),
        (
            ["answers.csv", "--probs", "p.npy"],
            "rows of p.npy go by number, but items of answers.cs",
        ),
        (["numbered.csv", "--probs", "p.npy"], "say which column of p.npy is which with --classes"),
        (
            ["answers.csv", "--probs", "few.csv"],
            "few.csv lacks the item 'p00', which answers.csv",
        ),
        (
            ["answers.csv", "--probs", "twice.csv"],
            "twice.csv, column 'item', has 'p00' again at row 40",
        ),
        (
            ["answers.csv", "--probs", "words.csv"],
            "words.csv, column 'cat', has 'high' at row 0, which is no number",
        ),
        (["answers.csv", "--probs", "none.npy"], "there is no file none.npy"),
        (["answers.csv", "--probs", "other.csv", "--classes", "c.txt"], "other.csv lacks the cla"),
        (["answers.csv", "--probs", "more.csv", "--classes", "c.txt"], "the class 'x', which is"),
    ],
)
def test_what_is_refused(candidly, rows, tmp_path, arguments, message):
    (tmp_path / "bad.csv").write_text("item,label\n1,2\n")
    (tmp_path / "torn.parquet").write_bytes(b"PAR1")
    (tmp_path / "c.txt").write_text("\n".join(NAMES))
    write(tmp_path, [(0, "a", "x"), (1, "a", "y")], "numbered.csv")
    np.save(tmp_path / "p.npy", np.full((2, 2), 0.5))
    columns = {name: [1 / 3] for name in NAMES}
    pl.DataFrame({"item": ["p01"]} | columns).write_csv(tmp_path / "few.csv")
    pl.DataFrame({"item": ["p01"]} | {"cat": ["high"]}).write_csv(tmp_path / "words.csv")
    items = [f"p{i:02}" for i in range(N)]
    every = pl.DataFrame({"item": items}).with_columns(pl.lit(1 / 3).alias(c) for c in NAMES)
    every.vstack(every[:1]).write_csv(tmp_path / "twice.csv")
    every.rename({"cat": "kat"}).write_csv(tmp_path / "other.csv")
    every.with_columns(x=pl.lit(0.0)).write_csv(tmp_path / "more.csv")
    status, out, err = candidly("crowd", "consensus", *arguments)
    assert (status, out) == (2, "")
    assert message in " ".join(err.split())


# items whose label is known


def test_known_items_are_held_against_consensus_and_majority(candidly, tmp_path):
    write_example("answers", tmp_path)
    found = asked(candidly, "answers.csv", "--known", "expert.csv")["known"]
    answers = crowd.read_answers("answers.csv")
    known = dict(pl.read_csv("expert.csv").rows())
    rows = [row for row, item in enumerate(answers.items) if item in known]
    true = np.array([answers.classes.index(known[answers.items[row]]) for row in rows])
    mine = crowd.opinion_pool(answers).labels[rows] == true
    usual = crowd.majority(answers).labels[rows] == true
    assert (found["by"], found["n"]) == ("opinion-pool", 60)
    assert (found["right"], found["majority"]) == (mine.sum(), usual.sum())
    assert (found["only"], found["only_majority"]) == ((mine & ~usual).sum(), (usual & ~mine).sum())
    assert found["p"] == pytest.approx(
        float(stability.mcnemar(found["only"], found["only_majority"]))
    )
    low, high = stability.tango(found["only"], found["only_majority"], 60)
    assert found["difference"] == pytest.approx([(mine.sum() - usual.sum()) / 60, low, high])
    assert found["interval"][0] < mine.mean() < found["interval"][1]


def test_known_items_are_printed_and_on_the_page(candidly, tmp_path):
    write_example("answers", tmp_path)
    words = ("crowd", "consensus", "answers.csv", "--top", 1, "--known", "expert.csv")
    _, out, _ = candidly(*words, "--html", "page.html")
    assert "Items whose label is known" in out
    assert "do not tell the two apart" in " ".join(out.split())
    page = (tmp_path / "page.html").read_text()
    assert "Items whose label is known" in page
    assert "do not tell the two apart" in page
    _, out, _ = candidly(*words, "--by", "majority")
    assert "Items whose label is known" in out
    assert "tell the two apart" not in out


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("item,label\np00,cat\nq99,cat\n", "has the item 'q99', which is not among the answers"),
        ("item,label\np00,owl\n", "'owl' at row 0, which is not among"),
        ("label\ncat\n", "does not name its items; give it a column called item"),
        ("item,label\np00,cat\np00,cat\n", "p00"),
        ("item,label\np00,\n", "no item has a known label"),
    ],
)
def test_known_items_that_do_not_fit_are_refused(candidly, rows, tmp_path, table, said):
    (tmp_path / "known.csv").write_text(table)
    status, _, err = candidly("crowd", "consensus", "answers.csv", "--known", "known.csv")
    assert status == 2
    assert said in err


def test_an_annotator_of_few_answers_has_a_wide_interval(candidly, tmp_path):
    write_example("answers", tmp_path)
    _, out, _ = candidly("crowd", "consensus", "answers.csv", "--top", 12)
    people = {line.split()[0]: line.split() for line in out.splitlines() if "–" in line}
    assert len(people) == 12
    width = {}
    for who, cells in people.items():
        low, high = map(float, next(cell for cell in cells if "–" in cell).split("–"))
        width[who] = high - low
    assert width["Juno"] > 0.5 > 0.25 > max(width[who] for who in width if who != "Juno")
    bounds = stats.share_interval(np.array(7), 10)
    assert f"{bounds[0]:.2f}–{bounds[1]:.2f}" in people["Juno"]


def test_what_was_saved_is_merged_too(candidly, tmp_path):
    """Of a saved data set with votes as of a table: an option that is taken does something."""
    rows = "x,item,annotator,label\n" + "".join(
        f"{k % 3},i{k},{who},{name}\n"
        for k in range(6)
        for who, name in (("ann", "cat"), ("bob", "Cat" if k == 0 else "dog"))
    )
    (tmp_path / "a.csv").write_text(rows)
    assert candidly("data", "convert", "a.csv", "a.npz")[0] == 0
    for merge, classes in (((), ["Cat", "cat", "dog"]), (("spelling",), ["cat", "dog"])):
        words = ("--merge-labels", *merge) if merge else ()
        status, out, err = candidly("crowd", "consensus", "a.npz", "--json", *words)
        assert status == 0, err
        assert json.loads(out)["classes"] == classes


def test_kinds_beside_texts_alone_are_refused(candidly, tmp_path):
    (tmp_path / "t.csv").write_text("said,age,label\nhello,3,a\nbye,4,b\n")
    status, _, err = candidly("check", "t.csv", "--text", "said", "--kind", "age=number")
    assert status == 2
    assert "column 'said' is the inputs alone, and --kind speaks of others" in err


@pytest.fixture
def timed(tmp_path):
    """Answers of four people in the order of their times, of whom Ann stops to look."""
    g = np.random.default_rng(0)
    lines = ["item,annotator,label,answered"]
    for item in range(400):
        truth = g.integers(0, 3)
        for who in ("Ann", "Bo", "Cy", "Di"):
            right = 0.9 if who != "Ann" or item < 200 else 0.2
            label = truth if g.random() < right else g.integers(0, 3)
            lines.append(f"i{item},{who},{label},2026-01-{1 + item // 20:02}T{item % 20:02}:00")
    path = tmp_path / "timed.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_who_changes_over_time(candidly, timed, tmp_path):
    page = tmp_path / "page.html"
    status, out, err = candidly(
        "crowd", "consensus", timed, "--time", "answered", "--html", page, "--top", "4"
    )
    assert status == 0, err
    assert "annotators changes beyond chance: Ann since 2026-01-1" in " ".join(out.split())
    assert "Annotators over time" in page.read_text()
    command = ("crowd", "consensus", timed, "--time", "answered", "--json")
    rows = json.loads(candidly(*command)[1])["changes"]
    assert [row["changed"] for row in rows][:1] == [True]
    for column, said in (("hour", "has no column 'hour'"), ("annotator", "does not sort by time")):
        status, _, err = candidly("crowd", "consensus", timed, "--time", column)
        assert status == 2
        assert said in err
    status, _, err = candidly("crowd", "consensus", timed, "--time", "answered", "--keep", "all")
    assert status == 2
    assert "which is which" in err
