"""What was found by a sweep, for people: tables, sentences, figures, and self-contained pages.

>>> from candidly.compare.sweep.results import Results
>>> print(render(Results((), {})))
No runs are planned, so there is nothing to show.
"""

from .findings import findings
from .html import write_report
from .tables import render

__all__ = ["findings", "render", "write_report"]
