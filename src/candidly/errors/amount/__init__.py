"""How many labels are wrong? What probabilities can tell, and on which premise.

>>> import numpy as np
>>> rng = np.random.default_rng(0)
>>> true = rng.integers(3, size=2000)
>>> probs = np.full((2000, 3), 0.05)
>>> probs[np.arange(2000), true] = 0.9
>>> given = np.where(rng.random(2000) < 0.1, (true + 1) % 3, true)
>>> found = estimate(given, probs)
>>> found.labelled
2000
"""

from ._estimate import WrongLabels, estimate
from ._moves import Move

__all__ = ["Move", "WrongLabels", "estimate"]
