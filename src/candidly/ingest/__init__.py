"""Files that people have, read: every table, every array, every folder of pictures.

``read`` makes ``Labelled`` of any of them, ``read_frame`` a data frame of a table. ``Roles`` says
which column is what, in the same words as the options of the command line.
"""

from ._examples import SUFFIXES, read, read_inputs
from ._mat import load_mat
from ._roles import Roles
from ._sheet import TABLE_ENDINGS, Form, Sheet, read_frame

__all__ = [
    "SUFFIXES",
    "TABLE_ENDINGS",
    "Form",
    "Roles",
    "Sheet",
    "load_mat",
    "read",
    "read_frame",
    "read_inputs",
]
