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
    from .crowd.consensus_page import set_figure as set_figure
    from .crowd.consensus_page import write_crowd_page as write_crowd_page
    from .crowd.labels_page import write_labels_page as write_labels_page
    from .validation.verdicts_page import write_verdicts_page as write_verdicts_page

_WHERE = {  # public name -> module that has it; '' or PACKAGE. where the name is a module there
    "crowd": "",
    "review": "",
    "set_figure": "crowd.consensus_page",
    "validation": "",
    "web": "",
    "write_crowd_page": "crowd.consensus_page",
    "write_labels_page": "crowd.labels_page",
    "write_verdicts_page": "validation.verdicts_page",
}

if not TYPE_CHECKING:  # for them, a name that is not above is an error
    __getattr__, __dir__, __all__ = lazy(__name__, _WHERE)
