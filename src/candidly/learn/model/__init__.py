"""One run on all the data: fit, predict, save."""

from ._fit import DEFAULTS, default_algorithm, fit, hyper_parameters, recipe_for, row_weights
from ._load import load_model
from ._model import Model, measures
from ._reading import takes_pictures
from .measured import Trained, fit_and_measure
from .narrowing import Narrowed, narrow

__all__ = [
    "DEFAULTS",
    "Model",
    "Narrowed",
    "Trained",
    "default_algorithm",
    "fit",
    "fit_and_measure",
    "hyper_parameters",
    "load_model",
    "measures",
    "narrow",
    "recipe_for",
    "row_weights",
    "takes_pictures",
]
