"""What is trained: networks written for a stack of trials."""

from ._files import function_of, loaded_source, neighbours_of
from ._flat import Flat
from ._module import Module
from ._named import NETS, network
from ._net import Buffer, Net, Output, affine, leaf
from ._state import One, State, each, fixed
from .heads import linear, with_head, with_more, with_projection
from .mlp import mlp

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
    "each",
    "fixed",
    "function_of",
    "leaf",
    "linear",
    "loaded_source",
    "mlp",
    "neighbours_of",
    "network",
    "with_head",
    "with_more",
    "with_projection",
]
