"""Further ways to a consensus, by their papers: one file each, and one contract.

A function of ``Answers`` that gives a ``Consensus``. All take it that annotators err independently,
and claim as much as that allows (``people.crowd.dependence``).
"""

from ._glad import glad
from ._ibcc import ibcc
from ._kos import kos
from ._mace import mace
from ._ordinal import Ordinal, ordinal
from ._weighted import wawa, zero_based_skill

__all__ = ["Ordinal", "glad", "ibcc", "kos", "mace", "ordinal", "wawa", "zero_based_skill"]
