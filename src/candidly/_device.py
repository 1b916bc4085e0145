"""Devices to train on: whether the one that was asked for is there, and how much it holds."""

from __future__ import annotations

import re
from pathlib import Path


def check_device(device: object) -> str:
    """The device's name, ``cpu``, ``cuda`` or ``cuda:1``, if there is one of it.

    Raises:
        ValueError: there is none, or it is no device; names those that are there.
    """
    import torch

    name = str(device)
    asked = re.fullmatch("cpu|cuda(?::([0-9]{1,4}))?", name)
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    there = ", ".join(["cpu", *(f"cuda:{number}" for number in range(count))])
    if asked is None:
        raise ValueError(f"device {name!r} is unknown. This machine has: {there}.")
    if name == "cpu" or int(asked[1] or 0) < count:
        return name
    why = "" if count else ": this torch finds no CUDA"
    raise ValueError(f"device {name!r} is not there{why}. This machine has: {there}.")


def free_bytes(device: str) -> int | None:
    """Memory that new tensors of a device may take; None where the system does not say.

    >>> free_bytes("cpu") is None or free_bytes("cpu") > 0
    True
    """
    if device != "cpu":
        import torch

        return int(torch.cuda.mem_get_info(device)[0])
    try:
        said = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    except OSError:
        return None
    return None if said is None else 1024 * int(said[1])
