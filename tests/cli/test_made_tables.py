"""``labels make`` of a table writes a table: everything in it, and a column of the labels."""

import numpy as np
import openpyxl
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from candidly import from_arrays
from candidly.data import imperfect
from candidly.data.ingest import Roles, read, read_frame
from candidly.data.ingest.made_labels import write_made

SPECS = ["flip:rate=0.3", "uniform", "symmetric:rate=0.4", "pair:rate=0.3", "symmetric:rate=0",
         "complementary"]  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    spec=st.sampled_from(SPECS),
    ending=st.sampled_from([".csv", ".jsonl", ".parquet", ".xlsx"]),
    name=st.sampled_from(["label", "category"]),
    extra=st.lists(st.sampled_from(['a "quoted", text', "=1+1", "", "plain"]), min_size=1),
)
def test_what_is_read_again_is_what_was_made(tmp_path_factory, spec, ending, name, extra):
    folder = tmp_path_factory.mktemp("made")
    n = 30
    frame = pl.DataFrame(
        {
            "x": np.arange(n) / 7,
            name: (["cat", "dog", "eel"] * n)[:n],
            "note": (extra * n)[:n],
        }
    )
    path, out = folder / f"t{ending}", folder / f"out{ending}"
    if ending == ".xlsx":
        book = openpyxl.Workbook()
        for row in (frame.columns, *frame.rows()):
            book.active.append(list(row))
        book.save(path)
    else:
        writers = {".csv": "write_csv", ".jsonl": "write_ndjson", ".parquet": "write_parquet"}
        getattr(frame, writers[ending])(path)
    roles = Roles(truth=name, drop=("note",))
    data = read(path, roles)
    made = imperfect.apply(data, spec)
    column = write_made(path, roles, data, made, out)
    again = read(out, Roles(label=column, truth=name, drop=("note",), label_kind=None))
    assert column == ("candidates" if made.candidates is not None else "given")
    assert np.array_equal(again.truth, made.truth)
    if column == "given":
        assert np.array_equal(again.given, made.given)
    else:
        sets = again.candidates
        if sets is None:  # no set has two labels
            sets = again.given[:, None] == np.arange(3)
        assert np.array_equal(sets, made.candidates)
    before, after = read_frame(path).frame, read_frame(out).frame
    assert after.drop(column).equals(before)
    if ending == ".csv":  # cells that were there stay byte for byte
        lines = zip(path.read_text().splitlines(), out.read_text().splitlines(), strict=True)
        assert all(new.startswith(old.split(",")[0]) for old, new in lines)


@pytest.fixture
def table(candidly, tmp_path):
    names = ["cat", "dog", "eel", "fox"] * 10
    pl.DataFrame({"x": np.arange(40.0), "y": 1.5, "label": names}).write_csv("t.csv")
    from_arrays(np.full((9, 2), 99.0), truth=[0, 1, 2] * 3).save("pool.npz")
    return tmp_path / "t.csv"


def test_the_command_says_how_it_is_read_again(candidly, table):
    status, _, told = candidly("labels", "make", "t.csv", "flip:rate=0.5", "sets.csv", "--truth",
                               "label")  # fmt: skip
    assert status == 0
    assert "(--label candidates --truth label)" in told
    status, told, _ = candidly("data", "describe", "sets.csv", "--label", "candidates", "--truth",
                               "label")  # fmt: skip
    assert "candidates" in told
    status, told, _ = candidly("labels", "make", "t.csv", "pair:rate=0.5", "given.csv", "--truth",
                               "label", "--json")  # fmt: skip
    assert '"column": "given"' in told


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["long-tail:factor=3+symmetric:rate=0.1", "out.csv"],
            "adds or leaves out some",
        ),
        (["hold-out:classes=2+open-set:rate=0.2", "out.csv"], "adds or leaves out some"),
        (["pool:file=pool.npz+open-set:rate=0.2", "out.csv"], "changes rows"),
        (["symmetric:rate=0.1", "out.parquet"], "it must end in .npz or .csv"),
        (["symmetric:rate=0.1", "t.csv"], "and so is NAME_OR_PATH; write to another file"),
    ],
)
def test_refused(candidly, table, words, said):
    status, _, told = candidly("labels", "make", "t.csv", *words, "--truth", "label")
    assert status == 2
    assert said in told
    assert table.read_text().startswith("x,y,label\n0.0,1.5,cat\n")


def test_a_column_that_is_there_stays(candidly, table):
    frame = pl.read_csv(table)
    frame.with_columns(given=pl.col("label")).write_csv(table)
    words = ("t.csv", "symmetric:rate=0.1", "out.csv", "--truth", "label", "--label", "given")
    status, _, told = candidly("labels", "make", *words)
    assert status == 2
    assert "has a column 'given' already" in told
