"""From names and settings to results: what ``candidly bench`` does, as functions."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..data import imperfect, sources
from ..data.ingest import Roles
from ..data.labels.labelled import Labelled
from ..ground.checks import OFFICIAL
from ..ground.names import UnknownName
from ..ground.problem import Refusal, passed
from ..ground.progress import OnProgress, part
from .sweep.facts import Facts
from .sweep.growing import extended
from .sweep.hours import Hours, hours
from .sweep.journal import read_results
from .sweep.plan import Plan, read_plan, training_rows
from .sweep.planning import facts_of, make_plan, published_facts
from .sweep.protocol import protocol_note, published_note, told_note
from .sweep.recorded import recorded
from .sweep.results import Results
from .sweep.rounds import foreseen
from .sweep.run import RunProgress, run_plan
from .sweep.settings import Settings, make_settings

DEFAULT_STEPS = 10_000  # where no source says

Data = str | Path | Labelled


def benchmark(
    datasets: Data | Sequence[Data] | Mapping[str, Labelled] | None = None,
    algorithms: str | Sequence[str] | None = None,
    *,
    out: Path | str | None = None,
    data: Path | str | None = None,
    device: str = "cpu",
    workers: int | None = None,
    on: str | None = None,
    stack: int | None = None,
    watch: Callable[[RunProgress], None] = lambda progress: None,
    accept_code: bool = False,
    **settings: Any,
) -> Results:
    """Train every algorithm x configuration x split on every data set, and return the results.

    Args:
        datasets: names of sources, paths of files, or data of your own; None: the preset's.
        algorithms: names, with a variant after a colon if need be (``"CAVL:plench"``); None: the
            preset's.
        out: results directory, resumed when it exists; by default a temporary one.
        data: folder in which files of sources are looked for first.
        device: ``cpu``, ``cuda``, ``cuda:1``, or several GPUs: ``cuda:0,cuda:1``.
        workers: processes, one thread each; by default one per core, or one per GPU.
        on: ``ray`` or ``ray:ADDRESS``: train on a cluster; None: here.
        stack: trials trained as one at most; by default what suits the device.
        watch: called with the progress after every record.
        accept_code: resume although the code of an algorithm has changed since; tables then name
            it.
        settings: the rest of ``sweep.settings.Settings``: ``configs``, ``splits``, ``steps``,
            ``eval_every``, ``seed``, ``labels``, ``variant``, ``scaling``, ``validation``, ...;
            with ``preset="plench-images"`` what is not given is as that protocol has it.

    Returns:
        the runs with their records; ``candidly.compare.accuracy_tables`` makes tables of them.

    Raises:
        ValueError, KeyError, FileNotFoundError, OSError: before anything is trained where
            possible; each names the thing, the value and the next step.
    """
    named = {} if datasets is None else _named(datasets)
    asked = make_settings(
        datasets=None if datasets is None else tuple(named),
        algorithms=(algorithms,) if isinstance(algorithms, str) else algorithms and (*algorithms,),
        **settings,
    )
    plan, loaded = prepare(asked, data, named)
    place: AbstractContextManager[Any] = (
        tempfile.TemporaryDirectory(prefix="candidly-") if out is None else nullcontext(out)
    )
    with place as folder:
        run_plan(
            plan,
            loaded,
            Path(folder),
            device=device,
            workers=workers,
            on=on,
            stack=stack,
            watch=watch,
            accept_code=accept_code,
        )
        return read_results(folder)


def prepare(
    settings: Settings,
    root: Path | str | None = None,
    own: Mapping[str, Data] | None = None,
    watch: OnProgress = lambda done, total: None,
    roles: Roles | None = None,
) -> tuple[Plan, dict[str, Labelled]]:
    """Load what the settings name, make its labels imperfect if they say so, and plan.

    Args:
        root: folder in which files of sources are looked for first.
        own: data to use for a name instead of loading it.
        watch: called with work done and work in all, by what takes long.
        roles: which column of the files is what.
    """
    planned = {
        name: _planned(settings, (own or {}).get(name, name), root, tell, roles)
        for name, tell in _each(settings, watch)
    }
    return make_plan(settings, planned), {name: data for name, (data, _) in planned.items()}


@dataclass(frozen=True)
class Foreseen:
    """A plan that data may be missing for.

    Attributes:
        plan: facts of a missing data set are the published ones, or those that were kept. What a
            search has not asked for yet is in it as drawn at random.
        missing: by name, why a data set is not there, and where to get it.
        keys: of the runs that can be made with the data that are here.
        finished: keys of the runs that the results directory has.
    """

    plan: Plan
    missing: Mapping[str, str]
    keys: tuple[str, ...]
    finished: frozenset[str]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Sizes and numbers of runs, by data set."""
        settings = self.plan.settings
        counts = Counter(trial.dataset for trial in self.plan.trials)
        done = Counter(trial.dataset for trial in self.plan.trials if trial.key in self.finished)
        oracle = settings.validation == "train-oracle"
        return [
            {
                "dataset": name,
                "n": facts.n,
                "features": facts.d,
                "classes": facts.q,
                "train": training_rows(facts, settings),
                "validation": 0 if oracle else facts.n_validation,
                "test": facts.n_test,
                "runs": counts[name],
                "done": done[name],
                "steps": None if settings.as_published else facts.steps,
            }
            for name, facts in self.plan.facts.items()
        ]

    @property
    def notes(self) -> list[str]:
        """What to know of how it is trained."""
        said = (say(self.plan.settings) for say in (protocol_note, published_note, told_note))
        return [note for note in said if note]

    def hours(
        self,
        device: str = "cpu",
        workers: int | None = None,
        stack: int | None = None,
        watch: OnProgress = lambda done, total: None,
    ) -> Hours:
        """What is not finished takes; see ``sweep.hours``, which measures for some seconds."""
        return hours(self.plan, self.finished, device, workers, stack, watch)

    def as_dict(self) -> dict[str, Any]:
        """All of it by name, of plain values."""
        settings = self.plan.settings
        return {
            "settings": settings.model_dump(mode="json"),
            "datasets": self.rows,
            "protocol": protocol_note(settings),
            "told": told_note(settings),
            "missing": dict(self.missing),
            "trials": list(self.keys),
        }


def foresee(
    settings: Settings,
    root: Path | str | None = None,
    watch: OnProgress = lambda done, total: None,
    roles: Roles | None = None,
    folder: Path | None = None,
    accept_code: bool = False,
) -> Foreseen:
    """The plan as ``prepare`` makes it, also where known data sets are not on this machine.

    Nothing can be run by it.

    Args:
        root, watch, roles: as for ``prepare``.
        folder: a results directory, which may be there: what it has is finished, and its plan
            knows the sizes of data sets that are missing.
        accept_code: whether what is there may be of other code of an algorithm.

    Raises:
        FileNotFoundError: no such file, and nothing is known of the data.
        ValueError: the results directory is of other settings.
    """
    old = None if folder is None else read_plan(folder)
    planned: dict[str, tuple[Labelled | None, Facts]] = {}
    missing = {}
    for name, tell in _each(settings, watch):
        try:
            planned[name] = _planned(settings, name, root, tell, roles)
        except FileNotFoundError as error:
            facts = (old.facts if old else {}).get(name) or _published(settings, name)
            if facts is None:
                raise
            if settings.labels:
                imperfect.canonical(settings.labels)  # or an error that names what is wrong with it
            planned[name], missing[name] = (None, facts), str(error)
    made = make_plan(settings, planned)
    if old is not None and folder is not None:
        made = extended(folder, old, made, accept_code)
    keys = tuple(trial.key for trial in made.trials if trial.dataset not in missing)
    made = foreseen(made)
    finished = frozenset() if folder is None else frozenset(recorded(made, folder).finished)
    return Foreseen(made, missing, keys, finished)


def _each(settings: Settings, watch: OnProgress) -> Iterator[tuple[str, OnProgress]]:
    """Every data set, with who is told of its part of the work."""
    whole = len(settings.datasets)
    for number, name in enumerate(settings.datasets):
        yield name, part(watch, number, number + 1, whole)


def _planned(
    settings: Settings,
    what: Data,
    root: Path | str | None,
    watch: OnProgress,
    roles: Roles | None,
) -> tuple[Labelled, Facts]:
    """One data set with the labels to learn from, and its facts."""
    known = None
    if isinstance(what, Labelled):
        labelled = what
    else:
        known = _source(str(what))
        looked_for = known is not None and known.files
        others = any(source and source.files for source in map(_source, settings.datasets))
        root = root if looked_for or not others else None  # which is for some of them
        tested = settings.split == "official"
        reading = part(watch, 0, 1, 2)
        labelled = sources.load(str(what), root, watch=reading, roles=roles, tested=tested)
    if known is None:
        _check_split(labelled, settings)
    if settings.labels:
        labelled = imperfect.apply(labelled, settings.labels, part(watch, 1, 2, 2))
    # synthetic labels are not the benchmark's data: they are seeded by their content
    seed_name = known.title if known and not settings.labels else None
    steps = known.steps if known else DEFAULT_STEPS
    return labelled, facts_of(labelled, settings, seed_name, steps)


def _check_split(data: Labelled, settings: Settings) -> None:
    """Ask, where somebody's data name their own test or validation rows and nobody said a split.

    Known data sets are mixed by default, as their published protocols have it.

    Raises:
        Refusal: rows that are set apart would be learned from.
    """
    apart = {name: getattr(data, name) for name in OFFICIAL}
    there = [
        f"{int(rows.sum()):,} {name.replace('_', ' ')} rows"
        for name, rows in apart.items()
        if rows is not None and rows.any()
    ]
    if there and "split" not in settings.model_fields_set:
        raise Refusal(
            f"{data.source or 'the data'} has {' and '.join(there)}, which a random split mixes"
            " with those to learn from.",
            f"hold them out with {passed('split', 'official')}",
            f"mix all rows with {passed('split', 'random')}",
        )


def _published(settings: Settings, name: str) -> Facts | None:
    """What is known of a data set without its file; None where that is not enough."""
    source = _source(name)
    if source is None:
        return None
    expected = source.expected
    inputs = (expected.d,) if expected.d else expected.texts or expected.shape
    if not inputs or expected.n is None:
        return None
    beside = source.test_rows if settings.split == "official" else 0
    tested = expected.n_test or beside
    n = expected.n + (tested if source.learned or beside else 0)
    counts = n, expected.q, inputs, tested
    return published_facts(settings, source.title, source.steps, *counts)


def _source(name: str) -> sources.Source | None:
    try:
        return sources.source_of(name)
    except (UnknownName, ValueError):
        return None


def _named(datasets: Data | Sequence[Data] | Mapping[str, Labelled]) -> dict[str, Data]:
    if isinstance(datasets, Mapping):
        return dict(datasets)
    several = [datasets] if isinstance(datasets, str | Path | Labelled) else list(datasets)
    named: dict[str, Data] = {}
    for number, what in enumerate(several, 1):
        name = (what.source or f"data {number}") if isinstance(what, Labelled) else str(what)
        if name in named:
            raise ValueError(f"two data sets are called {name!r}; give a dict of your own names.")
        named[name] = what
    return named
