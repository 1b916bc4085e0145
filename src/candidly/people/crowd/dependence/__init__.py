"""Errors that annotators share: found, said, and allowed for in what a consensus claims."""

from ._chance import Chance
from ._known_items import Calibration
from ._pairs import AnnotatorPairs
from ._pool import Claim, OpinionPool, opinion_pool
from ._shared_errors import SharedErrors, shared_errors

__all__ = [
    "AnnotatorPairs",
    "Calibration",
    "Chance",
    "Claim",
    "OpinionPool",
    "SharedErrors",
    "opinion_pool",
    "shared_errors",
]
