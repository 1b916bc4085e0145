"""Texts to token numbers: words of the training texts, or the tokeniser of a language model.

Token numbers are the tokeniser's own and 1 more, as 0 is padding here; so a tokeniser needs no
token for padding. Nothing is downloaded: a language model's tokeniser comes from a folder or from
an installed package.
"""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ...ground.extras import install
from ...ground.progress import OnProgress
from .tokens import Tokens, Words

MOST_TOKENS = 128  # of a text; what is behind them is left out
MOST_WORDS, LEAST = 30_000, 2  # words of a vocabulary; how often each occurs
UNKNOWN = 1  # the number of a word that is not in the vocabulary
CHUNK = 10_000  # texts at a time
CHARACTERS = 40  # of a text that are read for each token that is kept
ASCII_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[^\w\s\x1c-\x1f]|_", re.ASCII)
LONE = re.compile("[\ud800-\udfff]")  # halves of a character, which no tokeniser takes
TOKENISER_FILES = (  # of a folder without tokenizer.json, that transformers makes a tokeniser of
    "tokenizer_config.json", "vocab.txt", "vocab.json", "merges.txt", "spiece.model",
    "sentencepiece.bpe.model", "tokenizer.model",
)  # fmt: skip
APART = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # characters that are words


class Tokeniser(Protocol):
    """What makes tokens of texts, each by itself.

    Attributes:
        words: what is known of the token numbers.
    """

    @property
    def words(self) -> Words: ...

    def encode(self, texts: Sequence[str], watch: OnProgress | None = None) -> Tokens:
        """Tokens of texts, at least one each; ``watch`` is called with texts done and in all.

        Warns:
            UserWarning: texts that were cut.
        """
        ...

    def to_json(self) -> dict[str, Any]:
        """As JSON values; ``tokeniser_from_json`` reads them."""
        ...


def split_text(text: str, most: int | None = None) -> list[str]:
    """The words of a text in lower case, in order; with ``most``, no more than that.

    >>> split_text("Don't mix A/B tests.")
    ["don't", 'mix', 'a', '/', 'b', 'tests', '.']
    """
    if most is not None and len(text) > most * CHARACTERS:  # before the work
        text = text[: most * CHARACTERS]
    if text.isascii():
        found = ASCII_WORD.findall(text.lower())
    else:
        found = _any_word().findall(unicodedata.normalize("NFC", text).lower())
    return found if most is None else found[:most]


@cache
def _any_word() -> re.Pattern[str]:
    """Words of any script: a character of one without spaces, a run of letters, digits and their
    marks, with apostrophes inside, or any other sign."""
    marks = "".join(c for c in map(chr, range(0x20000)) if unicodedata.category(c)[0] == "M")
    run = f"(?:(?![{APART}_])\\w[{re.escape(marks)}]*)+"
    return re.compile(f"[{APART}]|{run}(?:['\u2019]{run})*|\\S")


@dataclass(frozen=True)
class WordTokeniser:
    """Words of a vocabulary, numbered from 2 on; 1 stands for every other.

    Attributes:
        vocabulary: different words, as ``split_text`` makes them.
        most_tokens: how many tokens of a text; what is behind them is left out.
    """

    vocabulary: tuple[str, ...]
    most_tokens: int = MOST_TOKENS

    @property
    def words(self) -> Words:
        """Token numbers are 1 to ``size``; there are no special ones."""
        return Words(len(self.vocabulary) + UNKNOWN, unknown=UNKNOWN)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.vocabulary, UNKNOWN + 1)}

    def encode(self, texts: Sequence[str], watch: OnProgress | None = None) -> Tokens:
        """Tokens of texts; one without a word is one unknown word. See ``Tokeniser``."""
        _check_texts(texts)
        number, most = self._numbers, self.most_tokens
        longest = most * CHARACTERS
        ids: list[np.ndarray] = []
        lengths: list[int] = []
        cut = 0
        for start in range(0, len(texts), CHUNK):
            some = texts[start : start + CHUNK]
            each = [split_text(text[:longest], most + 1) or [""] for text in some]
            cut += sum(len(o) > most or len(t) > longest for o, t in zip(each, some))
            each = [one[:most] for one in each]
            lengths += map(len, each)
            found = [number.get(word, UNKNOWN) for word in chain.from_iterable(each)]
            ids.append(np.array(found, np.int32))
            if watch is not None:
                watch(min(start + CHUNK, len(texts)), len(texts))
        _tell_of_cuts(cut, len(texts), most)
        return _joined(ids, lengths, self.words)

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "kind": "words",
            "vocabulary": list(self.vocabulary),
            "most_tokens": self.most_tokens,
        }


def word_tokeniser(
    texts: Sequence[str],
    most: int = MOST_WORDS,
    least: int = LEAST,
    most_tokens: int = MOST_TOKENS,
) -> WordTokeniser:
    """The words of some texts, the most frequent first, equally frequent ones by spelling.

    Args:
        texts: those that are learned from.
        most: words at most.
        least: how often each of them occurs, at least.
        most_tokens: how many tokens of a text; what is behind them is not counted.
    """
    counts: Counter[str] = Counter()
    for start in range(0, len(texts), CHUNK):
        some = (split_text(text, most_tokens) for text in texts[start : start + CHUNK])
        counts.update(chain.from_iterable(some))
    kept = sorted((-count, word) for word, count in counts.items() if count >= least)
    return WordTokeniser(tuple(word for _, word in kept[:most]), most_tokens)


def known_words(tokens: Tokens, rows: np.ndarray, least: int = LEAST) -> np.ndarray:
    """Which token numbers occur ``least`` times in some texts: bool (size + 1,).

    What is no word, padding, unknown and special numbers, counts as known.

    Args:
        rows: int64 (m,), the texts that are learned from.
    """
    chosen = np.zeros(len(tokens), bool)
    chosen[rows] = True
    counts = np.bincount(
        tokens.ids[np.repeat(chosen, tokens.lengths)], minlength=tokens.words.size + 1
    )
    known = counts >= least
    known[[0, tokens.words.unknown, *tokens.words.special]] = True
    return np.asarray(known)


@dataclass(frozen=True)
class ModelTokeniser:
    """A tokeniser of the library ``tokenizers``, as a language model's folder has it.

    Attributes:
        text: all of it as JSON.
        most_tokens: of a text, special ones included; what is behind them is left out.
    """

    text: str
    most_tokens: int = MOST_TOKENS

    @cached_property
    def _made(self) -> Any:
        found = _library("tokenizers").Tokenizer.from_str(self.text)
        found.no_padding()
        found.enable_truncation(self.most_tokens)
        return found

    @cached_property
    def words(self) -> Words:
        """Token numbers: its own, and 1 more."""
        added = self._made.get_added_tokens_decoder()
        special = sorted(number + 1 for number, token in added.items() if token.special)
        size = 1 + max(chain(self._made.get_vocab(with_added_tokens=True).values(), [0]))
        return Words(size, special=tuple(special))

    def encode(self, texts: Sequence[str], watch: OnProgress | None = None) -> Tokens:
        """Tokens of texts; where nothing is left of one, it is a space. See ``Tokeniser``."""
        _check_texts(texts)
        longest = self.most_tokens * CHARACTERS
        ids: list[np.ndarray] = []
        lengths: list[int] = []
        cut = 0
        for start in range(0, len(texts), CHUNK):
            whole = texts[start : start + CHUNK]
            some = [text[:longest] for text in whole]
            some = [text if text.isascii() else LONE.sub("\ufffd", text) for text in some]
            each = self._encoded(some)
            cut += sum(bool(o.overflowing) or len(t) > longest for o, t in zip(each, whole))
            found = [one.ids or self._empty for one in each]
            lengths += map(len, found)
            ids.append(np.fromiter(chain.from_iterable(found), np.int32) + np.int32(1))
            if watch is not None:
                watch(min(start + CHUNK, len(texts)), len(texts))
        _tell_of_cuts(cut, len(texts), self.most_tokens)
        return _joined(ids, lengths, self.words)

    def _encoded(self, texts: Sequence[str]) -> Any:
        try:
            return self._made.encode_batch_fast(texts)
        except BaseException as error:
            raise _spoiled(error, "the tokeniser of the model cannot take texts apart") from error

    @cached_property
    def _empty(self) -> list[int]:
        """What a text without a token is."""
        for stand_in in (" ", "."):
            if ids := self._made.encode(stand_in).ids:
                return list(ids[:1])
        return [0]

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {"kind": "tokenizers", "text": self.text, "most_tokens": self.most_tokens}


def _spoiled(error: BaseException, what: str) -> BaseException:
    """What to raise of a tokeniser that failed. A library in Rust that panics has no Exception."""
    if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
        return error
    return ValueError(
        f"{what}: its tokenizer.json is damaged, or of another kind. It needs tokenizer.json as "
        "save_pretrained of transformers writes it beside the model."
    )


def tokeniser_in(folder: Path, most_tokens: int = MOST_TOKENS) -> ModelTokeniser:
    """The tokeniser in a language model's folder.

    Raises:
        FileNotFoundError: no such folder.
        ValueError: it holds no tokeniser, a damaged one, or one of another kind; the library
            that reads it is not installed; or `most_tokens` leaves no place for a word.
    """
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder}, which should hold a language model.")
    file = folder / "tokenizer.json"
    if not file.is_file() and not any((folder / name).is_file() for name in TOKENISER_FILES):
        raise ValueError(
            f"{folder} holds no tokeniser: there is no tokenizer.json in it. Save the tokeniser "
            "beside the model, with its save_pretrained."
        )
    library = _library("tokenizers" if file.is_file() else "transformers")
    try:
        if file.is_file():
            text = file.read_text(encoding="utf-8")
            found = library.Tokenizer.from_str(text)
        else:
            loaded = library.AutoTokenizer.from_pretrained(
                str(folder.absolute()), local_files_only=True, trust_remote_code=False
            )
            found = loaded.backend_tokenizer
            text = found.to_str()
    except BaseException as error:
        raise _spoiled(error, f"{folder} holds no tokeniser that can be read") from error
    made = ModelTokeniser(text, most_tokens)
    least = found.num_special_tokens_to_add(False) + 1
    if least > most_tokens:
        raise ValueError(
            f"most_tokens is {most_tokens}, and the tokeniser in {folder} needs {least} for a text "
            "of one word; give more."
        )
    return made


def tokeniser_from_json(told: Mapping[str, Any]) -> WordTokeniser | ModelTokeniser:
    """What ``to_json`` said.

    Raises:
        ValueError, KeyError, TypeError: something else.
    """
    if told["kind"] == "words":
        return WordTokeniser(tuple(map(str, told["vocabulary"])), int(told["most_tokens"]))
    if told["kind"] == "tokenizers":
        return ModelTokeniser(str(told["text"]), int(told["most_tokens"]))
    raise ValueError(f"its tokeniser is of the kind {told['kind']!r}")


def _library(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ModuleNotFoundError:
        raise ValueError(
            f"language models need {name}, which is not installed: {install('text')}."
        ) from None


def _check_texts(texts: Sequence[str]) -> None:
    """Refuse what is no text, and tell of texts in which nothing stands."""
    empty = 0
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(
                f"`inputs` has {text!r} at row {row}, which is no text; give texts, or leave such "
                "rows out."
            )
        empty += not text or text.isspace()
    if empty:
        warnings.warn(
            f"{empty:,} of {len(texts):,} texts are empty; nothing can be learned from them. Leave "
            "these rows out, or fill them in.",
            stacklevel=4,
        )


def _tell_of_cuts(cut: int, texts: int, most: int) -> None:
    if cut:
        warnings.warn(
            f"{cut:,} of {texts:,} texts are longer than {most} tokens; what is behind these is "
            "left out.",
            stacklevel=4,
        )


def _joined(ids: list[np.ndarray], lengths: list[int], words: Words) -> Tokens:
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return Tokens(np.concatenate(ids) if ids else np.zeros(0, np.int32), starts, words)
