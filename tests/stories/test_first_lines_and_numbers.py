"""Files as programs leave them: without names of columns, and with numbers as people write."""

from __future__ import annotations

import json
import random


def flowers() -> str:
    """Rows without a line of names, as many public tables are."""
    draw = random.Random(0)
    lines = []
    for row in range(90):
        kind = ("setosa", "virginica")[row % 2]
        size = draw.gauss(1.5 if kind == "setosa" else 5.5, 0.3)
        lines.append(f"{size:.2f},{draw.gauss(3, 0.3):.2f},Iris-{kind}")
    return "\n".join(lines) + "\n"


def test_a_table_without_names_is_told_and_then_read(typed, tmp_path):
    (tmp_path / "iris.data.csv").write_text(flowers())
    status, _, err = typed("candidly check iris.data.csv --label class")
    assert status == 2
    assert "looks like data" in err
    assert "--header no" in err
    status, out, err = typed("candidly check iris.data.csv --header no --label column_3 --json")
    assert status == 0, err
    told = json.loads(out)
    assert told["rows"] == 90  # none was lost
    assert told["classes"] == ["Iris-setosa", "Iris-virginica"]
    assert max(told["accuracies"].values()) > 0.95


def test_a_german_table_of_prices(typed, tmp_path):
    draw = random.Random(0)
    lines = ["gekauft;preis;rabatt;art"]
    for row in range(120):
        art = ("rad", "auto")[row % 2]
        price = draw.gauss(800 if art == "rad" else 15000, 100)
        text = f"{price:,.2f}".translate({44: ".", 46: ","})
        lines.append(f"{draw.randint(1, 28)}.0{draw.randint(1, 9)}.24;{text} €;{row % 7} %;{art}")
    (tmp_path / "preise.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    status, out, err = typed("candidly check preise.csv --label art --json")
    assert status == 0, err
    told = json.loads(out)
    as_what = {one["column"]: one["as"] for one in told["read as"]}
    assert as_what == {"gekauft": "date", "preis": "number", "rabatt": "number", "art": "label"}
    assert max(told["accuracies"].values()) > 0.95
    (tmp_path / "preise.csv").write_text("\n".join([*lines, "3.4.2024;12,50 €;1 %;rad"]) + "\n")
    status, _, err = typed("candidly check preise.csv --label art")
    assert status == 2
    assert "'3.4.2024' at row 120" in err
