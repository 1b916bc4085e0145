"""Any algorithm in a training loop of somebody's own, from the pages that the engine trains.

``attach`` gives a method that holds what the algorithm keeps (tables, memory, clock, further
networks); the user keeps network, loader, optimiser, schedule and device.
"""

from ._attach import attach
from ._attached import Attached
from ._needs import Needs, needs_of

__all__ = ["Attached", "Needs", "attach", "needs_of"]
