"""The page on MMLU-Redux is what the committed numbers say, and these are what the data say."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from studies.mmlu_redux import __main__ as study  # studies/mmlu_redux

from committed import needs_results


@needs_results
def test_the_page_is_what_the_committed_numbers_say():
    assert study.PAGE.read_text() == study.page(json.loads(study.RESULTS.read_text()))


@pytest.mark.slow
@pytest.mark.skipif("CANDIDLY_DATA" not in os.environ, reason="needs the real files")
def test_the_numbers_are_what_the_data_say(monkeypatch, tmp_path):
    monkeypatch.setattr(study, "FIGURE", tmp_path / "figure.svg")
    found = json.loads(json.dumps(study.measure(Path(os.environ["CANDIDLY_DATA"]))))
    committed = json.loads(study.RESULTS.read_text())
    close = pytest.approx(committed.pop("least_visible")), pytest.approx(committed.pop("slices_p"))
    assert (found.pop("least_visible"), found.pop("slices_p")) == close
    for one in (found, committed):
        one["by_subject"].pop("least_visible")
    assert found == committed
