"""T5 as a classifier: a score for the name of each class, from which every method can learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import cross_entropy
from torch.utils.checkpoint import checkpoint

MOST = 2**26  # numbers of a chunk's word scores, 268 MB: names x texts x tokens x vocabulary
TEXTS = 128  # at once
LEFT_OUT = -100  # what stands behind a name's end


class Offset(nn.Module):
    """A number per class that is added to its score, 0 at the start."""

    def __init__(self, classes: int):
        super().__init__()
        self.offset = nn.Parameter(torch.zeros(classes))

    def forward(self, scores: Tensor) -> Tensor:
        return scores + self.offset


class NameScores(nn.Module):
    """How well each class's name continues a text, (B, q) of int64 (B, L).

    A name's score is the mean of its tokens' log-probabilities, the end token's included: their
    sum, divided by how many they are. Texts go through the encoder once; names come in chunks that
    bound the memory, and are computed again in the backward pass where there are several.

    Args:
        model: transformers' ``T5ForConditionalGeneration``.
        head: the head of the scores.
        names: for each class, its tokens' numbers, the end token's last.
        late: dotted name of the model's last block.
    """

    def __init__(
        self, model: nn.Module, head: nn.Module, names: Sequence[Sequence[int]], late: str
    ):
        super().__init__()
        self.model, self.head, self.late = model, head, late
        self.names = tuple(tuple(name) for name in names)
        self.order = tuple(sorted(range(len(names)), key=lambda j: len(names[j])))

    def forward(self, x: Tensor) -> Tensor:
        return self.head(torch.cat([self.scores(some) for some in x.split(TEXTS)]))

    def scores(self, x: Tensor) -> Tensor:
        """Of a few texts, (B, q)."""
        states, mask = self.encoded(x)
        given = dict(self.model.named_parameters(remove_duplicate=False))
        chunks = list(self._chunks(len(x)))
        training = self.model.training
        again = torch.is_grad_enabled() and (len(chunks) > 1 or len(x) == TEXTS)
        scores = []
        for chunk in chunks:
            labels = self._labels(chunk, x.device)

            def call(states: Tensor, labels: Tensor = labels) -> Tensor:
                with _in_mode(self.model, training):  # when computed again, it may be in another
                    return self._scored(given, states, mask, labels)

            scores.append(checkpoint(call, states, use_reentrant=False) if again else call(states))
        back = torch.tensor(self.order, device=x.device).argsort()
        return torch.cat(scores, 1)[:, back]

    def encoded(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The encoder's states (B, L, h) of texts, and where tokens are."""
        mask = x > 0
        model: Any = self.model
        said = model.encoder(input_ids=(x - 1).clamp_min(0), attention_mask=mask.long())
        return said.last_hidden_state, mask

    def _chunks(self, texts: int) -> Iterator[list[int]]:
        """Classes in order of their names' lengths, a few at a time."""
        model: Any = self.model
        tokens = max(1, MOST // (int(model.config.vocab_size) * texts))
        chunk: list[int] = []
        for j in self.order:
            if chunk and (len(chunk) + 1) * len(self.names[j]) > tokens:
                yield chunk
                chunk = []
            chunk.append(j)
        yield chunk

    def _labels(self, chunk: Sequence[int], device: torch.device) -> Tensor:
        """Tokens of some names, (names, T), and LEFT_OUT behind the ends."""
        names = [torch.tensor(self.names[j]) for j in chunk]
        return nn.utils.rnn.pad_sequence(names, True, LEFT_OUT).to(device)

    def _scored(
        self, given: Mapping[str, Tensor], states: Tensor, mask: Tensor, labels: Tensor
    ) -> Tensor:
        """(B, names): with the parameters as they were when the forward ran."""
        n, count = len(states), len(labels)
        shown = {
            "encoder_outputs": (states.repeat_interleave(count, 0),),
            "attention_mask": mask.long().repeat_interleave(count, 0),
            "decoder_input_ids": moved(self.model, labels).repeat(n, 1),
            "use_cache": False,
        }
        logits = functional_call(self.model, dict(given), (), shown, tie_weights=False).logits
        wanted = labels.repeat(n, 1)
        losses = cross_entropy(logits.flatten(0, 1), wanted.flatten(), reduction="none")
        sizes = (wanted != LEFT_OUT).sum(1)
        return -(losses.view(wanted.shape).sum(1) / sizes).view(n, count)


@contextmanager
def _in_mode(model: nn.Module, training: bool) -> Iterator[None]:
    """Have a model in training or in evaluation, and then as it was."""
    before = model.training
    if before != training:
        model.train(training)
    try:
        yield
    finally:
        if before != training:
            model.train(before)


def moved(model: nn.Module, labels: Tensor) -> Tensor:
    """What the decoder is shown: the start token, and the names but for their last token."""
    config: Any = model.config
    start = torch.full_like(labels[:, :1], config.decoder_start_token_id)
    return torch.cat([start, labels[:, :-1].clamp_min(0)], 1)


def name_numbers(
    folder: Path,
    names: Sequence[str],
    classes: int,
    config: Any,
    encode: Callable[[Sequence[str]], list[list[int]]] | None = None,
) -> list[list[int]]:
    """Of each class's name in lower case, the numbers of its tokens, the end token's last.

    Args:
        encode: what does it; by default the tokeniser in the folder.

    Raises:
        ValueError: no names, or two of the same tokens.
    """
    if len(names) != classes:
        raise ValueError(
            f"a T5 scores the names of the {classes} classes, and {len(names)} names are known. "
            "Give the data's classes, or take another model."
        )
    end = end_of(config)
    found = []
    for numbers in (encode or encoder_in(folder))([name.lower() for name in names]):
        kept = [number for number in numbers if number != end]
        found.append([*kept, end])
    seen: dict[tuple[int, ...], str] = {}
    for name, numbers in zip(names, found, strict=True):
        other = seen.setdefault(tuple(numbers), name)
        if other != name:
            raise ValueError(
                f"the classes {other!r} and {name!r} are the same tokens to the tokeniser in "
                f"{folder}, so that their scores are, too. Rename one of them."
            )
    return found


def end_of(config: Any) -> int:
    """The number of the token that ends a name."""
    end = config.eos_token_id
    return int(end[0] if isinstance(end, list | tuple) else end)


def encoder_in(folder: Path) -> Callable[[Sequence[str]], list[list[int]]]:
    from ....data.inputs.tokenisers import tokeniser_in

    def encode(texts: Sequence[str]) -> list[list[int]]:
        tokens = tokeniser_in(folder).encode(texts)
        return [
            (tokens.ids[start:stop].astype(int) - 1).tolist()
            for start, stop in zip(tokens.starts[:-1], tokens.starts[1:])
        ]

    return encode
