"""Networks that were trained elsewhere and learn nothing here: pictures and texts as vectors.

``features`` is the one door. Nothing is downloaded, and no code of a package or folder is run.
"""

from ._features import default_encoder, features
from ._named import LITES, advised, installed
from ._seen import SeenBy, seen_through
from ._sentences import ENCODER, sentence_vectors

__all__ = [
    "ENCODER",
    "LITES",
    "SeenBy",
    "advised",
    "default_encoder",
    "features",
    "installed",
    "seen_through",
    "sentence_vectors",
]
