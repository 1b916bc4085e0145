"""Numbers and dates as people write them: read rightly, or refused with the row."""

from __future__ import annotations

from datetime import date, datetime, time

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import candidly
from candidly.data.inputs import parsed


def read(*cells: str | None) -> list:
    return parsed(pl.DataFrame({"x": pl.Series(cells, dtype=pl.String)}))["x"].to_list()


@pytest.mark.parametrize(
    ("cells", "want"),
    [
        (("1.234,5", "1.234", "12"), [1234.5, 1234.0, 12.0]),  # German
        (("1.234.567", "987", "1,5"), [1234567.0, 987.0, 1.5]),
        (("1'234.50", "12", "1’000’000"), [1234.5, 12.0, 1e6]),  # Swiss
        (("1,000.49", "2,500", "3"), [1000.49, 2500.0, 3.0]),
        (("1,5", "2,25", "1,234"), [1.5, 2.25, 1.234]),  # proven by the others
        (("0,125", "1,250", None), [0.125, 1.25, None]),
        (("1 234,5", "12\u00a0000", "?"), [1234.5, 12000.0, None]),
        (("€ 1.234,50", "12,00 €", "-€3,5"), [1234.5, 12.0, -3.5]),
        (("CHF 1'200.50", "12.-", "CHF 3"), [1200.5, 12.0, 3.0]),
        (("$1,200", "$15.5", "n/a"), [1200.0, 15.5, None]),
        (("12 %", "3.5%", "100%"), [12.0, 3.5, 100.0]),
        (("−1,5", "+2,5"), [-1.5, 2.5]),
        (("00501", "1,5"), ["00501", "1,5"]),  # codes
        (("192.168.0.1", "10.0.0.1"), ["192.168.0.1", "10.0.0.1"]),
    ],
)
def test_numbers(cells, want):
    assert read(*cells) == want


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (("1,234", "5,678"), "'1,234' at row 0, which is a thousand or so"),
        (("7", None, "5,678"), "'5,678' at row 2"),
        (("1.234,5", "1,234.5"), "'1,234.5' at row 1, and '1.234,5' at row 0"),
        (("1,5", "2.5"), "'2.5' at row 1, and '1,5' at row 0"),
        (("1,234,567", "1,5"), "'1,5' at row 1"),
        (("12%", "13"), "'13' at row 1, and others with or without percent"),
        (("€1,50", "$1,50"), r"'\$1,50' at row 1, and € elsewhere"),
    ],
)
def test_what_can_be_read_in_two_ways_names_its_row(cells, told):
    with pytest.raises(ValueError, match=told):
        read(*cells)


def test_thousands_beside_small_numbers(tmp_path):
    """987 and 1.234: read as 987 and 1.234, these were a thousand times too small."""
    path = tmp_path / "t.csv"
    path.write_text("x;label\n987;a\n1.234;b\n12.500;a\n")
    with pytest.raises(ValueError, match=r"'1.234' at row 1, which is a thousand or so"):
        candidly.read(path)
    path.write_text("x;label\n987;a\n1.234;b\n12.500,00;a\n")
    assert candidly.read(path).inputs.ravel().tolist() == [987, 1234, 12500]


def test_a_few_words_among_written_numbers_are_refused_with_the_row(tmp_path):
    cells = [f"1.{k:03},5" for k in range(100)]
    cells[7] = "unknown"
    frame = pl.DataFrame({"x": cells, "label": ["a", "b"] * 50})
    frame.write_csv(tmp_path / "t.csv", separator=";")
    with pytest.raises(ValueError, match="holds numbers but for 1 cell, such as 'unknown' at row"):
        candidly.read(tmp_path / "t.csv")


@settings(deadline=None)
@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=20),
    st.sampled_from([(",", "."), (".", ","), (".", "'"), (",", " "), (",", "\u202f")]),
)
def test_every_convention_gives_the_same_numbers(hundredths, marks):
    decimal, thousands = marks
    texts = [f"{one / 100:,.2f}".translate({44: thousands, 46: decimal}) for one in hundredths]
    assert read(*texts) == pytest.approx([one / 100 for one in hundredths])


@pytest.mark.parametrize(
    ("cells", "want"),
    [
        (("31.05.24", "01.02.99", None), [date(2024, 5, 31), date(1999, 2, 1), None]),
        (("31/05/2024", "01/02/2024"), [date(2024, 5, 31), date(2024, 2, 1)]),
        (("05/31/2024", "01/02/2024"), [date(2024, 5, 31), date(2024, 1, 2)]),
        (("03/03/2024", "31/05/24"), None),
        (("2024-05-31T10:00:00Z", "2024-05-31T10:00:00+02:00"),
         [datetime(2024, 5, 31, 10), datetime(2024, 5, 31, 8)]),
        (("2024-05-31 10:00:00+0200", "2024-06-01 01:00:00-05:00"),
         [datetime(2024, 5, 31, 8), datetime(2024, 6, 1, 6)]),
        (("31.05.2024 10:30", "01.06.2024 00:00"),
         [datetime(2024, 5, 31, 10, 30), datetime(2024, 6, 1)]),
    ],
)  # fmt: skip
def test_dates(cells, want):
    if want is None:
        with pytest.raises(ValueError, match="dates of two kinds"):
            read(*cells)
        return
    whole = [one and datetime.combine(one, getattr(one, "time", time)()) for one in want]
    assert read(*cells) == whole


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (("01/02/2024", "03/04/2024"), "'01/02/2024' at row 0, and no cell says whether the day"),
        (("31/05/2024", "05/31/2024"), "'05/31/2024' at row 1, and '31/05/2024' at row 0"),
        (
            ("31.05.2024", "31.05.24"),
            "'31.05.24' at row 1, and '31.05.2024' at row 0: dates",
        ),
        (("2024-05-31T10:00:00Z", "2024-05-31T10:00:00"), "at row 1.*dates of two kinds"),
    ],
)
def test_dates_that_can_be_read_in_two_ways_name_their_row(cells, told):
    with pytest.raises(ValueError, match=told):
        read(*cells)
