"""Which items to check so that an order of models is sure, and when one may stop.

An item has a value for two models: by how much the first is ahead of the second on it.
``certificate`` says what is sure whatever unchecked items turn out to be, ``evidence`` how sure an
order is after items that were checked in a random order, ``order_of_checks`` both for every pair of
neighbours.

>>> import numpy as np
>>> certificate(np.array([1, 1, 1, -1, 0]), np.array([True, False, False, True, False])).needed
2
"""

from ._budget import Certificate, certificate, flip_budget
from ._order import AdjacentModels, CheckingPlan, NeighbourValues, order_of_checks
from ._sequential import SequentialTest, confidence_sequence, evidence, planning_number

__all__ = [
    "AdjacentModels",
    "Certificate",
    "CheckingPlan",
    "NeighbourValues",
    "SequentialTest",
    "certificate",
    "confidence_sequence",
    "evidence",
    "flip_budget",
    "order_of_checks",
    "planning_number",
]
