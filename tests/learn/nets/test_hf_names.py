"""T5: a score for each class's name, and the search for the best names."""

from __future__ import annotations

import sys

import pytest
import torch

pytest.importorskip("transformers")

from candidly.data.inputs.tokens import Words
from candidly.learn.nets import Module
from candidly.learn.nets.hf import _names as names_of
from candidly.learn.nets.hf import beam_names, hf_net, named_scores
from learn.nets.hf_models import ENCODED, END, NAMES, WORDS, encode, part_of, texts, written

PAD = 1  # which T5's decoder starts from


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return written("t5", tmp_path_factory.mktemp("models") / "t5")


@pytest.fixture(autouse=True)
def encoded(monkeypatch):
    monkeypatch.setattr(names_of, "encoder_in", lambda folder: encode)


def slowly(folder, x, names=NAMES):
    """Transformers' loss of each name for each text, one at a time and without padding."""
    model = part_of("T5ForConditionalGeneration").from_pretrained(folder, local_files_only=True)
    model.eval().config.decoder_start_token_id = PAD
    scores = torch.zeros(len(x), len(names))
    with torch.no_grad():
        for i, row in enumerate(x):
            for j, name in enumerate(names):
                labels = torch.tensor(encode([name.lower()]))
                scores[i, j] = -model(input_ids=row[row > 0][None] - 1, labels=labels).loss
    return scores


def test_logits_are_a_slow_loop_over_names(folder):
    x = texts(7, 3, 11)
    module = Module(hf_net(folder, (16,), 5, WORDS, NAMES), [1])
    said = module.of_trial(0, x[None])
    expected = slowly(folder, x)
    torch.testing.assert_close(said.logits[0], expected, rtol=1e-5, atol=1e-5)
    assert torch.equal(said.logits, said.features)  # the head adds nothing at the start
    assert float(expected.std(0).min()) > 1e-3  # texts matter
    with torch.no_grad():
        module.parameters["head.offset"][0, 2] += 1.5
    moved = module.of_trial(0, x[None]).logits - said.logits
    torch.testing.assert_close(moved[0, 0], torch.tensor([0, 0, 1.5, 0, 0]))


def test_chunks_of_names_and_of_texts_change_no_scores(folder, monkeypatch):
    net, x = hf_net(folder, (16,), 5, WORDS, NAMES), texts(7, 3, 11, 4)[None]
    found = []
    for most, rows in ((2**26, 128), (1, 128), (40 * 4 * 8, 128), (1, 3)):
        monkeypatch.setattr(names_of, "MOST", most)
        monkeypatch.setattr(names_of, "TEXTS", rows)
        found.append(Module(net, [1]).of_trial(0, x).logits)
    for logits in found[1:]:
        torch.testing.assert_close(logits, found[0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("rows", [pytest.param(3, marks=pytest.mark.slow), 128])
def test_what_is_computed_again_is_what_was_computed(folder, monkeypatch, rows):
    """With the trial's numbers, what it drew, and in training, whatever was asked in between."""
    net, x = hf_net(folder, (16,), 5, WORDS, NAMES), texts(7, 3, 11, 4)[None]
    monkeypatch.setattr(names_of, "MOST", 1)
    monkeypatch.setattr(names_of, "TEXTS", rows)
    grads, computed = [], []
    scored = names_of.NameScores._scored

    def counted(self, *given):
        computed.append(self.model.training)
        return scored(self, *given)

    monkeypatch.setattr(names_of.NameScores, "_scored", counted)
    for kept, between in ((True, False), (False, False), (False, True)):
        with monkeypatch.context() as patch:
            if kept:
                patch.setattr(names_of, "checkpoint", lambda call, *given, **how: call(*given))
            module, other = Module(net, [1]), Module(net, [2])
            said = module(x).logits
            if between:
                other.of_trial(0, x)
            computed.clear()
            said.square().sum().backward()
            assert len(computed) == (0 if kept else 5 * (1 + (rows == 3)))
            assert all(computed)
            grads.append(module.grad.clone())
            before = other.of_trial(0, x).logits  # evaluation is evaluation as before
            assert torch.equal(before, Module(net, [2]).of_trial(0, x).logits)
    assert torch.equal(grads[1], grads[0])
    assert torch.equal(grads[2], grads[0])
    assert float(grads[0].abs().max()) > 0.01


def test_a_wide_beam_finds_the_order_of_the_scores(folder):
    x = texts(7, 3, 11, 4, 9, 6)
    module = named_scores(folder, WORDS, NAMES)
    scores = module(x).detach()
    for beam in (5, 50):
        found = beam_names(module, x, k=5, beam=beam)
        assert torch.equal(found.classes, scores.argsort(1, descending=True))
        torch.testing.assert_close(found.scores, scores.sort(1, descending=True).values)
    best = beam_names(module, x, k=2, beam=5)
    assert torch.equal(best.classes, found.classes[:, :2])


def test_a_narrow_beam_is_greedy_and_says_what_it_lacks(folder):
    x = texts(7, 3)
    module = named_scores(folder, WORDS, NAMES)
    found = beam_names(module, x, k=5, beam=1)
    model = module.model
    for row, classes, scores in zip(x, found.classes, found.scores):
        ids, written_so_far, total = row[row > 0][None] - 1, [], 0.0
        ended = {}
        while True:
            known = [n for n in module.names if list(n[: len(written_so_far)]) == written_so_far]
            tokens = {n[len(written_so_far)] for n in known if len(n) > len(written_so_far)}
            shown = torch.tensor([[PAD, *written_so_far]])
            with torch.no_grad():
                said = model(input_ids=ids, decoder_input_ids=shown).logits[0, -1].log_softmax(-1)
            if END in tokens:
                name = (*written_so_far, END)
                ended[module.names.index(name)] = (total + float(said[END])) / len(name)
            going = tokens - {END}
            if not going:
                break
            token = max(going, key=lambda t: float(said[t]))
            written_so_far, total = [*written_so_far, token], total + float(said[token])
        expected = sorted(ended, key=lambda j: -ended[j])
        assert classes.tolist() == expected + [-1] * (5 - len(expected))
        assert scores[len(expected) :].eq(-torch.inf).all()
        assert scores[: len(expected)].tolist() == pytest.approx(
            sorted(ended.values())[::-1], abs=1e-5
        )


def test_other_parameters_and_penalties(folder):
    x = texts(7, 3)
    module = named_scores(folder, WORDS, NAMES)
    own = {name: p.detach().clone() for name, p in module.named_parameters()}
    usual = beam_names(module, x)
    moved = {name: p + 0.3 * torch.randn_like(p) for name, p in own.items()}
    found = beam_names(module, x, parameters=moved)
    assert not torch.equal(found.scores, usual.scores)
    assert torch.equal(beam_names(module, x).scores, usual.scores)
    module.load_state_dict(moved, strict=False)
    assert torch.equal(beam_names(module, x).scores, found.scores)
    sums = beam_names(module, x, length_penalty=0.0)
    sizes = torch.tensor([len(name) for name in module.names])
    order = found.classes.argsort(1)
    torch.testing.assert_close(
        sums.scores.gather(1, sums.classes.argsort(1)), found.scores.gather(1, order) * sizes
    )
    with pytest.raises(ValueError, match="beam is 0; give whole numbers from 1 on"):
        beam_names(module, x, beam=0)


def test_names_that_cannot_be_scored(folder):
    with pytest.raises(
        ValueError, match="scores the names of the 5 classes, and 0 names are known"
    ):
        hf_net(folder, (16,), 5, WORDS)
    with pytest.raises(ValueError, match=r"'tea' and 'Tea' are the same tokens .* Rename one"):
        hf_net(folder, (16,), 2, WORDS, ("tea", "Tea"))


def test_weights_that_a_folder_has_apart_are_not_tied(folder, tmp_path):
    """As T5's later versions, whose last layer is another than the first."""
    from safetensors.torch import load_file, save_file

    apart = written("t5", tmp_path / "apart")
    held = load_file(apart / "model.safetensors")
    held["lm_head.weight"] = held["shared.weight"] * 1.5
    save_file(held, apart / "model.safetensors")
    for where, tied in ((folder, True), (apart, False)):
        net = hf_net(where, (16,), 5, WORDS, NAMES)
        assert ("model.lm_head.weight" in net.shapes) != tied
        assert not [name for name in net.shapes if "embed_tokens" in name]
    x = texts(7, 3)
    one, other = (
        Module(hf_net(f, (16,), 5, WORDS, NAMES), [1]).of_trial(0, x[None]) for f in (folder, apart)
    )
    assert float((one.logits - other.logits).abs().max()) > 1e-3


def test_the_folders_own_tokeniser_reads_the_names(folder, monkeypatch):
    tokenisers = pytest.importorskip("candidly.data.inputs.tokenisers")
    assert tokenisers
    monkeypatch.undo()
    from learn.nets.hf_models import write_tokeniser

    write_tokeniser(folder)
    expected = [[*(ENCODED[word] for word in name.lower().split()), END] for name in NAMES]
    told = part_of("T5Config").from_pretrained(folder)
    assert names_of.name_numbers(folder, NAMES, 5, told) == expected


def test_no_transformers_is_a_sentence(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(ValueError, match=r"not installed. Run: pip install -e .*\[text\]'"):
        hf_net(folder, (16,), 5, WORDS, NAMES)


def test_a_vocabulary_with_room_to_spare_is_taken(folder):
    assert hf_net(folder, (16,), 5, Words(38), NAMES).words == Words(38)
