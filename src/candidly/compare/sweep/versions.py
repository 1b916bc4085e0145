"""Which rows of a directory another version or other code of an algorithm has made."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...ground.names import UnknownName
from ...ground.plugins import code, is_added, plugin_of
from .code import code_of
from .facts import PlannedMethod, kept_in
from .plan import Plan


def check_sources(folder: Path, plan: Plan) -> None:
    """Refuse results of a plug-in's algorithm or metric where another source has its name now.

    Where nothing of that name is loaded, nothing can differ.

    Raises:
        ValueError: names the algorithm or metric, both sources and the copy to import.
    """
    for kind, name, text in plan.plugins:
        here = plugin_of(kind, name)
        if here is None or here.text == text:
            continue
        copy = f"Import {kept_in(folder, text)} in its place." if text else "Do not import it."
        raise ValueError(
            f"{folder}: the {kind} {name} was that of {text or 'no plug-in file'}, and what is "
            f"imported here is {here.text}; results of another source are not shown. {copy}"
        )


def measured_otherwise(plan: Plan) -> list[str]:
    """Sentences on metrics and criteria by which this directory's runs are not measured here.

    Of what nobody has registered here nothing is known.
    """
    notes = []
    for told, codes in plan.codes.items():
        kind, _, name = told.partition(" ")
        if is_added(kind, name) and codes != (code(kind, name).digest,):
            notes.append(
                f"{told}: runs were measured with other code of it than is imported here, or with "
                "several; its numbers may not be what this code would give"
            )
    return notes


def made_otherwise(methods: Mapping[str, PlannedMethod]) -> list[str]:
    """Sentences on the algorithms, by label, whose runs this candidly would not make the same.

    A released change has another version; any other change has other code. Versions are asked for
    only where the code has changed or is not known, as they take loading the algorithms.
    """
    changed = {
        label: method
        for label, method in methods.items()
        if method.code != (code_of(method.place),)
    }
    if not changed:
        return []
    from ...learn.algorithms import algorithm  # which loads torch
    from .methods import place_and_code

    notes: dict[str, list[str]] = {}
    for label, method in changed.items():
        try:
            here = algorithm(label)
        except UnknownName:  # somebody's own, which is not here
            continue
        now = here.version
        if method.version != now:
            said = (
                f"made by version {method.version}; this candidly has version {now}, whose numbers "
                "differ"
            )
        elif method.code and method.code != place_and_code(here)[1]:
            said = (
                "made with other code of the algorithm than this candidly's, or with several; its "
                "numbers may not be what this code would give"
            )
        else:
            continue  # the same version, and nobody knows more
        notes.setdefault(said, []).append(label)
    return [f"{', '.join(labels)}: {said}" for said, labels in notes.items()]
