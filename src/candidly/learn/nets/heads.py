"""Other heads on a network's trunk, for algorithms that need one (``Algorithm.head``)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import normalize

from ._net import Initial, Net, Part, affine
from ._state import State

Shapes = Mapping[str, tuple[int, ...]]
Parts = Mapping[str, tuple[str, ...]]


def with_head(net: Net, shapes: Shapes, init: Initial, head: Part, parts: Parts) -> Net:
    """The network's trunk under a head of these parameters.

    The trunk starts from the numbers that it would have under its own head.

    Args:
        shapes, init, head: of the new head, as in ``Net``.
        parts: names of its parameters by part; ``head`` is all of them.
    """
    kept = {name: s for name, s in net.shapes.items() if name not in net.parts["head"]}

    def start(rng: np.random.Generator) -> Mapping[str, np.ndarray]:
        old = net.init(rng)
        return {name: old[name] for name in (*kept, *net.buffers)} | dict(init(rng))

    old = set(net.parts["head"])
    swapped = {
        part: (*(name for name in inside if name in kept), *(shapes if old & {*inside} else ()))
        for part, inside in net.parts.items()
    }
    return replace(
        net,
        shapes=kept | dict(shapes),
        init=start,
        heads={**net.heads, "head": head},
        parts=swapped | dict(parts),
        plain=tuple(name for name in net.plain if name in kept),
    )


def with_more(net: Net, shapes: Shapes, init: Initial, head: Part, parts: Parts) -> Net:
    """The network with further parameters behind its own; arguments as for ``with_head``."""

    def start(rng: np.random.Generator) -> Mapping[str, np.ndarray]:
        return dict(net.init(rng)) | dict(init(rng))

    return replace(
        net,
        shapes=dict(net.shapes) | dict(shapes),
        init=start,
        heads={**net.heads, "head": head},
        parts={**net.parts, **parts},
    )


def with_projection(net: Net, size: int = 128) -> Net:
    """The network with a second head, ``projection``: h -> h, ReLU, -> size, at length 1.

    Its part is ``projection``, behind all others. Source: Wang et al., PiCO, ICLR 2022.
    """
    h = net.width
    shapes = {"w_p1": (h, h), "b_p1": (1, h), "w_p2": (h, size), "b_p2": (1, size)}

    def start(rng: np.random.Generator) -> Mapping[str, np.ndarray]:
        before = dict(net.init(rng))  # first, so that the rest starts as without it
        return before | {name: linear(rng, shape, h) for name, shape in shapes.items()}

    def project(p: State, features: Tensor) -> Tensor:
        hidden = torch.relu(affine(features, p["w_p1"], p["b_p1"]))
        return normalize(affine(hidden, p["w_p2"], p["b_p2"]), dim=-1)

    return replace(
        net,
        shapes=dict(net.shapes) | shapes,
        init=start,
        heads={**net.heads, "projection": project},
        parts={**net.parts, "projection": tuple(shapes)},
        plain=(*net.plain, "b_p1", "b_p2"),
        macs=net.macs + h * (h + size),
        bytes=net.bytes + 4 * (h + size),
    )


def with_classifier(net: Net, name: str, classes: int) -> Net:
    """The network with a further linear head of this name beside its own, behind all other parts.

    Its part has the head's name. It takes the same features, and is nobody's prediction.
    """
    h, w, b = net.width, f"w_{name}", f"b_{name}"
    shapes = {w: (classes, h), b: (1, classes)}

    def start(rng: np.random.Generator) -> Mapping[str, np.ndarray]:
        before = dict(net.init(rng))  # first, so that the rest starts as without it
        return before | {own: linear(rng, shape, h) for own, shape in shapes.items()}

    def classify(p: State, features: Tensor) -> Tensor:
        return affine(features, p[w], p[b], rows_out=True)

    return replace(
        net,
        shapes=dict(net.shapes) | shapes,
        init=start,
        heads={**net.heads, name: classify},
        parts={**net.parts, name: tuple(shapes)},
        plain=(*net.plain, b),
        macs=net.macs + h * classes,
        bytes=net.bytes + 4 * classes,
    )


def linear(rng: np.random.Generator, shape: tuple[int, ...], fan_in: int) -> np.ndarray:
    """Uniform in ±1/sqrt(fan in), as a network's own layers start."""
    return rng.uniform(-1, 1, shape) / math.sqrt(fan_in)
