"""Tokenisers against definitions written out slowly, and against transformers' own."""

from __future__ import annotations

import json
import sys
import unicodedata
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from candidly.data.inputs import tokenisers
from candidly.data.inputs.tokenisers import (
    WordTokeniser,
    known_words,
    split_text,
    tokeniser_from_json,
    tokeniser_in,
    word_tokeniser,
)
from candidly.data.inputs.tokens import Tokens, Words

EVENTS = ["put a nappy on", "put the nappy away .", "erase your lines .", "put lines"]
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
SOME_TEXT = st.text("ab'’_ .1é\u0301\u05e9\u05d1ิ中あ漢😀<>/&\n", max_size=40)
ODD = [
    "שלום עולם, טוב!", "😀👍🏽👨\u200d👩\u200d👧", "中文字符 and english", "<b>bold &amp; x</b>",
    "a\x00b", "e\u0301 é", "\u202ertl\u202c marks", "½ ① ﬁ", "tab\tand\nline",
    "don't can’t '' _ __init__",
]  # fmt: skip


def slow_words(text: str) -> list[str]:
    """Character by character, from Unicode's categories."""
    text = unicodedata.normalize("NFC", text).lower()
    found, k = [], 0

    def is_apart(c: str) -> bool:
        return any(
            low <= c <= high
            for low, high in (("぀", "ヿ"), ("㐀", "䶿"), ("一", "鿿"), ("豈", "\ufaff"))
        )

    def run(k: int) -> int:
        """Where letters and digits, each with its marks, end."""
        while k < len(text) and text[k].isalnum() and not is_apart(text[k]):
            k += 1
            while k < len(text) and unicodedata.category(text[k])[0] == "M":
                k += 1
        return k

    while k < len(text):
        end = run(k)
        if end > k:
            while end + 1 < len(text) and text[end] in "'’" and run(end + 1) > end + 1:
                end = run(end + 1)
        else:
            end = k + 1
        if not text[k:end].isspace():
            found.append(text[k:end])
        k = end
    return found


@given(SOME_TEXT)
def test_words_are_those_of_a_slow_loop(text):
    assert split_text(text) == slow_words(text)


@given(ANY_TEXT)
def test_no_sign_of_any_text_is_lost(text):
    whole = "".join(unicodedata.normalize("NFC", text).lower().split())
    words = split_text(text)
    assert "".join(words) == whole
    assert all(words)
    for most in (1, 3):
        assert split_text(text, most) == words[:most]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't mix A/B tests.", ["don't", "mix", "a", "/", "b", "tests", "."]),
        ("snake_case", ["snake", "_", "case"]),
        ("中文 ok", ["中", "文", "ok"]),
        ("שלום, עולם", ["שלום", ",", "עולם"]),
        ("<b>x</b>", ["<", "b", ">", "x", "<", "/", "b", ">"]),
        ("e\u0301", ["é"]),
        ("😀😀", ["😀", "😀"]),
        ("हिन्दी", ["हिन्दी"]),
        ("a\x1cb", ["a", "b"]),
        (" \n", []),
    ],
)
def test_words_of_many_scripts(text, words):
    assert split_text(text) == words


def test_words_are_numbered_by_frequency_and_then_by_spelling():
    made = word_tokeniser([*EVENTS, "a a"], least=2)
    assert made.vocabulary == ("a", "put", ".", "lines", "nappy")
    assert made.words == Words(6, unknown=1)
    tokens = made.encode(["Put A zebra.", "lines"])
    assert tokens.ids.tolist() == [3, 2, 1, 4, 5]
    assert tokens.starts.tolist() == [0, 4, 5]
    assert word_tokeniser(EVENTS, most=2).vocabulary == ("put", ".")
    assert len(word_tokeniser(EVENTS, least=1).vocabulary) == len({*" ".join(EVENTS).split()})


@given(st.lists(SOME_TEXT, max_size=8), st.integers(1, 3), st.integers(1, 6))
@settings(max_examples=60)
def test_the_vocabulary_is_that_of_a_slow_count(texts, least, most):
    counts = Counter(word for text in texts for word in slow_words(text))
    kept = sorted((w for w, c in counts.items() if c >= least), key=lambda w: (-counts[w], w))
    made = word_tokeniser(texts, most=most, least=least)
    assert list(made.vocabulary) == kept[:most]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokens = made.encode(texts)
    number = {word: k + 2 for k, word in enumerate(kept[:most])}
    for row, text in enumerate(texts):
        expected = [number.get(word, 1) for word in slow_words(text)] or [1]
        assert tokens.ids[slice(*tokens.starts[row : row + 2])].tolist() == expected


@given(
    st.lists(st.lists(st.integers(1, 9), min_size=1, max_size=7), min_size=1, max_size=6), st.data()
)
def test_rows_are_taken_as_a_slow_loop_does(runs, data):
    starts = np.cumsum([0, *map(len, runs)])
    tokens = Tokens(np.concatenate(runs), starts, Words(9))
    rows = data.draw(st.lists(st.integers(0, len(runs) - 1), max_size=8))
    found = tokens.take(np.array(rows, np.int64))
    longest = max((len(runs[row]) for row in rows), default=1)
    assert found.dtype == np.int64
    assert found.tolist() == [runs[row] + [0] * (longest - len(runs[row])) for row in rows]


@pytest.mark.parametrize(
    ("ids", "starts", "told"),
    [
        ([1, 2, 7], [0, 2, 3], "token number 7 at row 1, and the vocabulary has 1 to 6"),
        ([0, 2], [0, 1, 2], "token number 0 at row 0"),
        ([1, 2], [0, 2, 2], "without a token at row 1"),
    ],
)
def test_numbers_beyond_the_vocabulary_are_refused(ids, starts, told):
    with pytest.raises(ValueError, match=told):
        Tokens(np.array(ids), np.array(starts), Words(6))


@given(st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=5), min_size=1), st.data())
def test_known_words_are_counted_among_some_rows(runs, data):
    tokens = Tokens(np.concatenate(runs), np.cumsum([0, *map(len, runs)]), Words(6, 1, (5,)))
    rows = data.draw(st.lists(st.integers(0, len(runs) - 1), unique=True))
    counts = Counter(k for row in rows for k in runs[row])
    expected = [k in (0, 1, 5) or counts[k] >= 2 for k in range(7)]
    assert known_words(tokens, np.array(rows, np.int64)).tolist() == expected


# language models' tokenisers


def made(kind: str, texts: list[str]) -> object:
    """A tokeniser learned from texts, of three kinds; the last has neither padding nor marks."""
    import tokenizers as tk
    from tokenizers import decoders, models, normalizers, pre_tokenizers, processors, trainers

    if kind == "wordpiece":
        found = tk.Tokenizer(models.WordPiece(unk_token="[UNK]"))
        found.normalizer = normalizers.BertNormalizer()
        found.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
        trainer = trainers.WordPieceTrainer(vocab_size=80, special_tokens=special)
        found.train_from_iterator(texts, trainer)
        found.post_processor = processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
        )
        found.enable_padding(length=50)  # of which nothing may be left
        found.enable_truncation(5, direction="left")
        return found
    if kind == "bytes":
        found = tk.Tokenizer(models.BPE())
        found.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        found.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        found.train_from_iterator(
            texts, trainers.BpeTrainer(vocab_size=300, initial_alphabet=alphabet)
        )
        return found
    found = tk.Tokenizer(models.WordLevel({"put": 0, "lines": 1}, unk_token="put"))
    found.pre_tokenizer = pre_tokenizers.Whitespace()
    return found


def folder_of(folder: Path, kind: str) -> Path:
    pytest.importorskip("tokenizers")
    made(kind, [*EVENTS, *ODD]).save(str(folder / "tokenizer.json"))
    return folder


@pytest.mark.parametrize("kind", ["wordpiece", "bytes"])
@pytest.mark.parametrize("most", [6, 40])
def test_token_numbers_are_those_of_transformers_and_one_more(tmp_path, kind, most):
    transformers = pytest.importorskip("transformers")
    folder = folder_of(tmp_path, kind)
    theirs = transformers.PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))
    theirs.truncation_side = "right"
    texts = [*EVENTS, *ODD, "put a " * 50]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        tokens = tokeniser_in(folder, most).encode(texts)
    cut = 0
    for row, text in enumerate(texts):
        expected = theirs(text, truncation=True, max_length=most)["input_ids"]
        got = tokens.ids[slice(*tokens.starts[row : row + 2])] - 1
        assert got.tolist() == expected
        cut += len(theirs(text)["input_ids"]) > most
    assert [str(one.message) for one in told] == [
        f"{cut} of {len(texts)} texts are longer than {most} tokens; what is behind these is left"
        " out."
    ]


def test_special_numbers_and_the_size(tmp_path):
    found = tokeniser_in(folder_of(tmp_path, "wordpiece"))
    assert found.words.special == (1, 2, 3, 4)
    vocabulary = json.loads((tmp_path / "tokenizer.json").read_text())["model"]["vocab"]
    assert found.words.size == len(vocabulary)


@pytest.mark.parametrize("kind", ["wordpiece", "bytes", "bare"])
def test_empty_texts_are_a_token_and_told(tmp_path, kind):
    found = tokeniser_in(folder_of(tmp_path, kind))
    with pytest.warns(UserWarning, match="2 of 3 texts are empty.* Leave these rows out"):
        tokens = found.encode(["", "put", " \n"])
    assert tokens.lengths.min() >= 1
    with pytest.warns(UserWarning, match="1 of 1 texts are empty"):
        assert WordTokeniser(("put",)).encode([""]).ids.tolist() == [1]


@pytest.mark.parametrize("kind", ["wordpiece", "words"])
def test_texts_of_a_hundred_thousand_characters_are_cut_and_counted(tmp_path, kind):
    found = word_tokeniser(EVENTS) if kind == "words" else tokeniser_in(folder_of(tmp_path, kind))
    texts = ["put " * 25_000, "x" * 100_000, " " * 99_996 + "tail", "put"]
    with pytest.warns(UserWarning, match="3 of 4 texts are longer than 128 tokens"):
        tokens = found.encode(texts)
    assert tokens.lengths[0] == 128
    assert tokens.lengths.max() == 128


def test_a_word_of_a_hundred_thousand_characters_is_known_again():
    texts = ["x" * 100_000] * 2
    with pytest.warns(UserWarning, match="2 of 2"):
        assert word_tokeniser(texts).encode(texts).ids.tolist() == [2, 2]


def test_half_a_character_is_a_token(tmp_path):
    for found in (word_tokeniser(EVENTS), tokeniser_in(folder_of(tmp_path, "wordpiece"))):
        assert len(found.encode(["put \ud800 lines"])) == 1


@pytest.mark.parametrize("kind", ["words", "wordpiece"])
@pytest.mark.parametrize("odd", [None, 3.5, b"put", ["put"]])
def test_what_is_no_text_is_refused_with_its_row(tmp_path, kind, odd):
    found = word_tokeniser(EVENTS) if kind == "words" else tokeniser_in(folder_of(tmp_path, kind))
    with pytest.raises(ValueError, match=r"at row 1, which is no text; give texts"):
        found.encode(["put", odd])


@pytest.mark.parametrize("kind", ["words", "wordpiece", "bytes"])
def test_tokenisers_come_back_from_json(tmp_path, kind):
    found = (
        word_tokeniser(EVENTS, most_tokens=9)
        if kind == "words"
        else tokeniser_in(folder_of(tmp_path, kind), 9)
    )
    again = tokeniser_from_json(json.loads(json.dumps(found.to_json())))
    assert again == found
    assert again.words == found.words
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert again.encode(ODD).ids.tolist() == found.encode(ODD).ids.tolist()
    with pytest.raises(ValueError, match="'other'"):
        tokeniser_from_json({"kind": "other"})


@pytest.mark.parametrize("kind", ["words", "wordpiece"])
def test_chunks_change_nothing_and_are_watched(tmp_path, monkeypatch, kind):
    found = word_tokeniser(EVENTS) if kind == "words" else tokeniser_in(folder_of(tmp_path, kind))
    whole = found.encode(EVENTS)
    monkeypatch.setattr(tokenisers, "CHUNK", 3)
    seen: list[tuple[int, int]] = []
    parts = found.encode(EVENTS, watch=lambda done, total: seen.append((done, total)))
    assert seen == [(3, 4), (4, 4)]
    assert parts.ids.tolist() == whole.ids.tolist()
    assert parts.starts.tolist() == whole.starts.tolist()
    assert len(found.encode([])) == 0


# folders


def test_a_vocabulary_alone_is_read_by_transformers(tmp_path):
    pytest.importorskip("transformers")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "put", "lines"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    assert tokeniser_in(tmp_path).encode(["Put lines"]).ids.tolist() == [3, 6, 7, 4]


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, "no tokenizer.json in it. Save"),
        ({"config.json": '{"model_type": "bert"}'}, "no tokenizer.json in it. Save"),
        ({"tokenizer.json": ""}, "that can be read: .*It needs tokenizer.json"),
        ({"tokenizer.json": '{"model": {"type": "Odd"}}'}, "that can be read"),
        ({"tokenizer_config.json": '{"tokenizer_class": "Evil"}'}, "that can be read"),
    ],
)
def test_folders_without_a_tokeniser_are_refused(tmp_path, files, told):
    pytest.importorskip("transformers")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=told):
        tokeniser_in(tmp_path)


def test_no_code_of_a_folder_runs(tmp_path):
    pytest.importorskip("transformers")
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Evil: ...")
    config = {"tokenizer_class": "Evil", "auto_map": {"AutoTokenizer": ["evil.Evil", None]}}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "evil"} | config))
    with pytest.raises(ValueError, match="that can be read"):
        tokeniser_in(tmp_path)
    assert not (tmp_path / "ran").exists()


def test_what_is_no_folder_is_refused_and_never_looked_up(tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", Path("bert-base-uncased")):
        with pytest.raises(FileNotFoundError, match=f"no folder {path}"):
            tokeniser_in(path)


@pytest.mark.parametrize("most", [1, 2])
def test_too_few_tokens_for_a_word_are_refused(tmp_path, most):
    folder = folder_of(tmp_path, "wordpiece")
    with pytest.raises(ValueError, match=f"most_tokens is {most}, .* needs 3"):
        tokeniser_in(folder, most)
    assert tokeniser_in(folder, 3).words.size


@pytest.mark.parametrize(
    ("file", "library"), [("tokenizer.json", "tokenizers"), ("vocab.txt", "transformers")]
)
def test_a_missing_library_is_told(tmp_path, monkeypatch, file, library):
    (tmp_path / file).write_text("{}")
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ValueError, match=rf"need {library}.*pip install -e .*\[text\]'\.$"):
        tokeniser_in(tmp_path)


class Panic(BaseException):
    """What a library in Rust raises that panics."""


def test_a_tokeniser_that_panics_is_refused_in_words(monkeypatch):
    from candidly.data.inputs.tokenisers import ModelTokeniser

    class Made:
        def encode_batch_fast(self, texts):
            raise Panic("called `Result::unwrap()` on an `Err` value: regex")

    monkeypatch.setattr(ModelTokeniser, "_made", Made())
    with pytest.raises(ValueError, match=r"tokenizer\.json is damaged") as caught:
        ModelTokeniser("{}").encode(["a text"])
    assert "unwrap" not in str(caught.value)
