"""Answers in parts: the same answers however they are cut, and what is refused by name."""

import gzip
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from candidly import crowd
from candidly.data.ingest import Roles

from simulated_crowd import as_rows, matrices, simulated

M, N = 3, 60
CLASSES = ("cat", "dog", "emu")


@pytest.fixture(scope="module")
def table():
    """Answers with names, and items 3 and 4 that were asked about in vain: a frame of text."""
    _, answers = simulated(N, matrices(7, M, 2), 4, 2)
    rows = [(f"p{i}", f"w{who}", CLASSES[k]) for i, who, k in as_rows(answers) if i not in (3, 4)]
    rows += [("p3", None, None), ("p4", None, None)]
    return pl.DataFrame(rows, schema=["item", "annotator", "label"], orient="row")


@pytest.fixture(scope="module")
def whole(table):
    said = table.drop_nulls()
    items = sorted(table["item"].unique().to_list())
    return crowd.Answers.from_columns(*said, items=items)


def cut(table, folder, number, write, seed=0, name="part-{}"):
    """Rows in any order, in ``number`` parts, some of which may be far smaller than others."""
    folder.mkdir()
    mixed = table.sample(len(table), shuffle=True, seed=seed)
    at = np.sort(np.random.default_rng(seed).integers(1, len(table), number - 1))
    bounds = [0, *np.unique(at).tolist(), len(table)]
    for k, (start, stop) in enumerate(pairwise(bounds)):
        write(mixed[start:stop], folder / name.format(k))


def as_csv(frame, path):
    frame.write_csv(f"{path}.csv")


def as_parquet(frame, path):
    frame.write_parquet(f"{path}.parquet")


def as_lines(frame, path):
    frame.write_ndjson(f"{path}.jsonl")


def as_packed(frame, path):
    with gzip.open(f"{path}.csv.gz", "wb") as file:
        frame.write_csv(file)


def same(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("item", "annotator", "label", "items", "annotators", "classes")
    )


@pytest.mark.parametrize("write", [as_csv, as_parquet, as_lines, as_packed])
def test_they_are_one_table_however_they_are_cut(table, whole, tmp_path, write):
    for number in (1, 3, 12):
        cut(table, tmp_path / f"{number}", number, write, seed=number)
        assert same(crowd.read_answers(tmp_path / f"{number}"), whole), number
    parts = list((tmp_path / "12").iterdir())
    assert same(crowd.read_answers(parts[::-1]), whole)
    assert same(crowd.read_answers([str(part) for part in parts]), whole)


def test_a_table_is_read_as_before(table, whole, tmp_path):
    as_csv(table, tmp_path / "all")
    assert same(crowd.read_answers(tmp_path / "all.csv"), whole)
    assert crowd.read_answers(tmp_path / "all.csv", classes=[*CLASSES, "fox"]).m == 4


def test_numbers_are_numbers_where_all_parts_have_them(tmp_path):
    """07 in one part makes all items names: a part alone would have said otherwise."""
    for name, rows in {"a": [("1", 0), ("2", 1)], "b": [("07", 1), ("1", 1)]}.items():
        frame = pl.DataFrame(rows, schema=["item", "label"], orient="row")
        as_csv(frame.with_columns(annotator=pl.lit(name)), tmp_path / name)
    assert crowd.read_answers(tmp_path).items.tolist() == ["07", "1", "2"]
    (tmp_path / "b.csv").write_text("item,annotator,label\n7,b,1\n1,b,1\n")
    assert crowd.read_answers(tmp_path).items.tolist() == [1, 2, 7]


def test_roles_name_the_columns_of_all_parts(table, whole, tmp_path):
    other = table.rename({"item": "x", "annotator": "who", "label": "said"})
    cut(other.with_columns(y=pl.lit("a")), tmp_path / "p", 3, as_csv)
    roles = Roles(item="x", annotator="who", label="said", drop=("y",))
    assert same(crowd.read_answers(tmp_path / "p", roles=roles), whole)


def test_processes_read_them_too(table, tmp_path):
    cut(table, tmp_path / "p", 5, as_csv)
    part(tmp_path / "p", "part-9.csv", "p1,jürgen,cat\n", "latin-1")
    with pytest.warns(UserWarning, match="read as cp1252") as here:
        first = crowd.read_answers(tmp_path / "p")
    with pytest.warns(UserWarning, match="read as cp1252") as there:
        found = crowd.read_answers(tmp_path / "p", on="processes", workers=2)
    assert same(found, first)
    assert "jürgen" in found.annotators
    assert [str(one.message) for one in here] == [str(one.message) for one in there]
    assert f"{tmp_path}/p/part-9.csv" in str(here[0].message)
    part(tmp_path / "p", "part-1.csv", "p1,,cat\n")
    with pytest.raises(ValueError, match=r"part-1.csv: column 'annotator' is empty at row 0"):
        crowd.read_answers(tmp_path / "p", on="processes", workers=2)


@pytest.mark.slow
def test_a_cluster_reads_them_too(table, whole, tmp_path):
    pytest.importorskip("ray")
    cut(table, tmp_path / "p", 5, as_parquet)
    assert same(crowd.read_answers(tmp_path / "p", on="ray", workers=2), whole)
    (tmp_path / "p" / "part-2.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ValueError, match=r"part-2.parquet: it is no Parquet file, or a damaged"):
        crowd.read_answers(tmp_path / "p", on="ray", workers=2)


def test_they_may_lie_at_an_address(table, whole, tmp_path):
    fsspec = pytest.importorskip("fsspec")
    cut(table, tmp_path / "p", 4, as_parquet)
    system = fsspec.filesystem("memory")
    system.put(str(tmp_path / "p"), "/answers-of-test", recursive=True)
    try:
        assert same(crowd.read_answers("memory://answers-of-test"), whole)
        system.pipe("/answers-of-test/part-1.parquet", b"PAR1 and no more")
        with pytest.raises(ValueError, match=r"^memory://\S*/part-1.parquet: it is no Parquet f"):
            crowd.read_answers("memory://answers-of-test")
        with pytest.raises(FileNotFoundError, match="memory://nowhere does not exist"):
            crowd.read_answers("memory://nowhere")
    finally:
        system.rm("/answers-of-test", recursive=True)


def part(folder, name, text, encoding="utf-8"):
    (folder / name).write_text("item,annotator,label\n" + text, encoding)
    return folder / name


def refused(place, error=ValueError):
    with pytest.raises(error) as caught:
        crowd.read_answers(place)
    return str(caught.value)


def test_two_answers_of_one_person_are_named_by_part_and_row(tmp_path):
    part(tmp_path, "part-10.csv", "x1,ann,cat\nx2,ann,dog\n")
    part(tmp_path, "part-2.csv", "x0,,\nx5,bob,cat\nx2,ann,cat\n")  # a row without an answer
    assert (
        f"'ann' answers item x2 twice, in rows 2 of {tmp_path}/part-2.csv and 1 of"
        f" {tmp_path}/part-10.csv. Keep one" in refused(tmp_path)
    )
    part(tmp_path, "part-10.csv", "x1,ann,cat\nx3,ann,cat|dog\n")
    assert f"`label` has 'cat|dog' at row 1 of {tmp_path}/part-10.csv" in refused(tmp_path)
    part(tmp_path, "part-10.csv", "x1,ann,cat\nx3,ann,emu\n")
    with pytest.raises(
        ValueError, match=r"`label` has 'emu' at row 1 of \S+/part-10.csv, which is"
    ):
        crowd.read_answers(tmp_path, classes=["cat", "dog"])
    # within a single table, too, rows without an answer count
    single = part(tmp_path, "single.csv", "x0,,\nx1,ann,cat\nx1,ann,dog\n")
    assert "in rows 1 and 2. Keep one" in refused(single)


def test_what_is_no_whole_set_of_parts_is_refused(tmp_path):
    assert "holds no .parquet or .csv" in refused(tmp_path)
    assert "there is no part" in refused([])
    one = part(tmp_path, "part-1-of-3.csv", "x1,ann,cat\n")
    three = part(tmp_path, "part-3-of-3.csv", "x3,ann,dog\n")
    assert "lacks 1 of 3 parts" in refused(tmp_path)
    two = tmp_path / "part-2-of-3.csv"
    assert f"there is no file {two}" in refused([one, two, three], FileNotFoundError)
    assert f"{one} is listed twice" in refused([one, three, one])
    two.symlink_to(one)
    assert f"{one} and {two} are the same part; keep one" in refused(tmp_path)
    two.unlink()
    two.write_text("")
    assert f"{two} is empty" in refused(tmp_path)
    two.write_text("item,annotator,label\nx1,bob,cat\nx2,bo")  # cut off
    assert f"{two}: line 3 has 2 cells" in refused(tmp_path)
    for folder in ("1", "2"):
        (tmp_path / folder).mkdir()
    named = (
        part(tmp_path / "1", "a.csv", "x1,ann,cat\n"),
        part(tmp_path / "2", "a.csv", "x1,b,dog\n"),
    )
    assert len(crowd.read_answers(named)) == 2  # of one name, and not the same
    pl.DataFrame({"item": ["a"]}).write_parquet(tmp_path / "1" / "a.parquet")
    assert f"{named[0]} and {tmp_path}/1/a.parquet are the same part" in refused(tmp_path / "1")


def test_a_part_that_is_cut_off_is_refused(table, tmp_path):
    for write, name in ((as_parquet, "part-1.parquet"), (as_packed, "part-1.csv.gz")):
        cut(table, tmp_path / name, 3, write)
        damaged = tmp_path / name / name
        damaged.write_bytes(damaged.read_bytes()[:-20])
        assert str(damaged) in refused(tmp_path / name)
    cut(table, tmp_path / "lines", 3, as_lines)
    damaged = tmp_path / "lines" / "part-2.jsonl"
    damaged.write_bytes(damaged.read_bytes()[:-9])
    assert f"{damaged}: line" in refused(tmp_path / "lines")


def test_a_part_with_other_columns_is_refused(table, tmp_path):
    cut(table, tmp_path / "p", 3, as_csv)
    one, two = tmp_path / "p" / "part-0.csv", tmp_path / "p" / "part-1.csv"
    text = two.read_text()
    two.write_text("item,annotator,answer,ms\nx,ann,cat,7\n")
    assert (
        f"{two} has other columns than {one}: it lacks label and has answer, ms besides"
        in refused(tmp_path / "p")
    )
    two.write_text("item,annotator,category\nx,ann,cat\n")
    assert f"{two}: it has no column 'label', but item, annotator, category" in refused(
        tmp_path / "p"
    )
    two.write_text(text.replace("item,annotator,label", "label,annotator,item", 1))
    assert refused(tmp_path / "p")  # the same columns in another order are read by their names
    two.unlink()
    table[:9].with_columns(label=pl.lit(1)).write_parquet(two.with_suffix(".parquet"))
    assert f"column 'label' holds text in {one} and numbers in" in refused(tmp_path / "p")


def test_parquet_parts_may_differ_in_the_width_of_numbers(tmp_path):
    for k, kind in enumerate((pl.Int8, pl.UInt32, pl.Int64)):
        rows = {"item": [1, 2, 3], "annotator": [k] * 3, "label": [0, 1, k]}
        pl.DataFrame(rows).cast(kind).write_parquet(tmp_path / f"{k}.parquet")
    nothing = pl.DataFrame({"item": [4], "annotator": [None], "label": [None]})
    nothing.write_parquet(tmp_path / "3.parquet")
    found = crowd.read_answers(tmp_path)
    assert (found.n, found.annotators, found.classes) == (4, ("0", "1", "2"), ("0", "1", "2"))
    assert found.per_item.tolist() == [3, 3, 3, 0]
