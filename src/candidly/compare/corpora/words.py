"""How events are read: rules for English that need no download, and room for one's own.

A library such as spaCy reads better; its functions fit into ``Language``. What these rules miss is
counted where it matters: an event without a verb is dropped, and the manifest says how many were.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_FORMS = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′´`", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        "…": "...",
        "•": " ",
        "·": " ",
        "×": "x",
        "÷": "/",
        "⁄": "/",
        "ß": "ss",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "đ": "d",
        "Đ": "D",
        "ð": "d",
        "þ": "th",
        "ı": "i",
        "€": "EUR",
        "£": "GBP",
        "°": " degrees ",
    }
)
_TOKEN = re.compile(
    r"[a-z]+n't|[a-z]+(?:-[a-z]+)*|'[a-z]{1,2}\b|\d+(?:[.,:/]\d+)*|[^\sa-z\d]", re.I
)


def _words(listed: str) -> frozenset[str]:
    """Words with spaces between."""
    return frozenset(listed.split())


STOP = _words(
    """
    a an the this that these those each every either neither some any no all both half such i
    you he she it we they me him her us them my your his its our their mine yours hers ours
    theirs myself yourself himself herself itself ourselves yourselves themselves one ones who
    whom whose which what where when why how whether am is are was were be been being have has
    had having do does did doing done will would shall should can could may might must ought and
    or but nor so yet if then else than because as while until unless although though since of
    at by for with about against between into through during before after above below to from up
    down in out on off over under again further once here there onto upon within without along
    across behind beyond toward towards near around per via not n't 's 're 've 'll 'd 'm only
    own same too very just also even still already more most other another few many much little
    less least several enough
    """
)

# in front of an imperative, or of an infinitive; words that end in -ly count, too
_BEFORE = _words(
    """
    first next then now also always never just only simply please again twice finally instead
    ever still often sometimes not to do don't and or but so
    """
)
_VERBS_IN_LY = _words(
    """
    apply reply fly multiply supply rely comply reapply imply ally bully rally tally
    """
)
# a clause that begins so may stand before an imperative, with a comma behind it
_CLAUSES = _words(
    """
    if when once after before while as unless until for in on at with to by during under from
    depending because since although
    """
)
# with these an event does not begin with a verb
_NO_VERBS = STOP - {
    "do",
    "have",
    "be",
    "down",
    "near",
    "out",
    "own",
    "further",
    "is",
    "are",
} | _words(
    """
    good bad new old big small great best better easy hard long short high low large free safe
    tips warnings warning tip part method step steps overview introduction conclusion summary
    ingredients materials tools supplies basics advantages disadvantages benefits pros cons he'd
    she'd they'd today tomorrow yesterday monday tuesday wednesday thursday friday saturday
    sunday january february april june july august september october november december yes no ok
    okay hello hi dear people someone something everyone everything nothing nobody
    """
)
# endings of nouns and adjectives; a verb that has one is named below
_NOUN = re.compile(
    r"(tion|sion|ness|ship|hood|ism|ity|ology|ance|ence|ful|less|ous|ical|able|ible)$"
)
_VERBS_WITH_SUCH_ENDS = _words(
    """
    mention question position section portion caution condition transition function auction
    ration witness harness ship worship enable disable table cable balance advance enhance dance
    glance finance influence reference sequence experience fence silence commence distance
    chance fashion vision envision provision harness able fable stable ratio station motion
    petition partition proportion commission decision pension mansion pity fund handle
    """
)
# a word, and behind a colon what it is a form of; alone, a word that is none
_FORM_OF = """
men:man women:woman children:child people:person feet:foot teeth:tooth mice:mouse
geese:goose lives:life knives:knife leaves:leaf wives:wife halves:half shelves:shelf
loaves:loaf better:good best:good worse:bad worst:bad made:make making:make took:take
taken:take taking:take gave:give given:give giving:give got:get gotten:get getting:get
went:go gone:go goes:go kept:keep putting:put cutting:cut setting:set found:find bought:buy
brought:bring thought:think taught:teach built:build sent:send spent:spend left:leave
felt:feel held:hold told:tell sold:sell wrote:write written:write writing:write knew:know
known:know grew:grow grown:grow drew:draw drawn:draw wore:wear worn:wear chose:choose
chosen:choose broke:break broken:break spoke:speak ate:eat eaten:eat drove:drive
driven:drive ran:run running:run began:begin begun:begin beginning:begin saw:see seen:see
lay:lie lying:lie dying:die tying:tie using:use used:use created:create creating:create
buses:bus dried:dry is:be was:be are:be has:have does:do shoes:shoe toes:toe put cut set
this his its gas bus always yes news series species
"""
_IRREGULAR = {
    word: base or word for word, _, base in (pair.partition(":") for pair in _FORM_OF.split())
}
_DOUBLED = re.compile(r"([bdgklmnprt])\1$")
_LOST_E = re.compile(  # stems that had an e
    r"([^aeiouwxy][aeiouy]|[iu])(c|g|s|v|z|dg|nc|ns|rc|rg|rs|rv|lv|ls|lg)$"
    r"|(?<![aeiou])(at|iz|ut|ir|ur|ad|id|od|ud|il|ol|ul|im|om|am|in|ak|ik|ok|ap|ip|op|yp|ar|or|as"
    r"|os|us|iv)$"
)


def to_ascii(text: str) -> str:
    """Letters without accents, plain quotes and dashes; what has no such form is left out.

    >>> to_ascii("Sauté the “crème brûlée” — slowly…")
    'Saute the "creme brulee" - slowly...'
    """
    if text.isascii():
        return text
    apart = unicodedata.normalize("NFKD", text.translate(_FORMS)).translate(_FORMS)
    return apart.encode("ascii", "ignore").decode("ascii")


def tokenise(text: str) -> list[str]:
    """Words, numbers and signs, each a token; ``don't`` and ``well-known`` are one word.

    >>> tokenise("don't use 2.5 cups, it's well-known.")
    ["don't", 'use', '2.5', 'cups', ',', 'it', "'s", 'well-known', '.']
    """
    return _TOKEN.findall(text)


def lemma(token: str) -> str:
    """A word without its inflection, by rules; other words as they are.

    >>> [lemma(word) for word in ("boxes", "berries", "stopped", "baking", "glass", "teeth")]
    ['box', 'berry', 'stop', 'bake', 'glass', 'tooth']
    """
    if token in _IRREGULAR:
        return _IRREGULAR[token]
    if len(token) < 4 or not token.isalpha():
        return token
    if token.endswith("ies") and len(token) > 4:
        return token[:-3] + "y"
    if token.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return token[:-2]
    if token.endswith("s") and not token.endswith(("ss", "us", "is")):
        return token[:-1]
    if token.endswith("ied") and len(token) > 4:
        return token[:-3] + "y"
    for end in ("ed", "ing"):
        if token.endswith(end) and re.search("[aeiouy]", token[: -len(end)]):
            stem = token[: -len(end)]
            if len(stem) < 3:
                return token
            if _DOUBLED.search(stem) and not stem.endswith(("ll", "ss", "dd")):
                return stem[:-1]
            return stem + "e" if _LOST_E.search(stem) else stem
    return token


def verb(tokens: Sequence[str]) -> int | None:
    """Where an event's verb stands, read as an imperative; None where there is none.

    Behind adverbs and negations, and where a clause such as *if you are cold,* comes first, behind
    its comma.

    >>> verb(["slowly", "open", "the", "window"]), verb(["the", "basics"])
    (1, None)
    >>> verb(["if", "you", "are", "cold", ",", "close", "it"])
    5
    """
    found = _imperative(tokens, 0)
    if found is None and tokens[:1] and tokens[0] in _CLAUSES and "," in tokens:
        found = _imperative(tokens, list(tokens).index(",") + 1)
    return found


def _imperative(tokens: Sequence[str], first: int) -> int | None:
    """Where the verb stands that tokens begin with, from one on."""
    for place, token in enumerate(tokens[first:], first):
        if token in _BEFORE or (token.endswith("ly") and token not in _VERBS_IN_LY):
            if token == "do" and not _negated(tokens, place):
                return place
            continue
        if not token[:1].isalpha() or token in _NO_VERBS:
            return None
        known = token in _VERBS_WITH_SUCH_ENDS
        return place if known or not _NOUN.search(token) else None
    return None


def _negated(tokens: Sequence[str], place: int) -> bool:
    return place + 1 < len(tokens) and tokens[place + 1] in ("not", "n't")


@dataclass(frozen=True)
class Language:
    """What the funnel asks of a language.

    Attributes:
        ascii: a text with other letters and signs written in ASCII.
        tokenise: a lower-case text to its tokens.
        lemma: a token without its inflection.
        verb: where among tokens the verb stands, or None.
        stop: tokens that say nothing of what an event is about.
    """

    ascii: Callable[[str], str] = to_ascii
    tokenise: Callable[[str], Sequence[str]] = tokenise
    lemma: Callable[[str], str] = lemma
    verb: Callable[[Sequence[str]], int | None] = verb
    stop: frozenset[str] = STOP


ENGLISH = Language()
