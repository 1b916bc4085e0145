"""What every question is, and answers in their normal form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ....ground.names import nearest, shortened

SKIP = "skip"
Counts = Mapping[int, int]  # people by code


class Asking(Protocol):
    """What a question may know of a project's ``Rules``."""

    @property
    def classes(self) -> tuple[str, ...]: ...
    @property
    def offered(self) -> tuple[str, ...]: ...
    @property
    def threshold(self) -> int | None: ...
    @property
    def most_labels(self) -> int | None: ...
    @property
    def needed(self) -> int: ...
    @property
    def fewest(self) -> int: ...


@dataclass(frozen=True)
class Question:
    """One way to ask. How it looks is a ``Screen`` of the web app.

    Attributes:
        codes: (choice, rules) -> its codes; raises ValueError for no such answer.
        settled: (people by code, people yet to come, rules, whether the two classes are one) ->
            the outcome cannot change.
        outcomes: what an item can come to.
        outcome: (rules, people by code, no more are needed, whether the two classes are one) ->
            one of them.
        choices: rules -> answers, as tables name them.
        counted: its answers are counted as verdicts, as sets of yes, or as labels.
        taken_out: the form of ``review export`` that suits it.
        names: choices by code, where a code is no class.
        classes: the classes of an item that are shown, which it must have.
        chosen_by: the classes by which items can be looked up.
        grouped: columns of items, from which, with how many answered, the outcome follows.
        decides: answers come to a verdict.
        exclusive: no two answers may reach the threshold.
        several: an answer may name several classes. all_hold: all of them hold.
        beside: the choice with which another class than those shown may be named, or nothing.
        labels: (choice, rules) -> the classes that an item's label is, where an organiser decides;
            raises ValueError for no such choice. None where answers come to no label.
    """

    codes: Callable[[str, Asking], tuple[int, ...]]
    settled: Callable[[Counts, int, Asking, bool], bool]
    outcomes: Sequence[str]
    outcome: Callable[[Asking, Counts, bool, bool], str]
    choices: Callable[[Asking], Sequence[str]]
    counted: Literal["verdicts", "sets", "labels"]
    taken_out: str
    names: Sequence[str] = ()
    classes: tuple[str, ...] = ()
    chosen_by: tuple[str, ...] = ("given",)
    grouped: tuple[str, ...] = ()
    decides: bool = False
    exclusive: bool = False
    several: bool = False
    all_hold: bool = False
    beside: str = ""
    labels: Callable[[str, Asking], tuple[int, ...]] | None = None


def unknown(choice: str, known: Iterable[str]) -> ValueError:
    """That an answer is not there, with those that are."""
    names = [*known, SKIP]
    return ValueError(
        f"the answer is {shortened(choice)}; it can be {', '.join(names)}{nearest(choice, names)}"
    )
