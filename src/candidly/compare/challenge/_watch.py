"""Watching a confined run: time, memory, processes and what it prints; and what it left."""

from __future__ import annotations

import os
import selectors
import stat
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from ._start import Started

LOOK = 0.05  # seconds between two looks at memory and processes
BLOCK = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What a run may use.

    ``seconds`` of time; ``memory_bytes`` of all its processes and writable folders together;
    ``processes`` at once, threads not counted; ``output_bytes`` of "out"; ``scratch_bytes`` of
    "tmp", and of /dev/shm. Of what it prints ``log_bytes`` are kept, the first and the last half;
    the rest is read and dropped.
    """

    seconds: float
    memory_bytes: int = 8 << 30
    processes: int = 64
    output_bytes: int = 64 << 20
    scratch_bytes: int = 1 << 30
    log_bytes: int = 64 << 10


@dataclass(frozen=True)
class Ended:
    """How a run ended, what it used and what it left.

    ``how`` is "ended" where its first process did so by itself, with the exit status ``code`` (128
    and the signal's number where a signal ended it), or the limit for which it was stopped: "time",
    "memory", "processes", "output". ``files`` are the wanted files, ``refused`` those that are
    there and no regular file of at most ``output_bytes``, with the reason.
    """

    how: str
    code: int | None
    seconds: float
    peak_memory: int
    peak_processes: int
    printed: int
    log: bytes
    files: Mapping[str, bytes]
    refused: Mapping[str, str]


@dataclass
class Log:
    """The first and the last of what is printed."""

    size: int
    total: int = 0
    head: bytearray = field(default_factory=bytearray)
    tail: bytearray = field(default_factory=bytearray)

    def add(self, block: bytes) -> None:
        self.total += len(block)
        room = self.size // 2 - len(self.head)
        self.head += block[:room]
        self.tail += block[room:][-self.size :]
        del self.tail[: -(self.size - self.size // 2) or len(self.tail)]

    def text(self) -> bytes:
        left_out = self.total - len(self.head) - len(self.tail)
        note = f"\n[... {left_out} bytes left out ...]\n".encode() if left_out else b""
        return bytes(self.head + note + self.tail)


def watch(run: Started, wanted: Sequence[str], limits: Limits) -> Ended:
    """Let the program go and follow it to its end, or to the first limit that it passes."""
    log, use, how, code = Log(limits.log_bytes), Use(run), "time", None
    os.set_blocking(run.printed.fileno(), False)
    with selectors.DefaultSelector() as ready:
        ready.register(run.printed, selectors.EVENT_READ)
        ready.register(run.line, selectors.EVENT_READ)
        run.go()
        begun = now = time.monotonic()
        end, next_look = begun + limits.seconds, begun + LOOK / 5
        while now < end:
            events = ready.select(max(0.0, min(end, next_look) - now))
            found = {key.fileobj for key, _ in events}
            if run.printed in found and not drain(run.printed, log):
                ready.unregister(run.printed)  # the program has closed it, and may go on
            if run.line in found:
                code, peak = run.status()
                use.memory = max(use.memory, peak)
                if time.monotonic() < end:  # else it may have gone on while nobody looked
                    how = "memory" if run.group.out_of_memory() else "ended"
                break
            if time.monotonic() >= next_look:
                passed = use.look(limits)
                if passed:
                    how = passed
                    break
                next_look = time.monotonic() + LOOK
            now = time.monotonic()
        seconds = time.monotonic() - begun
    run.end()
    while drain(run.printed, log):  # what lies in the pipe
        pass
    files, refused = collect(run.folders[0], wanted, limits.output_bytes)
    return Ended(
        how, code, seconds, use.memory, use.processes, log.total, log.text(), files, refused
    )


def drain(printed: BinaryIO, log: Log) -> bool:
    """Whether there was something to read; at most a block of it is."""
    block = printed.read(BLOCK)
    if block:
        log.add(block)
    return bool(block)


@dataclass
class Use:
    """The most that a run has used."""

    run: Started
    memory: int = 0
    processes: int = 0
    looks: int = 0
    resident: int = 0  # counted roughly, when it was last counted exactly

    def look(self, limits: Limits) -> str | None:
        """The limit that is passed now, if one is.

        Memory is what is resident, with what is written to folders in memory. Pages that processes
        share count once, which takes the system long to find out: so that is asked only where
        counting them each time gives more than it did or than there may be, and once a second.
        """
        if self.run.group.out_of_memory():
            return "memory"
        numbers = self.run.processes()
        self.processes = max(self.processes, len(numbers))
        if len(numbers) > limits.processes:
            return "processes"
        if self.run.written() > limits.output_bytes + limits.scratch_bytes:
            return "output"
        held = self.run.held()
        resident = sum(map(self.run.resident, numbers))
        exact = self.looks % round(1 / LOOK) == 0 or resident > 1.05 * self.resident
        self.looks += 1
        if not exact and held + resident <= limits.memory_bytes:
            return None
        self.resident = resident
        # twice, as what forks meanwhile is counted more often than it is there
        memory = held + min(sum(map(self.run.share, numbers)) for _ in range(2))
        self.memory = max(self.memory, memory)
        return "memory" if memory > limits.memory_bytes else None


def collect(out: int, wanted: Sequence[str], most: int) -> tuple[dict[str, bytes], dict[str, str]]:
    """The wanted files of an open folder, and why others are refused."""
    files, refused = {}, {}
    for name in wanted:
        try:
            files[name] = read_regular(out, name, most)
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            refused[name] = (
                error.strerror or str(error) if isinstance(error, OSError) else str(error)
            )
    return files, refused


def read_regular(folder: int, name: str, most: int) -> bytes:
    """A regular file of an open folder; never through a link, and without waiting for a writer."""
    if name in ("", ".", "..") or "/" in name:
        raise ValueError("not the name of a file in the output folder")
    check_regular(os.stat(name, dir_fd=folder, follow_symlinks=False), most)
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
    with open(os.open(name, flags, dir_fd=folder), "rb") as file:
        check_regular(os.fstat(file.fileno()), most)
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"larger than {most} bytes")
    return content


KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def check_regular(status: os.stat_result, most: int) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        raise ValueError(f"{KINDS.get(kind, 'no regular file')}, not a regular file")
    if status.st_size > most:
        raise ValueError(f"{status.st_size} bytes, and at most {most} are allowed")
