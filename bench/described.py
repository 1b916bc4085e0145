"""Pictures in files: descriptors under the mlp, or pixels under the cnn, on few real pictures.

Run as ``CANDIDLY_DATA=... python bench/described.py``: accuracy on 2,000 CIFAR-10 pictures that
were not learned from, and seconds of one core for describing and training.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from candidly import Labelled, load
from candidly.data.inputs.pictures import descriptors
from candidly.learn.model import fit

TEST = 2000


def described(data: Labelled) -> Labelled:
    return replace(data, inputs=descriptors(np.asarray(data.inputs)))


def main() -> None:
    data = load("cifar10")
    rows = np.random.default_rng(0).permutation(data.n)
    test, rest = data[rows[:TEST]], data[rows[TEST:]]
    for n in (300, 1000):
        learn = rest[np.arange(n)]
        learn = replace(learn, given=learn.truth)
        for name, make in (("mlp", described), ("cnn", lambda some: some)):
            for steps in (300, 1000):
                start = time.process_time()
                model = fit(make(learn), "ce", steps=steps, net=name, batch_size=64)
                seconds = time.process_time() - start
                right = model.measure(make(test))["oracle accuracy"]
                print(f"{n} pictures, {name}, {steps} updates: {right:.1%}, {seconds:.1f} s")


if __name__ == "__main__":
    main()
