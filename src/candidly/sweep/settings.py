"""What a person asks of a sweep, from flags or a TOML file, checked at the door."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from .._names import nearest

NET = "^mlp(:[1-9][0-9]*)?$"  # what ``nets.network`` reads; known here without torch


class Settings(BaseModel):
    """A sweep's settings. ``None`` means the default that depends on the rest.

    Attributes:
        datasets: names of sources or paths of files.
        algorithms: names, with a variant after a colon where it overrules ``variant``. ``plench``
            there too brings the released program's scaling and record times.
        configs: hyper-parameter configurations; the first is the defaults.
        splits: train/validation/test splits, with seeds ``seed``, ``seed + 1``, ...
        steps: updates per trial; by default what the data set's source says, else 10,000.
        eval_every: updates between records.
        labels: how to make labels imperfect, for example ``flip:rate=0.3``.
        variant: ``fixed``, or ``plench`` for the released benchmark program's behaviour:
            algorithms, scaling, record times and standard deviation.
        scaling: ``train`` (statistics of the training rows), ``plench`` (of all rows), ``none``;
            by default what each algorithm's variant stands for.
        validation: what the validation rows are for: ``tune`` chooses models on them;
            ``train-oracle`` adds them, with their true labels, to the training rows. That is an
            oracle: it says what training on clean labels would give instead of choosing by them.
        test_share, validation_share: of the rows, and of the rest, what is held out.
        net: ``mlp``, one hidden layer of 500, or with another width ``mlp:128``.
        hyper: hyper-parameters that have this value in every configuration of the algorithms that
            have them, such as a noise rate that is known.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    datasets: tuple[str, ...] = Field(min_length=1)
    algorithms: tuple[str, ...] = Field(min_length=1)
    configs: int = Field(default=20, ge=1)
    splits: int = Field(default=5, ge=1)
    steps: int | None = Field(default=None, ge=1)
    eval_every: int = Field(default=1000, ge=1)
    seed: int = Field(default=0, ge=0)
    labels: str | None = None
    variant: Literal["fixed", "plench"] = "fixed"
    scaling: Literal["train", "plench", "none"] | None = None
    validation: Literal["tune", "train-oracle"] = "tune"
    test_share: float = Field(default=0.1, gt=0, lt=1)
    validation_share: float = Field(default=0.1, gt=0, lt=1)
    net: str = Field(default="mlp", pattern=NET)
    hyper: dict[str, int | float] = Field(default_factory=dict)
    dtype: Literal["float32", "float64"] = "float32"


def make_settings(**values: Any) -> Settings:
    """Settings from keyword values; those that are None keep their defaults.

    Raises:
        ValueError: an unknown or impossible setting, named with its value.
    """
    given = {name: value for name, value in values.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        raise ValueError("; ".join(_sentence(problem) for problem in error.errors())) from None


def read_settings(path: Path | str, **overruling: Any) -> Settings:
    """Settings from the ``[bench]`` table of a TOML file; values that are not None overrule it."""
    with Path(path).open("rb") as file:
        try:
            table = tomllib.load(file)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{path} is no TOML: {error}") from None
    if set(table) != {"bench"}:
        raise ValueError(f"{path} needs one table, [bench]; it has {sorted(table) or 'nothing'}.")
    given = {name: value for name, value in overruling.items() if value is not None}
    return make_settings(**{**table["bench"], **given})


def _sentence(problem: Any) -> str:
    name = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"no setting named {name!r}{nearest(name, Settings.model_fields)}"
    if name == "net":
        return f"`net` is {problem['input']!r}: write mlp, or mlp:128 for a hidden width of 128"
    if problem["type"] == "missing":
        return f"`{name}` is missing: say which {name} to run"
    return f"`{name}` is {problem['input']!r}: {problem['msg']}"
