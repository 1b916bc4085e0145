"""People check labels: projects, who is asked what, answers that are never lost, what they come to.

Needs the extra ``review`` (``docs/install.md``).
``make_project`` and ``open_project`` give a ``Project``;
``next_tasks`` says what a person is to answer, ``answer`` keeps what they say, ``answer_and_next``
does both; ``progress``, ``standings`` and ``verdicts`` say what has come of it.
"""

from ._cards import (
    COUNTS,
    REMARK,
    Card,
    Said,
    answers_of,
    disagreement_of,
    find_item,
    next_like,
    outcomes,
    said_about,
)
from ._items import (
    Item,
    items_of_data,
    items_of_issues,
    items_of_tags,
    items_of_tally,
    of_data,
    sampled,
)
from ._log import LONGEST_MS
from ._media import (
    MEDIA_FOLDER,
    Looks,
    Shown,
    leaving,
    looks_of,
    looks_of_files,
    looks_of_rows,
    no_looks,
)
from ._open import answered, seen, shown_item
from ._orders import flip_of, new_seed, seed_of
from ._people import Standing, pace, standings
from ._trouble import StoreError
from ._views import PAGE, SORTS, Found, ItemFilter, all_cards, browse, next_to_decide
from .answers import Reply
from .assign import Task, examples_text
from .changes import exclude, look, note, undo
from .corrected import (
    CorrectedTags,
    corrected_candidates,
    corrected_file,
    corrected_folder,
    corrected_labels,
    corrected_tags,
)
from .deciding import REMOVE, OrganiserDecision, can_decide, decide, decisions
from .deeds import events, last_events, record
from .export import (
    argilla,
    label_studio,
    label_votes,
    log,
    pay_list,
    released,
    set_tally,
    votes,
)
from .load import import_answers, import_votes, merge, merge_log, recount
from .new import new_project
from .project import (
    Person,
    Project,
    add_person,
    all_examples,
    find_person,
    make_project,
    open_project,
    people,
    people_state,
    shown_examples,
)
from .questions import QUESTIONS, choice_of
from .rules import GOALS, PRESETS, Cost, Rules, most_turns, plan_cost
from .sessions import begin_session, end_session, end_sessions, open_until
from .store import CONNECTIONS
from .totals import (
    Labels,
    Overview,
    Pair,
    Progress,
    checked_rows,
    overview,
    pairs,
    progress,
    tally,
    verdicts,
)
from .turn import answer, answer_and_next, next_tasks

__all__ = [
    "CONNECTIONS",
    "COUNTS",
    "GOALS",
    "LONGEST_MS",
    "MEDIA_FOLDER",
    "PAGE",
    "PRESETS",
    "QUESTIONS",
    "REMARK",
    "REMOVE",
    "SORTS",
    "Card",
    "CorrectedTags",
    "Cost",
    "Found",
    "Item",
    "ItemFilter",
    "Labels",
    "Looks",
    "OrganiserDecision",
    "Overview",
    "Pair",
    "Person",
    "Progress",
    "Project",
    "Reply",
    "Rules",
    "Said",
    "Shown",
    "Standing",
    "StoreError",
    "Task",
    "add_person",
    "all_cards",
    "all_examples",
    "answer",
    "answer_and_next",
    "answered",
    "answers_of",
    "argilla",
    "begin_session",
    "browse",
    "can_decide",
    "checked_rows",
    "choice_of",
    "corrected_candidates",
    "corrected_file",
    "corrected_folder",
    "corrected_labels",
    "corrected_tags",
    "decide",
    "decisions",
    "disagreement_of",
    "end_session",
    "end_sessions",
    "events",
    "examples_text",
    "exclude",
    "find_item",
    "find_person",
    "flip_of",
    "import_answers",
    "import_votes",
    "items_of_data",
    "items_of_issues",
    "items_of_tags",
    "items_of_tally",
    "label_studio",
    "label_votes",
    "last_events",
    "leaving",
    "log",
    "look",
    "looks_of",
    "looks_of_files",
    "looks_of_rows",
    "make_project",
    "merge",
    "merge_log",
    "most_turns",
    "new_project",
    "new_seed",
    "next_like",
    "next_tasks",
    "next_to_decide",
    "no_looks",
    "note",
    "of_data",
    "open_project",
    "open_until",
    "outcomes",
    "overview",
    "pace",
    "pairs",
    "pay_list",
    "people",
    "people_state",
    "plan_cost",
    "progress",
    "record",
    "recount",
    "released",
    "said_about",
    "sampled",
    "seed_of",
    "seen",
    "set_tally",
    "shown_examples",
    "shown_item",
    "standings",
    "tally",
    "undo",
    "verdicts",
    "votes",
]
