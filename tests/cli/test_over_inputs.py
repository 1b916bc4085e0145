"""No command writes over what it reads: every input and every output of every command."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from candidly.cli import NOUNS, _issues, command
from candidly.ground.files import check_output, keeping_inputs, noted, replacing, write_json

FOLDERS = {"DIR", "FOLDER", "PLACE", "WHERE"}  # metavars of what is no file
WRITES = ("write", "draw", "every flagged", "one self-contained", "the file.", "the page.")
ENDINGS = [".csv", ".json", ".npz", ".npy", ".html", ".png", ".parquet", ".safetensors"]
# what else a command wants to be told before it looks at its places
MORE = {
    "review export": ["--as", "corrected", "--labels", "other.csv"],
    "validate": ["--labels", "other.csv", "--votes", "votes.csv"],
    "data features": ["--encoder", "resnet18"],
}
# outputs of commands that read folders that candidly keeps: they are beside no input of a person's
OF_FOLDERS = {"bench", "challenge", "demo", "example", "new", "cluster", "build"}


def commands(one, path):
    for name, below in getattr(one, "commands", {}).items():
        yield from commands(below, [*path, name])
    if not getattr(one, "commands", None):
        yield " ".join(path), one


def kind(param):
    """reads, writes or None, by its type and what its help says."""
    of = getattr(getattr(param, "type_descriptor", None), "annotation", None)
    metavar = param.metavar or ""
    if metavar in FOLDERS or of not in (Path, str, list[str]):
        return None
    if metavar.endswith("OUT"):
        return "writes"
    if param.param_type_name == "argument":
        return "reads"
    if of is not Path:
        return "reads" if metavar in ("PATH", "FILE") else None
    return "writes" if any(word in (param.help or "").lower() for word in WRITES) else "reads"


def pairs():
    for noun in sorted(set(NOUNS) - OF_FOLDERS):
        for name, one in commands(command(noun), [noun]):
            params = [param for param in one.params if not getattr(param, "hidden", False)]
            for out in params:
                if kind(out) == "writes":
                    for given in params:  # `into` is written back where somebody asks for it
                        if kind(given) == "reads" and given.name != "into":
                            yield pytest.param(
                                name, one, given, out, id=f"{name}: {given.name} {out.name}"
                            )


def line(name, one, given, out, read, written):
    """The words of a command line in which an input and an output are set, and what must be."""
    words = name.split()
    values = {given.name: read, out.name: written}
    for param in one.params:
        if param.param_type_name == "argument":
            words += ["flip:rate=0.1"] if "SPEC" in param.metavar else []
            wanted = param.required or param.name in values
            words += [values.pop(param.name, "other.csv")] if wanted else []
    more = MORE.get(name, [])
    for param in one.params:
        wanted = param.name in values or (param.required and param.opts[0] not in more)
        if param.param_type_name == "option" and wanted:
            words += [param.opts[0], values.pop(param.name, "other.csv")]
    for option, value in zip(more[::2], more[1::2]):
        words += [] if option in words else [option, value]
    return words


@pytest.mark.parametrize(("name", "one", "given", "out"), list(pairs()))
def test_a_file_that_is_named_twice_is_refused_at_once(candidly, tmp_path, name, one, given, out):
    (tmp_path / "in.csv").write_text("id,label,item,annotator\n1,a,1,x\n2,b,2,x\n")
    (tmp_path / "other.csv").write_text("id,label\n1,a\n2,b\n")
    before = (tmp_path / "in.csv").read_bytes()
    for ending in ENDINGS:
        link = f"link{ending}"
        os.link(tmp_path / "in.csv", tmp_path / link)
        status, _, err = candidly(*line(name, one, given, out, "in.csv", link))
        assert status == 2, err
        assert (tmp_path / "in.csv").read_bytes() == before
        assert (tmp_path / link).read_bytes() == before
        if "must end in" not in err:
            break
    assert f"is {link}, and so is " in err
    assert "write to another file" in err


def test_the_walk_finds_the_commands_that_were_reported():
    found = {pair.id for pair in pairs()}
    assert found >= {
        "crowd consensus: answers out", "crowd consensus: known out", "crowd consensus: probs out",
        "crowd consensus: known annotators", "labels make: what spec_and_out",
        "labels spelling: what out",
        "validate: votes out", "validate: labels out", "errors health: given out",
        "errors find: probs html", "errors probs: what out",
        "predict: what out", "predict: model out", "data convert: what out", "data join: what out",
        "data join: features out", "stability: original plan", "check: what out",
    }  # fmt: skip


# what a command line does not name: files of a folder, and those that another file names
AN = "item,annotator,label\n1,x,a\n2,x,b\n3,x,a\n4,x,b\n"
UNNAMED = {
    "a part of answers": ("crowd consensus parts --out parts/one.csv", "parts/one.csv"),
    "a part of probabilities": (
        "errors find --labels y.npy --probs p --out p/one.parquet", "p/one.parquet",
    ),
    "classes": ("crowd consensus an.csv --classes c.csv --out c.csv", "c.csv"),
}  # fmt: skip


@pytest.mark.parametrize("case", UNNAMED)
def test_what_is_read_is_kept_whoever_named_it(candidly, tmp_path, monkeypatch, case):
    line, kept = UNNAMED[case]
    for folder in ("parts", "p"):
        (tmp_path / folder).mkdir()
    (tmp_path / "an.csv").write_text(AN)
    (tmp_path / "parts" / "one.csv").write_text(AN)
    (tmp_path / "parts" / "two.csv").write_text(AN.replace("x", "y"))
    (tmp_path / "c.csv").write_text("a\nb\n")
    np.save(tmp_path / "y.npy", np.tile([0, 1], 20))
    table = pl.DataFrame({"0": np.tile([0.1, 0.9], 20), "1": np.tile([0.9, 0.1], 20)})
    table.write_parquet(tmp_path / "p" / "one.parquet")
    before = (tmp_path / kept).read_bytes()
    monkeypatch.setattr(_issues, "_names_too", lambda path, option: None)  # the net alone
    status, _, err = candidly(*line.split())
    assert (status, f"{kept} is a file that is read; write to another one" in err) == (2, True), err
    assert (tmp_path / kept).read_bytes() == before


def test_two_outputs_are_two_files(candidly, tmp_path):
    (tmp_path / "an.csv").write_text(AN)
    status, _, err = candidly(
        *["crowd", "consensus", "an.csv", "--out", "new.csv", "--annotators", "new.csv"]
    )
    assert (status, "--out is new.csv, and so is --annotators" in err) == (2, True)
    assert not (tmp_path / "new.csv").exists()


def test_an_output_of_an_earlier_command_is_replaced(candidly, tmp_path):
    (tmp_path / "an.csv").write_text(AN)
    for _ in range(2):
        assert candidly(*["crowd", "consensus", "an.csv", "--out", "new.csv"])[0] == 0


@pytest.mark.parametrize("mark", ["plan.json", "challenge.json", "review.db", "review.json"])
def test_no_output_lies_among_what_candidly_keeps(candidly, tmp_path, mark):
    (tmp_path / "an.csv").write_text(AN)
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / mark).write_text("{}")
    for name in (mark, "new.csv"):
        out = f"kept/{Path(name).with_suffix('.json' if name == mark else '.csv')}"
        status, _, err = candidly("crowd", "consensus", "an.csv", "--out", out)
        assert (status, "a directory that candidly keeps" in err) == (2, True), err
    assert (tmp_path / "kept" / mark).read_text() == "{}"
    assert len(list((tmp_path / "kept").iterdir())) == 1


def put(path, again=False):
    with replacing(path, again=again) as file:
        file.write(b"new")


def test_what_was_opened_is_an_input_by_whichever_name(tmp_path):
    path, other, link = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    for ways in (
        path.read_bytes,
        lambda: noted(path),
        lambda: os.close(os.open(path, os.O_RDONLY)),
    ):
        path.write_bytes(b"old")
        for name, make in ((other, os.link), (link, os.symlink)):
            name.unlink(missing_ok=True)
            make(path, name)
        with keeping_inputs():
            ways()
            for name in (path, other, link):
                with pytest.raises(ValueError, match="is a file that is read"):
                    put(name)
        assert path.read_bytes() == b"old"
    with keeping_inputs():
        path.read_bytes()
        put(path, again=True)
    assert path.read_bytes() == b"new"


def test_in_python_nothing_is_watched_and_a_new_command_begins_anew(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("1")
    write_json(2, path)
    with keeping_inputs():
        path.read_bytes()
        with keeping_inputs():
            write_json(3, path)
            assert path.read_text() == "3"  # its own output, read again
            with pytest.raises(ValueError, match="just written by this very command"):
                check_output(path)
    path.read_bytes()
    write_json(4, path)
