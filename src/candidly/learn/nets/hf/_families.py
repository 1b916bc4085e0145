"""Kinds of language models: what stands for a text in each, and the head that it gets.

A row per ``model_type`` of a folder's ``config.json``. Names of transformers' classes are texts, so
that this loads without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from ._heads import dense_and_linear, dropped_linear, linear_alone, summary_and_linear

# (model, embeddings (B, L, e), mask bool (B, L)) -> the state (B, width) that stands for a text
Pooled = Callable[[nn.Module, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Family:
    """A kind of language model.

    Attributes:
        title: what it is called.
        model, config: names of transformers' classes.
        options: what the model's class is called with, beside its configuration.
        prefix: before the names of its parameters in checkpoints of models with a head.
        words: dotted name of the part that embeds token numbers.
        pooled: what makes the state of a text.
        mean: the same, as the mean of a text's tokens; None where that is not done.
        head: (configuration, classes) -> what makes logits of it.
        late: (configuration) -> dotted name of its last block.
        longest: (configuration) -> tokens of the longest text that it can take; None: any.
        names: it scores the classes' names, and has no other head.
        both: it has an encoder and a decoder.
    """

    title: str
    model: str
    config: str
    prefix: str
    words: str
    head: Callable[[Any, int], nn.Module]
    late: Callable[[Any], str]
    pooled: Pooled | None = None
    mean: Pooled | None = None
    options: Mapping[str, Any] | None = None
    longest: Callable[[Any], int | None] = lambda config: None
    names: bool = False
    both: bool = False


def last_place(mask: Tensor) -> Tensor:
    """Where each text's last token is, int64 (B,), of a mask (B, L)."""
    places = torch.arange(mask.shape[1], device=mask.device)
    return (places * mask).amax(1)


def at(states: Tensor, place: Tensor) -> Tensor:
    """Of states (B, L, h), each text's at its own place (B,): (B, h)."""
    where = place[:, None, None].expand(-1, 1, states.shape[2])
    return states.gather(1, where)[:, 0]


def states_of(model: nn.Module, e: Tensor, mask: Tensor) -> Tensor:
    """The last layer's states (B, L, h) of an encoder."""
    return model(inputs_embeds=e, attention_mask=mask.long()).last_hidden_state


def pooler(model: nn.Module, e: Tensor, mask: Tensor) -> Tensor:
    """What the model's own pooler makes of the first token, [CLS]."""
    return model(inputs_embeds=e, attention_mask=mask.long()).pooler_output


def first(model: nn.Module, e: Tensor, mask: Tensor) -> Tensor:
    return states_of(model, e, mask)[:, 0]


def mean(model: nn.Module, e: Tensor, mask: Tensor) -> Tensor:
    """The mean of a text's tokens, marks of its beginning and end included."""
    inside = mask[..., None].to(e.dtype)
    return (states_of(model, e, mask) * inside).sum(1) / inside.sum(1).clamp_min(1)


def last_of_gpt2(model: nn.Module, e: Tensor, mask: Tensor) -> Tensor:
    """No token sees what is behind it, so padding needs no mask."""
    return at(model(inputs_embeds=e, use_cache=False).last_hidden_state, last_place(mask))


def last_of_xlnet(model: nn.Module, e: Tensor, mask: Tensor) -> Tensor:
    """The last token is <cls>, which is a segment of its own, as the model was trained.

    Positions are relative, so padding may as well stand behind a text as before it.
    """
    last = last_place(mask)
    segments = 2 * torch.nn.functional.one_hot(last, mask.shape[1])
    said = model(
        inputs_embeds=e,
        attention_mask=mask.to(e.dtype),
        token_type_ids=segments,
        use_mems=False,
        return_dict=True,
    )
    return at(said.last_hidden_state, last)


def last_of_bart(model: nn.Module, e: Tensor, mask: Tensor) -> Tensor:
    """The decoder's state at the last token, which is the end token.

    The decoder sees the text moved by one, behind its start token.
    """
    config: Any = model.config
    start = torch.full((len(e), 1), config.decoder_start_token_id, device=e.device)
    before = torch.cat([model.shared(start), e[:, :-1]], 1)  # type: ignore[operator]
    said = model(
        inputs_embeds=e,
        attention_mask=mask.long(),
        decoder_inputs_embeds=before,
        use_cache=False,
    )
    return at(said.last_hidden_state, last_place(mask))


def _positions(config: Any) -> int:
    return int(config.max_position_embeddings)


def _behind_padding(config: Any) -> int:
    """RoBERTa counts places from behind its padding token's number."""
    return int(config.max_position_embeddings) - int(config.pad_token_id) - 1


def _block(name: str, count: str) -> Callable[[Any], str]:
    return lambda config: f"model.{name}.{getattr(config, count) - 1}"


BERT = Family(
    *("BERT", "BertModel", "BertConfig", "bert", "embeddings.word_embeddings"),
    dropped_linear("classifier_dropout", "hidden_dropout_prob"),
    _block("encoder.layer", "num_hidden_layers"),
    pooled=pooler,
    mean=mean,
    longest=_positions,
)
ROBERTA = Family(
    *("RoBERTa", "RobertaModel", "RobertaConfig", "roberta", "embeddings.word_embeddings"),
    dense_and_linear(torch.tanh, "classifier_dropout", "hidden_dropout_prob"),
    _block("encoder.layer", "num_hidden_layers"),
    pooled=first,
    mean=mean,
    options={"add_pooling_layer": False},
    longest=_behind_padding,
)

FAMILIES: Mapping[str, Family] = {
    "bert": BERT,
    "roberta": ROBERTA,
    "albert": Family(
        *("ALBERT", "AlbertModel", "AlbertConfig", "albert", "embeddings.word_embeddings"),
        dropped_linear("classifier_dropout_prob"),
        lambda config: "model.encoder",  # its layers are one, shared
        pooled=pooler,
        mean=mean,
        longest=_positions,
    ),
    "distilbert": Family(
        *("DistilBERT", "DistilBertModel", "DistilBertConfig", "distilbert"),
        "embeddings.word_embeddings",
        dense_and_linear(torch.relu, "seq_classif_dropout"),
        _block("transformer.layer", "n_layers"),
        pooled=first,
        mean=mean,
        longest=_positions,
    ),
    "xlnet": Family(
        *("XLNet", "XLNetModel", "XLNetConfig", "transformer", "word_embedding"),
        summary_and_linear,
        _block("layer", "n_layer"),
        pooled=last_of_xlnet,
    ),
    "gpt2": Family(
        *("GPT-2", "GPT2Model", "GPT2Config", "transformer", "wte"),
        linear_alone,
        _block("h", "n_layer"),
        pooled=last_of_gpt2,
        longest=_positions,
    ),
    "bart": Family(
        *("BART", "BartModel", "BartConfig", "model", "shared"),
        dense_and_linear(torch.tanh, "classifier_dropout"),
        _block("decoder.layers", "decoder_layers"),
        pooled=last_of_bart,
        longest=_positions,
        both=True,
    ),
    "t5": Family(
        *("T5", "T5ForConditionalGeneration", "T5Config", "", "shared"),
        lambda config, classes: nn.Identity(),
        _block("decoder.block", "num_decoder_layers"),
        names=True,
        both=True,
    ),
}
