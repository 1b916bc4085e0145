"""Iterative noisy cross-validation.

Source: Chen et al., Understanding and utilizing deep neural networks trained with noisy labels,
ICML 2019 (INCV).
"""

from __future__ import annotations

import numpy as np
import torch

from ...data.labels.labelled import Labelled
from ...ground.seeds import draw
from ._detection import Detection
from ._subject import EPOCHS

ROUNDS = 4
DROP = 0.2


def incv(
    data: Labelled,
    *,
    epochs: int = EPOCHS,
    rounds: int = ROUNDS,
    drop: float = DROP,
    seed: int = 0,
    net: str | None = None,
    recipe: str | None = None,
) -> Detection:
    """Flags what no round selects.

    In every round the candidates (at first, all) are halved at random. One network trains on one
    half and on what was selected before; of the other half, those whose label it predicts are
    selected, and of the rest those with the largest loss are dropped for good, a ``drop`` of them.
    The other network does the same with the halves swapped; the two train as one stack. With an
    odd number of candidates, one trains neither and is judged with the second half.

    Args:
        data: with ``given`` on every row, at least four rows.
        epochs: the epochs of each training.
        rounds: at least 1.
        drop: in [0, 1].
        net, recipe: the network and how it is trained, as ``fit`` takes them.

    Returns:
        score: loss / (1 + loss) when an example was last held out, and 1 more if it was never
        selected; from 1 on it is flagged. ``about`` has how many were selected and dropped.

    Raises:
        ValueError: too few rows, or a setting out of range.
    """
    if data.n < 4:
        raise ValueError(f"{data.n} examples cannot be halved and learned from; give at least 4.")
    if rounds < 1 or not 0 <= drop <= 1:
        raise ValueError(f"rounds is {rounds} and drop {drop}; at least 1, and in [0, 1].")
    selected, dropped = np.zeros(data.n, bool), np.zeros(data.n, bool)
    losses = np.zeros(data.n)
    for number in range(rounds):
        left = np.flatnonzero(~selected & ~dropped)
        if len(left) < 2:
            break
        order = draw(seed, "detectors.incv", number).permutation(left)
        half = len(order) // 2
        kept = np.flatnonzero(selected)
        learn = [np.concatenate([kept, order[:half]]), np.concatenate([kept, order[half:][:half]])]
        judged = _judgements(data, learn, epochs, seed, number, net, recipe)
        for held, (loss, right) in zip((order[half:], order[:half]), judged):
            losses[held] = loss[held]
            rest = held[~right[held]]
            worst = rest[np.argsort(-losses[rest], kind="stable")]
            selected[held[right[held]]] = True
            dropped[worst[: round(drop * len(rest))]] = True
    score = losses / (1 + losses) + ~selected
    about = {"selected": int(selected.sum()), "dropped": int(dropped.sum())}
    return Detection(score, ~selected, about=about)


def _judgements(
    data: Labelled,
    learn: list[np.ndarray],
    epochs: int,
    seed: int,
    number: int,
    net: str | None = None,
    recipe: str | None = None,
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Each network's losses of all examples, (n,), and whether it predicts their labels, (n,)."""
    from ._train import examples_of, seeds_of, trained

    examples = examples_of(data, net)
    seeds = seeds_of(f"incv {number}", seed, len(learn))
    stack = trained(examples, learn, seeds, epochs, scale_by=data, net=net, recipe=recipe)
    given = examples.labels["given"]
    found = []
    for k in range(len(learn)):
        logits = stack.logits(k, torch.arange(data.n)).double()
        loss = logits.logsumexp(-1) - logits.gather(1, given[:, None])[:, 0]
        found.append((loss.numpy(), (logits.argmax(1) == given).numpy()))
    return found
