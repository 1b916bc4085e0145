"""A search round by round: which runs may begin, what to ask for next, and when a run is stopped.

A data set, an algorithm and a split make a study. The runs of a round depend on those of the
study's earlier rounds alone, whatever the number of workers, the size of stacks and the order in
which runs end: a sweep that is stopped and resumed, or grown, asks for the same configurations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...ground.seeds import hashed
from ...learn.algorithms import Algorithm
from .facts import Facts
from .methods import drawn_at_random, methods_asked, space_of, splits_of
from .plan import Found, Plan, made_plan
from .records import Record, Run
from .search import search
from .select import Criterion, chosen_record, value_of
from .suggest import Tried, stops, suggest
from .trial import Trial

Study = tuple[str, str, int]  # data set, label and split


@dataclass(frozen=True)
class Pruning:
    """What decides whether trials of one data set and algorithm go on, in plain values.

    Attributes:
        search: as text.
        reads: labels that the algorithm learns from.
        selectable_from: the first step that is looked at.
        finished: by split, the values by step of each run of an earlier round that is finished.
        own: by trial key, the trial's values by step so far.
    """

    search: str
    reads: tuple[str, ...]
    selectable_from: int
    finished: Mapping[int, Sequence[Mapping[int, float]]]
    own: Mapping[str, Mapping[int, float]]


def study_of(trial: Trial) -> Study:
    return trial.dataset, trial.label, trial.split


def ready(plan: Plan, finished: Collection[str]) -> list[Trial]:
    """Trials to train now: those of the first round of their study that is not finished."""
    asked = search(plan.settings.search)
    left = [trial for trial in plan.trials if trial.key not in finished]
    current: dict[Study, int] = {}
    for trial in left:
        study, number = study_of(trial), asked.round_of(trial.config)
        current[study] = min(number, current.get(study, number))
    return [t for t in left if asked.round_of(t.config) == current[study_of(t)]]


def with_next_round(plan: Plan, runs: Iterable[Run]) -> Plan:
    """The plan with the configurations that the next round of every study trains.

    Args:
        runs: the planned ones with their records; a study with a run that is not complete waits.
    """
    asked = search(plan.settings.search)
    if not asked.learns:
        return plan
    by_study = _by_study(runs)
    found: dict[str, dict[str, Any]] = {}
    for method in methods_asked(plan.settings):
        for name, facts in plan.facts.items():
            studies = [by_study.get((name, method.label, s), ()) for s in splits_of(plan.settings)]
            found.setdefault(name, {})[method.label] = tuple(
                _with_next_round(plan, method, facts, study) for study in studies
            )
    return _with_found(plan, found)


def _with_found(plan: Plan, found: Found) -> Plan:
    some = {name: {k: v for k, v in one.items() if any(v)} for name, one in found.items()}
    found = {name: value for name, value in some.items() if value}
    return made_plan(plan.settings, plan.facts, plan.methods, found, plan.made_with, plan.codes)


def _with_next_round(
    plan: Plan, method: Algorithm, facts: Facts, runs: Sequence[Run]
) -> tuple[Mapping[str, float | int], ...]:
    """What was found for a study, and behind it what the next round trains."""
    settings, kept = plan.settings, plan.methods[method.label]
    asked = search(settings.search)
    start = asked.drawn(settings.configs)
    found = [run.hyper for run in runs if run.config >= start]
    if not all(run.complete for run in runs) or len(runs) >= settings.configs:
        return tuple(found)
    first, split = len(runs), runs[0].split
    number = asked.round_of(first)
    criterion = asked.criterion(kept.reads)
    space = space_of(method, settings, facts.kind)
    able = {name: one for name, one in space.items() if one.exponents or one.choices}
    tried = [_tried(run, criterion, asked.round_of(run.config) < number) for run in runs]
    for config in range(first, min(asked.round_end(first), settings.configs)):
        seed = hashed("search", facts.seed_name, kept.seed_name, split, config)
        hyper = drawn_at_random(method, settings, facts.kind, config, split)
        hyper |= suggest(able, tried, seed) if able else {}
        found.append(hyper)
        tried.append(Tried(hyper))
    return tuple(found)


def foreseen(plan: Plan) -> Plan:
    """The plan with configurations drawn at random where a search has not asked for them yet."""
    asked, settings = search(plan.settings.search), plan.settings
    if not asked.learns:
        return plan
    first = asked.drawn(settings.configs)
    found: dict[str, dict[str, Any]] = {}
    for method in methods_asked(settings):
        for name, facts in plan.facts.items():
            there = plan.found.get(name, {}).get(method.label, ())
            every = []
            for number, split in enumerate(splits_of(plan.settings)):
                mine = there[number] if number < len(there) else ()
                rest = range(first + len(mine), settings.configs)
                drawn = (drawn_at_random(method, settings, facts.kind, h, split) for h in rest)
                every.append((*mine, *drawn))
            found.setdefault(name, {})[method.label] = tuple(every)
    return _with_found(plan, found)


def pruning_of(plan: Plan, runs: Iterable[Run], trials: Sequence[Trial]) -> Pruning | None:
    """What decides whether trials that may train as one stack go on; None where they all do."""
    asked, first = search(plan.settings.search), trials[0]
    rounds = {trial.split: asked.round_of(trial.config) for trial in trials}
    if not asked.prune or not any(rounds.values()):
        return None
    reads = plan.methods[first.label].reads
    criterion = asked.criterion(reads)
    by_study = _by_study(runs)
    keys = {trial.key for trial in trials}
    finished: dict[int, list[Mapping[int, float]]] = {}
    own: dict[str, Mapping[int, float]] = {}
    for split, number in rounds.items():
        finished[split] = []
        for run in by_study[first.dataset, first.label, split]:
            one = _tried(run, criterion, finished=True)
            if run.key in keys:
                own[run.key] = one.values
            elif asked.round_of(run.config) < number and not one.pruned:
                finished[split].append(one.values)
    from_step = min(run.selectable_from for run in by_study[study_of(first)])
    return Pruning(asked.text, reads, from_step, finished, own)


def pruning_of_json(about: Mapping[str, Any]) -> Pruning:
    """The value again, of which JSON has made texts of the numbers that are keys."""

    def steps(values: Mapping[str, float]) -> dict[int, float]:
        return {int(step): value for step, value in values.items()}

    return Pruning(
        about["search"],
        tuple(about["reads"]),
        about["selectable_from"],
        {int(split): list(map(steps, runs)) for split, runs in about["finished"].items()},
        {key: steps(values) for key, values in about["own"].items()},
    )


def stopped(pruning: Pruning, trial: Trial, records: Sequence[Record]) -> bool:
    """Whether a trial is stopped at the last of its records since it was taken up."""
    asked, step = search(pruning.search), records[-1].step
    values = _values(records, asked.criterion(pruning.reads), pruning.selectable_from)
    if step not in values or step == trial.steps:
        return False
    before = pruning.own.get(trial.key, {})
    own = {at: value for at, value in before.items() if at < step} | values
    return stops(asked.prune, pruning.finished[trial.split], own)


def _tried(run: Run, criterion: Criterion, finished: bool) -> Tried:
    """A run as a search sees it; one of the same round is in training, whatever it has reached."""
    if not finished:
        return Tried(run.hyper)
    record = chosen_record(run, criterion)
    value = None if record is None else value_of(record, criterion)
    values = _values(run.records, criterion, run.selectable_from)
    return Tried(run.hyper, value or 0.0, values, run.pruned_at is not None)


def _values(
    records: Iterable[Record], criterion: Criterion, selectable_from: int
) -> dict[int, float]:
    """What a criterion says of records, by step, where it says something."""
    said = {r.step: value_of(r, criterion) for r in records if r.step >= selectable_from}
    return {step: value for step, value in said.items() if value is not None}


def _by_study(runs: Iterable[Run]) -> dict[Study, list[Run]]:
    """Runs that are known, in order of configurations."""
    found: dict[Study, list[Run]] = {}
    for run in runs:
        if run.hyper:
            found.setdefault((run.dataset, run.algorithm, run.split), []).append(run)
    for study in found.values():
        study.sort(key=lambda run: run.config)
    return found


def _splits(plan: Plan) -> range:
    return range(plan.settings.seed, plan.settings.seed + plan.settings.splits)
