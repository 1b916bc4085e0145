"""What Optuna's samplers and pruners say, as functions of the trials so far: nothing has a state.

The same trials and the same seed give the same configuration, in whatever process and however often
it is asked.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ...ground.extras import install
from ...ground.problem import Refusal
from ...learn.algorithms import Setting
from .search import KEPT

if TYPE_CHECKING:
    import optuna

Hyper = Mapping[str, float | int]
FINISHED_FIRST = 5  # runs without which none is stopped, Optuna's default


@dataclass(frozen=True)
class Tried:
    """A trial of the same data set, algorithm and split.

    Attributes:
        hyper: its hyper-parameters.
        value: by which the criterion would choose it, 0 where it has none; None while it is
            trained.
        values: what the criterion says of its records, by step.
        pruned: whether it was stopped.
    """

    hyper: Hyper
    value: float | None = None
    values: Mapping[int, float] = field(default_factory=dict)
    pruned: bool = False


def suggest(
    space: Mapping[str, Setting], tried: Sequence[Tried], seed: int
) -> dict[str, float | int]:
    """The next configuration by Optuna's tree-structured Parzen estimator.

    Args:
        space: hyper-parameters to find; each has ``exponents`` or ``choices``.
        tried: in order of configurations, those in training among them.
        seed: in [0, 2**32).

    Raises:
        ValueError: Optuna is not installed.

    Source: Bergstra et al., NeurIPS 2011; Optuna's ``TPESampler`` with its defaults, which takes
    trials in training as bad ones (``constant_liar``), so that a round is not all alike.
    """
    with _optuna() as optuna:
        sampler = optuna.samplers.TPESampler(seed=seed, constant_liar=True, n_startup_trials=1)
        study = optuna.create_study(direction="maximize", sampler=sampler)
        study.add_trials([_trial(one, space) for one in tried])
        asked = study.ask({name: _distribution(setting) for name, setting in space.items()})
        return dict(asked.params)


def stops(prune: str, finished: Sequence[Mapping[int, float]], own: Mapping[int, float]) -> bool:
    """Whether a trial is stopped at its last record.

    Args:
        prune: a name of ``KEPT``.
        finished: values of finished trials by step.
        own: the trial's, up to now; not empty.

    Source: Optuna's ``PercentilePruner``; at 50 it is the median rule of Golovin et al., "Google
    Vizier", KDD 2017.
    """
    with _optuna() as optuna:
        pruner = optuna.pruners.PercentilePruner(KEPT[prune], n_startup_trials=FINISHED_FIRST)
        study = optuna.create_study(direction="maximize", pruner=pruner)
        study.add_trials([_trial(Tried({}, 0.0, values), {}) for values in finished])
        return bool(pruner.prune(study, _trial(Tried({}, values=own), {})))


def check_optuna() -> None:
    """Refuse to begin without Optuna.

    Raises:
        ValueError: it is not installed; says how to.
    """
    with _optuna():
        pass


@contextmanager
def _optuna() -> Iterator[Any]:
    """Optuna, silent."""
    try:
        import optuna
    except ImportError:
        raise Refusal(
            "searching for hyper-parameters needs Optuna, which is not installed.",
            f"install it (`{install('search')}`)",
            "leave `search` out",
        ) from None
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            yield optuna
    finally:
        optuna.logging.set_verbosity(level)


def _distribution(setting: Setting) -> optuna.distributions.BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution

    if setting.exponents is not None:
        low, high = (10.0**exponent for exponent in setting.exponents)
        return FloatDistribution(low, high, log=True)
    return CategoricalDistribution(setting.choices)


def _trial(tried: Tried, space: Mapping[str, Setting]) -> optuna.trial.FrozenTrial:
    """A trial for Optuna, without those of its values that a search would never ask for."""
    from optuna.trial import TrialState, create_trial

    state = TrialState.RUNNING if tried.value is None else TrialState.COMPLETE
    asked = [name for name, setting in space.items() if _asks(setting, tried.hyper[name])]
    return create_trial(
        state=TrialState.PRUNED if tried.pruned else state,
        value=None if tried.pruned else tried.value,
        params={name: tried.hyper[name] for name in asked},
        distributions={name: _distribution(space[name]) for name in asked},
        intermediate_values=dict(tried.values),
    )


def _asks(setting: Setting, value: float | int) -> bool:
    """Whether a search may ask for this value; defaults may be others."""
    if setting.exponents is not None:
        low, high = (10.0**exponent for exponent in setting.exponents)
        return low <= value <= high
    return value in setting.choices
