"""Graphics processors that runs of a challenge may use: which files of /dev these are."""

from __future__ import annotations

import re
import stat
from collections.abc import Sequence
from pathlib import Path

from ...ground.problem import Refusal

GRAPHICS = re.compile(r"/dev/(nvidia[\w-]*|kfd|dri/renderD\d+)")


def device_files(paths: Sequence[str | Path]) -> tuple[Path, ...]:
    """The files, which are all of graphics processors.

    Others, such as disks and memory, would undo what a run is shut off from.

    Raises:
        Refusal: one is not there, is no character device, or belongs to something else.
    """
    found = []
    for path in map(Path, paths):
        if not GRAPHICS.fullmatch(str(path)):
            raise Refusal(
                f"{path} is no device file of a graphics processor; those are called /dev/nvidia0, "
                "/dev/nvidiactl, /dev/nvidia-uvm, /dev/kfd or /dev/dri/renderD128.",
                "name one of these",
            )
        if not path.exists():
            raise Refusal(f"there is no device {path} here.", "see what ls /dev shows")
        if not stat.S_ISCHR(path.lstat().st_mode):
            raise Refusal(f"{path} is no character device.", "name the device itself")
        found.append(path)
    return tuple(found)
