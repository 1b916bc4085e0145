"""Hyper-parameters: their defaults and the benchmark's random search.

The value of a hyper-parameter for configuration ``h`` and split ``t`` is drawn from its own
stream, ``RandomState(hashed(hashed(h, t), text))``: values differ between splits, and learning
rate, weight decay and batch size are the same for every algorithm at equal (h, t). Configuration
0 is the defaults. Source: Wang et al., ICLR 2025, released program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from ...ground.seeds import hashed
from ..written.seen import LANGUAGE

Number = int | float


@dataclass(frozen=True)
class Setting:
    """A hyper-parameter.

    Attributes:
        default: its value in configuration 0.
        draw: (legacy generator) -> a random value.
        shown: the distribution in a reader's words.
        text: what its stream is named by, where the benchmark's name differs from ours.
        static: it decides shapes or control flow: a plain number to methods, and trials that differ
            in it train in different stacks.
        published: what Table 8 of the benchmark's paper says, where its program differs.
        within: the interval of possible values, such as ``[0, 1)``; '' for any finite number.
        whole: whether only whole numbers will do, such as for a count of epochs.
        exponents: (low, high), where values are 10 to the power of a number between them.
        choices: the values, where there are finitely many. A search that learns from earlier
            trials needs one of the two; without either, values are drawn as in random search.
    """

    default: Number
    draw: Callable[[np.random.RandomState], Number]
    shown: str
    text: str = ""
    static: bool = False
    published: str = ""
    within: str = ""
    whole: bool = False
    exponents: tuple[float, float] | None = None
    choices: tuple[Number, ...] = ()

    def check(self, name: str, value: Number) -> None:
        """Refuse a value that the hyper-parameter cannot have.

        Raises:
            ValueError: names the hyper-parameter, the value and what it must be.

        >>> Setting(0.7, lambda rng: 0.7, "0.7", within="(0, 1]").check("gce's power", 0)
        Traceback (most recent call last):
        ValueError: gce's power is 0; it must lie in (0, 1].
        """
        if isinstance(value, bool | np.bool_):
            raise ValueError(f"{name} is {value}; give a number.")
        if not math.isfinite(value):
            raise ValueError(f"{name} is {value}; give a finite number.")
        if self.whole and not isinstance(value, Integral):
            raise ValueError(f"{name} is {value:g}; give a whole number.")
        if not self.within:
            return
        low, high = (float(end) for end in self.within[1:-1].split(","))
        above = value >= low if self.within[0] == "[" else value > low
        below = value <= high if self.within[-1] == "]" else value < high
        if not (above and below):
            raise ValueError(f"{name} is {value:g}; it must lie in {self.within}.")


def power_of_ten(default: float, low: float, high: float, text: str = "") -> Setting:
    """10 ** U(low, high)."""
    return Setting(
        default,
        lambda rng: float(10 ** rng.uniform(low, high)),
        f"10^U({low:g}, {high:g})",
        text,
        within="[0, inf)",
        exponents=(low, high),
    )


def power_of_two(default: int, low: float, high: float, text: str = "") -> Setting:
    """2 ** int(U(low, high)): the exponent is truncated, so 2**high itself is never drawn."""
    values = [2**e for e in range(int(low), int(high))]
    return Setting(
        default,
        lambda rng: 2 ** int(rng.uniform(low, high)),
        _listed(values),
        text,
        published=f"2^U({low:g}, {high:g})",
        within="[1, inf)",
        whole=True,
        choices=tuple(values),
    )


def one_of(
    default: Number,
    values: Sequence[Number],
    text: str = "",
    static: bool = False,
    published: str = "",
    within: str = "",
    whole: bool = False,
) -> Setting:
    """A uniform choice; the order of ``values`` matters to the stream."""
    return Setting(
        default,
        lambda rng: rng.choice(values).item(),
        _listed(values),
        text,
        static,
        published,
        within,
        whole,
        choices=tuple(values),
    )


def _listed(values: Sequence[Number]) -> str:
    return "one of " + ", ".join(f"{v:g}" for v in values)


COMMON: Mapping[str, Setting] = {
    "lr": power_of_ten(1e-3, -4.5, -2.5),
    "weight_decay": power_of_ten(1e-5, -6, -3),
    "batch_size": power_of_two(128, 5, 8),
}

# defaults: Wu et al., NoisywikiHow, Findings of ACL 2023, and AdamW's weight decay; ranges: ours
FINE_TUNED: Mapping[str, Setting] = {
    "lr": power_of_ten(3e-5, -5, -4),
    "weight_decay": power_of_ten(1e-2, -4, -1),
    "batch_size": power_of_two(64, 4, 7),
}
OF_KIND: Mapping[str, Mapping[str, Setting]] = {
    "images": {"batch_size": power_of_two(256, 6, 9)},
    LANGUAGE: FINE_TUNED,
}
OF_OPTIMISER: Mapping[str, Mapping[str, Setting]] = {  # where not the benchmark's, which is Adam's
    "sgd": {"lr": power_of_ten(0.05, -2.5, -0.5), "weight_decay": power_of_ten(5e-4, -4.5, -2.5)},
    "adamw": {"weight_decay": power_of_ten(1e-2, -4, -1)},
}


def common(optimiser: str = "adam", kind: str = "table") -> Mapping[str, Setting]:
    """The hyper-parameters of every algorithm: learning rate, weight decay and batch size.

    Args:
        optimiser: a recipe's; AdamW's weight decay and SGD's rate are of another scale than Adam's.
        kind: of the inputs, as the network sees them (``seen_as``): pictures come in larger
            batches, and language models move slowly.
    """
    return {**COMMON, **OF_OPTIMISER.get(optimiser, {}), **OF_KIND.get(kind, {})}


def configuration(space: Mapping[str, Setting], config: int, split: int) -> dict[str, Number]:
    """The hyper-parameters of configuration ``config`` on the split with seed ``split``."""
    if config == 0:
        return {name: setting.default for name, setting in space.items()}
    seed = hashed(config, split)
    return {
        name: setting.draw(np.random.RandomState(hashed(seed, setting.text or name)))
        for name, setting in space.items()
    }
