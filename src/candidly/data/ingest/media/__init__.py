"""What examples look like, from files: which file belongs to which example, and what is let in."""

from ._check import ENDINGS, FORMATS, Format, checked_file, checked_pixels, opened_picture
from ._decoded import decoded
from ._open import File, Look, Media, open_media
from ._pixels import decoded_pictures

__all__ = [
    "ENDINGS",
    "FORMATS",
    "File",
    "Format",
    "Look",
    "Media",
    "checked_file",
    "checked_pixels",
    "decoded",
    "decoded_pictures",
    "open_media",
    "opened_picture",
]
