"""Running a plan: here or in worker processes, resumable at any moment.

* A journal of JSON lines, one file per process, whole lines per append, each with a checksum.
  Readers skip what they cannot parse or what does not match, and say so; of equal (key, step) they
  take the first line. Compacting writes all readable records to one Parquet file (``packed.py``),
  synced and read back before an old file goes; readers take it first, as what was there before. Its
  checksum is in its name, so that writing and naming it is one step; it is checked as a whole
  before each reading, and is right or refused.
* Columns. Ten runs are read as a million are. Files of columns and lines, each in order of key and
  step, are merged piece by piece (``columns.merged``), so that all records of a run are in one
  piece, once. A pass computes for all runs of a piece what is asked of each: how far it is, what a
  criterion chooses, what its last record says (``parts.py``); what remains is an array with an
  entry per run (``runs.Runs``). Trials of one data set and algorithm are a group, whose keys are
  computed together (``plan.TrialGroup``, ``trial.keys_of``), and trials are made when somebody asks
  for them. ``select``, ``counts``, ``spent``, ``gap`` and ``recorded`` ask for less than all
  records; ``tests/compare/sweep/slow_selection.py`` says run by run what they have to find. As a
  sequence, runs are objects with all their records. A search decides by such objects (``rounds``),
  as the next round depends on them.
* Resuming is subtraction: planned trials minus those with every record that is due
  (``recorded.py``). Stacks with a checkpoint are taken up as they were, because a checkpoint names
  its members; only the rest is packed anew. Hence another stack size, worker count or a longer plan
  loses nothing. A checkpoint behind which a record is missing, or that does not match its checksum,
  is discarded: going on from it would leave that record out for good.
* Order on the disk: folders and plan before training, journal before a checkpoint, all records
  before a run is named done. A power cut may drop whatever was not synced
  (``tests/compare/sweep/power_cut.py`` drops any part of it), and resuming still ends with the same
  numbers. At the end the journal is read again: a run whose records are not there is no success.
* A checkpoint is everything that changes (``Stack.state``), written beside and renamed, at records,
  as often as costs at most 5 % of the time. A kill between a record and its checkpoint repeats
  lines; see above.
* A search has no state but the plan and the journal (``rounds.py``). A data set, an algorithm and a
  split make a study; configurations have rounds. What the next round trains, and whether a run of
  it is stopped, follows from the records of the study's earlier rounds and a seed alone, with a new
  Optuna sampler each time; it is in the plan before it is trained. So neither workers, nor stacks,
  nor a kill changes it, and a plan that grows asks for what a larger one would have. A stopped run
  leaves its stack: a smaller stack takes up the state of the others (``checkpoint.state_of_some``)
  and is saved, and only then is the stopped one given its remaining records, without values.
* Where results go (``keeping.py``): a task writes its records and states to the disk itself, or, on
  a cluster, sends them as messages, and the driver, which alone writes, applies them in their
  order. A message is whole: records, a state, the records of a stopped trial and the deletion of an
  old state come together, as they would be written. What a lost worker had not sent is trained
  again from the last state that came. Nodes have the data from their object store, and the copies
  of networks, policies and plug-ins from a message; they share no folder. ``versions`` says what
  must agree: sources of candidly, Python, torch, NumPy, and what the processor's kernels are.
* What a task raises on a cluster fails its runs, and no others (``failed.py``); they are in no
  table, and tried again by the next run.
* A plug-in (``plugins.py``) adds to the explicit tables, by ``register``, while its file is run;
  the table of kinds names tables of rooms above, which are imported when something is registered.
  The bytes that are hashed are those that are run. A plan holds the hash of each algorithm's and
  metric's source, and the directory a copy, which workers load before their first task; a network's
  name stands for its file, which has had such rules before (``own_files.py``).
* Code. The plan keeps a hash of what each method computes (``compare/sweep/code.py``): the
  definitions that it reaches in the files of ``learn/algorithms/``, without comments, docstrings
  and texts about it; of a method, metric or criterion that is not candidly's, its compiled
  functions (``ground/followed.py``).
  Resuming with other code is refused or, with ``--accept-code``, noted in tables; reading notes it
  too. It is no part of a trial's key: ``version`` says which released numbers are the same.
* A trial's key covers the data's content, algorithm, variant, version, hyper-parameters, net,
  scaling, split, seed, steps, record times and dtype, and what came later where it is not as before
  (recipe, official test set); a user's network counts by its file's content; no name, path, host,
  device or worker count. Moving data or results changes nothing.
* A plan may grow (data sets, algorithms, configurations, splits); what contradicts the directory is
  refused. Estimates among the facts are not compared: the fingerprint covers what they follow from,
  and directories from before them go on.
* Tables and reports are made from plan and journal alone: the plan holds what they need of data
  sets and algorithms (``Facts``, ``PlannedMethod``), so that reading loads no torch. Only complete
  runs are chosen from.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ...data.labels.labelled import Labelled
from ...ground.cluster import Cluster, check_device_there, cluster_of
from ...ground.device import check_devices
from ...ground.files import check_folder, sync_folder
from ...ground.numbers import whole
from ...learn.engine.recipe import recipe, unsuited_to
from .execute import Step
from .failed import write_failed
from .growing import extended
from .journal import read_records, runs_with
from .lock import locked
from .on_ray import on_ray
from .own_files import check_seen, keep_copies, keep_plugins
from .pack import StackTask, cost, make_tasks
from .plan import Plan, read_plan, write_plan
from .pool import Interrupted, Train, here, in_workers
from .recorded import recorded, recorded_among
from .records import Record
from .rounds import Study, pruning_of, ready, study_of, with_next_round
from .search import search
from .trial import Trial

__all__ = ["Interrupted", "RunProgress", "run_plan"]


@dataclass(frozen=True)
class RunProgress:
    """How far a run is. ``work`` counts up to ``total`` in units of equal expected time.

    ``fresh`` is the part of ``work`` that was done since the run began; the rest was there before.
    """

    work: float
    total: float
    runs_done: int
    runs: int
    fresh: float = 0.0


def run_plan(
    plan: Plan,
    datasets: Mapping[str, Labelled],
    out: Path,
    *,
    device: str = "cpu",
    workers: int | None = None,
    on: str | None = None,
    stack: int | None = None,
    watch: Callable[[RunProgress], None] = lambda progress: None,
    accept_code: bool = False,
) -> None:
    """Train every trial of ``plan`` that ``out`` does not hold yet.

    Args:
        datasets: the data by the plan's names.
        out: the results directory; made when it is missing, resumed when it holds this plan or a
            smaller one.
        device: ``cpu``, ``cuda``, ``cuda:1``, or several GPUs: ``cuda:0,cuda:1``.
        workers: processes, each with one thread; by default one per core, or one per GPU. Each has
            one of the GPUs, in turn. On a cluster: tasks at the same time, at most; more than
            there are GPUs share them.
        on: ``ray`` or ``ray:ADDRESS``: train on a cluster, on ``cpu`` or ``cuda``; None: here.
        stack: trials per stack at most; by default what suits the device.
        watch: called with the progress after every record.
        accept_code: resume although the code of an algorithm has changed since.

    Raises:
        BlockingIOError: another process is at work on ``out``.
        ValueError: the plan contradicts the one in ``out``, or an argument is impossible.
        OSError: ``out`` cannot be written.
        Interrupted: a worker died or failed, or records were lost while training went on.
    """
    cluster = None if on is None else cluster_of(on)
    devices = check_devices(device) if cluster is None else check_device_there(device)
    several = check_workers(workers, devices) > 1 or cluster is not None
    stack = None if stack is None else whole(stack, "stack", low=1)
    for text in dict.fromkeys(trial.recipe for trial in plan.examples):
        if problem := unsuited_to(devices[0], recipe(text)):
            raise ValueError(problem)
    check_folder(out, "plan.json")
    for name in ("checkpoints", "journal"):
        make_folder(out / name)
    with locked(out):
        old = read_plan(out)
        if old is not None:
            plan = extended(out, old, plan, accept_code)
        if several:
            check_seen(plan)
        write_failed(out, ())
        keep_copies(out, plan.examples)
        plugins = keep_plugins(out, plan)
        write_plan(out, plan)
        by_print = {facts.fingerprint: name for name, facts in plan.facts.items()}
        data = {mark: datasets[name] for mark, name in by_print.items()}
        with _place(data, out, devices, workers, cluster, plugins) as (train, places):
            pack = partial(make_tasks, devices=devices, workers=places, size=stack)
            _train_rounds(plan, out, pack, train, watch)


@contextmanager
def _place(
    data: Mapping[str, Labelled],
    out: Path,
    devices: Sequence[str],
    workers: int | None,
    cluster: Cluster | None,
    plugins: Sequence[Path],
) -> Iterator[tuple[Train, int]]:
    """A function that trains tasks, and how many it trains at the same time."""
    if cluster is not None:
        with on_ray(data, out, cluster, devices[0], workers, plugins) as found:
            yield found
        return
    workers = check_workers(workers, devices)
    one = workers == 1
    where = here(data, out, devices) if one else in_workers(data, out, devices, workers, plugins)
    with where as train:
        yield train, workers


def _train_rounds(
    plan: Plan,
    out: Path,
    pack: Callable[..., list[StackTask]],
    train: Train,
    watch: Callable[[RunProgress], None],
) -> None:
    """Train round by round what is not finished; without a search there is one round."""
    metrics = tuple(text.partition("@")[0] for text in plan.settings.metrics)
    searching, fresh = search(plan.settings.search).waits, 0.0
    found = _records_of_search(out) if searching else {}
    while True:
        runs = runs_with(plan, found) if searching else ()
        grown = with_next_round(plan, runs)
        if grown.found != plan.found:
            plan = grown
            write_plan(out, plan)
            runs = runs_with(plan, found)
        there = recorded_among(plan, found) if searching else recorded(plan, out)
        finished, left = there.finished, [t for t in plan.trials if t.key not in there.finished]
        meter = _Meter(plan, finished, watch, fresh)
        if not (now := ready(plan, finished)):
            return
        tasks = [
            replace(task, pruning=pruning_of(plan, runs, task.trials), metrics=metrics)
            for task in pack(left, there.steps, out / "checkpoints", plan.facts, now=now)
        ]
        del found, runs, left, there
        for task, step in train(tasks):
            meter.advance(task, step)
        found = _records_of_search(out) if searching else {}
        there = recorded_among(plan, found) if searching else recorded(plan, out)
        _check_records(plan, finished | {trial.key for trial in now}, there.finished, out)
        fresh = meter.fresh
        if not searching:
            return


def check_workers(workers: int | None, devices: Sequence[str]) -> int:
    """How many processes train; by default one per core, or one per GPU.

    Raises:
        ValueError: it is no whole number from 1 on, or there are more devices.
    """
    if workers is None:
        workers = len(os.sched_getaffinity(0)) if devices == ("cpu",) else len(devices)
    workers = whole(workers, "workers", low=1)
    if workers < len(devices):
        raise ValueError(
            f"workers is {workers}, and {len(devices)} devices are named ({', '.join(devices)}): a "
            "worker has one. Name fewer devices, or leave workers out."
        )
    return workers


def _records_of_search(out: Path) -> dict[str, dict[int, Record]]:
    """All of them: what a search asks for next follows from what they say."""
    return read_records(out / "journal")[0]


def _check_records(plan: Plan, due: set[str], finished: set[str], out: Path) -> None:
    """Whether what was trained is in the journal, and can be read again.

    Raises:
        Interrupted: it is not; says how much, and what to do.
    """
    lost = due - finished
    missing = [trial for trial in plan.trials if trial.key in lost]
    if missing:
        first = missing[0]
        raise Interrupted(
            f"{len(missing)} of {len(due)} runs lack records that were written to "
            f"{out / 'journal'} (the first: {first.label} on {first.dataset}, split {first.split}):"
            " they were deleted or damaged meanwhile. Run the same command to train what is lost."
        )


def make_folder(folder: Path) -> None:
    """Make a folder, those above it too, and wait until their names are on the disk."""
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for place in made:
            sync_folder(place.parent)
    except OSError as error:
        raise OSError(error.errno, f"could not make {folder}: {error.strerror}") from error


class _Meter:
    """Adds up what the tasks report; what a search has not asked for is taken to cost as much."""

    def __init__(
        self,
        plan: Plan,
        finished: set[str],
        watch: Callable[[RunProgress], None],
        fresh: float = 0.0,
    ):
        self.facts, self.watch = plan.facts, watch
        costs: dict[Study, list[float]] = {}
        self.work = 0.0
        for trial in plan.trials:
            one = self._cost(trial)
            costs.setdefault(study_of(trial), []).append(one)
            self.work += one if trial.key in finished else 0
        configs = plan.settings.configs
        self.total = sum(sum(each) * configs / len(each) for each in costs.values())
        self.done, self.runs = len(finished), configs * len(costs)
        self.fresh = fresh
        self.updates: dict[tuple[str, ...], int] = {}
        self._show()

    def _cost(self, trial: Trial) -> float:
        return cost(trial, self.facts[trial.dataset])

    def advance(self, task: StackTask, step: Step) -> None:
        trials = task.trials
        due = trials[0].steps * len(trials)
        work = sum(map(self._cost, trials)) * step.updates / due
        self.work += work
        self.fresh += 0 if step.restored else work
        self.updates[task.keys] = self.updates.get(task.keys, 0) + step.updates
        if self.updates[task.keys] >= due:
            self.done += len(trials)
        self._show()

    def _show(self) -> None:
        self.watch(RunProgress(self.work, self.total, self.done, self.runs, self.fresh))
