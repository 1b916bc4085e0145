"""``candidly stability``, through the same door as a user."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import polars as pl
import pytest

from candidly import validation
from candidly.compare.stability import assess, checking_plan, make_case
from candidly.compare.stability.files import within_budget
from candidly.data.examples import leaderboard, write
from candidly.people.validation import missed

from stability_cases import arrays, probabilities

NAMES = ("ant", "bee", "cow", "dog", "emu")
FILES = ("--labels", "l.npy", "--corrected", "c.npy", "--predictions", "models")


@pytest.fixture
def made(tmp_path):
    original, corrected, predictions = arrays()
    np.save(tmp_path / "l.npy", original.astype(np.uint8))
    np.save(tmp_path / "c.npy", corrected)
    (tmp_path / "models").mkdir()
    for name, p in predictions.items():
        np.save(tmp_path / "models" / f"{name}.npy", p.astype(np.uint8))
    (tmp_path / "models" / "notes.txt").write_text("not a model")
    return original, corrected, predictions


def asked(candidly, *more, files=FILES):
    status, out, err = candidly("stability", *files, "--resamples", 50, *more, "--json")
    assert status == 0, err
    return json.loads(out)


def refused(candidly, *more, files=FILES):
    status, out, err = candidly("stability", *files, "--resamples", 0, *more)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    return err


def test_it_says_what_python_says(candidly, made):
    expected = assess(make_case(*made), resamples=50)
    found = asked(candidly)
    assert found.pop("read")["labels"] == "l.npy"
    assert found == json.loads(json.dumps(expected.as_dict()))
    every = asked(candidly, "--pairs", "all", "--alpha", 0.2, "--seed", 3)
    assert (len(every["pairs"]), every["alpha"], every["seed"]) == (6, 0.2, 3)


def test_text_begins_with_the_verdict_and_ends_with_the_limits(candidly, made):
    status, out, err = candidly("stability", *FILES, "--resamples", 0)
    assert (status, err) == (0, "")
    assert out.startswith("Correcting 40 and pruning 10 of 400 labels")
    assert "May not be concluded How good the models are elsewhere" in " ".join(out.split())


def test_what_is_written_is_what_is_printed(candidly, made, tmp_path):
    found = asked(candidly, "--out", "r.json", "--html", "p.html", "--plan", "plan.csv")
    assert json.loads((tmp_path / "r.json").read_text()) == found
    assert found["verdict"] in (tmp_path / "p.html").read_text()
    plan = pl.read_csv(tmp_path / "plan.csv")
    assert plan.columns == ["place", "row", "label", "models say"]
    assert plan["row"].to_list()[:100] == found["checks"]
    assert plan["label"].to_list() == made[0][plan["row"].to_list()].tolist()


def test_checks_go_on_where_the_plan_was(candidly, made, tmp_path):
    asked(candidly, "--plan", "plan.parquet")
    items = pl.read_parquet(tmp_path / "plan.parquet")["row"].to_numpy()
    truth = np.where(made[1] >= 0, made[1], made[0])
    np.save(tmp_path / "found.npy", truth[items])
    done = asked(candidly, "--found", "found.npy")
    assert done["to_check"] == 0
    assert all(n["status"] == "secure" for n in done["neighbours"])
    assert done["checks"] == []


@pytest.mark.parametrize("key", ["id", "row"])
def test_found_labels_come_in_any_order_where_they_say_of_which_items(
    candidly, made, tmp_path, key
):
    ids = [f"i{k}" for k in range(400)]
    files = write_by_name(tmp_path, made, ids)
    by_name = key == "id"
    plan = ("--classes", ",".join(NAMES)) if by_name else ()
    files = files if by_name else FILES
    asked(candidly, *plan, "--plan", "plan.csv", "--budget", 9, "--seed", 3, files=files)
    written = pl.read_csv(tmp_path / "plan.csv").drop("models say")
    truth = np.where(made[1] >= 0, made[1], made[0])[written["row"].to_numpy()]
    named = np.array(NAMES)[truth] if by_name else truth
    written.with_columns(label=pl.Series(named)).write_csv(tmp_path / "plan.csv")
    told = asked(candidly, *plan, "--found", "plan.csv", "--seed", 3, files=files)
    pl.read_csv(tmp_path / "plan.csv").sort("row").write_csv(tmp_path / "sorted.csv")
    again = asked(candidly, *plan, "--found", "sorted.csv", "--seed", 3, files=files)
    assert {**told, "read": None} == {**again, "read": None}
    half = pl.read_csv(tmp_path / "plan.csv")
    half[:5].write_csv(tmp_path / "five.csv")
    left = pl.when(pl.col("place") <= 5).then("label").otherwise(None)
    half.with_columns(label=left).write_csv(tmp_path / "half.csv")
    five = asked(candidly, *plan, "--found", "five.csv", "--seed", 3, files=files)
    asking = (*plan, "--resamples", 50, "--json", "--found", "half.csv", "--seed", 3)
    _, out, err = candidly("stability", *files, *asking)
    assert "4 items behind the last label of half.csv without one" in " ".join(err.split())
    assert {**five, "read": None} == {**json.loads(out), "read": None}
    assert five["checks"] != told["checks"]
    asking = (*files, *plan, "--found", "sorted.csv", "--seed", 4)
    status, _, err = candidly("stability", *asking)
    assert status == 2
    assert "not among the first 9 items of the plan" in err


def write_by_name(tmp_path, made, ids):
    original, corrected, predictions = made
    words = np.array([*NAMES, ""])
    for name, values in (("l", original), ("c", corrected)):
        pl.DataFrame({"id": ids, "label": words[values]}).write_csv(tmp_path / f"{name}.csv")
    folder = tmp_path / "named"
    folder.mkdir()
    for k, (name, p) in enumerate(predictions.items()):
        if k == 0:
            pl.DataFrame({"id": ids, "prediction": words[p]}).write_csv(folder / f"{name}.csv")
        elif k == 1:
            pl.DataFrame({"id": ids, "x": p}).write_parquet(folder / f"{name}.parquet")
        elif k == 2:
            columns = dict(zip(NAMES, probabilities(p).T))
            turned = {name: columns[name] for name in reversed(NAMES)}
            pl.DataFrame({"id": ids, **turned}).write_parquet(folder / f"{name}.parquet")
        else:
            pl.DataFrame({"a": p}).write_csv(folder / f"{name}.csv", include_header=False)
    return ("--labels", "l.csv", "--corrected", "c.csv", "--predictions", "named")


def test_names_ids_and_all_kinds_of_files(candidly, made, tmp_path):
    ids = [f"i{k}" for k in range(400)]
    files = write_by_name(tmp_path, made, ids)
    found = asked(candidly, "--classes", ",".join(NAMES), files=files)
    plain = asked(candidly)
    assert found["verdict"] == plain["verdict"]
    assert [s["top1"] for s in found["standings"]] == [s["top1"] for s in plain["standings"]]
    assert found["checks"][0] == f"i{plain['checks'][0]}"
    assert [s["model"] for s in found["standings"] if s["top5"]] == ["model 2"]
    (tmp_path / "ids.csv").write_text("id\n" + "\n".join(ids))
    assert asked(candidly, "--classes", ",".join(NAMES), "--ids", "ids.csv", files=files) == found
    np.save(tmp_path / "ids.npy", np.array(["j0", *ids[1:]]))
    err = refused(candidly, "--classes", ",".join(NAMES), "--ids", "ids.npy", files=files)
    assert "l.csv has no row for the id 'j0' of row 0" in err


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_corrected_labels_as_candidly_validate_writes_them(candidly, made, tmp_path, ending):
    original, corrected, _ = made
    item = np.flatnonzero(corrected != original)
    counts = [[0, 5, 0, 0, 0] if corrected[k] >= 0 else [0, 0, 0, 5, 0] for k in item]
    guessed = np.where(corrected[item] >= 0, corrected[item], (original[item] + 1) % 5)
    votes = validation.from_counts(counts, item=item, given=original[item], guessed=guessed)
    table = validation.corrected(original, validation.judge(votes)).table()
    if ending == "csv":
        table.write_csv(tmp_path / "v.csv")
    else:
        table.write_parquet(tmp_path / "v.parquet")
    files = ("--labels", "l.npy", "--corrected", f"v.{ending}", "--predictions", "models")
    found = asked(candidly, files=files)
    assert found["standings"] == asked(candidly)["standings"]


def test_rows_go_by_their_names(candidly, made, tmp_path):
    ids = [f"i{k}" for k in range(400)]
    files = write_by_name(tmp_path, made, ids)
    path = tmp_path / "named" / "model 1.parquet"
    plain = asked(candidly, "--classes", ",".join(NAMES), files=files)
    pl.read_parquet(path).reverse().write_parquet(path)
    for name in ("c", "named/model 2"):
        for mixed in tmp_path.glob(f"{name}.*"):
            if mixed.suffix == ".csv":
                pl.read_csv(mixed).sample(400, shuffle=True, seed=1).write_csv(mixed)
            elif mixed.suffix == ".parquet":
                pl.read_parquet(mixed).sample(400, shuffle=True, seed=2).write_parquet(mixed)
    assert asked(candidly, "--classes", ",".join(NAMES), files=files) == plain
    pl.read_parquet(path).head(5).write_parquet(path)
    err = refused(candidly, "--classes", ",".join(NAMES), files=files)
    assert "has no row for the id 'i0' of row 0 of the labels" in err
    assert "5 rows, and 400 labels" in err


def test_checked_items_audits_and_other_corrections(candidly, made, tmp_path):
    original, corrected, _ = made
    pl.DataFrame({"checked": np.arange(400) < 300}).write_parquet(tmp_path / "k.parquet")
    np.save(tmp_path / "strict.npy", np.where(corrected == original, original, -1))
    found = asked(candidly, "--checked", "k.parquet", "--also", "strict.npy", "--audited", 30)
    untouched = int((corrected == original)[300:].sum())
    assert found["missed"]["unchecked"] == untouched
    assert found["missed"]["bound"] == missed(untouched, 30).high
    assert [row["name"] for row in found["corrections"]] == ["this correction", "strict"]
    np.save(tmp_path / "k.npy", np.full(400, 2))
    assert "must hold true and false" in refused(candidly, "--checked", "k.npy")


def test_twins_and_an_empty_set_are_stated(candidly, made, tmp_path):
    np.save(tmp_path / "models" / "twin.npy", made[2]["model 0"])
    found = asked(candidly)
    assert any("model 0 and twin predict the same" in note for note in found["notes"])
    files = ("--labels", "l.npy", "--corrected", "l.npy", "--predictions", "models")
    found = asked(candidly, "--html", "p.html", files=files)
    assert found["verdict"].startswith("No label was changed or pruned")


@pytest.mark.parametrize(
    ("file", "values", "message"),
    [
        ("c.npy", np.zeros(7, int), "--corrected has 7 labels and --labels 400"),
        ("l.npy", np.full(400, -1), "--labels is -1 at row 0; only corrected labels may be -1"),
        ("models/model 0.npy", np.zeros(7, int), "predictions of 'model 0' have shape (7,)"),
        ("models/model 0.npy", np.full(400, 9), "'model 0' is 9 at row 0; 5 classes"),
        ("models/model 0.npy", np.zeros((400, 2), int), "labels are one column"),
        ("models/model 0.npy", np.full(400, "cow"), "holds names ('cow' at row 0); say with"),
    ],
)
def test_files_that_do_not_fit_are_refused(candidly, made, tmp_path, file, values, message):
    np.save(tmp_path / file, values)
    assert message in refused(candidly)


def test_other_wrong_input_is_refused(candidly, made, tmp_path):
    assert "no folder" in refused(candidly, files=(*FILES[:-1], "nowhere"))
    assert "there is no file x.npy" in refused(candidly, files=("--labels", "x.npy", *FILES[2:]))
    assert "it must end in .json" in refused(candidly, "--out", "r.csv")
    assert "choose adjacent or all" in refused(candidly, "--pairs", "many")
    (tmp_path / "none").mkdir()
    assert "with 0 files that end in" in refused(candidly, files=(*FILES[:-1], "none"))
    pl.DataFrame({"a": [1] * 400}).write_csv(tmp_path / "models" / "model 0.csv")
    assert "more than one file for the model 'model 0'" in refused(candidly)
    (tmp_path / "models" / "model 0.csv").unlink()
    (tmp_path / "models" / "broken.npy").write_bytes(b"no array")
    assert "cannot be read as an array" in refused(candidly)
    (tmp_path / "models" / "broken.npy").unlink()
    (tmp_path / "bad.csv").write_text("label\n" + "cow\n" * 399 + "cat\n")
    err = refused(candidly, "--classes", ",".join(NAMES), files=("--labels", "bad.csv", *FILES[2:]))
    assert "has 'cat' at row 399, which is not among" in err
    assert not list(tmp_path.glob("*.part"))


@pytest.mark.parametrize("as_table", [False, True])
def test_what_people_confirmed_counts_as_seen(candidly, tmp_path, as_table):
    write("leaderboard", tmp_path)
    classes = ",".join(leaderboard.TOPICS)
    of = ("--labels", "test.csv", "--classes", classes) if as_table else ("--into", "test.csv")
    status, _, err = candidly("validate", "--votes", "votes.csv", *of, "--out", "c.csv")
    assert status == 0, err
    shuffled = pl.read_csv("c.csv").sample(fraction=1, shuffle=True, seed=1)
    shuffled.write_csv("shuffled.csv")
    files = ("--labels", "test.csv", "--predictions", "models", "--classes", classes)
    audit = ("--audited", 300, "--audit-errors", 6)
    for table in ("c.csv", "shuffled.csv"):
        found = asked(candidly, "--corrected", table, *audit, files=files)
        assert found["missed"]["unchecked"] == 2000 - len(leaderboard.flagged())
    pl.DataFrame({"checked": [True] * 1000 + [False] * 1000}).write_csv("k.csv")
    found = asked(candidly, "--corrected", "c.csv", "--checked", "k.csv", *audit, files=files)
    assert found["missed"]["unchecked"] < 1000


def test_a_column_of_that_name_with_other_words_says_nothing(candidly, tmp_path):
    write("leaderboard", tmp_path)
    votes = ("--votes", "votes.csv", "--into", "test.csv", "--undecided", "prune")
    candidly("validate", *votes, "--out", "c.csv")
    words = pl.Series("label corrected by", ["confirmed"] * 1000 + ["ann"] * 1000)
    pl.read_csv("c.csv").with_columns(words).write_csv("d.csv")
    classes = ("--classes", ",".join(leaderboard.TOPICS))
    files = ("--labels", "test.csv", "--corrected", "d.csv", "--predictions", "models", *classes)
    found = asked(candidly, "--audited", 300, files=files)
    assert found["missed"]["unchecked"] == 1942


# one version of the labels, one table of models, classes that the labels show


def test_without_corrected_labels_it_is_the_ranking_by_those_that_there_are(candidly, made):
    found = asked(candidly, files=("--labels", "l.npy", "--predictions", "models"))
    same = assess(make_case(made[0], made[0], made[2]), resamples=50)
    assert [s["model"] for s in found["standings"]] == [s.model for s in same.standings]
    for mine, its in zip(found["standings"], same.standings):
        assert mine["rank_original"] == its.rank_original
        assert tuple(mine["range_original"]) == its.range_original
        assert mine["top1"]["original"] == json.loads(json.dumps(its.top1.original.__dict__))
    assert [n["budget"] for n in found["neighbours"]] == [n.budget for n in same.neighbours]
    assert found["secure"] == same.secure
    # and nothing of what nobody knows
    assert {name: found["sizes"][name] for name in "FKCUB"} == dict.fromkeys("FKCUB")
    assert found["prevalence"]["share"] is found["errors"]["share"] is None
    for name in ("crossings", "crossings_original", "orders", "tau", "associations", "corrections"):
        assert found[name] == []


def test_of_one_version_no_word_is_said_of_corrections(candidly, made, tmp_path):
    files = ("--labels", "l.npy", "--predictions", "models")
    status, out, err = candidly("stability", *files, "--resamples", 0, "--html", "p.html")
    assert (status, err) == (0, "wrote p.html\n")
    page = (tmp_path / "p.html").read_text()
    for text in (" ".join(out.split()), page):
        for word in ("prevalence", "pruned", "rossing", "of 0 C", "by corrected labels"):
            assert word not in text
        assert "There is one version of the labels." in text
        assert "Whether the right labels would rank the models so" in text
    assert "no label was changed" not in out


def test_another_correction_needs_one(candidly, made):
    files = ("--labels", "l.npy", "--predictions", "models", "--also", "c.npy")
    said = refused(candidly, files=files)
    assert "--also are put beside the corrected labels, and there are none. Give one" in said


def test_one_table_has_a_column_for_each_model(candidly, made, tmp_path):
    original, corrected, predictions = made
    ids = [f"i{k}" for k in range(len(original))]
    words = np.array([*NAMES, ""])
    whole = {"id": ids, "label": words[original], **{m: words[p] for m, p in predictions.items()}}
    pl.DataFrame(whole).write_csv(tmp_path / "all.csv")
    said = {model: words[p] for model, p in predictions.items()}
    pl.DataFrame({"id": ids, **said}).reverse().write_parquet(tmp_path / "models.parquet")
    pl.DataFrame({"id": ids, **predictions}).reverse().write_csv(tmp_path / "numbers.csv")
    pl.DataFrame({"id": ids, "label": words[corrected]}).write_csv(tmp_path / "c.csv")
    plain = asked(candidly)
    rest = ("--labels", "all.csv", "--corrected", "c.csv", "--predictions")
    for table in ("all.csv", "models.parquet"):  # in any order of rows
        found = asked(candidly, files=(*rest, table))
        assert found["standings"] == plain["standings"]
        assert found["pairs"] == plain["pairs"]
    err = refused(candidly, files=(*rest, "numbers.csv"))
    assert "holds numbers where the labels are names; say with --classes" in err
    found = asked(candidly, "--classes", ",".join(NAMES), files=(*rest, "numbers.csv"))
    assert found["standings"] == plain["standings"]
    one = ("--labels", "all.csv", "--predictions", "all.csv")
    assert asked(candidly, files=one)["versions"] == 1


def test_a_table_of_models_is_refused_where_a_column_is_none(candidly, made, tmp_path):
    rows = {"label": [0, 1, 1], "a": [0, 1, 1], "b": [1, 1, 0], "note": ["x", "y", "z"]}
    pl.DataFrame(rows).write_csv(tmp_path / "all.csv")
    files = ("--labels", "all.csv", "--predictions", "all.csv")
    assert "column 'note', holds names ('x' at row 0)" in refused(candidly, files=files)
    assert asked(candidly, "--drop", "note", files=files)["sizes"]["D"] == 3
    err = refused(candidly, "--drop", "note,b", files=files)
    assert "has 1 column of models" in err


def test_the_classes_are_those_that_labels_show(candidly, made, tmp_path):
    files = write_by_name(tmp_path, made, [f"i{k}" for k in range(400)])
    (tmp_path / "named" / "model 1.parquet").unlink()  # numbers, whose order nobody says
    (tmp_path / "named" / "model 3.csv").unlink()
    plain = asked(candidly, "--classes", ",".join(NAMES), files=files)
    assert asked(candidly, files=files) == plain
    pl.DataFrame({"prediction": ["ant", "bea"] * 200}).write_csv(tmp_path / "named" / "typo.csv")
    err = refused(candidly, files=files)
    assert "has 'bea' at row 1, which is not among the classes" in err
    assert "'bee'" in err


def test_a_budget_is_the_next_items_by_name_and_what_they_settle(candidly, made, tmp_path):
    names = [f"i{k}" for k in range(400)]
    files = (*write_by_name(tmp_path, made, names), "--classes", ",".join(NAMES))
    whole = asked(candidly, "--plan", "all.csv", files=files)
    pairs = [n for n in whole["neighbours"] if n["status"] == "open"]
    budget = sorted(n["to_check"] for n in pairs)[0]
    status, out, _ = candidly(
        "stability", *files, "--plan", "some.csv", "--budget", budget, "--figures", "drawn"
    )
    assert status == 0
    every, some = (pl.read_csv(tmp_path / name) for name in ("all.csv", "some.csv"))
    assert some.equals(every.head(budget))
    assert set(some["id"]) <= set(names)
    assert set(some["label"]) <= set(NAMES)
    first = every.row(0, named=True)
    said = Counter(NAMES[p[first["row"]]] for p in made[2].values())
    told = dict(part.split(" × ") for part in first["models say"].split(", "))
    assert told == {name: str(count) for name, count in said.items()}
    settled = [f"{n['first']} > {n['second']}" for n in pairs if n["to_check"] <= budget]
    assert f"likely to settle {len(settled)} of {len(pairs)} open pairs" in out.replace("\n", " ")
    assert all(pair in out.replace("\n", " ") for pair in settled)
    assert {path.suffix for path in (tmp_path / "drawn").iterdir()} == {".svg", ".pdf", ".png"}
    assert "--plan" in refused(candidly, "--budget", 10, files=files)


def test_what_no_budget_settles_is_said():
    original, corrected, predictions = arrays(models=3, n=200, wrong=20, pruned=0, seed=1)
    case = make_case(original, corrected, predictions)
    plan = checking_plan(case)
    assert all(n.status == "open" for n in plan.neighbours)
    needed = min(n.to_check for n in plan.neighbours if n.to_check is not None)
    assert within_budget(case, plan, 1) == (
        "1 more checked items are likely to settle 0 of 2 open pairs of neighbours; about "
        f"{needed:,} would settle the first."
    )
    truth = np.where(corrected >= 0, corrected, original)
    done = checking_plan(case, truth[plan.items])
    if all(n.status != "open" for n in done.neighbours):
        assert within_budget(case, done, 5).startswith("No pair of neighbours is open")
