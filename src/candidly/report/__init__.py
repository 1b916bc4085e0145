"""What was found, for people: tables, sentences, figures, and self-contained pages.

>>> from candidly.sweep.records import Results
>>> print(render(Results((), {})))
No runs are planned, so there is nothing to show.
"""

from .comparison import write_comparison_page
from .findings import findings
from .html import write_report
from .issues import write_issues_page
from .tables import render

__all__ = [
    "findings",
    "render",
    "write_comparison_page",
    "write_issues_page",
    "write_report",
]
