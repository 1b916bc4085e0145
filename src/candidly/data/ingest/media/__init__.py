"""What examples look like, from files: which file belongs to which example, and what is let in.

``pixels_of`` is the one decoder of pictures; see ``_decode``.
"""

from ._bare import bare, written
from ._check import checked_file, checked_pixels
from ._decode import Header, header_of, pixels_of
from ._formats import ENDINGS, FORMATS, Format
from ._open import File, Look, Media, open_media
from ._squares import decoded, square

__all__ = [
    "ENDINGS",
    "FORMATS",
    "File",
    "Format",
    "Header",
    "Look",
    "Media",
    "bare",
    "checked_file",
    "checked_pixels",
    "decoded",
    "header_of",
    "open_media",
    "pixels_of",
    "square",
    "written",
]
