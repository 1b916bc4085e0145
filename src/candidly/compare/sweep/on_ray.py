"""Training on a Ray cluster: nodes train and send messages, and this process alone writes.

What is lost with a worker or a node is what came since its task's last checkpoint: the task is
handed out again from there. Ray is imported when it is asked for.
"""

from __future__ import annotations

import hashlib
import math
import os
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...data.labels.labelled import Labelled
from ...ground.cluster import (
    Cluster,
    OtherVersions,
    check_nodes,
    connected,
    difference,
    look_at,
    versions,
    why,
)
from ...learn.engine import checkpoint
from .execute import Step, execute
from .failed import Failed, failed, sentence_of, write_failed
from .journal import Journal
from .keeping import Kept, Messages, put_on_disk
from .own_files import NETS, POLICIES, open_copies, open_plugins
from .pack import StackTask
from .pool import Interrupted, Runs, Train

LOSSES = 5  # workers in a row that a task may be lost with, without a message between
AHEAD = 2  # tasks handed to Ray for each that can run: a core that becomes free has its next one
LOOK_S = 2.0  # between looks at how many cores the cluster has


@contextmanager
def on_ray(
    data: Mapping[str, Labelled],
    out: Path,
    cluster: Cluster,
    device: str,
    workers: int | None,
    plugins: Sequence[Path] = (),
) -> Iterator[tuple[Train, int]]:
    """A function that trains tasks on a cluster, and how many it trains at the same time now.

    Args:
        data: by fingerprint; each goes to a node once.
        device: ``cpu`` or ``cuda``.
        workers: tasks that train at the same time, at most; None: one per core or GPU.
        plugins: files that each node loads first.

    Raises:
        ValueError: there is no cluster, it has no such device, or a node has another candidly.
    """
    cores = len(os.sched_getaffinity(0)) if workers is None else workers
    with connected(cluster, cores) as ray:
        check_nodes(look_at(ray), device)
        driver = _Driver(ray, data, out, device, workers, _files_below(out, plugins))
        try:
            yield driver.trained, driver.places()
        finally:
            driver.end()


def train_task(
    task: StackTask,
    state: bytes | None,
    data: Labelled,
    files: Mapping[str, bytes],
    device: str,
    mine: Mapping[str, str],
) -> Iterator[tuple[list[Kept], Step]]:
    """Train a task on a node; yields what it has kept, and how far it is.

    Args:
        state: the checkpoint to go on from.
        files: what lies below the results directory that the task may need.
        mine: versions of the process that asks.

    Raises:
        OtherVersions: this node's are others.
    """
    import torch

    if other := difference(versions(), mine):
        raise OtherVersions(f"{os.uname().nodename} has {other}")
    torch.set_num_threads(1)
    place = _unpacked(hashlib.sha256(repr(sorted(files)).encode()).hexdigest(), files)
    open_plugins([str(place / name) for name in files if name.startswith("plugins/")])
    open_copies(place, task.trials[0])
    with tempfile.TemporaryDirectory(prefix="candidly-") as folder:
        resume = None
        if state is not None:
            resume = Path(folder, "checkpoint.npz")
            resume.write_bytes(state)
        keeping = Messages()
        for step in execute(replace(task, resume=resume), data, keeping, device):
            yield keeping.taken(), step


_PLACES: dict[str, tempfile.TemporaryDirectory] = {}  # of a worker process, as long as it lives


def _unpacked(mark: str, files: Mapping[str, bytes]) -> Path:
    """A folder of this process with these files."""
    if mark not in _PLACES:
        made = tempfile.TemporaryDirectory(prefix="candidly-")
        for name, content in files.items():
            path = Path(made.name, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        _PLACES[mark] = made
    return Path(_PLACES[mark].name)


def _files_below(out: Path, plugins: Sequence[Path]) -> dict[str, bytes]:
    """The files that nodes need of a results directory, by their names below it."""
    kept = [*(path for name in (NETS, POLICIES) for path in sorted((out / name).rglob("*")))]
    found = {path.relative_to(out).as_posix(): path.read_bytes() for path in kept if path.is_file()}
    return found | {path.relative_to(out).as_posix(): path.read_bytes() for path in plugins}


@dataclass
class _Running:
    """A task that Ray has, or is to have again.

    Attributes:
        asked: as it was handed in.
        task: what is left of it: the trials that go on, and the checkpoint to go on from.
        told: updates, times trials, that were reported; who begins anew does some again.
        reached: updates, times trials, that are done behind the last message.
        lost: workers in a row that were lost without a message.
    """

    asked: StackTask
    task: StackTask
    told: int = 0
    reached: int = 0
    lost: int = 0

    @property
    def finished(self) -> bool:
        return self.told >= self.asked.trials[0].steps * len(self.asked.trials)

    def begin(self) -> None:
        """It begins anew, from its checkpoint: trials that left the stack are done."""
        gone = len(self.asked.trials) - len(self.task.trials)
        self.reached = gone * self.asked.trials[0].steps


class _Driver:
    """Hands tasks to Ray, writes what comes back, and hands out again what was lost."""

    def __init__(
        self,
        ray: Any,
        data: Mapping[str, Labelled],
        out: Path,
        device: str,
        workers: int | None,
        files: Mapping[str, bytes],
    ):
        self.ray, self.data, self.out = ray, data, out
        self.device, self.workers = device, workers
        self.files = ray.put(files)
        self.put: dict[str, Any] = {}  # data that the object stores have
        self.journals: list[Journal] = []  # one, once there is something to write
        self.waiting: list[_Running] = []
        self.running: dict[Any, _Running] = {}
        self.failed: list[Failed] = []
        self._places, self._looked = 1, -math.inf

    def trained(self, tasks: Sequence[StackTask]) -> Runs:
        """Train tasks; what a task's code raises fails its runs, and the others go on.

        Raises:
            Interrupted: runs have failed, or a node came that may not take part.
        """
        self.waiting = [_Running(task, task) for task in reversed(tasks)]
        while self.waiting or self.running:
            while self.waiting and len(self.running) < self._at_once():
                self._hand_out(self.waiting.pop())
            ready, _ = self.ray.wait([*self.running], timeout=LOOK_S, fetch_local=False)
            for stream in ready:
                yield from self._heard(stream)
        if self.failed:
            write_failed(self.out, self.failed)
            raise Interrupted(sentence_of(self.failed))

    def places(self) -> int:
        """How many tasks can train at the same time now: nodes come and go."""
        if time.monotonic() - self._looked > LOOK_S:
            has, self._looked = self.ray.cluster_resources(), time.monotonic()
            gpus = has.get("GPU", 0) / self._gpu_share()
            self._places = max(1, int(has.get("CPU", 0) if self.device == "cpu" else gpus))
        return min(self._places, self.workers or self._places)

    def _at_once(self) -> int:
        """How many tasks Ray should have: one waits for each place, unless places are given."""
        return self.places() if self.workers else AHEAD * self.places()

    def _gpu_share(self) -> float:
        """Of a GPU, that a task has: workers beyond the number of GPUs share them."""
        gpus = self.ray.cluster_resources().get("GPU", 0.0)
        return 1 / max(1, math.ceil((self.workers or gpus) / gpus)) if gpus else 1.0

    def _hand_out(self, one: _Running) -> None:
        one.begin()
        name = one.task.trials[0].data
        if name not in self.put:
            self.put[name] = self.ray.put(self.data[name])
        state = one.task.resume.read_bytes() if one.task.resume else None
        needs = {"num_cpus": 1, "num_gpus": self._gpu_share() if self.device == "cuda" else 0}
        train = self.ray.remote(train_task).options(num_returns="streaming", max_retries=0, **needs)
        task = replace(one.task, resume=None)
        stream = train.remote(task, state, self.put[name], self.files, self.device, versions())
        self.running[stream] = one

    def _heard(self, stream: Any) -> Runs:
        """Take the next message of a task, or its end."""
        one, errors = self.running[stream], self.ray.exceptions
        try:
            kept, step = self.ray.get(next(stream))
        except StopIteration:
            del self.running[stream]
        except errors.RayTaskError as error:  # raised by the task's own code
            del self.running[stream]
            if isinstance(error.cause, OtherVersions):
                raise Interrupted(
                    f"a node came whose numbers might be others: {error.cause}. What is recorded "
                    "stands. Take the node out of the cluster, and run the same command to go on."
                ) from None
            self.failed.append(failed(one.task.trials, why(error)))
        except errors.RayError as error:  # its worker, its node or a message is gone
            del self.running[stream]
            one.lost += 1
            if one.lost >= LOSSES:
                sentence = f"{LOSSES} workers in a row were lost with it; the last: {why(error)}"
                self.failed.append(failed(one.task.trials, sentence))
            elif not one.finished:
                warnings.warn(
                    f"a worker or its node was lost with {one.task.trials[0].label} on "
                    f"{one.task.trials[0].dataset} ({why(error)}); it begins again from its last "
                    "checkpoint.",
                    stacklevel=2,
                )
                self.waiting.append(one)
        else:
            self._write(one, kept)
            one.lost = 0
            one.reached += step.updates
            new = max(0, one.reached - one.told)
            one.told += new
            yield one.asked, Step(new, step.restored)

    def _write(self, one: _Running, messages: Sequence[Kept]) -> None:
        """Write what came, and note where the task goes on from should its worker be lost."""
        self.journals[:] = self.journals or [Journal(self.out / "journal")]
        checkpoints = self.out / "checkpoints"
        for kept in messages:
            put_on_disk(kept, self.journals[0], checkpoints)
            if kept.state is not None:
                left = tuple(trial for trial in one.task.trials if trial.key in kept.keys)
                path = checkpoint.path_of(checkpoints, kept.keys)
                one.task = replace(one.task, trials=left, resume=path)

    def end(self) -> None:
        for stream in self.running:
            with suppress(self.ray.exceptions.RayError):  # the cluster may be gone
                self.ray.cancel(stream, force=True)
        for journal in self.journals:
            journal.close()
