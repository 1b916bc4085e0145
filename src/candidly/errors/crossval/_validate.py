"""The one door: what is asked, checked; every classifier over every fold; what came out."""

from __future__ import annotations

import warnings as python_warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.inputs import InputKind
from ...data.labels.building import from_arrays
from ...data.labels.folds import checked_folds, checked_groups, make_folds
from ...data.labels.kinds import ALL_OF
from ...data.labels.labelled import Labelled, given_to_candidates
from ...ground.arrays import collected, door, is_frame, same_rows
from ...ground.numbers import whole
from ...ground.problem import Refusal
from ...ground.progress import OnProgress
from ...ground.seeds import draw
from ...learn.encoders.choice import has_choice
from . import _leaks
from ._calibration import calibration_error
from ._classifiers import checked, takes_columns
from ._classifiers import learner as of_classifier
from ._encoder import NONE, OWN
from ._features import Views, framed, plain, usual
from ._job import Held, Job, Learner, Network, held_out, within
from ._named import NAMED, SENTENCES, by_name, default_classifier, is_named, seen_by
from ._result import CrossValidated

if TYPE_CHECKING:
    from ...learn.model import Model

UNITS = 100  # of progress, per fold


@door
def cross_validate(
    classifier: Any,
    data: Labelled | tuple[Any, Any],
    folds: int | np.ndarray = 5,
    groups: Any = None,
    seed: int = 0,
    *,
    repeats: int = 1,
    calibrate: bool = False,
    start: Labelled | Model | tuple[Any, Any] | None = None,
    pretrained_on: Any = None,
    leak_check: bool = False,
    classes: Any = None,
    encoder: str | None = None,
    frame: Any = None,
    watch: OnProgress | None = None,
) -> CrossValidated:
    """Probabilities of each example by a model that did not learn from it.

    Args:
        classifier: a scikit-learn classifier with ``predict_proba``, unfitted, with scalers and
            vocabularies before it in a ``Pipeline``; a ``Network`` or the name of one of
            ``ALGORITHMS``; a name of ``NAMED``; or several of these, a list or by name: each fold
            is judged by the one that is most accurate on the fold's training rows, divided again;
            None for what ``DEFAULTS`` has for the kind of input.
            Classifiers of your own see texts and paths as they are, images flattened, columns of
            different kinds as the fold's training rows encode them, and labels as numbers of
            classes. One with a ``ColumnTransformer`` in it sees the data frame. Those with names
            see pictures as descriptors, texts as counts of words.
        data: ``Labelled`` with given labels, with candidate sets for algorithms that read these,
            or with tags, of which each is learned by itself; or (X, y) for ``from_arrays``. The
            truth is not looked at. Unlabelled rows are predicted, not learned from.
        folds: how many, at least 2, or the fold of each example, int (n,).
        groups: (n,), of any kind: examples of one group stay in one fold.
        seed: the seed of folds and models. Folds depend on seed, labels and groups alone.
        repeats: models per fold, with the seeds ``seed``, ``seed + 1``, ...; their probabilities
            are averaged.
        calibrate: scale each fold's probabilities by a temperature found on a fifth of its training
            rows, which is set aside.
        start: data to fit to before going on in each fold, as (X, y) or ``Labelled``, or, for
            networks, a ``Model``.
        pretrained_on: what a backbone that made the features was trained on: ``Labelled``, a
            fingerprint, or ids.
        leak_check: do it again with permuted labels, which nobody should be able to predict. Takes
            as long as a repeat.
        classes: names in order, or how many, for (X, y); see ``from_arrays``.
        encoder: what makes numbers of inputs. Of columns of different kinds: candidly's ``own``
            (``inputs.fit_encoding``), the default, or ``skrub``, whose TableVectorizer is fitted in
            each fold; or ``none``: a classifier of your own sees the data frame. Of pictures:
            ``own`` descriptors, or the name of an encoder (``learn.encoders.features``); by
            default, where one is installed, whichever of the two has more of the labels of up to
            1,000 rows in held-out predictions. Of texts: ``own`` counts of words, the default, or
            a sentence encoder.
        frame: that data frame, a row an example; by default X of (X, y), or what ``data`` has.
        watch: called with hundredths of folds done and in all; describing pictures counts as one.

    Raises:
        ValueError, TypeError, KeyError: what is wrong, by name or row.

    Warns:
        UserWarning: what may make these probabilities better, or worse, than they look.

    Source: Northcutt, Athalye & Mueller, NeurIPS 2021, section 4, for how they were made there.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = np.random.default_rng(0).normal(size=(60, 9))
    >>> y = (X[:, 0] > 0).astype(int)
    >>> cross_validate(GaussianNB(), (X, y)).probs.shape
    (60, 2)
    """
    if isinstance(data, tuple | list) and len(data) == 2:
        same_rows(X=data[0], y=data[1], folds=folds, groups=groups)
    if frame is None and isinstance(data, tuple | list) and is_frame(collected(data[0])):
        frame = collected(data[0])
    repeats, seed = whole(repeats, "repeats", low=1), whole(seed, "seed", low=0)
    everything, start = _taken(data, start, classes)
    data = _as_given(everything.blind())
    marks, strata = _marks(data)
    numbered = checked_groups(groups, data.n)
    if np.ndim(folds) == 0:
        fold = make_folds(strata, folds, numbered, seed)  # type: ignore[arg-type]
    else:
        fold = checked_folds(folds, data.n)
    if calibrate and data.given is None:
        raise ValueError(
            "calibrate needs one given label each: to be a candidate is not to be right."
        )
    several = named(default_classifier(data).classifier if classifier is None else classifier)
    tell = _Progress(watch)
    views = Views(data, tell.described, encoder, frame, strata)
    runs = len(several) * repeats + leak_check
    job = Job(data, marks, strata, fold, numbered, seed, calibrate, start)
    inner = [within(job, k) for k in range(job.count)] if len(several) > 1 else []
    choosing = len(several) * sum(each.count for each in inner)
    described = any(_is_described(each, data.kind, encoder) for each in several.values())
    tried = described and has_choice(data, encoder)
    tell.start(runs * job.count + choosing, described + tried)
    learners = {name: _learner(each, name, views) for name, each in several.items()}

    said: list[str] = []

    def say(sentences: Iterable[str]) -> None:
        for sentence in sentences:
            said.append(sentence)
            python_warnings.warn(sentence, stacklevel=4)

    say(_leaks.of_split_groups(fold, numbered))
    say(_leaks.of_constant_inputs(data))
    say(_leaks.of_copies(data, fold, seed))
    say(_leaks.of_rare_classes(marks, data.classes, job.count))
    say(_leaks.of_start(everything, start))
    if pretrained_on is not None:
        say(_leaks.of_pretraining(everything, pretrained_on, "the model behind the features"))
    for name, each in several.items():
        if not isinstance(each, Network | str):
            say(_leaks.of_fitted_parts(each, name))

    by_fold = [_best(learners, each, tell) for each in inner] or [*learners] * job.count
    probs, own = np.zeros(marks.shape), np.full((repeats, data.n), np.nan)
    accuracies: dict[str, float] = {}
    judged: list[Held] = []
    for name, learn in learners.items():
        its, its_own, found = _repeated(learn, job, repeats, tell)
        accuracies[name] = job.agreement(its, marks)
        rows = np.isin(fold, [k for k, chosen in enumerate(by_fold) if chosen == name])
        probs[rows], own[:, rows] = its[rows], its_own[:, rows]
        judged += [each for each in found if by_fold[each.part.number] == name]
    held = [each for k in range(job.count) for each in judged if each.part.number == k]
    chosen = max(learners, key=by_fold.count)
    accuracy = job.agreement(probs, marks)
    say(_leaks.of_absent_classes(held, data.classes))
    say(_leaks.of_memory(held, accuracy, marks))
    variance = own.var(0, ddof=1) if repeats > 1 else None
    if variance is not None and not np.nansum(variance):
        say([f"the repeats agree exactly: {chosen} does not depend on the seed."])
    permuted = None
    if leak_check:
        other = _leaks.permuted(job, draw(seed, "crossval.permuted"))
        guessed, _ = _run(learners[chosen], other, tell)
        permuted = _leaks.on_permuted(guessed, other.marks)
        say(_leaks.of_permuted_labels(permuted, int(other.marks.any(1).sum())))
    return CrossValidated(
        probs=probs,
        folds=fold,
        classes=data.classes,
        given=data.given,
        chosen=chosen,
        accuracies=accuracies,
        by_fold=tuple(by_fold),
        encoder=views.decided,
        vectors=views.seen,
        accuracy=accuracy,
        ece=_ece(probs, data, fold >= 0),
        fold_ece=np.array([_ece(probs, data, fold == k) for k in range(job.count)]),
        temperatures=np.array([each.temperature for each in held]).reshape(job.count, repeats).T,
        variance=variance,
        warnings=tuple(said),
        permuted=permuted,
    )


# what was asked


def _taken(data: Any, start: Any, classes: Any) -> tuple[Labelled, Labelled | Model | None]:
    """Data and start as containers with the same classes."""
    if not isinstance(data, Labelled):
        names = classes
        if names is None and start is not None:
            names = _common(from_arrays(*_pair(data, "data")), start)
        data = from_arrays(*_pair(data, "data"), classes=names)
    elif classes is not None:
        raise ValueError("`classes` goes with (X, y); this data names its own.")
    if isinstance(start, tuple | list):
        start = from_arrays(*_pair(start, "start"), classes=data.classes)
    if isinstance(start, Labelled):
        _check_alike(start, data)
        start = _as_given(start.blind())
    return data, start


def _as_given(data: Labelled) -> Labelled:
    """Candidate sets of one label each are given labels."""
    if data.given is None and data.candidates is not None and (data.candidates.sum(1) == 1).all():
        return replace(data, given=data.candidates.argmax(1))
    return data


def _pair(value: Any, name: str) -> tuple[Any, Any]:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError(f"`{name}` is {type(value).__name__}; give a Labelled or (X, y).")
    return value[0], value[1]


def _common(data: Labelled, start: Any) -> tuple[str, ...]:
    """Names for (X, y): those of the start as well."""
    if isinstance(start, tuple | list):
        start = from_arrays(*_pair(start, "start"))
    mine, its = set(data.classes), set(start.classes)
    if mine <= its:
        return start.classes
    return data.classes if its <= mine else tuple(sorted(mine | its))


def _check_alike(start: Labelled, data: Labelled) -> None:
    if start.classes != data.classes:
        raise ValueError(
            f"`start` has the classes {', '.join(start.classes[:5])}, ... and the data "
            f"{', '.join(data.classes[:5])}, ...; they must be the same, in order."
        )
    if start.kind != data.kind or start.inputs.shape[1:] != data.inputs.shape[1:]:
        raise ValueError(
            f"`start` is {start.kind} of shape {start.inputs.shape} and the data {data.kind} of "
            f"shape {data.inputs.shape}; examples must be alike."
        )


def _marks(data: Labelled) -> tuple[np.ndarray, np.ndarray]:
    """The labels as bool (n, q), and the class that folds are stratified by, -1 for none.

    A candidate set is stratified by the candidate that is the rarest of all, so that classes that
    are seldom candidates are spread over the folds; and so are tags.
    """
    if data.given is not None:
        marks = given_to_candidates(data.given, data.q) & (data.given >= 0)[:, None]
        strata = data.given
    elif data.candidates is not None or data.tags is not None:
        marks = np.array(data.tags if data.candidates is None else data.candidates)
        counts = marks.sum(0)
        strata = np.where(marks, counts, data.n + 1).argmin(1)
        strata[~marks.any(1)] = -1
    else:
        raise Refusal(
            f"{data.source or 'the data'} has no given labels, candidates or tags, and the truth "
            "is not looked at.",
            "make some with `imperfect.apply`",
            "give a table with a column of labels",
        )
    there = np.flatnonzero(marks.any(0))
    if data.label_kind == ALL_OF:
        if not (marks.any(0) & ~marks.all(0)).any():
            raise ValueError("no tag is there in some rows and not in others; nothing tells them.")
    elif len(there) < 2:
        what = f"all labels are {data.classes[there[0]]!r}" if len(there) else "nothing is labelled"
        raise ValueError(f"{what}; two classes at least can be told apart.")
    return marks, strata


def named(classifier: Any) -> dict[str, Any]:
    """One or several classifiers by name; equal names are numbered.

    Raises:
        ValueError: there is none.
    """
    if isinstance(classifier, Mapping):
        found = {str(name): each for name, each in classifier.items()}
    else:
        several = list(classifier) if isinstance(classifier, list | tuple) else [classifier]
        found = {}
        for each in several:
            name = _name(each)
            same = sum(known.partition(" #")[0] == name for known in found)
            found[f"{name} #{same + 1}" if same else name] = each
    if not found:
        raise ValueError("`classifier` holds none; give at least one.")
    return found


def _name(classifier: Any) -> str:
    if isinstance(classifier, str):
        return classifier
    if isinstance(classifier, Network):
        return classifier.algorithm
    if isinstance(classifier, type):
        return classifier.__name__
    steps = getattr(classifier, "steps", None)  # of a Pipeline: what it ends in
    last = steps[-1][1] if isinstance(steps, Sequence) and steps else classifier
    return type(last).__name__


def _learner(classifier: Any, name: str, views: Views) -> Learner:
    """Who learns; strings are looked up among ``NAMED``, then among the algorithms."""
    seen = seen_by(classifier) if isinstance(classifier, str) and is_named(classifier) else plain
    if isinstance(classifier, str):
        classifier = by_name(classifier, views.kind if seen is usual else views.data.kind)
    if isinstance(classifier, Network):
        if views.data.label_kind == ALL_OF:
            raise Refusal(
                f"{name} learns one label a row, and all labels of a row hold here.",
                f"give `classifier` one of {', '.join(NAMED)}, which learns each tag by itself",
            )
        from ._networks import learner as of_network  # which brings torch

        return of_network(classifier, views)
    if seen is plain and (views.encoder == NONE or takes_columns(classifier)):
        seen = framed
    return of_classifier(checked(classifier, name), name, seen, views)


# what is done


class _Progress:
    """Hands progress on: pictures described, folds done in all the runs before, and in this one."""

    def __init__(self, watch: OnProgress | None):
        self.watch, self.total, self.before = watch, 0, 0

    def start(self, folds: int, described: int) -> None:
        self.total = folds + described
        self(0.0)

    def described(self, done: int, total: int) -> None:
        self(done / total)
        self.before += done == total

    def __call__(self, folds: float) -> None:
        if self.watch is not None:
            self.watch(round(UNITS * (self.before + folds)), UNITS * self.total)

    def next(self, folds: int) -> None:
        self.before += folds


def _is_described(classifier: Any, kind: InputKind, encoder: str | None) -> bool:
    """Whether numbers are made of pictures or texts for it: networks see the pixels of arrays."""
    if kind.texts:
        return classifier == SENTENCES or encoder not in (None, OWN)
    if not kind.encoded or not isinstance(classifier, str | Network):
        return False
    if isinstance(classifier, str) and is_named(classifier):
        return True
    return kind.files or encoder not in (None, OWN)


def _run(learn: Learner, job: Job, tell: _Progress) -> tuple[np.ndarray, list[Held]]:
    """One model per fold: probabilities (n, q), and what else there is, in order of folds."""
    probs = np.zeros(job.marks.shape)
    found = []
    for fitted in learn(job, tell):
        held = held_out(job, fitted)
        probs[held.part.held] = held.probs
        found.append(held._replace(probs=np.zeros(0)))
    tell.next(job.count)
    return probs, sorted(found, key=lambda held: held.part.number)


def _best(learners: Mapping[str, Learner], job: Job, tell: _Progress) -> str:
    """Who is most accurate on the rows that are held out here; of equals the first."""
    rows = job.folds >= 0
    shares = {}
    for name, learn in learners.items():
        probs, _ = _run(learn, job, tell)
        shares[name] = job.agreement(probs[rows], job.marks[rows])
    return max(shares, key=lambda name: -1.0 if np.isnan(shares[name]) else shares[name])


def _ece(probs: np.ndarray, data: Labelled, rows: np.ndarray) -> float:
    return float("nan") if data.given is None else calibration_error(probs[rows], data.given[rows])


def _repeated(
    learn: Learner, job: Job, repeats: int, tell: _Progress
) -> tuple[np.ndarray, np.ndarray, list[Held]]:
    """The mean over repeats, the labels' own probability (repeats, n), and all that was held."""
    total = np.zeros(job.marks.shape)
    own = np.full((repeats, len(total)), np.nan)
    labelled = job.marks.any(1)
    found: list[Held] = []
    for number in range(repeats):
        probs, held = _run(learn, replace(job, seed=job.seed + number), tell)
        total += probs
        own[number, labelled] = np.where(job.marks, probs, 0).sum(1)[labelled]
        found += held
    return total / repeats, own, found
