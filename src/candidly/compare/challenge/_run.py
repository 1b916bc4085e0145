"""Running submissions: the baseline's time first, alone; then every run that is not there yet.

A run is a folder that appears when it is over, so that a kill at any moment costs at most the run
that was going on, and the same command goes on behind it.

What a submission wrote is read as bytes, and as plain arrays whose header is checked before
anything is made (``_answers.py``); nothing is unpickled or imported. A run's folder is written
beside its place and renamed, so that it is there whole or not at all, and running is a subtraction,
as in a sweep. ``WAYS`` in ``confine.py`` names the ways of confining, best first, and what each
lacks. ``_first_process.py`` is the init of a run's process namespace and must not need candidly:
with its end everything of the run ends. ``/out`` is in memory and of limited size, and its
descriptor is held by the parent, so that what was answered before a SIGKILL is read after it.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from ...ground.files import replacing, write_json
from ...ground.problem import Refusal
from ._answers import WANTED
from ._data import shown_at
from ._limits_alone import closed
from ._manifest import SCRIPT, Manifest, sets_of
from ._protocol import Protocol
from ._shown import of_python
from ._submit import Submission, submissions
from .confine import ALONE, WAYS, Ended, Limits, run_confined, ways
from .devices import device_files
from .entry import STARTED
from .environment import environment_for

BASELINE = "cross-entropy"  # of the examples
STARTS = 2  # a run may take so many times as long to start as the baseline: imports, reading
LONGEST_S = 24 * 3600.0  # of a baseline
NOTES = "notes.json"  # what a submission says of a run
NOTES_BYTES = 64 << 10


@dataclass(frozen=True)
class BaselineTime:
    """The baseline on a data set.

    Attributes:
        training: seconds of each training, without starting and imports.
        starting: seconds until each began to train.
        device: what it ran on, in words.
    """

    training: tuple[float, ...]
    starting: tuple[float, ...]
    device: str

    def limit(self, factor: float) -> float:
        """Seconds of a run: so many times the median training, and twice the median start."""
        return STARTS * statistics.median(self.starting) + factor * statistics.median(self.training)


@dataclass(frozen=True)
class Planned:
    """A run to be done."""

    submission: Submission
    label_set: str
    number: int  # of the seed

    def at(self, folder: Path) -> Path:
        """The folder that appears when the run is over."""
        return folder / "runs" / self.submission.name / self.label_set / str(self.number)


OnRun = Callable[[int, int, str], None]


def run_challenge(
    folder: Path | str,
    protocol: Protocol,
    *,
    install: bool = False,
    way: str | None = None,
    devices: Sequence[str | Path] = (),
    watch: OnRun = lambda done, total, what: None,
) -> None:
    """Do every run of every submission that is not there yet.

    Args:
        install: whether the network may be asked for what ``requirements.txt`` names.
        way: how runs are confined (``confine.ways``); by default the best that works here.
        devices: files of graphics processors that runs may use, such as ``/dev/nvidia0``; the
            baseline, which time is counted by, is trained without them.
        watch: called with runs done and in all, and what is going on.

    Raises:
        RuntimeError: somebody else runs this challenge, the baseline failed, or submissions would
            run as root.
    """
    folder = Path(folder)
    way = way or ways()[0]
    shown_devices = device_files(devices)
    if shown_devices and not WAYS[way].hands_on:
        able = [name for name in WAYS if WAYS[name].hands_on]
        raise Refusal(
            f"runs are confined by {way} here, which cannot hand on {shown_devices[0]}.",
            f"install {' or '.join(able)}",
            "leave `devices` out",
        )
    _check_user(way, folder)
    try:
        with FileLock(folder / ".lock", timeout=0):
            _run(folder, protocol, install, way, shown_devices, watch)
    except Timeout:
        raise RuntimeError(f"{folder} is being run by another process; wait for it.") from None


def _check_user(way: str, folder: Path) -> None:
    """Refuse to run submissions as root: who may write everywhere is confined by nothing."""
    if way != ALONE or os.geteuid() != 0:
        return
    if (one := closed([*of_python(), folder.resolve()])) is not None:
        raise RuntimeError(
            f"this system forbids namespaces, and as {one} can be entered by root alone, "
            "submissions would run as root. Run the challenge as another user, or open the folders "
            "on the way to others (chmod o+rx)."
        )


def _run(
    folder: Path,
    protocol: Protocol,
    install: bool,
    way: str,
    devices: Sequence[Path],
    watch: OnRun,
) -> None:
    shutil.rmtree(folder / "unfinished", ignore_errors=True)
    taken = submissions(folder)
    wanted = planned(protocol, taken)
    left = [one for one in wanted if not _is_over(one.at(folder), install)]
    done = len(wanted) - len(left)
    data_sets = {one.name: one.data_set for one in protocol.sets}
    for name in dict.fromkeys(data_sets[one.label_set] for one in left):
        if name not in read_times(folder):
            watch(done, len(wanted), f"timing the baseline on {name}")
            _write_time(folder, name, time_baseline(folder, protocol, name, way))
    times = read_times(folder)
    for one in left:
        watch(done, len(wanted), f"{one.submission.name} on {one.label_set}, seed {one.number}")
        limit = times[data_sets[one.label_set]].limit(protocol.factor)
        _do(folder, protocol, one, limit, install, way, devices)
        done += 1
    watch(len(wanted), len(wanted), "done")


def _is_over(at: Path, install: bool) -> bool:
    """Whether a run is done; one that lacked its packages is not, where they may be had now."""
    path = at / "outcome.json"
    if not path.is_file():
        return False
    return not install or json.loads(path.read_text("utf-8"))["how"] != "environment"


def planned(protocol: Protocol, taken: list[Submission]) -> list[Planned]:
    """All runs: by seed first, so that every submission has some after a while."""
    return [
        Planned(submission, name, number)
        for number in range(len(protocol.seeds))
        for submission in taken
        for name in sets_of(submission.manifest, protocol)
    ]


def _do(
    folder: Path,
    protocol: Protocol,
    one: Planned,
    limit: float,
    install: bool,
    way: str,
    devices: Sequence[Path],
) -> None:
    manifest = one.submission.manifest
    data_set = next(s.data_set for s in protocol.sets if s.name == one.label_set)
    about: dict[str, Any] = {"limit": limit, "settings": manifest.settings_hash(data_set)}
    home = folder / "environments" / one.submission.name / one.submission.digest[:16]
    try:
        environment = environment_for(one.submission.files, home, install)
    except (ValueError, RuntimeError, OSError) as error:
        _keep(folder, one, {**about, "how": "environment", "reason": str(error)}, {}, b"")
        return
    ended = confined(
        folder,
        protocol,
        one.submission.files,
        manifest,
        one.label_set,
        protocol.seeds[one.number],
        limit,
        environment,
        way,
        devices=devices,
    )
    about |= {
        "how": ended.how,
        "code": ended.code,
        "seconds": ended.seconds,
        "peak_memory": ended.peak_memory,
        "peak_processes": ended.peak_processes,
        "printed": ended.printed,
        "refused": dict(ended.refused),
        "way": way,
    }
    _keep(folder, one, about, ended.files, ended.log)


def confined(
    folder: Path,
    protocol: Protocol,
    files: Path,
    manifest: Manifest,
    label_set: str,
    seed: int,
    limit: float,
    environment: Path | None,
    way: str,
    extra: tuple[str, ...] = (),
    devices: Sequence[Path] = (),
) -> Ended:
    """One run of a submission, shut off from everything but its own files and its label set."""
    data_set = next(one.data_set for one in protocol.sets if one.name == label_set)
    bounds = protocol.bounds
    limits = Limits(
        seconds=limit,
        memory_bytes=round(bounds.memory_gb * 2**30),
        processes=bounds.processes,
        output_bytes=round(bounds.output_mb * 2**20),
        scratch_bytes=round(bounds.scratch_gb * 2**30),
    )

    def command(at: Mapping[str, str]) -> list[str]:
        told = [data_set, label_set, str(seed), at["data"], at["out"], f"{limit:.3f}"]
        start = 'cd "$1" && shift && exec bash "$@"'
        return ["bash", "-c", start, "run", at["submission"], SCRIPT, *told]

    return run_confined(
        command,
        readable={"submission": files, "data": shown_at(folder, manifest.track, label_set)},
        wanted=(*WANTED[manifest.task], NOTES, *extra),
        limits=limits,
        environment={STARTED: f"{time.time():.3f}"},
        virtual=environment,
        devices=devices,
        way=way,
    )


def _keep(
    folder: Path, one: Planned, about: Mapping[str, Any], files: Mapping[str, bytes], log: bytes
) -> None:
    """A run's folder, which appears with all that is in it."""
    beside = folder / "unfinished"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    for name, content in files.items():
        if name != NOTES or len(content) <= NOTES_BYTES:
            with replacing(beside / name, again=True) as file:
                file.write(content)
    with replacing(beside / "log.txt", again=True) as file:
        file.write(log)
    write_json(dict(about), beside / "outcome.json", again=True)
    at = one.at(folder)
    at.parent.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(at, ignore_errors=True)
    beside.rename(at)


# the baseline


def time_baseline(folder: Path, protocol: Protocol, data_set: str, way: str) -> BaselineTime:
    """Train cross-entropy on the first label set of a data set, alone, several times.

    Raises:
        RuntimeError: it failed; the message has the end of what it printed.
    """
    from .examples import example

    files = example(BASELINE)
    manifest = Manifest(BASELINE, "learning", hyperparameters={})
    first = protocol.data_sets[data_set][0].name
    found = []
    for _ in range(protocol.baseline.repeats):
        ended = confined(
            *(folder, protocol, files, manifest, first, protocol.seeds[0], LONGEST_S, None, way),
            extra=("timing.json",),
        )
        if ended.how != "ended" or ended.code != 0 or "timing.json" not in ended.files:
            said = ended.log.decode("utf-8", "replace").strip()[-1500:]
            raise RuntimeError(
                f"the baseline failed on {first} ({ended.how}, exit status {ended.code}):\n{said}"
            )
        found.append(json.loads(ended.files["timing.json"]))
    return BaselineTime(
        tuple(one["training"] for one in found), tuple(one["starting"] for one in found), device()
    )


def device() -> str:
    """What this machine computes with, in words."""
    name, clock = platform.processor() or platform.machine(), ""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            facts = dict(line.split(":", 1) for line in file if ":" in line)
        facts = {key.strip(): value.strip() for key, value in facts.items()}
        name = facts.get("model name", name)
        clock = f" at {float(facts['cpu MHz']):.0f} MHz" if "cpu MHz" in facts else ""
    except (OSError, ValueError):
        pass
    return f"{name}, {os.cpu_count()} cores{clock}"


def read_times(folder: Path) -> dict[str, BaselineTime]:
    """The baseline's times by data set, as far as they were taken."""
    path = folder / "baseline.json"
    if not path.is_file():
        return {}
    values = json.loads(path.read_text("utf-8"))
    return {
        name: BaselineTime(tuple(one["training"]), tuple(one["starting"]), one["device"])
        for name, one in values.items()
    }


def _write_time(folder: Path, data_set: str, timed: BaselineTime) -> None:
    known = {name: vars(one) for name, one in read_times(folder).items()}
    write_json({**known, data_set: vars(timed)}, folder / "baseline.json", again=True)
