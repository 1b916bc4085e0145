"""Members of a zip of JSON, of which some programs pack each with Zstandard."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from .....ground.extras import install
from .....ground.files import check_content
from .....ground.jsons import from_json
from .....ground.problem import Refusal, within
from ..._packed import check_size

ZSTANDARD = 93  # the number of this way of packing in a zip
LOCAL = 30  # bytes of a member's own header, before its name


def members_of(path: Path, wanted: Callable[[str], bool]) -> list[tuple[str, Any]]:
    """The JSON in the members of a zip that are wanted, by name, in order of names.

    Raises:
        Refusal: no zip or a damaged one, members that unpack to far too much, or no JSON; the
            message names the file and the member.
    """
    check_content(path)
    packed, found = path.stat().st_size, []
    left = check_size(packed, packed)
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            for entry in sorted(archive.infolist(), key=lambda one: one.filename):
                if not wanted(entry.filename) or not entry.filename.endswith(".json"):
                    continue
                if entry.flag_bits & 1:
                    raise Refusal(f"{path} is encrypted.", "unpack it, and give the files")
                data = _unpacked(file, archive, entry, left)
                left -= len(data)
                if left < 0:
                    check_size(packed + len(data) - left, packed)
                try:
                    found.append((entry.filename, from_json(data)))
                except ValueError as error:
                    raise within(f"{path}, {entry.filename}", error) from None
    except (zipfile.BadZipFile, EOFError, zlib.error, NotImplementedError):
        raise Refusal(
            f"{path} is no zip of JSON, or a damaged one.",
            "write it again with the program that made it",
        ) from None
    return found


def _unpacked(
    file: IO[bytes], archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int
) -> bytes:
    if entry.compress_type != ZSTANDARD:
        with archive.open(entry) as member:
            return member.read(most + 1)
    try:
        import zstandard
    except ImportError:
        raise RuntimeError(
            f"{archive.filename or 'this log'} is packed with Zstandard. {install('tables')}"
        ) from None
    file.seek(entry.header_offset)
    head = file.read(LOCAL)
    if len(head) < LOCAL or head[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile
    skip = int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
    file.seek(skip, io.SEEK_CUR)
    packed = file.read(entry.compress_size)
    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed)) as stream:
            data = stream.read(most + 1)
    except zstandard.ZstdError:
        raise zipfile.BadZipFile from None
    if zlib.crc32(data) != entry.CRC and len(data) <= most:
        raise zipfile.BadZipFile
    return data
