"""The screen of people who answer: cards to answer, and the log behind them.

A card is what is answered at once: one item with buttons, or a batch of items with labels to
choose. The page works without its script; with it, the next card is there before it is asked for.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.responses import JSONResponse, RedirectResponse, Response

from ...ground.names import shortened
from .. import review as reviews
from ..review import LONGEST_MS, Reply, Rules, Shown, Task, examples_text, flip_of
from ..review.questions import NO_LABEL, SKIP
from ._fields import decimal, whole
from ._looks import Look, look_of
from ._seal import CARD, EXAMPLE, ITEM, TASK, opened, sealed
from ._templates import page, part
from ._visit import Refused, Visit

AHEAD = 2  # cards given out beyond the one that is answered, so that the next is never waited for
INTERFACE = "web 1"  # what answers say of where they were given


@dataclass(frozen=True)
class Option:
    """One answer: what is sent, what is read, and the key that gives it."""

    value: str
    text: str
    key: str


@dataclass(frozen=True)
class Entry:
    """One item on a card.

    Attributes:
        id: of the reply that the card will send. task: see ``Task``; of it only what may be shown.
        sealed: which item it is, for the form. look: of the item.
        examples: for each of its classes, the name and what some of them look like.
        options: answers to choose from.
        others: classes that are not shown, where one may be named beside ``neither``.
        seen: with open review, what the label, the guess and the score are; else None.
    """

    id: str
    task: Task
    sealed: str
    look: Look
    examples: Sequence[tuple[str, Sequence[Look]]]
    options: Sequence[Option]
    others: Sequence[Option] = ()
    seen: Mapping[str, str] | None = None

    @property
    def examples_text(self) -> str:
        """The examples shown, as the log keeps them."""
        return examples_text(self.task) if any(self.task.examples) else ""


@dataclass(frozen=True)
class Screen:
    """How a question looks.

    Attributes:
        template: the template of its cards. asks: the sentence above.
        options: its answers. choice: what was clicked, of this person's item, in its normal form.
        together: a batch is one card. several: more than one answer may be chosen.
        no_label: the answer that no label holds, where there is one.
    """

    template: str
    asks: str
    options: Callable[[Rules, Task], list[Option]]
    choice: Callable[[Rules, str, int, Sequence[str]], str]
    together: bool = False
    several: bool = False
    no_label: str = ""


def review(visit: Visit) -> Response:
    """The page with what this person is to answer."""
    cards = _cards(visit, _next(visit))
    return _page(visit, cards[0]["html"] if cards else part("nothing.html"))


def tasks(visit: Visit) -> Response:
    """What this person holds, and how far they are, for the script."""
    found = _next(visit)
    return _held(visit, found, reviews.answered(visit.site.project, visit.who.person))


def answer(visit: Visit) -> Response:
    """Keeps the answers of one card; what there is to do next."""
    try:
        found = reviews.answer_and_next(
            visit.site.project, visit.who.person, _replies(visit), ahead=_ahead(visit)
        )
    except ValueError as error:
        raise Refused(422, _unnumbered(str(error))) from None
    return _held(visit, found)


def undo(visit: Visit) -> Response:
    """Takes the last answer back; its item comes first again, whatever others have said since."""
    project, person = visit.site.project, visit.who.person
    if reviews.undo(project, person, visit.said("id")) is None:
        raise Refused(422, "There is nothing to take back.")
    return _held(visit, _next(visit), reviews.answered(project, person))


def look(visit: Visit) -> Response:
    """Open review: the item with its label and guess; its answer will not count."""
    project, person = visit.site.project, visit.who.person
    place = opened(visit.site, TASK, person.id, visit.said("task"))
    task = next((task for task in _next(visit) if (task.item, task.repeat) == place), None)
    if task is None:
        raise Refused(403, "Only an item that you are asked about can be opened.")
    reviews.look(project, person, visit.said("id"), task.item, task.repeat)
    html = _card(visit, [replace(task, opened=True)])["html"]
    if visit.script:
        return JSONResponse({"html": html})
    return _page(visit, html)


def _page(visit: Visit, first: str) -> Response:
    rules = visit.site.project.rules
    return page(
        visit.site,
        "review.html",
        visit.session,
        first=first,
        asks=_screen(visit).asks,
        keys=_keys(rules),
        answered=reviews.answered(visit.site.project, visit.who.person),
        of=_of(visit),
        undo_id=uuid.uuid4().hex,
    )


def _of(visit: Visit) -> str:
    """How many there are to answer, in words.

    It follows from the project alone: what anybody has answered would tell which items are known.
    """
    project = visit.site.project
    most = reviews.most_turns(project.items, project.rules, len(project.golds))
    return f"of at most {most:,}"


def _held(visit: Visit, found: Sequence[Task], answered: int | None = None) -> Response:
    """Cards that the script has not got yet, in order, with the keys of all."""
    if not visit.script:
        return RedirectResponse("/review", 303)
    have = set(visit.all_said("have"))
    cards = _cards(visit, found, have)
    nothing = "" if cards else part("nothing.html")
    return JSONResponse({"cards": cards, "nothing": nothing, "answered": answered})


def _cards(
    visit: Visit, found: Sequence[Task], have: frozenset[str] | set[str] = frozenset()
) -> list[dict[str, str]]:
    groups: dict[str, list[Task]] = {}
    together = _screen(visit).together and visit.site.project.rules.whole_batch
    for task in found:
        place = task.batch if together else task.turn
        groups.setdefault(sealed(visit.site, CARD, visit.who.id, place), []).append(task)
    return [
        {"key": key} if key in have else _card(visit, group) | {"key": key}
        for key, group in groups.items()
    ]


def _card(visit: Visit, group: Sequence[Task]) -> dict[str, str]:
    site, screen = visit.site, _screen(visit)
    rules = site.project.rules
    entries = [
        Entry(
            id=uuid.uuid4().hex,
            task=task,
            sealed=sealed(site, TASK, visit.who.id, task.item, task.repeat),
            look=_look(visit, ITEM, task.shown, task.item, task.repeat),
            examples=[
                (rules.classes[k], [_look(visit, EXAMPLE, site.examples[n], n) for n in numbers])
                for k, numbers in zip(task.classes, task.examples)
            ],
            options=screen.options(rules, task),
            others=_others(rules, task),
            seen=reviews.seen(site.project, task.item) if task.opened else None,
        )
        for task in group
    ]
    html = part(
        screen.template, entries=entries, rules=rules, csrf=visit.who.csrf, no_label=screen.no_label
    )
    return {"html": html}


def _look(visit: Visit, what: str, shown: Shown, number: int, repeat: int = 0) -> Look:
    """An item or an example as this person's card shows it, at an address of theirs alone."""
    name = sealed(visit.site, what, visit.who.id, number, repeat)
    return look_of(visit.site.project, shown, f"/shown/{what}/", name)


def _replies(visit: Visit) -> list[Reply]:
    """The form as replies, in the normal form of the question."""
    ids, tasks = visit.all_said("id"), visit.all_said("task")
    if len(ids) != len(tasks):
        raise ValueError("the form is not whole: an id and a task go together.")
    rules, code, screen = visit.site.project.rules, visit.who.code, _screen(visit)
    if len(ids) > rules.batch:
        raise ValueError(
            f"the form holds {len(ids)} answers; a card has {rules.batch} at most. Load the page"
            " again."
        )
    places = [opened(visit.site, TASK, visit.who.id, task) for task in tasks]
    return [
        Reply(
            id=id,
            item=item,
            repeat=repeat,
            **_said(rules, screen, code, item, visit, id),
            ms=_ms(visit.said(f"ms.{id}")),
            note=visit.said(f"note.{id}") or None,
            examples=visit.said(f"examples.{id}")[:2000] or None,
            interface=INTERFACE,
        )
        for id, (item, repeat) in zip(ids, places)
    ]


def _said(
    rules: Rules, screen: Screen, code: str, item: int, visit: Visit, id: str
) -> dict[str, Any]:
    """The choice and the class named beside it, as a reply has them."""
    said, named = visit.all_said(f"say.{id}"), visit.said(f"named.{id}")
    if named and rules.asked.beside:
        if said:
            raise ValueError("an item of the form has two answers; choose one.")
        return {"choice": rules.asked.beside, "named": whole(named, "the class named")}
    return {"choice": _choice(rules, screen, code, item, said)}


def _choice(rules: Rules, screen: Screen, code: str, item: int, said: Sequence[str]) -> str:
    """What was chosen of an item, in its normal form.

    What cannot be is refused in the words that were sent, before any of them is translated: the
    normal form tells what the label is.
    """
    if not said:
        raise ValueError("an item of the form has no answer; choose one, or skip it.")
    if len(said) > 1 and (not screen.several or SKIP in said or len({*said}) < len(said)):
        words = shortened(" ".join(said))
        raise ValueError(f"the answers to one item are {words}, which do not go together.")
    return SKIP if SKIP in said else screen.choice(rules, code, item, said)


def _shown(rules: Rules, code: str, item: int, said: Sequence[str]) -> str:
    """Of a verdict; what is kept depends on the order that this person saw."""
    [word] = said
    choice = reviews.choice_of(flip_of(rules, code, item), word) if word in PLACES else ""
    if choice not in rules.offered:
        places = ", ".join(PLACES)
        raise ValueError(
            f"the answer is {shortened(word)}, which its card does not have; answers are {places}"
            f" and {SKIP}."
        )
    return choice


def _numbers(rules: Rules, code: str, item: int, said: Sequence[str]) -> str:
    """Of labels, in order."""
    if all(word.isascii() and word.isdigit() and len(word) < 10 for word in said):
        return " ".join(map(str, sorted({int(word) for word in said})))
    return " ".join(said)


def _words(rules: Rules, code: str, item: int, said: Sequence[str]) -> str:
    return " ".join(said)


def _unnumbered(why: str) -> str:
    """A sentence without the numbers of items, which are not for people who answer."""
    return re.sub(r"\bitem -?\d+", "this item", why)


def _ms(text: str) -> float | None:
    """A time in milliseconds; None where it is not known, such as of a page left open for days."""
    ms = decimal(text, "the time in milliseconds", 0, 1e15) if text else None
    return ms if ms is not None and ms <= LONGEST_MS else None


def _next(visit: Visit) -> list[Task]:
    return reviews.next_tasks(visit.site.project, visit.who.person, ahead=_ahead(visit))


def _ahead(visit: Visit) -> int:
    return 0 if visit.site.project.rules.whole_batch else AHEAD


def _screen(visit: Visit) -> Screen:
    return SCREENS[visit.site.project.rules.question]


PLACES = ("a", "b", "both", "neither")  # of a verdict, as shown
_SKIP = Option(SKIP, "skip", "0")


def _verdict(rules: Rules, task: Task) -> list[Option]:
    names = [rules.classes[label] for label in task.classes]
    texts = dict(zip(PLACES, (*names, "both", "neither")))
    keys = dict(zip(PLACES, "1234"))
    offered = [value for value in PLACES if task.choice(value) in rules.offered]
    if names[0] == names[1]:  # one class: it fits or it does not
        offered = [value for value in offered if value not in ("b", "both") or value == offered[0]]
    return [*(Option(value, texts[value], keys[value]) for value in offered), _SKIP]


def _others(rules: Rules, task: Task) -> list[Option]:
    """The classes that a card does not show, where ``neither`` is an answer."""
    if not rules.asked.beside or rules.asked.beside not in rules.offered:
        return []
    return [
        Option(str(k), name, "") for k, name in enumerate(rules.classes) if k not in task.classes
    ]


def _yes_no(rules: Rules, task: Task) -> list[Option]:
    name = rules.classes[task.classes[0]]
    return [
        Option("yes", f"yes, {name}", "1"),
        Option("no", f"no, not {name}", "2"),
        _SKIP,
    ]


def _labels(rules: Rules, task: Task) -> list[Option]:
    keys = "1234567890"
    few = len(rules.classes) <= len(keys)
    return [Option(str(k), name, keys[k] if few else "") for k, name in enumerate(rules.classes)]


SCREENS: dict[str, Screen] = {
    "verdict": Screen("choices.html", "Which label fits?", _verdict, _shown),
    "yes or no": Screen("choices.html", "Is this it?", _yes_no, _words),
    "one label": Screen("labels.html", "Which label fits best?", _labels, _numbers, together=True),
    "several labels": Screen(
        "labels.html", "Which labels could fit?", _labels, _numbers, together=True, several=True
    ),
    "all labels": Screen(
        "labels.html",
        "Which labels hold?",
        _labels,
        _numbers,
        together=True,
        several=True,
        no_label=NO_LABEL,
    ),
}

COMMON = (("Space", "enlarge"), ("←", "look back"), ("Z", "undo"), ("N", "note"), ("?", "help"))
CHOICES = (("1 2 3 4", "answer, as on the buttons"), ("0", "skip"), ("O", "show label and guess"))
OTHERS = (("/", "another label: type a part of it, Enter takes the first"),)
LABELS = (
    ("1 to 9, 0", "labels of the item, where there are ten at most"),
    ("/", "search a label"),
    ("↑ ↓", "item before, next item"),
    ("S", "skip the item"),
    ("Enter", "send, when all are answered"),
)


def _keys(rules: Rules) -> Sequence[tuple[str, str]]:
    screen = SCREENS[rules.question]
    none = (("X", "none of the labels"),) * bool(screen.no_label)
    sound = (("P", "play or pause a sound"), ("[ ]", "two seconds back, forward"))
    others = OTHERS if rules.asked.beside in rules.offered and len(rules.classes) > 2 else ()
    return (*(LABELS if screen.together else CHOICES), *others, *none, *COMMON, *sound)
