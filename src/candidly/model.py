"""One run on all the data: fit, predict, save."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ._device import check_device
from ._files import replacing
from ._names import nearest
from ._numbers import whole
from .algorithms import Algorithm, configuration
from .algorithms import algorithm as algorithm_named
from .examples import SCALINGS, Examples, make_examples, split_scaling, table_of
from .labelled import Labelled
from .nets import network
from .stack import Member, Stack
from .suspicion import suspicion
from .train import Watcher, one_thread, train

SCHEMA = 1


class Model:
    """A trained network with the scaling it was trained under.

    Attributes:
        classes: q names, in the order of the probabilities' columns.
        about: how it was trained, as JSON values.
        suspicion: float64 (n,), how suspicious the label of each training row was when training
            ended, in the order of the data; higher is likelier wrong. By default the loss of the
            label, in nats; some algorithms have a score of their own (``candidly.algorithms``).
            None if the model was saved without it.
    """

    def __init__(
        self,
        parameters: dict[str, np.ndarray],
        scaling: tuple[np.ndarray, np.ndarray],
        about: dict,
        suspicion: np.ndarray | None = None,
    ):
        self.parameters, self.scaling, self.about = parameters, scaling, about
        self.suspicion = suspicion
        self.classes: tuple[str, ...] = tuple(about["classes"])

    def __repr__(self) -> str:
        return (
            f"Model({self.about['algorithm']}, {len(self.scaling[0])} features, "
            f"{len(self.classes)} classes, {self.about['steps']} updates)"
        )

    def predict_logits(self, inputs: np.ndarray) -> np.ndarray:
        """Logits float32 (n, q) for inputs (n, d), or images that flatten to d.

        Raises:
            ValueError: another number of features, or one that is not finite.
        """
        try:
            raw = np.asarray(table_of(np.asarray(inputs)), dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError("`inputs` must be numbers, a row an example.") from None
        shift, factor = self.scaling
        if raw.shape[1] != len(shift):
            raise ValueError(
                f"`inputs` has {raw.shape[1]} features; this model was trained on {len(shift)}."
            )
        if not np.isfinite(raw).all():
            row = int(np.argmin(np.isfinite(raw).all(1)))
            raise ValueError(f"`inputs` has a value that is not finite at row {row}.")
        shape = len(shift), len(self.classes)
        page = algorithm_named(self.about["algorithm"])
        net = page.network(network(self.about["net"], *shape), *shape)
        averaged = int(self.about.get("averaged", 1))
        parameters = {
            name: torch.from_numpy(v if averaged > 1 else v[None])
            for name, v in self.parameters.items()
        }
        x = torch.from_numpy(((raw - shift) * factor).astype(np.float32))
        with torch.no_grad():
            logits = net.head(parameters, net.trunk(parameters, x.expand(averaged, *x.shape)))
        return logits.mean(0).numpy()

    def predict_proba(self, inputs: np.ndarray) -> np.ndarray:
        """Softmax of the logits: float32 (n, q), rows sum to 1."""
        return torch.from_numpy(self.predict_logits(inputs)).softmax(-1).numpy()

    def predict(self, inputs: np.ndarray) -> np.ndarray:
        """Class indices int64 (n,); the lowest of equals."""
        return self.predict_logits(inputs).argmax(1)

    def save(self, path: Path | str) -> None:
        """Write one ``.npz`` without pickle; ``load_model`` reads it."""
        about = json.dumps({"schema": SCHEMA, **self.about}).encode()
        with replacing(path) as file:
            np.savez(
                file,
                allow_pickle=False,
                about=np.frombuffer(about, dtype=np.uint8),
                shift=self.scaling[0],
                factor=self.scaling[1],
                **({} if self.suspicion is None else {"suspicion": self.suspicion}),
                **{f"net/{name}": value for name, value in self.parameters.items()},
            )


def load_model(path: Path | str) -> Model:
    """A model that ``Model.save`` wrote.

    Raises:
        ValueError: the file is something else, or of another version.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(file["about"].tobytes())
            parameters = {n[4:]: file[n] for n in file.files if n.startswith("net/")}
            scaling = file["shift"], file["factor"]
            scores = file["suspicion"] if "suspicion" in file.files else None
    except OSError as error:
        if isinstance(error, (FileNotFoundError, IsADirectoryError, PermissionError)):
            raise
        raise ValueError(f"{path} is no model that Model.save wrote.") from error
    except Exception as error:  # on other files the readers raise whatever they ran into
        raise ValueError(f"{path} is no model that Model.save wrote.") from error
    if about.pop("schema") != SCHEMA:
        raise ValueError(f"{path} was written by another version of candidly; fit it again.")
    return Model(parameters, scaling, about, scores)


def fit(
    data: Labelled,
    algorithm: str = "PRODEN",
    *,
    steps: int = 10_000,
    seed: int = 0,
    scaling: str = "train",
    net: str = "mlp",
    device: str = "cpu",
    watchers: Sequence[Watcher] = (),
    **hyper: float,
) -> Model:
    """Train one network on all of ``data``.

    Args:
        data: a table or images, with the labels that the algorithm reads.
        algorithm: a name of ``ALGORITHMS``, with a variant after a colon if need be.
        steps: updates.
        seed: of initialisation and order.
        scaling: ``train`` standardises the features, ``none`` leaves them as they are.
        net: ``mlp``, one hidden layer of 500, or with another width ``mlp:128``.
        device: ``cpu``, ``cuda`` or ``cuda:1``.
        watchers: called after every update with the stack and the batch, which holds the rows'
            ``ids`` (1, B) and their ``logits`` (1, B, q) from before the update.
        hyper: hyper-parameters in place of the algorithm's defaults.

    Raises:
        ValueError: the data does not suit the algorithm or is smaller than a batch, a device that
            is not there, or an impossible setting.
        FloatingPointError: training diverged.
    """
    if not isinstance(data, Labelled):
        raise ValueError(
            f"fit takes inputs and labels in one Labelled, and this is a {type(data).__name__}:"
            " fit(candidly.from_arrays(X, y), 'PRODEN')."
        )
    page = algorithm_named(algorithm)
    steps, seed = whole(steps, "steps", low=1), whole(seed, "seed")
    values = hyper_parameters(page, hyper)
    if scaling not in SCALINGS:
        raise ValueError(f"scaling is {scaling!r}; use one of {', '.join(SCALINGS)}.")
    device = check_device(device)
    seen, rows = data if page.oracle else data.blind(), np.arange(data.n)
    examples = make_examples(seen, page.reads, scaling, device=device)
    batch = int(values["batch_size"])
    if data.n < batch:
        raise ValueError(
            f"{data.source or 'the data'} has {data.n} rows, and training needs at least as many "
            f"as a batch, which is {batch}. Use more rows, or batch_size={max(data.n, 1)} or less."
        )
    member = Member(seed, rows, values, split_scaling(seen, examples, rows, scaling))
    made = network(net, examples.inputs.shape[1], data.q)
    stack = Stack(page, made, examples, [member], steps)
    with one_thread():
        for _ in train(stack, (steps,), watchers):
            pass
    if stack.diverged_at[0] is not None:
        raise FloatingPointError(
            f"{page.label} diverged after {stack.diverged_at[0]} updates; lower the learning rate "
            f"(lr={float(values['lr']):g})."
        )
    about: dict[str, Any] = {
        "algorithm": page.label,
        "version": page.version,
        "hyper": values,
        "net": net,
        "steps": steps,
        "seed": seed,
        "scaling": scaling,
        "classes": list(data.classes),
        "data": data.fingerprint(),
    }
    if page.averages:
        about["averaged"] = page.networks
    parameters = {
        name: (leaf if page.averages else leaf[0]).detach().cpu().numpy().astype(np.float32)
        for name, leaf in stack.modules[page.predicts].parameters.items()
    }
    with one_thread():
        scores = suspicion(stack)
    return Model(parameters, _whole_scaling(examples, member), about, scores)


def hyper_parameters(page: Algorithm, asked: Mapping[str, float]) -> dict[str, float]:
    """The algorithm's defaults with what was asked for in their place.

    Raises:
        ValueError: a hyper-parameter that it does not have, which suggests the nearest, or a value
            that it cannot have.
    """
    settings = page.settings()
    values = configuration(settings, 0, 0)
    for name, value in asked.items():
        if name not in values:
            raise ValueError(
                f"{page.label} has no hyper-parameter {name!r}{nearest(name, values)} "
                f"It has {', '.join(values)}."
            )
        settings[name].check(f"{page.label}'s {name}", value)
    return values | dict(asked)


def _whole_scaling(examples: Examples, member: Member) -> tuple[np.ndarray, np.ndarray]:
    """Shift and factor on raw inputs; a feature constant in training counts for nothing."""
    if member.scaling is None:
        return examples.centre, 1 / examples.spread
    shift, factor = member.scaling
    return examples.centre + shift * examples.spread, factor / examples.spread
