"""Sounds without what was written beside them: titles, remarks, covers, places, programs.

The sound itself stays bit by bit. Of WAV, FLAC and MP3 only what is played is left; in OGG and M4A,
where places of data are said in numbers of bytes, what is said beside them is overwritten.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from pathlib import Path

from ._formats import FORMATS, Format

PLAYED = (b"fmt ", b"fact", b"data")  # of a WAV
PLAYED_FLAC = (0, 3)  # what the sound is, where to seek
PLAYED_M4A = (b"ftyp", b"moov", b"mdat")
INSIDE = (b"moov", b"trak", b"mdia", b"minf")  # atoms of which those inside are looked at
TOLD = (b"udta", b"meta", b"uuid", b"free", b"skip")
RATES = {  # kilobits a second, by version and layer
    (3, 3): (0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    (3, 2): (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (3, 1): (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (2, 3): (0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256),
    (2, 2): (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
RATES |= {(2, 1): RATES[2, 2], **{(0, layer): RATES[2, min(layer, 3)] for layer in (2, 3)}}
RATES[0, 1] = RATES[2, 2]
HERTZ = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}
OGG = {  # the packet with remarks, by how it begins -> what must end it
    b"\x03vorbis": b"\x01",
    b"OpusTags": b"",
}
POLYNOMIAL = 0x04C11DB7  # of OGG's checksums


def bare_sound(path: Path) -> tuple[bytes, Format]:
    """See ``bare``."""
    content = path.read_bytes()
    for name, strip in _STRIPPED.items():
        found = strip(content)
        if found:
            return found, FORMATS[name]
    raise ValueError(
        f"{path} cannot be read as a sound to its end. Convert it, or put another copy of it there."
    )


def _wav(content: bytes) -> bytes:
    if content[:4] not in (b"RIFF", b"RF64") or content[8:12] != b"WAVE":
        return b""
    kept: dict[bytes, bytes] = {}
    at, long = 12, 0
    while at + 8 <= len(content) and b"data" not in kept:
        name, size = content[at : at + 4], int.from_bytes(content[at + 4 : at + 8], "little")
        if name == b"ds64":
            long = int.from_bytes(content[at + 16 : at + 24], "little")
        elif name == b"data" and size == 0xFFFFFFFF:
            size = long
        if name in PLAYED:
            kept.setdefault(name, content[at + 8 : at + 8 + size])
        at += 8 + size + size % 2
    if b"fmt " not in kept or b"data" not in kept:
        return b""
    parts = [
        name + len(kept[name]).to_bytes(4, "little") + kept[name] + b"\0" * (len(kept[name]) % 2)
        for name in PLAYED
        if name in kept
    ]
    body = b"WAVE" + b"".join(parts)
    return b"RIFF" + len(body).to_bytes(4, "little") + body


def _flac(content: bytes) -> bytes:
    if not content.startswith(b"fLaC"):
        return b""
    kept, at, last = [], 4, False
    while not last and at + 4 <= len(content):
        last, kind = bool(content[at] & 0x80), content[at] & 0x7F
        after = at + 4 + int.from_bytes(content[at + 1 : at + 4], "big")
        if kind in PLAYED_FLAC:
            kept.append((kind, content[at + 1 : after]))
        at = after
    if not kept or not last:
        return b""
    blocks = [
        bytes((kind | (0x80 if k == len(kept) - 1 else 0),)) + body
        for k, (kind, body) in enumerate(kept)
    ]
    frames = content[at:]
    if frames[-128:-125] == b"TAG":
        frames = frames[:-128]
    return b"".join([b"fLaC", *blocks, frames])


def _mp3(content: bytes) -> bytes:
    """Its frames."""
    if not content.startswith(b"ID3") and not _frame(content, 0):
        return b""
    kept, at = [], 0
    while at < len(content):
        if content.startswith(b"ID3", at):
            said = content[at + 6 : at + 10]
            at += 10 + sum((byte & 0x7F) << (21 - 7 * k) for k, byte in enumerate(said))
            continue
        size_of_frame = _frame(content, at)
        if size_of_frame:
            kept.append(content[at : at + size_of_frame])
            at += size_of_frame
            continue
        at = content.find(b"\xff", at + 1)
        while at >= 0 and not ((size := _frame(content, at)) and _frame(content, at + size)):
            at = content.find(b"\xff", at + 1)  # two in a row are hardly chance
        if at < 0:
            break
    return b"".join(kept)


def _frame(content: bytes, at: int) -> int:
    """Bytes of the frame that begins there; 0: none does."""
    head = content[at : at + 4]
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return 0
    version, layer = head[1] >> 3 & 3, head[1] >> 1 & 3
    rate, hertz, pad = head[2] >> 4, head[2] >> 2 & 3, head[2] >> 1 & 1
    if version == 1 or layer == 0 or rate in (0, 15) or hertz == 3:
        return 0
    bits, hz = 1000 * RATES[version, layer][rate], HERTZ[version][hertz]
    if layer == 3:
        return (12 * bits // hz + pad) * 4
    return (72 if layer == 1 and version != 3 else 144) * bits // hz + pad


def _ogg(content: bytes) -> bytes:
    """The same pages, of which those with remarks hold spaces."""
    if not content.startswith(b"OggS"):
        return b""
    found = bytearray()
    packets: dict[bytes, int] = {}  # begun in each stream, by its number
    tags: dict[bytes, list[int]] = {}  # places of the bytes of its second packet
    changed: set[int] = set()  # pages
    for head, table, start in _pages(content):
        stream, begin = content[head + 14 : head + 18], len(found)
        found += content[head : start + sum(table)]
        at = begin + start - head
        for size in table:
            number = packets.setdefault(stream, 0)
            if number == 1:
                tags.setdefault(stream, []).extend(range(at, at + size))
                changed.add(begin)
            packets[stream] += size < 255
            at += size
    for places in tags.values():
        new = _without_remarks(bytes(found[place] for place in places))
        if not new:
            return b""
        for place, byte in zip(places, new):
            found[place] = byte
    return _checked(found, changed) if tags else b""


def _without_remarks(packet: bytes) -> bytes:
    """A packet as long as this one, in which a program of many spaces says nothing."""
    for start, last in OGG.items():
        size = len(packet) - len(start) - 8 - len(last)
        if packet.startswith(start) and size >= 0:
            return start + size.to_bytes(4, "little") + b" " * size + bytes(4) + last
    return b""


def _pages(content: bytes) -> Iterator[tuple[int, bytes, int]]:
    """Where each page begins, the sizes of its parts, where the first of these is."""
    at = 0
    while content.startswith(b"OggS", at) and at + 27 <= len(content):
        start = at + 27 + content[at + 26]
        table = content[at + 27 : start]
        if start + sum(table) > len(content):
            return
        yield at, table, start
        at = start + sum(table)


def _checked(pages: bytearray, which: Container[int]) -> bytes:
    """With the checksums of what is there now, of the pages that begin at these places."""
    for head, table, start in _pages(bytes(pages)):
        if head not in which:
            continue
        end = start + sum(table)
        pages[head + 22 : head + 26] = bytes(4)
        pages[head + 22 : head + 26] = _sum_of(pages[head:end]).to_bytes(4, "little")
    return bytes(pages)


def _table() -> list[int]:
    found = []
    for byte in range(256):
        value = byte << 24
        for _ in range(8):
            value = (value << 1) ^ (POLYNOMIAL if value & 0x80000000 else 0)
        found.append(value & 0xFFFFFFFF)
    return found


_TABLE = _table()


def _sum_of(content: bytes | bytearray) -> int:
    value = 0
    for byte in content:
        value = (value << 8 & 0xFFFFFFFF) ^ _TABLE[value >> 24 ^ byte]
    return value


def _m4a(content: bytes) -> bytes:
    """The same atoms, of which those that only tell are empty."""
    if content[4:8] != b"ftyp":
        return b""
    made = bytearray(content)
    seen, end = _blanked(made, 0, len(made), PLAYED_M4A)
    return bytes(made[:end]) if b"moov" in seen else b""


def _blanked(
    made: bytearray, at: int, end: int, known: tuple[bytes, ...] = ()
) -> tuple[list[bytes], int]:
    """Atoms from one place on, and their end; those that tell, or are not known, made empty."""
    seen = []
    while at + 8 <= end:
        size, head = int.from_bytes(made[at : at + 4], "big"), 8
        if size == 1:
            size, head = int.from_bytes(made[at + 8 : at + 16], "big"), 16
        elif size == 0:
            size = end - at
        if size < head or at + size > end:
            break
        name = bytes(made[at + 4 : at + 8])
        seen.append(name)
        if name in TOLD or (known and name not in known):
            made[at + 4 : at + 8] = b"free"
            made[at + head : at + size] = bytes(size - head)
        elif name in INSIDE:
            _blanked(made, at + head, at + size)
        at += size
    made[at:end] = bytes(end - at)  # what is no atom
    return seen, at


_STRIPPED: dict[str, Callable[[bytes], bytes]] = {
    "WAV": _wav,
    "OGG": _ogg,
    "FLAC": _flac,
    "M4A": _m4a,
    "MP3": _mp3,
}
