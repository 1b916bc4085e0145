"""promptfoo: the JSON of ``promptfoo eval --output``, with all models and prompts in one file.

What is asked again (``--repeat``) has a number of its own there; here it is a run of the same test.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from .....ground.jsons import to_json
from ._log import (
    EvalLog,
    LogFormat,
    LoggedScore,
    begins_with,
    damaged,
    files_in,
    has_keys,
    json_of,
    number_of,
)

ERROR = 2  # the reason of a failure that is no answer


def _finds(place: Path) -> list[Path]:
    found = files_in(place, "*.json")
    return [path for path in found if begins_with(path, '"evalId"', '"results"')]


def _read(path: Path) -> list[EvalLog]:
    found = json_of(path)
    rows = found.get("results") if isinstance(found, Mapping) else None
    rows = rows.get("results") if isinstance(rows, Mapping) else rows
    if not isinstance(rows, list) or not rows:
        raise damaged(path, "has no results")
    prompts = {_prompt(row) for row in rows if has_keys(row, "promptIdx")}
    by_model: dict[str, list[LoggedScore]] = {}
    times: Counter[tuple[str, str]] = Counter()
    for number, row in enumerate(rows):
        if not has_keys(row, "testIdx", "promptIdx", "provider", "success"):
            raise damaged(path, f"lacks test, prompt or provider in result {number}")
    names = _tests(rows)
    for row in rows:
        model = _provider(row["provider"])
        if len(prompts) > 1:
            model = f"{model} [{_prompt(row)}]"
        where = f"{path}, test {row['testIdx']},"
        answers = by_model.setdefault(model, [])
        item = names[_asked(row)]
        answers += _scores(row, item, str(times[model, item]), where)
        times[model, item] += 1
    return [EvalLog(path, model, answers) for model, answers in by_model.items()]


def _tests(rows: Sequence[Any]) -> dict[str, str]:
    """A name for each test, by what it asks and expects."""
    names: dict[str, str] = {}
    for row in rows:
        names.setdefault(_asked(row), f"test {len(names)}")
    return names


def _asked(row: Mapping[str, Any]) -> str:
    case = row.get("testCase")
    content = {k: case.get(k) for k in ("vars", "assert")} if isinstance(case, Mapping) else {}
    return to_json(content if any(content.values()) else {"test": row["testIdx"]}, sort_keys=True)


def _scores(row: Mapping[str, Any], item: str, run: str, where: str) -> Iterator[LoggedScore]:
    """None where the model itself did not answer."""
    there = row.get("failureReason") != ERROR
    yield LoggedScore(item, "success", float(bool(row["success"])) if there else None, run)
    if row.get("score") is not None:
        yield LoggedScore(item, "score", number_of(row["score"], where) if there else None, run)


def _provider(provider: Any) -> str:
    if isinstance(provider, Mapping):
        return str(provider.get("label") or provider.get("id"))
    return str(provider)


def _prompt(row: Mapping[str, Any]) -> str:
    prompt = row.get("prompt")
    label = prompt.get("label") if isinstance(prompt, Mapping) else None
    return str(label or f"prompt {row['promptIdx']}")[:60]


PROMPTFOO = LogFormat("promptfoo", _finds, _read)
