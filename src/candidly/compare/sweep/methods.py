"""What a plan keeps of the algorithms that it names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from functools import cache
from typing import Any

from ...ground import plugins
from ...ground.followed import Followed
from ...ground.plugins import code_to_keep, plugin_of
from ...learn import algorithms
from ...learn.algorithms import ALGORITHMS, Algorithm, Setting, algorithm, common, configuration
from ...learn.written.seen import LANGUAGE
from .as_published import fixed, recipe_of
from .code import code_of
from .facts import Drawn, PlannedMethod
from .search import search
from .settings import Settings


def methods_asked(settings: Settings) -> list[Algorithm]:
    """The algorithms of these settings, in their order.

    Raises:
        UnknownName: one is not in the table; suggests the nearest.
    """
    return [algorithm(name, settings.variant) for name in settings.algorithms]


def method_of(
    method: Algorithm,
    settings: Settings,
    version: int | None = None,
    kinds: Collection[str] = ("table",),
) -> PlannedMethod:
    """What to keep of one algorithm; with ``version``, of that one.

    Args:
        kinds: the kinds of the data sets' inputs.
    """
    version = method.version if version is None else version
    place, code = place_and_code(method, code_to_keep)
    return PlannedMethod(
        version=version,
        seed_name=method.seed_name(version),
        reads=method.reads,
        networks=method.networks,
        hyper=_drawn(method, settings, "table"),
        place=place,
        code=code,
        of_pictures=_drawn(method, settings, "images") if "images" in kinds else (),
        of_language=_drawn(method, settings, LANGUAGE) if LANGUAGE in kinds else (),
        plugin=plugin_text(method.name),
    )


def measures_of(settings: Settings) -> list[tuple[str, str]]:
    """Kind and name of what measures the runs of these settings and is not candidly's."""
    named = [("metric", text.partition("@")[0]) for text in settings.metrics]
    named += [("criterion", by)] if (by := search(settings.search).by) else []
    return [one for one in named if plugins.is_added(*one)]


def codes_of(settings: Settings) -> dict[str, tuple[str, ...]]:
    """The hashes of the code of these; see ``Plan.codes``."""
    asked = measures_of(settings)
    return {f"{kind} {name}": (code_to_keep(kind, name).digest,) for kind, name in asked}


def plugin_text(name: str) -> str:
    """Which plug-in's source an algorithm is of; '' for one that no file registered."""
    plugin = plugin_of("algorithm", name)
    return plugin.text if plugin else ""


def place_and_code(
    method: Algorithm, own: Callable[..., Followed] = plugins.code
) -> tuple[str, tuple[str, ...]]:
    """Where an algorithm is defined, '' if not by candidly, and the hash of its code."""
    place = _place(method)
    code = code_of(place) if place else own("algorithm", method.name, method).digest
    return place, () if code is None else (code,)


def splits_of(settings: Settings) -> range:
    """The seeds of the splits."""
    return range(settings.seed, settings.seed + settings.splits)


def space_of(method: Algorithm, settings: Settings, kind: str) -> dict[str, Setting]:
    """The hyper-parameters of an algorithm on inputs of this kind that no setting fixes."""
    space = method.settings(common(recipe_of(settings, kind, method.label).optimiser, kind))
    known = fixed(settings, method.label)
    return {name: setting for name, setting in space.items() if name not in known}


def drawn_at_random(
    method: Algorithm, settings: Settings, kind: str, config: int, split: int
) -> dict[str, float | int]:
    """The hyper-parameters of a configuration and split, on inputs of this kind."""
    space = method.settings(common(recipe_of(settings, kind, method.label).optimiser, kind))
    known = fixed(settings, method.label)
    return {
        name: known.get(name, _value(name, setting, config, split))
        for name, setting in space.items()
    }


def _drawn(method: Algorithm, settings: Settings, kind: str) -> Drawn:
    """The hyper-parameters of every split and every configuration that is known beforehand."""
    return tuple(
        tuple(drawn_at_random(method, settings, kind, config, s) for s in splits_of(settings))
        for config in range(search(settings.search).drawn(settings.configs))
    )


@cache  # most methods share most settings, and a generator takes longer to seed than to draw
def _value(name: str, setting: Any, config: int, split: int) -> float | int:
    return configuration({name: setting}, config, split)[name]


def _place(method: Algorithm) -> str:
    """The file and the name of an algorithm of candidly's own; '' for somebody else's."""
    listed = ALGORITHMS[method.name]
    package = f"{algorithms.__name__}."
    for module in sorted(name for name in sys.modules if name.startswith(package)):
        file = module.removeprefix(package)
        for name, value in vars(sys.modules[module]).items() if file[0] != "_" else ():
            if value is listed:
                return f"{file}:{name}"
    return ""
