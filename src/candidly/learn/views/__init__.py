"""Views: an input changed a little, so that a network may learn what does not matter.

A method names a view, and the kind of its inputs decides what that is: for pictures a function of
their pixels and of random words, for texts of their tokens, for tables noise. What is drawn for a
row of pictures or texts depends on the trial, the view's name, the update and the row alone, never
on the rest of a batch.
"""

from ._draws import Draw
from .pictures import PICTURES, Change, distill, plain, policy_view, strong, view_of_pictures, weak
from .tables import TABLES, gaussian_noise
from .tokens import TOKENS, view_of_tokens

__all__ = [
    "PICTURES",
    "TABLES",
    "TOKENS",
    "Change",
    "Draw",
    "distill",
    "gaussian_noise",
    "plain",
    "policy_view",
    "strong",
    "view_of_pictures",
    "view_of_tokens",
    "weak",
]
