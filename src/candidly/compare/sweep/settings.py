"""What a person asks of a sweep, from flags or a TOML file, checked at the door."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from ...data.ingest.table_checks import about
from ...ground.bounds import (
    MOST,
    MOST_CONFIGS,
    MOST_RECORDS,
    MOST_RUNS,
    MOST_SEED,
    MOST_TIMES,
)
from ...ground.files import check_content
from ...ground.jsons import from_toml
from ...ground.names import UnknownName, lookup, nearest
from ...ground.numbers import whole
from ...ground.plugins import plugin_of
from ...ground.problem import Refusal
from ...learn.engine.recipe import Recipe, default_recipe, recipe
from ...learn.written.nets import read_net, unregistered
from ...stats.metrics import METRICS
from .presets import PRESETS
from .search import RANDOM, search

OF_PICTURES = ("cifar10n", "cifar100n")  # what methods were published for; texts have presets


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
        scaling: ``train`` (statistics of the training rows, of pictures a channel), ``plench`` (of
            all rows; of pictures the released program's constants), ``none``, or for pictures the
            constants ``cifar10`` and ``cifar100``; by default what each algorithm's variant stands
            for.
        validation: what the validation rows are for: ``tune`` chooses models on them;
            ``train-oracle`` adds them, with their true labels, to the training rows. That is an
            oracle: it says what training on clean labels would give instead of choosing by them.
        split: ``random`` holds out a share of the rows for testing; ``official`` the test set that
            the data came with, and nothing is trained or chosen on any of it.
        test_share, validation_share: of the rows, and of the rest, what is held out.
        net: ``mlp``, one hidden layer of 500, or with another width ``mlp:128``; ``cnn:width=32``,
            ``resnet32``, ...; ``FILE.py:make`` for one of your own (``nets.network``). By default
            what suits the inputs (``default_net``).
        recipe: optimiser, schedule, weight decay, precision and views, such as
            ``sgd:momentum=0.95``; by default what suits the inputs (``default_recipe``).
        hyper: hyper-parameters that have this value in every configuration of the algorithms that
            have them, such as a noise rate that is known; beside those of the preset. With the name
            of a data set in front, ``DATA/NAME``, on that one alone (``hyper_on``).
        metrics: further numbers of each record, by the names of plug-ins (``metrics.Metric``); a
            plan holds what file each is of, behind an ``@``.
        search: how configurations are found, and which runs are stopped early, such as
            ``tpe:by=CR,prune=median`` (``search.search``); by default all are drawn at random
            and trained to the end.
        as_published: a data set, for which every method is trained as it was published: with its
            own network, recipe, epochs and hyper-parameters, but for those given here. All methods
            of which that is known, one configuration each, by default.
        preset: the table of ``PRESETS`` that settings which nobody gave were taken from.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]
    configs: int = 20
    splits: int = 5
    steps: int | None = None
    eval_every: int = 1000
    seed: int = 0
    labels: str | None = None
    variant: Literal["fixed", "plench"] = "fixed"
    scaling: Literal["train", "none", "plench", "cifar10", "cifar100"] | None = None
    validation: Literal["tune", "train-oracle"] = "tune"
    split: Literal["random", "official"] = "random"
    test_share: float = 0.1
    validation_share: float = 0.1
    net: str | None = None
    recipe: str | None = None
    hyper: dict[str, int | float] = Field(default_factory=dict)
    dtype: Literal["float32", "float64"] = "float32"
    metrics: tuple[str, ...] = ()
    search: str | None = None
    as_published: str | None = None
    preset: str | None = None

    @field_validator("*", mode="before")
    @classmethod
    def _checked(cls, value: Any, info: ValidationInfo) -> Any:
        name = info.field_name or ""
        return None if value is None and name in DEFAULTS_DEPEND else CHECKS[name](value, name)


def _names(value: Any, name: str) -> tuple[str, ...]:
    several = isinstance(value, list | tuple) and len(value) > 0
    if not several or not all(isinstance(one, str) and one.strip() for one in value):
        raise ValueError(f"`{name}` is {value!r}; give a list of names, one or more.")
    return tuple(value)


def _count(low: int, high: int = MOST) -> Check:
    return lambda value, name: whole(value, f"`{name}`", low=low, high=high)


def _share(value: Any, name: str) -> float:
    share = _number(value)
    if share is None or not 0 < share < 1:
        raise ValueError(f"`{name}` is {value!r}; give a share above 0 and below 1, such as 0.1.")
    return share


def _number(value: Any) -> float | int | None:
    """The value as a plain finite number; None where it is none."""
    if isinstance(value, np.generic):
        value = value.item()
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return value if plain and math.isfinite(value) else None


def _one_of(*known: str) -> Check:
    def check(value: Any, name: str) -> str:
        if value in known and isinstance(value, str):
            return value
        hint = nearest(value, known) if isinstance(value, str) else "."
        raise ValueError(f"`{name}` is {value!r}{hint} Choose from: {', '.join(known)}.")

    return check


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"`{name}` is {value!r}; give a text such as flip:rate=0.3.")
    return value


def _net(value: Any, name: str) -> str:
    asked = read_net(value, f"`{name}`")
    return unregistered(value.strip()) if asked.own else asked.text


def _recipe(value: Any, name: str) -> str:
    return recipe(value, f"`{name}`").text


def _search(value: Any, name: str) -> str | None:
    made = search(value, f"`{name}`")
    return None if made == RANDOM else made.text


def _metrics(value: Any, name: str) -> tuple[str, ...]:
    return tuple(map(_metric, _names(value, name))) if value else ()


def _metric(text: str) -> str:
    """A metric with the plug-in that it is of; as it is where that is said already."""
    if "@" in text:
        return text
    try:
        known, metric = lookup(METRICS, text, "metric")
    except UnknownName as error:
        raise ValueError(f"`metrics`: {error}") from None
    if metric.measure is None:
        raise ValueError(f"`metrics` has {text!r}, which is recorded anyway. Leave it out.")
    plugin = plugin_of("metric", known)
    return f"{known}@{plugin.text if plugin else ''}"


def _hyper(value: Any, name: str) -> dict[str, float | int]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"`{name}` is {value!r}; give values by name, such as noise_rate = 0.4.")
    numbers = {key: _number(one) for key, one in value.items()}
    for key, number in numbers.items():
        if number is None:
            raise ValueError(f"`{name}` has {key} = {value[key]!r}; give a finite number.")
    return {key: number for key, number in numbers.items() if number is not None}


Check = Callable[[Any, str], Any]
CHECKS: dict[str, Check] = {  # for each setting: its value as it is kept, or a ValueError
    "datasets": _names,
    "algorithms": _names,
    "configs": _count(1, MOST_CONFIGS),
    "splits": _count(1, MOST_TIMES),
    "steps": _count(1),
    "eval_every": _count(1),
    "seed": _count(0, MOST_SEED),
    "labels": _text,
    "variant": _one_of("fixed", "plench"),
    "scaling": _one_of("train", "none", "plench", "cifar10", "cifar100"),
    "validation": _one_of("tune", "train-oracle"),
    "split": _one_of("random", "official"),
    "test_share": _share,
    "validation_share": _share,
    "net": _net,
    "recipe": _recipe,
    "hyper": _hyper,
    "dtype": _one_of("float32", "float64"),
    "metrics": _metrics,
    "search": _search,
    "as_published": _one_of(*OF_PICTURES),
    "preset": _one_of(*PRESETS),
}
DEFAULTS_DEPEND = (
    "steps",
    "labels",
    "scaling",
    "net",
    "recipe",
    "search",
    "as_published",
    "preset",
)  # settings that None stands for


def make_settings(**values: Any) -> Settings:
    """Settings from keyword values; those that are None keep their defaults, or the preset's.

    Raises:
        ValueError: an unknown or impossible setting, named with its value.
    """
    given = {name: value for name, value in values.items() if value is not None}
    if "preset" in given:
        preset = CHECKS["preset"](given["preset"], "preset")
        own = PRESETS[preset].settings
        if isinstance(asked := given.get("hyper"), Mapping):
            kept = {
                key: value
                for key, value in own.get("hyper", {}).items()
                if name_in(key) not in asked  # said for all data sets
            }
            given["hyper"] = {**kept, **asked}
        given = {**own, **given}
    if (dataset := given.get("as_published")) in OF_PICTURES:
        from ...learn.algorithms import PUBLISHED  # which takes time to import

        if "preset" in given:
            raise Refusal(
                f"`preset` {given['preset']} trains all methods alike, and `as_published` each by "
                "its own recipe.",
                "leave one of them out",
            )
        all_of_them = tuple(label for label, of in PUBLISHED if of == dataset)
        given = {"configs": 1, "algorithms": all_of_them, **given}
        if given["configs"] != 1:
            raise Refusal(
                f"`configs` is {given['configs']}, and what was published is one configuration of "
                "each method.",
                "leave one of `configs` and `as_published` out",
            )
    return kept_settings(given)


def kept_settings(values: Mapping[str, Any]) -> Settings:
    """Settings as a plan has kept them: what is not among them has its default, not a preset's.

    Raises:
        ValueError: an unknown or impossible setting, named with its value.
    """
    given = {name: value for name, value in values.items() if value is not None}
    try:
        made = Settings(**given)
    except ValidationError as error:
        problems = (_sentence(problem).rstrip(".") for problem in error.errors())
        raise ValueError(". ".join(problems) + ".") from None
    _check_size(made)
    return made


def runs_of(settings: Settings) -> int:
    """How many trainings these are."""
    cells = len(settings.datasets) * len(settings.algorithms)
    return cells * settings.configs * settings.splits


def _check_size(asked: Settings) -> None:
    """Refuse a sweep that nobody could plan."""
    if (runs := runs_of(asked)) > MOST_RUNS:
        raise Refusal(
            f"{asked.configs:,} configurations and {asked.splits:,} splits of all that is named "
            f"are {runs:,} runs; a sweep has at most {MOST_RUNS:,}.",
            "lower `configs`",
            "lower `splits`",
        )
    if (records := (asked.steps or 0) // asked.eval_every) > MOST_RECORDS:
        raise Refusal(
            f"{asked.steps:,} updates with a record every {asked.eval_every:,} are {records:,} "
            f"records a run; a run has at most {MOST_RECORDS:,}.",
            "lower `steps`",
            "raise `eval_every`",
        )


def name_in(key: str) -> str:
    """The hyper-parameter of ``NAME`` or ``DATA/NAME``."""
    return key.rpartition("/")[2]


def data_in(key: str) -> str:
    """The data set of ``DATA/NAME``; '' of ``NAME``, which is of all."""
    return key.rpartition("/")[0]


def hyper_on(settings: Settings, dataset: str) -> dict[str, int | float]:
    """The hyper-parameters that have one value in every configuration on a data set.

    What is said of one data set overrules what is said of all.
    """
    of_all = {key: value for key, value in settings.hyper.items() if not data_in(key)}
    own = {name_in(key): v for key, v in settings.hyper.items() if data_in(key) == dataset}
    return {**of_all, **own}


def recipe_for(settings: Settings, kind: str) -> Recipe:
    """The recipe of trials on inputs of this kind, as ``Labelled.kind`` names it."""
    return recipe(settings.recipe) if settings.recipe else default_recipe(kind)


def read_settings(path: Path | str, **overruling: Any) -> Settings:
    """Settings from the ``[bench]`` table of a TOML file; values that are not None overrule it."""
    with about(path):
        check_content(Path(path))
        table = from_toml(Path(path).read_bytes())
    if set(table) != {"bench"} or not isinstance(table["bench"], dict):
        raise ValueError(f"{path} needs one table, [bench]; it has {sorted(table) or 'nothing'}.")
    given = {name: value for name, value in overruling.items() if value is not None}
    return make_settings(**{**table["bench"], **given})


def _sentence(problem: Any) -> str:
    name = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"no setting named {name!r}{nearest(name, Settings.model_fields)}"
    if problem["type"] == "missing":
        return f"`{name}` is missing: say which {name} to run"
    return str(problem["ctx"]["error"])  # of a check above
