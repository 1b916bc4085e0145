"""Errors that annotators share: found, said, and allowed for in what a consensus claims."""

from ._chance import Chance
from ._known_items import Calibration
from ._pairs import Pairs
from ._pool import Claim, OpinionPool, opinion_pool
from ._shared_errors import SharedErrors, shared_errors

__all__ = [
    "Calibration",
    "Chance",
    "Claim",
    "OpinionPool",
    "Pairs",
    "SharedErrors",
    "opinion_pool",
    "shared_errors",
]
