"""Whether a plan may go on in the directory of an older one, and what becomes of both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...ground.problem import Refusal
from ...ground.spec import halves
from ...learn.written.nets import same_file
from .facts import Drawn, Facts, PlannedMethod, kept_in
from .plan import Plan, made_plan, net_of
from .settings import recipe_for

GROWING = ("datasets", "algorithms", "configs", "splits")  # settings that a later plan may extend
LATER: dict[str, Any] = {  # of later plans
    "kind": "table",
    "shape": (),
    "net": "",
    "track": "",
    "tokens": 0,
    "unknown": 0,
    "special": (),
    "length": 0,
    "names": (),
    "tested": 0,
}
BY_KIND = ("recipe", "net")  # compared as what they come to for each data set
TOLD = ("preset",)  # where settings came from; they are compared themselves

ANOTHER = "use another `out`"
ACCEPTED = "if the change moves no number, go on with `accept_code=True`, which tables tell"


def extended(folder: Path, old: Plan, new: Plan, accept_code: bool = False) -> Plan:
    """The new plan with what the old one says of its runs' code, if it contradicts nothing.

    A plan may grow: more data sets, algorithms, configurations or splits.

    Args:
        accept_code: go on where an algorithm's code has changed.

    Raises:
        ValueError: names the setting, both values, and what to do.
    """
    then, now = old.settings.model_dump(), new.settings.model_dump()
    for name in then:
        if name not in (*GROWING, *BY_KIND, *TOLD) and then[name] != now[name]:
            raise _contradiction(folder, name, then[name], now[name])
    for name in ("configs", "splits"):
        if now[name] < then[name]:
            raise _contradiction(folder, name, then[name], now[name])
    for name in ("datasets", "algorithms"):
        if lost := [value for value in then[name] if value not in now[name]]:
            raise _contradiction(folder, name, then[name], now[name], lost)
    for name, facts in old.facts.items():
        if _identity(facts) != _identity(new.facts[name]):
            raise Refusal(
                f"{name} is not the data that {folder} was made with (fingerprint "
                f"{new.facts[name].fingerprint[:12]}, not {facts.fingerprint[:12]}).",
                ANOTHER,
            )
        was = recipe_for(old.settings, facts.kind).text
        asked = recipe_for(new.settings, new.facts[name].kind).text
        if was != asked:
            raise _contradiction(folder, "recipe", was, asked)
        _check_net(folder, net_of(facts, old.settings), net_of(new.facts[name], new.settings))
    methods = dict(new.methods)
    kinds = {(facts.kind, new.facts[name].kind) for name, facts in old.facts.items()}
    for label, method in old.methods.items():
        drawn = [(method.hyper_for(a), new.methods[label].hyper_for(b)) for a, b in kinds]
        _check_method(folder, label, method, new.methods[label], drawn, accept_code)
        current = new.methods[label].code
        before = tuple(one for one in method.code if one not in current)
        methods[label] = replace(new.methods[label], code=before + current if method.code else ())
    codes = dict(new.codes)
    for name, before in old.codes.items():
        current = new.codes.get(name, ())
        _check_measure(folder, name, before, current, accept_code)
        codes[name] = tuple(one for one in before if one not in current) + current
    settings = new.settings.model_copy(update={n: now[n] or then[n] for n in TOLD})
    return made_plan(settings, new.facts, methods, old.found, old.made_with, codes)


def _check_measure(
    folder: Path, name: str, then: tuple[str, ...], now: tuple[str, ...], accept_code: bool
) -> None:
    if then[-1:] != now and not accept_code:
        raise Refusal(
            f"{folder} was made with other code of the {name}: its file, or what it uses, has "
            "changed, so old and new runs may not compare.",
            ANOTHER,
            ACCEPTED,
        )


def _check_net(folder: Path, then: str, now: str) -> None:
    if then == now:
        return
    if same_file(then, now):
        raise Refusal(
            f"{folder} was planned with {then}, and the file has been edited since: it is {now}, "
            "and old and new runs would not compare.",
            f"use the copy in {folder / 'nets'} to resume",
            ANOTHER,
        )
    raise _contradiction(folder, "net", then, now)


def _check_method(
    folder: Path,
    label: str,
    then: PlannedMethod,
    now: PlannedMethod,
    drawn: Iterable[tuple[Drawn, Drawn]],
    accept_code: bool,
) -> None:
    if then.plugin != now.plugin:
        raise Refusal(
            f"{folder} was made with {label} of {then.plugin or 'no plug-in file'}, and here it is "
            f"of {now.plugin or 'no plug-in file'}: old and new runs would not compare.",
            f"import {kept_in(folder, then.plugin)} to go on",
            ANOTHER,
        )
    if then.version != now.version:
        raise Refusal(
            f"{folder} was made with {label} version {then.version}; this candidly has version "
            f"{now.version}, whose numbers differ.",
            ANOTHER,
        )
    if any(old != new[: len(old)] for pair in drawn for old, new in zip(*pair)):
        raise Refusal(
            f"{folder} was made with other hyper-parameters of {label} than this candidly draws: "
            "its search space has changed since.",
            ANOTHER,
        )
    if then.code and then.code[-1:] != now.code and not accept_code:
        file = f"algorithms/{halves(then.place)[0]}.py" if then.place else "its file"
        same = then.place == now.place
        why = f"{file}, or what it uses, has changed" if same else f"it is not that of {file}"
        raise Refusal(
            f"{folder} was made with other code of {label}: {why}, though the version is the same, "
            "so old and new runs may not compare.",
            ANOTHER,
            ACCEPTED,
        )


def _identity(facts: Facts) -> Facts:
    """The facts without what follows from the content, which has a fingerprint."""
    return replace(facts, flip_rate=None, flip_rate_error=None, flip_doubt="", **LATER)


def _contradiction(folder: Path, name: str, then: Any, now: Any, lost: Any = None) -> Refusal:
    absent: tuple[Any, ...] = (None, {})
    was = f"without {name}" if then in absent else f"with {name} = {_shown(then)}"
    says = "this run leaves it out" if now in absent else f"this run says {_shown(now)}"
    missing = f" ({_shown(lost)} would be dropped)" if lost else ""
    back = f"leave {name} out" if then in absent else "repeat the old value"
    what = f"{folder} was planned {was}, {says}{missing}."
    return Refusal(what, f"{back} to resume", ANOTHER)


def _shown(value: Any) -> str:
    """A setting as a person writes it."""
    if isinstance(value, dict):
        return ",".join(f"{name}={number}" for name, number in value.items())
    return ",".join(value) if isinstance(value, list | tuple) else str(value)
