"""What is trained: networks written for a stack of trials."""

from .mlp import mlp

NETS = {"mlp": mlp}

__all__ = ["NETS", "mlp"]
