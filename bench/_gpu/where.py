"""Where a part measures, how long things take there, and the stacks that parts share."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from _bench import Claim, interleaved

SIDE, CLASSES = 32, 10


@dataclass(frozen=True)
class Where:
    """A device, and whether everything is only tried, with sizes as small as they get."""

    device: str
    quick: bool

    @property
    def cuda(self) -> bool:
        return self.device != "cpu"

    def wait(self) -> None:
        """Until the device has done what it was given."""
        if self.cuda:
            import torch

            torch.cuda.synchronize(self.device)

    def sized(self, full, quick):
        return quick if self.quick else full

    def side(self, work: Callable[[], object], repeat: int) -> Callable[[], float]:
        """Seconds of a call of ``work``, over ``repeat`` of them."""

        def side() -> float:
            self.wait()
            start = time.perf_counter()
            for _ in range(repeat):
                work()
            self.wait()
            return (time.perf_counter() - start) / repeat

        return side

    def medians(
        self, works: Mapping[str, Callable[[], object]], repeat: int, rounds: int
    ) -> dict[str, float]:
        """Median seconds of each, which take turns after a turn to warm up."""
        repeat, rounds = self.sized(repeat, 1), self.sized(rounds, 1)
        sides = {name: self.side(work, repeat) for name, work in works.items()}
        for side in sides.values():
            side()
        times = interleaved(rounds, *sides.values())
        return {name: statistics.median(each) for name, each in zip(sides, times)}


@contextmanager
def what_fits(name: str, found: list[Claim | str]) -> Iterator[None]:
    """What fails for lack of memory or of a program is noted, and the rest of a part goes on."""
    try:
        yield
    except Exception as error:
        first = str(error).strip().partition("\n")[0][:300]
        found.append(f"{name} was left out: {type(error).__name__}: {first}")
        import torch

        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def random_pictures(n: int, learnable: bool = False):
    """Pixels in random classes; learnable ones have a pattern of their class beneath noise."""
    import numpy as np

    from candidly.data.labels.labelled import Labelled

    g = np.random.default_rng(0)
    truth = g.integers(0, CLASSES, n)
    pixels = g.integers(0, 256, (n, SIDE, SIDE, 3), dtype=np.uint8)
    if learnable:
        patterns = g.integers(0, 256, (CLASSES, 4, 4, 3)).repeat(8, 1).repeat(8, 2)
        pixels = (0.25 * patterns[truth] + 0.75 * pixels).astype(np.uint8)
    return Labelled(inputs=pixels, classes=tuple(map(str, range(CLASSES))), truth=truth)


def picture_stack(
    where: Where, data, net: str, batch: int, trials: int = 1, recipe: str = "adam", **hyper
):
    """Trials of the supervised oracle with its default hyper-parameters."""
    from candidly.learn.algorithms import algorithm, configuration
    from candidly.learn.engine.examples import make_examples, split_scaling
    from candidly.learn.engine.recipe import recipe as recipe_named
    from candidly.learn.engine.stack import Member
    from candidly.learn.engine.start import start
    from candidly.learn.nets import network

    page = algorithm("supervised-oracle")
    examples = make_examples(data, page.reads, device=where.device)
    values = configuration(page.settings(), 0, 0) | {"batch_size": batch} | hyper
    members = []
    for seed in range(trials):
        rows = data.split(seed).train
        members.append(Member(seed, rows, values, split_scaling(data, examples, rows, "train")))
    made = network(net, examples.shape, data.q)
    return start(page, made, examples, members, 10**9, recipe_named(recipe))
