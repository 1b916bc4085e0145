"""What people say of labels: asked, counted, judged.

Several annotators: votes or a table, or its parts → ``Answers`` → ``consensus`` → ``Consensus`` →
tables, page. Validation: answers → ``Tally`` → ``judge`` → ``Verdicts`` → totals, page,
``corrected`` → ``Corrected``. Review: issues, data or votes → ``make_project`` → ``next_tasks``,
``answer_and_next`` → log → ``refresh`` → ``progress``, ``tally`` → ``Verdicts``.
"""

from typing import TYPE_CHECKING

from ..ground.faces import lazy

if TYPE_CHECKING:
    from . import crowd as crowd
    from . import review as review
    from . import validation as validation
    from . import web as web
    from .crowd.consensus_document import crowd_document as crowd_document
    from .crowd.consensus_document import set_figure as set_figure
    from .crowd.labels_document import labels_document as labels_document
    from .validation.verdicts_document import verdicts_document as verdicts_document

_WHERE = {  # public name -> module that has it; '' or PACKAGE. where the name is a module there
    "crowd": "",
    "crowd_document": "crowd.consensus_document",
    "labels_document": "crowd.labels_document",
    "review": "",
    "set_figure": "crowd.consensus_document",
    "validation": "",
    "verdicts_document": "validation.verdicts_document",
    "web": "",
}

if not TYPE_CHECKING:  # for them, a name that is not above is an error
    __getattr__, __dir__, __all__ = lazy(__name__, _WHERE)
