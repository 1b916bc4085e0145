"""Language models in a folder on disk, as networks for texts."""

from ._beam import beam_names
from ._build import Start, hf_net, named_scores

__all__ = ["Start", "beam_names", "hf_net", "named_scores"]
