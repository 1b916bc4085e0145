"""How many labels are wrong? What probabilities can tell, and on which premise.

>>> import numpy as np
>>> rng = np.random.default_rng(0)
>>> true = rng.integers(3, size=2000)
>>> probs = rng.dirichlet([1, 1, 1], 2000) + 6 * np.eye(3)[true]
>>> given = np.where(rng.random(2000) < 0.1, (true + 1) % 3, true)
>>> print(estimate(given, probs / probs.sum(1, keepdims=True)).headline())
If errors strike clear and unclear rows alike, about 200 (...) of 2,000 labels are wrong, ...
"""

from ...stats.checked import CheckedCount, CheckedRows, RowsToCheck, count_checked
from ._calibrated import calibrated
from ._drawn import table_to_check
from ._estimate import estimate
from ._listed import worth_a_look
from ._moves import Move
from ._result import WrongLabels
from ._strata import MOST, rows_to_check

__all__ = [
    "MOST",
    "CheckedCount",
    "CheckedRows",
    "Move",
    "RowsToCheck",
    "WrongLabels",
    "calibrated",
    "count_checked",
    "estimate",
    "rows_to_check",
    "table_to_check",
    "worth_a_look",
]
