"""What views of pictures and texts are called: a name, or a policy in a file of a user's own.

A policy's file is read when its user names it, and known from then on by its name and by the
beginning of its SHA-256, ``mine.json@0123456789abcdef``. Loads no torch, so that what a person
writes is checked at the door.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from ...ground.spec import DIGITS, halves, number, read, undigested, written
from .policy import Policy, policy_of, source_of_policy
from .seen import LANGUAGE, TOKENS

COMMON = ("plain", "weak", "strong", "distill")  # of pictures and of texts
VIEWS = (*COMMON, "strong-plench", "autoaugment")
DROPOUT, DROP_WORDS = "dropout", "drop-words"  # of texts
USUAL_RATE = 0.1
_SOURCES: dict[str, bytes] = {}  # of policies that were read, by digest


def read_view(text: str, name: str = "view") -> str:
    """The view of pictures or texts that a text names, as it is called in a trial.

    Args:
        text: a name, a policy's file, or what this gave for such a file.
        name: what an error calls the text.

    Raises:
        UnknownName: there is none; suggests the nearest and lists the rest.
        FileNotFoundError: no such file.    ValueError: its content is no policy.
    """
    asked = read(text, name, "weak")
    text = asked.whole.strip()
    if digest_of_view(text):
        return text
    if text.endswith(".json"):
        path = Path(text)
        return f"{path.name}@{keep_policy(source_of_policy(path), text)}"
    view, _ = asked.lookup(
        dict.fromkeys((*VIEWS, DROPOUT, DROP_WORDS)),
        "view",
        "or name a policy's file, such as mine.json",
    )
    if view != DROP_WORDS:
        asked.alone()
        return view
    usual = written(DROP_WORDS, {}, str(USUAL_RATE))
    if asked.behind is None:
        return usual
    share = asked.argument(usual, number(0, 1, usual, above=True, below=True), "rate")
    return written(DROP_WORDS, {}, f"{share:g}")


def is_view_of(kind: str, text: str) -> bool:
    """Whether inputs of a kind, as ``seen_as`` names it, have a view that ``read_view`` gave."""
    if kind in (TOKENS, LANGUAGE):
        return text in COMMON or rate_of_view(text) is not None
    return kind == "images" and (text in VIEWS or bool(digest_of_view(text)))


def rate_of_view(text: str) -> float | None:
    """The share of words that a view of texts leaves out; None where it is none of theirs.

    >>> rate_of_view("drop-words:0.2"), rate_of_view("dropout"), rate_of_view("autoaugment")
    (0.2, 0.0, None)
    """
    if text == DROPOUT:
        return 0.0
    view, rate = halves(text)
    return float(rate) if view == DROP_WORDS else None


def digest_of_view(text: str) -> str:
    """The digest of a policy's file, in what a trial calls it; '' where that is a name."""
    file, digest = undigested(text)  # a name, and never a path
    return digest if re.fullmatch(r"[^/\\]+\.json", file) else ""


def keep_policy(source: bytes, name: str) -> str:
    """Remember the content of a policy's file.

    Returns:
        its digest.

    Raises:
        ValueError: it is no policy; ``name`` is what an error calls the file.
    """
    policy_of(source, name)
    digest = hashlib.sha256(source).hexdigest()[:DIGITS]
    _SOURCES[digest] = source
    return digest


def source_of_view(text: str) -> bytes | None:
    """The content of a policy's file, as it was read; None where it was not."""
    return _SOURCES.get(digest_of_view(text))


def policy_of_view(text: str) -> Policy:
    """The policy of a file that was read.

    Raises:
        ValueError: it was not read here.
    """
    source = source_of_view(text)
    if source is None:
        file = undigested(text)[0]
        raise ValueError(f"the policy {text} was not read here: give its file, such as {file}.")
    return policy_of(source, text)
