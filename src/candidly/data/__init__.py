"""Inputs and imperfect labels: read, loaded, made imperfect."""

from typing import TYPE_CHECKING

from ..ground.faces import lazy

if TYPE_CHECKING:
    from . import examples as examples
    from . import imperfect as imperfect
    from . import ingest as ingest
    from . import inputs as inputs
    from . import labels as labels
    from . import sources as sources
    from .imperfect import Process as Process
    from .ingest import read as read
    from .labels.building import from_arrays as from_arrays
    from .labels.labelled import Labelled as Labelled
    from .labels.narrowing import narrowed as narrowed
    from .labels.votes import Votes as Votes
    from .labels.votes import at_least as at_least
    from .labels.votes import majority as majority
    from .labels.votes import shares_named as shares_named
    from .labels.votes import union as union
    from .labels.votes import vaguest as vaguest
    from .labels.votes import votes_to_given as votes_to_given
    from .sources import Expected as Expected
    from .sources import Source as Source
    from .sources import load as load
    from .sources import match_order as match_order

_WHERE = {  # public name -> module that has it; '' or PACKAGE. where the name is a module there
    "Expected": "sources",
    "Labelled": "labels.labelled",
    "Process": "imperfect",
    "Source": "sources",
    "Votes": "labels.votes",
    "at_least": "labels.votes",
    "examples": "",
    "from_arrays": "labels.building",
    "imperfect": "",
    "ingest": "",
    "inputs": "",
    "labels": "",
    "load": "sources",
    "majority": "labels.votes",
    "match_order": "sources",
    "narrowed": "labels.narrowing",
    "read": "ingest",
    "sources": "",
    "shares_named": "labels.votes",
    "union": "labels.votes",
    "vaguest": "labels.votes",
    "votes_to_given": "labels.votes",
}

if not TYPE_CHECKING:  # for them, a name that is not above is an error
    __getattr__, __dir__, __all__ = lazy(__name__, _WHERE)
