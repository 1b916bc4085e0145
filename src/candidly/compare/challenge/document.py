"""The results of a challenge: one self-contained page, tables, and every number as CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...ground.files import replacing, write_json
from ...show.document import Document
from ...show.figures import FAINT, INK, PAPER, SERIES, draw_svg
from ...show.grid import Column, Datum, Grid
from ...show.pieces import Bullets, Figure, Figures, Heading, Piece, Section, Tiles
from .result_numbers import every_run, summary_of

if TYPE_CHECKING:
    from . import Contest, Result

PAIRS = 60  # of submissions in a table of the page; the nearest in score
FAILED = 100  # runs listed


def write_challenge_report(result: Result, path: Path) -> tuple[Path, ...]:
    """Write the page, and beside it ``scores.csv`` (a line a run) and ``scores.json``.

    Returns:
        the files that were written.
    """
    runs, numbers = path.with_name("scores.csv"), path.with_name("scores.json")
    challenge_document(result).write(path)
    with replacing(runs, again=True) as file:
        file.write(every_run(result).csv().encode())
    write_json(summary_of(result), numbers, again=True)
    return path, runs, numbers


def challenge_document(result: Result) -> Document:
    """The results of a challenge; CSV has a line a run."""
    protocol = result.protocol
    over = sum(
        len(cell.runs)
        for one in result.contests
        for by in one.cells.values()
        for cell in by.values()
    )
    failed = failures_grid(result)
    counts = [
        ("submissions", f"{len(result.submissions):,}", "that were taken in"),
        ("runs", f"{over:,}", f"over; {result.missing:,} are still to be done"),
        ("failed", f"{len(failed.rows):,}", "runs without an answer that counts"),
    ]
    facts: dict[str, object] = {
        "label sets": ", ".join(one.name for one in protocol.sets),
        "runs on each": f"{len(protocol.seeds)}, with seeds fixed beforehand",
        "test rows of a run": _subset(protocol.subset),
        "time of a run": f"{protocol.factor:g} times the baseline's training",
    }
    for name, timed in result.times.items():
        seconds = ", ".join(f"{one:.1f}" for one in timed.training)
        facts[f"baseline on {name}"] = f"{seconds} s of training, alone; on {timed.device}"
    notes = (Bullets(result.notes),) if result.notes else ()
    allowed = "Seconds of a run, the longest and the mean, beside what was allowed."
    return Document(
        protocol.title,
        (
            Section("", (Tiles(counts), *notes), label="Counts"),
            *(_contest(one) for one in result.contests),
            Section("What failed, and why", (failed if failed.rows else "Nothing failed.",)),
            Section("Time", (allowed, time_grid(result))),
        ),
        lead="Scores are means over runs; a label set on which a run of a submission gave no answer"
        " counts as absent, with the last rank.",
        facts=facts,
        facts_title="Protocol",
        made_of="the runs of a challenge",
        table=every_run(result),
        data=lambda: summary_of(result),
    )


def _subset(subset: str) -> str:
    if subset == "bootstrap":
        return "as many as there are, drawn with replacement, the same for all submissions"
    return f"{int(subset):,}, drawn without replacement, the same for all submissions"


def _contest(contest: Contest) -> Section:
    figures = [
        Figure(
            f"{contest.task} on {name}",
            "points are runs, bars 95 % over seeds, crosses take no method",
            partial(score_plot, contest, name),
        )
        for name in contest.sets
        if any(name in by and by[name].summary.count for by in contest.cells.values())
    ]
    pairs = [differences_grid(contest, name) for name in contest.sets]
    pieces: tuple[Piece, ...] = (
        standings_grid(contest),
        Figures(figures),
        scores_grid(contest),
        Heading("Differences on common rows"),
        "Two submissions on the same resampled rows (1,000 of them): how much their difference may "
        "be the choice of rows. The spread over seeds is in the table above.",
        *pairs,
    )
    title = f"{contest.task.capitalize()} on {contest.data_set}, track {contest.track}"
    return Section(title, pieces)


def standings_grid(contest: Contest) -> Grid:
    """Who is where: points of each label set and their sum, absent ones both ways."""
    best = min((one.place for one in contest.standings), default=1)
    rows: list[tuple[Any, ...]] = [
        (
            one.place,
            Datum(one.name, best=one.place == best and one.points_absent_0 > 0),
            *(_rank(one.ranks[name], one.scores[name]) for name in contest.sets),
            one.points,
            one.points_absent_0,
        )
        for one in contest.standings
    ]
    columns = (
        Column("place"),
        Column("submission", "name"),
        *(Column(f"rank {name}") for name in contest.sets),
        Column("points"),
        Column("absent 0"),
    )
    title = f"{contest.task.capitalize()} on {contest.data_set}, track {contest.track}"
    note = (
        "Points are max(11 - rank, 0), summed over label sets; equal scores share the better rank. "
        "A submission that is absent has the last rank; in the last column it gets nothing there."
    )
    missing = sum(cell.missing for by in contest.cells.values() for cell in by.values())
    left = (f"Not final: {missing:,} runs are still to be done, and count as absent.",)
    return Grid(title, columns, rows, (*(left if missing else ()), note, *_absent(contest)))


def _absent(contest: Contest) -> Iterator[str]:
    """What absent submissions get all the same."""
    for one in contest.standings:
        if sets := [name for name in contest.sets if one.scores[name] is None]:
            yield (
                f"{one.name} is absent from {', '.join(sets)}: the last rank gives it "
                f"{one.points - one.points_absent_0} points there."
            )


def _rank(rank: int, score: float | None) -> Datum:
    return Datum(rank, text=f"({rank})" if score is None else None, soft=score is None)


def scores_grid(contest: Contest) -> Grid:
    """Mean scores in percent with their standard deviation over runs, and the trivial anchors."""
    measure = contest.measure
    rows: list[tuple[Any, ...]] = []
    best = {
        name: max((one.scores[name] or 0.0 for one in contest.standings), default=0.0)
        for name in contest.sets
    }
    for one in contest.standings:
        cells = contest.cells[one.name]
        row: list[Any] = [one.name]
        for name in contest.sets:
            cell = cells.get(name)
            if cell is None or cell.summary.mean is None:
                row += [None, None]
                continue
            spread = cell.summary.standard_deviation
            low_high = cell.interval
            row += [
                Datum(
                    100 * cell.summary.mean,
                    None if spread is None else 100 * spread,
                    best=cell.score is not None and cell.score >= best[name],
                    soft=cell.score is None,
                ),
                None if low_high is None else f"{100 * low_high[0]:.1f} to {100 * low_high[1]:.1f}",
            ]
        rows.append(tuple(row))
    anchors = dict.fromkeys(key for by in contest.anchors.values() for key in by)
    for key in anchors:
        cells_of = [
            (Datum(100 * contest.anchors[name][key], soft=True), None) for name in contest.sets
        ]
        rows.append((Datum(key, soft=True), *(cell for pair in cells_of for cell in pair)))
    columns = [Column("submission", "name")]
    for name in contest.sets:
        columns += [
            Column(name, form=".2f", spread="standard deviation"),
            Column(f"95 % of {name}", "word"),
        ]
    note = (
        f"{measure} in percent, the mean over runs ± the standard deviation, and Student's "
        "interval for the mean over seeds. The last lines take no method. A pale score lacks a run."
    )
    return Grid(f"{measure} by label set", tuple(columns), rows, (note,))


def differences_grid(contest: Contest, name: str) -> Grid:
    """Pairs of submissions on a label set, the nearest first."""
    pairs = sorted(contest.differences[name], key=lambda one: abs(one.difference))[:PAIRS]
    rows = []
    for pair in pairs:
        first, second, turned = pair.first, pair.second, pair.difference < 0
        low, high = (-pair.high, -pair.low) if turned else (pair.low, pair.high)
        ahead = 1 - pair.ahead if turned else pair.ahead
        leader, other = (second, first) if turned else (first, second)
        rows.append(
            (
                leader,
                other,
                100 * abs(pair.difference),
                f"{100 * low:.2f} to {100 * high:.2f}",
                100 * ahead,
            )
        )
    columns = (
        Column("ahead", "name"),
        Column("of", "name"),
        Column("by", form=".2f"),
        Column("95 %", "word"),
        Column("in % of resamples", form=".1f"),
    )
    return Grid(f"Differences on {name}", columns, rows)


def runs_grid(contest: Contest) -> Grid:
    """Every run of a contest."""
    columns = (
        Column("submission", "name"),
        Column("label set", "name"),
        Column("run"),
        Column("status", "word"),
        Column(contest.measure, form=".4f"),
        Column("seconds", form=".1f"),
        Column("of", form=".1f"),
        Column("reason", "text"),
    )
    rows = [
        (
            *(run.submission, run.label_set, run.number, run.status, run.scored.score),
            *(run.seconds, run.limit, run.reason),
        )
        for by in contest.cells.values()
        for cell in by.values()
        for run in cell.runs
    ]
    title = f"{contest.task.capitalize()} on {contest.data_set}, track {contest.track}: runs"
    if any(row[-1] for row in rows):
        return Grid(title, columns, rows)
    return Grid(title, columns[:-1], [row[:-1] for row in rows])  # there are no reasons


def failures_grid(result: Result) -> Grid:
    """Runs without an answer that counts, and runs that were stopped, with the reason."""
    columns = (
        Column("submission", "name"),
        Column("label set", "name"),
        Column("run"),
        Column("what happened", "text"),
    )
    rows = [
        (run.submission, run.label_set, run.number, run.reason)
        for one in result.contests
        for by in one.cells.values()
        for cell in by.values()
        for run in cell.runs
        if run.status == "failed"
    ]
    return Grid("Failed runs", columns, rows[:FAILED])


def time_grid(result: Result) -> Grid:
    """What runs took of their time, by submission."""
    columns = (
        Column("submission", "name"),
        Column("task", "word"),
        Column("runs"),
        Column("mean seconds", form=".1f"),
        Column("longest", form=".1f"),
        Column("allowed", form=".1f"),
        Column("stopped"),
        Column("GB at most", form=".2f"),
    )
    rows = []
    for one in result.contests:
        for name, by in one.cells.items():
            runs = [run for cell in by.values() for run in cell.runs if run.seconds is not None]
            if not runs:
                continue
            seconds = [run.seconds or 0.0 for run in runs]
            memory = max(run.memory or 0 for run in runs)
            rows.append(
                (
                    *(name, one.task, len(runs), sum(seconds) / len(seconds), max(seconds)),
                    *(max(run.limit for run in runs), sum(run.status == "time" for run in runs)),
                    memory / 2**30,
                )
            )
    return Grid("Time and memory of runs", columns, rows)


def score_plot(contest: Contest, name: str) -> str:
    """Scores on a label set: a point a run, the mean, and its interval over seeds; as SVG text."""
    shown = [one.name for one in contest.standings if name in contest.cells[one.name]]
    measure, anchors = contest.measure, contest.anchors[name]

    def draw(axes: Any) -> None:
        for row, submission in enumerate(shown):
            cell = contest.cells[submission][name]
            values = [100 * r.scored.score for r in cell.runs if r.scored.score is not None]
            if not values:
                axes.text(0.02, row, "absent", va="center", transform=axes.get_yaxis_transform())
                continue
            mean = sum(values) / len(values)
            if cell.interval:
                axes.plot([100 * end for end in cell.interval], [row, row], color=SERIES[0], lw=2)
            axes.plot(values, [row] * len(values), "o", color=SERIES[0], ms=4, mfc=PAPER)
            axes.plot([mean, mean], [row - 0.25, row + 0.25], color=INK, lw=1.6)
        for row, value in enumerate(anchors.values(), len(shown)):
            axes.plot(100 * value, row, "x", color=FAINT, ms=4)
        rows = [*shown, *anchors]
        axes.set_yticks(range(len(rows)), rows)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlabel(f"{measure} (%)")
        axes.grid(axis="x", color=FAINT, linewidth=0.6, alpha=0.3)

    told = "; ".join(
        f"{one.name}: {_percent(one.scores[name])}"
        for one in contest.standings
        if name in one.scores
    )
    return draw_svg(draw, f"{measure} on {name}", f"{told}.")


def _percent(score: float | None) -> str:
    return "absent" if score is None else f"{100 * score:.2f} %"
