"""Networks that were trained elsewhere and learn nothing here: pictures and texts as vectors.

``features`` is the one door. Nothing is downloaded, and no code of a package or folder is run; a
file of Python that somebody names is.
"""

from ._features import default_encoder, features
from ._named import LITES, advised, installed
from ._sentences import ENCODER, sentence_vectors
from ._zero_shot import zero_shot

__all__ = [
    "ENCODER",
    "LITES",
    "advised",
    "default_encoder",
    "features",
    "installed",
    "sentence_vectors",
    "zero_shot",
]
