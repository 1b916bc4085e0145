"""Models from their files: what is there is checked before anything is made of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ...ground.checks import checked_classes
from ...ground.names import UnknownName
from ...ground.problem import Refusal, passed, why
from ..nets import function_of
from ..written.nets import pinned, read_net
from ._classified import thawed_model
from ._file import NoModel, read_model
from ._model import LARGEST_INPUT, NET, Model, network_of, shape_of, size_text


def load_model(path: Path | str, net: str | None = None) -> Model:
    """A model that ``Model.save`` or ``candidly train`` wrote, if no bit of it has changed since.

    No code is kept in a model, or loaded from it.

    Args:
        net: ``FILE.py:make``, of a model whose network a file of one's own made: that file, as it
            was; ``hf:FOLDER``, of one that was a language model. Of other models what they have,
            if anything.

    Raises:
        FileNotFoundError: no such file.
        ValueError: the file is something else, damaged, or of another version; its network's file
            is not given, or is not as it was.
    """
    arrays, about = read_model(path)
    try:
        _check_said(about)
    except ValueError as error:
        raise NoModel(f"{path} is a damaged model{why(error, ': {}')}. Train it again.") from error
    if "classifier" in about:
        if net is not None:
            raise ValueError(f"{path} has no network, and `net` names one; leave it out.")
        return thawed_model(path, arrays, about)
    _check_net(path, about, net)
    try:
        _check(arrays, about)
        parameters = {n.removeprefix(NET): a for n, a in arrays.items() if n.startswith(NET)}
        scaling = arrays["shift"], arrays["factor"]
        return Model(parameters, scaling, about, arrays.get("suspicion"))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise NoModel(f"{path} is a damaged model{why(error, ': {}')}. Train it again.") from error


def _check_net(path: Path | str, about: Mapping[str, Any], net: str | None) -> None:
    """Load the file that made a model's network, if one did."""
    try:
        trained = read_net(about["net"])
    except (KeyError, ValueError):
        return  # ``_check`` says so
    given = None if net is None else pinned(net)
    if not trained.own:
        if given not in (None, trained.text):
            raise ValueError(f"{path} has the network {trained.text}, not {given}; leave it out.")
        return
    called = trained.called
    if given is None and trained.place:
        raise Refusal(
            f"{path} was trained with {trained.text}, a language model whose configuration stays "
            "in its folder.",
            "name that folder, as it was: `net='hf:FOLDER'`",
        )
    if given is None:
        raise Refusal(
            f"the network of {path} was made by {called}, and a model keeps no code.",
            f"name that file, as it was: {passed('net', called)}",
        )
    if given != trained.text:
        raise ValueError(
            f"{path} was trained with {trained.text}, and this is {given}: another one, or one "
            "that was edited since. Give it as it was."
        )
    if trained.file is not None:
        function_of(replace(read_net(net), digest=trained.digest))


def _check_said(about: Mapping[str, Any]) -> None:
    """Refuse what is said of the training, where it is no table or names no columns."""
    for name in ("hyper", "trained"):
        if not isinstance(about.get(name, {}), Mapping):
            raise ValueError(f"{name} is no table of names and values")
    for name in ("label", "id"):
        column = about.get("trained", {}).get(name)
        if not isinstance(column, str | None):
            raise ValueError(f"its {name} is {column!r}, and no name of a column")


def _check(arrays: Mapping[str, np.ndarray], about: dict) -> None:
    """Refuse arrays that the network cannot have, or a description that lacks something.

    Raises:
        ValueError, KeyError, TypeError: what is wrong.
    """
    classes = checked_classes(about["classes"])
    if not isinstance(about["steps"], int):
        raise ValueError(f"its steps are {about['steps']!r}")
    shift, factor = arrays["shift"], arrays["factor"]
    size = shape_of(about, shift)
    if len(size) not in (1, 3) or not 0 < math.prod(size) <= LARGEST_INPUT or min(size) < 1:
        raise ValueError(f"its inputs are of shape {size}")
    expected: tuple[int, ...] = size if len(size) == 1 else (size[0], 1, 1)
    expected = expected if about.get("words") is None else (0,)
    if shift.shape != expected or shift.shape != factor.shape:
        raise ValueError(f"its scaling has the shapes {shift.shape} and {factor.shape}")
    try:
        net, averaged = network_of(about, size, classes)
    except UnknownName as error:
        raise ValueError(str(error)) from None
    lead = (averaged,) if averaged > 1 else ()
    kept = dict(net.shapes) | {name: buffer.shape for name, buffer in net.buffers.items()}
    wanted = {NET + name: (*lead, *shape) for name, shape in kept.items()}
    there = {name: array.shape for name, array in arrays.items() if name.startswith(NET)}
    for name in sorted(wanted.keys() | there.keys()):
        if wanted.get(name) != there.get(name):
            raise ValueError(
                f"its {name} is {there.get(name, 'not there')}, and a network of {size_text(size)} "
                f"and {len(classes)} classes has {wanted.get(name, 'none')}"
            )
    for name, array in arrays.items():
        kind = np.dtype("f4" if name in wanted else "f8")
        buffer = net.buffers.get(name.removeprefix(NET))
        if buffer is not None and not buffer.dtype.is_floating_point:
            kind = torch.empty(0, dtype=buffer.dtype).numpy().dtype
        if array.dtype != kind:
            raise ValueError(f"its {name} is {array.dtype}, not {kind}")
        if not np.isfinite(array).all() and name != "suspicion":
            raise ValueError(f"its {name} has a number that is not finite")
