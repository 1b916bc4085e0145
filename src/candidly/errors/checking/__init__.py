"""Check the labels of a file in one go: a classifier that did not see a label doubts it or not.

>>> import polars as pl
>>> rows = [(k % 7 / 10 + (k % 2), "yes" if k % 2 else "no") for k in range(60)]
>>> frame = pl.DataFrame(rows, schema=["size", "sold"], orient="row")
>>> wrong = pl.when(pl.int_range(60) == 8).then(pl.lit("yes")).otherwise("sold").alias("sold")
>>> check(frame.with_columns(wrong), label="sold").issues.indices
array([8])
"""

from ._check import check
from ._leaks import Leak, find_leaks
from ._result import Checked
from ._siblings import Siblings, find_siblings
from ._tags import CheckedTags

__all__ = ["Checked", "CheckedTags", "Leak", "Siblings", "check", "find_leaks", "find_siblings"]
