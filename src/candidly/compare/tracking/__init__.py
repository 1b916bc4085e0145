"""Records of a benchmark, sent to somebody's tracker while it runs or afterwards.

The journal stays the truth: trackers are told what stands in it, and training never waits for one.
A tracker is a sink, an object with ``send`` and ``close``: :class:`TensorBoardSink`, or one's own.
"""

from ._follow import Follower, Sink, follow, following, track
from ._sinks import SINKS, make_sink
from ._tensorboard import TensorBoardSink

__all__ = [
    "SINKS",
    "Follower",
    "Sink",
    "TensorBoardSink",
    "follow",
    "following",
    "make_sink",
    "track",
]
