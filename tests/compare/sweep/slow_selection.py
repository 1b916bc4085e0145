"""The rule of selection run by run and record by record, slowly, written from docs/benchmark.md."""

from __future__ import annotations


def alive(record):
    return record.diverged_at is None and record.pruned_at is None


def compared(run, criterion):
    """The records of a run that a criterion looks at, with its values."""
    part = "test" if criterion.on_test else "validation"
    there = run.records[-1:] if criterion.last_record_only else run.records
    found = []
    for record in there:
        if record.step >= run.selectable_from and alive(record):
            value = (
                0.0 if criterion.measure is None else getattr(record, part).get(criterion.measure)
            )
            if value is not None:
                found.append((record, value))
    return found


def choices(runs, criterion):
    """By data set, algorithm and split: configuration, record, value, and how many are tied."""
    groups = {}
    for run in runs:
        if run.complete and not (criterion.defaults_only and run.config):
            for record, value in compared(run, criterion):
                groups.setdefault((run.dataset, run.algorithm, run.split), []).append(
                    (value, run.config, -record.step, run, record)
                )
    found = {}
    for place, every in groups.items():
        best = max(every, key=lambda one: one[:3])
        tied = {config for value, config, *_ in every if value == best[0]}
        _, config, _, run, record = best
        error = record.validation.get(f"{criterion.measure} error")
        found[place] = (
            *(config, record.step, None if criterion.measure is None else best[0], len(tied)),
            *(dict(record.test), error, run.key, record.step * run.networks),
        )
    return found


def labels_looked_up(runs, criterion):
    """By data set and algorithm, of complete runs."""
    found = {}
    for run in runs:
        place = run.dataset, run.algorithm
        found.setdefault(place, 0)
        if run.complete and run.mode == "train-oracle":
            found[place] += run.n_validation
        elif run.complete and criterion.reads_truth:
            rows = run.n_test if criterion.on_test else run.n_validation
            found[place] += rows * len(compared(run, criterion))
    return found


def untested(runs):
    recorded = {run.dataset for run in runs if any(map(alive, run.records))}
    return recorded - {
        run.dataset
        for run in runs
        for record in run.records
        if alive(record) and any(value is not None for value in record.test.values())
    }


def counts(runs):
    found = {}
    for run in runs:
        mine = found.setdefault((run.dataset, run.algorithm), [0, 0, 0, 0, 0, set()])
        mine[0] += 1
        mine[1] += run.complete
        mine[2] += bool(run.records) and not run.complete
        mine[3] += run.diverged_at is not None
        mine[4] += run.pruned_at is not None
        if not run.complete:
            mine[5].add(run.split)
    return {place: (*mine[:5], tuple(sorted(mine[5]))) for place, mine in found.items()}


def spent(runs, dataset):
    found = {}
    for run in runs:
        if run.dataset == dataset:
            mine = found.setdefault(run.algorithm, [])
            if run.complete:
                last = run.records[-1]
                how = last.step, last.seconds, last.memory_bytes, run.epochs(last.step)
                mine.append((run.networks, *how))
    return found
