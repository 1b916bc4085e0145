"""The first process of a confined run: it starts the program, and its end is the run's end.

A program by itself, run by ``python -I -S`` with a socket's number: it must not need candidly. It
gets a request, sends open descriptors of folders, waits for the word to go, and sends the exit
status of the program. Where it is the init of a process namespace, all others die with it.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import resource
import select
import shutil
import signal
import socket
import struct
import sys
import time
from contextlib import suppress
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)
NO_DUMP, SECCOMP, DROP_BOUND, SUBREAPER, NO_NEW_PRIVILEGES = 4, 22, 24, 36, 38  # linux/prctl.h

# system calls that give new powers or memory that no limit sees: x86-64, others
REFUSED = {
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "unshare": (272, 97),
    "setns": (308, 268),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "perf_event_open": (298, 241),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "open_by_handle_at": (304, 265),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsmount": (432, 432),
    "mount_setattr": (442, 442),
}
CLONE, CLONE3 = (56, 220), 435
NAMESPACES = 0x7E020000  # flags of clone(2) that make one
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # linux/audit.h


def filter_of_calls(machine: str) -> bytes:
    """A filter (seccomp, classic BPF) that answers the refused calls with EPERM or ENOSYS."""
    column, audit = MACHINES[machine]
    load, equal, at_least, any_bit, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, refuse, unknown, kill = 0x7FFF0000, 0x00050001, 0x00050026, 0x80000000

    def line(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
        return struct.pack("HBBI", code, then, otherwise, value)

    lines = [line(load, 4), line(equal, audit, 1, 0), line(answer, kill), line(load, 0)]
    lines += [line(at_least, 0x40000000, 0, 1), line(answer, unknown)]  # the x32 interface
    for numbers in REFUSED.values():
        lines += [line(equal, numbers[column], 0, 1), line(answer, refuse)]
    # the flags of clone3 lie in memory, where a filter cannot look; libraries then take clone
    lines += [line(equal, CLONE3, 0, 1), line(answer, unknown)]
    lines += [line(equal, CLONE[column], 0, 3), line(load, 16)]
    lines += [line(any_bit, NAMESPACES, 0, 1), line(answer, refuse), line(answer, allow)]
    return b"".join(lines)


def control(option: int, *values) -> None:
    """``prctl``, which must not fail."""
    if LIBC.prctl(option, *(ctypes.c_ulong(v) if isinstance(v, int) else v for v in values)):
        raise OSError(ctypes.get_errno(), f"prctl {option}")


def refuse_calls() -> None:
    """Hold this process, and all it starts, to the calls that the filter allows."""
    if platform.machine() not in MACHINES:
        return
    text = ctypes.create_string_buffer(filter_of_calls(platform.machine()))

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("lines", ctypes.c_void_p)]

    program = Program(len(text) // 8, ctypes.addressof(text))
    control(SECCOMP, 2, ctypes.byref(program), 0, 0)


def drop_capabilities_to_come() -> None:
    """No capabilities after an exec, of whatever file and user."""
    for number in range(64):
        LIBC.prctl(DROP_BOUND, number, 0, 0, 0)  # fails where there are none, or no such number


def drop_capabilities() -> None:
    """No capabilities now."""
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    if LIBC.capset(ctypes.byref(header), ctypes.byref((ctypes.c_uint32 * 6)())):
        raise OSError(ctypes.get_errno(), "capset")


def become_the_program(request: dict) -> None:
    """In the child: its limits, its user, nothing more than it needs, and the program itself."""
    os.setsid()
    for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    with suppress(OSError):  # where memory ends, this one is ended first
        Path("/proc/self/oom_score_adj").write_text("1000")
    for name, most in request["limits"].items():
        number = getattr(resource, name)
        _, hard = resource.getrlimit(number)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(number, (most, most))
    drop_capabilities_to_come()
    if request["user"] is not None:
        os.setgroups([])
        os.setresgid(*[request["user"]] * 3)
        os.setresuid(*[request["user"]] * 3)
    drop_capabilities()
    control(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    os.chdir(request["folder"])
    refuse_calls()
    os.execvpe(request["command"][0], request["command"], request["environment"])


def start(request: dict) -> int:
    """The process number of the program."""
    child = os.fork()
    if child:
        return child
    try:
        become_the_program(request)
    except BaseException as error:
        os.write(2, f"the program cannot be started: {error}\n".encode())
    os._exit(127)


def descendants(root: int) -> set[int]:
    """Processes below one, from /proc."""
    below: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with suppress(OSError):
                parent = int(Path(f"/proc/{name}/stat").read_text().rpartition(")")[2].split()[1])
                below.setdefault(parent, []).append(int(name))
    found: set[int] = set()
    left = [root]
    while left:
        new = [pid for pid in below.get(left.pop(), ()) if pid not in found]
        found.update(new)
        left += new
    return found


def kill_descendants() -> None:
    """Ends all below this process, which adopts those whose parents have ended."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        found = descendants(os.getpid())
        if not found:
            return
        for pid in found:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)


def wait(child: int, line: socket.socket) -> int | bytes:
    """The status of the program when it ends, or what the other side says first (b"": nothing)."""
    told, tell = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    poll = select.poll()
    poll.register(told, select.POLLIN)
    poll.register(line, select.POLLIN)
    while True:
        with suppress(ChildProcessError):
            pid = -1
            while pid:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == child:
                    return status
        for number, _ in poll.poll(1000):
            if number == line.fileno():
                return heard(line)
            with suppress(BlockingIOError):
                os.read(told, 4096)


def heard(line: socket.socket) -> bytes:
    """The next word of the other side, b"" where it is gone."""
    try:
        return line.recv(16)
    except ConnectionError:
        return b""


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    line = socket.socket(fileno=int(sys.argv[1]))
    line.set_inheritable(False)
    request = json.loads(line.recv(1 << 20))
    folders = [os.open(path, os.O_RDONLY | os.O_DIRECTORY) for path in request["open"]]
    socket.send_fds(line, [b"ready"], folders)
    for number in folders:
        os.close(number)
    init = os.getpid() == 1
    control(NO_DUMP, 0, 0, 0, 0)
    if not init:
        control(SUBREAPER, 1, 0, 0, 0)
    end: int | bytes = heard(line)
    if end == b"go":
        child = start(request)
        if init:
            drop_capabilities()
        end = wait(child, line)
    if not init:
        kill_descendants()
    if end == b"":  # nobody is left to read what the program wrote
        for path in request["remove"]:
            shutil.rmtree(path, ignore_errors=True)
    elif isinstance(end, int):
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        line.send(f"{os.waitstatus_to_exitcode(end)} {peak}".encode())
    os._exit(0)


if __name__ == "__main__":
    main()
