"""A language model in a folder as a network."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import torch
from torch import nn

from ....data.inputs.tokens import Words
from ....ground.device import free_bytes
from ....ground.problem import said_of
from .._catalogue import COPIES, bare
from .._net import Net
from ..from_torch import from_torch
from ._classifier import TextClassifier
from ._families import pooler
from ._folder import Described, described, transformers
from ._heads import start_linear
from ._names import NameScores, Offset, name_numbers
from ._weights import files_of, load

Start = Literal["weights", "random"]


def hf_net(
    folder: Path,
    shape: tuple[int, ...],
    classes: int,
    words: Words,
    names: tuple[str, ...] = (),
    start: Start = "weights",
) -> Net:
    """The network of a language model that lies in a folder, under a head of its own.

    BERT: its pooler of [CLS] and a linear layer; RoBERTa: the first token and two layers; ALBERT:
    as BERT; XLNet: the last token's summary and a linear layer; GPT-2: the last token and a linear
    layer; BART: the decoder's state at the last token and two layers; T5: a score for each class's
    name, and a number per class that is added. Sentence encoders, whose ``1_Pooling/config.json``
    says so, have the mean of their tokens and a linear layer. Nothing is downloaded, and of the
    folder nothing is run. What a folder lacks, the head and a pooler that is not there, is drawn
    for each trial.

    Args:
        folder: with ``config.json`` and ``model.safetensors``, as ``save_pretrained`` writes it.
        shape: (tokens of the longest text,).
        words: the words of the folder's own tokeniser.
        names: the names of the classes, which T5 scores.
        start: from the folder's numbers, or from random ones, for which it needs none.

    Raises:
        FileNotFoundError: no such folder.
        ValueError: it holds no model, a damaged one or one that does not suit the tokens; the
            message says what to do.
    """
    told = described(Path(folder))
    _check_suits(told, shape, words)
    make = maker(told, classes, words, names, start)
    return from_torch(make, shape, classes, head="head", words=words)


def maker(
    told: Described, classes: int, words: Words, names: tuple[str, ...], start: Start
) -> Callable[[], nn.Module]:
    """() -> a new module, whose trunk is the folder's, and whose head is drawn by torch."""
    files = files_of(told.folder) if start == "weights" else []
    if start == "weights" and not files:
        raise ValueError(
            f"{told.name} holds no numbers of its model (model.safetensors or pytorch_model.bin). "
            f"Copy them there; or write hf:{told.name},start=random to start from random ones."
        )
    _check_fits(told)
    family, config = told.family, told.config
    numbers = name_numbers(told.folder, names, classes, config) if family.names else []
    stamp = _stamp(told.folder, files)
    if start == "weights":
        _first(told, stamp)

    def model() -> nn.Module:
        if start == "random":
            return made(told)
        if _stamp(told.folder, files) != stamp:
            raise ValueError(f"the files in {told.name} have changed. Start again.")
        whole, fresh = _loaded(told.folder, stamp)
        new = copy.deepcopy(whole)
        for name in {name.rpartition(".")[0] for name in fresh}:
            start_linear(config, new.get_submodule(name))  # type: ignore[arg-type]
        return new

    def make() -> nn.Module:
        trunk = model()
        if family.names:
            return NameScores(trunk, Offset(classes), numbers, family.late(config))
        assert told.pooled is not None
        head = family.head(config, classes)
        return TextClassifier(trunk, head, family, told.pooled, family.late(config))

    return make


def named_scores(
    folder: Path, words: Words, names: tuple[str, ...], start: Start = "weights"
) -> nn.Module:
    """The module of a T5 that scores names, for ``beam_names``.

    Raises:
        ValueError: as ``hf_net``; or another model than a T5.
    """
    told = described(Path(folder))
    if not told.family.names:
        raise ValueError(f"{folder} holds a {told.family.title}, and names are scored by a T5.")
    return maker(told, len(names), words, names, start)().eval()


def made(told: Described) -> nn.Module:
    """The model, of random numbers by torch's generator.

    Raises:
        ValueError: the configuration does not make one.
    """
    options: dict[str, Any] = dict(told.family.options or {})
    if told.ends_mean and told.family.pooled is pooler:  # which nobody would ask
        options["add_pooling_layer"] = False
    return getattr(transformers(), told.family.model)(told.config, **options)


Stamp = tuple[tuple[str, int, int], ...]


def _stamp(folder: Path, files: Sequence[Path]) -> Stamp:
    """Which files, of what size and from when."""
    return tuple(
        (path.name, path.stat().st_size, path.stat().st_mtime_ns)
        for path in [folder / "config.json", *files]
    )


@lru_cache(maxsize=1)  # networks of one model at a time; each copy of it is as large again
def _loaded(folder: Path, stamp: Stamp) -> tuple[nn.Module, tuple[str, ...]]:
    """The model with its numbers, and what it lacks; torch's generator is left as it was."""
    told = described(folder)
    with torch.random.fork_rng([]):
        model = made(told)
    return model, load(model, told)


def _first(told: Described, stamp: Stamp) -> None:
    """Read a model's numbers, so that what is wrong with them is said in its own words."""
    try:
        _loaded(told.folder, stamp)
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "allocate memory" not in str(error):
            raise
        raise ValueError(
            f"the {told.family.title} in {told.name} needs more memory than there is. Take a "
            "smaller model."
        ) from error


def _check_suits(told: Described, shape: tuple[int, ...], words: Words) -> None:
    """Refuse token numbers and lengths that the model does not have."""
    known = int(told.config.vocab_size)
    if words.size > known:
        raise ValueError(
            f"the tokeniser has {words.size:,} tokens, and the model in {told.name} knows "
            f"{known:,}. Take the tokeniser that lies in the model's folder."
        )
    longest = told.family.longest(told.config)
    if longest is not None and shape[0] > longest:
        raise ValueError(
            f"the longest text has {shape[0]} tokens, and the model in {told.name} takes "
            f"{longest}. Cut texts shorter, to {longest} tokens or fewer."
        )


def _check_fits(told: Described) -> None:
    """Refuse a model that is larger than the free memory, before it is made."""
    try:
        parameters = sum(p.numel() for p in bare(lambda: made(told)).parameters())
    except Exception as error:
        raise ValueError(
            f"config.json of {told.name} describes no {told.family.title}: {said_of(error)}. Copy "
            "the folder afresh."
        ) from error
    needed, free = COPIES * 4 * parameters, free_bytes("cpu")
    if free is not None and needed > free:
        raise ValueError(
            f"the {told.family.title} in {told.name} has {parameters:,} parameters and needs "
            f"{needed / 1e9:,.1f} GB or more, and {free / 1e9:,.1f} GB are free. Take a smaller "
            "model."
        )
