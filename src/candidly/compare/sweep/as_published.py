"""Every method as it was published: with its own network, recipe, epochs and hyper-parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...learn.engine.recipe import Recipe, recipe
from .facts import Facts
from .settings import Settings, recipe_for

if TYPE_CHECKING:
    from ...learn.algorithms import Published


def own_settings(settings: Settings, label: str) -> Published | None:
    """What was published of an algorithm, where a sweep asks for that.

    Raises:
        UnknownName: nothing was published of it for that data set.
    """
    if settings.as_published is None:
        return None
    from ...learn.algorithms import published  # which takes time to import

    return published(label, settings.as_published)


def recipe_of(settings: Settings, kind: str, label: str) -> Recipe:
    """The recipe of an algorithm's trials on inputs of this kind; one that is given overrules."""
    own = own_settings(settings, label)
    if own is None or settings.recipe:
        return recipe_for(settings, kind)
    return recipe(own.recipe)


def net_asked(settings: Settings, label: str) -> str | None:
    """The network of an algorithm's trials; one that is given overrules; None: the default."""
    own = own_settings(settings, label)
    return settings.net or (own.net if own else None)


def fixed(settings: Settings, label: str) -> dict[str, int | float]:
    """Hyper-parameters that have one value on all data sets; what is given overrules."""
    own = own_settings(settings, label)
    return {**(own.hyper_parameters() if own else {}), **settings.hyper}


def steps_of(settings: Settings, facts: Facts, label: str, rows: int) -> int:
    """Updates of an algorithm's trials: the published epochs of so many rows, or what is given."""
    own = own_settings(settings, label)
    if own is None or settings.steps:
        return facts.steps
    return own.updates(rows, int(fixed(settings, label)["batch_size"]))
