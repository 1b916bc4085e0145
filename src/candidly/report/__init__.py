"""What was found, for people: tables, sentences, figures, and self-contained pages.

>>> from candidly.sweep.records import Results
>>> print(render(Results((), {})))
No runs are planned, so there is nothing to show.
"""

from .built import write_built_page
from .comparison import write_comparison_page
from .crowd import set_figure, write_crowd_page
from .findings import findings
from .html import write_report
from .issues import write_issues_page
from .labels import write_labels_page
from .stability import render_stability, write_stability_page
from .tables import render
from .verdicts import write_verdicts_page

__all__ = [
    "findings",
    "render",
    "render_stability",
    "set_figure",
    "write_built_page",
    "write_comparison_page",
    "write_crowd_page",
    "write_issues_page",
    "write_labels_page",
    "write_report",
    "write_stability_page",
    "write_verdicts_page",
]
