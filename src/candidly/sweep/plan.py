"""From settings to trials: deciding without doing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from .._files import replacing
from .._names import nearest
from ..algorithms import Algorithm, algorithm, configuration
from ..criteria import constant_flip_rate
from ..examples import unlearnable
from ..labelled import Labelled
from ..seeds import hashed
from .records import Run
from .settings import Settings
from .trial import Trial, record_steps, selectable_from

SCHEMA = 2
RENAMED = {"test": "test_share", "validation": "validation_share"}  # settings, since schema 1
GROWING = ("datasets", "algorithms", "configs", "splits")  # settings that a later plan may extend


@dataclass(frozen=True)
class Facts:
    """What planning and reading need to know of a data set, so that neither needs its files.

    The flip rate is that of wrong labels into candidate sets, with its standard error and why it
    may be no constant; None without candidate sets, and in plans from before it was kept.
    """

    fingerprint: str
    seed_name: str  # the benchmark's own spelling, or the fingerprint
    n: int
    d: int
    q: int
    n_validation: int
    n_test: int
    steps: int
    flip_rate: float | None = None
    flip_rate_error: float | None = None
    flip_doubt: str = ""


@dataclass(frozen=True)
class Plan:
    settings: Settings
    facts: Mapping[str, Facts]
    versions: Mapping[str, int]
    trials: tuple[Trial, ...]


def facts_of(data: Labelled, settings: Settings, seed_name: str | None, steps: int) -> Facts:
    """The facts of one data set under these settings."""
    shares = {"test": settings.test_share, "validation": settings.validation_share}
    split = data.split(settings.seed, **shares)
    for name, share in shares.items():
        if not len(getattr(split, name)):
            raise ValueError(
                f"{data.source or 'the data'} has {data.n} rows, too few for a {name} share of "
                f"{share:g}: that is no row at all. Raise --{name}-share."
            )
    fingerprint = data.fingerprint()
    flip = None
    if data.candidates is not None and data.q > 1:
        flip = constant_flip_rate(data.candidates)
    return Facts(
        fingerprint=fingerprint,
        seed_name=seed_name or fingerprint,
        n=data.n,
        d=int(data.inputs[0].size),
        q=data.q,
        n_validation=len(split.validation),
        n_test=len(split.test),
        steps=settings.steps or steps,
        flip_rate=flip.rate if flip else None,
        flip_rate_error=flip.error if flip else None,
        flip_doubt=flip.doubt if flip else "",
    )


def make_plan(settings: Settings, datasets: Mapping[str, tuple[Labelled, Facts]]) -> Plan:
    """The plan for these data sets.

    Raises:
        UnknownName: an algorithm that is not in the table.
        ValueError: an algorithm cannot learn from a data set, a batch would not fill, a fixed
            hyper-parameter is nobody's or out of range, or ``train-oracle`` is asked for with
            several configurations or without the truth.
    """
    oracle = settings.validation == "train-oracle"
    if oracle and settings.configs > 1:
        raise ValueError(
            f"`configs` is {settings.configs}, and with validation = train-oracle the validation "
            "rows are trained on: nothing is left to choose a configuration with. Use --configs 1."
        )
    pages = [algorithm(name, settings.variant) for name in settings.algorithms]
    labels = [page.label for page in pages]
    repeated = sorted({label for label in labels if labels.count(label) > 1})
    if repeated:
        raise ValueError(f"algorithms named twice: {', '.join(repeated)}.")
    _check_hyper(pages, settings.hyper)
    for name, (data, facts) in datasets.items():
        for page in pages:
            if problem := unlearnable(data, page.reads):
                raise ValueError(f"{page.label} cannot learn from {name}: {problem}")
        if oracle and (data.truth is None or (data.truth < 0).any()):
            raise ValueError(
                f"{name} lacks true labels, and train-oracle trains on those of the validation "
                "rows. Use --validation tune."
            )
        training = training_rows(facts, settings)
        largest = max(
            _hyper(page, settings, config, split)["batch_size"]
            for page in pages
            for config in range(settings.configs)
            for split in _splits(settings)
        )
        if training < largest:
            raise ValueError(
                f"{name} leaves {training} training rows, fewer than a batch of {largest}. Use "
                "more data, or lower --test-share and --validation-share."
            )
    versions = {page.label: page.version for page in pages}
    facts_by_name = {name: facts for name, (_, facts) in datasets.items()}
    return Plan(
        settings, facts_by_name, versions, tuple(_trials(settings, facts_by_name, versions))
    )


def training_rows(facts: Facts, settings: Settings) -> int:
    """How many rows each trial trains on."""
    held = facts.n_test + (facts.n_validation if settings.validation == "tune" else 0)
    return facts.n - held


def _hyper(page: Algorithm, settings: Settings, config: int, split: int) -> dict[str, Any]:
    drawn = configuration(page.settings(), config, split)
    return drawn | {name: value for name, value in settings.hyper.items() if name in drawn}


def _check_hyper(pages: Sequence[Algorithm], asked: Mapping[str, float]) -> None:
    known = {name for page in pages for name in page.settings()}
    for name, value in asked.items():
        if name not in known:
            raise ValueError(
                f"no algorithm that was asked for has a hyper-parameter {name!r}"
                f"{nearest(name, known)} They have {', '.join(sorted(known))}."
            )
        for page in pages:
            if name in page.settings():
                page.settings()[name].check(f"{page.label}'s {name}", value)


def _splits(settings: Settings) -> range:
    return range(settings.seed, settings.seed + settings.splits)


def _trials(
    settings: Settings, facts_by_name: Mapping[str, Facts], versions: Mapping[str, int]
) -> Iterable[Trial]:
    for name, facts in facts_by_name.items():
        for asked in settings.algorithms:
            page = algorithm(asked, settings.variant)
            released = page.variant == "plench"
            for config in range(settings.configs):
                for split in _splits(settings):
                    yield Trial(
                        dataset=name,
                        data=facts.fingerprint,
                        algorithm=page.name,
                        variant=page.variant,
                        version=versions[page.label],
                        config=config,
                        hyper=_hyper(page, settings, config, split),
                        net=settings.net,
                        scaling=settings.scaling or ("plench" if released else "train"),
                        split=split,
                        test=settings.test_share,
                        validation=settings.validation_share,
                        mode=settings.validation,
                        seed=hashed(facts.seed_name, page.name, config, split),
                        steps=facts.steps,
                        eval_every=settings.eval_every,
                        timing="plench" if released else "fixed",
                        dtype=settings.dtype,
                    )


def planned_runs(plan: Plan) -> list[Run]:
    """The plan as runs without records."""
    runs = []
    for trial in plan.trials:
        due = record_steps(trial.steps, trial.eval_every, trial.timing)
        facts = plan.facts[trial.dataset]
        page = algorithm(trial.algorithm, trial.variant)
        runs.append(
            Run(
                key=trial.key,
                dataset=trial.dataset,
                algorithm=trial.label,
                config=trial.config,
                split=trial.split,
                hyper=trial.hyper,
                record_steps=due,
                selectable_from=selectable_from(due, trial.timing),
                n_validation=facts.n_validation,
                n_test=facts.n_test,
                mode=trial.mode,
                reads=page.reads,
                networks=page.networks,
                n_train=training_rows(facts, plan.settings),
            )
        )
    return runs


# the file beside the journal


def write_plan(folder: Path, plan: Plan) -> None:
    about = {
        "schema": SCHEMA,
        "settings": plan.settings.model_dump(mode="json"),
        "data": {name: asdict(facts) for name, facts in plan.facts.items()},
        "versions": dict(plan.versions),
    }
    with replacing(folder / "plan.json") as file:
        file.write(json.dumps(about, indent=1).encode() + b"\n")


def read_plan(folder: Path) -> Plan | None:
    """The plan of a directory, or None when it has none.

    Raises:
        ValueError: the file is damaged or of another version.
    """
    path = folder / "plan.json"
    if not path.exists():
        return None
    try:
        about = json.loads(path.read_bytes())
        if about["schema"] not in (1, SCHEMA):
            raise ValueError(f"its schema is {about['schema']}, not {SCHEMA}")
        renamed = RENAMED if about["schema"] == 1 else {}
        settings = Settings(**{renamed.get(k, k): v for k, v in about["settings"].items()})
        facts = {name: Facts(**values) for name, values in about["data"].items()}
        versions = about["versions"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} cannot be read as a plan ({error}).") from None
    return Plan(settings, facts, versions, tuple(_trials(settings, facts, versions)))


def check_extends(folder: Path, old: Plan, new: Plan) -> None:
    """Refuse a plan that would contradict the directory it resumes.

    A plan may grow: more data sets, algorithms, configurations or splits.

    Raises:
        ValueError: names the setting, both values, and what to do.
    """
    then, now = old.settings.model_dump(), new.settings.model_dump()
    for name in then:
        if name not in GROWING and then[name] != now[name]:
            raise ValueError(_contradiction(folder, name, then[name], now[name]))
    for name in ("configs", "splits"):
        if now[name] < then[name]:
            raise ValueError(_contradiction(folder, name, then[name], now[name]))
    for name in ("datasets", "algorithms"):
        if lost := [value for value in then[name] if value not in now[name]]:
            raise ValueError(_contradiction(folder, name, then[name], now[name], lost))
    for name, facts in old.facts.items():
        if _identity(facts) != _identity(new.facts[name]):
            raise ValueError(
                f"{name} is not the data that {folder} was made with (fingerprint "
                f"{new.facts[name].fingerprint[:12]}, not {facts.fingerprint[:12]}). Use another "
                "--out."
            )
    for label, version in old.versions.items():
        if version != new.versions[label]:
            raise ValueError(
                f"{folder} was made with {label} version {version}; this candidly has version "
                f"{new.versions[label]}, whose numbers differ. Use another --out."
            )


def _identity(facts: Facts) -> Facts:
    """The facts without the estimates: those follow from the content, which has a fingerprint."""
    return replace(facts, flip_rate=None, flip_rate_error=None, flip_doubt="")


def _contradiction(folder: Path, name: str, then: object, now: object, lost: object = None) -> str:
    missing = f" ({lost} would be dropped)" if lost else ""
    return (
        f"{folder} was planned with {name} = {then}, this run says {now}{missing}. Repeat the old "
        "value to resume, or use another --out."
    )
