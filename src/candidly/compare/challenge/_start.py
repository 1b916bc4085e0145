"""Starting the first process of a confined run, in whatever way, and ending all that came of it."""

from __future__ import annotations

import array
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ._cgroup import ControlGroup, grouped
from ._first_process import descendants

FIRST_PROCESS = Path(__file__).absolute().with_name("_first_process.py")
PAGE = os.sysconf("SC_PAGE_SIZE")
INODE = 1024  # bytes of the system's memory that an empty file takes
PATIENCE = 30.0  # seconds in which a first process must have made its root


class CannotStart(RuntimeError):
    """A run could not be begun: the way does not work here, or something is not there to show."""


@dataclass(frozen=True)
class Preparation:
    """What a way needs for one run.

    ``line`` is what stands before the command of the first process, and ``descriptors`` what it
    must inherit. ``places`` are paths by name as the program sees them, ``writable`` those that it
    may write to, "out" first. ``user`` is whom the first process turns the program into, or None.
    ``remove`` are folders that the first process removes if this one is gone. ``init`` says whether
    the first process is the init of a process namespace; otherwise what comes of it is looked for.
    """

    line: list[str]
    places: Mapping[str, str]
    writable: tuple[str, ...]
    user: int | None = None
    descriptors: tuple[int, ...] = ()
    remove: tuple[str, ...] = ()
    init: bool = True


@dataclass(frozen=True)
class Started:
    """A first process that waits for the word to go.

    ``printed`` is the end to read of what the program prints. ``folders`` are descriptors of the
    writable folders, ``proc`` that of the processes that the program can see. ``group`` is what
    the kernel bounds.
    """

    preparation: Preparation
    process: subprocess.Popen
    line: socket.socket
    printed: BinaryIO
    first: int
    handle: int
    folders: tuple[int, ...]
    proc: int
    group: ControlGroup

    def go(self) -> None:
        self.line.send(b"go")

    def status(self) -> tuple[int, int]:
        """The program's exit status and the most memory one of its processes has had."""
        try:
            words = self.line.recv(64).split()
        except OSError:
            words = []
        if not words:  # the first process itself is gone: the program has done that
            return 128 + signal.SIGKILL, 0
        code, peak = map(int, words)
        return code if code >= 0 else 128 - code, peak

    def processes(self) -> set[int]:
        """Numbers of the program's processes, as ``proc`` has them."""
        if self.preparation.init:
            return {int(name) for name in os.listdir(self.proc) if name.isdigit()} - {1}
        return descendants(self.first)

    def resident(self, number: int) -> int:
        """Bytes of a process that are in memory; 0 where it is gone."""
        words = self._read(number, "statm").split()
        return int(words[1]) * PAGE if words else 0

    def share(self, number: int) -> int:
        """The same, where of pages that n processes share each has an n-th."""
        found = re.search(rb"^Pss: *(\d+) kB", self._read(number, "smaps_rollup"), re.MULTILINE)
        return int(found[1]) * 1024 if found else self.resident(number)

    def _read(self, number: int, name: str) -> bytes:
        try:
            with open(os.open(f"{number}/{name}", os.O_RDONLY, dir_fd=self.proc), "rb") as file:
                return file.read()
        except OSError:
            return b""

    def held(self) -> int:
        """Bytes of memory that the writable folders hold; 0 where they are on disk."""
        if not self.preparation.init:
            return 0
        found = map(os.fstatvfs, self.folders)
        return sum(
            (f.f_blocks - f.f_bfree) * f.f_frsize + (f.f_files - f.f_ffree) * INODE for f in found
        )

    def written(self) -> int:
        """Bytes on disk in the writable folders; 0 where these are in memory, of limited size."""
        if self.preparation.init:
            return 0
        return sum(map(_size, self.folders))

    def end(self) -> None:
        """Ends the program and, but for what escaped from limits alone, all that it started."""
        if self.preparation.init:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self.handle, signal.SIGKILL)
        else:
            with suppress(OSError):
                self.line.send(b"stop")
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(10 if self.preparation.init else 2)
        _reap(self.process)
        self.group.end()
        if not self.preparation.init:  # what is left where the program has ended the first process
            _kill_by_home(self.preparation.places["tmp"])


@contextmanager
def started(preparation: Preparation, request: Mapping, memory_bytes: int) -> Iterator[Started]:
    """The first process of a run, up to where it waits; afterwards nothing of it is left."""
    with ExitStack() as stack:
        here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        stack.enter_context(here)
        stack.enter_context(there)
        here.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        here.settimeout(PATIENCE)
        reads, writes = os.pipe()
        printed = stack.enter_context(open(reads, "rb", buffering=0))
        with open(writes, "wb", buffering=0) as end:
            if preparation.user is not None:  # so that it can open /dev/stderr
                os.fchown(writes, preparation.user, preparation.user)
            process = _popen(preparation, there.fileno(), end)
        stack.callback(_reap, process)
        there.close()
        try:
            here.send(json.dumps(request).encode())
            first, descriptors = _ready(here)
        except OSError as error:
            process.kill()
            said = os.read(reads, 4096).decode(errors="replace").strip() or str(error)
            raise CannotStart(f"{Path(preparation.line[0]).name}: {said}") from None
        for number in descriptors:
            stack.callback(os.close, number)
        handle = os.pidfd_open(first)
        stack.callback(os.close, handle)
        *folders, proc = descriptors
        group = stack.enter_context(grouped(first, memory_bytes, request["limits"]["RLIMIT_NPROC"]))
        run = Started(
            preparation, process, here, printed, first, handle, tuple(folders), proc, group
        )
        stack.callback(run.end)
        yield run


def _popen(preparation: Preparation, line: int, printed: BinaryIO) -> subprocess.Popen:
    python = [sys.executable, "-I", "-S", "-B", str(FIRST_PROCESS), str(line)]
    try:
        return subprocess.Popen(
            [*preparation.line, *python],
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            env={"PATH": os.defpath},
            pass_fds=(line, *preparation.descriptors),
            start_new_session=True,
        )
    except OSError as error:
        raise CannotStart(f"{[*preparation.line, *python][0]} cannot be started: {error}") from None


def _size(folder: int) -> int:
    """Bytes on disk below an open folder; links are not followed."""
    total, left = 0, ["."]
    while left:
        path = left.pop()
        with suppress(OSError):
            inside = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
            with os.scandir(inside) as entries:
                for entry in entries:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512 + INODE
                    if entry.is_dir(follow_symlinks=False):
                        left.append(f"{path}/{entry.name}")
            os.close(inside)
    return total


def _kill_by_home(home: str) -> None:
    """Ends the processes that were started with that home, until there are none."""
    mark = f"HOME={home}".encode()
    for _ in range(200):
        found = False
        for path in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if mark in path.read_bytes().split(b"\0"):
                    os.kill(int(path.parent.name), signal.SIGKILL)
                    found = True
        if not found:
            return
        time.sleep(0.01)


def _reap(process: subprocess.Popen) -> None:
    process.kill()
    process.wait()


def _ready(line: socket.socket) -> tuple[int, list[int]]:
    """The first process's number as it is here, and the descriptors that it sent."""
    space = socket.CMSG_SPACE(struct.calcsize("3i")) + socket.CMSG_SPACE(
        16 * array.array("i").itemsize
    )
    word, parts, _, _ = line.recvmsg(16, space, socket.MSG_CMSG_CLOEXEC)
    numbers = array.array("i")
    first = 0
    for _, kind, data in parts:
        if kind == socket.SCM_RIGHTS:
            numbers.frombytes(data[: len(data) - len(data) % numbers.itemsize])
        elif kind == socket.SCM_CREDENTIALS:
            first = struct.unpack("3i", data)[0]
    if word != b"ready" or not first:
        raise OSError("its first process did not answer")
    return first, list(numbers)
