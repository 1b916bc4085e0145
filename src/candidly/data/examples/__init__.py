"""Made-up data to try candidly with: files that are the same each time they are written.

>>> sorted(EXAMPLES["pets"].files())
['pets.csv']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...ground.files import replacing
from ...ground.names import lookup
from ...ground.problem import Refusal
from . import answers, birds, leaderboard, pets, shapes, steps


@dataclass(frozen=True)
class Example:
    """Files of one example.

    Attributes:
        about: what is in them, in a sentence.
        files: makes them: content by name, with ``/`` in names of folders.
    """

    about: str
    files: Callable[[], Mapping[str, bytes]]


EXAMPLES = {
    "answers": Example(
        "300 leaves, named by three of twelve people each; 60 were checked by an expert.",
        answers.files,
    ),
    "birds": Example(
        "500 birds with the species that each could be, 62 checked, and 60 new ones.",
        birds.files,
    ),
    "leaderboard": Example(
        "A test set of 2,000 short messages, 100 of them with a wrong label; predictions of five "
        "models, and what five people said of suspicious labels.",
        leaderboard.files,
    ),
    "pets": Example(
        "A table of 400 animals of a shelter; 19 are entered as another kind.", pets.files
    ),
    "shapes": Example(
        "A folder of 300 pictures of circles, squares and triangles; 15 are in the wrong folder.",
        shapes.files,
    ),
    "steps": Example("300 short texts on three crafts; 21 have a wrong label.", steps.files),
}


def write(name: str, into: str | Path = ".", overwrite: bool = False) -> list[Path]:
    """Write the files of an example.

    Args:
        name: one of ``EXAMPLES``.
        into: the folder, which is made where it does not exist.
        overwrite: replace files that are there.

    Returns:
        What was written.

    Raises:
        candidly.ground.names.UnknownName: there is no such example.
        ValueError: a file of that name is there with other content; nothing was written.
    """
    files = {Path(into) / k: v for k, v in lookup(EXAMPLES, name, "example")[1].files().items()}
    if not overwrite:
        for path, content in files.items():
            if path.exists() and path.read_bytes() != content:
                raise Refusal(
                    f"{path} is there already, with other content.",
                    "write into another folder with `into`",
                    "replace it with `overwrite=True`",
                )
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(content)
    return list(files)
