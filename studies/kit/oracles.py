"""Which of candidly's algorithms are told the truth: by what their pages read."""

from __future__ import annotations

from candidly.ground.names import UnknownName
from candidly.learn.algorithms import algorithm


def is_oracle(name: str) -> bool:
    """Whether the algorithm of that name reads the truth; what is no algorithm does not."""
    try:
        return algorithm(name).oracle
    except UnknownName:
        return False
