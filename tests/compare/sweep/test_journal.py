import base64
import dataclasses
import json
import tracemalloc
import zlib

import numpy as np
import pytest

from candidly.compare.sweep.journal import Journal, lines_of, read_records, read_results
from candidly.compare.sweep.lines import parsed, with_checksum
from candidly.compare.sweep.records import (
    MOST_OUTCOMES,
    Record,
    pack_confusion,
    pack_outcomes,
    unpack_confusion,
    unpack_outcomes,
)

RECORD = Record(
    key="k1",
    step=100,
    validation={"CR": 0.5, "AA": None},
    test={"top1": 0.4},
    loss=1.5,
    seconds=2.0,
    memory_bytes=10,
)


def at(step, **changes):
    return dataclasses.replace(RECORD, step=step, **changes)


def test_records_read_back(tmp_path):
    journal = Journal(tmp_path)
    journal.write([at(100), at(200, loss=None, diverged_at=150)])
    journal.close()
    found, notes = read_records(tmp_path)
    assert found["k1"] == {100: at(100), 200: at(200, loss=None, diverged_at=150)}
    assert notes == []


def test_of_repeated_lines_one_counts(tmp_path):
    for loss in (1.5, 9.0):
        journal = Journal(tmp_path)
        journal.write([at(100, loss=loss)])
        journal.close()
    found, _ = read_records(tmp_path)
    assert found["k1"][100].loss == 1.5
    assert len(list(tmp_path.glob("*.jsonl"))) == 2  # never two processes in one file


@pytest.mark.parametrize(
    "damage",
    [
        b'{"schema": 1, "key": "k1", "st',  # torn by a kill
        b"\x00\x00\x00\n",
        b"null\n",
        b'{"schema": 99, "key": "k1"}\n',
        b'{"schema": 1, "key": "k1", "unknown": 3}\n',
        b"\xff\xfe\n",
    ],
)
def test_a_line_that_cannot_be_read_is_skipped_and_said(tmp_path, damage):
    journal = Journal(tmp_path)
    journal.write([at(100)])
    with journal.path.open("ab") as file:
        file.write(damage)
    found, notes = read_records(tmp_path)
    assert found["k1"] == {100: RECORD}
    assert len(notes) == 1
    assert "line 2" in notes[0]


def test_any_changed_character_of_a_line_is_found(tmp_path):
    journal = Journal(tmp_path)
    journal.write([at(100, outcomes=pack_outcomes(np.ones(3)))])
    journal.close()
    line = journal.path.read_bytes()
    for place in range(len(line) - 1):
        for bit in (0, 1, 4):
            changed = bytearray(line)
            changed[place] ^= 1 << bit
            journal.path.write_bytes(changed)
            found, notes = read_records(tmp_path)
            assert (found, len(notes)) == ({}, 1), changed


@pytest.mark.parametrize(
    "changed",
    [
        {"step": "100"},
        {"step": [100]},
        {"key": 5},
        {"validation": [0.5]},
        {"validation": {"CR": "0.5"}},
        {"test": {"top1": float("inf")}},
        {"loss": float("nan")},
        {"memory_bytes": None},
    ],
)
def test_a_line_with_impossible_values_or_without_a_checksum_is_skipped(tmp_path, changed):
    line = json.dumps(dataclasses.asdict(RECORD) | {"schema": 2} | changed)
    bare = json.dumps(dataclasses.asdict(RECORD) | {"schema": 2})
    (tmp_path / "a.jsonl").write_bytes(
        with_checksum(line) + f"{bare}\n".encode() + with_checksum("[" * 100_000)
    )
    found, notes = read_records(tmp_path)
    assert found == {}
    assert "lines 1, 2, 3" in notes[0]


@pytest.mark.parametrize("text", ["hex:0g", "AAAA", "?", 3, ["AAAA"]])
def test_a_line_whose_packed_numbers_are_damaged_is_not_read(text):
    line = json.loads(lines_of([at(100, outcomes=pack_outcomes(np.ones(3)))]))
    assert parsed(with_checksum(json.dumps(without_crc(line)))) is not None
    assert parsed(with_checksum(json.dumps(without_crc(line | {"outcomes": text})))) is None


def test_a_line_that_swells_is_not_read():
    """Packed, 64 MB of zeros are a line of 90 kB."""
    [line] = lines_of([at(100, outcomes=bytes(2**26))]).splitlines()
    assert len(line) < 2**17
    tracemalloc.start()
    assert parsed(line) is None
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**22


def without_crc(line):
    return {name: value for name, value in line.items() if name != "crc32"}


def test_every_line_carries_the_schema_version(tmp_path):
    journal = Journal(tmp_path)
    journal.write([at(100)])
    assert json.loads(journal.path.read_text())["schema"] == 2


def test_nan_never_reaches_the_journal(tmp_path):
    with pytest.raises(ValueError):
        Journal(tmp_path).write([at(100, loss=float("nan"))])


def test_a_directory_without_a_plan_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no results directory"):
        read_results(tmp_path)


def test_outcomes_keep_cr_exactly_and_aa_within_a_step():
    shares = np.array([0.0, 1e-9, 0.2, 0.5, 1.0, 0.99999])
    back = unpack_outcomes(pack_outcomes(shares))
    np.testing.assert_array_equal(back > 0, shares > 0)
    assert np.abs(back - shares).max() <= 1 / 255
    assert pack_outcomes(None) is None
    assert pack_outcomes(np.ones(MOST_OUTCOMES + 1)) is None


def test_confusions_come_back():
    counts = np.random.default_rng(0).poisson(0.4, (300, 300))
    for table in (counts[:7, :7] + np.eye(7, dtype=int), counts[:100, :100]):
        text = pack_confusion(table)
        assert np.array_equal(unpack_confusion(text), table)
    assert pack_confusion(counts) is None  # too many cells for a line
    assert pack_confusion(np.zeros((2, 2), int)) is None
    assert pack_confusion(None) is None


def test_a_line_without_given_labels_is_as_it_always_was():
    plain = json.loads(lines_of([RECORD]))
    assert "confusion" not in plain
    text = pack_confusion(np.eye(2, dtype=int))
    told = json.loads(lines_of([dataclasses.replace(RECORD, confusion=text)]))
    assert zlib.decompress(base64.b64decode(told.pop("confusion"))) == text
    assert {**told, "crc32": ""} == {**plain, "crc32": ""}
