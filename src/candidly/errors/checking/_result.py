"""What a check found."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...data.ingest import NONE, Roles
from ...data.ingest.media import File, checked_file
from ...data.ingest.previews import Preview, preview_of
from ...data.labels.kinds import ALL_OF, ONE_OF, SINGLE
from ...data.labels.labelled import Labelled
from ...ground.numbers import count_of
from ...ground.problem import passed
from ...learn.encoders import advised
from ...show.document import Document
from ...show.grid import Grid
from ...show.pieces import Section
from ...stats.checked import WRONG, CheckedCount
from ..amount import MOST, WrongLabels, rows_to_check, table_to_check
from ..amount.shown import depths_grid, how_many
from ..confident import Evidence, Gain, Issues
from ..confident.issues_document import issues_document
from ..crossval import NAMED, OWN, CrossValidated
from ._fields import fields_of
from ._leaks import Leak
from ._look_alikes import LookAlikes
from ._seen_alike import SeenAlike

if TYPE_CHECKING:
    import polars as pl

MANY = 12  # names of columns that are listed
KINDS = {"number": "numbers", "category": "categories", "date": "dates", "text": "texts"}
READ_AS = {"number": "number", "category": "category", "date": "date", "text": "text, 32 numbers"}
LABEL_AS = {SINGLE: "label", ONE_OF: "labels, one of them right", ALL_OF: "labels, all right"}
EMPTY, CELL = "–", 30  # of an example, and its characters
ENCODED = {  # what a classifier is given, by the kind of inputs
    "table": "the numbers as they are",
    "columns": "categories, dates and gaps made numbers by what the training rows of a fold show",
    "texts": "the texts",
    "images": "the pictures",
    "media": "the pictures",
}
NOT_ARRAYS = {"texts": "text", "media": "file", "columns": "row"}
DESCRIBED = "in which directions each picture changes, and its colours (descriptors)"
WEIGHED = "counts of words, weighed by how rare a word is in the training rows of a fold"
OF_TEXTS = {  # what it is given of texts, where it has one of these names
    **dict.fromkeys(NAMED, WEIGHED),
    "fasttext": "counts of words and of pairs of neighbouring words",
    "sentences": "what a sentence encoder, trained elsewhere, makes of each text",
}
WEAK = 0.6  # agreement; at half, a third of the right labels of 108 classes are contradicted
MANY_WORDS = 3  # a cell of a column of texts


@dataclass(frozen=True, eq=False)
class Checked:
    """Labels to look at, and what they were found with.

    Attributes:
        name: the name of what was checked.
        data: the examples, without their truth.
        frame: the table's own columns, a row an example; None where there is no table.
        typed: those of them that the classifier saw, numbers as numbers.
        roles: which column is what.
        judged: probabilities out of sample, the classifier and its accuracy.
        issues: which rows to look at, in what order.
        leaks: columns that tell the label by themselves.
        notes: sentences that were issued as ``UserWarning``, too.
        amount: how many labels are wrong, on a premise; None for sets and tags.
        counted: how many are wrong by rows that people checked, where they have.
        alike: of pictures, near copies and those of one colour; None of other data.
        seen_alike: of pictures that an encoder saw, those that it sees as nearly the same.
    """

    name: str
    data: Labelled
    frame: pl.DataFrame | None
    typed: pl.DataFrame | None
    roles: Roles
    judged: CrossValidated
    issues: Issues
    leaks: tuple[Leak, ...] = ()
    notes: tuple[str, ...] = ()
    amount: WrongLabels | None = None
    counted: CheckedCount | None = None
    alike: LookAlikes | None = None
    seen_alike: SeenAlike | None = None

    def __repr__(self) -> str:
        return (
            f"Checked({self.name}: {self.flagged} of {self.labelled} rows to look at, "
            f"{self.judged.judges}, accuracy {self.accuracy:.4f})"
        )

    @property
    def shown(self) -> tuple[str, ...]:
        """The columns of ``table`` that people are shown, beside the row."""
        chance = () if self.issues.chance is None else ("chance",)
        return ("given", "proposed", *chance, "self-confidence", "margin")

    @property
    def flagged(self) -> int:
        """How many rows are listed, to be looked at."""
        return len(self.issues.indices)

    @property
    def labelled(self) -> int:
        """How many rows have a label."""
        return self.issues.evidence.number_labelled

    @property
    def accuracy(self) -> float:
        """Share of held-out predictions that are the given label (of sets: a candidate)."""
        return self.judged.accuracy

    @cached_property
    def largest(self) -> tuple[str, float]:
        """The class that is most often a label, and how often: what always saying it reaches."""
        if self.data.given is None:
            assert self.data.candidates is not None
            counts = self.data.candidates.sum(0)
        else:
            counts = np.bincount(self.data.given[self.data.given >= 0], minlength=self.data.q)
        k = int(counts.argmax())
        return self.data.classes[k], float(counts[k] / max(self.labelled, 1))

    @property
    def gain(self) -> Gain | None:
        """What its probabilities say beyond how frequent classes are; None of sets."""
        evidence = self.issues.evidence
        return evidence.gain if isinstance(evidence, Evidence) else None

    @property
    def useless(self) -> bool:
        """Whether the classifier is no better than guesses: by its predictions, which always
        saying the largest class would equal, and by its probabilities."""
        if self.issues.evidence.doubts:
            return True
        informed = self.gain is not None and self.gain.low > 0
        return self.accuracy <= self.largest[1] and not informed

    @cached_property
    def wrong(self) -> WrongLabels | None:
        """How many labels are wrong, unless the classifier is useless; None for sets and tags."""
        if self.amount is None or self.amount.why or not self.useless:
            return self.amount
        return self.amount.silenced(
            f"the classifier agrees with {self.accuracy:.1%} of them, and always saying "
            f"{self.largest[0]!r} would agree with {self.largest[1]:.1%}"
        )

    def headline(self) -> str:
        """How many labels are wrong, on which premise; of sets, how many are contradicted."""
        if self.counted is not None:
            return self.counted.headline()
        if self.wrong is None:
            return f"The classifier contradicts {self.flagged:,} of {self.labelled:,} sets."
        told = self.wrong.headline()
        if self.wrong.why or self.accuracy >= WEAK:
            return told
        return (
            f"{told.removesuffix('.')}, by a classifier that agrees with only {self.accuracy:.1%}"
            " of them: weak evidence."
        )

    def read(self) -> dict[str, str]:
        """What was read, by what it is used as: rows, labels, ids, columns."""
        found = {"rows": f"{self.data.n:,}"}
        column = "" if self.roles.label is None or self.frame is None else f"{self.roles.label}: "
        found["labels"] = f"{column}{self.data.q:,} classes ({_listed(self.data.classes)})"
        found["labels"] += self._kind_in_words()
        if self.frame is None:
            are, shape = self.data.kind, " x ".join(map(str, self.data.inputs.shape))
            several = "" if are.array else count_of(self.data.n, NOT_ARRAYS[are])
            found["inputs"] = several or f"{shape}, {are}"
            return found
        named = {"ids": self.roles.id, "texts": self.roles.text, "pictures": self.roles.image}
        found |= {what: name for what, name in named.items() if name not in (None, NONE)}
        if self.typed is not None:
            for kind, what in KINDS.items():
                names = [name for name, one in self.kinds.items() if one == kind]
                if names:
                    found[what] = f"{len(names):,}: {_listed(names)}"
        if self.roles.drop:
            found["left out"] = _listed(self.roles.drop)
        return found

    def _kind_in_words(self) -> str:
        """What a row has of the classes, and how many rows have none."""
        without = self.data.n - self.labelled
        gaps = f", {count_of(without, 'row')} without a label" if without else ""
        return (", sets of candidates" if self.data.given is None else "") + gaps

    def read_as(self) -> list[tuple[str, str, str]]:
        """Of each column its name, what it was read as, and a cell of it; none without a table."""
        if self.frame is None:
            return []
        roles, kinds = self.roles, {} if self.typed is None else self.kinds
        label = LABEL_AS[self.data.label_kind or SINGLE]
        said = {roles.label: label, roles.truth: "truth, not looked at", roles.id: "row's name"}
        said |= dict.fromkeys(roles.drop, "left out")
        said |= {name: READ_AS[kind] for name, kind in kinds.items()}
        if roles.inputs is not None:
            said[roles.inputs] = "texts, word for word" if roles.text else "pictures"
        found = []
        for name in self.frame.columns:
            there = self.frame[name].drop_nulls()
            what = said.get(name, "not used")
            if name in kinds and there.n_unique() < 2:
                what += ", always the same" if len(there) else ", empty"
            cell = self._as_text(there[0]) if len(there) else EMPTY
            found.append((name, what, cell if len(cell) <= CELL else cell[:CELL].rstrip() + " …"))
        return found

    def _as_text(self, cell: Any) -> str:
        """A cell for people; of a list what is in it."""
        nested = hasattr(cell, "to_list")
        return self.roles.label_separator.join(map(str, cell)) if nested else str(cell)

    @property
    def kinds(self) -> dict[str, str]:
        """What each column is to the classifier: number, category, date or text."""
        assert self.typed is not None
        own: dict[str, str] = dict(getattr(self.data.inputs, "kinds", {}))
        return own or dict.fromkeys(self.typed.columns, "number")

    def findings(self) -> tuple[str, ...]:
        """What was done and how good it is, in sentences."""
        folds = len(self.judged.fold_ece)
        given = ENCODED[self.data.kind]
        if self.judged.encoder != OWN:
            given = f"what {self.judged.encoder}, a network trained elsewhere, makes of each"
        elif self.data.kind.texts:
            given = OF_TEXTS.get(self.judged.chosen, given)
        elif self.data.kind.pictures and self.judged.chosen in NAMED:
            given = DESCRIBED
        found = [
            f"Each row was judged by {self.judged.judges}, fitted to the other folds ({folds} in "
            f"all); it is given {given}.",
            self._agreement(),
        ]
        if self.useless:
            found.append(
                "That is no better than a guess: what it contradicts tells nothing. Add columns "
                "that say more, or take another classifier."
            )
        elif self.accuracy <= self.largest[1] and (gain := self.gain) is not None:
            found.append(
                "Its predictions are no better than that, but its probabilities say more than how "
                f"frequent classes are (by {gain.mean:.3f} in mean log-likelihood, {gain.low:.3f} "
                f"to {gain.high:.3f}): the order of the list tells something."
            )
        elif self.accuracy < WEAK and self.flagged:
            found.append(
                "That is weak: what it contradicts says little, and the first rows far more than "
                "the last. More rows of each class help, and a `classifier` that suits the data "
                "better."
            )
        for name in self._read_as_text():
            found.append(
                f"Of each text in {name!r} it saw 32 numbers; {passed('text', name)} takes the "
                "texts alone, word for word."
            )
        if math.isfinite(self.judged.ece):
            found.append(
                f"Its probabilities are {100 * self.judged.ece:.1f} points from the agreement on "
                "average (expected calibration error)."
            )
        if given == DESCRIBED and (advice := advised()):
            found.append(advice)
        return tuple(found)

    def about_the_number(self) -> tuple[str, ...]:
        """What the headline rests on, what it leaves out and what would tell, in sentences."""
        told = self.wrong if self.counted is None else self.counted
        return () if told is None else told.findings()

    def _agreement(self) -> str:
        """How often the classifier says what is given, beside what a guess would reach."""
        name, share = self.largest
        if self.data.given is None:
            what, always = "the sets", f"{name!r} is in {share:.1%} of them"
        else:
            what, always = "the labels", f"always saying {name!r} would agree with {share:.1%}"
        return f"It agrees with {self.accuracy:.1%} of {what}; {always}."

    def _read_as_text(self) -> list[str]:
        """The columns of several words a cell that are encoded among others."""
        if self.typed is None or self.data.kind != "columns":
            return []
        texts = (name for name, kind in self.kinds.items() if kind == "text")
        return [name for name in texts if _words(self.typed[name]) >= MANY_WORDS]

    def table(self) -> pl.DataFrame:
        """A row per listed example, the one to look at first first.

        Columns: index (the row, from 0), id, given, proposed and predicted class; the chance of a
        wrong label, where it was estimated; self-confidence and margin (low is suspicious); then
        the row's own columns, as they stand. One whose name is taken is called ``NAME (own)``.
        """
        import polars as pl

        found = self.issues.table(classes=self.data.classes)
        ids = pl.Series("id", self.data.ids[found["index"].to_numpy()].tolist())
        scores = ["given", "proposed", "predicted", *self.shown[2:]]
        return self._beside_own(found.with_columns(ids).select("index", "id", *scores))

    def _beside_own(self, found: pl.DataFrame, *kept: str) -> pl.DataFrame:
        """A table with the rows' own columns behind; ``index`` says which rows.

        ``kept``: names of columns that people will add.
        """
        import polars as pl

        rows, parts = found["index"].to_numpy(), found.get_columns()
        own = [] if self.frame is None else self.frame[rows].get_columns()
        taken = {*kept, *(part.name for part in parts)}
        own = [c.alias(f"{c.name} (own)") if c.name in taken else c for c in own]
        return pl.DataFrame([*parts, *own])

    def looks(self) -> Callable[[int], Preview]:
        """A function from a flagged row to what a page shows of it."""
        data, inputs = self.data, self.data.inputs
        if data.kind.files:
            return lambda row: preview_of(_file(Path(str(inputs[row]))))
        if data.kind.encoded:
            return lambda row: preview_of(inputs[row])  # type: ignore[arg-type]
        beside = {self.roles.label, self.roles.id}  # shown above the columns
        if self.frame is None:
            own = self._numbered()
        else:
            own = self.frame.select(n for n in self.frame.columns if n not in beside)
        return self._rows(own)

    def _rows(self, own: pl.DataFrame) -> Callable[[int], Preview]:
        """The same of rows with these columns."""
        data = self.data
        table = self.issues.table().select("index", "given", "proposed")
        pairs = {i: (given, proposed) for i, given, proposed in table.iter_rows()}
        assert data.given is not None
        fields = fields_of(own, own if self.typed is None else self.typed, data.given, data.q)
        return lambda row: Preview(fields=fields(row, *pairs[row]))

    def by_tag(self) -> pl.DataFrame | None:
        """Of tags that all hold, how many of each are missing and too much; None of others."""
        return None

    @property
    def copies(self) -> tuple[Grid, ...]:
        """Of pictures a table of near copies, and one of pairs that an encoder sees as such."""
        found = [] if self.alike is None or not self.alike.groups else [self.alike.grid()]
        if self.seen_alike is not None and len(self.seen_alike.pairs):
            found.append(self.seen_alike.grid())
        return tuple(found)

    def grids(self) -> tuple[Grid, ...]:
        """Tables for people, beside the one of listed rows: how many are wrong at which depth."""
        copies = self.copies
        if self.wrong is None or self.wrong.why:
            return copies
        return (depths_grid(self.wrong, self.issues, self.counted), *copies)

    def to_check(self, count: int = MOST, seed: int = 0) -> pl.DataFrame | None:
        """Rows for people to check, so that their answers make a count; None for sets and tags.

        Columns: those of ``errors.table_to_check``, then the row's own. People may check as many of
        the first as they like, 15 at least.

        Args:
            count, seed: see ``errors.rows_to_check``.
        """
        import polars as pl

        if self.wrong is None:
            return None
        evidence = self.issues.evidence
        assert isinstance(evidence, Evidence)
        drawn = rows_to_check(self.wrong, count, seed)
        found = table_to_check(drawn, self.wrong, evidence, self.data.classes)
        ids = pl.Series("id", self.data.ids[drawn.rows].tolist())
        found = found.with_columns(ids).select("index", "id", pl.exclude("index", "id"))
        return self._beside_own(found, WRONG)

    def _numbered(self) -> pl.DataFrame:
        """Inputs that are an array, with numbers for names."""
        import polars as pl

        inputs = np.asarray(self.data.inputs)
        return pl.DataFrame(inputs, schema=[str(k) for k in range(inputs.shape[1])])

    def as_dict(self, top: int) -> dict[str, Any]:
        """All of it by name, of plain values, with so many of the listed rows."""
        ece, (name, share), by_tag = self.judged.ece, self.largest, self.by_tag()
        return {
            "checked": self.name,
            "read": self.read(),
            "read as": [dict(zip(("column", "as", "example"), row)) for row in self.read_as()],
            "rows": self.data.n,
            "labelled": self.labelled,
            "classes": list(self.data.classes),
            "classifier": self.judged.chosen,
            "encoder": self.judged.encoder,
            "folds": len(self.judged.fold_ece),
            "accuracies": dict(self.judged.accuracies),
            "by_fold": list(self.judged.by_fold),
            "largest class": {"name": name, "share": share},
            "useless": self.useless,
            "calibration error": ece if ece == ece else None,
            "leaks": [leak.column for leak in self.leaks],
            **({} if self.alike is None else self.alike.as_dict()),
            **({} if self.seen_alike is None else self.seen_alike.as_dict()),
            "headline": self.headline(),
            "wrong": None if self.wrong is None else self.wrong.as_dict(),
            "counted": None if self.counted is None else self.counted.as_dict(),
            "flagged": self.flagged,
            "by": self.issues.by,
            "issues": self.table().head(top).rows(named=True),
            **({} if by_tag is None else {"by tag": by_tag.rows(named=True)}),
            "warnings": list(self.notes),
        }

    def document(
        self,
        following: Sequence[str] = (),
        counting: Sequence[str] = (),
        words: Callable[[str], str] = str,
    ) -> Document:
        """For people: how many labels are wrong, the rows to look at, and what they look like.

        Args:
            following: commands to go on with.
            counting: commands by which people count the wrong labels among all.
            words: makes somebody else's words of a sentence in Python's.

        Raises:
            ValueError: for candidate sets, which it does not show.
        """
        return issues_document(
            self.issues,
            classes=self.data.classes,
            media=self.looks(),
            notes=tuple(map(words, self.notes)),
            ids=self.ids(),
            of=self.name,
            findings=tuple(map(words, self.findings())),
            read=self.read(),
            following=following,
            counting=counting,
            headline=self.headline(),
            further=[Section("Near copies", self.copies)] if self.copies else (),
            how_many=None
            if self.wrong is None
            else how_many(self.wrong, self.issues, self.counted),
        )

    def ids(self) -> list[Any] | None:
        """Of the examples; None where they are the numbers of the rows."""
        ids = self.data.ids
        plain = ids.dtype != object and bool((ids == np.arange(self.data.n)).all())
        return None if plain else list(ids.tolist())


def _words(texts: pl.Series) -> float:
    """The median number of words of the cells that are not empty."""
    counts = texts.drop_nulls().str.count_matches(r"\S+").to_numpy()
    return float(np.median(counts)) if len(counts) else 0.0


def _file(path: Path) -> File:
    return File(path, checked_file(path))


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - MANY:,} more" if len(names) > MANY else ""
    return ", ".join(names[:MANY]) + more
