"""From a file to how many of its labels are wrong, and which rows to look at."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...data.ingest import SKIP, ReadAs, Roles, several_answers
from ...data.ingest.table_checks import typed
from ...data.labels.coded import named_labels
from ...data.labels.kinds import ALL_OF
from ...data.labels.labelled import Labelled
from ...ground.problem import Refusal, in_words
from ...ground.progress import OnProgress, part
from ...stats.checked import CheckedRows
from .. import confident as errors
from ..amount import WrongLabels, calibrated, estimate, worth_a_look
from ..crossval import CrossValidated, by_names, cross_validate
from ._answered import check_same
from ._copies import contradiction
from ._leaks import Leak, find_leaks
from ._look_alikes import LookAlikes, look_alikes
from ._opened import Opened, opened
from ._result import Checked
from ._seen_alike import SeenAlike, seen_alike
from ._siblings import Siblings, find_siblings
from ._tags import CheckedTags

READ, FITTED, COMPARED, ALL = 5, 90, 95, 100  # how far the work is after each step, in hundredths


def check(
    where: Any,
    label: str | None = None,
    *,
    separator: str | None = None,
    header: str = "auto",
    sheet: str | None = None,
    id: str | None = None,
    text: str | None = None,
    image: str | None = None,
    drop: Sequence[str] = (),
    damaged: str = SKIP,
    classes: Any = None,
    merge_labels: Any = False,
    kinds: Mapping[str, str] | None = None,
    label_kind: str | None = None,
    label_separator: str = "|",
    group: str | None = None,
    classifier: Any = None,
    encoder: str | None = None,
    net: str | None = None,
    recipe: str | None = None,
    folds: int = 5,
    by: errors.FindBy | None = None,
    checked: CheckedRows | None = None,
    seed: int = 0,
    watch: OnProgress | None = None,
) -> Checked:
    """How many labels are wrong, and which rows to look at: by a classifier that has not seen them.

    The rows are dealt into folds, and a classifier fitted to all folds but one judges that one.
    From its probabilities ``errors.estimate`` says how many labels are wrong, on a premise, and
    ``errors.worth_a_look`` which rows are worth a look; or ``errors.find`` which ones a method of
    confident learning flags.

    Args:
        where: a file with a table, a folder with a subfolder of pictures a class, the name of a
            known data set, whose published labels are checked, a data frame of polars or pandas, or
            ``Labelled``. The truth is not looked at.
        label: the column of the labels, by default ``label``, ``given`` or ``candidates``.
        label_kind: what several labels in a cell (``cat|dog``) are. ``one-of``: candidate sets, and
            found is what may lack the truth. ``all-of``: tags, and found are rows that
            may lack some, or have some too much. ``single``: a name.
        separator, header, sheet, id, text, image, drop, damaged, classes, merge_labels, kinds,
        label_separator: see ``ingest.Roles``.
        group: a column; rows with the same value there are in one fold, and it is no input.
        classifier: see ``cross_validate``, which chooses among several within the training rows of
            each fold. By default what suits the kind of input.
        encoder: what makes numbers of the inputs; see ``cross_validate``.
        net, recipe: of the networks among the classifiers' names; see ``fit``.
        folds: how many models, each judging what it left out.
        by: flag by a method of ``errors.find`` or ``errors.find_multilabel`` instead; of tags by
            default ``noise rate``, and ``confident`` of candidate sets.
        checked: what people said of rows that ``Checked.to_check`` drew, from
            ``review.checked_rows`` or ``validation.read_checked``; then the headline is a count,
            chances go by the answers, and rows that are right are not listed.
        seed: the seed of folds and models. The same file and seed, the same result.
        watch: called with work done and work in all.

    Raises:
        FileNotFoundError, ValueError, TypeError, KeyError: what is wrong, by name or row; a column
            that copies the label; nothing that is labelled, one class only; several labels in a
            cell, and nothing says what these are.

    Warns:
        UserWarning: what makes the answer worth less, such as a classifier no better than guesses.
    """
    tell = watch or (lambda done, total: None)
    roles = Roles(
        label=label, separator=separator, header=header, sheet=sheet, id=id, text=text, image=image,
        drop=(drop,) if isinstance(drop, str) else tuple(drop), damaged=damaged,
        classes=classes, merge_labels=merge_labels, kinds=kinds or {},
        label_kind=label_kind,
        label_separator=label_separator, ask_kind=True,
    )  # fmt: skip
    named = classifier
    if net is not None or recipe is not None:
        named = by_names(_names(classifier), net=net, recipe=recipe)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        read = opened(where, roles, group, part(tell, 0, READ, ALL))
        data = _as_given(read.data)
        if checked is not None:
            check_same(checked, data)
        counted = None if checked is None else checked.count()
        leaks: tuple[Leak, ...] = ()
        if read.typed is not None and data.given is not None:
            leaks = find_leaks(read.typed, data.given, data.classes)
        siblings = () if group is not None else _siblings(read, data, leaks)
        unlike, alike = contradiction(data), look_alikes(data)
        judged = cross_validate(
            named,
            data,
            folds,
            read.groups,
            seed,
            encoder=encoder,
            watch=part(tell, READ, FITTED, ALL),
        )
        pairs = _pairs(data, judged, alike, part(tell, FITTED, COMPARED, ALL))
        judged = replace(judged, vectors=None)
        issues, wrong = _found(data, judged, by, checked, part(tell, COMPARED, ALL, ALL))
    notes = tuple(
        dict.fromkeys(
            [
                *([] if unlike is None else [str(unlike)]),
                *([] if alike is None else alike.sentences()),
                *([] if pairs is None else pairs.sentences()),
                *map(str, leaks),
                *map(str, siblings),
                *(_here(each.message) for each in caught if each.category in (UserWarning, ReadAs)),
            ]
        )
    )
    for note in notes:
        warnings.warn(note, stacklevel=2)
    made = read.name, data, read.frame, read.typed, read.roles, judged
    if isinstance(issues, errors.TagIssues):
        return CheckedTags(*made, issues, leaks, notes)
    return Checked(*made, issues, leaks, notes, wrong, counted, alike, pairs)


def _pairs(
    data: Labelled, judged: CrossValidated, alike: LookAlikes | None, watch: OnProgress
) -> SeenAlike | None:
    """Pictures that the encoder sees as nearly the same, beside near copies."""
    if judged.vectors is None:
        return None
    known = () if alike is None else alike.groups
    return seen_alike(data, judged.vectors, judged.encoder, known, watch)


def _siblings(read: Opened, data: Labelled, leaks: Sequence[Leak]) -> tuple[Siblings, ...]:
    """Columns that say whom rows are from, inputs or not; leaks have been named already."""
    import polars as pl

    if read.frame is None or data.given is None or len(read.frame) != data.n:
        return ()
    told = {read.roles.label, read.roles.truth, read.roles.id, *(leak.column for leak in leaks)}
    others = [typed(read.frame[name]) for name in read.frame.columns if name not in told]
    return find_siblings(pl.DataFrame(others), data.given)


def _here(message: Warning | str) -> str:
    """A warning of cross-validation, whose groups are a column here."""
    return in_words(str(message), lambda name, _: "`group`" if name == "groups" else None)


def _names(classifier: Any) -> list[str]:
    names = [classifier] if isinstance(classifier, str) else list(classifier or [])
    if not names or not all(isinstance(name, str) for name in names):
        raise Refusal(
            "`net` and `recipe` are of networks that are named.",
            "give `classifier` an algorithm, such as ce",
        )
    return names


def _as_given(data: Labelled) -> Labelled:
    """Candidate sets of one label each are given labels; data that have both, keep these."""
    if data.given is None and data.candidates is not None and (data.candidates.sum(1) == 1).all():
        return replace(data, given=data.candidates.argmax(1), candidates=None)
    if data.label_kind is None and data.votes is not None:
        raise ValueError(several_answers(data.source))
    if data.label_kind is None:
        raise Refusal(
            f"{data.source or 'the data'} has no labels to check.", "name their column with `label`"
        )
    return data


def _found(
    data: Labelled,
    judged: CrossValidated,
    by: errors.FindBy | None,
    checked: CheckedRows | None,
    watch: OnProgress,
) -> tuple[errors.Issues | errors.TagIssues, WrongLabels | None]:
    """Rows to look at, and of one label a row how many are wrong."""
    if data.label_kind == ALL_OF:
        tags = errors.find_multilabel(data.tags, np.asarray(judged.probs), by or "noise rate")
        return tags, None
    common: dict[str, Any] = {"classes": data.classes, "unlabelled": True, "watch": watch}
    probs = np.asarray(judged.probs)
    if data.given is None:
        return errors.find(data.candidates, probs, by or "confident", **common), None
    given = named_labels(data.given, data.classes)
    evidence = errors.examine(given, probs, **common)
    wrong = estimate(evidence)
    if checked is not None:
        wrong = calibrated(wrong, checked)
    issues = worth_a_look(wrong, evidence) if by is None else errors.find(evidence, by=by)
    if checked is not None:
        right = checked.drawn.rows[~checked.wrong]
        issues = replace(issues, mask=issues.mask & ~np.isin(np.arange(data.n), right))
    return issues, wrong
