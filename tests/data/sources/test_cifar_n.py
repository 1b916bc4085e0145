"""CIFAR-N: each label set alone, images beside it, side files; then the real files."""

import dataclasses
import io
import os
import pickle
from pathlib import Path

import numpy as np
import polars
import pytest
import torch
from PIL import Image

from candidly import fit_and_measure, sources
from candidly.compare.benchmarking import prepare
from candidly.compare.sweep.settings import make_settings
from candidly.data.labels.describe import describe, transition
from candidly.data.labels.labelled import Labelled
from candidly.data.labels.votes import votes_to_given
from candidly.data.sources import SOURCES, load
from candidly.data.sources._cifar_names import CIFAR10, CIFAR100, CIFAR100_COARSE, COARSE_OF
from candidly.data.sources._images import _check_classes
from candidly.data.sources._picture_tables import read_table
from candidly.data.sources.cifar_n import SETS, image_order, load_cifar_n, side_information
from candidly.data.sources.fetch import find_beside, find_file
from candidly.data.sources.pictures import decoded

from needs import real_files

FAULTY = "cifar100n-coarse-challenge"
SINGLE = [name for name in SETS if name not in ("cifar10n", FAULTY)]
N = 40


def ten(seed=0):
    rng = np.random.default_rng(seed)
    keys = ("clean_label", "aggre_label", "worse_label", *(f"random_label{k}" for k in (1, 2, 3)))
    return {key: rng.integers(0, 10, N) for key in keys}


def hundred(seed=0):
    rng = np.random.default_rng(seed)
    clean, noisy = rng.integers(0, 100, (2, N))
    return {
        "clean_label": clean,
        "noisy_label": noisy,
        "clean_coarse_label": COARSE_OF[clean].tolist(),
        "noisy_coarse_label": COARSE_OF[noisy].tolist(),
    }


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The files as they are published, of 40 images; an empty cache, and no network."""
    import pooch

    def refuse(*args, **kwargs):
        raise AssertionError("the network was asked")

    monkeypatch.delenv("CANDIDLY_DATA", raising=False)
    monkeypatch.setattr("candidly.data.sources.fetch._cache", lambda: tmp_path / "cache")
    monkeypatch.setattr(pooch, "retrieve", refuse)
    (tmp_path / "labels").mkdir()
    torch.save(ten(), tmp_path / "labels" / "CIFAR-10_human.pt")
    torch.save(hundred(), tmp_path / "labels" / "CIFAR-100_human.pt")
    return tmp_path


def expected_of(name):
    found = ten() if name.startswith("cifar10n") else hundred()
    labels = SETS[name]
    truth, given = found["clean_label"], found[labels.keys[0]]
    return (COARSE_OF[truth], COARSE_OF[given]) if name.endswith("coarse") else (truth, given)


@pytest.mark.parametrize("name", SINGLE)
def test_a_label_set_is_its_given_labels_and_the_truth(folder, name):
    with (
        pytest.warns(UserWarning, match="n is 40, not 50000"),
        pytest.warns(UserWarning, match=f"{name}: labels alone, as there is no file"),
    ):
        data = load(name, folder)
    truth, given = expected_of(name)
    assert np.array_equal(data.truth, truth)
    assert np.array_equal(data.given, given)
    assert data.candidates is data.tags is data.votes is None
    assert data.source == name
    assert data.q == {"cifar100n": 100, "cifar100n-coarse": 20}.get(name, 10)
    kind = "CIFAR-10" if name.startswith("cifar10n") else "CIFAR-100"
    assert data.inputs[7] == f"{kind} training image 7"
    assert data[[7, 3]].ids.tolist() == [7, 3]


def test_the_votes_are_the_three_random_labels(folder):
    path = folder / "labels" / "CIFAR-10_human.pt"
    data = load_cifar_n(path, "cifar10n")
    assert data.given is None
    rows = data.votes.rows()
    found = ten()
    assert len(rows) == 3 * N
    for item, who, (label,) in rows:
        assert label == found[f"random_label{who.removeprefix('random')}"][item]
    assert rows[:3] == [(0, f"random{k}", (found[f"random_label{k}"][0],)) for k in (1, 2, 3)]


def reachable(thing):
    """Every array that can be got at from here, and what arrays are views of."""
    if isinstance(thing, np.ndarray):
        yield thing
        yield from reachable(thing.base)
        if thing.dtype == object:
            yield from (found for value in thing for found in reachable(value))
    elif dataclasses.is_dataclass(thing):
        for field in dataclasses.fields(thing):
            yield from reachable(getattr(thing, field.name))
    elif isinstance(thing, (tuple, list, dict)):
        values = thing.values() if isinstance(thing, dict) else thing
        yield from (found for value in values for found in reachable(value))


@pytest.mark.parametrize("kind", [".pt", ".npz", "_ordered.npy"])
@pytest.mark.parametrize("name", SINGLE)
def test_no_other_label_set_can_be_reached(folder, ordered, name, kind):
    files = {"CIFAR-10": ten(), "CIFAR-100": hundred()}
    for stem, arrays in files.items():
        np.savez(folder / "labels" / f"{stem}_human.npz", **arrays)
    stem = "CIFAR-10" if name.startswith("cifar10n") else "CIFAR-100"
    place = ordered if kind == "_ordered.npy" else folder / "labels"
    data = load_cifar_n(place / f"{stem}_human{kind}", name)
    own = {"clean_label", SETS[name].keys[0]}
    if name.endswith("coarse"):
        own = {"clean_coarse_label", "noisy_coarse_label"}
    others = [np.asarray(labels) for key, labels in files[stem].items() if key not in own]
    arrays = [array for array in reachable(data) if array.dtype != object]
    assert len(arrays) >= 3
    for array in arrays:
        assert array.size == N
        assert not any(np.array_equal(array, other) for other in others)
    blind = data.blind()
    arrays = [array for array in reachable(blind) if array.dtype != object]
    assert not any(np.array_equal(array, data.truth) for array in arrays)
    labels = ("candidates", "given", "tags", "votes", "truth")
    assert [name for name in labels if getattr(data, name) is not None] == ["given", "truth"]
    assert [name for name in labels if getattr(blind, name) is not None] == ["given"]


@pytest.mark.filterwarnings("ignore:.*labels alone")
def test_conversions_need_not_have_the_checksum(folder):
    np.savez(folder / "CIFAR-10_human.npz", **{k: v.astype(np.uint8) for k, v in ten().items()})
    with pytest.warns(UserWarning, match="n is 40") as told:
        data = load("cifar10n-worst", folder)
    assert not any("SHA-256" in str(warning.message) for warning in told)
    assert data == load_cifar_n(folder / "labels" / "CIFAR-10_human.pt", "cifar10n-worst")
    (folder / "CIFAR-10_human.npz").unlink()
    with pytest.warns(UserWarning, match="has SHA-256"):
        load("cifar10n-worst", folder)


def test_coarse_labels_are_recomputed_from_the_fine_ones(folder):
    found = hundred()
    found["noisy_coarse_label"][0] += 1
    found["noisy_coarse_label"][1] += 1
    torch.save(found, folder / "faulty.pt")
    with pytest.warns(UserWarning, match=r"its noisy coarse labels .* only 95.0 % of the images"):
        data = load_cifar_n(folder / "faulty.pt", "cifar100n-coarse")
    assert np.array_equal(data.given, COARSE_OF[found["noisy_label"]])
    assert np.array_equal(data.truth, COARSE_OF[found["clean_label"]])
    fine = load_cifar_n(folder / "faulty.pt", "cifar100n")  # has nothing to say about it
    assert np.array_equal(fine.given, found["noisy_label"])


def test_the_faulty_coarse_labels_of_the_challenge_are_as_stored(folder):
    found = hundred()
    rng = np.random.default_rng(7)
    faulty = {  # 12 values, right for about 60 %
        f"{which}_coarse_label": np.where(
            rng.random(N) < 0.6, COARSE_OF[found[f"{which}_label"]] % 12, rng.integers(0, 12, N)
        ).tolist()
        for which in ("clean", "noisy")
    }
    right = np.mean(COARSE_OF[found["clean_label"]] == faulty["clean_coarse_label"])
    few = len(set(faulty["noisy_coarse_label"]))
    (folder / "challenge").mkdir()
    torch.save(found | faulty, folder / "challenge" / "CIFAR-100_human.pt")
    file = folder / "challenge" / "CIFAR-100_human.pt"
    message = rf"faulty. They .* only {100 * right:.1f} % of the images, and {few} of 20 occur"
    with pytest.warns(UserWarning, match=message):
        data = load_cifar_n(file, FAULTY)
    assert data.truth.tolist() == faulty["clean_coarse_label"]
    assert data.given.tolist() == faulty["noisy_coarse_label"]
    assert (data.q, data.source) == (20, FAULTY)
    fine = [found[f"{one}_label"] for one in ("clean", "noisy")]
    others = [*fine, *(COARSE_OF[one] for one in fine)]
    for array in reachable(data):
        assert not any(np.array_equal(array, other) for other in others)
    with pytest.raises(ValueError, match=r"has the right coarse labels.*load cifar100n-coarse"):
        load_cifar_n(folder / "labels" / "CIFAR-100_human.pt", FAULTY)
    np.savez(folder / "fine.npz", clean_label=found["clean_label"])
    with pytest.raises(ValueError, match="has no array 'noisy_coarse_label'"):
        load_cifar_n(folder / "fine.npz", FAULTY)
    assert SOURCES[FAULTY].url is None


@pytest.mark.filterwarnings("ignore:.*n is 40", "ignore:.*coarse labels of this file are faulty")
def test_faulty_labels_are_joined_to_the_pictures_all_the_same(folder):
    found, place = hundred(), folder / "challenge"
    (place / "cifar-100-python").mkdir(parents=True)
    stored = COARSE_OF[found["clean_label"]]
    stored[: N // 4] = (stored[: N // 4] + 1) % 20
    torch.save(
        found | {f"{one}_coarse_label": stored.tolist() for one in ("clean", "noisy")},
        place / "CIFAR-100_human.pt",
    )
    pixels = np.random.default_rng(0).integers(0, 256, (N, 3072), dtype=np.uint8)
    for order, message in ((np.arange(N), ""), (np.arange(N)[::-1], "they are in another order")):
        labels = found["clean_label"][order].tolist()
        for part in ("train", "test"):
            content = pickle.dumps({"data": pixels[order], "fine_labels": labels}, 2)
            (place / "cifar-100-python" / part).write_bytes(content)
        if message:
            with pytest.raises(ValueError, match=message):
                load(FAULTY, place)
        else:
            assert np.array_equal(load(FAULTY, place).truth, stored)


@pytest.fixture
def ordered(folder):
    """The same labels as ``numpy.save`` pickles them in TensorFlow's order, and the orders."""
    rng = np.random.default_rng(3)
    orders = {"c10": rng.permutation(N), "c100": rng.permutation(N)}
    stored = {key: np.asarray(array)[orders["c10"]] for key, array in ten().items()}
    place = folder / "ordered"
    place.mkdir()
    np.save(place / "CIFAR-10_human_ordered.npy", stored)
    fine = {"clean_label": "clean_label", "noise_label": "noisy_label"}
    stored = {key: hundred()[other][orders["c100"]] for key, other in fine.items()}
    np.save(place / "CIFAR-100_human_ordered.npy", stored)
    for key, order in orders.items():
        np.save(place / f"image_order_{key}.npy", order)
    return place


@pytest.mark.parametrize("name", [name for name in SETS if name != FAULTY])
def test_files_in_tensorflows_order_hold_the_same(folder, ordered, name):
    stem = "CIFAR-10" if name.startswith("cifar10n") else "CIFAR-100"
    data = load_cifar_n(ordered / f"{stem}_human_ordered.npy", name)
    assert data == load_cifar_n(folder / "labels" / f"{stem}_human.pt", name)
    stored = np.load(ordered / f"{stem}_human_ordered.npy", allow_pickle=True).item()
    in_its_order = data[image_order(name, ordered)]
    truth = stored["clean_label"]
    assert np.array_equal(in_its_order.truth, COARSE_OF[truth] if data.q == 20 else truth)
    wrong = in_its_order.truth != truth  # a perfect detector's answer goes back by id
    back = np.zeros(N, bool)
    back[in_its_order.ids] = wrong
    assert back.sum() == wrong.sum()


@pytest.mark.filterwarnings("ignore:.*(n is 40|labels alone)")
def test_files_in_tensorflows_order_are_found_and_need_the_order(folder, ordered):
    assert load("cifar10n-worst", ordered) == load("cifar10n-worst", folder / "labels")
    np.save(ordered / "image_order_c10.npy", np.arange(N + 1))
    with pytest.raises(ValueError, match=r"has \(40,\) as 'clean_label', and the order .* has 41"):
        load("cifar10n-worst", ordered)
    (ordered / "image_order_c10.npy").unlink()
    with pytest.raises(FileNotFoundError, match=r"no file 'image_order_c10.npy' in .*ordered"):
        load("cifar10n-worst", ordered)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (np.arange(4), r"it holds int64 \(4,\), not one dict"),
        (np.array([{}, {}], object), r"it holds object \(2,\), not one dict"),
        ({}, "it does not hold a dict of arrays"),
        ({"clean_label": np.zeros(3)}, r"calls numpy.dtype otherwise than arrays of whole numbers"),
        ({"clean_label": np.arange(3, dtype=">i8")}, "with its bytes in another order"),
        ({"clean_label": np.asfortranarray(np.ones((2, 3), int))}, "that is not uint8, row by row"),
        ({"clean_label": Path("a")}, "it names pathlib.* nothing of it was run"),
        ({"clean_label": {"a": 1}}, "it holds a dict, which is no array of integers"),
        ({"clean_label": "text"}, "it holds a str, which is no array of integers"),
        ({str(k): [] for k in range(1001)}, "it is larger than what should be in it"),
    ],
)
def test_files_in_tensorflows_order_with_anything_else_are_refused(ordered, content, message):
    file = ordered / "CIFAR-10_human_ordered.npy"
    np.save(file, content)
    with pytest.raises(ValueError, match=message):
        load_cifar_n(file, "cifar10n-worst")


def test_damaged_files_in_tensorflows_order_are_refused(ordered):
    file = ordered / "CIFAR-10_human_ordered.npy"
    whole = file.read_bytes()
    for content in (b"", b"no array", whole[:80], whole[:300], whole[:-1]):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=r"ordered.npy cannot be read as label arrays"):
            load_cifar_n(file, "cifar10n-worst")
    bomb = io.BytesIO()
    header = {"descr": "|O", "fortran_order": False, "shape": ()}
    np.lib.format.write_array_header_1_0(bomb, header)
    file.write_bytes(bomb.getvalue() + b"\x80\x02" + b"]" * 2_000 + b".")
    with pytest.raises(ValueError, match="it is larger than what should be in it"):
        load_cifar_n(file, "cifar10n-worst")


def test_super_classes():
    assert len(CIFAR10) == 10
    assert len(set(CIFAR100)) == 100
    assert np.bincount(COARSE_OF).tolist() == [5] * 20
    for fine, coarse in {"apple": "fruit_and_vegetables", "whale": "aquatic_mammals"}.items():
        assert CIFAR100_COARSE[COARSE_OF[CIFAR100.index(fine)]] == coarse
    # the beginning of the standard table, as programs that use it write it
    standard = [4, 1, 14, 8, 0, 6, 7, 7, 18, 3, 3, 14, 9, 18, 7, 11, 3, 9, 7, 11]
    assert COARSE_OF[:20].tolist() == standard


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"worse_label": None}, r"has no array 'worse_label'; it has clean_label, aggre"),
        ({"clean_label": None}, r"has no array 'clean_label'"),
        ({"worse_label": np.zeros(N - 1, int)}, r"has int64 \(39,\) as 'worse_label'"),
        ({"worse_label": np.full(N, 10)}, r"has 10 as 'worse_label' of image 0, not 0..9"),
        ({"clean_label": np.full(N, -1)}, r"has -1 as 'clean_label' of image 0"),
    ],
)
@pytest.mark.parametrize("suffix", [".pt", ".npz"])
def test_files_without_the_labels_are_refused(tmp_path, change, message, suffix):
    found = {key: value for key, value in (ten() | change).items() if value is not None}
    path = tmp_path / f"labels{suffix}"
    np.savez(path, **found) if suffix == ".npz" else torch.save(found, path)
    with pytest.raises(ValueError, match=message):
        load_cifar_n(path, "cifar10n-worst")


def test_other_files_are_refused(folder):
    with pytest.raises(ValueError, match=r"x.csv must end in one of .pt, .npz, .npy"):
        load_cifar_n(folder / "x.csv", "cifar10n")
    with pytest.raises(ValueError, match=r"has no array 'aggre_label'"):
        load("cifar10n-aggre", folder / "labels" / "CIFAR-100_human.pt")
    with pytest.raises(KeyError, match="no label set of CIFAR-N named 'cifar11n'; did you mean"):
        image_order("cifar11n")
    np.savez(folder / "floats.npz", **{k: v * 1.0 for k, v in ten().items()})
    with pytest.raises(ValueError, match=r"has float64 \(40,\) as 'worse_label'"):
        load_cifar_n(folder / "floats.npz", "cifar10n-worst")


def jpeg(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "jpeg", quality=95)
    return file.getvalue()


def pictures(seed=1, **changes):
    """The table of images: 40 plain ones for training, out of order, and three for testing."""
    rng = np.random.default_rng(seed)
    colours = rng.integers(0, 256, (N, 3), dtype=np.uint8)
    train = [jpeg(np.broadcast_to(colour, (8, 8, 3)).copy()) for colour in colours]
    order = rng.permutation(N)
    columns = {
        "split": ["test"] * 3 + ["train"] * N,
        "index": [0, 1, 2, *order.tolist()],
        "label": [0, 0, 0, *ten()["clean_label"][order].tolist()],
        "jpeg": [jpeg(np.zeros((8, 8, 3), np.uint8))] * 3 + [train[i] for i in order],
    }
    return colours, columns | changes


@pytest.mark.filterwarnings("ignore:.*n is 40")
def test_images_become_the_inputs_and_are_decoded_once(folder, monkeypatch):
    colours, columns = pictures()
    path = folder / "cifar10" / "cifar10_jpeg.parquet"
    path.parent.mkdir()
    polars.DataFrame(columns).write_parquet(path)
    rows = []
    data = load("cifar10n-rand1", folder, watch=lambda done, total: rows.append((done, total)))
    assert data.inputs.shape == (N, 8, 8, 3)
    assert np.abs(data.inputs.mean((1, 2)) - colours).max() < 3
    assert rows == [(0, N + 3)]  # the test part is decoded with them
    monkeypatch.setattr("candidly.data.sources.pictures.decoded", None)
    assert load("cifar10n-rand1", folder) == data
    assert np.array_equal(load("cifar10n", folder).inputs, data.inputs)
    # the labels' own file as root: its folder is looked into
    labels = folder / "labels" / "CIFAR-10_human.pt"
    path.rename(folder / "labels" / path.name)
    assert load("cifar10n-rand1", labels) == data
    with pytest.warns(UserWarning, match="cifar100n: labels alone"):
        load("cifar100n", folder)


@pytest.mark.filterwarnings("ignore:.*n is 40")
def test_images_from_an_array_come_first(folder):
    polars.DataFrame(pictures()[1]).write_parquet(folder / "cifar10_jpeg.parquet")
    images = np.random.default_rng(0).integers(0, 256, (N, 4, 4, 3), dtype=np.uint8)
    np.save(folder / "cifar10_train.npy", images)
    assert np.array_equal(load("cifar10n-worst", folder).inputs, images)
    np.save(folder / "cifar100_train.npy", images)
    assert np.array_equal(load("cifar100n-coarse", folder).inputs, images)


@pytest.fixture
def both_forms(folder):
    """CIFAR-10 of 40 noisy pictures in its Python version; and a function that saves an array."""
    pixels = np.random.default_rng(0).integers(0, 256, (N, 3072), dtype=np.uint8)
    place = folder / "cifar-10-batches-py"
    place.mkdir()
    truth = ten()["clean_label"]
    for batch in range(5):
        rows = slice(8 * batch, 8 * batch + 8)
        stored = {"data": pixels[rows], "labels": truth[rows].tolist()}
        (place / f"data_batch_{batch + 1}").write_bytes(pickle.dumps(stored, 2))
    (place / "test_batch").write_bytes(pickle.dumps(stored, 2))
    images = pixels.reshape(N, 3, 32, 32).transpose(0, 2, 3, 1)
    return images, lambda array: np.save(folder / "cifar10_train.npy", array)


@pytest.mark.filterwarnings("ignore:.*n is 40")
def test_an_array_in_another_order_is_matched_or_refused(folder, both_forms, recwarn):
    images, save = both_forms
    save(images)
    assert np.array_equal(load("cifar10n-worst", folder).inputs, images)
    assert not [told for told in recwarn if "another order" in str(told.message)]
    order = np.random.default_rng(2).permutation(N)
    save(np.clip(images[order].astype(int) + 2, 0, 255).astype(np.uint8))
    with pytest.warns(UserWarning, match="holds pictures in another order .* matched to"):
        data = load("cifar10n-worst", folder)
    assert np.abs(data.inputs.astype(int) - images).max() <= 2
    assert np.array_equal(data.given, ten()["worse_label"])
    changed = images[order].copy()
    changed[5] = 0
    save(changed)
    message = r"another order than the labels, and .* of cifar10: picture 5 is like none"
    with pytest.raises(ValueError, match=message):
        load("cifar10n-worst", folder)
    other = images[:, 8:24, 8:24]  # of another size: nothing to compare with
    save(other)
    assert np.array_equal(load("cifar10n-worst", folder).inputs, other)


def test_an_array_alone_must_have_to_do_with_the_classes():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 10, 10_000)
    images = rng.integers(0, 200, (10_000, 4, 4), dtype=np.uint8)
    images[:, 0, 0] = np.clip(images[:, 0, 0] + 6 * truth, 0, 255)  # a sixteenth
    data = Labelled(inputs=images, classes=CIFAR10, truth=truth)
    _check_classes(Path("train.npy"), images, data)
    shuffled = images[rng.permutation(10_000)]
    with pytest.raises(ValueError, match=r"nothing to do with the true classes .* look most like"):
        _check_classes(Path("train.npy"), shuffled, data)
    few = data[np.arange(9_999)]
    _check_classes(Path("train.npy"), shuffled[:9_999], few)  # too few to tell


@pytest.mark.filterwarnings("ignore:.*n is 40")
@pytest.mark.parametrize("name", ["cifar100n", "cifar100n-coarse"])
def test_images_from_any_form_of_the_collection(folder, name):
    pixels = np.random.default_rng(0).integers(0, 256, (N + 3, 3072), dtype=np.uint8)
    fine = np.append(hundred()["clean_label"], [1, 2, 3])
    place = folder / "cifar-100-python"
    place.mkdir()

    def write():
        for part, rows in (("train", slice(N)), ("test", slice(N, None))):
            stored = {"data": pixels[rows], "fine_labels": fine[rows].tolist()}
            (place / part).write_bytes(pickle.dumps(stored, 2))

    write()
    data = load(name, folder)
    assert np.array_equal(data.inputs, pixels[:N].reshape(N, 3, 32, 32).transpose(0, 2, 3, 1))
    with pytest.warns(UserWarning, match="labels alone.*no whole form of cifar100, where"):
        load(name, folder / "labels")
    fine[[0, 5]] = (fine[[0, 5]] + 50) % 100
    write()
    with pytest.raises(ValueError, match=r"train has another class than the labels for image 0"):
        load(name, folder)


@pytest.mark.filterwarnings("ignore:.*n is 40")
@pytest.mark.parametrize("name", ["cifar100n", "cifar100n-coarse"])
def test_the_official_test_pictures_stand_behind_those_that_people_labelled(
    folder, name, monkeypatch
):
    pixels = np.random.default_rng(0).integers(0, 256, (N + 3, 3072), dtype=np.uint8)
    fine = np.append(hundred()["clean_label"], [1, 2, 3])
    place = folder / "cifar-100-python"
    place.mkdir()
    for part, rows in (("train", slice(N)), ("test", slice(N, None))):
        stored = {"data": pixels[rows], "fine_labels": fine[rows].tolist()}
        (place / part).write_bytes(pickle.dumps(stored, 2))
    with pytest.raises(FileNotFoundError, match="has 3 of the 10,000 official test pictures"):
        load(name, folder, tested=True)
    monkeypatch.setitem(SOURCES, name, dataclasses.replace(SOURCES[name], test_rows=3))
    alone, data = load(name, folder), load(name, folder, tested=True)
    assert data[np.arange(N)].fingerprint() != alone.fingerprint()  # it has flags
    assert dataclasses.replace(data[np.arange(N)], official_test=None) == alone
    assert data.official_test.tolist() == [False] * N + [True] * 3
    assert data.given[N:].tolist() == [-1] * 3
    classes = COARSE_OF[fine[N:]] if name.endswith("coarse") else fine[N:]
    assert data.truth[N:].tolist() == classes.tolist()
    assert np.array_equal(data.inputs[N:], pixels[N:].reshape(3, 3, 32, 32).transpose(0, 2, 3, 1))
    found = fit_and_measure(data, "ce", steps=2, batch_size=8, net="mlp:2")
    assert (found.learned.n, found.held.n, found.left_out) == (N, 3, 0)
    assert list(found.measured) == ["oracle accuracy"]
    right = (found.logits.argmax(1) == classes).mean()
    assert found.measured["oracle accuracy"] == right
    settings = make_settings(datasets=(name,), algorithms=("ce",), split="official", net="mlp:2",
                             hyper={"batch_size": 8}, recipe="adam")  # fmt: skip
    plan, _ = prepare(settings, root=folder)
    (facts,) = plan.facts.values()
    assert (facts.n, facts.n_test, facts.n_validation) == (N + 3, 3, N // 10)


@pytest.mark.filterwarnings("ignore:.*n is 40")
def test_a_cache_that_cannot_be_written_is_done_without(folder):
    polars.DataFrame(pictures()[1]).write_parquet(folder / "cifar10_jpeg.parquet")
    (folder / "cache").write_text("a file, not a folder")
    assert load("cifar10n-rand1", folder).kind == "images"


@pytest.mark.filterwarnings("ignore:.*n is 40")
@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"index": [0, 1, 2, *[5] * N]}, r"does not hold the training images 0 to 39, once each"),
        ({"split": ["train"] * (N + 3)}, r"does not hold the training images"),
        ({"label": [0] * (N + 3)}, r"has another class than the labels for image 0 \(3\d such"),
        (
            {"jpeg": [b"no image"] * (N + 3)},
            r"image 0 cannot be used \(it cannot be read as",
        ),
        (
            {"jpeg": [jpeg(np.zeros((8 + (i == 20), 8, 3), np.uint8)) for i in range(N + 3)]},
            r"image \d+ cannot be used \(\(9, 8\) pixels, not \(8, 8\) as others",
        ),
    ],
)
def test_other_images_are_refused(folder, changes, message):
    polars.DataFrame(pictures(**changes)[1]).write_parquet(folder / "cifar10_jpeg.parquet")
    with pytest.raises(ValueError, match=message):
        load("cifar10n-rand1", folder)


@pytest.mark.filterwarnings("ignore:.*n is 40")
@pytest.mark.parametrize(
    ("images", "message"),
    [
        (np.zeros((N - 1, 4, 4), np.uint8), r"holds uint8 \(39, 4, 4\); 40 images"),
        (np.zeros((N, 4, 4)), r"holds float64 \(40, 4, 4\)"),
    ],
)
def test_other_arrays_are_refused(folder, images, message):
    np.save(folder / "cifar10_train.npy", images)
    with pytest.raises(ValueError, match=message):
        load("cifar10n-rand1", folder)
    (folder / "cifar10_train.npy").write_bytes(b"\x80\x04N.")
    with pytest.raises(ValueError, match=r"cifar10_train.npy cannot be read as an array"):
        load("cifar10n-rand1", folder)
    (folder / "cifar10_train.npy").unlink()
    (folder / "cifar10_jpeg.parquet").write_bytes(b"no table")
    with pytest.raises(ValueError, match=r"cifar10_jpeg.parquet cannot be read as a table"):
        load("cifar10n-rand1", folder)


def test_image_order(folder):
    order = np.random.default_rng(0).permutation(N).astype(np.int32)
    np.savez(folder / "image_order.npz", c10=order, c100=order[::-1])
    data = load_cifar_n(folder / "labels" / "CIFAR-10_human.pt", "cifar10n-worst")
    assert image_order("cifar10n-worst", folder).dtype == np.int64
    assert image_order("cifar100n", folder).tolist() == order[::-1].tolist()
    turned = data[image_order("cifar10n-worst", folder)]
    assert turned.ids.tolist() == order.tolist()
    assert np.array_equal(turned.given, ten()["worse_label"][order])
    assert turned[np.argsort(turned.ids)] == data
    (folder / "image_order.npz").unlink()
    np.save(folder / "image_order_c10.npy", order)
    assert image_order("cifar10n", folder).tolist() == order.tolist()
    for wrong in (np.zeros(3, int), order.reshape(4, 10), order + 1):
        np.save(folder / "image_order_c10.npy", wrong)
        with pytest.raises(ValueError, match="which is no permutation"):
            image_order("cifar10n", folder)
    (folder / "image_order_c10.npy").write_bytes(b"\x80\x04N.")
    with pytest.raises(ValueError, match="holds no order of images"):
        image_order("cifar10n", folder)


def test_side_files(folder):
    (folder / "side_info_cifar100N.csv").write_text(
        "Image-batch,Worker-id,Work-time-in-seconds\n3--5,7,30\n0--2,8,20\n"
    )
    side = side_information("cifar100n-coarse", folder)
    assert side.batch.tolist() == [1, 1, 1, 0, 0, 0]
    assert side.workers.tolist() == [[8]] * 3 + [[7]] * 3
    assert side.seconds.tolist() == [[20]] * 3 + [[30]] * 3
    file = folder / "side_info_cifar10N.csv"
    file.write_text("a,b,c,d,e,f,g\n0--1,5,50,6,60,7,70\n")
    with pytest.warns(UserWarning, match="workers are not those who gave the random labels"):
        side = side_information("cifar10n-worst", folder)
    assert side.workers.tolist() == [[5, 6, 7]] * 2
    assert side.seconds.tolist() == [[50, 60, 70]] * 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,c\n0--2,1,1\n4--5,1,1\n", "its batches leave images out, or hold one twice"),
        ("a,b,c\n0--2,1,1\n2--5,1,1\n", "its batches leave images out, or hold one twice"),
        ("a,b,c\n0--2,1\n", "it has 1 columns of numbers, not 2"),
        ("a,b,c\n0-2,1,1\n", "is no table of batches, workers and times"),
        ("a,b,c\n0--2,x,1\n", "is no table of batches, workers and times"),
        ("a,b,c\n0--1,1,1\n2--2,1\n", "is no table of batches, workers and times"),
        ("", "is no table of batches, workers and times"),
    ],
)
def test_side_files_of_another_form_are_refused(folder, text, message):
    (folder / "side_info_cifar100N.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        side_information("cifar100n", folder)


def test_nothing_can_be_learned_from_names(folder):
    from candidly import fit

    data = load_cifar_n(folder / "labels" / "CIFAR-10_human.pt", "cifar10n-worst")
    with pytest.raises(ValueError, match="differ in their numbers alone, such as 'CIFAR-10"):
        fit(data, "ce", steps=1)


# the real files


MEASURED = {
    "cifar10n-aggre": (4505, 0.0901),
    "cifar10n-rand1": (8617, 0.1723),
    "cifar10n-rand2": (9061, 0.1812),
    "cifar10n-rand3": (8820, 0.1764),
    "cifar10n-worst": (20104, 0.4021),
    "cifar100n": (20100, 0.4020),
    "cifar100n-coarse": (13202, 0.2640),
}
DIAGONALS = {
    "cifar10n-aggre": (9430, 9480, 9310, 8252, 8312, 8920, 9002, 9552, 9738, 8994),
    "cifar10n-rand1": (8484, 8466, 8400, 7430, 7600, 8234, 8270, 8950, 8794, 8138),
    "cifar10n-rand2": (8422, 8312, 8348, 7378, 7524, 8064, 8256, 8824, 8734, 8016),
    "cifar10n-rand3": (8484, 8428, 8426, 7444, 7418, 8198, 8254, 8916, 8732, 8060),
    "cifar10n-worst": (6502, 5922, 6320, 4872, 4882, 5802, 5936, 7216, 6834, 5506),
}  # ten-thousandths
CONFUSIONS = {  # the largest of worst
    ("truck", "automobile"): 0.2820,
    ("automobile", "truck"): 0.2474,
    ("cat", "dog"): 0.2056,
    ("dog", "cat"): 0.1830,
    ("deer", "horse"): 0.1516,
}


def real(name, suffix=".npz"):
    stem = "CIFAR-10" if name.startswith("cifar10n") else "CIFAR-100"
    return load_cifar_n(
        Path(os.environ["CANDIDLY_DATA"]) / "cifar_n" / f"{stem}_human{suffix}", name
    )


@pytest.fixture(scope="module")
def human():
    """The label sets of CIFAR-10N by name, and the truth."""
    sets = {name: real(name) for name in SETS if name.startswith("cifar10n-")}
    return {name.removeprefix("cifar10n-"): data.given for name, data in sets.items()} | {
        "truth": sets["cifar10n-worst"].truth
    }


@real_files
@pytest.mark.parametrize("name", MEASURED)
def test_real_counts_of_errors(name):
    errors, rate = MEASURED[name]
    data = real(name)
    assert (data.n, data.q) == (50_000, len(SETS[name].classes))
    assert (data.given != data.truth).sum() == errors
    found = describe(data)
    assert found.oracle_given_noise_rate == errors / 50_000
    assert found.oracle_given_noise_rate == pytest.approx(rate, abs=5e-5)
    assert np.unique(found.oracle_class_counts).tolist() == [50_000 // data.q]


@real_files
@pytest.mark.parametrize("name", [name for name in SETS if name != FAULTY])
def test_real_files_of_all_forms_hold_the_same(tmp_path, name):
    data = real(name, ".npz")
    assert real(name, ".pt") == data
    order = image_order(name)  # the third form as it is published, made of the first
    stem = "CIFAR-10" if name.startswith("cifar10n") else "CIFAR-100"
    with np.load(Path(os.environ["CANDIDLY_DATA"]) / "cifar_n" / f"{stem}_human.npz") as found:
        keys = [key for key in found if "coarse" not in key]
        stored = {key.replace("noisy", "noise"): found[key][order].astype(int) for key in keys}
    np.save(tmp_path / f"{stem}_human_ordered.npy", stored)
    assert load_cifar_n(tmp_path / f"{stem}_human_ordered.npy", name) == data


@real_files
@pytest.mark.filterwarnings("error::UserWarning")
def test_real_files_are_those_on_record(tmp_path, monkeypatch):
    import hashlib

    monkeypatch.setattr("candidly.data.sources.fetch._cache", lambda: tmp_path)
    for name in ("cifar10n", "cifar100n"):
        source = SOURCES[name]
        path = find_file(source, None, download=False).with_name(source.files[0])
        assert hashlib.sha256(path.read_bytes()).hexdigest() == source.sha256
        assert path.stat().st_size == source.size_bytes
    monkeypatch.setattr(sources, "with_pictures", lambda data, *_: data)
    for name in SETS.keys() - {FAULTY}:
        load(name, download=False)  # would warn of a difference
    with pytest.raises(ValueError, match="has the right coarse labels"):
        load(FAULTY, download=False)


@real_files
@pytest.mark.parametrize("name", DIAGONALS)
def test_real_transitions(name):
    found = describe(real(name))
    assert 1e4 * np.array(found.oracle_diagonal) == pytest.approx(DIAGONALS[name], abs=0.5)
    shares = np.array(found.oracle_transition)
    assert np.allclose(shares.sum(1), 1)
    if name.endswith("worst"):
        for (truth, given), share in CONFUSIONS.items():
            assert shares[CIFAR10.index(truth), CIFAR10.index(given)] == pytest.approx(
                share, abs=5e-5
            )
        priors = shares.mean(0)
        assert (priors.min(), priors.max()) == pytest.approx((0.081, 0.121), abs=5e-4)


@real_files
def test_real_transitions_of_cifar_100n():
    data = real("cifar100n")
    shares = transition(data.given, data.truth, 100)
    right = shares.diagonal()
    assert (CIFAR100[right.argmin()], CIFAR100[right.argmax()]) == ("beaver", "sunflower")
    assert (right.min(), right.max()) == pytest.approx((0.126, 0.920), abs=5e-4)
    taken = {row: int(shares[row].argmax()) for row in range(100) if shares[row].argmax() != row}
    assert taken == {59: 52, 74: 50, 81: 13}
    sizes = np.bincount(data.given)
    assert (sizes.min(), sizes.max()) == (199, 865)
    wrong = data.given != data.truth
    inside = COARSE_OF[data.given[wrong]] == COARSE_OF[data.truth[wrong]]
    assert inside.mean() == pytest.approx(0.343, abs=5e-4)


@real_files
def test_how_the_real_sets_were_made(human):
    votes = np.stack([human["rand1"], human["rand2"], human["rand3"]], 1)
    differ = [(votes[:, i] != votes[:, j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    apart = np.logical_and.reduce(differ)
    assert apart.sum() == 3041
    for pair in differ:
        assert 0.712 - 5e-4 <= 1 - pair.mean() <= 0.718 + 5e-4
    majority = np.where(votes[:, 0] == votes[:, 1], votes[:, 0], votes[:, 2])
    assert np.array_equal(human["aggre"][~apart], majority[~apart])
    assert (human["aggre"][:, None] == votes).any(1).all()
    wrong = votes != human["truth"][:, None]
    assert np.bincount(wrong.sum(1)).tolist() == [29_896, 14_777, 4_260, 1_067]
    last = 2 - wrong[:, ::-1].argmax(1)  # the last wrong of the three
    expected = np.where(wrong.any(1), votes[np.arange(50_000), last], human["truth"])
    assert np.array_equal(human["worst"], expected)


@real_files
def test_real_votes_have_a_majority_where_the_aggregate_has_one(human):
    data = real("cifar10n")
    chosen = votes_to_given(data.votes, data.n, data.q)
    agree = chosen == human["aggre"]
    assert 50_000 - 3041 <= agree.sum() < 50_000  # of three different labels either takes one


@real_files
def test_other_sets_would_give_a_set_away(human):
    def f1(flagged, name):
        errors = human[name] != human["truth"]
        return 2 * (flagged & errors).sum() / (flagged.sum() + errors.sum())

    some = np.logical_or.reduce([human["worst"] != human[f"rand{k}"] for k in (1, 2, 3)])
    errors = human["worst"] != human["truth"]
    assert not (some & ~errors).any()
    assert (some & errors).sum() / errors.sum() == pytest.approx(0.986, abs=5e-4)
    assert f1(some, "worst") == pytest.approx(0.993, abs=5e-4)
    alone = (human["rand1"] != human["rand2"]) & (human["rand1"] != human["rand3"])
    assert f1(alone, "rand1") == pytest.approx(0.819, abs=5e-4)
    apart = alone & (human["rand2"] != human["rand3"])
    assert f1(apart, "aggre") == pytest.approx(0.588, abs=5e-4)


@real_files
@pytest.mark.parametrize(("name", "lost"), [("cifar10n-worst", 0.40), ("cifar10n-aggre", 0.09)])
def test_what_is_found_in_another_order_goes_back_by_id(name, lost):
    data = real(name)
    shuffled = data[np.random.default_rng(0).permutation(data.n)]
    found = shuffled.given != shuffled.truth  # a perfect detector, in the order it was handed
    errors = data.given != data.truth
    back = np.zeros(data.n, bool)
    back[shuffled.ids] = found
    assert np.array_equal(back, errors)
    assert (found & errors).sum() / errors.sum() == pytest.approx(lost, abs=0.01)  # F1, unordered


@real_files
def test_real_orders():
    ten, hundred = image_order("cifar10n"), image_order("cifar100n")
    assert len(ten) == len(hundred) == 50_000
    assert ten[0] == hundred[0]
    assert not np.array_equal(ten, hundred)
    data = real("cifar10n-worst")
    assert data[ten][np.argsort(ten)] == data


def explained(groups, values):
    """Share of the variance of values that lies between groups."""
    counts = np.bincount(groups)
    means = np.bincount(groups, values) / np.maximum(counts, 1)
    return (counts * (means - values.mean()) ** 2).sum() / ((values - values.mean()) ** 2).sum()


@real_files
def test_real_workers_of_cifar_10n_are_not_those_of_its_labels(human):
    with pytest.warns(UserWarning, match="Do not take them for annotators"):
        side = side_information("cifar10n")
    assert np.array_equal(side.batch, np.arange(50_000) // 10)
    assert len(np.unique(side.workers)) == 747
    assert (side.seconds.min(), side.seconds.max()) == (2, 118)
    errors = np.stack([human[f"rand{k}"] != human["truth"] for k in (1, 2, 3)], 1)
    rng = np.random.default_rng(0)

    def spread(rows):
        return errors[rows].reshape(5000, 30).mean(1).var()

    by_chance = [spread(rng.permutation(50_000)) for _ in range(20)]
    assert spread(np.arange(50_000)) == pytest.approx(0.00614, abs=5e-6)
    assert abs(spread(np.arange(50_000)) - np.mean(by_chance)) < 3 * np.std(by_chance)
    per_batch = errors.reshape(5000, 10, 3).mean(1).ravel()
    workers, seconds = side.workers[::10].ravel(), side.seconds[::10].ravel()
    assert np.bincount(workers).min() == 1
    assert np.bincount(workers).max() == 307
    assert np.median(seconds) == 42
    shuffled = [explained(rng.permutation(workers), per_batch) for _ in range(20)]
    assert explained(workers, per_batch) < np.mean(shuffled) + 3 * np.std(shuffled)
    assert np.corrcoef(seconds, per_batch)[0, 1] == pytest.approx(-0.004, abs=5e-4)


@real_files
@pytest.mark.filterwarnings("error::UserWarning")
def test_real_workers_of_cifar_100n_are_those_of_its_labels():
    data, side = real("cifar100n"), side_information("cifar100n")
    assert np.array_equal(side.batch, np.arange(50_000) // 5)
    assert len(np.unique(side.workers)) == 519
    assert (side.seconds.min(), side.seconds.max()) == (21, 358)
    errors = data.given != data.truth
    per_batch = errors.reshape(10_000, 5).mean(1)
    workers, seconds = side.workers[::5, 0], side.seconds[::5, 0]
    assert np.median(seconds) == 88
    assert np.bincount(workers).max() == 522
    rng = np.random.default_rng(0)
    by_chance = rng.permutation(errors).reshape(10_000, 5).mean(1).var()
    assert per_batch.var() == pytest.approx(0.0729, abs=5e-5)
    assert by_chance == pytest.approx(0.0479, abs=0.002)
    assert explained(workers, per_batch) == pytest.approx(0.43, abs=0.005)
    assert explained(rng.permutation(workers), per_batch) == pytest.approx(0.05, abs=0.01)
    assert np.corrcoef(seconds, per_batch)[0, 1] == pytest.approx(0.27, abs=0.005)


@real_files
def test_real_images_are_in_the_order_of_the_labels():
    path = find_beside(("cifar10_jpeg.parquet",), None)
    files, labels = read_table({"all": [path]})["train"]
    assert np.array_equal(labels, real("cifar10n-worst").truth)
    images = decoded(path, files[:100], "RGB", lambda done, total: None)
    small = np.load(path.with_name("cifar10_small_uint8.npz"))["train_images"][:100]
    assert np.abs(images.astype(int) - small).max() <= 2


@real_files
def test_a_shuffled_copy_of_real_images_is_matched():
    images = load("cifar10").inputs[:50_000]
    some = np.random.default_rng(0).choice(50_000, 100, replace=False)
    files = [jpeg(images[row]) for row in some]  # lossy once more
    copies = decoded(Path("copies"), files, "RGB", lambda done, total: None)
    assert (copies != images[some]).any((1, 2, 3)).mean() > 0.9
    assert np.array_equal(sources.match_order(copies, images), some)


@real_files
def test_real_images_go_with_the_classes_in_the_right_order_alone():
    data = load("cifar10n-worst")
    _check_classes(Path("here"), data.inputs, data)
    turned = np.roll(data.truth, 1)
    with pytest.raises(ValueError, match=r": (9|10)\.\d % look most like their own class"):
        _check_classes(Path("here"), data.inputs, dataclasses.replace(data, truth=turned))


@real_files
def test_a_synthetic_counterpart_of_real_labels(tmp_path):
    from candidly.data.imperfect import apply

    human = real("cifar10n-worst")
    human.save(tmp_path / "worst.npz")
    assert Labelled.load(tmp_path / "worst.npz") == human
    made = apply(human, f"empirical:file={tmp_path / 'worst.npz'}")
    counted = transition(human.given, human.truth, 10)
    error = np.sqrt(counted * (1 - counted) / 5000)
    assert (np.abs(transition(made.given, made.truth, 10) - counted) <= 5 * error).all()
    exact = apply(human, f"empirical:file={tmp_path / 'worst.npz'},exact=true")
    assert np.array_equal(transition(exact.given, exact.truth, 10), counted)
    assert (exact.given != exact.truth).sum() == 20_104
