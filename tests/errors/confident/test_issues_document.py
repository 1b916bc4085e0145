"""The page of label errors: self-contained, escaped, complete; and what examples look like."""

from __future__ import annotations

import base64
import io
import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from PIL import Image

from candidly import errors
from candidly.data.ingest.previews import CRISP, LARGEST, TEXT, open_media
from candidly.errors.confident import _where as where
from candidly.errors.confident import issues_document as page_module
from candidly.errors.confident.issues_document import issues_document
from compare.report.test_report_page import Outline

from made_issues import issues_of, made_of

N, M = 300, 5


@pytest.fixture(scope="module")
def found():
    return issues_of(N, M)


def text_of(page):
    return " ".join(" ".join(Outline(page).texts).split())


def test_the_page_is_whole_self_contained_and_the_same_twice(found, tmp_path):
    images = np.zeros((N, 4, 4), np.uint8)
    np.save(tmp_path / "i.npy", images)
    page = issues_document(found, media=tmp_path / "i.npy").page()
    assert page == issues_document(found, media=tmp_path / "i.npy").page()
    outline = Outline(page)
    assert all(link.startswith(("data:image/png;base64,", "#example-")) for link in outline.links)
    assert {link[1:] for link in outline.links if link[0] == "#"} == set(outline.ids)
    assert outline.tags.count("script") == 1  # candidly's own, for cards in pages
    assert "url(" not in page
    assert "@import" not in page
    issues_document(found, media=tmp_path / "i.npy").write(tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text() == page


def test_the_three_counts_have_names_and_meanings(found):
    text = text_of(issues_document(found).page())
    counts = errors.counts(found.evidence)
    flagged = len(found.indices)
    assert f"off-diagonal {counts.off_diagonal} {page_module.OFF_DIAGONAL}" in text
    assert f"calibrated {counts.calibrated} {page_module.CALIBRATED}" in text
    assert f"flagged by noise rate {flagged} {page_module.MEANING['noise rate']}" in text
    assert f"{flagged} of {N} labels to look at" in text
    assert page_module.OVERLAP in text


def test_every_way_has_a_meaning(found):
    assert set(page_module.MEANING) == {*errors.FindBy.__args__, "chance"}
    for by in errors.FindBy.__args__:
        page = issues_document(errors.find(found.evidence, by=by)).page()
        assert page_module.MEANING[by] in text_of(page)


def test_what_people_wrote_is_escaped(found, tmp_path):
    evil = "<script>alert('x')</script>&\"'"
    (tmp_path / "t.txt").write_text((evil + "\n") * N)
    page = issues_document(
        found,
        classes=[evil + str(k) for k in range(M)],
        media=tmp_path / "t.txt",
        read={evil: evil},
        notes=[evil],
    ).page()
    outline = Outline(page)
    assert outline.tags.count("script") == 1
    assert "alert" not in page.split("<script>")[1]
    assert evil in "".join(outline.texts)


def test_confusions_are_a_heat_map_or_pairs(found):
    page = issues_document(found).page()
    table = page[page.index('<table class="heat') :]
    table = table[: table.index("</table>")]
    cells = [int(c) for c in re.findall(r"<td[^>]*>(\d+)</td>", table)]
    assert sum(cells) == len(found.indices)
    assert table.count("<td") == M * M
    bars = page[page.index("By given class, the most first") :].partition("</table>")[0]
    counts = [int(c) for c in re.findall(r"<td>\d+</td><td>(\d+)</td><td>", bars)]
    assert sum(counts) == len(found.indices)
    assert counts == sorted(counts, reverse=True)
    many = issues_document(issues_of(310, where.HEAT + 1)).page()
    assert '<table class="heat' not in many
    assert "Which class for which, the most frequent" in many


def test_the_map_sums_to_what_is_expected_to_be_wrong_among_the_contradicted():
    """Where chances are known: cells are sums of them, by given and predicted class."""
    issues = issues_of(N, M)
    evidence, chance = issues.evidence, np.random.default_rng(0).random(N)
    issues = replace(issues, chance=chance)
    found = where.doubts_by_class(issues)
    for k in range(M):
        for other in range(M):
            cell = (evidence.given == k) & (evidence.predicted == other)
            assert found.counts[k, other] == pytest.approx((k != other) * chance[cell].sum())
    np.testing.assert_array_equal(found.labels, np.bincount(evidence.given, minlength=M))
    assert found.expected
    assert "expected wrong" in text_of(issues_document(issues).page())
    unknown = replace(issues, chance=np.full(N, np.nan))
    flagged = where.doubts_by_class(unknown)
    assert flagged.counts.sum() == len(issues.indices)


def test_classes_are_worst_first_and_small_ones_are_marked(found):
    text = text_of(issues_document(found).page())
    assert "the numbers say little" not in text
    assert re.search(r"95 % interval 0 \d+ ", text)  # class 0 holds all the wrong labels
    assert "Overlapping classes" in text
    assert "given likely examples the other way 0 " in text
    small = text_of(issues_document(issues_of(50, M, wrong=5)).page())
    assert "fewer than 20 examples, so the numbers say little" in small


def test_the_list_is_in_rank_order_and_says_when_it_is_cut(found, monkeypatch):
    def listed(page):
        part = page[page.index("Ranked list") :]
        return [int(i) for i in re.findall(r'<th scope="row"[^>]*>\d+</th><td>(\d+)</td>', part)]

    page = issues_document(found).page()
    assert listed(page) == found.indices.tolist()
    assert "the table of issues" not in page
    monkeypatch.setattr(page_module, "LISTED", 3)
    page = issues_document(found).page()
    assert listed(page) == found.indices[:3].tolist()
    assert f"The first 3 of {len(found.indices)}" in page


def test_nothing_flagged_is_a_page_too():
    given = np.arange(40) % 2
    probs = np.eye(2)[given] * 0.8 + 0.1
    page = issues_document(errors.find(given, probs)).page()
    assert "No label of 40 stands out" in text_of(page)
    assert "Ranked list" not in page


def test_other_evidence_is_refused():
    given, probs = made_of(N, M)
    sets = np.eye(M, dtype=bool)[given]
    with pytest.raises(ValueError, match="one given label per example"):
        issues_document(errors.find(sets, probs, by="margin")).page()


def test_unlabelled_and_normalised_are_said():
    given, probs = made_of(N, M)
    given[:7] = -1
    made = errors.find(given, probs * 2, unlabelled=True, normalise=True)
    text = text_of(issues_document(made).page())
    assert "without a label 7" in text
    assert "rows divided by their sums yes" in text


# what examples look like


def pixels(uri):
    return Image.open(io.BytesIO(base64.b64decode(uri.split(",", 1)[1])))


@pytest.mark.parametrize("shape", [(4, 6), (4, 6, 1), (4, 6, 3), (4, 6, 4)])
def test_small_arrays_are_embedded_exactly(tmp_path, shape):
    images = np.random.default_rng(0).integers(0, 256, (3, *shape), dtype=np.uint8)
    np.save(tmp_path / "i.npy", images)
    media = open_media(tmp_path / "i.npy", 3)
    for i in range(3):
        item = media(i)
        assert item.crisp
        np.testing.assert_array_equal(np.asarray(pixels(item.uri)), images[i].squeeze())


def test_a_crisp_image_is_enlarged_without_smoothing_and_a_large_one_made_small(found, tmp_path):
    np.save(tmp_path / "small.npy", np.zeros((N, CRISP, CRISP), np.uint8))
    np.save(tmp_path / "large.npy", np.zeros((N, 40, 4 * CRISP, 3), np.uint8))
    small = issues_document(found, media=tmp_path / "small.npy").page()
    large = issues_document(found, media=tmp_path / "large.npy").page()
    assert 'class="crisp"' in small
    assert 'class="crisp"' not in large
    image = pixels(open_media(tmp_path / "large.npy", N)(0).uri)
    assert image.size[0] == LARGEST
    assert image.format == "JPEG"


def save(path, shade, mode="L", size=(3, 3)):
    path.parent.mkdir(exist_ok=True)
    Image.new(mode, size, shade).save(path)


def shades(media, n):
    return [None if media(i) is None else pixels(media(i).uri).getpixel((0, 0)) for i in range(n)]


def test_a_folder_by_row_or_in_order_of_name(tmp_path):
    for i in (0, 2, 10):
        save(tmp_path / "index" / f"{i:03}.png", i)
    found = shades(open_media(tmp_path / "index", 11), 11)
    assert [i for i in range(11) if found[i] is not None] == [0, 2, 10]
    assert (found[2], found[10]) == (2, 10)
    (tmp_path / "name").mkdir()
    for shade, name in enumerate(("a/x.png", "a/y.png", "b/x.PNG")):
        save(tmp_path / "name" / name, shade)
    assert shades(open_media(tmp_path / "name", 3), 3) == [0, 1, 2]
    with pytest.raises(ValueError, match="holds 3 images; there are 4 examples"):
        open_media(tmp_path / "name", 4)


def test_examples_without_a_file_are_left_out_and_counted(found, tmp_path):
    for rank in (1, 3):
        save(tmp_path / "some" / f"{found.indices[rank]}.png", 9)
    page = issues_document(found, media=tmp_path / "some").page()
    ids = [i for i in Outline(page).ids if i.startswith("example-")]
    assert ids == [f"example-{found.indices[rank]}" for rank in (1, 3)]
    absent = len(found.indices) - 2
    assert f"{absent} that have no file are left out" in text_of(page)


def test_the_gallery_ends_where_it_is_told_to(found, tmp_path):
    np.save(tmp_path / "i.npy", np.zeros((N, 2, 2), np.uint8))
    page = issues_document(found, media=tmp_path / "i.npy", gallery=4).page()
    assert page.count("<img ") == 4
    assert f"The most suspicious 4 of {len(found.indices)}" in text_of(page)


def test_a_damaged_image_is_refused_by_name(found, tmp_path):
    for i in range(N):
        (tmp_path / "bad").mkdir(exist_ok=True)
        (tmp_path / "bad" / f"{i}.png").write_bytes(b"no image")
    with pytest.raises(ValueError, match=f"{found.indices[0]}.png cannot be read as a picture"):
        issues_document(found, media=tmp_path / "bad").write(tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_an_image_that_ends_early_is_refused_by_name(tmp_path):
    noise = np.random.default_rng(0).integers(0, 256, (300, 300, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "whole.jpg")
    whole = (tmp_path / "whole.jpg").read_bytes()
    (tmp_path / "half").mkdir()
    (tmp_path / "half" / "0.jpg").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"0.jpg cannot be read to its end"):
        open_media(tmp_path / "half", 1)(0)


def test_odd_image_modes_are_converted(tmp_path):
    for i, mode in enumerate(("1", "CMYK", "P", "RGBA", "I;16", "LA")):
        ending = "tif" if mode in ("CMYK", "I;16") else "png"
        save(tmp_path / "modes" / f"{i}.{ending}", 1 if mode in ("1", "I;16", "P") else None, mode)
        save(
            tmp_path / "wide" / f"{i}.{ending}",
            1 if mode in ("1", "I;16", "P") else None,
            mode,
            (2 * LARGEST, 9),
        )
    for folder in ("modes", "wide"):
        media = open_media(tmp_path / folder, 6)
        assert all(media(i).uri for i in range(6))


def test_texts_from_files_of_one_column(tmp_path):
    texts = ["one", "two, three", "x" * 2 * TEXT]
    (tmp_path / "t.txt").write_text("\n".join(texts))
    pl.DataFrame({"text": texts}).write_csv(tmp_path / "head.csv")
    pl.DataFrame({"text": texts}).write_csv(tmp_path / "bare.csv", include_header=False)
    pl.DataFrame({"text": texts}).write_parquet(tmp_path / "t.parquet")
    np.save(tmp_path / "t.npy", np.array(texts))
    for name in ("t.txt", "head.csv", "bare.csv", "t.parquet", "t.npy"):
        media = open_media(tmp_path / name, 3)
        assert [media(0).text, media(1).text] == texts[:2], name
        assert len(media(2).text) == TEXT + 2


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda p: np.save(p / "m.npy", np.zeros((3, 3, 5, 5), np.uint8)), "channels last"),
        (lambda p: np.save(p / "m.npy", np.zeros((3, 5, 5))), "images are uint8"),
        (lambda p: np.save(p / "m.npy", np.zeros((4, 5, 5), np.uint8)), "holds 4 examples"),
        (lambda p: (p / "m.npy").write_bytes(b"none"), "cannot be read as an array"),
        (lambda p: (p / "m.txt").write_text("a\nb\n"), "holds 2 examples"),
        (lambda p: (p / "m.txt").write_bytes(b"\xff\xfe\x00"), "no text in UTF-8"),
        (lambda p: (p / "m.csv").write_text("a,b\nc,d\ne,f\n"), "has 2 columns"),
        (lambda p: (p / "m.parquet").write_bytes(b"none"), "no Parquet file, or a damaged one"),
        (lambda p: (p / "m").mkdir(), "holds no image file"),
        (lambda p: (p / "m.zip").write_bytes(b""), "no folder of images"),
    ],
)
def test_media_that_do_not_fit_are_refused(tmp_path, make, message):
    make(tmp_path)
    (path,) = tmp_path.iterdir()
    with pytest.raises(ValueError, match=re.escape(message)):
        open_media(path, 3)
    with pytest.raises(FileNotFoundError):
        open_media(tmp_path / "nowhere", 3)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_makes_the_flags_worth_little_is_said():
    rng = np.random.default_rng(0)
    probs = np.full((300, 5), 0.05)
    probs[np.arange(300), rng.integers(0, 5, 300)] = 0.8  # whatever the label
    guessed = errors.find(np.arange(300) % 5, probs)
    assert len(guessed.warnings) == 2
    text = text_of(issues_document(guessed, notes=guessed.warnings[:1]).page())
    assert all(text.count(sentence) == 1 for sentence in guessed.warnings)
