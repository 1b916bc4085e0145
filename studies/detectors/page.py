"""docs/detectors.md: the guide, and what the committed results say."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from candidly.errors.detectors import DETECTORS
from candidly.show.words import listed, percent
from candidly.stats import Summary, interval, paired_difference, summarise
from studies.kit.pages import filled
from studies.kit.words import difference, excludes_zero, grid, prose

from .data import STUDIES, Piece
from .study import ANCHOR, read_results

PAGE = Path(__file__).parents[2] / "docs" / "detectors.md"
CONFIDENT = ("cl-noise-rate", "cl-class", "cl-both", "cl-confident", "margin")
RANKED = "margin"  # confident learning's order
AGAIN = {study.title for study in STUDIES.values() if study.rows_of}  # no data of their own
Cells = Mapping[str, Mapping[int, Mapping[str, Any]]]  # detector -> seed -> line


def cell(summary: Summary, share: bool = True) -> str:
    """The mean, and half its 95 % interval where there is one; shares in percent."""
    if summary.mean is None:
        return "–"
    if not share:
        return f"{summary.mean:,.0f}" if abs(summary.mean) >= 10 else f"{summary.mean:.2g}"
    ends = interval(summary)
    half = "" if ends is None else f" ± {percent((ends[1] - ends[0]) / 2, 1)}"
    return percent(summary.mean, 1) + half


def make_page(folder: Path) -> str:
    """The page as Markdown: the same text from the same results."""
    rows, machines = read_results(folder), folder / "machines.json"
    known = json.loads(machines.read_text()) if machines.exists() else {}
    parts = {"detectors": _detectors(), "results": "\n\n".join(_results(rows, known))}
    return filled(PAGE.read_text(encoding="utf-8"), parts)


def _detectors() -> str:
    rows = [
        [
            f"`{d.name}`",
            ", ".join(d.needs),
            "yes" if d.cut else "–",
            d.summary,
            d.paper,
        ]
        for d in DETECTORS.values()
    ]
    header = ["detector", "needs", "flags", "suspicious is", "source"]
    return grid(header, rows, numbers=False)


def _results(rows: Sequence[Mapping[str, Any]], machines: Mapping[str, str]) -> list[str]:
    if not rows:
        return ["No results are there yet: run `python -m studies.detectors study`."]
    parts: list[str] = []
    for name, study in STUDIES.items():
        parts += [f"### {study.title}", prose(f"{study.about}.")]
        mine = [row for row in rows if row["data"] == name]
        planned = list(study.pieces())
        if not mine:
            parts.append(f"Not run yet: 0 of {len(planned)} sets of labels.")
            continue
        parts.append(prose(_what_was_run(mine, planned, machines.get(name))))
        parts += _of_data(mine, planned)
    return parts + _which_when(rows) + _confident(rows)


def _what_was_run(
    rows: Sequence[Mapping[str, Any]], planned: Sequence[Piece], machine: str | None
) -> str:
    lines = {(Piece(*(row[n] for n in Piece._fields)), row["detector"]) for row in rows}
    done = sum(all((piece, name) in lines for name in DETECTORS) for piece in planned)
    epochs = listed(str(n) for n in sorted({row["epochs"] for row in rows}))
    where = f" Machine: {machine}." if machine else ""
    there = {name for _, name in lines}
    left = [f"`{name}`" for name in DETECTORS if name not in there]
    without = f" Not run: {listed(left)}." if left else ""
    return (
        f"{done} of {len(planned)} sets of labels are done with all detectors; trainings have "
        f"{epochs} epochs.{without}{where}"
    )


def _kinds(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, float | None]]:
    """(noise, rate) in the order of the study."""
    there = {(row["noise"], row["rate"]) for row in rows}
    planned = [(p.noise, p.rate) for study in STUDIES.values() for p in study.pieces()]
    return [kind for kind in dict.fromkeys(planned) if kind in there]


def _words(kind: tuple[str, float | None]) -> str:
    noise, rate = kind
    return noise if not rate else f"{noise} {100 * rate:g} %"


def _cells(rows: Sequence[Mapping[str, Any]], kind: tuple[str, float | None]) -> Cells:
    found: dict[str, dict[int, Mapping[str, Any]]] = {}
    for row in rows:
        if (row["noise"], row["rate"]) == kind:
            found.setdefault(row["detector"], {})[row["seed"]] = row
    return found


def _summary(cells: Cells, detector: str, measure: str) -> Summary:
    return summarise([row[measure] for row in cells.get(detector, {}).values()])


def _of_data(rows: Sequence[Mapping[str, Any]], planned: Sequence[Piece]) -> list[str]:
    kinds = _kinds(rows)
    noisy = [kind for kind in kinds if kind[1] != 0]
    seeds = len({piece.seed for piece in planned})
    parts = []
    for rate in dict.fromkeys(rate for _, rate in noisy):
        some = [kind for kind in noisy if kind[1] == rate]
        at = f", {100 * rate:g} % of the labels wrong" if rate else ""
        for measure, title in (
            ("average_precision", "Average precision of the ranking"),
            ("f1", "F1 of the own cut"),
        ):
            parts.append(f"**{title}{at}** (%, mean over seeds ± half the 95 % interval):")
            parts.append(_table(rows, some, measure, seeds))
    clean = [kind for kind in kinds if kind[1] == 0]
    if clean:
        parts.append("**False alarms where no label is wrong** (examples flagged, mean):")
        parts.append(_table(rows, clean, "flagged", seeds, share=False))
    parts += ["**Cost** (mean over all sets of labels):", _costs(rows)]
    return parts


def _table(
    rows: Sequence[Mapping[str, Any]],
    kinds: Sequence[tuple[str, float | None]],
    measure: str,
    seeds: int,
    share: bool = True,
) -> str:
    by_kind = {kind: _cells(rows, kind) for kind in kinds}
    lines = []
    for name in (*DETECTORS, ANCHOR):
        found = [_summary(cells, name, measure) for cells in by_kind.values()]
        if any(summary.mean is not None for summary in found):
            lines.append([_code(name), *(_counted(summary, seeds, share) for summary in found)])
    header = ["detector", *(_words((noise, None)) for noise, _ in kinds)]
    return grid(header, lines)


def _code(name: str) -> str:
    return f"`{name}`" if name in DETECTORS else name


def _counted(summary: Summary, seeds: int, share: bool) -> str:
    """A cell, with the number of seeds where some are missing."""
    few = f" ({summary.count} of {seeds})" if 0 < summary.count < seeds else ""
    return cell(summary, share) + few


def _costs(rows: Sequence[Mapping[str, Any]]) -> str:
    lines = []
    for name in DETECTORS:
        mine = [row for row in rows if row["detector"] == name]
        if mine:
            seconds = summarise([row["CPU s"] for row in mine])
            memory = summarise([row["extra MB"] for row in mine])
            lines.append([_code(name), cell(seconds, False), cell(memory, False)])
    return grid(["detector", "CPU s", "MB"], lines)


# what follows from the tables


def _gap(cells: Cells, one: str, other: str, measure: str) -> Summary:
    """Paired by seed: one less the other."""
    seeds = sorted(set(cells.get(one, {})) & set(cells.get(other, {})))
    first, second = (
        [cells[name][seed][measure] for seed in seeds] if seeds else [] for name in (one, other)
    )
    return paired_difference(first, second)


def _best(cells: Cells, names: Sequence[str], measure: str) -> str | None:
    means = {name: _summary(cells, name, measure).mean for name in names}
    there = {name: mean for name, mean in means.items() if mean is not None}
    return max(there, key=lambda name: there[name]) if there else None


def _level(cells: Cells, best: str, measure: str) -> list[str]:
    """Detectors that the seeds do not tell from the best."""
    found = []
    for name in DETECTORS:
        gap = _gap(cells, best, name, measure)
        if name != best and gap.count > 1 and not excludes_zero(gap):
            found.append(name)
    return found


def _noisy(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, str, Cells]]:
    """(data, words for the labels, cells) of every set of labels with wrong ones.

    Those on which some detectors were not run are left out: the best of some is not the best.
    """
    found = []
    for name, study in STUDIES.items():
        mine = [row for row in rows if row["data"] == name]
        kinds = [kind for kind in _kinds(mine) if kind[1] != 0]
        all_cells = [(kind, _cells(mine, kind)) for kind in kinds]
        found += [
            (study.title, _words(kind), cells)
            for kind, cells in all_cells
            if set(DETECTORS) <= set(cells)
        ]
    return found


def _which_when(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = []
    for title, words, cells in _noisy(rows):
        line = [title, words]
        for measure in ("average_precision", "f1"):
            best = _best(cells, list(DETECTORS), measure)
            if best is None:
                line += ["–", "–"]
                continue
            level = ", ".join(f"`{name}`" for name in _level(cells, best, measure)) or "–"
            top = _summary(cells, best, measure)
            told = level if top.count > 1 else "one seed does not tell"
            line += [f"`{best}` {percent(top.mean, 1)}", told]
        lines.append(line)
    return [
        "### Which detector when",
        prose(
            """For every set of labels, the detector with the highest mean average precision, the
            order in which one would look, and the one with the highest mean F1, its own cut; and
            those that the seeds do not tell from it: the 95 % interval of the paired difference
            includes zero. The highest of many means is a little too high."""
        ),
        grid(
            ["data", "labels", "ranks best, AP", "level with it", "cuts best, F1", "level with it"],
            lines,
            numbers=False,
        ),
    ]


def _confident(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    others = [name for name in DETECTORS if name not in CONFIDENT]
    lines: list[list[str]] = []
    verdicts: dict[str, list[str]] = {}  # by data set: label sets of one share their examples
    for title, words, cells in _noisy(rows):
        line = [title, words]
        for measure, mine in (("average_precision", (RANKED,)), ("f1", CONFIDENT)):
            own, best = _best(cells, mine, measure), _best(cells, others, measure)
            if own is None or best is None:
                line += ["–"] * 3
                continue
            gap = _gap(cells, best, own, measure)
            line += [f"`{own}` / `{best}`", *difference(gap)]
            if measure == "f1" and gap.count > 1 and title not in AGAIN:
                sure = excludes_zero(gap)
                told = "level" if not sure else "behind" if gap.mean > 0 else "ahead"
                verdicts.setdefault(title, []).append(told)
        lines.append(line)
    counts = [
        f"of {len(told)} of {title} "
        + ", ".join(f"{word} in {told.count(word)}" for word in dict.fromkeys(told))
        for title, told in verdicts.items()
    ]
    return [
        "### Where confident learning loses",
        prose(
            f"""The best detector that is not confident learning less the best of confident
            learning, in points, paired by seed, with the 95 % interval, in bold where it leaves
            out zero. By F1 confident learning is, set of labels by set of labels,
            {"; ".join(counts)}. Those of one data set share their examples and are no independent
            cases, and the best of {len(others)} detectors has more to choose from than the best of
            {len(CONFIDENT)}, on the numbers that it is judged by. The probabilities are those of
            cross-validated logistic regression; better ones would serve it better."""
        ),
        grid(
            ["data", "labels", "by AP", "points", "interval", "by F1", "points", "interval"],
            lines,
            numbers=False,
        ),
    ]
