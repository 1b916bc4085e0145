"""HELM: a folder for each run, with ``run_spec.json`` and ``per_instance_stats.json``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ._log import EvalLog, LogFormat, LoggedScore, damaged, files_in, has_keys, json_of

STATS = "per_instance_stats.json"


def _finds(place: Path) -> list[Path]:
    return [path for path in files_in(place, STATS) if path.with_name("run_spec.json").is_file()]


def _read(path: Path) -> list[EvalLog]:
    spec, rows = json_of(path.with_name("run_spec.json")), json_of(path)
    if not has_keys(spec, "name", "adapter_spec") or not has_keys(spec["adapter_spec"], "model"):
        raise damaged(path.with_name("run_spec.json"), "does not say which model answered")
    if not isinstance(rows, list):
        raise damaged(path, "is no list of instances")
    model = str(spec["adapter_spec"]["model"])
    scenario = _scenario(str(spec["name"]))
    answers = [one for row in rows for one in _answers(path, scenario, row)]
    return [EvalLog(path, model, answers, repr(sorted(spec["adapter_spec"].items(), key=str)))]


def _scenario(name: str) -> str:
    """The name of a run without its model: ``mmlu:subject=law,model=a_b`` is ``mmlu:subject=law``.

    >>> _scenario("mmlu:subject=law,model=openai_gpt2"), _scenario("boolq:model=a")
    ('mmlu:subject=law', 'boolq')
    """
    kind, _, rest = name.partition(":")
    parts = [part for part in rest.split(",") if part and not part.startswith("model")]
    return f"{kind}:{','.join(parts)}" if parts else kind


def _answers(path: Path, scenario: str, row: Any) -> list[LoggedScore]:
    """Of an instance as it is; changed ones (perturbations) are another benchmark."""
    if not has_keys(row, "instance_id", "stats"):
        raise damaged(path, "has an instance without an id or statistics")
    if row.get("perturbation"):
        return []
    return [
        LoggedScore(
            item=f"{scenario}/{row['instance_id']}",
            metric=str(stat["name"]["name"]),
            score=None if stat.get("mean") is None else float(stat["mean"]),
            run=str(row.get("train_trial_index", 0)),
            slice=scenario,
        )
        for stat in row["stats"]
        if has_keys(stat, "name") and has_keys(stat["name"], "name")
    ]


HELM = LogFormat("HELM", _finds, _read)
