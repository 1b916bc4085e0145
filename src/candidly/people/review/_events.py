"""How a line is added to what was done beside answering; ``deeds`` reads them."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from sqlalchemy import Connection, insert

from . import _schema as t

PROGRAM = "a program"  # who does what nobody is named for


def add_event(
    connection: Connection, at: float, by: str, what: str, about: str = "", **more: Any
) -> None:
    """Append what was done.

    Args:
        at: when. by: a role, with the code of a person, or a command.
        what: in words, such as "left out". about: a person's code, a file.
        more: what else is to be known, for JSON.
    """
    said = json.dumps(more, ensure_ascii=False) if more else None
    row = {"at": at, "by": by, "what": what, "about": about, "more": said}
    connection.execute(insert(t.event), row)


def session_mark(number: str) -> str:
    """What stands for a session, so that its acts can be told from those of others."""
    return hashlib.sha256(number.encode()).hexdigest()[:8]
