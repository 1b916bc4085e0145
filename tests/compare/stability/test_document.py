"""The page, text and figures of a stability report: whole, escaped, the same numbers."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from candidly.compare.stability import assess, make_case
from candidly.compare.stability import figures as figures
from candidly.compare.stability.document import (
    grids,
    stability_document,
)
from candidly.ground.names import UnknownName
from candidly.show.words import short_names
from compare.report.test_report_page import Outline

from stability_cases import arrays, probabilities


def report_of(models=5, **options):
    original, corrected, predictions = arrays(models=models, n=600, wrong=60, seed=3)
    return assess(make_case(original, corrected, predictions), resamples=100, **options)


@pytest.fixture(scope="module")
def report():
    return report_of()


@pytest.fixture(scope="module")
def page(report):
    return stability_document(report).page()


def text_of(page):
    return " ".join(" ".join(Outline(page).texts).split())


def test_the_page_is_whole_self_contained_and_the_same_twice(report, page, tmp_path):
    outline = Outline(page)
    assert not [link for link in outline.links if not link.startswith("#")]
    assert "script" not in outline.tags
    assert "@import" not in page
    assert len(outline.ids) == len(set(outline.ids))
    stability_document(report).write(tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text() == page  # drawn again


def test_the_verdict_comes_first(report, page):
    assert f"<h1>{report.verdict}</h1>" in page
    assert stability_document(report).render(width=1000).startswith(report.verdict)


def test_page_text_and_json_have_the_same_numbers(report, page):
    page, text = text_of(page), stability_document(report).render(width=1000)
    text = " ".join(text.split())
    for grid in grids(report).values():
        for row in grid.texts():
            assert " ".join(row) in page
            assert " ".join(row) in text
    whole = json.loads(json.dumps(report.as_dict()))
    first = whole["standings"][0]["top1"]["corrected"]
    assert f"{100 * first['share']:.2f} ({100 * first['low']:.2f} to" in page
    assert f"{100 * whole['crossings'][-1]['prevalence']:.1f}" in page
    for neighbour in whole["neighbours"]:
        assert f"{neighbour['first']} > {neighbour['second']} {neighbour['lead']}" in page
    assert f"{whole['missed']['unchecked']} items" in page


def test_an_audit_is_told():
    found = report_of(audited=100)
    bound = round(found.missed.bound)
    assert f"up to {bound} may have one" in stability_document(found).render(width=1000)
    assert "≤" in grids(found)["neighbours"].texts()[0][4]


def test_other_corrections_are_a_table_only_when_there_are_some(report):
    assert not grids(report)["corrections"].rows
    original, corrected, _ = arrays(models=5, n=600, wrong=60, seed=3)
    stricter = np.where(corrected == original, original, -1)
    found = grids(report_of(corrections={"T=5": stricter}))["corrections"]
    assert [row[0] for row in found.rows] == ["this correction", "T=5"]
    assert found.texts()[1][1:3] == ["0", "70"]


def test_top_five_is_a_table_only_with_probabilities(report):
    assert not grids(report)["top5"].rows
    original, corrected, predictions = arrays()
    models = {name: probabilities(p) for name, p in predictions.items()}
    found = assess(make_case(original, corrected, models), resamples=0)
    rows = grids(found)["top5"].texts()
    assert len(rows) == 4
    top = found.standings[0]
    assert rows[0][1] == f"{100 * top.top1.changed_original.share:.2f}"
    assert rows[0][5:9] == list(map(str, top.ranks_changed))


def test_without_changed_items_there_are_no_lines():
    original, _, predictions = arrays()
    found = assess(make_case(original, original, predictions), resamples=0)
    assert "no line can be drawn" in text_of(stability_document(found).page())
    with pytest.raises(ValueError, match="needs changed items"):
        figures.prevalence_figure(found)


def test_what_people_wrote_is_escaped():
    evil = "<script>alert('x')</script>&\"'"
    original, corrected, predictions = arrays()
    models = {evil + name: p for name, p in predictions.items()}
    found = assess(make_case(original, corrected, models), resamples=0)
    page = stability_document(found, read={"labels": evil}).page()
    assert "script" not in Outline(page).tags
    assert evil in "".join(Outline(page).texts)
    bold = {"[bold]" + name: p for name, p in predictions.items()}
    assert (
        "[bold]"
        in stability_document(assess(make_case(original, corrected, bold), resamples=0)).render()
    )


@pytest.mark.parametrize("which", figures.RANKS)
def test_slopes_name_every_model_on_both_sides(report, which):
    svg = figures.rank_figure(report, which)
    for s in report.standings:
        old, new = figures.RANKS[which].ranks(s)
        assert f"{s.model}  {old}<" in svg
        assert f"{new}  {s.model}<" in svg
    assert "<title" in svg
    assert "<desc" in svg
    with pytest.raises(UnknownName, match="did you mean 'cleaned'"):
        figures.rank_figure(report, "cleand")


@pytest.mark.parametrize("labels", figures.SIDES)
def test_lines_have_both_axes_and_the_note(report, labels):
    svg = figures.prevalence_figure(report, labels)
    for words in ("share of benign items removed", "mixture weight", "prevalence of wrong labels"):
        assert words in svg
    assert figures.BIAS.split(",")[0] in svg
    for s in report.standings:
        assert f">{s.model}<" in svg


def test_the_axis_of_removed_items_is_where_it_should_be(report):
    drawing = figures.prevalence_drawing(report, "corrected", until=0.8)
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.subplots()
    drawing.draw(axes)
    top = next(a for a in figure.axes if "removed" in a.get_xlabel())
    c = report.prevalence.share
    assert len(top.get_xticks()) > 3
    for place, label in zip(top.get_xticks(), top.get_xticklabels()):
        left = (1 - float(label.get_text()) / 100) * (1 - c)
        assert place == pytest.approx(100 * c / (c + left))
    first = report.standings[0].top1
    line = axes.lines[0]
    assert line.get_ydata()[0] == pytest.approx(100 * first.corrected.share)
    at = line.get_xdata()[-1] / 100
    expected = (1 - at) * first.benign.share + at * first.changed_corrected.share
    assert line.get_ydata()[-1] == pytest.approx(100 * expected)
    for until in (0.01, 1.2):
        with pytest.raises(ValueError, match="`until` is"):
            figures.prevalence_figure(report, until=until)


@pytest.mark.parametrize("models", [8, 34])
def test_names_never_touch(models):
    rng = np.random.default_rng(0)
    original, corrected, _ = arrays(n=600)
    crowd = {
        f"model number {k}": np.where(rng.random(600) < 0.9 - 0.002 * k, original, 0)
        for k in range(models)
    }
    drawing = figures.prevalence_drawing(
        assess(make_case(original, corrected, crowd), resamples=0), "corrected"
    )
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(figures.WIDTH, 3 + drawing.extra), layout="constrained")
    canvas = FigureCanvasAgg(figure)
    axes = figure.subplots()
    drawing.draw(axes)
    canvas.draw()
    boxes = [t.get_window_extent() for t in axes.texts if t.get_text().startswith("model number")]
    assert len(boxes) == models
    boxes.sort(key=lambda box: box.y0)
    # letters below the line may reach into the next row's free upper part
    assert all(low.y1 - high.y0 < 0.35 * low.height for low, high in pairwise(boxes))
    assert all(box.x1 <= figure.bbox.x1 + 1 for box in boxes)


LONG = (
    "vit_large_patch14_reg4_dinov2.lvd142m_finetuned_on_imagenet21k_then_1k",
    "models/2024-11-03/run-17/checkpoint-final-ema-averaged-weights.safetensors",
    "models/2024-11-03/run-18/checkpoint-final-ema-averaged-weights.safetensors",
    "A model described in a sentence: boosted trees on features that were frozen",
    "resnet 50",
)


def long_named():
    original, corrected, predictions = arrays(models=5, n=600, wrong=60, seed=3)
    return assess(
        make_case(original, corrected, dict(zip(LONG, predictions.values()))), resamples=0
    )


def test_long_names_are_whole_once_and_short_elsewhere():
    report = long_named()
    tables = grids(report)
    assert {row[0] for row in tables["standings"].rows} == set(LONG)
    assert "Long names are shortened elsewhere" in tables["standings"].notes[0]
    for name in ("neighbours", "pairs", "crossings"):
        assert all(len(row[0]) <= 2 * 24 + len(" passes ") for row in tables[name].rows)
    assert all(
        name in text_of(stability_document(report).page()).replace(" ", "") for name in LONG[:3]
    )
    page = stability_document(report).render()
    assert max(map(len, page.splitlines())) <= 110
    assert page.count("of 60 C,") == 2  # no column is left out for want of room
    assert "Long names" not in grids(report_of())["standings"].notes[0]


@given(
    st.lists(st.text("ab-", min_size=1, max_size=40), min_size=1, max_size=8, unique=True),
    st.integers(12, 30),
)
def test_short_names_are_short_and_no_two_alike(names, most):
    found = short_names(names, most)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    assert max(map(len, found.values())) <= most
    assert all(found[name] == name for name in names if len(name) <= most)


def test_short_names_show_where_names_differ():
    short = short_names(LONG)
    assert short[LONG[0]] == "vit_large_pa…21k_then_1k"
    assert "17" in short[LONG[1]]
    assert "18" in short[LONG[2]]
    assert short["resnet 50"] == "resnet 50"


@given(st.lists(st.floats(0, 10), min_size=1, max_size=12), st.floats(0.01, 0.8))
def test_places_are_apart_in_order_and_inside(wanted, gap):
    wanted = sorted(wanted)
    places = figures.spread_out(wanted, gap, 0, 10)
    assert all(b - a >= gap - 1e-9 for a, b in pairwise(places))
    assert min(places) >= -1e-9
    assert max(places) <= 10 + 1e-9
    if all(b - a >= gap for a, b in pairwise(wanted)):
        np.testing.assert_allclose(places, wanted, atol=1e-9)


def test_round_steps():
    assert figures._round_steps(0.11) == pytest.approx([0, 0.02, 0.04, 0.06, 0.08, 0.1])
    assert len(figures._round_steps(1.0)) == 6


def test_numbers_of_the_svg_are_no_ids_of_another(report):
    first, second = (figures.rank_figure(report, which) for which in ("corrected", "cleaned"))
    ids = [set(re.findall(r'id="([^"]+)"', svg)) for svg in (first, second)]
    assert not ids[0] & ids[1]
