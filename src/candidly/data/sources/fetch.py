"""Finding the file of a known data set on this machine, or downloading it."""

from __future__ import annotations

import hashlib
import os
import warnings
from collections.abc import Sequence
from pathlib import Path

from ...ground.problem import refused
from ..labels.labelled import Labelled
from ._forms import FoundForm, PictureForm, find_forms
from ._parts import files_below, folded, here, warn_if_changed
from ._source import Source, compare


def find_file(source: Source, root: str | os.PathLike[str] | None, download: bool) -> Path:
    """The path of the source's file: from ``root``, CANDIDLY_DATA, the cache, or a download.

    Raises:
        FileNotFoundError: it is nowhere; the message says what to put where.
        ValueError: what was downloaded has another checksum than the one on record.
    """
    places = _places(root)
    found = _found(source.files, places)
    if found is not None:
        return found
    if source.url is None:
        raise _nowhere(source, places, "No address is known for it")
    if not download:
        raise _nowhere(source, places, "Downloading is switched off")
    try:
        return _download(source.url, source.sha256, places[-1] / source.files[0])
    except OSError as error:  # requests' errors are OSErrors
        raise _nowhere(source, places, _failed(source.url, error)) from error


def find_parts(
    source: Source, root: str | os.PathLike[str] | None, download: bool
) -> dict[str, Path]:
    """Paths of the source's parts by file, each found where ``find_file`` looks or downloaded.

    Raises:
        FileNotFoundError: one is nowhere; the message says what to put where.
        ValueError: what was downloaded has another checksum than the one on record.
    """
    places = _places(root)
    found = {}
    for part in source.parts:
        path = here(part, places)
        if path is None and not download:
            raise _nowhere(source, places, "Downloading is switched off", part.place)
        try:
            found[part.file] = path or _download(part.url, part.sha256, places[-1] / part.place)
        except OSError as error:
            raise _nowhere(source, places, _failed(part.url, error), part.place) from error
    return found


def find_form(
    source: Source,
    forms: Sequence[PictureForm],
    ours: str,
    others: str,
    root: str | os.PathLike[str] | None,
) -> FoundForm:
    """Files of one of the forms, where ``find_file`` looks; a whole one first, and nothing loaded.

    Args:
        forms, ours, others: see ``find_forms``.

    Raises:
        FileNotFoundError: there is none, or files of it are missing; the message names one.
        ValueError: ``root`` is a file of no form.
    """
    places = _places(root)
    candidates = []
    for order, place in enumerate(places):
        named = bool(root) and order == 0
        found = list(find_forms(forms, place, ours, others, named))
        if named and place.is_file() and not found:
            raise ValueError(f"{place} is no file of {source.name}, such as {source.files[0]}.")
        candidates += [(not one.usable, order, bool(one.lacking), one) for one in found]
    if not candidates:
        reason = "No other form of it is there either, and no address is known"
        raise _nowhere(source, places, reason)
    best = min(candidates, key=lambda candidate: candidate[:3])[-1]
    if not best.usable:
        lacking = " and ".join(name for names in best.lacking.values() for name in names)
        raise FileNotFoundError(
            f"{source.name}: {best.folder} holds some of its files, and lacks {lacking}. Get it"
            f" from {source.page} and put it beside them."
        )
    return best


def warn_if_parts_differ(paths: dict[str, Path], data: Labelled, source: Source) -> None:
    """Warns when a part's checksum or the data's characteristics are not those on record."""
    for part in source.parts:
        warn_if_changed(part, paths[part.file])
    if differences := differences_of(data, source):
        warnings.warn(
            f"{source.name}: {'; '.join(differences)}. Results may not compare.", stacklevel=3
        )


def find_beside(files: tuple[str, ...], root: str | os.PathLike[str] | None) -> Path | None:
    """A file of one of these names where ``find_file`` looks, the first name first; or None.

    Where ``root`` is a file, its folder is looked into.
    """
    places = [place.parent if place.is_file() else place for place in _places(root)]
    return next((path for file in files if (path := _found((file,), places))), None)


def warn_if_different(path: Path, data: Labelled, source: Source) -> None:
    """Warns when the file's checksum or the data's characteristics are not those on record.

    The checksum is that of the first of the source's files; the others are conversions of it, and
    only their content counts.
    """
    differences = differences_of(data, source)
    with open(path, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    converted = folded(path.name) in {folded(file) for file in source.files[1:]}
    changed = source.sha256 not in (None, found) and not converted
    if changed or differences:
        told = "; ".join(differences) or "its characteristics agree with the published ones"
        checksum = f" has SHA-256 {found}, not {source.sha256}" if changed else ""
        warnings.warn(f"{path}{checksum}: {told}. Results may not compare.", stacklevel=3)


def differences_of(data: Labelled, source: Source) -> list[str]:
    """Characteristics of the data that are not those on record, in words."""
    return [
        f"{row.what} is {row.measured}, not {row.expected}"
        for row in compare(data, source)
        if not row.agrees
    ]


def _download(url: str, sha256: str | None, file: Path) -> Path:
    import pooch  # a quarter of a second to import

    # pooch writes beside and renames, and tells on stderr what it does and, where the
    # checksum is not known, what it is
    try:
        return Path(
            pooch.retrieve(
                url,
                known_hash=sha256 and f"sha256:{sha256}",
                fname=file.name,
                path=file.parent,
            )
        )
    except ValueError as error:
        raise ValueError(f"{url} is not the file on record: {error}") from error


def _failed(url: str, error: OSError) -> str:
    reason = f"{type(error).__name__}: {error}".splitlines()[0][:80]
    return f"Downloading {url} failed ({reason})"


def _places(root: str | os.PathLike[str] | None) -> list[Path]:
    """What is looked through, in order."""
    named = [root, os.environ.get("CANDIDLY_DATA")]
    return [*(Path(place).expanduser() for place in named if place), _cache()]


def _found(files: tuple[str, ...], places: list[Path]) -> Path | None:
    wanted = {folded(file) for file in files}
    for place in places:
        if place.is_file():
            return place
        for path in files_below(place, 1):
            if folded(path.name) in wanted:
                return path
    return None


def _cache() -> Path:
    import pooch

    return Path(pooch.os_cache("candidly"))


def _nowhere(
    source: Source, places: list[Path], reason: str, file: str | None = None
) -> FileNotFoundError:
    looked = ", ".join(str(place) for place in places)
    return refused(
        FileNotFoundError,
        f"{source.name}: no file {(file or source.files[0])!r} in {looked}. {reason}.",
        f"get it from {source.page} and put it into one of these folders",
        "name its folder with `root`",
        "set CANDIDLY_DATA to its folder",
    )
