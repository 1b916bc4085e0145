"""Files: those of the media folder, by their plain names, and nothing else of this machine.

What people who answer may fetch is tried in test_attacker.py.
"""

from __future__ import annotations

import wave
from types import SimpleNamespace

import pytest

from candidly.data.ingest.media import ENDINGS
from candidly.people.web import files
from candidly.people.web._visit import Refused
from candidly.people.web.links import VIEWER

from web_cases import browser, picture


@pytest.fixture
def eve(site):
    return browser(site, VIEWER)


@pytest.fixture
def asked(site):
    """A file asked for by a name as the route's pattern would have caught it; its status."""

    def asked(name: str) -> int:
        visit = SimpleNamespace(site=site, path={"name": name})
        try:
            return files.media(visit).status_code
        except Refused as error:
            return error.status

    return asked


def test_a_file_is_served_as_what_it_is(eve, project):
    answer = eve.get("/media/10.png")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "image/png"
    assert answer.content == (project.folder / "media" / "10.png").read_bytes()
    assert answer.headers["cache-control"].startswith("private")
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_every_known_ending_has_a_type():
    assert files.TYPES.keys() == {ending for ending, one in ENDINGS.items() if one.shown}
    for ending, kind in files.TYPES.items():
        assert kind.startswith(f"{ENDINGS[ending].kind}/")


def test_sounds_can_be_sought(eve, project):
    with wave.open(str(project.folder / "media" / "1.wav"), "wb") as sound:
        sound.setparams((1, 1, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(range(200)))
    answer = eve.get("/media/1.wav", headers={"range": "bytes=54-63"})
    assert answer.status_code == 206
    assert answer.content == bytes(range(10, 20))


def test_nobody_gets_files_without_signing_in(site):
    assert browser(site).get("/media/10.png").status_code == 303


OUTSIDE = (
    "../outside.png",
    "../../outside.png",
    "..%2foutside.png",
    "%2e%2e%2foutside.png",
    "..%252foutside.png",
    "..%5coutside.png",
    "..\\outside.png",
    "%2fetc%2fpasswd",
    "/etc/passwd",
    "10.png%00.html",
    "10.png%00",
    "sub%2finside.png",
    "sub/inside.png",
    "./10.png/..%2f..%2foutside.png",
    ".hidden.png",
    "..",
    ".",
    "%2e%2e",
    "10.png/",
    "review.db",
    "..%2freview.db",
    "..%2freview.key",
)


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leads_elsewhere(eve, project, path):
    picture(project.folder / "outside.png")
    picture(project.folder / "media" / "sub" / "inside.png")
    picture(project.folder / "media" / ".hidden.png")
    answer = eve.get(f"/media/{path}")
    assert answer.status_code in (303, 307, 404), path
    assert b"PNG" not in answer.content


@pytest.mark.parametrize(
    "name",
    [
        *("../outside.png", "/10.png", "{folder}/outside.png", "sub/inside.png", ".hidden.png"),
        *("10.png\0", "\0.png", "x" * 5000 + ".png", "nothing.png", "", "folder.png"),
    ],
)
def test_no_name_leads_elsewhere(asked, project, name):
    picture(project.folder / "outside.png")
    picture(project.folder / "media" / "sub" / "inside.png")
    picture(project.folder / "media" / ".hidden.png")
    (project.folder / "media" / "folder.png").mkdir()
    assert asked("10.png") == 200
    assert asked(name.format(folder=project.folder)) == 404


@pytest.mark.parametrize(
    "name", ["a.html", "a.svg", "a.js", "a.db", "a", "a.png.html", "review.key"]
)
def test_other_endings_are_not_served(asked, project, name):
    (project.folder / "media" / name).write_text("<script>alert(1)</script>")
    assert asked(name) == 404


def test_links_in_the_folder_are_not_followed(eve, project):
    picture(project.folder / "outside.png")
    (project.folder / "media" / "link.png").symlink_to(project.folder / "outside.png")
    (project.folder / "media" / "own.png").symlink_to("10.png")
    for name in ("link.png", "own.png"):
        assert eve.get(f"/media/{name}").status_code == 404


def test_a_folder_that_is_a_link_is_not_served(eve, project):
    media = project.folder / "media"
    media.rename(project.folder / "elsewhere")
    media.symlink_to(project.folder / "elsewhere")
    assert eve.get("/media/10.png").status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        *("/review.db", "/review.key", "/../review.db", "/static/../app.py", "/static/..%2fapp.py"),
        *("/static/%2e%2e/links.py", "/static/", "/templates/door.html"),
    ],
)
def test_nothing_else_of_the_folders_is_served(eve, path):
    answer = eve.get(path)
    assert answer.status_code in (307, 404)
