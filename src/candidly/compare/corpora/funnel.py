"""The six filters that turn a crawl into clean events, and why each event that is gone is gone.

Source: Wu et al., "NoisywikiHow: A benchmark for learning with real-world noisy labels in natural
language processing", Findings of ACL 2023, 3.2 and A.2. Settled where that is silent: markup is
dropped wherever it stands in a text; length is counted in tokens, the full stop among them;
keywords are sought in articles as they are before copies are dropped, and a tenth of an article's
tokens is rounded down.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from ...ground.progress import OnProgress
from .articles import Articles
from .words import ENGLISH, Language

MARKUP = "smallurl"  # in texts of icons
ENDS = frozenset(".!?:;,")  # tokens that an event may end in as it was written
SHARE, FEWEST, MOST = 0.1, 3, 10  # keywords of an article: a share of its tokens, within these
TOLD_EVERY = 10_000  # events

REASONS = (
    "",  # in the benchmark
    "markup of an icon",
    "too few tokens",
    "too many tokens",
    "no verb",
    "nothing but stop words",
    "in several categories",
    "a copy in its category",
    "no keyword of its article",
    "its category has too few events",
    "its category is not wanted",
)
IN, ICON, SHORT, LONG, VERBLESS, EMPTY, SEVERAL, COPY, KEYLESS, SMALL, UNWANTED = range(
    len(REASONS)
)


@dataclass(frozen=True)
class FunnelStage:
    """What is left behind a filter: categories with an event, and events."""

    name: str
    classes: int
    events: int


@dataclass(frozen=True, eq=False)
class Funnel:
    """Events behind all filters, and what became of the others.

    Attributes:
        texts: objects (n,), as the benchmark has them: ASCII, lower case, tokens with a space
            between, a full stop at the end; '' where an icon's markup stood.
        keys: int64 (n,), the same number for texts that mean the same; -1 where none was made.
        verb: int32 (n,), where the verb stands among the tokens; -1 where none does.
        category: int32 (n,), as in the articles.
        step_id: int64 (n,), counted over what the keyword filter left; -1 for the rest.
        choosen_id: int64 (n,), counted over the benchmark; -1 for the rest. The spelling is the
            released files'.
        reason: int8 (n,), of ``REASONS``.
        stages: in order, the articles as they came first.
    """

    texts: np.ndarray
    keys: np.ndarray
    verb: np.ndarray
    category: np.ndarray
    step_id: np.ndarray
    choosen_id: np.ndarray
    reason: np.ndarray
    stages: tuple[FunnelStage, ...]

    def reason_of(self, row: int) -> str:
        """Why an event is not in the benchmark; '' where it is."""
        return REASONS[int(self.reason[row])]

    def reasons(self) -> dict[str, int]:
        """How many events are gone for each reason."""
        counts = np.bincount(self.reason, minlength=len(REASONS))
        return {name: int(count) for name, count in zip(REASONS, counts) if name}


def funnel(
    articles: Articles,
    language: Language = ENGLISH,
    *,
    shortest: int = 3,
    longest: int = 80,
    more_than: int = 300,
    watch: OnProgress = lambda done, total: None,
) -> Funnel:
    """The filters that need no people, one after the other; ``keep_categories`` is the last.

    Args:
        shortest, longest: tokens of an event.
        more_than: a category stays that has more events.
        watch: called with events read and in all.
    """
    read = read_events(articles.texts, language, shortest, longest, watch)
    category, reason = articles.event_category, read.reason.copy()
    stages = [_stage("articles", category, np.ones(len(category), bool))]

    def behind(name: str) -> np.ndarray:
        left = reason == IN
        stages.append(_stage(name, category, left))
        return left

    lengths = ~np.isin(reason, (ICON, SHORT, LONG))
    stages.append(_stage("length", category, lengths))
    left = behind("format")
    words = KeyTokens(read.tokens, read.starts, read.vocabulary)
    keyed = with_keyword(words, articles.article, left)
    reason[left] = copies(read.keys[left], category[left])
    left = behind("copies")
    reason[left & ~keyed] = KEYLESS
    left = behind("keywords")
    step_id = _numbered(left)
    sizes = np.bincount(category[left], minlength=len(articles.categories))
    reason[left & (sizes <= more_than)[category]] = SMALL
    left = behind("sample size")
    return Funnel(
        *(read.texts, read.keys, read.verb, category, step_id, _numbered(left), reason),
        tuple(stages),
    )


def sizes_of(found: Funnel) -> dict[int, int]:
    """Events of the categories that are left, by category."""
    there, sizes = np.unique(found.category[found.choosen_id >= 0], return_counts=True)
    return dict(zip(there.tolist(), sizes.tolist()))


def keep_categories(found: Funnel, wanted: Collection[int]) -> Funnel:
    """The last filter: what is left in the categories that people want."""
    reason = found.reason.copy()
    gone = (reason == IN) & ~np.isin(found.category, list(wanted))
    reason[gone] = UNWANTED
    left = reason == IN
    stages = (*found.stages, _stage("categories", found.category, left))
    return replace(found, choosen_id=_numbered(left), reason=reason, stages=stages)


@dataclass(frozen=True, eq=False)
class ReadEvents:
    """Events, each read once.

    Attributes:
        texts, keys, verb, reason: as in ``Funnel``.
        tokens: int32 (total,), numbers of the tokens of all keys, one key behind the other.
        starts: int64 (n + 1,), where each event's begin.
        vocabulary: the tokens by number.
    """

    texts: np.ndarray
    keys: np.ndarray
    verb: np.ndarray
    reason: np.ndarray
    tokens: np.ndarray
    starts: np.ndarray
    vocabulary: tuple[str, ...]


def read_events(
    texts: np.ndarray,
    language: Language,
    shortest: int,
    longest: int,
    watch: OnProgress,
) -> ReadEvents:
    """The filters of length and of format, which need no other event."""
    n = len(texts)
    found, keys = np.full(n, "", object), np.full(n, -1, np.int64)
    verbs, reason = np.full(n, -1, np.int32), np.zeros(n, np.int8)
    vocabulary: dict[str, int] = {}
    lemmas: dict[str, int] = {}  # of tokens; -1 where a key leaves one out
    known: dict[bytes, int] = {}
    flat = array("i")
    counts = np.zeros(n + 1, np.int64)

    def number(token: str) -> int:
        if token in language.stop or not token[0].isalnum():
            return -1
        base = language.lemma(token)
        return -1 if base in language.stop else vocabulary.setdefault(base, len(vocabulary))

    for row, text in enumerate(texts):
        if row % TOLD_EVERY == 0:
            watch(row, n)
        plain = language.ascii(text).lower()
        if MARKUP in plain:
            reason[row] = ICON
            continue
        tokens = list(language.tokenise(plain))
        while tokens and tokens[-1] in ENDS:
            tokens.pop()
        tokens.append(".")
        found[row] = " ".join(tokens)
        if not shortest <= len(tokens) <= longest:
            reason[row] = SHORT if len(tokens) < shortest else LONG
            continue
        place = language.verb(tokens)
        if place is None:
            reason[row] = VERBLESS
            continue
        verbs[row] = place
        for token in tokens:
            if token not in lemmas:
                lemmas[token] = number(token)
        numbers = [one for one in map(lemmas.__getitem__, tokens) if one >= 0]
        if not numbers:
            reason[row] = EMPTY
            continue
        key = array("i", numbers)
        keys[row] = known.setdefault(key.tobytes(), len(known))
        flat.extend(key)
        counts[row + 1] = len(key)
    watch(n, n)
    tokens_of_all = np.array(flat, np.int32)
    return ReadEvents(
        *(found, keys, verbs, reason, tokens_of_all, counts.cumsum(), tuple(vocabulary))
    )


def copies(keys: np.ndarray, category: np.ndarray) -> np.ndarray:
    """Why events are copies, int8 (n,): first all of a key in several categories, then all but one.

    Args:
        keys, category: int (n,).
    """
    reason = np.zeros(len(keys), np.int8)
    if not len(keys):
        return reason
    pairs = keys.astype(np.int64) * (int(category.max()) + 1) + category
    _, first = np.unique(pairs, return_index=True)
    several = np.bincount(keys[first]) > 1
    reason[:] = COPY
    reason[first] = IN
    reason[several[keys]] = SEVERAL
    return reason


@dataclass(frozen=True, eq=False)
class KeyTokens:
    """Tokens of events, one event behind the other; see ``ReadEvents``."""

    tokens: np.ndarray
    starts: np.ndarray
    vocabulary: tuple[str, ...]


def with_keyword(words: KeyTokens, article: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Which events hold a keyword of their article: bool (n,).

    A keyword is among the highest tenth of its article's different tokens by TF-IDF (occurrences
    times the logarithm of articles over articles with the token), but among at least 3 and at most
    10; of equals the first in the alphabet.

    Args:
        article: int (n,), of each event.
        left: bool (n,), the events that articles consist of.
    """
    lengths = np.diff(words.starts)
    inside = np.repeat(left, lengths)
    keyword = np.zeros(len(left), bool)
    if not inside.any():
        return keyword
    size = len(words.vocabulary)
    tokens = np.repeat(article.astype(np.int64) * size, lengths)[inside]
    tokens += words.tokens[inside]  # of an article
    pairs, times = np.unique(tokens, return_counts=True)
    document, token = pairs // size, pairs % size
    spread = np.bincount(token, minlength=size)
    score = times * np.log(len(np.unique(document)) / spread[token])
    alphabet = np.empty(size, np.int64)
    alphabet[np.argsort(np.array(words.vocabulary, object), kind="stable")] = np.arange(size)
    order = np.lexsort((alphabet[token], -score, document))
    begins = np.searchsorted(document, np.arange(int(document[-1]) + 2))
    distinct = np.diff(begins)
    wanted = np.clip((SHARE * distinct + 1e-9).astype(np.int64), FEWEST, MOST)
    place = np.arange(len(order)) - begins[document]  # ``order`` keeps documents together
    chosen = pairs[np.sort(order[place < wanted[document]])]
    found = chosen[np.searchsorted(chosen, tokens).clip(max=len(chosen) - 1)] == tokens
    events = np.repeat(np.arange(len(left), dtype=np.int32), lengths)[inside]
    keyword[events[found]] = True
    return keyword


def _stage(name: str, category: np.ndarray, left: np.ndarray) -> FunnelStage:
    return FunnelStage(name, len(np.unique(category[left])), int(left.sum()))


def _numbered(left: np.ndarray) -> np.ndarray:
    """0, 1, ... where it is True, -1 elsewhere."""
    return np.where(left, np.cumsum(left) - 1, -1).astype(np.int64)
