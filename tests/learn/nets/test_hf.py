"""Language models of all kinds: what stands for a text, padding, and where they start."""

from __future__ import annotations

import numpy as np
import pytest
import torch

pytest.importorskip("transformers")

from candidly.learn.nets import Module
from candidly.learn.nets.hf import _build as build
from candidly.learn.nets.hf import _names as names_of
from candidly.learn.nets.hf import hf_net
from learn.nets.hf_models import END, NAMES, SMALL, WORDS, encode, part_of, texts, written

# transformers' classifier; ours and its names of the head's layers; what a text needs beside ids
THEIRS = {
    "bert": ("BertForSequenceClassification", {"1": "classifier"}),
    "roberta": (
        "RobertaForSequenceClassification",
        {"dense": "classifier.dense", "out": "classifier.out_proj"},
    ),
    "albert": ("AlbertForSequenceClassification", {"1": "classifier"}),
    "distilbert": (
        "DistilBertForSequenceClassification",
        {"dense": "pre_classifier", "out": "classifier"},
    ),
    "xlnet": (
        "XLNetForSequenceClassification",
        {"dense": "sequence_summary.summary", "out": "logits_proj"},
    ),
    "gpt2": ("GPT2ForSequenceClassification", {"": "score"}),
    "bart": (
        "BartForSequenceClassification",
        {"dense": "classification_head.dense", "out": "classification_head.out_proj"},
    ),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("models")
    return {kind: written(kind, root / kind) for kind in SMALL}


@pytest.fixture(scope="module", autouse=True)
def encoded():
    """The names' tokens, without a tokeniser in each folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(names_of, "encoder_in", lambda folder: encode)
        yield


@pytest.fixture(scope="module")
def nets(folders):
    return {kind: hf_net(folder, (16,), 5, WORDS, NAMES) for kind, folder in folders.items()}


def module_of(folder, start="weights"):
    """The module itself, its numbers drawn by torch's generator."""
    return build.maker(build.described(folder), 5, WORDS, NAMES, start)()


@pytest.mark.parametrize("kind", THEIRS)
def test_logits_are_transformers_of_each_text_alone(folders, kind):
    """The body has the folder's numbers; the head's are copied, so that nothing else differs."""
    name, layers = THEIRS[kind]
    ours = module_of(folders[kind]).eval()
    theirs = part_of(name).from_pretrained(
        folders[kind], num_labels=5, local_files_only=True, attn_implementation="eager"
    )
    theirs.eval()
    if kind == "bert":  # which the folder lacks
        theirs.bert.pooler.load_state_dict(ours.model.pooler.state_dict())
    for own, other in layers.items():
        theirs.get_submodule(other).load_state_dict(ours.head.get_submodule(own).state_dict())
    lengths = (7, 3, 11, 1)
    x = texts(*lengths)
    with torch.no_grad():
        logits = ours(x)
        for row, length in enumerate(lengths):
            ids = x[row : row + 1, :length] - 1
            more = {}
            if kind == "xlnet":  # its tokeniser says that <cls>, the last, is a segment of its own
                more["token_type_ids"] = torch.tensor([[0] * (length - 1) + [2]])
            expected = theirs(input_ids=ids, **more).logits[0]
            torch.testing.assert_close(logits[row], expected, rtol=1e-5, atol=1e-5)
    assert float((logits[0] - logits[1]).abs().max()) > 1e-3


@pytest.mark.parametrize("kind", SMALL)
def test_padding_changes_nothing(folders, kind):
    module = module_of(folders[kind]).eval()
    with torch.no_grad():
        short, long = module(texts(7, 3, 5)), module(texts(7, 3, 5, padded=16))
        alone = module(texts(7, 3, 5)[1:2, :3])
    torch.testing.assert_close(short, long, rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(short[1:2], alone, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", SMALL)
def test_trials_start_from_the_folder_under_a_head_of_their_own(nets, folders, kind):
    net = nets[kind]
    one, other = (net.init(np.random.default_rng(seed)) for seed in (1, 2))
    same = net.init(np.random.default_rng(1))
    held = module_of(folders[kind]).state_dict()
    fresh = [n for n in net.parts["trunk"] if n.startswith("model.pooler")] * (kind == "bert")
    for name in net.shapes:
        assert np.array_equal(one[name], same[name])
        drawn = (name in net.parts["head"] or name in fresh) and name.endswith("weight")
        assert np.array_equal(one[name], other[name]) != drawn, name
        if name in net.parts["trunk"] and name not in fresh:
            assert np.array_equal(one[name], held[name].numpy())
    assert bool(fresh) == (kind == "bert")  # a masked language model's folder has no pooler
    assert net.parts["late"][-1] == net.parts["head"][-1]
    assert 0 < len(net.parts["late"]) < len(net.shapes)
    assert (net.embed is None) == (kind == "t5")
    assert net.words == WORDS
    assert net.random


def test_random_starts_are_torchs_and_need_no_numbers(folders, tmp_path):
    for kind in ("bert", "xlnet", "t5"):
        folder = tmp_path / kind
        folder.mkdir()
        (folder / "config.json").write_bytes((folders[kind] / "config.json").read_bytes())
        with pytest.raises(ValueError, match=r"holds no numbers .* write hf:.*,start=random to"):
            hf_net(folder, (16,), 5, WORDS, NAMES)
        net = hf_net(folder, (16,), 5, WORDS, NAMES, "random")
        one, other, same = (net.init(np.random.default_rng(seed)) for seed in (1, 2, 1))
        differ = [name for name in net.shapes if not np.array_equal(one[name], other[name])]
        assert set(differ) & set(net.parts["trunk"])
        assert all(np.array_equal(one[name], same[name]) for name in net.shapes)


@pytest.mark.parametrize("kind", [kind for kind in SMALL if kind != "t5"])
def test_a_stack_mixes_embeddings_and_gradients_reach_them(nets, kind):
    module, x = (
        Module(nets[kind], [1, 2], mix_at="embeddings"),
        texts(6, 3, 8)[None].expand(2, -1, -1),
    )
    behind = module.net.embed(module._training(), x)[x == 0]
    assert (
        not behind.any()
    )  # a token is mixed with nothing there, and not with the token of number 0
    logits = module.mixed(x, lambda values: 0.6 * values + 0.4 * values.flip(1)).logits
    assert logits.shape == (2, 3, 5)
    logits.square().sum().backward()
    table = next(n for n in module.parameters if "word_emb" in n or "wte" in n or "shared" in n)
    moved = module.parameters[table].grad.abs().sum((0, 2)).nonzero().flatten()
    used = set((x.unique() - 1).clamp_min(0).tolist())
    assert set(moved.tolist()) <= used | {END}  # BART's decoder starts from it
    assert len(moved) > 5


def test_a_stack_is_the_module_and_each_trial_as_alone(nets):
    for kind, net in nets.items():
        x = torch.stack([texts(7, 3, 5), texts(4, 6, 6, seed=1, padded=7)])
        together, alone = Module(net, [1, 2]), Module(net, [2])
        said = [module(rows).logits for module, rows in ((together, x), (alone, x[1:]))]
        assert torch.equal(said[0][1:], said[1]), kind
        for logits in said:
            logits.square().sum().backward()
        assert torch.equal(together.grad[1], alone.grad[0]), kind
        assert together.grad.abs().sum() > 0


def test_a_sentence_encoder_ends_with_the_mean_of_its_tokens(folders, tmp_path):
    for kind in ("bert", "roberta", "albert", "distilbert"):
        folder = written(kind, tmp_path / kind)
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text(
            '{"word_embedding_dimension": 16, "pooling_mode_mean_tokens": true, '
            '"pooling_mode_cls_token": false}'
        )
        module = module_of(folder).eval()
        net = hf_net(folder, (16,), 5, WORDS)
        assert not [name for name in net.shapes if "pooler" in name]
        assert 0 < len(net.parts["late"]) < len(net.shapes)
        x, told = texts(7, 3), build.described(folder)
        model = part_of(told.family.model).from_pretrained(folder, local_files_only=True).eval()
        with torch.no_grad():
            features = told.pooled(
                module.model, module.embedding(module.model)(x.sub(1).clamp_min(0)), x > 0
            )
            for row, length in enumerate((7, 3)):
                states = model(input_ids=x[row : row + 1, :length] - 1).last_hidden_state
                torch.testing.assert_close(features[row], states[0].mean(0), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", SMALL)
def test_other_precisions(nets, kind):
    x = texts(7, 3, 5)[None]
    single = Module(nets[kind], [1]).of_trial(0, x).logits
    double = Module(nets[kind], [1], dtype=torch.float64).of_trial(0, x).logits
    assert double.dtype == torch.float64
    torch.testing.assert_close(double.float(), single, rtol=1e-4, atol=1e-5)
    rounded = Module(nets[kind], [1], precision=torch.bfloat16)
    said = rounded.of_trial(0, x).logits
    assert said.dtype == torch.float32
    assert not torch.equal(said, single)
    torch.testing.assert_close(said, single, rtol=0.2, atol=0.2)
    rounded(x).logits.square().sum().backward()
    assert rounded.grad.isfinite().all()
