"""Networks by what a person writes: a name with options, a file of one's own, or a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

import torch

from ...data.inputs.tokens import Words
from ...ground.problem import said_of
from ..written.nets import HF, NetText, folder_as_it_was, looked_at, read_net
from ._files import function_of
from ._net import Net
from ._texts import told
from .bilstm import bilstm
from .cnn import cnn
from .densenet import densenet22, densenet121, densenet161, densenet169
from .from_torch import from_torch
from .inception import googlenet, inception_v3
from .mlp import mlp
from .mobilenet import mobilenet_v2
from .preact import preact_resnet18, preact_resnet18_dividemix, wide_resnet28_10
from .resnet import resnet18, resnet32, resnet34, resnet50
from .softmax import softmax_regression
from .text_encoder import text_encoder
from .vgg import vgg11, vgg13, vgg16, vgg19

NETS: Mapping[str, Callable[..., Net]] = {  # options: ``_net_text.KNOWN``
    "mlp": mlp,
    "linear": softmax_regression,
    "cnn": cnn,
    "resnet32": resnet32,
    "resnet18": resnet18,
    "resnet34": resnet34,
    "resnet50": resnet50,
    "preact-resnet18": preact_resnet18,
    "preact-resnet18-dividemix": preact_resnet18_dividemix,
    "wide-resnet28-10": wide_resnet28_10,
    "vgg11": vgg11,
    "vgg13": vgg13,
    "vgg16": vgg16,
    "vgg19": vgg19,
    "densenet22": densenet22,
    "densenet121": densenet121,
    "densenet161": densenet161,
    "densenet169": densenet169,
    "mobilenet-v2": mobilenet_v2,
    "googlenet": googlenet,
    "inception-v3": inception_v3,
}
TEXT_NETS: Mapping[str, Callable[..., Net]] = {"encoder": text_encoder, "bilstm": bilstm}


def network(
    text: str,
    shape: tuple[int, ...],
    classes: int,
    words: Words | None = None,
    names: Sequence[str] = (),
) -> Net:
    """The network that a text names, for inputs of a shape.

    Args:
        text: a name of ``NETS``, with options behind a colon: ``mlp:128``, ``cnn:width=32``. Or a
            file and a function of it, ``FILE.py:make``: ``make(shape, classes)`` returns a
            ``torch.nn.Module``, whose head is found or is the part that ``make.head`` names, or a
            ``Net``. The file is run, once for each content. Or, for texts, a name of ``TEXT_NETS``,
            or ``hf:FOLDER``, the language model that lies in a folder or an installed package.
        shape: the shape of one input, ``(d,)`` or ``(C, H, W)``, or ``(L,)`` for the longest text.
        words: what is known of token numbers, for networks that take texts as tokens.
        names: the names of the classes, which some language models score.

    Raises:
        KeyError: no network or option of that name; the message suggests the nearest.
        FileNotFoundError: no such file or folder.
        ValueError: a value that an option cannot have, inputs that the network cannot take, a file
            that cannot be run, a function that fails or returns something else, or a folder
            without a model that can be trained here.
    """
    asked = read_net(text)
    if asked.own and not asked.digest:
        asked = looked_at(asked)
    elif asked.folder is not None:
        folder_as_it_was(asked)
    scored = tuple(names) if asked.name == HF else ()
    place = str(asked.file or asked.folder or "")
    return _made(asked.text, place, tuple(shape), classes, words, scored)


@lru_cache(maxsize=64)  # a network is a value, and trying a module on inputs takes a while
def _made(
    text: str,
    place: str,
    shape: tuple[int, ...],
    classes: int,
    words: Words | None,
    names: tuple[str, ...],
) -> Net:
    asked = read_net(text)
    if asked.file is not None:
        return _of_file(replace(asked, file=Path(place)), shape, classes)
    if asked.place:
        return _of_folder(asked, Path(place), shape, classes, words, names)
    if asked.name in TEXT_NETS:
        return TEXT_NETS[asked.name](shape, classes, words, **asked.options)
    return NETS[asked.name](shape, classes, **asked.options)


def _of_folder(
    asked: NetText,
    folder: Path,
    shape: tuple[int, ...],
    classes: int,
    words: Words | None,
    names: tuple[str, ...],
) -> Net:
    from .hf import Start, hf_net

    known = told(asked.called, words, shape)
    start: Start = "random" if asked.options.get("start") == "random" else "weights"
    return hf_net(folder, shape, classes, known, names, start)


def _of_file(asked: NetText, shape: tuple[int, ...], classes: int) -> Net:
    make = function_of(asked)
    where = f"{asked.file}:{asked.function}"
    try:
        with torch.random.fork_rng([]):
            first = make(shape, classes)
    except Exception as error:
        raise ValueError(
            f"{where}({shape}, {classes}) failed: {said_of(error)}; it has to return a torch "
            "module."
        ) from error
    if isinstance(first, Net):
        return _suited(where, first, shape)
    if not isinstance(first, torch.nn.Module):
        raise ValueError(
            f"{where} returned a {type(first).__name__}; return a torch.nn.Module or a "
            "candidly.nets.Net."
        )
    head = getattr(make, "head", None)
    if head is not None and not isinstance(head, str):
        raise ValueError(f"{where}.head is {head!r}; name a part of the module, such as 'fc'.")
    try:
        return from_torch(partial(make, shape, classes), shape, classes, head)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


def _suited(where: str, net: Net, shape: tuple[int, ...]) -> Net:
    if tuple(net.shape) != shape:
        raise ValueError(f"{where} returned a network for inputs {net.shape}; these are {shape}.")
    if "head" not in net.heads:
        raise ValueError(f"{where} returned a network without a head named 'head'.")
    return net
