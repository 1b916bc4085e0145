"""What is trained: networks written for a stack of trials."""

from ._net import Net
from .heads import with_head, with_more
from .mlp import mlp
from .table import table

NETS = {"mlp": mlp}

__all__ = ["NETS", "Net", "mlp", "table", "with_head", "with_more"]
