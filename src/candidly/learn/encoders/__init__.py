"""Networks that were trained elsewhere and learn nothing here: pictures and texts as vectors.

``features`` is the one door. Nothing is downloaded, and no code of a package or folder is run.
"""

from ._features import default_encoder, features
from ._kept import folder_of_kept
from ._named import LITES, advised, installed, picture_encoder
from ._pictures import PictureEncoder, encoded
from ._sentences import ENCODER, sentence_vectors

__all__ = [
    "ENCODER",
    "LITES",
    "PictureEncoder",
    "advised",
    "default_encoder",
    "encoded",
    "features",
    "folder_of_kept",
    "installed",
    "picture_encoder",
    "sentence_vectors",
]
