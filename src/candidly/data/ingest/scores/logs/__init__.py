"""Logs of programs that evaluate language models, read as scores of models on items.

Each file of this folder is one program's; ``FORMATS`` lists them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from .....ground.names import nearest
from .....ground.problem import Refusal
from .....ground.progress import OnProgress
from .._table import ScoreTable
from .._tables import from_long
from ._deepeval import DEEPEVAL
from ._evalplus import EVALPLUS
from ._helm import HELM
from ._inspect import INSPECT
from ._lm_eval import LM_EVAL
from ._log import EvalLog, LogFormat, LoggedScore
from ._promptfoo import PROMPTFOO
from ._swe_bench import SWE_BENCH

FORMATS = (LM_EVAL, INSPECT, HELM, SWE_BENCH, EVALPLUS, PROMPTFOO, DEEPEVAL)


def find_logs(places: Sequence[Path]) -> list[tuple[LogFormat, Path]]:
    """The logs in files and folders; none where a place has none.

    Raises:
        Refusal: logs of two programs.
    """
    found = [(kind, path) for place in places for kind in FORMATS for path in kind.finds(place)]
    programs = list(dict.fromkeys(kind.program for kind, _ in found))
    if len(programs) > 1:
        raise Refusal(
            f"There are logs of {' and of '.join(programs)}, which ask different questions.",
            "give logs of one program",
        )
    return found


def read_logs(
    found: Sequence[tuple[LogFormat, Path]],
    metric: str | None = None,
    watch: OnProgress = lambda done, total: None,
) -> ScoreTable:
    """Scores of all models in these logs.

    Args:
        found: from ``find_logs``. metric: which score; needed where the logs have several.
        watch: called with logs read and logs in all.

    Raises:
        Refusal: a damaged log, several metrics and none named, two logs of a model that were made
            in different ways, or an item that is not the same question in all of them.
    """
    import polars as pl

    logs: list[EvalLog] = []
    for done, (kind, path) in enumerate(found):
        watch(done, len(found))
        logs += kind.read(path)
    chosen = _metric(logs, metric)
    if any(chosen in log.lower for log in logs):
        raise ValueError(
            f"of {chosen!r} a lower value is better, as its program says; a ranking takes scores "
            "of which a higher one is."
        )
    _same_content(logs)
    _same_settings(logs)
    rows = [
        {
            "model": log.model,
            "item": one.item,
            "score": one.score,
            "run": f"{number:06}/{one.run}",
            "slices": one.slice,
        }
        for number, log in enumerate(logs)
        for one in log.answers
        if one.metric == chosen
    ]
    frame = pl.DataFrame(rows, schema_overrides={"score": pl.Float64})
    if frame["slices"].n_unique() < 2:
        frame = frame.drop("slices")
    program = found[0][0].program
    return from_long(frame, f"{chosen} of {len(found)} logs of {program}")


def _metric(logs: Sequence[EvalLog], metric: str | None) -> str:
    known = sorted({one.metric for log in logs for one in log.answers})
    if not known:
        raise ValueError(f"{logs[0].path} has no scores.")
    if metric is None:
        if len(known) > 1:
            raise Refusal(
                f"The logs have several scores: {', '.join(known)}.", "choose one with `metric`"
            )
        return known[0]
    if metric not in known:
        raise ValueError(
            f"the logs have no score {metric!r}{nearest(metric, known)} There are "
            f"{', '.join(known)}."
        )
    return metric


def _contents(log: EvalLog) -> Iterator[tuple[str, str]]:
    return ((one.item, one.content) for one in log.answers if one.content)


def _same_content(logs: Sequence[EvalLog]) -> None:
    first: dict[str, tuple[str, EvalLog]] = {}
    for log in logs:
        for item, content in _contents(log):
            known, where = first.setdefault(item, (content, log))
            if known != content:
                raise Refusal(
                    f"{item} is another question in {log.path} than in {where.path}.",
                    "give logs of the same version of the benchmark",
                )


def _same_settings(logs: Sequence[EvalLog]) -> None:
    """Logs of one model that answer the same items are runs, if they were made in the same way."""
    first: dict[tuple[str, str], EvalLog] = {}
    for log in logs:
        for item in {one.item for one in log.answers}:
            known = first.setdefault((log.model, item), log)
            if known.setting != log.setting:
                raise Refusal(
                    f"{known.path} and {log.path} are of the same model, {log.model}, with "
                    "different prompts or settings, so they are no runs of one evaluation.",
                    "leave one of them out",
                )


__all__ = ["FORMATS", "EvalLog", "LogFormat", "LoggedScore", "find_logs", "read_logs"]
