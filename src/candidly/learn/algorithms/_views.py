"""Views: what a method asks of its inputs beside the name of a view.

A method names ``plain``, ``weak``, ``strong`` or ``distill``, and the kind of input decides what
that is: see the room ``views``.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class View:
    """One view of a method's.

    Attributes:
        noise: for tables, the standard deviation of the normal noise on every feature, in units of
            the inputs that the network sees: a number, or the name of a hyper-parameter. 0: none.
        pictures: for pictures, the view that it is where that has another name than the method's.
    """

    noise: float | str = 0.0
    pictures: str = ""
