"""All records of runs as one frame, a row each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl

from ...ground.spec import halves
from .columns import names_of
from .runs import Runs

FIRST = ("dataset", "algorithm", "base", "variant", "config", "split", "step", "epochs", "key")
LAST = ("loss", "seconds", "memory_bytes")


def frame_of_runs(runs: Runs) -> pl.DataFrame:
    """See ``results.Results.frame``."""
    records = runs.records()
    planned = _planned(runs)
    measured = dict.fromkeys(
        f"{part}.{name}"
        for measures in records["measures"].unique(maintain_order=True)
        for part, names in zip(("validation", "test"), names_of(measures))
        for name in names
    )
    both = planned.join(records, on="slot", how="inner", maintain_order="left_right")
    batch = pl.col("hyper.batch_size") if "hyper.batch_size" in both.columns else pl.lit(None)
    both = both.with_columns(
        epochs=pl.col("step") * pl.col("networks") * batch / pl.col("n_train"),
        selectable=pl.col("step") >= pl.col("selectable_from"),
        diverged=pl.col("diverged_at").is_not_null(),
    ).with_columns(pl.col("epochs").cast(pl.Float64))
    hyper = [name for name in planned.columns if name.startswith("hyper.")]
    between = ["mode", "complete", "networks", "n_train", "n_validation", "n_test", "selectable"]
    between += ["diverged", "diverged_at", "pruned_at", *hyper]
    between += sorted(measured, key=lambda name: name.startswith("test."))
    return both.select(*FIRST, *between, *LAST)


def _planned(runs: Runs) -> pl.DataFrame:
    """A row for each run, in the order of the plan, with its ``slot``."""
    groups = runs.groups
    group_of = np.repeat(np.arange(len(groups)), [len(group.keys) for group in groups])

    def of_group(kind: Any, values: Iterable[Any]) -> pl.Series:
        return pl.Series(values=list(values), dtype=kind).gather(group_of)

    firsts = [group.first for group in groups]
    text, whole = pl.String, pl.Int64
    columns = {
        "dataset": of_group(text, (run.dataset for run in firsts)),
        "algorithm": of_group(text, (run.algorithm for run in firsts)),
        "base": of_group(text, (halves(run.algorithm)[0] for run in firsts)),
        "variant": of_group(text, (halves(run.algorithm)[1] or "fixed" for run in firsts)),
        "config": pl.Series(values=np.concatenate([[], *(g.configs for g in groups)]), dtype=whole),
        "split": pl.Series(values=np.concatenate([[], *(g.splits for g in groups)]), dtype=whole),
        "key": pl.Series(values=[key for group in groups for key in group.keys], dtype=text),
        "mode": of_group(text, (run.mode for run in firsts)),
        "complete": pl.Series(values=runs.reached.complete, dtype=pl.Boolean),
        "networks": of_group(whole, (run.networks for run in firsts)),
        "n_train": of_group(whole, (run.n_train or None for run in firsts)),
        "n_validation": of_group(whole, (run.n_validation for run in firsts)),
        "n_test": of_group(whole, (run.n_test for run in firsts)),
        "selectable_from": of_group(whole, (run.selectable_from for run in firsts)),
        "slot": pl.Series(values=runs.slots, dtype=whole),
    }
    every = [hyper for group in groups for hyper in group.hyper]
    return pl.DataFrame(columns | dict(_hyper(every)))


def _hyper(every: list[Mapping[str, float | int]]) -> Iterable[tuple[str, pl.Series]]:
    """A column for each hyper-parameter: whole numbers where all are."""
    for name in dict.fromkeys(name for hyper in every for name in hyper):
        values = [hyper.get(name) for hyper in every]
        whole = all(value is None or isinstance(value, int) for value in values)
        kind = pl.Int64 if whole else pl.Float64
        yield f"hyper.{name}", pl.Series(values=values, dtype=kind, strict=False)
