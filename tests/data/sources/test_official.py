"""Collections of pictures from every form in which they are distributed; then the real files."""

import gzip
import os
import pickle
import tarfile
import warnings
from pathlib import Path

import numpy as np
import polars
import pytest
from PIL import Image

from candidly.data.sources import SOURCES, load
from candidly.data.sources._cifar_names import COARSE_OF
from candidly.data.sources._collections import DIGITS, TEN
from candidly.data.sources.official import SETS
from picture_files import (
    TEST,
    TRAIN,
    encoded,
    hundred_binary,
    hundred_python,
    idx,
    idx_files,
    made,
    one_table,
    packed,
    part_tables,
    parts,
    ten_binary,
    ten_python,
    ten_python_2,
)

from needs import real_files

SMALL = pytest.mark.filterwarnings("ignore:.*n is 19, not", "ignore:.*pictures are 2 x 3")


FORMS = {  # name of the data set, where it is written, by whom
    "python": ("cifar10", "cifar-10-batches-py", ten_python),
    "python 2": ("cifar10", "anything", ten_python_2),
    "python, packed": (
        "cifar10",
        "cifar-10-python.tar.gz",
        packed(ten_python_2, "cifar-10-batches-py"),
    ),
    "python, deep": ("cifar10", "a/cifar-10-batches-py", ten_python),
    "binary": ("cifar10", "cifar-10-batches-bin", ten_binary),
    "binary, packed": (
        "cifar10",
        "CIFAR10_binary.tar",
        packed(ten_binary, "cifar-10-batches-bin", "w"),
    ),
    "jpeg column": ("cifar10", "cifar10_jpeg.parquet", one_table),
    "img column": (
        "cifar10",
        "cifar10.parquet",
        lambda path: one_table(path, column="img"),
    ),
    "spelt otherwise": ("cifar10", "CIFAR-10_png.parquet", one_table),
    "part files": ("cifar10", "cifar10/plain_text", part_tables(10, "img", "label")),
    "shards": ("cifar10", "CIFAR-10", part_tables(10, "image", "label", shards=2)),
    "100 python": ("cifar100", "cifar-100-python", hundred_python),
    "100 python, packed": (
        "cifar100",
        "cifar-100-python.tgz",
        packed(hundred_python, "cifar-100-python"),
    ),
    "100 binary": ("cifar100", "cifar-100-binary", hundred_binary),
    "100 binary, packed": (
        "cifar100",
        "cifar-100-binary.tar.gz",
        packed(hundred_binary, "cifar-100-binary"),
    ),
    "100 part files": (
        "cifar100",
        "cifar100",
        part_tables(100, "img", "fine_label", coarse=True),
    ),
    "idx": ("mnist", "mnist", idx_files()),
    "idx, packed": (
        "mnist",
        "MNIST/raw",
        idx_files("{part}-{what}-idx{d}-ubyte.gz", gzip.compress),
    ),
    "idx, dots": ("mnist", "files", idx_files("{part}-{what}.idx{d}-ubyte")),
    "mnist part files": ("mnist", "mnist", part_tables(10, "image", "label", shape=(28, 28))),
    "fashion idx": ("fashion-mnist", "FashionMNIST/raw", idx_files()),
    "fashion idx, packed": (
        "fashion-mnist",
        "fashion-mnist",
        idx_files("{part}-{what}-idx{d}-ubyte.gz", gzip.compress),
    ),
}


@pytest.mark.filterwarnings("ignore:.*n is 19, not")
@pytest.mark.filterwarnings("error:.*pictures are")
@pytest.mark.parametrize("form", FORMS)
def test_every_form_holds_the_same_pictures(nowhere, form):
    name, place, write = FORMS[form]
    (nowhere / "root").mkdir()
    write(nowhere / "root" / place)
    data = load(name, nowhere / "root")
    pictures, labels = made(data.q, data.inputs.shape[1:])
    assert np.array_equal(data.inputs, pictures)
    assert np.array_equal(data.truth, labels)
    assert data.inputs.dtype == np.uint8
    assert np.flatnonzero(data.official_test).tolist() == list(range(TRAIN, TRAIN + TEST))
    assert data.source == name
    assert data.given is data.candidates is data.tags is data.votes is None
    assert data.inputs.shape == (TRAIN + TEST, *SETS[name].collection.shape)
    assert load(name, nowhere / "root") == data  # from the cache


@SMALL
def test_decoded_once_and_mapped_from_the_cache(nowhere, monkeypatch):
    one_table(nowhere / "cifar10_jpeg.parquet")
    seen = []
    data = load("cifar10", nowhere, watch=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 19)]
    assert isinstance(data.inputs.base, np.memmap)
    monkeypatch.setattr("candidly.data.sources.pictures.decoded", None)
    assert load("cifar10", nowhere) == data
    kept = sorted((nowhere / "cache").iterdir())
    assert [path.suffix for path in kept] == [".npy", ".npz"]
    for damaged in kept:  # is made anew
        damaged.write_bytes(b"damaged")
        with pytest.raises(TypeError):
            load("cifar10", nowhere)
    monkeypatch.undo()


@SMALL
def test_a_cache_that_cannot_be_written_is_done_without(nowhere):
    ten_binary(nowhere / "ten")
    (nowhere / "cache").write_text("a file, not a folder")
    assert np.array_equal(load("cifar10", nowhere).inputs, made(10)[0])


@SMALL
def test_coarse_labels_are_the_super_classes(nowhere):
    hundred_python(nowhere / "cifar-100-python")
    fine, coarse = (load(name, nowhere) for name in ("cifar100", "CIFAR-100 coarse"))
    assert np.array_equal(coarse.truth, COARSE_OF[fine.truth])
    assert coarse.q == 20
    names = {coarse.classes[k] for k, name in zip(coarse.truth, np.array(fine.classes)[fine.truth])}
    assert names <= set(coarse.classes)
    assert coarse.classes[COARSE_OF[fine.classes.index("shark")]] == "fish"


@SMALL
def test_a_file_can_be_named_itself(nowhere):
    (nowhere / "root").mkdir()
    path = nowhere / "root" / "mine.tar.gz"
    packed(ten_binary, "x")(path)
    assert np.array_equal(load("cifar10", path).inputs, made(10)[0])
    one_table(nowhere / "root" / "mine.parquet")
    assert np.array_equal(load("cifar10", nowhere / "root" / "mine.parquet").inputs, made(10)[0])
    ten_python(nowhere / "flat")
    assert np.array_equal(load("cifar10", nowhere / "flat" / "data_batch_1").truth, made(10)[1])
    (nowhere / "root" / "x.txt").touch()
    with pytest.raises(ValueError, match=r"x\.txt is no file of cifar10, such as cifar-10-python"):
        load("cifar10", nowhere / "root" / "x.txt")


@SMALL
def test_what_loses_nothing_comes_first(nowhere):
    one_table(nowhere / "cifar10_jpeg.parquet", kind="jpeg")
    assert not np.array_equal(load("cifar10", nowhere).inputs, made(10)[0])
    ten_binary(nowhere / "later")
    assert np.array_equal(load("cifar10", nowhere).inputs, made(10)[0])


@SMALL
def test_whole_sets_come_before_others(nowhere, monkeypatch):
    ten_python(nowhere / "a")
    (nowhere / "a" / "data_batch_2").unlink()
    ten_binary(nowhere / "b")
    assert load("cifar10", nowhere).n == 19
    idx_files(leave=[("train", "images")], shape=(2, 3))(nowhere / "a" / "mnist")
    idx_files(shape=(2, 3))(nowhere / "b" / "mnist")
    assert load("mnist", nowhere).n == 19


@SMALL
def test_files_of_the_same_names_are_told_apart_by_their_folders(nowhere, monkeypatch):
    idx_files()(nowhere / "env" / "FashionMNIST" / "raw")
    monkeypatch.setenv("CANDIDLY_DATA", str(nowhere / "env"))
    with pytest.raises(FileNotFoundError, match=r"mnist: no file 'train-images-idx3-ubyte"):
        load("mnist")
    idx_files(shape=(2, 3))(nowhere / "env" / "MNIST" / "raw")
    assert load("mnist").inputs.shape == (19, 2, 3)
    assert load("fashion-mnist").inputs.shape == (19, 28, 28)
    hundred_python(nowhere / "env" / "unsaid")
    with pytest.raises(FileNotFoundError, match="cifar100: no file"):
        load("cifar100")
    assert load("cifar100", nowhere / "env" / "unsaid").n == 19  # named for it


def test_another_collection_of_the_same_form_is_refused(nowhere, monkeypatch):
    import dataclasses

    _, labels = made(10, (28, 28))
    counts = [np.bincount(labels[rows], minlength=10) for _, rows in parts()]
    idx_files()(nowhere)
    right = dataclasses.replace(DIGITS, counts=tuple(map(tuple, counts)))
    wrong = dataclasses.replace(DIGITS, counts=tuple(tuple(some[::-1]) for some in counts))
    mnist = SETS["mnist"]
    monkeypatch.setitem(SETS, "mnist", dataclasses.replace(mnist, collection=right))
    load("mnist", nowhere)
    monkeypatch.setitem(SETS, "mnist", dataclasses.replace(mnist, collection=wrong))
    with pytest.raises(ValueError, match=r"examples of class 0 in the train part, but mnist has"):
        load("mnist", nowhere)


@SMALL
def test_the_test_part_alone_is_loaded_with_a_warning(nowhere):
    idx_files(leave=[("train", "images")])(nowhere / "mnist")
    with pytest.warns(UserWarning, match="test part alone") as told:
        data = load("mnist", nowhere)
    (message,) = (str(one.message) for one in told if "pictures are" not in str(one.message))
    assert "mnist: the official test part alone, 4 of 70,000 examples, as" in message
    assert message.endswith("lacks train-images-idx3-ubyte.gz.")
    pictures, labels = made(10, (28, 28))
    assert np.array_equal(data.inputs, pictures[TRAIN:])
    assert np.array_equal(data.truth, labels[TRAIN:])
    assert data.official_test is None


@pytest.mark.filterwarnings("ignore:.*pictures are")
def test_the_training_part_alone_is_loaded_with_a_warning(nowhere):
    one_table(nowhere / "all.parquet")
    table = polars.read_parquet(nowhere / "all.parquet").filter(polars.col("split") == "train")
    table.write_parquet(nowhere / "cifar10.parquet")
    with pytest.warns(UserWarning, match=r"train part alone, 15 of 60,000 .* lacks its"):
        data = load("cifar10", nowhere)
    assert data.n == TRAIN
    assert data.official_test is None


@pytest.mark.parametrize(
    ("name", "write", "gone", "lacking"),
    [
        ("cifar10", ten_python, "data_batch_3", "data_batch_3"),
        ("cifar10", ten_binary, "data_batch_5.bin", r"data_batch_5\.bin"),
        ("mnist", idx_files(), "train-labels-idx1-ubyte", r"train-labels-idx1-ubyte\.gz"),
        ("mnist", idx_files(), "t10k-labels-idx1-ubyte", r"t10k-labels-idx1-ubyte\.gz"),
    ],
)
def test_half_a_part_is_refused_by_the_name_of_what_lacks(nowhere, name, write, gone, lacking):
    write(nowhere / "files")
    (nowhere / "files" / gone).unlink()
    with pytest.raises(
        FileNotFoundError, match=rf"{name}: \S+files holds some of its files, and lacks {lacking}\."
    ):
        load(name, nowhere)


def test_a_folder_of_ones_own_with_such_a_name_is_a_place(nowhere, monkeypatch):
    for name in ("0", "1"):
        (nowhere / "mnist" / name).mkdir(parents=True)
        Image.new("L", (4, 4)).save(nowhere / "mnist" / name / "a.png")
    monkeypatch.chdir(nowhere)
    for place in ("./mnist", "mnist/", nowhere / "mnist", str(nowhere / "mnist")):
        assert load(place).kind == "media"
    told = pytest.warns(UserWarning, match=r"folder of that name here is read as mnist/\.")
    with told, pytest.raises(FileNotFoundError):
        load("mnist")


def test_nowhere_to_be_found(nowhere):
    for name in SETS:
        with pytest.raises(
            FileNotFoundError, match=f"{name}: no file .* No other form .* Get it from https://"
        ):
            load(name, nowhere)


class Harm:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


@pytest.mark.parametrize("pack", [False, True])
def test_a_malicious_batch_is_refused_and_not_run(nowhere, pack):
    ten_python(nowhere / "py")
    harm = {"data": Harm(str(nowhere / "run")), "labels": []}
    (nowhere / "py" / "data_batch_2").write_bytes(pickle.dumps(harm, 2))
    where = nowhere
    if pack:
        where = nowhere / "cifar-10-python.tar.gz"
        with tarfile.open(where, "w:gz") as archive:
            archive.add(nowhere / "py", "cifar-10-batches-py")
    with pytest.raises(
        ValueError, match=r"data_batch_2 cannot be read .*posix\.mkdir.* nothing of it was run\."
    ):
        load("cifar10", where)
    assert not (nowhere / "run").exists()


def rewritten(name, change):
    """A change of what a batch holds."""

    def write(folder):
        ten_python(folder)
        stored = pickle.loads((folder / name).read_bytes())
        (folder / name).write_bytes(pickle.dumps(change(stored), 4))

    return write


def written(write, name, content):
    def change(folder):
        write(folder)
        (folder / name).write_bytes(content)

    return change


def swapped(folder):
    hundred_python(folder)
    stored = pickle.loads((folder / "test").read_bytes())
    stored[b"coarse_labels"][1] = (stored[b"coarse_labels"][1] + 1) % 20
    (folder / "test").write_bytes(pickle.dumps(stored, 2))


def bad_archive(content):
    def write(folder):
        folder.mkdir()
        (folder / "cifar-10-python.tar.gz").write_bytes(content)

    return write


def short_archive(folder):
    folder.mkdir()
    packed(ten_python, "x")(folder / "whole.tar.gz")
    with (
        tarfile.open(folder / "whole.tar.gz") as old,
        tarfile.open(folder / "cifar-10-python.tar.gz", "w:gz") as new,
    ):
        for member in old:
            if not member.name.endswith("data_batch_4"):
                new.addfile(member, old.extractfile(member) if member.isfile() else None)


def table(**changes):
    def write(folder):
        folder.mkdir()
        one_table(folder / "cifar10.parquet", **changes)

    return write


N = TRAIN + TEST
BAD = {
    "no dict": ("cifar10", rewritten("test_batch", list), "holds a list, not a dict of pixels"),
    "no labels": (
        "cifar10",
        rewritten("test_batch", lambda b: {"data": b["data"]}),
        "test_batch cannot be read as a batch of CIFAR: it has no labels or fine_labels; it has",
    ),
    "labels of text": (
        "cifar10",
        rewritten("test_batch", lambda b: b | {"labels": ["cat"] * 4}),
        "its labels are no list of class numbers",
    ),
    "another number of labels": (
        "cifar10",
        rewritten("test_batch", lambda b: b | {"labels": [1]}),
        r"its pixels are \(4, 3072\), not uint8 \(1, 3072\)",
    ),
    "a class that there is not": (
        "cifar10",
        rewritten("test_batch", lambda b: b | {"labels": [0, 1, 10, 2]}),
        r"has class 10 at row 2 of the test part, but cifar10 has the classes 0\.\.9",
    ),
    "a batch of another set": (
        "cifar10",
        written(ten_binary, "data_batch_2.bin", bytes(3000)),
        r"data_batch_2\.bin has 3,000 bytes, which is no multiple of the 3,073 of a picture",
    ),
    "an empty batch": ("cifar10", written(ten_binary, "test_batch.bin", b""), "has 0 bytes"),
    "swapped labels": ("cifar100", swapped, r"test has super-class \d+ at row 1, but class \d+ \("),
    "no archive": ("cifar10", bad_archive(b"no archive"), r"cannot be read as a tar archive"),
    "a cut archive": (
        "cifar10",
        bad_archive(gzip.compress(bytes(10_240))[:20]),
        "cannot be read as a tar archive",
    ),
    "an empty archive": (
        "cifar10",
        bad_archive(gzip.compress(bytes(10_240))),
        r"holds no file of cifar10, such as data_batch_1\.",
    ),
    "a short archive": ("cifar10", short_archive, r"lacks data_batch_4: it is not the whole"),
    "no pictures": (
        "cifar10",
        table(column="file"),
        r"it has no column img or image or jpeg or png; it has split, index, label, file",
    ),
    "other columns": (
        "cifar10",
        table(label=["cat"] * N),
        r"its column label holds String, not numbers",
    ),
    "an empty cell": (
        "cifar10",
        table(jpeg=[None] + [b""] * (N - 1)),
        r"its column jpeg is empty at row 0",
    ),
    "rows twice": (
        "cifar10",
        table(index=[0, 1, 2, 3] + [7] * TRAIN),
        r"does not hold the training images 0 to 14, once each",
    ),
    "a damaged picture": (
        "cifar10",
        table(jpeg=[encoded(np.zeros((2, 2, 3), np.uint8))] * (N - 1) + [b"no picture"]),
        r"image 0 cannot be used \(it cannot be read as a picture",
    ),
    "a picture cut short": (
        "cifar10",
        table(jpeg=[encoded(made(10)[0][0], "jpeg")[:900]] * N),
        r"image 0 cannot be used \(it cannot be read to its end",
    ),
    "no table": (
        "cifar10",
        written(lambda folder: folder.mkdir(), "cifar10.parquet", b"no table"),
        r"cifar10\.parquet cannot be read as a table of images",
    ),
    "no idx": (
        "mnist",
        written(idx_files(), "t10k-images-idx3-ubyte", b"\x00\x00\x08\x01abcd" * 4),
        r"is no IDX file of pictures \(n, h, w\): it begins with 00 00 08 01, not 00 00 08 03",
    ),
    "a cut idx": (
        "mnist",
        written(idx_files(), "train-labels-idx1-ubyte", idx(np.zeros(15))[:-1]),
        r"has 14 bytes of 15: it is cut off, or was written to",
    ),
    "another number of idx labels": (
        "mnist",
        written(idx_files(), "train-labels-idx1-ubyte", idx(np.zeros(14))),
        r"idx3-ubyte holds 15 pictures, and \S+idx1-ubyte 14 labels",
    ),
    "no gzip": (
        "mnist",
        written(
            idx_files("{part}-{what}-idx{d}-ubyte.gz", gzip.compress),
            "t10k-images-idx3-ubyte.gz",
            b"no gzip",
        ),
        r"t10k-images-idx3-ubyte\.gz is not a readable gzip file",
    ),
}


@SMALL
@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_in_a_sentence(nowhere, case):
    name, write, message = BAD[case]
    write(nowhere / "files")
    with pytest.raises(ValueError, match=message) as error:
        load(name, nowhere / "files")
    assert str(error.value).endswith(".")
    assert "\n" not in str(error.value)


@SMALL
def test_a_gzip_bomb_is_not_unpacked(nowhere, monkeypatch):
    monkeypatch.setattr("candidly.data.sources._parts.MOST_BYTES", 10_000)
    idx_files("{part}-{what}-idx{d}-ubyte.gz", gzip.compress)(nowhere / "mnist")
    with pytest.raises(ValueError, match=r"not a readable gzip file \(it holds more than"):
        load("mnist", nowhere)
    monkeypatch.setattr("candidly.data.sources._batches.MOST_BYTES", 3000)
    packed(ten_python, "x")(nowhere / "cifar-10-python.tar.gz")
    with pytest.raises(ValueError, match=r"cannot be read as a tar archive \(its x/.* is larger"):
        load("cifar10", nowhere)


@SMALL
def test_grey_pictures_among_colour_become_colour(nowhere):
    pictures, _ = made(10)
    files = [encoded(picture) for picture in pictures]
    files[0] = encoded(pictures[0, :, :, 0])
    labels = {"split": ["train"] * TRAIN + ["test"] * TEST}
    labels["index"] = [*range(TRAIN), *range(TEST)]
    one_table(nowhere / "cifar10.parquet", jpeg=files, **labels)
    data = load("cifar10", nowhere)
    assert np.array_equal(data.inputs[0], pictures[0, :, :, :1].repeat(3, 2))
    assert np.array_equal(data.inputs[1:], pictures[1:])


def test_warnings_say_what_is_not_as_on_record(nowhere):
    packed(ten_python, "x")(nowhere / "cifar-10-python.tar.gz")
    with pytest.warns(UserWarning, match="n is 19") as told:
        load("cifar10", nowhere)
    (message,) = (str(one.message) for one in told)
    assert "n is 19, not 60000; its SHA-256 is " in message
    assert "not 6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce" in message


def test_the_entries():
    for name, labels in SETS.items():
        source = SOURCES[name]
        assert source.url is None  # nothing is downloaded
        assert source.expected.n == {"cifar": 60_000}.get(name[:5], 70_000)
        assert source.expected.q == len(labels.classes) == len(set(labels.classes))
        assert sum(labels.collection.counts[1]) == 10_000
    assert TEN.files[0] == "cifar-10-python.tar.gz"


@pytest.mark.slow  # decodes 60,000 pictures
@real_files
def test_real_cifar_10(tmp_path, monkeypatch):
    monkeypatch.setattr("candidly.data.sources.fetch._cache", lambda: tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = load("cifar10")
    assert data.inputs.shape == (60_000, 32, 32, 3)
    assert data.official_test.sum() == 10_000
    assert data.split(0, official=True).test.tolist() == list(range(50_000, 60_000))
    assert (np.bincount(data.truth[:50_000]) == 5000).all()
    assert (np.bincount(data.truth[50_000:]) == 1000).all()
    root = Path(os.environ["CANDIDLY_DATA"])
    small = np.load(root / "cifar10" / "cifar10_small_uint8.npz")
    for part, start in (("train", 0), ("test", 50_000)):
        pictures = small[f"{part}_images"]
        found = data.inputs[start : start + len(pictures)]
        assert np.abs(found.astype(int) - pictures).max() <= 2
        assert np.array_equal(data.truth[start : start + len(pictures)], small[f"{part}_labels"])
    stored = root / "label_errors" / "original_test_labels" / "cifar10_test_set_original_labels.npy"
    assert np.array_equal(data.truth[50_000:], np.load(stored))


@real_files
def test_the_real_test_part_of_mnist(tmp_path, monkeypatch):
    monkeypatch.setattr("candidly.data.sources.fetch._cache", lambda: tmp_path)
    with pytest.warns(UserWarning, match="mnist: the official test part alone, 10,000 of 70,000"):
        data = load("mnist")
    assert data.inputs.shape == (10_000, 28, 28)
    assert tuple(np.bincount(data.truth)) == DIGITS.counts[1]
    root = Path(os.environ["CANDIDLY_DATA"])
    stored = root / "label_errors" / "original_test_labels" / "mnist_test_set_original_labels.npy"
    assert np.array_equal(data.truth, np.load(stored))
