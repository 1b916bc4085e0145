"""What is trained: networks written for a stack of trials."""

from collections.abc import Callable, Mapping

from .._names import lookup, named
from ._module import Module
from ._net import Net, Output, Parameters, affine, leaf
from .heads import with_head, with_more
from .mlp import mlp
from .table import table

NETS: Mapping[str, Callable[..., Net]] = {"mlp": mlp}


def network(name: str, features: int, classes: int) -> Net:
    """The network of a name, ``mlp``, or of a name and its hidden width, ``mlp:128``.

    Raises:
        KeyError: no network of that name; the message suggests the nearest.
        ValueError: no string, or the width is no whole number from 1 on.
    """
    base, colon, hidden = named(name, "net", "mlp:128").partition(":")
    _, make = lookup(NETS, base, "network")
    if not colon:
        return make(features, classes)
    if not hidden.isdecimal() or int(hidden) < 1:
        raise ValueError(f"net is {name!r}; write a hidden width after the colon, such as mlp:128.")
    return make(features, classes, hidden=int(hidden))


__all__ = [
    "NETS",
    "Module",
    "Net",
    "Output",
    "Parameters",
    "affine",
    "leaf",
    "mlp",
    "network",
    "table",
    "with_head",
    "with_more",
]
