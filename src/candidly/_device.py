"""Devices to train on: whether the one that was asked for is there."""

from __future__ import annotations

import re


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
