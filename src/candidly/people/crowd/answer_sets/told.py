"""What was read of language models' answers, in lines and a grid."""

from __future__ import annotations

from collections.abc import Iterator

from ....data.ingest.model_answers import OUTCOMES, ModelAnswers
from ....ground.names import shortened
from ....show.grid import Column, Grid

NAMED = 3  # texts that are off the list


def answers_lines(found: ModelAnswers, size: float) -> Iterator[str]:
    """How many answers are labels, and what the others say.

    Args:
        size: labels of an answer, in the mean.
    """
    every = sum(sum(counts.values()) for counts in found.counts.values())
    yield (
        f"{len(found.label):,} of {every:,} answers are labels, about"
        f" {len(set(found.item)):,} items by {len(found.counts):,} models; {size:.2f} labels each"
        " in the mean"
    )
    if found.covered is not None:
        yield (
            f"of first tokens {100 * found.covered:.1f} % of the probability that is told is of"
            " labels, in the mean"
        )
    if found.off_list:
        texts = ", ".join(
            f"{shortened(text, 40)} ({count:,})"
            for text, count in found.off_list.most_common(NAMED)
        )
        yield f"most often off the list: {texts}"


def answers_grid(found: ModelAnswers) -> Grid:
    """How many answers of each model came to what."""
    columns = (Column("model", "name"), *(Column(name, form=",") for name in OUTCOMES))
    rows: list[tuple[str | int, ...]] = [
        (model, *(counts[name] for name in OUTCOMES))
        for model, counts in sorted(found.counts.items())
    ]
    return Grid("Answers of each model", columns, rows)
