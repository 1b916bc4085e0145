"""Every public function that takes arrays has the door of ``ground.arrays`` before it."""

from __future__ import annotations

import importlib
import inspect
import itertools
import pkgutil
import re

import numpy as np
import pandas as pd
import pytest

from candidly import criteria, imperfect, stats
from candidly.ground.arrays import door

WINGS = ("stats", "data", "people", "learn", "errors", "compare")
ARRAYS = re.compile(
    r"\b(Array|ndarray|Values|Cells|Probs|Any)\b|Sequence\[float|Sequence\[int\] \|"
)
# parameters of such a form that hold no array of a caller's rows
OTHERS = {
    "alpha", "answers", "audited", "classes", "classifier", "corrections", "detectors", "drawn",
    "estimator", "folds", "following", "keep", "k", "levels", "merge_labels", "on", "options",
    "order", "people", "place", "pretrained_on", "process", "project", "quantile", "random_state",
    "recipe", "roles", "score", "seed", "seeds", "settings", "start", "style", "value", "watch",
    "where",
}  # fmt: skip
PRIVATE = re.compile(r"\._|\.(algorithms|nets|views|engine|sweep|web|ingest)\b")


def public():
    """Each function and method of a name that a room or face gives out, by its name."""
    found = {}
    modules = (
        ["candidly"]
        + [
            info.name
            for wing in WINGS
            for info in pkgutil.walk_packages(
                importlib.import_module(f"candidly.{wing}").__path__, f"candidly.{wing}."
            )
            if not re.search(
                r"\._|\.algorithms|\.nets|\.views|\.engine|\.sweep|\.web|\.ingest", info.name
            )
        ]
        + [f"candidly.{wing}" for wing in WINGS]
    )
    for name in modules:
        module = importlib.import_module(name)
        for called in getattr(module, "__all__", ()):
            value = getattr(module, called)
            if inspect.isclass(value):
                for part, method in inspect.getmembers(value):
                    method = getattr(method, "__func__", method)
                    if "available_if" in getattr(getattr(method, "__code__", 0), "co_filename", ""):
                        method = method.__wrapped__  # scikit-learn's, of what may be missing
                    if inspect.isfunction(method) and part[0] != "_":
                        found.setdefault(method, f"{name}.{called}.{part}")
            elif inspect.isfunction(value):
                found.setdefault(value, f"{name}.{called}")
    return {
        name: function
        for function, name in found.items()
        if function.__module__.startswith("candidly.")
        and ".learn.algorithms" not in function.__module__
    }


def arrays_of(function):
    """Names of parameters that take an array."""
    return [
        one.name
        for one in inspect.signature(function).parameters.values()
        if ARRAYS.search(str(one.annotation))
        and "Tensor" not in str(one.annotation)
        and one.name not in OTHERS
        and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
    ]


FUNCTIONS = {name: function for name, function in public().items() if arrays_of(function)}
MASKED = np.ma.MaskedArray(np.arange(6).reshape(3, 2), mask=[[0, 0], [0, 1], [1, 1]])


def called(function, **given):
    """With what is given, and nothing of use for the rest."""
    parameters = inspect.signature(function).parameters.values()
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    rest = {one.name: object() for one in parameters if one.kind not in kinds}
    positional = [one.name for one in parameters if one.kind is one.POSITIONAL_ONLY]
    given = rest | given
    function(*[given.pop(name) for name in positional], **given)


def test_the_walk_finds_what_was_reported():
    wanted = ["corrected_t", "covering_rate", "flip", "predict_proba", "fit", "make_case", "find"]
    assert not set(wanted) - {name.rpartition(".")[2] for name in FUNCTIONS}
    assert len(FUNCTIONS) > 150


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_takes_what_a_mask_hides(name):
    for parameter in arrays_of(FUNCTIONS[name]):
        with pytest.raises(
            ValueError, match=f"`{parameter}` is a masked array that hides .* row 1"
        ):
            called(FUNCTIONS[name], **{parameter: MASKED})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_takes_rows_that_are_named_otherwise(name):
    of = arrays_of(FUNCTIONS[name])
    frames = [pd.Series([1, 2, 3], index=list(rows)) for rows in ("abc", "cab")]
    for one, other in itertools.pairwise(of):
        if {one, other} & set(APART.get(name.rpartition(".")[2], ())):
            continue
        with pytest.raises(ValueError, match="name their rows otherwise: row 0 is 'a'"):
            called(FUNCTIONS[name], **{one: frames[0], other: frames[1]})


APART = {  # parameters whose rows are others than those of the rest
    "categories": ["threshold"],
    "empirical": ["other_given", "other_truth"],
    "empirical_sets": ["other_sets", "other_truth"],
    "examine": ["thresholds"],
    "examine_sets": ["thresholds"],
    "find": ["quotas"],
    "flip": ["rate"],
    "from_columns": ["items"],
    "from_matrix": ["annotators"],
    "match_order": ["reference"],
    "matrix": ["shares"],
    "open_set": ["pool", "groups", "pool_parents"],
    "order_of_checks": ["items"],
    "prior_adjusted": ["counts"],
}


def test_every_place_may_be_a_text():
    """A parameter that takes a path takes its text: ``open`` does, and people write texts."""
    paths = [
        (name, one.name, str(one.annotation))
        for name, function in public().items()
        for one in inspect.signature(function).parameters.values()
        if re.search(r"\bPath\b", str(one.annotation))
        and "Callable" not in str(one.annotation)
        and not re.search(r"\.challenge\.(confine|environment)\.", name)  # of runs, inside
    ]
    assert len(paths) > 40
    assert [each for each in paths if "str" not in each[2]] == []


def test_corrected_t_is_not_taken_by_position():
    first = pd.Series([0.9, 0.8, 0.7, 0.6], index=[0, 1, 2, 3])
    second = pd.Series([0.5, 0.6, 0.7, 0.9], index=[3, 2, 1, 0])
    with pytest.raises(ValueError, match=r"row 0 is 0 in `first` and 3 in `second`"):
        stats.corrected_t(first, second, 0.2)
    stats.corrected_t(first, second.loc[first.index], 0.2)
    stats.corrected_t(first, second.to_numpy(), 0.2)


def test_what_holds_several_is_looked_into():
    @door
    def both(data, models=None):
        return 1

    x, y = pd.DataFrame({"a": [1, 2]}, index=[5, 6]), pd.Series([0, 1], index=[6, 5])
    for given in (((x, y),), (x, {"m": y}), ([x, y],)):
        with pytest.raises(ValueError, match="name their rows otherwise"):
            both(*given)
    with pytest.raises(ValueError, match=r"`models\['m'\]` is a masked array"):
        both(None, {"m": MASKED})
    assert both((x, y.sort_index(ascending=False).loc[[5, 6]])) == 1
    assert both(np.ma.MaskedArray([1, 2], mask=False)) == both(x, [1, 2]) == 1


def test_a_function_behind_the_door_is_still_itself():
    assert criteria.covering_rate.__name__ == "covering_rate"
    assert next(iter(inspect.signature(imperfect.flip).parameters)) == "truth"
    with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
        stats.corrected_t([1.0], [2.0], 0.2, nothing=[1])
