"""A user's own networks and policies: a results directory keeps a copy of each, for its workers.

Of a language model it keeps where its folder lies, and not the folder.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ...ground.files import replacing
from ...ground.plugins import load, needs_a_file, plugin_of
from ...ground.problem import Refusal
from ...ground.spec import halves, undigested
from ...learn.algorithms import Algorithm
from ...learn.engine.recipe import recipe
from ...learn.nets import function_of, loaded_source, neighbours_of, network
from ...learn.written.nets import NetText, digest_of_source, folder_as_it_was, read_net
from ...learn.written.policy import source_of_policy
from ...learn.written.views import digest_of_view, keep_policy, source_of_view
from .facts import Facts, kept_in
from .plan import Plan
from .trial import Trial

NETS, POLICIES = "nets", "policies"  # folders of a results directory


def check_net(facts: Facts, asked: str | None, methods: Iterable[Algorithm]) -> None:
    """Refuse a network that does not fit these inputs or methods, or whose file needs others.

    Args:
        asked: as a person wrote it; None: the default.

    Raises:
        ValueError, KeyError, FileNotFoundError: as ``nets.network``; a method cannot be trained on
            such a network; or the file imports another beside it.
    """
    text = asked or facts.net
    file = read_net(text).file
    made = network(text, *facts.wanted)
    for method in methods:
        defaults = {name: setting.default for name, setting in method.settings().items()}
        method.networks_on(made, facts.q, defaults)
    if file is not None and (beside := neighbours_of(file)):
        raise ValueError(
            f"{file} imports {beside[0]}, which is of no installed package, and a results "
            f"directory keeps a copy of {file.name} alone. Put what it needs into the file, or "
            f"install {beside[0]}."
        )


def keep_copies(out: Path, trials: Iterable[Trial]) -> None:
    """Write the files that these trials are made with, and that were read, below ``out``."""
    trials = list(trials)
    for text in {trial.net for trial in trials}:
        asked = read_net(text)
        if asked.file is not None:
            copy = _copy(out, NETS, asked.digest, asked.file.name)
            if not _is_kept(copy, asked.digest):
                _write(copy, loaded_source(asked.digest))
        elif asked.folder is not None:
            _note_folder(out, asked)
    for view in _policies(trials):
        copy, source = _copy_of_policy(out, view), source_of_view(view)
        # None where it was read when the directory was made, and not since
        if source is not None and not _is_kept(copy, digest_of_view(view)):
            _write(copy, source)


def keep_plugins(out: Path, plan: Plan) -> list[Path]:
    """Write the plug-ins of a plan's algorithms and metrics below ``out``. Returns their paths."""
    copies: dict[Path, None] = {}
    for kind, name, text in plan.plugins:
        plugin = plugin_of(kind, name)
        if plugin is not None and text == plugin.text:
            copy = kept_in(out, text)
            if not copy.is_file() or copy.read_bytes() != plugin.source:
                _write(copy, plugin.source)
            copies[copy] = None
    return list(copies)


def check_seen(plan: Plan) -> None:
    """Refuse algorithms and metrics that worker processes could not have.

    Raises:
        ValueError: one was registered by no file; names it.
    """
    for kind, name, _ in plan.plugins:
        if needs_a_file(kind, name):
            raise Refusal(
                f"{name} was registered by no file, so that worker processes cannot have it.",
                "put it into a file and import that",
                "use `workers=1`",
            )


def open_plugins(copies: Iterable[str]) -> None:
    """Load the copies of plug-ins, as they were when they were written.

    Raises:
        FileNotFoundError, ValueError: one is gone or was edited.
    """
    for copy in copies:
        load(copy, Path(copy).parent.name)


def open_copies(out: Path, trial: Trial) -> None:
    """Load the copies of the files that a trial is made with.

    Raises:
        FileNotFoundError, ValueError: one is gone, was edited, or cannot be run; or a language
            model's folder is.
    """
    asked = read_net(trial.net)
    if asked.place:
        _open_folder(out, asked)
    if asked.file is not None:
        copy = _copy(out, NETS, asked.digest, asked.file.name)
        function_of(replace(asked, file=copy))
    for view in _policies([trial]):
        copy = _copy_of_policy(out, view)
        found = keep_policy(source_of_policy(copy), str(copy)) if copy.is_file() else ""
        if found != digest_of_view(view):
            raise ValueError(
                f"{copy} is not the policy that the runs here are made with ({view}): it was edited"
                " or is gone. Restore it."
            )


def _note_folder(out: Path, asked: NetText) -> None:
    """Write where a language model's folder lies, if that is known and new."""
    note = _note_of(out, asked)
    try:
        folder = folder_as_it_was(asked)
    except (FileNotFoundError, ValueError):
        return  # not looked at in this process: whoever trains says what is missing
    told = {"folder": str(folder.absolute()), "digest": asked.digest}
    if not note.is_file() or _noted(note) != told["folder"]:
        _write(note, (json.dumps(told, indent=1) + "\n").encode())


def _open_folder(out: Path, asked: NetText) -> None:
    """Find a language model's folder, where it was or where it was named, and look at it again."""
    note = _note_of(out, asked)
    noted = _noted(note)
    places = [asked, *([replace(asked, place=noted)] if noted else [])]
    for place in places:
        try:
            folder_as_it_was(place)
            return
        except (FileNotFoundError, ValueError):
            continue
    raise Refusal(
        f"the runs here are made with the language model {asked.text}, and it is not at "
        f"{noted or asked.place} any more, or was edited.",
        "restore that folder",
        "name it where it lies now: `net='hf:FOLDER'`",
    )


def _note_of(out: Path, asked: NetText) -> Path:
    return out / NETS / f"{halves(asked.called)[1]}@{asked.digest}.json"


def _noted(note: Path) -> str:
    """The folder that a note names; '' without one that can be read."""
    try:
        told = json.loads(note.read_text(encoding="utf-8"))
        return str(told["folder"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _policies(trials: Iterable[Trial]) -> set[str]:
    """Views in the trials' recipes that are files."""
    recipes = [recipe(text) for text in {trial.recipe for trial in trials}]
    return {view for made in recipes for view in made.own_views if digest_of_view(view)}


def _copy(out: Path, folder: str, digest: str, name: str) -> Path:
    return out / folder / digest / name


def _copy_of_policy(out: Path, view: str) -> Path:
    return _copy(out, POLICIES, digest_of_view(view), undigested(view)[0])


def _is_kept(copy: Path, digest: str) -> bool:
    return copy.is_file() and digest_of_source(copy.read_bytes()) == digest


def _write(copy: Path, source: bytes) -> None:
    copy.parent.mkdir(parents=True, exist_ok=True)
    with replacing(copy, synced=True, again=True) as file:
        file.write(source)
