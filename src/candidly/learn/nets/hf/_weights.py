"""A language model's numbers from its folder: safetensors, or tensors alone of torch's format."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from ....ground.problem import said_of
from .._refusals import tensors
from ._folder import Described

FILES = "model.safetensors", "pytorch_model.bin"  # the first that is there; or in pieces, by index
RENAMED = {"LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}
FRESH = "pooler."  # what a model may lack: it is then drawn, as a head is


def files_of(folder: Path) -> list[Path]:
    """The files that hold the numbers; none: there are no numbers.

    Raises:
        ValueError: an index that cannot be read, or that names what is not in the folder.
    """
    for name in FILES:
        if (folder / name).is_file():
            return [folder / name]
        index = folder / f"{name}.index.json"
        if index.is_file():
            try:
                pieces = sorted(
                    set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
                )
                lacking = [p for p in pieces if Path(p).name != p or not (folder / p).is_file()]
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ValueError(
                    f"{index} is no index of a model's files: {said_of(error)}. Copy the folder "
                    "afresh."
                ) from error
            if lacking:
                raise ValueError(
                    f"{folder} lacks {shortest(lacking)}, which {index.name} names. Copy the "
                    "folder afresh."
                )
            return [folder / piece for piece in pieces]
    return []


def shortest(names: list[str]) -> str:
    """The first of some names, and how many others there are."""
    others = len(names) - 1
    return names[0] + (f" and {others} more" if others else "")


def load(model: nn.Module, told: Described) -> tuple[str, ...]:
    """Put a folder's numbers into a model.

    Returns:
        names of the parameters that the folder lacks, and that may be drawn.

    Raises:
        ValueError: a damaged file, or numbers of another model.
    """
    found: dict[str, Tensor] = {}
    for path in files_of(told.folder):
        found |= dict(_own(_read(path), told.family.prefix))
    own = dict(tensors(model))
    mixed = [n for n in found.keys() & own.keys() if found[n].shape != own[n].shape]
    if mixed:
        name = min(mixed)
        raise ValueError(
            f"in {told.name}, {name} is {tuple(found[name].shape)}, and config.json says "
            f"{tuple(own[name].shape)}: the two are of different models. Copy the folder afresh."
        )
    there = {id(own[name]) for name in found.keys() & own.keys()}
    parameters = dict(model.named_parameters())
    lacking = tuple(name for name, p in parameters.items() if id(p) not in there)
    wrong = [name for name in lacking if not name.startswith(FRESH)]
    if wrong:
        raise ValueError(
            f"{told.name} lacks {len(wrong)} of the {len(parameters)} parameters of a "
            f"{told.family.title}, such as {wrong[0]}: it holds another model, or a part of one. "
            "Take the whole model's folder."
        )
    odd = [name for name in found.keys() & own.keys() if not bool(found[name].isfinite().all())]
    if odd:
        raise ValueError(
            f"in {told.name}, {min(odd)} holds numbers that are not finite. Copy the folder afresh."
        )
    _put(model, found, own)
    return lacking


def _put(model: nn.Module, found: Mapping[str, Tensor], own: Mapping[str, Tensor]) -> None:
    """Copy numbers to where they belong; what a folder has twice, and not alike, is untied."""
    put: dict[int, Tensor] = {}
    for name, old in own.items():
        if name not in found or not isinstance(old, nn.Parameter):
            continue
        new = found[name]
        if put.setdefault(id(old), new) is new or torch.equal(put[id(old)], new):
            with torch.no_grad():
                old.copy_(new)
        else:
            above, _, last = name.rpartition(".")
            setattr(model.get_submodule(above), last, nn.Parameter(new.to(old.dtype)))


def _own(found: Mapping[str, Tensor], prefix: str) -> Iterator[tuple[str, Tensor]]:
    """By the names that the model itself has; heads of other tasks are left out."""
    inside = f"{prefix}."
    cut = len(inside) if prefix and any(name.startswith(inside) for name in found) else 0
    for name, tensor in found.items():
        if cut and not name.startswith(inside):
            continue
        for old, new in RENAMED.items():
            name = name.replace(old, new)
        yield name[cut:], tensor


def _read(path: Path) -> dict[str, Tensor]:
    try:
        if path.suffix == ".safetensors":
            from safetensors.torch import load_file

            found = load_file(path)
        else:
            found = torch.load(path, map_location="cpu", weights_only=True)
        if not all(isinstance(tensor, Tensor) for tensor in found.values()):
            raise TypeError
    except MemoryError:
        raise
    except Exception as error:
        raise ValueError(
            f"{path} cannot be read ({type(error).__name__}): it is damaged, or holds more than "
            "tensors. Copy it afresh."
        ) from error
    return dict(found)
