"""Numbers that a page carries back and its reader cannot read: which item, and which time.

Known items have numbers of their own, a repetition says so, and with the project's seed the number
of an item would tell which button is the given label. So a page has them sealed: encrypted with a
keystream that follows from their own authentication code (SIV; Rogaway and Shrimpton, 2006).
"""

from __future__ import annotations

import hmac
import struct

from ._site import Site

MARK = 16  # bytes that only the key's owner can make
LAYOUT = struct.Struct(">qq")


def sealed(site: Site, item: int, repeat: int) -> str:
    """Text for a form; the same for the same numbers, until the project's key changes."""
    said = LAYOUT.pack(item, repeat)
    mark = _digest(site, b"mark", said)
    return (mark + _mixed(said, _digest(site, b"pad", mark))).hex()


def opened(site: Site, text: str) -> tuple[int, int]:
    """Item and repeat of a sealed text.

    Raises:
        ValueError: a text that was not made here.
    """
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        raw = b""
    mark = raw[:MARK]
    said = _mixed(raw[MARK:], _digest(site, b"pad", mark))
    if len(raw) != MARK + LAYOUT.size or not hmac.compare_digest(
        mark, _digest(site, b"mark", said)
    ):
        raise ValueError("the form is not of an item that was asked; load the page again.")
    item, repeat = LAYOUT.unpack(said)
    return item, repeat


def _digest(site: Site, what: bytes, said: bytes) -> bytes:
    return hmac.digest(site.key.encode(), b"seal " + what + b" " + said, "sha256")[:MARK]


def _mixed(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other))
