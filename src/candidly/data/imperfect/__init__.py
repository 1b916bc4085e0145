"""How labels become imperfect: one process a file, and text that names a pipeline of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...ground.plugins import plugin_of
from ...ground.progress import OnProgress, part
from ...ground.spec import written, written_pairs
from ..inputs import encoded
from ..labels.describe import transition
from ..labels.labelled import Labelled
from ._pools import Embedding, hold_out, of_numbers, read_pool, replaced_by
from ._specs import Process, ProcessInput, Steps, Values, parsed, shown
from ._steps import finished, taken
from .complementary import complementary
from .empirical_sets import empirical_sets
from .flip import flip
from .instance import instance
from .instance_label import instance_label
from .long_tail import long_tail
from .lookalike import lookalike
from .matrix import empirical, matrix, read_counted, read_shares
from .noise import noise
from .open_set import Replacement, open_set
from .pair import pair, read_partners
from .symmetric import symmetric
from .uniform import uniform

__all__ = [
    "PROCESSES",
    "Process",
    "Replacement",
    "apply",
    "canonical",
    "complementary",
    "empirical",
    "empirical_sets",
    "flip",
    "instance",
    "instance_label",
    "long_tail",
    "lookalike",
    "matrix",
    "noise",
    "open_set",
    "pair",
    "replace_inputs",
    "steps",
    "symmetric",
    "transition",
    "uniform",
]


def _noise(task: ProcessInput, values: Values) -> np.ndarray:
    alone = task.truth[:, None] == np.arange(task.data.q)
    sets = task.data.candidates
    return noise(alone if sets is None else sets, task.truth, **values)


def _pair(task: ProcessInput, values: Values) -> np.ndarray:
    rest = {key: value for key, value in values.items() if key != "to"}
    return pair(task.truth, task.data.q, partners=read_partners(values["to"]), **rest)


def _features(task: ProcessInput) -> np.ndarray:
    return of_numbers(encoded(task.data.inputs))


def _lookalike(task: ProcessInput, values: Values) -> np.ndarray:
    return lookalike(_features(task), task.truth, task.data.q, watch=task.watch, **values)


def _flip_matrix(task: ProcessInput, values: Values) -> np.ndarray:
    rest = {key: value for key, value in values.items() if key != "file"}
    return flip(task.truth, task.data.q, read_shares(values["file"]), **rest)


def _empirical_sets(task: ProcessInput, values: Values) -> np.ndarray:
    other, rest = _counted(task, values, "candidates", "empirical-sets")
    return empirical_sets(task.truth, task.data.q, *other, **rest)


def _counted(
    task: ProcessInput, values: Values, field: str, process: str
) -> tuple[tuple[np.ndarray, np.ndarray], Values]:
    """Labels and truth to count, the data's own or those of a file; and the other parameters."""
    rest = {key: value for key, value in values.items() if key != "file"}
    if values["file"]:
        return read_counted(values["file"], task.data.q, field), rest
    labels = getattr(task.data, field)
    if labels is None:
        raise ValueError(
            f"{task.data.source or 'the data'} has no `{field}` labels to count; name other data:"
            f" {process}:file=human.npz."
        )
    return (labels, task.truth), rest


def _complementary(task: ProcessInput, values: Values) -> np.ndarray:
    rest = {key: value for key, value in values.items() if key != "file"}
    weights = read_shares(values["file"]) if values["file"] else None
    return complementary(task.truth, task.data.q, weights=weights, **rest)


def _matrix(task: ProcessInput, values: Values) -> np.ndarray:
    rest = {key: value for key, value in values.items() if key != "file"}
    return matrix(task.truth, task.data.q, read_shares(values["file"]), **rest)


def _empirical(task: ProcessInput, values: Values) -> np.ndarray:
    other, rest = _counted(task, values, "given", "empirical")
    return empirical(task.truth, task.data.q, *other, **rest)


def _long_tail(task: ProcessInput, values: Values) -> ProcessInput:
    kept = long_tail(task.truth, task.data.q, **values)
    return replace(task, data=task.data[kept], truth=task.truth[kept])


SHARED: Values = {"classes": "", "of_all": False}  # parameters of all that have a rate
PROCESSES: dict[str, Process] = {
    "uniform": Process(
        "candidate sets drawn uniformly among those with the truth, except the full one (USS)",
        {"seed": 0},
        lambda task, values: uniform(task.truth, task.data.q, **values),
    ),
    "flip": Process(
        "each wrong label is a candidate with probability rate (FPS);"
        " force=true adds one where none was drawn",
        {"rate": float, "force": False, "seed": 0},
        lambda task, values: flip(task.truth, task.data.q, **values),
    ),
    "flip-matrix": Process(
        "each wrong label is a candidate with the probability that the matrix in a .csv or .npy"
        " file has for it, row the truth, column the label; ones on the diagonal",
        {"file": str, "force": False, "seed": 0},
        _flip_matrix,
    ),
    "empirical-sets": Process(
        "each label is a candidate with the share counted in the data's own candidate sets, or in"
        " other data with truth and candidate sets (file=.npz)",
        {"file": "", "seed": 0},
        _empirical_sets,
    ),
    "complementary": Process(
        "`count` wrong labels are named as not the example's, and all others are candidates; file="
        " has weights of labels (columns) by truth (rows), else all are alike",
        {"count": 1, "file": "", "seed": 0},
        _complementary,
    ),
    "instance": Process(
        "wrong labels are candidates where the example looks like their class, by the"
        " probabilities of a classifier; rate is the mean probability",
        {"rate": float, "seed": 0},
        lambda task, values: instance(encoded(task.data.inputs), task.truth, task.data.q, **values),
    ),
    "noise": Process(
        "the truth is taken from a share `rate` of the candidate sets; on data without candidate"
        " sets, symmetric label noise",
        {"rate": float, "seed": 0},
        _noise,
    ),
    "symmetric": Process(
        "one given label; a share `rate` is wrong, uniformly among the other classes",
        {"rate": float, "per_class": False, "seed": 0, **SHARED},
        lambda task, values: symmetric(task.truth, task.data.q, **values),
        makes="given",
    ),
    "pair": Process(
        "one given label; a share `rate` is taken for the partner of its class, by default the"
        " next; to=9-1/2-0 names partners",
        {"rate": float, "to": "", "per_class": False, "seed": 0, **SHARED},
        _pair,
        makes="given",
    ),
    "matrix": Process(
        "one given label, drawn from the transition matrix in a .csv or .npy file; exact=true"
        " meets its shares to the nearest example",
        {"file": str, "exact": False, "seed": 0, "classes": ""},
        _matrix,
        makes="given",
    ),
    "empirical": Process(
        "one given label, drawn from the transition matrix counted in the data's own given labels,"
        " or in other data with truth and given labels (file=.npz)",
        {"file": "", "exact": False, "seed": 0, "classes": ""},
        _empirical,
        makes="given",
    ),
    "lookalike": Process(
        "one given label; a share `rate` has that of the nearest example of another class, those"
        " most like it first",
        {"rate": float, "per_class": False, **SHARED},
        _lookalike,
        makes="given",
    ),
    "instance-label": Process(
        "one given label; whether it is wrong is drawn at a rate of the example's own, and as what"
        " depends on its features by random projections",
        {"rate": float, "per_class": False, "seed": 0, **SHARED},
        lambda task, values: instance_label(_features(task), task.truth, task.data.q, **values),
        makes="given",
    ),
    "open-set": Process(
        "a share `rate` of the inputs is replaced by inputs that are in no class, those with the"
        " nearest ones first; labels stay, and the truth of what is replaced is -1",
        {"rate": float, "per_class": False, "random": False, "reuse": False, "seed": 0, **SHARED},
        replaced_by,
        makes="inputs",
    ),
    "hold-out": Process(
        "the examples of some classes leave the data, for open-set to replace inputs by",
        {"classes": str},
        hold_out,
        makes="examples",
    ),
    "pool": Process(
        "the inputs of other data (.npz) are there for open-set to replace inputs by",
        {"file": str},
        read_pool,
        makes="examples",
    ),
    "long-tail": Process(
        "class sizes fall off exponentially: the first class is `factor` times as large as the"
        " last; shuffle=true puts classes in random order",
        {"factor": float, "shuffle": False, "seed": 0},
        _long_tail,
        makes="examples",
    ),
}


def apply(
    data: Labelled,
    spec: str,
    watch: OnProgress = lambda done, total: None,
    seed: int | None = None,
) -> Labelled:
    """The same examples with imperfect labels made from their truth.

    Args:
        data: with a complete truth. ``uniform``, ``flip`` and ``instance`` replace its candidate
            sets; ``noise`` works on them, or on the truth alone when there are none. The rest
            replace its given labels, but for ``open-set``, which keeps them, ``hold-out``,
            ``pool`` and ``long-tail``, which say what examples there are.
        spec: process names and parameters, joined by ``+`` and applied from left to right, for
            example ``flip:rate=0.3,seed=1`` or ``uniform+noise:rate=0.1``. Of what makes given
            labels several may be joined, each with its own ``classes``.
        watch: called with work done and work in all, by processes that take long.
        seed: the seed of the processes that have one and are not told which; by default 0.

    Returns:
        ``data`` with new ``candidates`` or ``given``, and a ``source`` that tells how they came
        about. Inputs that were replaced have a ``given`` label and the truth -1.

    Raises:
        UnknownName (a KeyError): no such process or parameter.
        ValueError: a parameter missing or out of range; processes that do not join; truth missing.
        FileNotFoundError: a file that a process reads is not there.
    """
    made = parsed(PROCESSES, spec, seed)
    truth = data.truth
    if truth is None:
        raise ValueError(
            f"labels cannot be made by {spec!r}: {data.source or 'the data'} has no `truth`."
        )
    task = ProcessInput(data, truth, watch)
    for step, (name, process, values) in enumerate(made):
        task = replace(task, watch=part(watch, step, step + 1, len(made)))
        try:
            task = taken(task, process, values)
        except ValueError as error:
            if (plugin := plugin_of("process", name)) is None:
                raise
            raise ValueError(f"the process {name} of {plugin.text} failed: {error}") from error
        source = f"{task.data.source or 'data'} + {name}({written_pairs(shown(values), ', ')})"
        task = replace(task, data=replace(task.data, source=source))
    return finished(task)


def replace_inputs(
    data: Labelled,
    pool: Labelled,
    rate: float,
    *,
    embed: Embedding | None = None,
    per_class: bool = False,
    random: bool = False,
    reuse: bool = False,
    seed: int = 0,
    classes: Sequence[int] = (),
    of_all: bool = False,
    watch: OnProgress = lambda done, total: None,
) -> Labelled:
    """``open-set`` with an embedding of one's own.

    Args:
        data: with a complete truth, which becomes its ``given`` where it has none.
        pool: inputs of the same kind and shape that are in none of the classes of ``data``.
        embed: (inputs of both (n + m, ...)) -> numbers (n + m, d); by default standardised
            features or their first 64 components, of texts TF-IDF in 256 dimensions.
        classes: whose inputs are replaced; by default of all.
        of_all: ``rate`` is a share of all examples, though those of ``classes`` alone are replaced.
        per_class, random, reuse, seed: as for :func:`open_set`; ``per_class`` makes classes its
            groups.

    Returns:
        ``data`` with other inputs at exactly ⌊rate * n⌉ rows, whose truth is -1; labels stay.

    Raises:
        ValueError: a rate outside [0, 1), a class that would be lost, a pool that is too small,
            truth missing, inputs that no embedding is known for.
    """
    if data.truth is None:
        raise ValueError(f"{data.source or 'the data'} has no `truth`, so nothing can be replaced.")
    process = replace(
        PROCESSES["open-set"], run=lambda task, values: replaced_by(task, values, embed)
    )
    flags = {"per_class": per_class, "random": random, "reuse": reuse, "of_all": of_all}
    values = {"rate": rate, "seed": seed, "classes": "/".join(map(str, classes)), **flags}
    made = finished(taken(ProcessInput(data, data.truth, watch, pool=pool), process, values))
    said = written_pairs(shown(values), ", ")
    return replace(made, source=f"{data.source or 'data'} + open-set({said})")


def canonical(spec: str) -> str:
    """The one way to write ``spec``: known names, every parameter in order, no false switches.

    >>> canonical("Flip: rate=.30 + noise:rate=0.1")
    'flip:rate=0.3,seed=0+noise:rate=0.1,seed=0'
    """
    return "+".join(written(name, shown(values)) for name, _, values in steps(spec))


def steps(spec: str) -> Steps:
    """The processes that ``spec`` names, in order: names, processes and all parameters.

    Raises:
        UnknownName, ValueError: as ``apply``.

    >>> [(name, values) for name, _, values in steps("flip:rate=0.3")]
    [('flip', {'rate': 0.3, 'force': False, 'seed': 0})]
    """
    return parsed(PROCESSES, spec)
