"""Ways to train a network on texts, each in a process of its own.

All train the same module on the same rows in the same order with cross-entropy and Adam, from the
same numbers:

    ours     candidly's stack of one trial
    plain    the usual loop: the texts as a list of tensors, each batch padded to its longest
    fixed    the same, each batch padded to 128 tokens

The networks: ``encoder``, ``bilstm``, and ``bert``, BERT-tiny (Turc et al., 2019): two blocks, 128
wide, of random numbers, which lies in a folder as a real one does.
"""

from __future__ import annotations

import csv
import importlib
import json
import os
import sys
import time
from functools import cache, partial
from pathlib import Path
from typing import Any

from _bench import Child
from candidly.ground.process import HUGE_PAGES, tune_memory

CLASSES, FIXED, TEXTS = 158, 128, 7900
DROPPING = {"encoder": "candidly.learn.nets.text_encoder", "bilstm": "candidly.learn.nets.bilstm"}


class TextSide(Child):
    """A way in its own process."""

    def __init__(self, way: str, net: str, batch: int, folder: Path):
        own = HUGE_PAGES if way == "ours" else {}
        super().__init__(Path(__file__), [way, net, batch, str(folder)], own)


@cache
def real_texts() -> tuple[str, ...]:
    """The validation events of NoisywikiHow, from ``CANDIDLY_DATA``; none where they are not."""
    root = os.environ.get("CANDIDLY_DATA")
    found = sorted(Path(root).expanduser().rglob("noisywikihow/val.csv")) if root else []
    if not found:
        return ()
    with found[0].open(encoding="utf-8", newline="") as file:
        return tuple(row["step"] for row in csv.DictReader(file))


def made_up_texts(n: int = TEXTS) -> tuple[str, ...]:
    """Words of a language of 8,000, in texts about as long as the real ones: 11 on average."""
    import numpy as np

    g = np.random.default_rng(0)
    lengths = np.clip(np.round(g.lognormal(2.3, 0.4, n)), 2, 40).astype(int)
    words = np.minimum(g.zipf(1.3, lengths.sum()), 8000)
    ends = lengths.cumsum()
    return tuple(
        " ".join(f"w{word}" for word in words[end - length : end])
        for end, length in zip(ends, lengths)
    )


@cache
def make_texts():
    """Texts in random classes: what they say makes no difference to the time."""
    import numpy as np

    from candidly.data.labels.labelled import Labelled

    texts = real_texts() or made_up_texts()
    g = np.random.default_rng(0)
    return Labelled(
        inputs=np.array(texts, object),
        classes=tuple(map(str, range(CLASSES))),
        truth=g.integers(0, CLASSES, len(texts)),
    )


def write_bert(folder: Path, dropout: float = 0.1) -> None:
    """BERT-tiny with random numbers, and a tokeniser of the words of the texts."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    seen = sorted({word for text in make_texts().inputs for word in text.lower().split()})
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *seen]
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=128,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=512,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )
    BertModel(config).save_pretrained(folder)
    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, "[UNK]"))
    made.normalizer = normalizers.Lowercase()
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    made.add_special_tokens(words[:4])
    made.save(str(folder / "tokenizer.json"))


def text_of(net: str, folder: Path) -> str:
    return f"hf:{folder}" if net == "bert" else net


def make_text_stack(net: str, batch: int, folder: Path):
    """One trial of supervised-oracle with its default hyper-parameters."""
    from candidly.learn.algorithms import algorithm, configuration
    from candidly.learn.engine.examples import make_examples, split_scaling
    from candidly.learn.engine.stack import Member
    from candidly.learn.engine.start import start
    from candidly.learn.engine.texts import split_words
    from candidly.learn.nets import network

    page, data, text = algorithm("supervised-oracle"), make_texts(), text_of(net, folder)
    examples = make_examples(data, page.reads, net=text)
    rows = data.split(0).train
    values = configuration(page.settings(), 0, 0) | {"batch_size": batch}
    scaling = split_scaling(data, examples, rows, "train")
    member = Member(0, rows, values, scaling, words=split_words(examples.texts, rows))
    made = network(text, examples.shape, data.q, examples.words, data.classes)
    return start(page, made, examples, [member], 10**9)


def make_text_module(net: str, size: int, words: Any, folder: Path):
    """The module that a network of candidly's is made of."""
    from candidly.learn.nets.bilstm import BiLSTM
    from candidly.learn.nets.hf._build import maker
    from candidly.learn.nets.hf._folder import described
    from candidly.learn.nets.text_encoder import TextEncoder

    return {
        "encoder": lambda: TextEncoder(size, CLASSES, 128, 2, 4),
        "bilstm": lambda: BiLSTM(size, CLASSES, 128),
        "bert": lambda: maker(described(folder), CLASSES, words, (), "weights")(),
    }[net]()


class PlainTexts:
    """The trial of a stack in a plain loop: same start, rows, order and inputs.

    Args:
        longest: what batches are padded to; None: the longest of each.
    """

    def __init__(self, stack, net: str, folder: Path, longest: int | None = None):
        import torch

        index, texts = stack.index[0], stack.examples.texts
        rows = texts.tokens.take(stack.examples.data_rows(index).numpy())
        self.texts = [torch.from_numpy(row[row > 0]) for row in rows]
        if stack.words is not None:
            self.texts = [stack.words[0][text] for text in self.texts]
        self.longest = longest
        self.truth = stack.examples.labels["truth"][index]
        orders = stack.feed.samplers.uniform(0)
        self.order = [orders.at(0, j).ids[0] for j in range(stack.E)]
        own = {name: leaf[0] for name, leaf in stack.net.parameters.items()}
        own |= {name: buffer[0] for name, buffer in stack.net.buffers.items()}
        self.module = make_text_module(net, texts.words.size, texts.words, folder)
        self.module.load_state_dict(own, strict=False)
        rates = {name: float(stack.hyper[0][name]) for name in ("lr", "weight_decay")}
        self.optimiser = torch.optim.Adam(self.module.parameters(), **rates, fused=True)
        self.t, self.loss = 0, None

    def batch(self, ids):
        """Token numbers int64 (B, L) of some rows."""
        import torch
        from torch.nn.utils.rnn import pad_sequence

        found = pad_sequence([self.texts[i] for i in ids.tolist()], batch_first=True)
        if self.longest is None:
            return found
        return torch.nn.functional.pad(found, (0, self.longest - found.shape[1]))

    def update(self) -> None:
        from candidly.learn.algorithms.ce import loss as cross_entropy

        ids = self.order[self.t % len(self.order)]
        loss = cross_entropy(self.module(self.batch(ids)), self.truth[ids]).mean()
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        self.t, self.loss = self.t + 1, loss.detach()


def without_dropout(net: str) -> None:
    """So that losses can be compared; of ``bert`` its configuration says so."""
    if net in DROPPING:
        importlib.import_module(DROPPING[net]).DROPOUT = 0.0


def serve(way: str, net: str, batch: int, place: str) -> None:
    if way == "ours":
        tune_memory()
    import torch

    from candidly.learn.engine.train import update

    torch.set_num_threads(1)
    folder = Path(place)
    stack = make_text_stack(net, batch, folder)
    if way == "ours":
        work = partial(update, stack)
    else:
        work = PlainTexts(stack, net, folder, FIXED if way == "fixed" else None).update
    for line in sys.stdin:
        start = time.process_time()  # of one thread: what else runs on the machine does not count
        for _ in range(int(line)):
            work()
        print((time.process_time() - start) / int(line), flush=True)


if __name__ == "__main__":
    serve(*json.loads(sys.argv[1]))
