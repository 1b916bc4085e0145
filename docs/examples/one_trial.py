"""A whole training from candidate sets: PRODEN in plain PyTorch, selected without true labels.

    python docs/examples/one_trial.py

What candidly's engine does for many trials at once, for one, so that it can be read in five
minutes. The true labels are used at the very end, to say how well it went.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

import candidly
from candidly import criteria, losses

UPDATES, BATCH, EVERY = 600, 64, 50


def sets_of_digits() -> tuple[Tensor, Tensor, np.ndarray]:
    """Inputs (n, 64), candidate sets bool (n, 10) that contain the truth, and the truth (n,)."""
    data = candidly.imperfect.apply(candidly.load("digits"), "flip:rate=0.3")
    inputs = torch.from_numpy(np.array(data.inputs, dtype=np.float32))
    inputs = (inputs - inputs.mean(0)) / (inputs.std(0) + 1e-6)
    return inputs, torch.from_numpy(data.candidates.copy()), data.truth


def objective(logits: Tensor, weights: Tensor) -> Tensor:
    """Cross-entropy with weights over the candidates as targets, the mean of the batch."""
    return -(weights * logits.log_softmax(-1)).sum(-1).mean()


def inside(logits: Tensor, sets: Tensor) -> Tensor:
    """What the network says of the candidates alone: probabilities that sum to 1 in each set."""
    return logits.masked_fill(~sets, -torch.inf).softmax(-1)


def train(
    net: nn.Module, x: Tensor, sets: Tensor, held_x: Tensor, held_sets: Tensor, seed: int = 0
) -> tuple[dict[str, Tensor], float]:
    """Train, and keep the network of the best covering rate on held-out sets.

    Returns:
        its parameters by name, and that covering rate, a share in [0, 1].
    """
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3, weight_decay=1e-5)
    weights = sets.float() / sets.sum(-1, keepdim=True)  # at first all candidates alike
    order = torch.Generator().manual_seed(seed)
    best, kept = -1.0, {}
    for update in range(1, UPDATES + 1):
        ids = torch.randperm(len(x), generator=order)[:BATCH]
        optimiser.zero_grad()
        objective(net(x[ids]), weights[ids]).backward()
        optimiser.step()
        with torch.no_grad():
            weights[ids] = inside(net(x[ids]), sets[ids])  # identify the label progressively
        if update % EVERY == 0:
            with torch.no_grad():
                logits = net(held_x)
            rate = float(criteria.covering_rate(logits.numpy(), held_sets.numpy()))
            print(
                f"update {update}: covering rate {rate:.3f}, "
                f"loss on held-out sets {losses.cc(logits, held_sets).mean():.3f}"
            )
            if rate > best:
                best, kept = rate, {name: p.clone() for name, p in net.state_dict().items()}
    return kept, best


def main() -> float:
    """Accuracy on test rows of the network that was selected without their, or any, true label."""
    torch.manual_seed(0)
    inputs, sets, truth = sets_of_digits()
    rows = np.random.default_rng(0).permutation(len(inputs))
    test, held, learned = rows[:360], rows[360:540], rows[540:]
    net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    kept, _ = train(net, inputs[learned], sets[learned], inputs[held], sets[held])
    net.load_state_dict(kept)
    with torch.no_grad():
        right = net(inputs[test]).argmax(-1).numpy() == truth[test]
    print(f"accuracy on {len(test)} test rows: {right.mean():.3f}")
    return float(right.mean())


if __name__ == "__main__":
    main()
