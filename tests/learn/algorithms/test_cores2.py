"""cores2 by epochs, with SGD, against a plain loop."""

from __future__ import annotations

import numpy as np
import torch
from torch.nn.functional import linear, relu

from candidly.learn.algorithms import algorithm
from candidly.learn.engine.recipe import recipe
from candidly.learn.engine.train import update

from toys import stack_of, toy

HYPER = {"beta": 1.5, "plain": 2, "growth": 4, "sieve": 3, "drop": 5, "lr": 0.3}


def test_cores2_by_epochs_against_a_plain_loop():
    how, data = recipe("sgd:schedule=constant,decay=all,momentum=0.9"), toy(n=160)
    page = algorithm("cores2:epochs")
    stack = stack_of(page, [0], data, steps=32, recipe=how, weight_decay=5e-4, **HYPER)
    assert stack.E == 4  # eight epochs
    names = ("w1", "b1", "w2", "b2")
    w = [stack.net.parameters[name][0].detach().clone().requires_grad_() for name in names]
    sgd = torch.optim.SGD(w, lr=0.3, momentum=0.9, weight_decay=5e-4)
    y, n = stack.labels("given")[0], stack.n
    prior, kept, sieved = np.bincount(y, minlength=7) / n, np.ones(n, bool), 0
    for t in range(stack.T):
        epoch, batch = t // 4, stack.next_batches()[0]
        beta = 1.5 * [0, 0, 0, 0.25, 0.5, 0.75, 1, 1][epoch]
        logits = linear(relu(batch.x[0] @ w[0] + w[1]), w[2], w[3])
        total, count = 0.0, 0
        for i, log_p in zip(batch.ids[0].tolist(), logits.log_softmax(1)):
            kept[i] = epoch < 3 or float((log_p.mean() - log_p[y[i]]).detach()) <= 0
            sieved += not kept[i]
            if kept[i]:
                total = total - log_p[y[i]] + beta * sum(prior[j] * log_p[j] for j in range(7))
                count += 1
        sgd.zero_grad()
        (total / count).backward()
        sgd.param_groups[0]["lr"] = 0.3 * (0.1 if epoch >= 5 else 1) / (1 + beta)
        sgd.step()
        if (t + 1) % 4 == 0 and epoch >= 2:
            prior = np.bincount(y.numpy()[kept], minlength=7) / kept.sum()
        update(stack)
    assert sieved > 0
    for name, leaf in zip(names, w):
        torch.testing.assert_close(stack.net.parameters[name][0], leaf, rtol=1e-8, atol=1e-10)
