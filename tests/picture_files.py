"""Small files in the forms in which CIFAR and MNIST come: 15 pictures, then 4 to test."""

from __future__ import annotations

import io
import pickle
import shutil
import struct
import tarfile

import numpy as np
import polars
from PIL import Image

from candidly.data.sources._cifar_names import COARSE_OF

TRAIN, TEST = 15, 4  # pictures of each part; five batches of three


def made(q, shape=(32, 32, 3), seed=0):
    """Pictures (n, ...) and labels of both parts."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 256, (TRAIN + TEST, *shape), np.uint8), rng.integers(0, q, TRAIN + TEST)


def planes(pictures):
    """As CIFAR stores them: one colour after the other."""
    return pictures.transpose(0, 3, 1, 2).reshape(len(pictures), -1)


def batches():
    """Name and rows of each batch of CIFAR-10."""
    for k in range(5):
        yield f"data_batch_{k + 1}", slice(3 * k, 3 * k + 3)
    yield "test_batch", slice(TRAIN, None)


def parts():
    return (("train", slice(TRAIN)), ("test", slice(TRAIN, None)))


def ten_python(folder, q=10, dump=lambda stored: pickle.dumps(stored, 4)):
    pictures, labels = made(q)
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in batches():
        stored = {"data": planes(pictures[rows]), "labels": labels[rows].tolist()}
        (folder / name).write_bytes(dump(stored | {"filenames": ["a.png"] * 3}))
    (folder / "batches.meta").write_bytes(pickle.dumps({"label_names": ["airplane"]}, 4))


def ten_python_2(folder):
    ten_python(folder, dump=lambda stored: python_2(stored["data"], stored["labels"]))


def ten_binary(folder):
    pictures, labels = made(10)
    folder.mkdir(parents=True)
    for name, rows in batches():
        records = np.column_stack([labels[rows].astype(np.uint8), planes(pictures[rows])])
        (folder / f"{name}.bin").write_bytes(records.tobytes())


def hundred_python(folder):
    pictures, labels = made(100)
    folder.mkdir(parents=True)
    for name, rows in parts():
        stored = {
            b"data": planes(pictures[rows]),
            b"fine_labels": labels[rows].tolist(),
            b"coarse_labels": COARSE_OF[labels[rows]].tolist(),
        }
        (folder / name).write_bytes(pickle.dumps(stored, 2))


def hundred_binary(folder):
    pictures, labels = made(100)
    folder.mkdir(parents=True)
    for name, rows in parts():
        fine = labels[rows].astype(np.uint8)
        coarse = COARSE_OF[labels[rows]].astype(np.uint8)
        records = np.column_stack([coarse, fine, planes(pictures[rows])])
        (folder / f"{name}.bin").write_bytes(records.tobytes())


def packed(make, inside, mode="w:gz"):
    def write(path):
        make(path.parent / "unpacked" / inside)
        with tarfile.open(path, mode) as archive:
            archive.add(path.parent / "unpacked" / inside, inside)
        shutil.rmtree(path.parent / "unpacked")

    return write


def encoded(picture, kind="png"):
    file = io.BytesIO()
    Image.fromarray(picture).save(file, kind)
    return file.getvalue()


def one_table(path, column="jpeg", kind="png", **changes):
    """All rows in one file, the test part first and the training part upside down."""
    pictures, labels = made(10)
    order = [*range(TRAIN, TRAIN + TEST), *range(TRAIN - 1, -1, -1)]
    columns = {
        "split": ["test"] * TEST + ["train"] * TRAIN,
        "index": [row - TRAIN if row >= TRAIN else row for row in order],
        "label": labels[order].astype(np.int8),
        column: [encoded(pictures[row], kind) for row in order],
    }
    schema = {"split": polars.Categorical, "index": polars.Int32}
    polars.DataFrame(columns | changes, schema_overrides=schema).write_parquet(path)


def part_tables(q, column, label, shape=(32, 32, 3), coarse=False, shards=1):
    """Files of each part as data hubs have them: structs of bytes and a path."""

    def write(folder):
        pictures, labels = made(q, shape)
        folder.mkdir(parents=True, exist_ok=True)
        for part, rows in parts():
            those = range(TRAIN + TEST)[rows]
            for shard, some in enumerate(np.array_split(those, shards)):
                images = [{"bytes": encoded(pictures[row]), "path": None} for row in some]
                columns = {column: images, label: labels[some]}
                if coarse:
                    columns["coarse_label"] = COARSE_OF[labels[some]]
                file = folder / f"{part}-{shard:05}-of-{shards:05}.parquet"
                polars.DataFrame(columns).write_parquet(file)

    return write


def idx(array):
    sizes = struct.pack(f">{array.ndim}I", *array.shape)
    return bytes((0, 0, 8, array.ndim)) + sizes + array.astype(np.uint8).tobytes()


def idx_files(name="{part}-{what}-idx{d}-ubyte", pack=bytes, shape=(28, 28), leave=()):
    def write(folder):
        pictures, labels = made(10, shape)
        folder.mkdir(parents=True, exist_ok=True)
        for (_, rows), part in zip(parts(), ("train", "t10k")):
            for what, d, array in (("images", 3, pictures), ("labels", 1, labels)):
                if (part, what) not in leave:
                    file = folder / name.format(part=part, what=what, d=d)
                    file.write_bytes(pack(idx(array[rows])))

    return write


def python_2(array, labels):
    """The bytes that Python 2 wrote for {'data': array, 'labels': labels}, as in CIFAR's files."""

    def string(text):
        return b"U" + bytes([len(text)]) + text

    raw = array.tobytes()
    dtype = (
        b"cnumpy\ndtype\nq\x04(" + string(b"u1") + b"K\x00K\x01tRq\x05"
        b"(K\x03" + string(b"|") + b"NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
    )
    shape = b"".join(b"M" + struct.pack("<H", size) for size in array.shape) + b"\x86"
    return b"".join(
        (
            b"\x80\x02}q\x01(" + string(b"data") + b"q\x02",
            b"cnumpy.core.multiarray\n_reconstruct\nq\x03cnumpy\nndarray\nK\x00\x85"
            + string(b"b")
            + b"\x87R(K\x01"
            + shape
            + dtype
            + b"\x89T"
            + struct.pack("<i", len(raw))
            + raw
            + b"tb",
            string(b"labels") + b"q\x06](" + b"".join(b"K" + bytes([k]) for k in labels) + b"eu.",
        )
    )
