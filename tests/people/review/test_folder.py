"""What others on this machine may read of a project."""

from __future__ import annotations

import os
import shutil
import stat

import numpy as np
import pytest

from candidly import review

from review_cases import some_items, some_rules, take


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def test_a_project_is_its_owners_alone(tmp_path):
    folder = tmp_path / "deep" / "check"
    with review.make_project(folder, some_items(3), some_rules()) as project:
        take(project, review.add_person(project, "ann"))
        for name in ("review.db", "review.db-wal", "review.db-shm"):
            assert mode(folder / name) == 0o600, name
        assert mode(folder) == mode(folder.parent) == 0o700


@pytest.mark.parametrize("name", ["0.png", "all.npy"])
def test_what_items_look_like_is_the_owners_alone_from_the_first_file(tmp_path, name):
    from PIL import Image

    (tmp_path / "in").mkdir()
    Image.new("L", (2, 2)).save(tmp_path / "in" / "0.png")
    np.save(tmp_path / "all.npy", np.zeros((1, 2, 2), np.uint8))
    place = tmp_path / ("in" if name == "0.png" else name)
    media = tmp_path / "check" / "media"
    review.looks_of_files(place, media)(0)
    assert mode(media / "0.png") == 0o600
    (media / "0.png").unlink()
    (tmp_path / "mine.txt").write_text("mine")
    (media / "0.png").symlink_to(tmp_path / "mine.txt")
    review.looks_of_files(place, media)(0)  # takes the place of the link, and follows it nowhere
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert mode(tmp_path / "check") == mode(tmp_path / "check" / "media") == 0o700


def test_an_older_project_is_closed_to_everybody_when_it_is_opened(tmp_path):
    folder = tmp_path / "check"
    review.make_project(folder, some_items(3), some_rules()).close()
    for before, after in ((0o644, 0o640), (0o666, 0o660), (0o600, 0o600)):
        (folder / "review.db").chmod(before)
        with review.open_project(folder) as project:
            take(project, review.add_person(project))
            assert mode(folder / "review.db") == after
            assert mode(folder / "review.db-wal") == after
    assert review.open_project(folder).close() is None


def test_a_folder_that_is_there_keeps_its_permissions(tmp_path):
    folder = tmp_path / "check"
    folder.mkdir(mode=0o750)
    review.make_project(folder, some_items(3), some_rules()).close()
    assert mode(folder) == 0o750
    assert mode(folder / "review.db") == 0o600


def test_a_failed_project_can_be_made_again(tmp_path):
    folder = tmp_path / "check"
    review.make_project(folder, some_items(1), some_rules()).close()
    with pytest.raises(ValueError, match="holds a project already"):
        review.make_project(folder, some_items(1), some_rules())
    shutil.rmtree(folder)
    review.make_project(folder, some_items(1), some_rules()).close()


def test_the_address_of_a_server_is_the_owners_alone(make, url, tmp_path):
    if url is None:
        pytest.skip("a file has no address")
    project = make(1)
    assert mode(project.folder / "review.json") == 0o600
