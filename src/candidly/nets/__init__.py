"""What is trained: networks written for a stack of trials, and torch modules."""

from collections.abc import Callable, Mapping

from .._names import lookup, named
from ._flat import Flat
from ._module import Module
from ._net import Buffer, Net, Output, affine, leaf
from ._state import One, State, each, fixed
from .cnn import cnn
from .from_torch import from_torch
from .heads import linear, with_head, with_more, with_projection
from .mlp import mlp
from .resnet import resnet18, resnet32, resnet34

NETS: Mapping[str, Callable[..., Net]] = {
    "mlp": mlp,
    "cnn": cnn,
    "resnet32": resnet32,
    "resnet18": resnet18,
    "resnet34": resnet34,
}


def network(name: str, shape: tuple[int, ...], classes: int) -> Net:
    """The network of a name, ``mlp``, or of a name and its hidden width, ``mlp:128``.

    Raises:
        KeyError: no network of that name; the message suggests the nearest.
        ValueError: no string, or the width is no whole number from 1 on.
    """
    base, colon, hidden = named(name, "net", "mlp:128").partition(":")
    _, make = lookup(NETS, base, "network")
    if not colon:
        return make(shape, classes)
    if not hidden.isdecimal() or int(hidden) < 1:
        raise ValueError(f"net is {name!r}; write a hidden width after the colon, such as mlp:128.")
    return make(shape, classes, hidden=int(hidden))


__all__ = [
    "NETS",
    "Buffer",
    "Flat",
    "Module",
    "Net",
    "One",
    "Output",
    "State",
    "affine",
    "cnn",
    "each",
    "fixed",
    "from_torch",
    "leaf",
    "linear",
    "mlp",
    "network",
    "resnet18",
    "resnet32",
    "resnet34",
    "with_head",
    "with_more",
    "with_projection",
]
