"""Beam search among the names of classes: what a T5 would write if it could write names alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.func import functional_call

from ._names import NameScores, moved


class Prefix(NamedTuple):
    """The beginning of a name.

    Attributes:
        text: whose text it is for.
        tokens: so far.
        total: their log-probabilities, added up.
    """

    text: int
    tokens: tuple[int, ...]
    total: float


class NamesFound(NamedTuple):
    """The best names of some texts, best first.

    Attributes:
        classes: int64 (B, k), numbers of the classes; -1 where fewer were found.
        scores: (B, k), -inf where fewer were found.
    """

    classes: Tensor
    scores: Tensor


def beam_names(
    module: NameScores,
    x: Tensor,
    k: int = 5,
    beam: int = 5,
    length_penalty: float = 1.0,
    parameters: Mapping[str, Tensor] | None = None,
) -> NamesFound:
    """The names that a beam search along the tree of all names ends with.

    At each step every beginning of a name goes on by each token that some name has there; the
    ``beam`` best of a text are kept, by the sum of their log-probabilities. A name that has ended
    is scored by its sum, divided by its number of tokens to the power ``length_penalty``: with 1,
    by what ``NameScores`` scores it. So a beam as wide as there are names finds the order of the
    scores; a narrow one computes less, and may miss a name that begins badly.

    Args:
        module: of ``named_scores``, or of a trained trial; it is put into evaluation mode.
        x: int64 (B, L) of token numbers, 0 behind each text.
        k: names of each text.
        parameters: the module's, by name, in place of those that it has.
    """
    if min(k, beam) < 1:
        raise ValueError(f"k is {k} and beam is {beam}; give whole numbers from 1 on.")
    search = _Search(module.eval(), length_penalty, beam)
    with torch.no_grad():
        if parameters:
            return functional_call(
                search, {f"scorer.{n}": p for n, p in parameters.items()}, (x, k)
            )
        return search(x, k)


class _Search(nn.Module):
    def __init__(self, scorer: NameScores, length_penalty: float, beam: int):
        super().__init__()
        self.scorer, self.penalty, self.beam = scorer, length_penalty, beam
        self.ends = {name: j for j, name in enumerate(scorer.names)}
        self.after: dict[tuple[int, ...], list[int]] = {}  # what may follow a beginning
        for name in scorer.names:
            for i, token in enumerate(name):
                follow = self.after.setdefault(name[:i], [])
                if token not in follow:
                    follow.append(token)

    def forward(self, x: Tensor, k: int) -> NamesFound:
        states, mask = self.scorer.encoded(x)
        ended: list[list[tuple[float, int]]] = [[] for _ in x]
        alive = [Prefix(text, (), 0.0) for text in range(len(x))]
        while alive:
            going: list[list[Prefix]] = [[] for _ in x]
            for prefix, scores in zip(alive, self._next(states, mask, alive), strict=True):
                for token, score in zip(self.after[prefix.tokens], scores, strict=True):
                    tokens = (*prefix.tokens, token)
                    new = Prefix(prefix.text, tokens, prefix.total + score)
                    if tokens in self.ends:
                        mean = new.total / len(tokens) ** self.penalty
                        ended[new.text].append((mean, self.ends[tokens]))
                    else:
                        going[new.text].append(new)
            alive = [one for each in going for one in sorted(each, key=_worse)[: self.beam]]
        best = [sorted(found, key=lambda pair: (-pair[0], pair[1]))[:k] for found in ended]
        padded = [found + [(-torch.inf, -1)] * (k - len(found)) for found in best]
        return NamesFound(
            torch.tensor([[j for _, j in found] for found in padded], device=x.device),
            torch.tensor([[score for score, _ in found] for found in padded], device=x.device),
        )

    def _next(self, states: Tensor, mask: Tensor, alive: Sequence[Prefix]) -> list[list[float]]:
        """Of each beginning, all of one length: log-probabilities of the tokens that may follow."""
        whose = torch.tensor([prefix.text for prefix in alive], device=states.device)
        so_far = torch.tensor([[*prefix.tokens, 0] for prefix in alive], device=states.device)
        model: Any = self.scorer.model
        logits = model(
            encoder_outputs=(states[whose],),
            attention_mask=mask[whose].long(),
            decoder_input_ids=moved(model, so_far),
            use_cache=False,
        ).logits[:, -1]
        said = logits.log_softmax(-1)
        return [said[i, self.after[one.tokens]].tolist() for i, one in enumerate(alive)]


def _worse(prefix: Prefix) -> tuple[float, tuple[int, ...]]:
    return -prefix.total, prefix.tokens
