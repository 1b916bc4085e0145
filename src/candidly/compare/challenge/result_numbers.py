"""Every number of a challenge: a line a run, and all of it as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...show.grid import Column, Grid

if TYPE_CHECKING:
    from . import Contest, Result


def every_run(result: Result) -> Grid:
    """Every run with every number, a row each."""
    values: list[dict[str, Any]] = []
    for one in result.contests:
        for by in one.cells.values():
            for cell in by.values():
                for run in cell.runs:
                    values.append(
                        {
                            "task": one.task,
                            "track": one.track,
                            "data set": one.data_set,
                            "label set": run.label_set,
                            "submission": run.submission,
                            "run": run.number,
                            "status": run.status,
                            "score": run.scored.score,
                            "seconds": run.seconds,
                            "limit": run.limit,
                            "peak memory": run.memory,
                            "reason": run.reason,
                            **(run.scored.values or {}),
                        }
                    )
    names = list(dict.fromkeys(name for row in values for name in row))
    words = ("task", "track", "data set", "label set", "submission", "status", "reason")
    columns = tuple(Column(name, "text" if name in words else "number") for name in names)
    return Grid("Runs", columns, [[row.get(name) for name in names] for row in values])


def summary_of(result: Result) -> dict[str, Any]:
    """Every number as plain values."""
    return {
        "title": result.protocol.title,
        "missing runs": result.missing,
        "notes": list(result.notes),
        "baseline": {name: vars(timed) for name, timed in result.times.items()},
        "contests": [_plain(one) for one in result.contests],
    }


def _plain(contest: Contest) -> dict[str, Any]:
    def cell_of(cell: Any) -> Mapping[str, Any]:
        return {
            "score": cell.score,
            "mean": cell.summary.mean,
            "standard deviation": cell.summary.standard_deviation,
            "interval": cell.interval,
            "runs": [
                {
                    "run": run.number,
                    "status": run.status,
                    "reason": run.reason,
                    "score": run.scored.score,
                    "seconds": run.seconds,
                    "limit": run.limit,
                    **dict(run.scored.values or {}),
                    "notes": dict(run.notes),
                }
                for run in cell.runs
            ],
        }

    return {
        "task": contest.task,
        "track": contest.track,
        "data set": contest.data_set,
        "standings": [
            {
                "place": one.place,
                "submission": one.name,
                "ranks": dict(one.ranks),
                "points": one.points,
                "points, absent 0": one.points_absent_0,
            }
            for one in contest.standings
        ],
        "scores": {
            name: {key: cell_of(cell) for key, cell in by.items()}
            for name, by in contest.cells.items()
        },
        "differences": {
            name: [vars(one) for one in several] for name, several in contest.differences.items()
        },
        "anchors": {name: dict(by) for name, by in contest.anchors.items()},
    }
