"""Work spread over processes of this machine or over a Ray cluster, with results in order."""

from __future__ import annotations

import math
import os
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal, TypeVar

from .cluster import (
    CLUSTERS,
    Cluster,
    OtherVersions,
    check_nodes,
    cluster_of,
    connected,
    difference,
    look_at,
    versions,
    why,
)
from .own_path import started_safely
from .process import tune_memory
from .spec import read

Place = Literal["processes"] | Cluster
Task = TypeVar("Task")
Result = TypeVar("Result")

LOSSES = 5  # workers in a row that may be lost without a result between
LOOK_S = 2.0  # between looks at how many cores a cluster has
AHEAD = 4  # tasks handed out for each worker: their results wait in memory for those before


def place_of(text: str) -> Place:
    """Read where to work: ``processes``, ``ray`` or ``ray:ADDRESS``.

    Raises:
        ValueError: it is something else.

    >>> place_of("processes"), place_of("ray:10.0.0.1:6379")
    ('processes', Cluster(address='10.0.0.1:6379'))
    """
    asked = read(text, "on", "processes")
    name, _ = asked.lookup({"processes": None, "ray": None}, "place to work", CLUSTERS)
    if name == "ray":
        return cluster_of(text)
    asked.alone()
    return "processes"


def spread(
    work: Callable[[Any], Result],
    tasks: Sequence[Task],
    workers: int | None,
    on: Place,
    handed: Callable[[Task], Any] = lambda task: task,
) -> Iterator[Result]:
    """``work`` of every task, in the order of the tasks, while later ones are worked on.

    A task whose worker is lost is handed out again, so ``work`` must change nothing outside.

    Args:
        work: a function that other processes can import; tasks and results are copied to and fro.
        workers: how many tasks are worked on at the same time, at most; None: one per core there.
        handed: what ``work`` is handed for a task, made here when its turn comes.

    Raises:
        Exception: what ``work`` raises, as it is.
        RuntimeError: ``LOSSES`` workers in a row were lost; of Ray also, a node is another version.
        ValueError: there is no such cluster, or its nodes are other versions.
    """
    if isinstance(on, Cluster):
        return _on_ray(work, tasks, workers, on, handed)
    return _in_processes(
        work, tasks, len(os.sched_getaffinity(0)) if workers is None else workers, handed
    )


def _in_processes(
    work: Callable[[Any], Result],
    tasks: Sequence[Task],
    workers: int,
    handed: Callable[[Task], Any],
) -> Iterator[Result]:
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    done, lost = 0, 0
    while done < len(tasks):
        pool = Parallel(
            n_jobs=max(2, workers),  # of 1, joblib would work in this process
            backend="loky",
            return_as="generator",
            batch_size=1,
            pre_dispatch=AHEAD * workers if workers > 1 else 1,
            max_nbytes=None,  # tasks are small: to map their arrays would only make files
        )
        with started_safely():
            results = pool(delayed(_tuned)(work, handed(task)) for task in tasks[done:])
        try:
            while done < len(tasks):
                with started_safely():
                    result = next(results)
                done, lost = done + 1, 0
                yield result
        except TerminatedWorkerError as error:
            lost += 1
            if lost == LOSSES:
                raise RuntimeError(_lost(str(error).splitlines()[0])) from None
        finally:
            results.close()


def _tuned(work: Callable[[Any], Result], task: Any) -> Result:
    """``work`` in a process of candidly's own, which keeps freed memory for the next task."""
    tune_memory()
    return work(task)


def _on_ray(
    work: Callable[[Any], Result],
    tasks: Sequence[Task],
    workers: int | None,
    cluster: Cluster,
    handed: Callable[[Task], Any],
) -> Iterator[Result]:
    with connected(cluster, workers) as ray:
        check_nodes(look_at(ray))
        mine, left, lost, places, looked = versions(), deque(tasks), 0, 1, -math.inf
        call = ray.remote(checked).options(num_cpus=1, max_retries=0)
        ahead: deque[tuple[Any, Task]] = deque()
        while left or ahead:
            if time.monotonic() - looked > LOOK_S:  # nodes come and go
                cores = ray.cluster_resources().get("CPU", 0)
                places, looked = max(1, int(cores)), time.monotonic()
            while left and len(ahead) < AHEAD * (places if workers is None else workers):
                task = left.popleft()
                ahead.append((call.remote(work, handed(task), mine), task))
            reference, task = ahead.popleft()
            try:
                result = ray.get(reference)
            except ray.exceptions.RayTaskError as error:  # raised by the work
                if isinstance(error.cause, OtherVersions):
                    raise RuntimeError(
                        f"a node came whose results might be others: {error.cause}."
                    ) from None
                raise error.cause from None
            except ray.exceptions.RayError as error:  # its worker or its node is gone
                lost += 1
                if lost == LOSSES:
                    raise RuntimeError(_lost(why(error))) from None
                warnings.warn(
                    f"a worker or its node was lost ({why(error)}); what it did is done again.",
                    stacklevel=2,
                )
                ahead.appendleft((call.remote(work, handed(task), mine), task))
            else:
                lost = 0
                yield result


@contextmanager
def held(on: str | None, workers: int | None) -> Iterator[None]:
    """One connection to a cluster for all that is spread in this block; elsewhere nothing."""
    place = None if on is None else place_of(on)
    if not isinstance(place, Cluster):
        yield
        return
    with connected(place, workers):
        yield


def checked(work: Callable[[Any], Result], task: Any, mine: dict[str, str]) -> Result:
    """``work`` of a task on a node, if its versions are those of the process that asks.

    Raises:
        OtherVersions: they are not.
    """
    if other := difference(versions(), mine):
        raise OtherVersions(f"{os.uname().nodename} has {other}")
    return work(task)


def _lost(last: str) -> str:
    return (
        f"{LOSSES} workers in a row were lost with a task; the last: {last} They may need more "
        "memory than there is: use fewer workers."
    )
