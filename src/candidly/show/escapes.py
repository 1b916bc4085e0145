"""Text that a form shows as it is, whatever is in it: Markdown, CSV, LaTeX, HTML, terminals."""

from __future__ import annotations

import re
import unicodedata
from html import escape

LONG = 26  # characters of a word that HTML may break


def one_line(text: str) -> str:
    """Text on one line, without characters that would steer a terminal."""
    text = " ".join(text.split())
    return text if text.isprintable() else "".join(map(_printable, text))


def _printable(character: str) -> str:
    steers = unicodedata.category(character) in ("Cc", "Cs") or character in _TURNING
    return "\ufffd" if steers else character


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")  # of writing


def markdown_safe(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return re.sub(r"[\\`*_\[\]<>|~$]|&(?=#?\w+;)", r"\\\g<0>", one_line(text))


def markdown_paragraph(text: str) -> str:
    """The same at the start of a line, where signs make headings and lists."""
    return re.sub(r"^([#+=-])|^(\d+)([.)])", _backslashed, markdown_safe(text))


def _backslashed(found: re.Match[str]) -> str:
    return f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}"


def csv_quoted(text: str) -> str:
    # the csv module leaves a carriage return bare, at which readers end the line
    return '"' + text.replace('"', '""') + '"' if re.search('[",\r\n]', text) else text


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",  # behind \\ it would begin an option
    "*": "{*}",
    **{c: rf"\{c}" for c in "&%$#_"},
    "±": r"\ensuremath{\pm}",
    "−": r"\ensuremath{-}",
    "×": r"\ensuremath{\times}",
    "≤": r"\ensuremath{\le}",
    "≥": r"\ensuremath{\ge}",
    "→": r"\ensuremath{\to}",
    "κ": r"\ensuremath{\kappa}",
    "τ": r"\ensuremath{\tau}",
    "≈": r"\ensuremath{\approx}",
    "–": r"\textendash{}",
    "…": r"\ldots{}",
    "\u00a0": "~",
}


def latex_safe(text: str) -> str:
    """Text that LaTeX sets as it is, on one line."""
    safe = "".join(_LATEX.get(c, c) for c in one_line(text))
    return re.sub("-(?=-)", "-{}", safe)  # two of them would be a dash


def breakable(text: str) -> str:
    """Text as HTML in which long words may be broken behind ``_ / . : -``, where one would."""
    return "".join(
        "<wbr>".join(map(escape, re.split(r"(?<=[_/.:-])(?=[^_/.:-])", word)))
        if len(word) > LONG
        else escape(word)
        for word in re.split(r"(\s+)", text)
    )
