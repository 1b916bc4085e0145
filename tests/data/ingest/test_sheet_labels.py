"""What stands below a picture of a contact sheet."""

from __future__ import annotations

import numpy as np

from candidly.data.ingest.contact_sheet import SIDE, SMALL, SheetPicture, _font, _lines


def test_long_labels_are_cut_and_counted():
    font = _font(SMALL)
    names = tuple(f"class{k}" for k in range(30))
    lines = _lines(SheetPicture(np.zeros((4, 4), np.uint8), names), font)
    assert len(lines) == 3
    assert all(font.getlength(line) <= SIDE for line in lines)
    *shown, more = ", ".join(lines).replace(" +", ", +").split(", ")
    assert int(more) == 30 - len(shown)
    assert tuple(shown) == names[: len(shown)]
    (line,) = _lines(SheetPicture(np.zeros((4, 4), np.uint8), ("a" * 100,)), font)
    assert line.endswith("…")
    assert font.getlength(line) <= SIDE
