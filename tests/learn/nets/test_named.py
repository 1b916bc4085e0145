"""Networks by name with options, and from a user's file."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import replace

import pytest
import torch

from candidly.learn.nets import NETS, TEXT_NETS, cnn, function_of, network
from candidly.learn.written.nets import KNOWN, default_net, pinned, read_net
from own_net import FILE, write_net


def test_the_options_that_are_known_without_torch_are_those_of_the_functions():
    assert set(KNOWN) == set(NETS) | set(TEXT_NETS)
    for name, make in {**NETS, **TEXT_NETS}.items():
        _, _, *options = inspect.signature(make).parameters.values()
        options = options[name in TEXT_NETS :]  # behind ``words``
        usual = {o: v if isinstance(v, int) else v[0] for o, v in KNOWN[name].items()}
        assert {option.name: option.default for option in options} == usual, name


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("mlp", "mlp"),
        ("mlp:128", "mlp:128"),
        ("mlp:500", "mlp:500"),  # as keys of before have it
        ("MLP:hidden=128", "mlp:128"),
        ("mlp:initial=xavier, hidden=8", "mlp:8,initial=xavier"),
        ("mlp:initial=linear", "mlp"),
        ("cnn:width=16", "cnn"),
        ("cnn:width=4", "cnn:width=4"),
        ("ResNet-32", "resnet32"),
    ],
)
def test_what_a_network_is_called_in_a_trial(text, kept):
    assert pinned(text) == kept
    assert pinned(kept) == kept


def test_options_reach_the_network():
    assert network("cnn:width=4", (1, 8, 8), 3).shapes == cnn((1, 8, 8), 3, width=4).shapes
    assert network("cnn:width=4", (1, 8, 8), 3) is network("cnn:width=4", (1, 8, 8), 3)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "cnnn",
            "net: no network named 'cnnn'; did you mean 'cnn'? Choose from: mlp, linear",
        ),
        ("mlp:", "nothing stands behind the colon"),
        ("mlp:x", "hidden is 'x'; give a whole number from 1 to 999,999,999, such as mlp:128."),
        ("mlp:0", "hidden is '0'"),
        ("mlp:1e3", "hidden is '1e3'"),
        ("mlp:٣", "hidden is '٣'"),
        ("mlp:9999999999", "hidden is '9999999999'"),
        ("mlp:8,8", "has no option '8'"),
        ("mlp:hiden=8", "has no option 'hiden'; did you mean 'hidden'?"),
        ("mlp:8,hidden=9", "says hidden twice"),
        ("mlp:initial=xaviar", "initial is 'xaviar'; did you mean 'xavier'?"),
        ("cnn:32", "has no option '32'. Choose from: width."),
        ("cnn:width=0", "give a whole number from 1 to 999,999,999, such as cnn:width=16."),
        ("resnet32:depth=3", "has no option 'depth'"),
        ("net.py", "name the function that makes the network behind the file, such as net.py:make"),
        ("net.py:", "such as net.py:make"),
        ("net.py:a b", "such as net.py:make"),
        ("net.py:make@12", "such as net.py:make"),
        (3, "net is a int; give its name, such as 'mlp:128'."),
    ],
)
def test_what_names_no_network_is_said_in_a_sentence(text, said):
    with pytest.raises((ValueError, KeyError)) as caught:
        read_net(text)
    assert said in str(caught.value)
    assert re.fullmatch(r"[^\n]*\.", str(caught.value))


def test_the_default_follows_the_shape():
    assert default_net((12,)) == default_net(()) == "mlp"
    assert default_net((3, 32, 32)) == default_net((1, 8, 8)) == "cnn"
    assert default_net((1, 7, 28)) == "mlp"


# files


def test_a_module_in_a_file_is_a_network(tmp_path):
    before = torch.random.get_rng_state()
    path, found = list(sys.path), network(write_net(tmp_path), (1, 8, 8), 3)
    assert (found.shape, found.width) == ((1, 8, 8), 4)
    assert found.parts["head"] == ("fc.weight", "fc.bias")
    assert set(found.buffers) == {
        "norm.running_mean",
        "norm.running_var",
        "norm.num_batches_tracked",
    }
    assert torch.equal(before, torch.random.get_rng_state())
    assert sys.path == path
    assert [file.name for file in tmp_path.iterdir()] == ["net.py"]  # no __pycache__


def test_a_file_may_import_what_lies_beside_it(tmp_path):
    (tmp_path / "beside_it_here.py").write_text(FILE)
    text = "from beside_it_here import make\n"
    assert network(write_net(tmp_path, text), (1, 8, 8), 3).width == 4


def test_a_file_may_return_a_net(tmp_path):
    text = "from candidly import nets\ndef make(shape, classes): return nets.mlp(shape, classes, 7)"
    assert network(write_net(tmp_path, text), (5,), 3).width == 7


def test_an_edited_file_is_another_network_and_a_moved_one_is_not(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    first = write_net(tmp_path)
    moved = write_net(tmp_path / "elsewhere")
    assert re.fullmatch(r"net\.py:make@[0-9a-f]{16}", pinned(first))
    assert pinned(first) == pinned(moved)
    assert network(first, (1, 8, 8), 3).width == 4
    write_net(tmp_path, FILE.replace("4", "6"))
    assert pinned(first) != pinned(moved)
    assert network(first, (1, 8, 8), 3).width == 6
    assert network(moved, (1, 8, 8), 3).width == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def mak(shape, classes): ...", "net.py has no function 'make'; it has mak."),
        ("import os", "net.py has no function 'make'; it has none."),
        ("1 +", "net.py could not be run: SyntaxError: "),
        ("import nothing_like_it", "could not be run: ModuleNotFoundError: No module named"),
        ("raise SystemExit(3)", "could not be run: SystemExit: 3, at line 1 of "),
        ("def make(shape, classes): 1 / 0", r"((1, 8, 8), 3) failed: ZeroDivisionError"),
        ("def make(): ...", "failed: TypeError"),
        ("def make(shape, classes): return 3", "make returned a int; return a torch.nn.Module"),
        (FILE.replace('"fc"', "3"), "make.head is 3; name a part of the module"),
        (FILE.replace('"fc"', '"fd"'), "make: Small cannot be trained here: it has no part"),
        (FILE.replace("Conv2d(channels", "Conv2d(7"), "make: Small cannot be trained here: "),
        (
            "from candidly.learn.nets import mlp\ndef make(shape, classes): return mlp(9, classes)",
            "returned a network for inputs (9,); these are (1, 8, 8).",
        ),
    ],
)
def test_a_file_that_makes_no_network_is_said_in_a_sentence(tmp_path, text, said):
    named = write_net(tmp_path, text)
    with pytest.raises(ValueError, match=re.escape(str(tmp_path))) as caught:
        network(named, (1, 8, 8), 3)
    assert said in str(caught.value)
    assert re.fullmatch(r"[^\n]*\.", str(caught.value))


def test_a_file_that_is_not_the_one_that_is_meant(tmp_path):
    asked = read_net(write_net(tmp_path))
    with pytest.raises(ValueError, match=r"net\.py is not the file that was used .* Restore it\.$"):
        function_of(replace(asked, digest="0" * 16))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*gone\.py"):
        network(f"{tmp_path}/gone.py:make", (1, 8, 8), 3)
