"""Namespaces and a root of their own for the command that follows, by the system's calls alone.

A program by itself, run by ``python -I -S`` with what to show as JSON, then the command and its
arguments: it must not need candidly. The command becomes the init of its process namespace.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import sys
from pathlib import Path

LIBC = ctypes.CDLL(None, use_errno=True)

# linux/sched.h, linux/mount.h, linux/prctl.h
MOUNTS, HOSTNAME, MESSAGES, USERS = 0x20000, 0x4000000, 0x8000000, 0x10000000
PROCESSES, NETWORK = 0x20000000, 0x40000000
NO_SUID, NO_DEVICES, NO_EXEC, BIND, RECURSIVE, PRIVATE = 2, 4, 8, 4096, 16384, 1 << 18
READ_ONLY = 1
DETACH, EMPTY_PATH, ALL_BELOW = 2, 0x1000, 0x8000
DIE_WITH_PARENT, DROP_BOUND = 1, 24
MOUNT_SETATTR, PIVOT_ROOT = 442, {"x86_64": 155, "aarch64": 41}
DEVICES = ("null", "zero", "full", "random", "urandom")
STREAMS = {"fd": "", "stdin": "/0", "stdout": "/1", "stderr": "/2"}


def done(answer: int, what: str) -> None:
    if answer:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def mount(source: str, target: str, kind: str, flags: int, options: str = "") -> None:
    words = [word.encode() for word in (source, target, kind)]
    done(LIBC.mount(*words, ctypes.c_ulong(flags), options.encode()), f"mount {target}")


def restrict(target: str, attributes: int, *, below: bool) -> None:
    """Adds attributes to a mount and, if asked, to all below; none of theirs goes away."""
    values = (ctypes.c_uint64 * 4)(attributes, 0, 0, 0)
    answer = LIBC.syscall(
        MOUNT_SETATTR,
        -100,  # the path is absolute
        target.encode(),
        ALL_BELOW if below else 0,
        ctypes.byref(values),
        ctypes.c_size_t(32),
    )
    done(answer, f"mount_setattr {target}")


def pivot(new: str, old: str) -> None:
    done(LIBC.syscall(PIVOT_ROOT[os.uname().machine], new.encode(), old.encode()), "pivot_root")


def bind(source: str, target: str) -> None:
    """Shows a file or folder of the host, with what is mounted below it."""
    if os.path.isdir(source):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        Path(target).touch()
    mount(source, target, "", BIND | RECURSIVE)


def make_root(root: dict, old: str, new: str) -> None:
    """Builds the root that is to be at ``new`` from the host's at ``old``."""
    mount("tmpfs", new, "tmpfs", NO_SUID | NO_DEVICES, "mode=0755")
    for path in ("proc", "dev"):
        os.mkdir(f"{new}/{path}")
    mount("proc", f"{new}/proc", "proc", NO_SUID | NO_DEVICES | NO_EXEC)
    mount("tmpfs", f"{new}/dev", "tmpfs", NO_SUID, "mode=0755")
    for name in DEVICES:
        bind(f"{old}/dev/{name}", f"{new}/dev/{name}")
    for name, rest in STREAMS.items():
        os.symlink(f"/proc/self/fd{rest}", f"{new}/dev/{name}")
    for path, size in root["writable"].items():
        os.makedirs(new + path)
        mount("tmpfs", new + path, "tmpfs", NO_SUID | NO_DEVICES, f"mode=1777,size={size}")
    for path, target in root["links"].items():
        os.symlink(target, new + path)
    for path, host in root["folders"].items():
        bind(old + host, new + path)
        restrict(new + path, READ_ONLY | NO_SUID | NO_DEVICES, below=True)
    for path, text in root["texts"].items():
        os.makedirs(os.path.dirname(new + path), exist_ok=True)
        Path(new + path).write_text(text)
    restrict(f"{new}/dev", READ_ONLY, below=False)
    restrict(new, READ_ONLY, below=False)


def enter_root(root: dict) -> None:
    """Leaves the host's root for the one that is shown; needs a mount namespace of its own."""
    mount("", "/", "", RECURSIVE | PRIVATE)
    base = "/tmp"
    mount("tmpfs", base, "tmpfs", NO_SUID | NO_DEVICES, "mode=0755")
    os.mkdir(f"{base}/old")
    os.mkdir(f"{base}/new")
    pivot(base, f"{base}/old")
    os.chdir("/")
    make_root(root, "/old", "/new")
    os.chdir("/new")
    pivot(".", ".")  # the old root then lies over the new one
    done(LIBC.umount2(b".", DETACH), "umount2")
    os.chdir("/")


def die_with_parent(parent: int) -> None:
    LIBC.prctl(DIE_WITH_PARENT, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def main() -> None:
    root = json.loads(sys.argv[1])
    die_with_parent(root["parent"])
    if root["user"] is not None:
        user, group = os.geteuid(), os.getegid()
        done(LIBC.unshare(USERS), "unshare")
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{root['user']} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{root['user']} {group} 1")
    done(
        LIBC.unshare(
            MOUNTS | HOSTNAME | MESSAGES | PROCESSES | (0 if root["network"] else NETWORK)
        ),
        "unshare",
    )
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        os._exit(0)
    die_with_parent(0)  # which this namespace does not see
    try:
        os.umask(0o022)
        socket.sethostname("confined")
        enter_root(root)
        for number in range(64) if root["user"] is not None else ():
            LIBC.prctl(DROP_BOUND, number, 0, 0, 0)
        os.execv(sys.argv[2], sys.argv[2:])
    except OSError as error:
        os.write(2, f"{error}\n".encode())
    os._exit(1)


if __name__ == "__main__":
    main()
