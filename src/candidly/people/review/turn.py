"""What people ask of a project: keep this, and what is next? Many of them at once.

What several people ask at the same time is answered with the same few statements: most of the time
a statement takes does not depend on how many people it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from ._visit import arrive, leave, unknown_person
from .answers import Reply, check, keep
from .assign import Task, check_ahead, hand_out
from .project import Person, Project


@dataclass(frozen=True, eq=False)
class Request:
    """What one person asks: to keep these replies, and to be handed out so much; None: nothing."""

    project: Project
    person: Person
    replies: Sequence[Reply]
    ahead: int | None


def next_tasks(project: Project, person: Person, ahead: int = 0) -> list[Task]:
    """The batch that this person is to answer now: the one they have, else the next.

    In the order in which to answer; a batch is those of one ``Task.batch``. Empty when nothing is
    left for them, when they have reached the limit, or are excluded.

    Args:
        ahead: hand out so many batches more, which a screen can load before they are due. They
            are leased like the first.

    Raises:
        ValueError: there is no such person, or ``ahead`` is below 0.
    """
    check_ahead(ahead)
    return project.store.write_one_of(serve, Request(project, person, (), ahead), synced=False)


def answer(project: Project, person: Person, replies: Sequence[Reply]) -> list[str]:
    """Adds answers, all or none; when this returns they are on disk. The ids of what is there.

    An answer after its lease ended, about an item that is full by now, stays in the log and out
    of the totals.

    Raises:
        ValueError: an answer that the question does not have, about an item that the person was
            not asked about or has answered, an id that stands for something else, or a part of a
            batch where all of it is asked for. Nothing was added then.
    """
    check(project, replies)
    project.store.write_one_of(serve, Request(project, person, replies, None))
    return [reply.id for reply in replies]


def answer_and_next(
    project: Project, person: Person, replies: Sequence[Reply], ahead: int = 0
) -> list[Task]:
    """Keeps answers as ``answer`` does, and gives what ``next_tasks`` would, as one write.

    Repeated with the same replies it adds nothing, and gives what the person holds by now.

    Args:
        ahead: see ``next_tasks``.

    Raises:
        ValueError: see ``answer``; nothing was added or handed out then.
    """
    check(project, replies)
    check_ahead(ahead)
    return project.store.write_one_of(serve, Request(project, person, replies, ahead))


def serve(connection: Connection, requests: Sequence[Request]) -> list[list[Task] | Exception]:
    """What each request comes to; a refused one has written nothing."""
    outcomes: dict[Request, list[Task] | Exception] = {}
    for part in _rounds(requests):
        outcomes |= _serve_different(connection, part)
    return [outcomes[request] for request in requests]


def _rounds(requests: Sequence[Request]) -> list[list[Request]]:
    """Requests in parts, in each of which no person and no id comes twice."""
    rounds: list[list[Request]] = []
    last: dict[int | str, int] = {}
    for request in requests:
        keys: list[int | str] = [request.person.id, *(reply.id for reply in request.replies)]
        k = 1 + max(last.get(key, -1) for key in keys)
        last |= dict.fromkeys(keys, k)
        if k == len(rounds):
            rounds.append([])
        rounds[k].append(request)
    return rounds


def _serve_different(
    connection: Connection, requests: Sequence[Request]
) -> dict[Request, list[Task] | Exception]:
    project = requests[0].project
    visits = arrive(connection, project, [request.person for request in requests])
    here = [
        (visits[request.person.id], request) for request in requests if request.person.id in visits
    ]
    keep(connection, project, [(who, request.replies) for who, request in here])
    wanting = [
        (who, request.ahead)
        for who, request in here
        if request.ahead is not None and who.refused is None
    ]
    if wanting:
        hand_out(connection, project, wanting)
    leave(connection, [who for who, _ in here])
    outcomes = {request: who.refused or who.tasks for who, request in here}
    return {request: outcomes.get(request, unknown_person(request.person)) for request in requests}
