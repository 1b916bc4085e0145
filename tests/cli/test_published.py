"""Published tables: whole, as typed, and as a side to compare."""

from __future__ import annotations

import json
import math
import os
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from candidly.compare.published import TABLES, criteria_of, read, result_set
from candidly.data.sources import SOURCES
from candidly.ground.names import same
from candidly.ground.spec import halves
from candidly.learn.algorithms import ALGORITHMS

from needs import real_files

PLENCH = [name for name in TABLES if name.startswith("plench")]
OF_MEANS = [name for name, table in TABLES.items() if table.means]
CRITERIA = ("CR", "AA:plench", "OA", "OA & ES")


def test_the_benchmark_has_its_1136_cells():
    """Thirteen tables: 26 algorithms of pictures and 20 of tables, by four criteria each."""
    frames = {name: read(name) for name in PLENCH}
    assert sum(map(len, frames.values())) == 1136
    for name, frame in frames.items():
        algorithms = set(frame["algorithm"])
        assert len(algorithms) == (26 if frame["network"][0] != "MLP" else 20), name
        assert set(frame.select("algorithm", "criterion").iter_rows()) == {
            (algorithm, criterion) for algorithm in algorithms for criterion in CRITERIA
        }
        assert len(frame) == 4 * len(algorithms)
        assert algorithms <= set(ALGORITHMS), name
        assert criteria_of(name) == CRITERIA


@pytest.mark.parametrize("name", OF_MEANS)
def test_every_number_is_a_percentage_of_a_known_data_set(name):
    frame, table = read(name), TABLES[name]
    for column in table.means.values():
        values = frame[column].cast(pl.Float64)
        assert values.is_between(0, 100).all()
        assert values.null_count() == 0
    if "spread" in frame:
        spreads = frame["spread"].drop_nulls().cast(pl.Float64)
        assert spreads.is_between(0, 25).all()
        assert table.spread
    for dataset in frame["dataset"].unique():
        assert same(SOURCES, halves(dataset)[0]), dataset
    places = [frame[c] for c in ("dataset", "algorithm", "criterion") if c in frame]
    assert max(Counter(zip(*places)).values()) == 1, "one number a place"


@pytest.mark.parametrize("name", TABLES)
def test_every_table_says_where_it_is_from(name):
    table = TABLES[name]
    assert len(read(name)) > 3
    assert "20" in table.paper
    assert table.place
    stated = bool(table.chosen) or "criterion" in read(name)
    assert stated == bool(table.means)


def test_a_number_by_hand():
    """Table 7: PRODEN, chosen by CR, 71.33 ± 2.45, the population's deviation over root 5."""
    entry = result_set("plench-7", ["CR"]).entries["CR", "lost", "PRODEN"]
    assert (entry.mean, entry.splits) == (pytest.approx(0.7133), 5)
    assert entry.error == pytest.approx(0.0245 * math.sqrt(5) / math.sqrt(4))
    best = result_set("cifarn-published", ["NVA", "OA & ES"])
    one, other = (best.entries[rule, "cifar10n-worst", "CE"] for rule in ("NVA", "OA & ES"))
    assert one == other
    assert best.chosen == "the best epoch on the test rows"
    assert one.error is None  # over how many is not said


def test_what_a_table_lacks_is_refused_by_name():
    with pytest.raises(ValueError, match=r"published:plench-7, Lost, MLP, has no top5, but top1\."):
        result_set("plench-7", ["CR"], "top5")
    with pytest.raises(ValueError, match="it is a table of counts"):
        result_set("label-errors-1", ["CR"])
    with pytest.raises(KeyError, match="did you mean 'plench-7'"):
        result_set("plench-77", ["CR"])


@real_files
def test_they_are_as_others_typed_them():
    """A second copy of the numbers, typed by others."""
    folder = Path(os.environ["CANDIDLY_DATA"]).parent / "reference"
    if not folder.exists():
        pytest.skip("needs the real files (the folder reference beside CANDIDLY_DATA)")
    theirs = pl.read_csv(folder / "plench_tables.csv", infer_schema=False)
    ours = pl.concat([read(name) for name in PLENCH])
    assert ours["mean"].to_list() == theirs["mean"].to_list()
    assert ours["spread"].to_list() == theirs["std"].to_list()
    theirs = pl.read_csv(folder / "noisywikihow_tables.csv", infer_schema=False)
    ours = pl.concat([read(name) for name in TABLES if name.startswith("noisywikihow")])
    for column in ("top1", "top5"):
        assert sorted(ours[column]) == sorted(theirs[column])


def test_the_shell_shows_and_compares_them(candidly, tmp_path):
    status, out, _ = candidly("bench", "published", "--format", "json")
    assert status == 0
    assert [row["name"] for row in json.loads(out)] == list(TABLES)
    status, out, _ = candidly("bench", "published", "plench-7", "--format", "csv")
    (tmp_path / "lost.csv").write_text(out)
    assert len(pl.read_csv(tmp_path / "lost.csv")) == 80
    status, out, _ = candidly(
        "bench", "compare", "lost.csv", "published:plench-7", "--format", "json"
    )
    rows = json.loads(out)["rows"]
    assert len(rows) == 80, "by the criteria of the published table, though nobody named them"
    assert all(row["difference"] == 0 for row in rows)
    status, _, err = candidly("bench", "compare", "lost.csv", "published:plench-8")
    assert (status, "did you mean 'plench-7'" in err or "did you mean" in err) == (2, True)
    assert candidly("bench", "published", "plench-7", "--format", "pdf")[0] == 2


def test_a_table_that_states_no_criterion_is_said_to(candidly, tmp_path):
    """It is not put under one that nobody named, whatever the other side is chosen by."""
    (tmp_path / "own.csv").write_text("algorithm,dataset,mean\nCC,lost,70\nLWS,lost,71\n")
    words = "bench", "compare", "own.csv", "published:plench-7", "--criterion", "CR"
    _, out, _ = candidly(*words)
    assert "lost, A not stated, B chosen by CR" in out
    assert "own.csv does not say what chose its models" in " ".join(out.split())
    _, out, _ = candidly("bench", "compare", "own.csv", "own.csv")
    assert "what chose is not stated" in out
    assert "chosen by" not in out
    _, out, _ = candidly(
        "bench", "compare", "published:cifarn-published", "published:cifarn-selected"
    )
    told = "A chosen by the best epoch on the test rows, B chosen by the best epoch on a twentieth"
    assert told in " ".join(out.split())
