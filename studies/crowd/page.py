"""What docs/crowd.md says in numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from candidly.people import crowd
from candidly.people.crowd.consensus_document import set_figure
from studies.kit.figures import alone
from studies.kit.pages import filled
from studies.kit.words import minus

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "crowd.md"
FIGURE = ROOT / "docs" / "images" / "crowd-sets.svg"
FIGURE_TITLE = "CIFAR-10S: candidate sets of 1 to 6 annotators"
TITLES = {"labelme": "LabelMe", "bluebirds": "bluebirds", "sentiment": "sentiment"}
EACH = 18  # answers an item, of bench/aggregators.py
ANSWERS = (1, 2, 3, 4, 6)  # a picture, of bench/answer_sets.py


def results(name: str) -> dict[str, float]:
    """What ``bench/NAME.py`` measured."""
    stored = json.loads((ROOT / "bench" / "results" / f"{name}.json").read_text())
    return {claim["name"]: claim["value"] for claim in stored["claims"]}


def files() -> dict[Path, bytes]:
    """The page and its figure."""
    found = results("crowd")
    parts = tables(found) | {
        "aggregators": other_ways(results("aggregators")),
        "candidates": candidates(results("answer_sets")),
    }
    return {
        PAGE: filled(PAGE.read_text(), parts).encode(),
        FIGURE: figure(found).encode(),
    }


def number_of(claims: Mapping[str, float], name: str, way: str) -> str:
    """A row of the table."""
    base = f"{name}: {way} minus majority"
    points, low, high = (claims[f"{base}, {part}"] for part in ("points", "from", "to"))
    p = claims[f"{base}, p"]
    # of a method that is plainly different the interval excludes 0
    verdict = "better" if low > 0 else "worse" if high < 0 else "not told apart"
    told = "< 0.001" if p < 0.001 else f"{p:.3f}"
    accuracy = claims[f"{name}: {way}, accuracy %"]
    return (
        f"| {TITLES[name]} | {way} | {accuracy:.1f} | {minus(points, 1)} |"
        f" {minus(low, 1)} to {minus(high, 1)} | {told} | {verdict} |"
    )


def ways_of(claims: Mapping[str, float], name: str) -> list[str]:
    """What was compared with the majority, in its order."""
    found = [re.fullmatch(rf"{name}: (.+), accuracy %", claim) for claim in claims]
    return [match[1] for match in found if match and match[1] != "majority"]


def tables(claims: Mapping[str, float]) -> dict[str, str]:
    """Markdown by the name of its place in the page."""
    rows = [
        "| data | consensus | accuracy % | minus majority | 95 % interval | McNemar p | |",
        "| --- | --- | --: | --: | --: | --: | --- |",
    ]
    for name in TITLES:
        base = claims[f"{name}: majority, accuracy %"]
        rows.append(f"| {TITLES[name]} | majority | {base:.1f} | | | | |")
        rows += [number_of(claims, name, way) for way in ways_of(claims, name)]
    sets = [
        "| annotators | union lacks the truth % | its labels | vaguest lacks it % | its labels |",
        "| --: | --: | --: | --: | --: |",
    ]
    for k, row in curve_rows(claims).items():
        sets.append(
            f"| {k} | {100 * row['union_noise']:.2f} |"
            f" {row['union_size']:.2f} | {100 * row['vaguest_noise']:.2f} |"
            f" {row['vaguest_size']:.2f} |"
        )
    return {"accuracy": "\n".join(rows), "sets": "\n".join(sets), "speed": speed(claims)}


def speed(claims: Mapping[str, float]) -> str:
    [label] = {name.rpartition(": ")[0] for name in claims if name.startswith("dawid-skene, ")}
    seconds, rounds = claims[f"{label}: seconds"], claims[f"{label}: rounds"]
    peak = claims[f"{label}: peak MB of the process"]
    answers, annotators, items = (int(x) for x in re.findall(r"\d+", label)[:3])
    return (
        f"Dawid–Skene on {answers:,} answers about {items:,} items by {annotators:,} annotators, 10"
        f" classes, takes {seconds:.1f} s ({rounds:.0f} rounds) and {peak:.0f} MB on one core."
        + _beside(claims)
    )


def _beside(claims: Mapping[str, float]) -> str:
    of = {name.rpartition(": ")[2]: x for name, x in claims.items() if name.startswith("beside")}
    if not of:
        return ""
    times, off = of["times as fast, CPU time"], of["largest difference of a posterior"]
    return (
        f" Beside crowd-kit's Dawid–Skene, with as many rounds and no smoothing, it is {times:.0f}"
        f" times as fast, and no posterior differs by more than {off:.0e}."
    )


def curve_rows(claims: Mapping[str, float]) -> dict[int, dict[str, float]]:
    rows: dict[int, dict[str, float]] = {}
    for name, value in claims.items():
        if match := re.fullmatch(r"cifar10s: (\d+) annotators, (\w+)", name):
            rows.setdefault(int(match[1]), {})[match[2]] = value
    return rows


def figure(claims: Mapping[str, float]) -> str:
    rows = curve_rows(claims)
    fields = crowd.SetCurve._fields[1:]
    columns = (np.array([row[field] for row in rows.values()]) for field in fields)
    return alone(set_figure(crowd.SetCurve(np.array(list(rows)), *columns), FIGURE_TITLE))


def other_ways(found: dict[str, float]) -> str:
    times = {
        name.partition(":")[0]: value for name, value in found.items() if "times as fast" in name
    }
    listed = ", ".join(f"`{name}` {value:.0f}" for name, value in times.items())
    return (
        f"Of the other ways, on {found['answers']:,.0f} answers about "
        f"{found['answers'] / EACH:,.0f} items and in CPU time, these are so many times as fast as "
        f"crowd-kit's (`bench/aggregators.py`): {listed}."
    )


def candidates(found: dict[str, float]) -> str:
    """Percent of sets without the truth, and labels in a set, by rule and number of answers."""
    lines = [
        "| | answers | union | vaguest | at least 2 | 90 % | 95 % | 99 % |",
        "| --- | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for name in ("CIFAR-10S", "independent", "shared ambiguity"):
        for k in ANSWERS:
            cells = []
            for rule in ("union", "vaguest", "at least 2", "90 %", "95 %", "99 %"):
                about = f"{name}, {k} answers: {rule}"
                lacks = found[f"{about} lacks the truth, percent"]
                cells.append(f"{lacks:.1f} in {found[f'{about} labels']:.2f}")
            lines.append(f"| {name} | {k} | {' | '.join(cells)} |")
    return "\n".join(lines)
