"""Data sets of several files with the answers of people: where the files are, and what they say."""

import gzip
import hashlib
import sys

import numpy as np
import pytest

from candidly.data.sources import SOURCES, load
from candidly.data.sources._parts import read
from candidly.data.sources.fetch import find_parts
from candidly.people.crowd import Answers

from needs import real_files


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def small_sentiment(folder, end=""):
    write(folder / f"answers.txt{end}", b"1 -1 0\n-1 1 -1\n")
    write(folder / f"Sentiment_Z_train.txt{end}", b"1\n0\n")
    write(folder / f"Sentiment_text_train.txt{end}", b"so good .\n so bad .\n")


@pytest.mark.parametrize("end", ["", ".gz"])
@pytest.mark.filterwarnings("ignore:.*may not compare")
def test_sentences_and_answers(nowhere, end):
    small_sentiment(nowhere / "data" / "crowd" / "Sentiment", end)
    data = load("sentiment", root=nowhere / "data")
    assert data.inputs.tolist() == ["so good .", "so bad ."]
    assert data.truth.tolist() == [1, 0]
    assert data.classes == ("negative", "positive")
    assert data.votes.rows() == [(0, "0", (1,)), (0, "2", (0,)), (1, "1", (1,))]
    assert load("sentiment", root=nowhere / "data" / "crowd" / "Sentiment") == data


@pytest.mark.filterwarnings("ignore:.*may not compare")
def test_files_of_one_name_are_told_apart_by_their_folder(nowhere):
    small_sentiment(nowhere / "crowd" / "sentiment")
    write(nowhere / "crowd" / "labelme" / "answers.txt", b"0 -1\n3 3\n")
    write(nowhere / "crowd" / "labelme" / "LabelMe_Z_train.txt", b"0\n7\n")
    np.save(nowhere / "crowd" / "labelme" / "LabelMe_VGG_avg_train.npy", np.ones((2, 3), "f4"))
    data = load("labelme", root=nowhere)
    assert data.votes.rows() == [(0, "0", (0,)), (1, "0", (3,)), (1, "1", (3,))]
    assert (data.q, data.kind, data.inputs.shape) == (8, "table", (2, 3))
    assert len(load("sentiment", root=nowhere).votes) == 3


@pytest.mark.filterwarnings("ignore:.*may not compare")
def test_birds(nowhere):
    write(nowhere / "bluebirds" / "gt.yaml", b"{12: true,\n  7: false}\n")
    write(
        nowhere / "bluebirds" / "labels.yaml",
        b"39: {7: true, 12: true,\n  }\n3: {12: false}\n",
    )
    data = load("bluebirds", root=nowhere)
    assert data.ids.tolist() == [7, 12]
    assert data.truth.tolist() == [0, 1]
    assert data.votes.rows() == [(0, "39", (1,)), (1, "39", (1,)), (1, "3", (0,))]


def test_another_content_is_told(nowhere):
    small_sentiment(nowhere / "sentiment")
    with pytest.warns(UserWarning, match="may not compare") as caught:
        load("sentiment", root=nowhere)
    told = [str(warning.message) for warning in caught]
    assert sum("has SHA-256" in text for text in told) == 3
    assert any("sentiment: n is 2, not 4999. Results may not compare" in text for text in told)


def test_what_is_missing_or_damaged_is_named(nowhere):
    small_sentiment(nowhere / "sentiment")
    (nowhere / "sentiment" / "Sentiment_Z_train.txt").unlink()
    with pytest.raises(FileNotFoundError, match=r"sentiment: no file 'Sentiment_Z_train\.txt' in"):
        load("sentiment", root=nowhere, download=False)
    (nowhere / "sentiment" / "Sentiment_Z_train.txt.gz").write_bytes(b"no gzip")
    with pytest.raises(ValueError, match=r"Z_train\.txt\.gz is not a readable gzip file"):
        load("sentiment", root=nowhere)
    small_sentiment(nowhere / "sentiment")
    write(nowhere / "sentiment" / "answers.txt", b"1 -1 0\n-1 1\n")
    with pytest.raises(ValueError, match=r"answers\.txt has 5 numbers, which are not 2 rows"):
        load("sentiment", root=nowhere)


def test_parts_are_downloaded_into_folders_of_their_own(nowhere, monkeypatch):
    import pooch

    real, asked = sys.modules["pooch.core"].retrieve, []
    files = {"labels.yaml": b"1: {5: true}", "gt.yaml": b"{5: true}"}

    def bring(url, output_file, _):
        asked.append(url)
        with open(output_file, "wb") as file:
            file.write(files[url.rsplit("/", 1)[1]])

    def retrieve(url, known_hash, **options):
        name = url.rsplit("/", 1)[1]
        known = SOURCES["bluebirds"].parts[list(files).index(name)].sha256
        assert known_hash == f"sha256:{known}"
        here = hashlib.sha256(files[name]).hexdigest()
        return real(url, known_hash=f"sha256:{here}", downloader=bring, **options)

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    with pytest.warns(UserWarning, match="may not compare"):
        data = load("bluebirds")
    assert data.votes.rows() == [(0, "1", (1,))]
    assert len(asked) == 2
    assert (nowhere / "cache" / "bluebirds" / "labels.yaml").read_bytes() == files["labels.yaml"]
    with pytest.warns(UserWarning, match="may not compare"):
        load("bluebirds", download=False)  # it is in the cache now


def test_a_part_with_another_checksum_is_not_kept(nowhere, monkeypatch):
    import pooch

    def bring(url, output_file, _):
        with open(output_file, "wb") as file:
            file.write(b"something else")

    real = sys.modules["pooch.core"].retrieve
    monkeypatch.setattr(pooch, "retrieve", lambda url, **o: real(url, downloader=bring, **o))
    with pytest.raises(ValueError, match=r"labels\.yaml is not the file on record"):
        load("bluebirds")
    assert not list((nowhere / "cache").rglob("*.yaml"))


def test_no_network_says_what_to_put_where(nowhere, monkeypatch):
    import pooch

    def fail(*_, **__):
        raise ConnectionError("no route")

    monkeypatch.setattr(pooch, "retrieve", fail)
    with pytest.raises(FileNotFoundError, match=r"no file 'bluebirds/labels\.yaml' in .*no route"):
        load("bluebirds")


@real_files
@pytest.mark.filterwarnings("error")  # load warns when a file is not the one on record
@pytest.mark.parametrize(
    ("name", "annotators", "answers", "right"),
    [
        ("labelme", 59, 2547, 0.7405),
        ("bluebirds", 39, 4212, None),
        ("sentiment", 203, 27746, 0.7895),
    ],
)  # fmt: skip
def test_real_answers(name, annotators, answers, right):
    data = load(name, download=False)
    found = Answers.from_labelled(data)
    assert (len(found), len(found.annotators)) == (answers, annotators)
    if right:
        share = (found.label == data.truth[found.item]).mean()
        assert share == pytest.approx(right, abs=5e-5)
    else:
        assert (found.per_item == annotators).all()
    for part in SOURCES[name].parts:
        path = find_parts(SOURCES[name], None, False)[part.file]
        assert len(read(path)) == part.size_bytes
