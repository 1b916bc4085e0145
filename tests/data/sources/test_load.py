"""Known data sets: the table, where their files are looked for, and the real files."""

import hashlib
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from candidly.data.labels.building import from_arrays
from candidly.data.labels.describe import describe
from candidly.data.sources import SOURCES, Expected, compare, load, title_of
from candidly.data.sources.fetch import find_file
from candidly.ground.names import UnknownName
from candidly.ground.seeds import hashed

from needs import skip_without


def small_mat(path, n=6):
    path.parent.mkdir(parents=True, exist_ok=True)
    savemat(path, {"data": np.arange(n * 4.0).reshape(n, 4), "partial_target": np.ones((2, n))})
    return path


def test_the_table():
    assert list(SOURCES) == [
        "digits", "lost", "msrcv2", "mirflickr", "birdsong", "malagasy", "soccer-player",
        "italian", "yahoo-news", "english", "fg-net", "scattered-digits",
        "cifar10", "cifar100", "cifar100-coarse", "mnist", "fashion-mnist",
        "cifar10n-aggre", "cifar10n-rand1", "cifar10n-rand2", "cifar10n-rand3", "cifar10n-worst",
        "cifar10n", "cifar100n", "cifar100n-coarse", "cifar100n-coarse-challenge",
        "labelme", "bluebirds", "sentiment", "cifar10s", "cifar10h",
        "plcifar10-aggregate", "plcifar10-vaguest", "plcifar10",
        "noisywikihow",
    ]  # fmt: skip
    for name, source in SOURCES.items():
        assert source.name == name
        assert source.page.startswith("https://")
        assert source.licence
        assert source.citation
        assert (source.sha256 is None) == (source.size_bytes is None)
    assert SOURCES["yahoo-news"].url.endswith("/Yahoo!%20News.mat")
    assert SOURCES["english"].url is None


def test_d_prot_1_each_data_set_has_its_own_number_of_updates():
    long = ("soccer-player", "italian", "yahoo-news", "english")
    expected = dict.fromkeys(SOURCES, 10_000) | dict.fromkeys(long, 20_000)
    expected |= dict.fromkeys(("digits", "scattered-digits"), 2_000)
    expected["noisywikihow"] = 11_460  # ten epochs in batches of 64
    expected |= {name: 60_000 for name in SOURCES if name.startswith("plcifar10")}
    assert {name: source.steps for name, source in SOURCES.items()} == expected


def test_titles_are_the_ones_seeds_are_made_of():
    titles = ["Digits", "Lost", "MSRCv2", "Mirflickr", "Birdsong", "Malagasy", "SoccerPlayer",
              "Italian", "YahooNews", "English", "FG-NET"]  # fmt: skip
    assert [title_of(name) for name in SOURCES][: len(titles)] == titles
    assert hashed(title_of("lost"), "PRODEN", 1, 0) == 722568781


def test_scattered_digits_are_the_digits_as_pictures(nowhere):
    data, digits = load("scattered-digits"), load("digits")
    assert repr(data) == (
        "Labelled(1797 x 24 x 24 x 3 images, 10 classes, truth, source='scattered-digits')"
    )
    assert np.asarray(data.inputs).dtype == np.uint8
    np.testing.assert_array_equal(data.truth, digits.truth)
    assert data.fingerprint() == load("scattered-digits").fingerprint()
    # what is darkest in a digit has the picture's one colour: that many pixels, four times each
    for picture, strokes in zip(np.asarray(data.inputs)[:50], np.asarray(digits.inputs)):
        _, counts = np.unique(picture.reshape(-1, 3), axis=0, return_counts=True)
        assert counts.max() >= 4 * (strokes == 16).sum()


def test_digits_need_nothing(nowhere):
    data = load("Digits")
    assert repr(data) == "Labelled(1797 x 64 table, 10 classes, truth, source='digits')"
    assert all(row.agrees for row in compare(data, SOURCES["digits"]))
    assert (data.inputs.min(), data.inputs.max()) == (0, 16)


def test_unknown_names_suggest_the_nearest(nowhere):
    with pytest.raises(UnknownName, match=r"no data set named 'birdsnog'; did you mean 'birdsong'"):
        load("birdsnog")
    with pytest.raises(UnknownName, match="did you mean 'msrcv2'"):
        title_of("msrc")


def test_paths_that_are_not_there(nowhere):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*none\.mat"):
        load(nowhere / "none.mat")
    with pytest.raises(FileNotFoundError, match=r"there is no file none\.csv"):
        load("none.csv")
    with pytest.raises(ValueError, match=r"data\.doc must end in one of \.csv, \.tsv"):
        load(Path("data.doc"))


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("soccer-player", "Soccer Player.mat"),
        ("soccer-player", "soccer_player.MAT"),
        ("Soccer Player", "pll/SoccerPlayer.mat"),
        ("birdsong", "Bird-Song.mat"),
        ("yahoo-news", "Yahoo! News.mat"),
        ("YahooNews", "deep/yahoo news.mat"),
        ("fg-net", "FGNET.mat"),
        ("english", "english.mat"),
    ],
)
def test_files_are_found_however_they_are_written(nowhere, name, file):
    path = small_mat(nowhere / "root" / file)
    with pytest.warns(UserWarning, match="n is 6, not"):
        data = load(name, root=nowhere / "root")
    assert data.n == 6
    assert data.source in SOURCES
    with pytest.warns(UserWarning, match="n is 6"):
        assert load(name, root=path) == data


def test_root_then_environment_then_cache(nowhere, monkeypatch):
    monkeypatch.setenv("CANDIDLY_DATA", str(nowhere / "env"))
    for place, n in [("cache", 5), ("env", 6), ("root", 7)]:
        small_mat(nowhere / place / "lost.mat", n)
        with pytest.warns(UserWarning, match="has SHA-256"):
            assert load("lost", root=nowhere / "root").n == n


def test_nowhere_to_be_found_says_what_to_put_where(nowhere):
    with pytest.raises(FileNotFoundError) as error:
        load("english", root=nowhere)
    message = str(error.value)
    for part in ("'English.mat'", str(nowhere), "No address", "https://palm", "`root`"):
        assert part in message
    with pytest.raises(FileNotFoundError, match="Downloading is switched off"):
        load("lost", download=False)


def test_no_network_is_told_the_same_way(nowhere, monkeypatch):
    import pooch
    import requests

    def fail(*args, **kwargs):
        raise requests.exceptions.ConnectionError("no route")

    monkeypatch.setattr(pooch, "retrieve", fail)
    with pytest.raises(
        FileNotFoundError,
        match=r"Downloading https://raw.*lost\.mat failed \(Connection.*no route\)",
    ):
        load("lost")


def served(monkeypatch, file):
    """A download that brings this local file, through pooch and its checks."""
    import shutil
    import sys

    import pooch

    real = sys.modules["pooch.core"].retrieve

    def bring(url, output_file, _):
        shutil.copy(file, output_file)

    def retrieve(url, **options):
        return real(url, downloader=bring, **options)

    monkeypatch.setattr(pooch, "retrieve", retrieve)


def test_a_download_is_kept_and_its_checksum_told(nowhere, monkeypatch, caplog):
    import pooch

    log = pooch.get_logger()  # stands alone, where caplog does not listen; it writes to stderr
    monkeypatch.setattr(log, "handlers", [*log.handlers, caplog.handler])
    served(monkeypatch, small_mat(nowhere / "elsewhere" / "x.mat"))
    with pytest.warns(UserWarning, match=r"Mirflickr\.mat: n is 6, not 2780"):
        load("mirflickr")
    kept = nowhere / "cache" / "Mirflickr.mat"
    assert hashlib.sha256(kept.read_bytes()).hexdigest() in caplog.text
    with pytest.warns(UserWarning, match="n is 6"):
        assert load("mirflickr", download=False).n == 6


def test_a_download_with_another_checksum_is_refused(nowhere, monkeypatch):
    served(monkeypatch, small_mat(nowhere / "elsewhere" / "x.mat"))
    with pytest.raises(ValueError, match="is not the file on record"):
        load("lost")
    assert not (nowhere / "cache" / "lost.mat").exists()


def test_compare_rounds_as_the_tables_do():
    data = load("digits")
    source = SOURCES["digits"]
    wrong = replace(source, expected=replace(source.expected, d=65, avg_candidates=1.0))
    rows = {row.what: row for row in compare(data, wrong)}
    assert [name for name, row in rows.items() if not row.agrees] == ["d", "avg_candidates"]
    assert rows["avg_candidates"].measured is None


@pytest.mark.parametrize(("published", "agrees"), [(1.67, True), (1.66, False), (1.68, False)])
def test_averages_agree_to_two_decimals(published, agrees):
    data = from_arrays([[1], [2], [3]], [[0, 1], [0], [0, 1]], truth=[0, 0, 2], classes=3)
    expected = Expected(3, 1, 3, avg_candidates=published, noise_rate=0.3333)
    rows = {row.what: row for row in compare(data, replace(SOURCES["lost"], expected=expected))}
    assert rows["avg_candidates"].agrees == agrees
    assert rows["noise_rate"].agrees
    assert rows["noise_rate"].measured == pytest.approx(1 / 3)


REAL = {  # measured from the files: sets of one label, and classes that are never true
    "lost": (0.0597, 2, 1, 3, 0, 0),
    "msrcv2": (0.0796, 0, 1, 7, 0, 5),
    "birdsong": (0.3265, 0, 1, 4, 0, 0),
    "italian": (0.6082, 13, 1, 4, 36, 9417),
    "fg-net": (0.0, 15, 2, 11, 0, 0),
}


@pytest.mark.filterwarnings("error")  # load warns when the file is not the one on record
@pytest.mark.parametrize("name", REAL)
def test_real_files(name):
    if not os.environ.get("CANDIDLY_DATA"):
        skip_without("the real files")
    source = SOURCES[name]
    path = find_file(source, None, download=False)
    assert hashlib.sha256(path.read_bytes()).hexdigest() == source.sha256
    assert path.stat().st_size == source.size_bytes
    data = load(name, download=False)
    assert all(row.agrees for row in compare(data, source))
    found = describe(data)
    singletons, never_true, smallest, largest, constant, duplicates = REAL[name]
    assert found.singleton_rows / found.n == pytest.approx(singletons, abs=5e-5)
    assert len(found.oracle_never_true) == never_true
    assert (found.min_candidates, found.max_candidates) == (smallest, largest)
    assert len(found.constant_columns) == constant
    assert found.duplicate_rows == duplicates
    assert found.oracle_noise_rate == 0
