"""Data sets with the answers of several annotators: LabelMe, bluebirds, sentiment."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..labels.labelled import Labelled
from ..labels.votes import Votes
from ._parts import FilePart, read, read_array
from ._source import Expected, Source

RAW = "https://raw.githubusercontent.com"
CROWDS = f"{RAW}/fmenat/PyLearningCrowds/0edf617d0357a43b48dc53f10f4181ec0163d4db/data"
BIRDS = f"{RAW}/welinder/cubam/fe5ba700f1adbb489c69af311558d64370d73d36/demo/bluebirds"
UNSTATED = "none stated in the source repository"

Files = Mapping[str, Path]  # a path for each part, by the part's file


def load_labelme(files: Files, source: str) -> Labelled:
    """1000 pictures as float32 VGG features (1000, 512), 59 annotators, 8 classes, the truth."""
    inputs = read_array(files["LabelMe_VGG_avg_train.npy"])
    truth = _numbers(files["LabelMe_Z_train.txt"])
    return Labelled(
        inputs=inputs,
        truth=truth,
        votes=_matrix_votes(files["answers.txt"], len(truth)),
        classes=tuple(str(k) for k in range(8)),
        source=source,
    )


def load_sentiment(files: Files, source: str) -> Labelled:
    """4999 sentences of film reviews, 203 annotators, two classes, the truth."""
    lines = _text(files["Sentiment_text_train.txt"]).split("\n")
    texts = [line.strip() for line in lines[: -1 if lines[-1] == "" else None]]
    truth = _numbers(files["Sentiment_Z_train.txt"])
    return Labelled(
        inputs=np.array(texts, object),
        truth=truth,
        votes=_matrix_votes(files["answers.txt"], len(truth)),
        classes=("negative", "positive"),
        source=source,
    )


def load_bluebirds(files: Files, source: str) -> Labelled:
    """108 pictures, each judged by 39 annotators, and the truth; the inputs are names alone."""
    truth = _flags(_text(files["gt.yaml"]))
    ids = sorted(truth)
    place = {bird: row for row, bird in enumerate(ids)}
    answers = [
        (place[bird], who, [int(said)])
        for who, birds in re.findall(r"(\d+):\s*\{([^}]*)\}", _text(files["labels.yaml"]))
        for bird, said in _flags(birds).items()
    ]
    return Labelled(
        inputs=np.array([f"bluebirds picture {bird}" for bird in ids], object),
        truth=np.array([truth[bird] for bird in ids], np.int64),
        votes=Votes.from_rows(sorted(answers, key=lambda answer: answer[0])),
        classes=("false", "true"),
        ids=np.array(ids, np.int64),
        source=source,
    )


def _text(path: Path) -> str:
    return read(path).decode("utf-8")


def _numbers(path: Path) -> np.ndarray:
    return np.array(_text(path).split()).astype(np.int64)


def _matrix_votes(path: Path, n: int) -> Votes:
    """From items x annotators, -1 for no answer."""
    matrix = _numbers(path)
    if len(matrix) % n:
        raise ValueError(f"{path} has {len(matrix)} numbers, which are not {n} rows.")
    matrix = matrix.reshape(n, -1)
    item, who = np.nonzero(matrix != -1)
    return Votes(
        item=item.astype(np.int64),
        annotator=np.array([str(k) for k in who.tolist()], object),
        offsets=np.arange(len(item) + 1),
        labels=matrix[item, who],
    )


def _flags(text: str) -> dict[int, bool]:
    """``{11573: true, 11574: false}`` and the like, without its braces or with them."""
    return {int(key): value == "true" for key, value in re.findall(r"(\d+):\s*(true|false)", text)}


def _source(
    name: str,
    title: str,
    parts: tuple[FilePart, ...],
    page: str,
    licence: str,
    citation: str,
    expected: Expected,
    loader,
) -> Source:
    return Source(
        name=name,
        title=title,
        files=tuple(part.place for part in parts),
        size_bytes=None,
        sha256=None,
        url=parts[0].url,
        page=page,
        licence=licence,
        citation=citation,
        expected=expected,
        steps=10_000,
        loader=loader,
        parts=parts,
    )


def _part(base: str, file: str, size: int, sha256: str, folder: str = "") -> FilePart:
    return FilePart(file, size, sha256, f"{base}/{file}", folder)


SOURCES_OF_CROWDS = (
    _source(
        "labelme",
        "LabelMe",
        (
            _part(
                f"{CROWDS}/LabelMe", "answers.txt", 174_453,
                "354c282e10835a59962494acb1d180fe997b65a0aa1e27f870cdb4ef51ef3e2b", "LabelMe",
            ),
            _part(
                f"{CROWDS}/LabelMe", "LabelMe_Z_train.txt", 2000,
                "229556bdc5da327dd7d4e4154ba180969091c83f43cf8cbee3727131c5a062f6",
            ),
            _part(
                f"{CROWDS}/LabelMe", "LabelMe_VGG_avg_train.npy", 2_048_128,
                "0ddfbcbd722aab70e81525a459cc37d47c1d344322b401ee35a3e9b158a209e8",
            ),
        ),
        "https://github.com/fmenat/PyLearningCrowds",
        UNSTATED,
        "F. Rodrigues, F. Pereira. Deep learning from crowds. AAAI 2018.",
        Expected(1000, 512, 8),
        load_labelme,
    ),
    _source(
        "bluebirds",
        "Bluebirds",
        (
            _part(
                BIRDS, "labels.yaml", 58_941,
                "8b1b28e4b869b19bb03beac476c7073149cef784f9524ebe17380a1292a6126c", "bluebirds",
            ),
            _part(
                BIRDS, "gt.yaml", 1533,
                "c9eb769c845ca99495a07b5c28c4290c78436fd8eac65c0747736c4ef8126340", "bluebirds",
            ),
        ),
        "https://github.com/welinder/cubam",
        "BSD-style (LICENSE.TXT of the source repository)",
        "P. Welinder, S. Branson, S. Belongie, P. Perona. The multidimensional wisdom of crowds."
        " NeurIPS 2010.",
        Expected(108, None, 2),
        load_bluebirds,
    ),
    _source(
        "sentiment",
        "Sentiment",
        (
            _part(
                f"{CROWDS}/Sentiment", "answers.txt", 3_016_645,
                "fb39e4103f326a2798e5a6b7eeb1840beceb2e826a619cc19089c6a24041f82a", "Sentiment",
            ),
            _part(
                f"{CROWDS}/Sentiment", "Sentiment_Z_train.txt", 9998,
                "623ca5a651273e491bbdc39e8a49909323c15df20468780db1b26dd520ed399c",
            ),
            _part(
                f"{CROWDS}/Sentiment", "Sentiment_text_train.txt", 580_840,
                "bec8026c384e895f48c18e728519aa4dd3f4a362da656623e15d40470def716d",
            ),
        ),
        "https://github.com/fmenat/PyLearningCrowds",
        UNSTATED,
        "F. Rodrigues, F. Pereira, B. Ribeiro. Learning from multiple annotators: distinguishing"
        " good from random labelers. Pattern Recognition Letters 34, 2013.",
        Expected(4999, None, 2),
        load_sentiment,
    ),
)  # fmt: skip
