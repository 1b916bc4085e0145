"""The criteria: by what a model is chosen on the validation rows, or without them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ...ground.names import lookup


@dataclass(frozen=True)
class Criterion:
    """How a model is chosen on the validation set, or without it."""

    name: str
    about: str
    measure: str | None  # its key in Record.validation; None: nothing is compared
    on_test: bool = False  # the key is one of Record.test
    last_record_only: bool = False
    defaults_only: bool = False  # configuration 0 alone

    @property
    def reads_truth(self) -> bool:
        """Whether it is an oracle: what it compares is counted with true labels."""
        return self.on_test or self.measure == "OA"


CORRECTED = "NVA:corrected"  # of records only behind ``correct.with_corrected``
_CRITERIA = (
    Criterion("CR", "covering rate, early stopping", "CR"),
    Criterion("AA", "approximated accuracy, early stopping", "AA"),
    Criterion("OA", "accuracy on clean labels, last record", "OA", last_record_only=True),
    Criterion("OA & ES", "accuracy on clean labels, early stopping", "OA"),
    Criterion("AA:plench", "the benchmark program's AA, early stopping", "AA:plench"),
    Criterion("NVA", "noisy validation accuracy (on given labels), early stopping", "NVA"),
    Criterion(
        CORRECTED, "noisy validation accuracy corrected for the noise, early stopping", CORRECTED
    ),
    Criterion("answers", "share of people's answers that are predicted, early stopping", "answers"),
    Criterion("agreement", "agreement of an algorithm's networks, early stopping", "agreement"),
    Criterion(
        "peak",
        "an oracle, the highest test accuracy of any record",
        "top1",
        on_test=True,
    ),
    Criterion(
        "last",
        "no selection, last record of the defaults",
        None,
        last_record_only=True,
        defaults_only=True,
    ),
)
CRITERIA: Mapping[str, Criterion] = {criterion.name: criterion for criterion in _CRITERIA}
DEFAULT = ("CR", "AA", "OA", "OA & ES")
UNSELECTED = ("last",)  # what is left where the validation rows were trained on
USUAL = {  # by the labels that are learned from
    frozenset({"given"}): ("NVA", "OA", "OA & ES"),
    frozenset({"votes"}): ("answers", "OA", "OA & ES"),
    frozenset({"candidates", "given"}): ("CR", "AA", "NVA", "OA", "OA & ES"),
}


def usual(reads: Collection[str]) -> tuple[str, ...]:
    """The criteria of a table of algorithms that learn from these labels."""
    return USUAL.get(frozenset(reads) - {"truth"}, DEFAULT)


def lookup_criterion(name: str) -> Criterion:
    """The criterion of that name, in any case.

    Raises:
        UnknownName: there is none; suggests the nearest.
    """
    return lookup(CRITERIA, name, "criterion")[1]
