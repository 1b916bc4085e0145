"""Files that people have, read: every table, every array, every folder of pictures.

``read`` makes ``Labelled`` of any of them, ``read_frame`` a data frame of a table. ``Roles`` says
which column is what, in the same words as the options of the command line.
"""

from ._examples import SUFFIXES, input_columns, read, read_inputs
from ._features import decimal_points
from ._mat import load_mat
from ._one_hot import columns_of, one_column
from ._pictures import files_named, pictures_in
from ._recognised import recognised
from ._roles import NONE, SKIP, USUAL, Roles, several_answers
from ._sheet import TABLE_ENDINGS, Form, Sheet, read_frame
from ._shown import is_table, shown_columns
from .back import (
    Origin,
    check_origin,
    classes_in,
    corrected_columns,
    corrected_tags,
    ids_in,
    label_column,
    labels_in,
    one_an_item,
    origin_of,
    tags_in,
    write_back,
)
from .exports import ReadAs
from .folder_back import FolderWritten, is_by_folders, write_folder

__all__ = [
    "NONE",
    "SKIP",
    "SUFFIXES",
    "TABLE_ENDINGS",
    "USUAL",
    "FolderWritten",
    "Form",
    "Origin",
    "ReadAs",
    "Roles",
    "Sheet",
    "check_origin",
    "classes_in",
    "columns_of",
    "corrected_columns",
    "corrected_tags",
    "decimal_points",
    "files_named",
    "ids_in",
    "input_columns",
    "is_by_folders",
    "is_table",
    "label_column",
    "labels_in",
    "load_mat",
    "one_an_item",
    "one_column",
    "origin_of",
    "pictures_in",
    "read",
    "read_frame",
    "read_inputs",
    "recognised",
    "several_answers",
    "shown_columns",
    "tags_in",
    "write_back",
    "write_folder",
]
