"""How a network is trained: optimiser, learning rate over time, weight decay, precision and views.

A recipe is a value of a trial, and a text names it: ``adam``, ``sgd:momentum=0.95``. Loads no
torch, so that what a person writes is checked at the door.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

from ...ground.names import shortened
from ...ground.spec import Reader, integer, number, read, switch, word, written
from ..written.seen import LANGUAGE, TOKENS
from ..written.views import is_view_of, read_view


@dataclass(frozen=True)
class Recipe:
    """How a trial is trained, where an algorithm's method does not say it itself.

    Attributes:
        optimiser: ``adam``, ``adamw`` or ``sgd``.
        schedule: of the learning rate over all updates: ``constant``; ``cosine``, half a cosine to
            0; ``steps``, a tenth of it from each of the shares ``at`` on; ``linear``, a straight
            line to 0 from the share ``at`` on.
        at: shares of all updates, growing, for ``steps``; the first of them for ``linear``.
        factor: for ``steps``, what the rate is multiplied by at each.
        lowest: for ``cosine``, the share of the rate at which it ends.
        cycles: how often the schedule runs, one behind the other, each over its part of the
            updates.
        warm_up: share of all updates over which the learning rate grows from 0, whatever the
            schedule.
        decay: which parameters have weight decay: ``all``, or ``weights``, without norms and
            biases (``Net.plain``).
        momentum, nesterov: SGD's, as in ``torch.optim.SGD``.
        precision: ``float32``, or what networks compute with: ``tf32``, on an NVIDIA GPU, or
            ``bfloat16``; parameters, moments and losses are float32 all the same.
        views: what a batch's pictures are in training: ``plain``, or a view's name, such as
            ``weak``, which crops and flips them at random.
        weak, strong, distill: which view of pictures takes the place of an algorithm's view of that
            name: a view's name, or a policy's file.
        clip: what the norm of a trial's gradient is brought down to where it is above, over all
            that is trained in it; 0: it is not.
        mix_at: where algorithms that mix inputs mix texts: ``pooled``, the features before the
            head, or ``embeddings``, token by token.
    """

    optimiser: str = "adam"
    schedule: str = "constant"
    at: tuple[float, ...] = (0.5, 0.75)
    factor: float = 0.1
    lowest: float = 0.0
    cycles: int = 1
    warm_up: float = 0.0
    decay: str = "all"
    momentum: float = 0.9
    nesterov: bool = False
    precision: str = "float32"
    views: str = "plain"
    weak: str = "weak"
    strong: str = "strong"
    distill: str = "distill"
    mix_at: str = "pooled"
    clip: float = 0.0

    @property
    def own_views(self) -> tuple[str, ...]:
        """The views that it names."""
        return self.views, self.weak, self.strong, self.distill

    def replaced(self, view: str) -> str:
        """What takes the place of an algorithm's view of pictures; '' where nothing does."""
        asked = getattr(self, view, view) if view in REPLACED else view
        return "" if asked == view else asked

    @property
    def text(self) -> str:
        """What ``recipe`` reads this from, at its shortest.

        >>> Recipe().text, recipe("sgd:views=weak,momentum=0.9").text
        ('adam', 'sgd:views=weak')
        """
        if self == FINE_TUNE:
            return "fine-tune"
        usual = RECIPES[self.optimiser]
        options = {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != getattr(usual, field.name)
        }
        return written(self.optimiser, options)


REPLACED = ("weak", "strong", "distill")
ADAM = Recipe()  # the partial-label benchmark's
RECIPES: Mapping[str, Recipe] = {
    "adam": ADAM,
    "sgd": Recipe("sgd", schedule="cosine", decay="weights"),
    "adamw": Recipe("adamw", schedule="cosine", decay="weights"),
}
FINE_TUNE = Recipe(  # language models; Devlin et al., BERT, NAACL 2019, and its released program
    "adamw", schedule="linear", at=(0.1,), warm_up=0.1, decay="weights", clip=1.0
)
NAMES: Mapping[str, Recipe] = {**RECIPES, "fine-tune": FINE_TUNE}


def default_recipe(kind: str) -> Recipe:
    """The recipe for inputs of a kind, as ``seen_as`` names it, where none is asked for."""
    return {"images": replace(ADAM, views="weak"), LANGUAGE: FINE_TUNE}.get(kind, ADAM)


def unsuited(made: Recipe, kind: str, dtype: str = "float32") -> str:
    """Why a recipe does not suit inputs of a kind, or training in ``dtype``; '' where it does."""
    for key in ("views", *REPLACED):
        view = getattr(made, key)
        if view != getattr(ADAM, key) and not is_view_of(kind, view):
            changes = "pictures" if is_view_of("images", view) else "texts, as tokens"
            return (
                f"recipe {made.text}: {key}={view} changes {changes}, and the inputs are none. "
                f"Leave {key} out."
            )
    if kind not in (TOKENS, LANGUAGE) and made.mix_at != ADAM.mix_at:
        return (
            f"recipe {made.text}: mix_at={made.mix_at} says where tokens are mixed, and the "
            "network takes none. Leave mix_at out."
        )
    if made.precision != "float32" and dtype != "float32":
        return (
            f"recipe {made.text}: precision={made.precision} is for training in float32, and this "
            f"is in {dtype}. Leave one of the two out."
        )
    return ""


def unsuited_to(device: str, made: Recipe) -> str:
    """Why a device, as ``check_device`` names it, cannot follow a recipe; '' where it can."""
    if made.precision == "tf32" and device == "cpu":
        return (
            f"recipe {made.text}: precision=tf32 is how an NVIDIA GPU rounds, and this is trained "
            "on a CPU. Leave precision out, or train on such a GPU."
        )
    return ""


def recipe(text: str, name: str = "recipe") -> Recipe:
    """The recipe that a text names: ``NAME`` or ``NAME:key=value,...``.

    Args:
        name: what an error calls the text.

    Raises:
        UnknownName: no such name, key or choice; suggests the nearest and lists the rest.
        ValueError: no text, a value that the key cannot have, or a key that has no effect here.

    >>> recipe("sgd:schedule=steps,at=0.6").at
    (0.6,)
    """
    asked = read(text, name, "sgd:momentum=0.95")
    _, usual = asked.lookup(NAMES, "recipe")
    given = asked.options(OPTIONS)
    made = replace(usual, **given)
    _check_effect(f"{name} {shortened(text)}", made, given)
    return made


def _check_effect(where: str, made: Recipe, given: Mapping[str, Any]) -> None:
    idle: dict[str, str | bool] = {
        "at": made.schedule not in ("steps", "linear") and "schedule=steps or linear",
        "factor": made.schedule != "steps" and "schedule=steps",
        "lowest": made.schedule != "cosine" and "schedule=cosine",
        "cycles": made.schedule == "constant" and "a schedule that is not constant",
    }
    idle |= dict.fromkeys(("momentum", "nesterov"), made.optimiser != "sgd" and "the recipe sgd")
    for key, there in idle.items():
        if there and key in given:
            raise ValueError(f"{where}: {key} belongs to {there}. Leave {key} out.")
    if made.schedule == "linear" and "at" in given and len(made.at) > 1:
        raise ValueError(f"{where}: at of schedule=linear is one share, such as 0.4.")
    if made.nesterov and not made.momentum:
        raise ValueError(f"{where}: nesterov needs a momentum above 0.")


_SHARE = number(0, 1, 0.1, below=True)


def _shares(text: str, name: str) -> tuple[float, ...]:
    shares = tuple(_SHARE(part, name) for part in text.split("/"))
    if shares[0] == 0 or any(one >= after for one, after in pairwise(shares)):
        raise ValueError(f"{name} is {text!r}; give growing shares above 0, such as 0.5/0.75.")
    return shares


OPTIONS: Mapping[str, Reader] = {
    "schedule": word("constant", "cosine", "steps", "linear"),
    "at": _shares,
    "factor": number(0, 1, 0.1, above=True, below=True),
    "lowest": _SHARE,
    "cycles": integer(1, 999_999, 12),
    "warm_up": _SHARE,
    "decay": word("all", "weights"),
    "momentum": _SHARE,
    "nesterov": switch,
    "precision": word("float32", "tf32", "bfloat16"),
    "views": read_view,
    "weak": read_view,
    "strong": read_view,
    "distill": read_view,
    "mix_at": word("pooled", "embeddings"),
    "clip": number(0, example="1.0, or 0 for none"),
}
