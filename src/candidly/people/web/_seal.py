"""Numbers that a page carries back and its reader cannot read, of one person and for one purpose.

Known items have numbers of their own, a repetition says so, a turn tells which of them may come,
and a file's name is a row of the data set. So a page has them sealed: encrypted with a keystream
that follows from their own authentication code (SIV; Rogaway and Shrimpton, 2006). All texts are of
one length, and one that was made for somebody else or another purpose cannot be opened.
"""

from __future__ import annotations

import hmac
import struct

from ._site import Site

TASK, CARD = "task", "card"  # which item, of the form; which card, of those that the script holds
ITEM, EXAMPLE = "item", "example"  # what one of them looks like
MARK = 16  # bytes that only the key's owner can make
LAYOUT = struct.Struct(">qq")


def sealed(site: Site, what: str, person: int, number: int, repeat: int = 0) -> str:
    """Text for a form or an address; the same for the same, until the project's key changes."""
    said = LAYOUT.pack(number, repeat)
    mark = _mark(site, what, person, said)
    return (mark + _mixed(said, _digest(site, b"pad " + mark))).hex()


def opened(site: Site, what: str, person: int, text: str) -> tuple[int, int]:
    """Number and repeat of a text that was sealed for this purpose and person.

    Raises:
        ValueError: a text that was not.
    """
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        raw = b""
    mark = raw[:MARK]
    said = _mixed(raw[MARK:], _digest(site, b"pad " + mark))
    if len(raw) != MARK + LAYOUT.size or not hmac.compare_digest(
        mark, _mark(site, what, person, said)
    ):
        raise ValueError("the form is not of an item that was asked; load the page again.")
    number, repeat = LAYOUT.unpack(said)
    return number, repeat


def _mark(site: Site, what: str, person: int, said: bytes) -> bytes:
    return _digest(site, f"mark {what} {person} ".encode() + said)


def _digest(site: Site, said: bytes) -> bytes:
    return hmac.digest(site.key.encode(), b"seal " + said, "sha256")[:MARK]


def _mixed(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other))
