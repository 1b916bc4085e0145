"""What stands in bold: the highest mean where it is beyond chance, or, as in papers, always."""

from __future__ import annotations

import pytest

from candidly.compare.report import accuracy_tables
from compare.report.fake_results import make_results


def in_bold(document):
    return [line for line in document.render("markdown").splitlines() if "**" in line]


def test_papers_rule_marks_the_highest_mean_of_every_column():
    results = make_results(configs=2, splits=3)
    shown, highest = (
        accuracy_tables(results, criteria=["CR"], choices=False, bold=bold)
        for bold in ("shown", "highest")
    )
    table = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in highest.render("markdown").splitlines()
        if line.startswith("| ") and "(3)" in line and "truth)" not in line and "upper" not in line
    ]
    for column in range(1, len(table[0])):
        means = [float(row[column].strip("*").split()[0]) for row in table]
        bold = [row[column].startswith("**") for row in table]
        assert sum(bold) >= 1  # rounded means may be level and not be so
        assert all(mean == max(means) for mean, best in zip(means, bold) if best)
    assert len(in_bold(shown)) <= len(in_bold(highest))
    assert "whether or not it is beyond chance" in highest.render("markdown")
    assert "whether or not" not in shown.render("markdown")


def test_another_rule_is_refused():
    with pytest.raises(ValueError, match="`bold` is 'best'; choose shown or highest"):
        accuracy_tables(make_results(configs=1, splits=2), bold="best")
