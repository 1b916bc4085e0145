"""What was found by a sweep, for people: tables, sentences, figures, and self-contained pages.

>>> from candidly.compare.sweep.results import Results
>>> print(accuracy_tables(Results((), {})))
No runs are planned, so there is nothing to show.
"""

from .document import results_document
from .findings import findings
from .tables import accuracy_tables

__all__ = ["accuracy_tables", "findings", "results_document"]
