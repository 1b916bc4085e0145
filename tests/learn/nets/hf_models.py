"""Small language models of random numbers in folders, as ``save_pretrained`` writes them."""

from __future__ import annotations

import importlib
from pathlib import Path

import torch

from candidly.data.inputs.tokens import Words

VOCABULARY = 40
WORDS = Words(VOCABULARY)
END = 2  # the token that ends a text
SIZES = {"vocab_size": VOCABULARY, "bos_token_id": 0, "pad_token_id": 1, "eos_token_id": END}
ENCODER = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "max_position_embeddings": 20,
    "initializer_range": 0.3,  # so that texts differ
}
SMALL = {
    "bert": ("BertForMaskedLM", "BertConfig", ENCODER),
    "roberta": ("RobertaForMaskedLM", "RobertaConfig", ENCODER),
    "albert": ("AlbertModel", "AlbertConfig", {**ENCODER, "embedding_size": 8}),
    "distilbert": (
        *("DistilBertModel", "DistilBertConfig"),
        {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 24, "max_position_embeddings": 20},
    ),
    "xlnet": (
        *("XLNetLMHeadModel", "XLNetConfig"),
        {"d_model": 16, "n_layer": 2, "n_head": 2, "d_inner": 24, "initializer_range": 0.3},
    ),
    "gpt2": (
        *("GPT2LMHeadModel", "GPT2Config"),
        {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 20, "initializer_range": 0.3},
    ),
    "bart": (
        *("BartForConditionalGeneration", "BartConfig"),
        {
            "d_model": 16,
            **{f"{side}_layers": 2 for side in ("encoder", "decoder")},
            **{f"{side}_attention_heads": 2 for side in ("encoder", "decoder")},
            **{f"{side}_ffn_dim": 24 for side in ("encoder", "decoder")},
            "max_position_embeddings": 20,
            "init_std": 0.3,
            "scale_embedding": True,
            "decoder_start_token_id": END,
        },
    ),
    "t5": (
        *("T5ForConditionalGeneration", "T5Config"),
        {"d_model": 16, "d_kv": 8, "d_ff": 24, "num_layers": 2, "num_heads": 2},
    ),
}
NAMES = ("Making Tea", "making", "tea Making tea", "Keeping bees", "keeping tea")


ENCODED = {"making": 4, "tea": 5, "keeping": 6, "bees": 7}


def encode(some):
    """What the tokeniser of ``write_tokeniser`` makes of names."""
    return [[*(ENCODED[word] for word in text.split()), END] for text in some]


def part_of(name: str):
    """Something of transformers."""
    return getattr(importlib.import_module("transformers"), name)


def quietly(model, folder: Path) -> Path:
    """A model's folder, written without a word."""
    logging = importlib.import_module("transformers").utils.logging
    before, shown = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        model.save_pretrained(folder)
    finally:
        logging.set_verbosity(before)
        if shown:
            logging.enable_progress_bar()
    return folder


def written(kind: str, folder: Path, **changed) -> Path:
    """The folder of a small model of a kind."""
    model, config, sizes = SMALL[kind]
    with torch.random.fork_rng([]):
        torch.manual_seed(3)
        made = part_of(model)(part_of(config)(**SIZES, **(sizes | changed)))
        with torch.no_grad():
            for name, tensor in made.named_parameters():
                if name.endswith("bias"):  # which start at 0
                    tensor.normal_(std=0.1)
    return quietly(made, folder)


def texts(*lengths: int, seed: int = 0, padded: int = 0) -> torch.Tensor:
    """int64 (B, L): random tokens, an end token at each text's end, 0 behind it."""
    g = torch.Generator().manual_seed(seed)
    x = torch.zeros(len(lengths), max(padded, *lengths), dtype=torch.int64)
    for row, length in enumerate(lengths):
        x[row, :length] = torch.randint(4, VOCABULARY, (length,), generator=g)
        x[row, length - 1] = END + 1
    return x


def write_tokeniser(folder: Path) -> None:
    """``tokenizer.json`` of a few words, which ends each text by the end token."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    words = ["<s>", "<pad>", "</s>", "<unk>", *ENCODED]
    words += [f"w{i}" for i in range(VOCABULARY - len(words))]
    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, "<unk>"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", END)]
    )
    made.add_special_tokens(words[:4])
    made.save(str(folder / "tokenizer.json"))
