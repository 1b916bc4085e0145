"""The plan of a directory: what is to be trained, and the file that says so.

Reading it loads no algorithm: what tables need of one is in the file.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, overload

from ...ground.files import replacing
from ...ground.names import UnknownName
from ...ground.problem import Refusal
from ...ground.seeds import hashed_text
from ...ground.spec import halves
from ...ground.version import software
from .as_published import net_asked, recipe_of, steps_of
from .facts import Drawn, Facts, PlannedMethod
from .records import Run
from .search import search
from .settings import Settings, hyper_on, kept_settings
from .trial import Row, Trial, keys_of, record_steps, selectable_from

SCHEMA = 3
OF_TEXTS = ("special", "names")


Found = Mapping[str, Mapping[str, Drawn]]


@dataclass(frozen=True)
class Plan:
    """What is to be trained: settings, what was true of the data and of the algorithms by label.

    Attributes:
        found: hyper-parameters that a search has asked for so far, behind those that methods have:
            by data set and label, for each split those of one configuration after the other.
        made_with: versions of candidly, Python and libraries, a text for each set of them that has
            written the plan so far.
        codes: of what measures runs and is not candidly's, metrics and the criterion of a search,
            by ``metric NAME`` what ``plugins.code`` said of it, the last one last.
    """

    settings: Settings
    facts: Mapping[str, Facts]
    methods: Mapping[str, PlannedMethod]
    trials: Sequence[Trial]
    found: Found = field(default_factory=dict)
    made_with: tuple[str, ...] = field(default=(), compare=False)
    codes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def examples(self) -> Sequence[Trial]:
        """Trials that have the data sets, algorithms, networks and recipes of all."""
        trials = self.trials
        if isinstance(trials, PlannedTrials):
            return [group.first for group in trials.groups]
        return trials

    @property
    def plugins(self) -> tuple[tuple[str, str, str], ...]:
        """Kind, name and plug-in, ``my.py@0123456789abcdef`` or '', of algorithms and metrics."""
        names = {halves(label)[0]: method.plugin for label, method in self.methods.items()}
        metrics = (text.partition("@") for text in self.settings.metrics)
        return (
            *(("algorithm", name, text) for name, text in names.items()),
            *(("metric", name, text) for name, _, text in metrics),
        )

    @property
    def versions(self) -> dict[str, int]:
        """Of the algorithms, by label."""
        return {label: method.version for label, method in self.methods.items()}


def training_rows(facts: Facts, settings: Settings) -> int:
    """How many rows each trial trains on."""
    held = facts.n_test + (facts.n_validation if settings.validation == "tune" else 0)
    return facts.n - held


def net_of(facts: Facts, settings: Settings) -> str:
    """The network of trials on a data set; plans of before kept it in their settings alone."""
    return facts.net or settings.net or "mlp"


def made_plan(
    settings: Settings,
    facts: Mapping[str, Facts],
    methods: Mapping[str, PlannedMethod],
    found: Found,
    made_with: tuple[str, ...] = (),
    codes: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> Plan:
    """The plan with its trials."""
    trials = PlannedTrials(settings, facts, methods, found)
    return Plan(settings, facts, methods, trials, found, made_with, codes)


@dataclass(frozen=True, eq=False)
class TrialGroup:
    """Trials of one data set and algorithm; they differ in configuration, split, values, seed.

    Attributes:
        first: of them.
        rows: configuration, split, hyper-parameters and seed of each.
    """

    first: Trial
    rows: Sequence[Row]
    written: dict[int, str] = field(default_factory=dict)  # see ``keys_of``; of all groups

    @cached_property
    def keys(self) -> list[str]:
        return keys_of(self.first, self.rows, self.written)

    def trials(self) -> Iterable[Trial]:
        alike = {one.name: getattr(self.first, one.name) for one in fields(Trial)}
        for key, (config, split, hyper, seed) in zip(self.keys, self.rows):
            trial = Trial(
                **alike | {"config": config, "split": split, "hyper": hyper, "seed": seed}
            )
            trial.__dict__["key"] = key  # which it would compute
            yield trial


class PlannedTrials(Sequence[Trial]):
    """Every training that is known: data sets by algorithms by configurations by splits.

    They are made when they are first asked for: tables need groups and keys alone.
    """

    def __init__(
        self,
        settings: Settings,
        facts_by_name: Mapping[str, Facts],
        methods: Mapping[str, PlannedMethod],
        found: Found,
    ):
        self._of = settings, facts_by_name, methods, found

    @cached_property
    def groups(self) -> tuple[TrialGroup, ...]:
        return tuple(_groups(*self._of))

    @cached_property
    def _all(self) -> tuple[Trial, ...]:
        return tuple(trial for group in self.groups for trial in group.trials())

    def __len__(self) -> int:
        return sum(len(group.rows) for group in self.groups)

    @overload
    def __getitem__(self, at: int) -> Trial: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Trial]: ...

    def __getitem__(self, at: int | slice) -> Trial | Sequence[Trial]:
        return self._all[at]

    def __iter__(self) -> Iterator[Trial]:
        return iter(self._all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._all == tuple(other)

    def __hash__(self) -> int:
        return hash(len(self))


def _groups(
    settings: Settings,
    facts_by_name: Mapping[str, Facts],
    methods: Mapping[str, PlannedMethod],
    found: Found,
) -> Iterable[TrialGroup]:
    searched = search(settings.search)
    written: dict[int, str] = {}
    for name, facts in facts_by_name.items():
        for label, method in methods.items():
            recipe = recipe_of(settings, facts.kind, label).text
            net = net_asked(settings, label)
            algorithm, variant = halves(label)
            released = variant == "plench"
            official = settings.split == "official"
            drawn, asked = method.hyper_for(facts.kind), found.get(name, {}).get(label, ())
            said = hyper_on(settings, name)
            names = str((facts.seed_name, method.seed_name)).removesuffix(")")
            rows = [
                (config, split, _with(hyper, said), hashed_text(f"{names}, {config}, {split})"))
                for config, split, hyper in _configurations(drawn, asked, settings.seed)
            ]
            if not rows:
                continue
            config, split, hyper, seed = rows[0]
            first = Trial(
                dataset=name,
                data=facts.fingerprint,
                algorithm=algorithm,
                variant=variant or "fixed",
                version=method.version,
                config=config,
                hyper=hyper,
                net=net_of(facts, settings) if net == settings.net or not net else net,
                scaling=settings.scaling or ("plench" if released else "train"),
                split=split,
                test=0.0 if official else settings.test_share,
                validation=settings.validation_share,
                mode=settings.validation,
                seed=seed,
                steps=steps_of(settings, facts, label, training_rows(facts, settings)),
                eval_every=settings.eval_every,
                timing="plench" if released else "fixed",
                dtype=settings.dtype,
                test_set=settings.split,
                recipe=recipe,
                pruned_by=searched.text if searched.prune else "",
            )
            yield TrialGroup(first, rows, written)


def _with(
    hyper: Mapping[str, float | int], said: Mapping[str, float | int]
) -> Mapping[str, float | int]:
    """The hyper-parameters of a run, with the values that were said of them."""
    own = {name: value for name, value in said.items() if hyper.get(name, value) != value}
    return {**hyper, **own} if own else hyper


def _configurations(
    drawn: Drawn, found: Drawn, seed: int
) -> Iterable[tuple[int, int, Mapping[str, float | int]]]:
    """Configuration, split and hyper-parameters: what was drawn, then what was asked for."""
    for config, by_split in enumerate(drawn):
        for split, hyper in enumerate(by_split, seed):
            yield config, split, hyper
    for number in range(max(map(len, found), default=0)):
        for split, asked in enumerate(found, seed):
            if number < len(asked):
                yield len(drawn) + number, split, asked[number]


def planned_runs(plan: Plan) -> list[Run]:
    """The plan as runs without records; those that a search has not asked for have no values."""
    runs = [run_of(plan, trial) for trial in plan.trials]
    return [*runs, *_to_be_asked(runs, plan.settings)]


def run_of(plan: Plan, trial: Trial) -> Run:
    """A trial of the plan as a run without records."""
    due = record_steps(trial.steps, trial.eval_every, trial.timing)
    facts, method = plan.facts[trial.dataset], plan.methods[trial.label]
    return Run(
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
        reads=method.reads,
        networks=method.networks,
        n_train=training_rows(facts, plan.settings),
    )


def _to_be_asked(runs: Sequence[Run], settings: Settings) -> Iterable[Run]:
    """Runs in place of those that a search will ask for."""
    last: dict[tuple[str, str, int], Run] = {}
    for run in runs:
        last[run.dataset, run.algorithm, run.split] = run
    for run in last.values():
        for config in range(run.config + 1, settings.configs):
            place = f"{run.dataset}, {run.algorithm}, split {run.split}, configuration {config}"
            yield replace(run, key=f"not asked for yet: {place}", config=config, hyper={})


# the file beside the journal


def write_plan(folder: Path, plan: Plan) -> None:
    """Write ``plan.json``, and wait until it is on the disk."""
    made_with = dict.fromkeys((*plan.made_with, software()))
    about = {
        "schema": SCHEMA,
        "made_with": list(made_with),
        "settings": plan.settings.model_dump(mode="json"),
        "data": {name: asdict(facts) for name, facts in plan.facts.items()},
        "algorithms": {label: asdict(method) for label, method in plan.methods.items()},
        **({"codes": dict(plan.codes)} if plan.codes else {}),
        **({"found": plan.found} if plan.found else {}),
    }
    with replacing(folder / "plan.json", synced=True, again=True) as file:
        file.write(_written(about | {"crc32": _checksum(about)}).encode())


def _written(about: Mapping[str, Any]) -> str:
    """JSON with a line for each setting, data set and algorithm."""
    parts = []
    for name, value in about.items():
        text = json.dumps(value)
        if isinstance(value, dict):
            lines = (f"  {json.dumps(key)}: {json.dumps(one)}" for key, one in value.items())
            text = "{\n" + ",\n".join(lines) + "\n }"
        parts.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _checksum(about: Mapping[str, Any]) -> str:
    """Of the values, however they are written."""
    return f"{zlib.crc32(json.dumps(about, sort_keys=True).encode()):08x}"


def read_plan(folder: Path) -> Plan | None:
    """The plan of a directory, or None when it has none.

    Raises:
        ValueError: the file is damaged or of another version; says what to do.
    """
    path = folder / "plan.json"
    if not path.exists():
        return None
    try:
        about = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise _damaged(path, "it is no JSON") from None
    if not isinstance(about, dict) or "schema" not in about:
        raise _damaged(path, "it has no schema")
    schema = about["schema"]
    if schema != SCHEMA:
        raise ValueError(
            f"{path} has schema {schema!r}, and this candidly reads {SCHEMA}. Use the version of"
            " candidly that wrote it."
        )
    if about.pop("crc32", None) != _checksum(about):
        raise _damaged(path, "it does not match its checksum")
    try:
        settings = kept_settings(about["settings"])
        facts = {name: _facts(values) for name, values in about["data"].items()}
        methods = _methods(about)
        found = {
            name: {label: _tuples(asked) for label, asked in by_label.items()}
            for name, by_label in about.get("found", {}).items()
        }
        codes = {name: tuple(map(str, some)) for name, some in about.get("codes", {}).items()}
    except UnknownName as error:
        raise ValueError(f"{path} names an algorithm that is not there: {error}") from None
    except KeyError as error:
        raise _damaged(path, f"it lacks {error.args[0]}") from None
    except (ValueError, TypeError, AttributeError) as error:
        # only candidly's own sentences say something to a reader
        raise _damaged(path, str(error) if type(error) in (ValueError, Refusal) else "") from None
    made_with = tuple(map(str, about.get("made_with", ())))
    return made_plan(settings, facts, methods, found, made_with, codes)


def _facts(kept: Mapping[str, Any]) -> Facts:
    several = {name: tuple(kept.get(name, ())) for name in ("shape", *OF_TEXTS)}
    return Facts(**{**kept, **several})


def _damaged(path: Path, why: str) -> ValueError:
    return ValueError(
        f"{path} cannot be read as a plan{f': {why}' if why else ''}. Restore it from a copy. "
        f"Without one, move it away and repeat the command that made {path.parent}: the records "
        "in its journal count again."
    )


def _methods(about: Mapping[str, Any]) -> dict[str, PlannedMethod]:
    return {
        label: PlannedMethod(
            **kept
            | {name: tuple(kept[name]) for name in ("reads", "code")}
            | {
                name: _tuples(kept.get(name, ()))
                for name in ("hyper", "of_pictures", "of_language")
            }
        )
        for label, kept in about["algorithms"].items()
    }


def _tuples(drawn: Sequence[Sequence[Mapping[str, float | int]]]) -> Drawn:
    return tuple(tuple(by_split) for by_split in drawn)
