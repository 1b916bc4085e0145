"""The kernel's bounds for all processes of a run together, where this machine lets us set some.

A control group counts what no look at processes sees: what sockets, pipes and page tables hold in
the kernel, and processes that came and went between two looks. Both versions of the kernel's
interface are known (cgroups(7)): a group is made inside of our own in the first, and beside it in
the second, where a group that has processes may have no groups inside.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
PREFIX = "candidly-"
CONTROLLERS = ("memory", "pids")
MORE = 1.25  # times the limit of memory: the kernel's own is not what the watcher counts
SPARE = 64 << 20  # bytes beside it


@dataclass(frozen=True)
class ControlGroup:
    """A group of processes.

    Attributes:
        folders: of each controller that bounds it; none where this machine lets us set nothing.
    """

    folders: Mapping[str, Path]

    def add(self, number: int) -> None:
        """Puts a process in; what it starts from now on is in it, too."""
        for folder in {*self.folders.values()}:
            (folder / "cgroup.procs").write_text(str(number))

    def out_of_memory(self) -> bool:
        """Whether the kernel has ended a process of it for its memory."""
        folder = self.folders.get("memory")
        told = [] if folder is None else [folder / "memory.events", folder / "memory.oom_control"]
        words = next((each.read_text() for each in told if each.exists()), "").split()
        return int(dict(zip(words[::2], words[1::2])).get("oom_kill", 0)) > 0

    def end(self) -> None:
        """Ends all that is in it."""
        until = time.monotonic() + 5
        while (numbers := self._numbers()) and time.monotonic() < until:
            for number in numbers:
                with suppress(OSError):
                    os.kill(number, signal.SIGKILL)
            time.sleep(0.005)

    def _numbers(self) -> set[int]:
        found: set[int] = set()
        for folder in {*self.folders.values()}:
            with suppress(OSError):
                found |= {int(word) for word in (folder / "cgroup.procs").read_text().split()}
        return found - {0}


@contextmanager
def grouped(number: int, memory_bytes: int, processes: int) -> Iterator[ControlGroup]:
    """A group with a process in it; when the block ends, nothing of it is left.

    Args:
        number: the number of the process.
        memory_bytes: at most, of all its processes; the kernel's own for them and ``SPARE`` come
            to it.
        processes: at most, threads counted.
    """
    most = {"memory": str(int(MORE * memory_bytes) + SPARE), "pids": str(processes)}
    group = ControlGroup(_made(most))
    try:
        with suppress(OSError):  # it is gone already
            group.add(number)
        yield group
    finally:
        group.end()
        for folder in {*group.folders.values()}:
            _remove(folder)


def places() -> dict[str, Path]:
    """Where groups may be made, by controller."""
    found: dict[str, Path] = {}
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, names, own = line.split(":", 2)
            if not names:
                found |= dict.fromkeys(*_unified(own))
            for name in {*names.split(",")} & {*CONTROLLERS}:
                found[name] = ROOT / name / own.lstrip("/")
    return {name: folder for name, folder in found.items() if os.access(folder, os.W_OK)}


def _unified(own: str) -> tuple[list[str], Path]:
    """Controllers of the second version, and the folder of the group that ours is in."""
    root = next(
        (each for each in (ROOT, ROOT / "unified") if (each / "cgroup.procs").exists()), ROOT
    )
    above = (root / own.lstrip("/")).parent if own.strip("/") else root
    try:
        passed_on = (above / "cgroup.subtree_control").read_text().split()
    except OSError:
        return [], above
    return [name for name in CONTROLLERS if name in passed_on], above


def _made(most: Mapping[str, str]) -> dict[str, Path]:
    """A new group's folder by controller, of those that could be bounded."""
    found: dict[str, Path] = {}
    name = f"{PREFIX}{os.getpid()}-{time.monotonic_ns()}"
    for controller, above in places().items():
        _sweep(above)
        folder = above / name
        try:
            folder.mkdir(exist_ok=True)
            _bound(folder, controller, most[controller])
        except OSError:  # a controller that is not handed on, or may not be set
            if folder not in found.values():
                _remove(folder)
            continue
        found[controller] = folder
    return found


def _bound(folder: Path, controller: str, most: str) -> None:
    names = {"memory": ("memory.max", "memory.limit_in_bytes"), "pids": ("pids.max",)}[controller]
    known = next(folder / name for name in names if (folder / name).exists())
    known.write_text(most)
    # memory and what is swapped out, together; or nothing may be swapped out
    for name, value in (("memory.memsw.limit_in_bytes", most), ("memory.swap.max", "0")):
        if controller == "memory" and (folder / name).exists():
            with suppress(OSError):
                (folder / name).write_text(value)


def _sweep(above: Path) -> None:
    """Removes groups of processes of candidly that were killed."""
    for folder in above.glob(f"{PREFIX}*-*"):
        owner = folder.name.removeprefix(PREFIX).partition("-")[0]
        if owner.isdecimal() and not Path("/proc", owner).exists():
            with suppress(OSError):
                folder.rmdir()


def _remove(folder: Path) -> None:
    for _ in range(100):  # the kernel is not done with those that ended
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.01)
        else:
            return
