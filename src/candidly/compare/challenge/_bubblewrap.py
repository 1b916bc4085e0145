"""Confined by bubblewrap, which makes the namespaces and the root that the program sees."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ._shown import NOBODY, Root, shown
from ._start import CannotStart, Preparation

NEEDED = ("CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")  # to become another user and keep nothing


def arguments(
    root: Root, network: bool, texts: Sequence[int], devices: Sequence[Path] = ()
) -> list[str]:
    """The command line up to the program; ``texts`` are descriptors of the texts, in their order.

    As root nothing is mapped: bubblewrap mounts as root, so that folders below ones that only root
    may enter can be shown, and the first process changes its user. Otherwise a user namespace does.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise CannotStart("bwrap is not installed: install the package bubblewrap")
    line = [program, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
    line += ["--die-with-parent", "--as-pid-1", "--new-session", "--hostname", "confined"]
    line += [] if network else ["--unshare-net"]
    if os.geteuid() == 0:
        line += ["--cap-drop", "ALL", *(word for cap in NEEDED for word in ("--cap-add", cap))]
    else:
        line += ["--unshare-user", "--uid", str(NOBODY), "--gid", str(NOBODY)]
    line += ["--proc", "/proc", "--dev", "/dev"]
    for device in devices:
        line += ["--dev-bind", str(device), str(device)]
    for path, size in root.writable.items():
        line += ["--perms", "1777", "--size", str(size), "--tmpfs", path]
    for path in root.parents():  # others may enter them, which is not so of those it makes itself
        line += ["--perms", "0755", "--dir", path]
    for path, target in root.links.items():
        line += ["--symlink", target, path]
    for path, host in root.folders.items():
        line += ["--ro-bind", str(host), path]
    for path, number in zip(root.texts, texts, strict=True):
        line += ["--perms", "0444", "--ro-bind-data", str(number), path]
    return [*line, "--remount-ro", "/dev", "--remount-ro", "/"]


@contextmanager
def prepare(
    readable: Mapping[str, Path],
    sizes: Mapping[str, int],
    network: bool,
    virtual: Path | None,
    devices: Sequence[Path] = (),
) -> Iterator[Preparation]:
    """A run in namespaces that bubblewrap makes; ``sizes`` are of "out", "tmp" and "dev/shm"."""
    root = shown(readable, sizes, network, virtual)
    with ExitStack() as stack:
        texts = []
        for text in root.texts.values():
            file = stack.enter_context(open(os.memfd_create("text"), "w+"))
            file.write(text)
            file.seek(0)
            texts.append(file.fileno())
        yield Preparation(
            line=arguments(root, network, texts, devices),
            places={name: f"/{name}" for name in [*readable, *sizes]},
            writable=tuple(root.writable),
            user=NOBODY if os.geteuid() == 0 else None,
            descriptors=tuple(texts),
        )
