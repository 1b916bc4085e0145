"""Running a program of somebody else's, which may be broken or hostile, within limits.

>>> ended = run_confined(  # doctest: +SKIP
...     lambda places: ["sh", f"{places['submission']}/run.sh", places["data"], places["out"]],
...     readable={"submission": folder, "data": data},
...     wanted=["answer.npy"],
...     limits=Limits(seconds=60),
... )

The program sees what it is handed, the system's programs and this Python, all read-only; it may
write to ``out``, ``tmp`` and ``/dev/shm``, which are in memory and of limited size. It has a user,
processes, mounts and a network of its own, and when it ends, or is stopped, nothing of it is left.
``ways()`` says by what means this machine can do so, and ``WAYS`` what each of them lacks.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from . import _bubblewrap, _limits_alone, _unshare
from ._shown import import_path, virtual_path
from ._start import CannotStart, Preparation, started
from ._watch import Ended, Limits, watch

__all__ = ["WAYS", "CannotStart", "Ended", "Limits", "Way", "confined", "run_confined", "ways"]


ALONE = "limits alone"
FILES = 512  # open ones of a process: what sockets and pipes hold is in no count of memory


@dataclass(frozen=True)
class Way:
    """A means of confining: how a run is prepared, and what it does not hold a program to.

    ``hands_on`` is whether it can show single device files.
    """

    prepare: Callable[..., AbstractContextManager[Preparation]]
    lacks: tuple[str, ...] = ()
    hands_on: bool = False


WAYS: Mapping[str, Way] = MappingProxyType(
    {
        "bubblewrap": Way(_bubblewrap.prepare, hands_on=True),
        "unshare": Way(_unshare.prepare),
        ALONE: Way(_limits_alone.prepare, _limits_alone.LACKS),
    }
)


@cache
def ways() -> tuple[str, ...]:
    """Names of ``WAYS`` that work here, best first: each has run a program that does nothing."""
    return tuple(name for name in WAYS if _works(name))


def _works(name: str) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    try:
        ended = run_confined(
            lambda places: ["true"], readable={}, wanted=(), limits=Limits(10.0), way=name
        )
    except (OSError, CannotStart, subprocess.SubprocessError):
        return False
    return ended.how == "ended" and ended.code == 0


def run_confined(
    command: Callable[[Mapping[str, str]], Sequence[str]],
    *,
    readable: Mapping[str, Path],
    wanted: Sequence[str],
    limits: Limits,
    environment: Mapping[str, str] = MappingProxyType({}),
    network: bool = False,
    virtual: Path | None = None,
    devices: Sequence[Path] = (),
    way: str | None = None,
) -> Ended:
    """Run a program to its end, or to the first limit that it meets, and read what it left.

    ``command`` is given where things are as the program sees them, by name: those of ``readable``,
    "out" and "tmp", and returns the program and its arguments. It starts in ``tmp``, with nothing
    on its standard input. ``wanted`` are names of files in ``out``. ``environment`` is added to, or
    put in place of, PATH, HOME, TMPDIR, LANG and OMP_NUM_THREADS; nothing else of this process's
    environment is handed on. ``virtual`` is a virtual environment (``environment_for``), which is
    shown at its own path and comes first in PATH. ``devices`` are files that it may use besides
    the usual ones of /dev, see ``devices.device_files``. ``way`` is a name of ``WAYS``, by default
    the best that works.

    Raises ``CannotStart`` where the way does not work, a folder is not there, or others than its
    owner may not read it; a program that cannot be started ends with status 127.
    """
    with confined(
        command,
        readable=readable,
        wanted=wanted,
        limits=limits,
        environment=environment,
        network=network,
        virtual=virtual,
        devices=devices,
        way=way,
    ) as (ended, _):
        return ended


@contextmanager
def confined(
    command: Callable[[Mapping[str, str]], Sequence[str]],
    *,
    readable: Mapping[str, Path],
    wanted: Sequence[str],
    limits: Limits,
    environment: Mapping[str, str] = MappingProxyType({}),
    network: bool = False,
    virtual: Path | None = None,
    devices: Sequence[Path] = (),
    way: str | None = None,
) -> Iterator[tuple[Ended, Path]]:
    """The same, with its folder ``out``, which is there until the block ends.

    Nothing runs any more (but for what escaped from limits alone); what is in the folder is as the
    program wrote it, so that links may lead anywhere.
    """
    name = way or next(iter(ways()), None)
    if name is None:
        raise CannotStart("programs of others are run on Linux alone, from its version 5.3 on")
    sizes = {
        "out": limits.output_bytes,
        "tmp": limits.scratch_bytes,
        "dev/shm": limits.scratch_bytes,
    }
    if devices and not WAYS[name].hands_on:
        able = ", ".join(each for each, one in WAYS.items() if one.hands_on)
        raise CannotStart(
            f"a run that is confined by {name} gets no device files such as {devices[0]}: {able}"
            " alone can hand them on"
        )
    more = {"devices": devices} if devices else {}
    with WAYS[name].prepare(readable, sizes, network, virtual, **more) as preparation:
        home = preparation.places["tmp"]
        request = {
            "command": [str(word) for word in command(preparation.places)],
            "environment": _environment(home, virtual) | dict(environment),
            "folder": home,
            "user": preparation.user,
            "open": [*preparation.writable, "/proc"],
            "remove": preparation.remove,
            "limits": {
                "RLIMIT_NPROC": 8 * limits.processes + 64,
                "RLIMIT_NOFILE": FILES,
                "RLIMIT_CORE": 0,
            },
        }
        with started(preparation, request, limits.memory_bytes) as run:
            yield watch(run, wanted, limits), Path(f"/proc/self/fd/{run.folders[0]}")


def _environment(home: str, virtual: Path | None) -> dict[str, str]:
    first = virtual_path(virtual) if virtual else str(Path(sys.executable).parent)
    found = {
        "PATH": f"{first}:/usr/local/bin:/usr/bin:/bin",
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
    }
    if virtual:  # which has a line on where candidly is
        return found | {"VIRTUAL_ENV": str(virtual)}
    where = import_path()
    return found | ({"PYTHONPATH": where} if where else {})
