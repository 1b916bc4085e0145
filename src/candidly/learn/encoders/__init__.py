"""Networks that were trained elsewhere and learn nothing here: pictures and texts as vectors.

``features`` is the one door. Nothing is downloaded, and no code of a package or folder is run.
"""

from ._features import default_encoder, features
from ._named import LITES, advised, installed
from ._sentences import ENCODER, sentence_vectors

__all__ = [
    "ENCODER",
    "LITES",
    "advised",
    "default_encoder",
    "features",
    "installed",
    "sentence_vectors",
]
