"""What is written in pictures and sounds, and how their files are called, leaves by no way."""

from __future__ import annotations

import base64
import html
import io
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from candidly import review
from candidly.people.web import write_gallery
from candidly.people.web.links import ORGANISER, PERSON, VIEWER
from telling_files import PICTURES, SOUNDS, told_by
from voted_sets import numbered

from web_cases import JSON, a_site, browser

NAME = "scan of Doe 7"  # in the names of files
ADDRESS = re.compile(r'(?:src|href)="(/[^"]*)"')
BASE64 = re.compile(rb"base64,([A-Za-z0-9+/=]{40,})")


def inside(content: bytes) -> list[bytes]:
    """What is told by something that left, packed or not."""
    found = told_by(content)
    for text in BASE64.findall(content):
        found += told_by(base64.b64decode(text))
    if content.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            found += [word for name in packed.namelist() for word in told_by(packed.read(name))]
    return found


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder of pictures and sounds with more in them, by row, and a table that names them."""
    folder = tmp_path_factory.mktemp("telling")
    for k, (kind, write) in enumerate((PICTURES | SOUNDS).items()):
        write(folder / f"{k}{Path(kind).suffix}")
    return folder


@pytest.fixture(scope="module")
def project(files, tmp_path_factory):
    n = len(PICTURES) + len(SOUNDS)
    looks = review.looks_of_files(
        files, (place := tmp_path_factory.mktemp("app")) / "c" / "media", n
    )
    items = [
        review.Item(row=k, name=f"i{k}", given=k % 3, guessed=(k + 1) % 3, shown=looks(k))
        for k in range(n)
    ]
    from review_cases import some_rules

    with review.make_project(place / "c", items, some_rules(people=1, threshold=1)) as project:
        review.add_person(project, "ann")
        yield project


def everything(site, role: str, code: str = ""):
    """Every address that pages of this role lead to, and what comes from there, and its headers."""
    one, seen, wanted = browser(site, role, code), {}, ["/", "/review", "/gallery", "/organiser"]
    while wanted:
        address = html.unescape(wanted.pop())
        if address in seen or address.startswith(("/static/", "/gallery?")):
            continue
        answer = one.get(address)
        if answer.status_code not in (200, 303):
            continue
        seen[address] = f"{answer.headers}".encode() + b"\n" + answer.content
        if "text/html" in answer.headers.get("content-type", ""):
            wanted += ADDRESS.findall(answer.text)
    return seen


def test_nobody_is_served_what_is_written_in_a_file(project):
    site = a_site(project)
    for role in (VIEWER, ORGANISER):
        seen = everything(site, role)
        pictures = [address for address in seen if address.startswith("/media/")]
        assert len(pictures) == len(PICTURES) + len(SOUNDS)
        assert {address: told for address, said in seen.items() if (told := inside(said))} == {}
    ann, met = browser(site, PERSON, "ann"), 0
    while cards := ann.get("/tasks", headers=JSON).json()["cards"]:
        card = cards[0]["html"]
        [address] = re.findall(r'src="(/shown/[^"]*)"', card)
        answer = ann.get(address)
        assert answer.status_code == 200
        assert inside(f"{answer.headers}".encode() + answer.content) == []
        ann.say(card, "skip")
        met += 1
    assert met == len(PICTURES) + len(SOUNDS)


def test_no_gallery_and_no_export_has_it(project, tmp_path):
    from candidly.people.review.files import FILES

    write_gallery(project, tmp_path / "pages", codes=True)
    for kind, ending in {"label-studio": ".json", "argilla": ".json", "log": ".jsonl"}.items():
        FILES[kind](project, tmp_path / f"{kind}{ending}")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    shown = [path for path in files if path.parent.name == "media"]
    assert len(shown) == len(PICTURES) + len(SOUNDS)
    assert {path.name: told for path in files if (told := inside(path.read_bytes()))} == {}


def test_what_an_earlier_candidly_copied_leaves_without_it(files, tmp_path):
    """Media that hold all that was in them, as projects that are there have."""
    names = sorted(path.name for path in files.iterdir() if path.suffix not in (".tif", ".bmp"))
    media = tmp_path / "old" / "media"
    media.mkdir(parents=True)
    kinds = {".wav": "audio", ".mp3": "audio", ".flac": "audio", ".ogg": "audio", ".m4a": "audio"}
    items = []
    for k, name in enumerate(names):
        (media / name).write_bytes((files / name).read_bytes())
        shown = review.Shown(kinds.get(Path(name).suffix, "image"), name)
        items.append(review.Item(row=k, name=f"i{k}", given=0, guessed=1, shown=shown))
    from review_cases import some_rules

    with review.make_project(tmp_path / "old", items, some_rules()) as project:
        before = {path.name: path.read_bytes() for path in media.iterdir()}
        seen = everything(a_site(project), VIEWER)
        assert sum(address.startswith("/media/") for address in seen) == len(names)
        assert {address: told for address, said in seen.items() if (told := inside(said))} == {}
        write_gallery(project, tmp_path / "pages")
        copies = list((tmp_path / "pages" / "media").iterdir())
        assert len(copies) == len(names)
        assert [told for path in copies if (told := inside(path.read_bytes()))] == []
        page = (tmp_path / "pages" / "index.html").read_text()
        for path in copies:
            assert f"media/{path.name}" in page
        assert before == {path.name: path.read_bytes() for path in media.iterdir()}


def test_no_gallery_over_many_sets_has_it(files, tmp_path):
    n = len(PICTURES) + len(SOUNDS)
    rows = [numbered(k, 0, 1, (5, 0, 0, 0)) for k in range(n)]
    (tmp_path / "pets_mturk.json").write_text(json.dumps(rows))
    words = ("review", "gallery", "--votes", "pets_mturk.json", "--media", f"pets={files}")
    run(tmp_path, *words, "--out", "pages")
    media = list((tmp_path / "pages" / "pets" / "media").iterdir())
    assert len(media) == n
    for path in (tmp_path / "pages").rglob("*"):
        assert path.is_dir() or inside(path.read_bytes()) == [], path


def run(folder: Path, *words: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "candidly", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_no_command_writes_it_onto_a_page(tmp_path):
    """Everything that a folder of pictures can become, from the command line."""
    for label in ("cat", "dog"):
        (tmp_path / "pets" / label).mkdir(parents=True)
        for k, (kind, write) in enumerate(PICTURES.items()):
            write(tmp_path / "pets" / label / f"{NAME} {k}{Path(kind).suffix}")
    run(
        tmp_path,
        "check",
        "pets",
        "--classifier",
        "logistic",
        "--out",
        "issues.csv",
        "--html",
        "check.html",
    )
    run(tmp_path, "data", "describe", "pets", "--out", "sheet.png")
    run(tmp_path, "review", "new", "project", "pets", "--preset", "single")
    run(tmp_path, "review", "export", "project", "--as", "gallery", "--out", "pages")
    for name in ("check.html", "sheet.png", "pages", "project/media"):
        place = tmp_path / name
        files = (
            [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
        )
        assert files, name
        for path in files:
            assert inside(path.read_bytes()) == [], path
            assert NAME not in path.name
    media = json.dumps(sorted(path.name for path in (tmp_path / "project/media").iterdir()))
    assert re.fullmatch(r'[\[\]", 0-9a-z.]+', media)
    with review.open_project(tmp_path / "project") as project:
        review.add_person(project, "ann")
        ann = browser(a_site(project), PERSON, "ann")
        for said in (ann.get("/review"), ann.get("/tasks", headers=JSON)):
            assert "Doe" not in said.text
