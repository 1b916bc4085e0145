"""What is trained: networks written for a stack of trials."""

from ._net import Net
from .mlp import mlp
from .table import table

NETS = {"mlp": mlp}

__all__ = ["NETS", "Net", "mlp", "table"]
