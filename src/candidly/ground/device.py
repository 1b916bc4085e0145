"""Devices to train on: whether those that were asked for are there, and how much they hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    if "," in name:
        raise ValueError(
            f"device {name!r} names several, and one network trains on one: give one of them. A "
            "sweep (candidly bench run) takes several."
        )
    if asked is None:
        raise ValueError(f"device {name!r} is unknown. This machine has: {there}.")
    if name == "cpu" or int(asked[1] or 0) < count:
        return name
    why = "" if count else ": this torch finds no CUDA"
    raise ValueError(f"device {name!r} is not there{why}. This machine has: {there}.")


def check_devices(devices: object) -> tuple[str, ...]:
    """The devices' names, of a text such as ``cpu`` or ``cuda:0,cuda:1``, if all are there.

    Raises:
        ValueError: as ``check_device``, or one is named twice, or a CPU beside GPUs.
    """
    text = str(devices)
    names = tuple(check_device(part.strip()) for part in text.split(","))
    same = [{"cuda": "cuda:0"}.get(name, name) for name in names]
    twice = next((name for at, name in enumerate(names) if same[at] in same[:at]), None)
    if twice is not None:
        raise ValueError(
            f"device {text!r} has {twice} twice: name each once. Where there are more workers "
            "than devices, they share them."
        )
    if len(names) > 1 and "cpu" in names:
        raise ValueError(
            f"device {text!r} has cpu beside GPUs, whose numbers are rounded otherwise: give one "
            "kind."
        )
    return names


def device_of(worker: int, devices: Sequence[str]) -> str:
    """Which of the devices a worker has: in turn, so that each has as many workers.

    >>> [device_of(number, ("cuda:0", "cuda:2")) for number in range(3)]
    ['cuda:0', 'cuda:2', 'cuda:0']
    """
    return devices[worker % len(devices)]


def free_bytes(device: str) -> int | None:
    """Memory that new tensors of a device may take; None where the system does not say.

    >>> free_bytes("cpu") is None or free_bytes("cpu") > 0
    True
    """
    if device != "cpu":
        import torch

        if not torch.cuda.is_available():  # it is another machine's
            return None
        return int(torch.cuda.mem_get_info(device)[0])
    try:
        said = re.search(r"MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    except OSError:
        return None
    return None if said is None else 1024 * int(said[1])
