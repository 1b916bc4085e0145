"""Views: an input changed a little, so that a network may learn what does not matter.

A page names a view, and the kind of its inputs decides what that is. What is drawn for a row
depends on the trial, the view's name, the update and the row alone, never on the rest of a batch.
"""

from ._draws import Draw
from .pictures import PICTURES, Change, distill, plain, view_of_pictures, weak

__all__ = ["PICTURES", "Change", "Draw", "distill", "plain", "view_of_pictures", "weak"]
