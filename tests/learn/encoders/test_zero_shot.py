"""Pictures beside the names of classes: against transformers' own forward, and refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from candidly import load
from candidly.data import narrowed
from candidly.data.labels.building import from_arrays
from candidly.errors import cross_validate
from candidly.learn.encoders import features, zero_shot
from learn.encoders import vision_models
from shell import run

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
rng = np.random.default_rng(0)
PICTURES = rng.integers(0, 256, (6, 32, 32, 3), dtype=np.uint8)
NAMES = ("cat", "dog", "old car")
WORDS = ("<s>", "</s>", "<pad>", "<unk>", "a", "photo", "of", "cat", "dog", "old", "car", ".")
SIGLIP = {
    "vision_config": vision_models.TRANSFORMER,
    "text_config": {
        "hidden_size": 16,
        "projection_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 24,
        "vocab_size": 30,
        "max_position_embeddings": 12,
    },
}


@pytest.fixture(autouse=True)
def kept(monkeypatch, tmp_path):
    monkeypatch.setenv("CANDIDLY_CACHE", str(tmp_path / "kept"))


def with_tokeniser(folder):
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    made = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, "<unk>"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    made.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(folder)
    return folder


@pytest.fixture
def clip(tmp_path):
    small = {**vision_models.SMALL["clip"][2]}
    small["text_config"] = {**small["text_config"], "max_position_embeddings": 12,
                            "projection_dim": 12,
                            "eos_token_id": 1, "initializer_range": 0.3}  # fmt: skip
    return _written(tmp_path, "CLIP", small)


def _written(tmp_path, title, options):
    torch.manual_seed(1)
    config = getattr(transformers, f"{title}Config")(**options)
    model = getattr(transformers, f"{title}Model")(config).eval()
    folder = tmp_path / title
    model.save_pretrained(folder)
    told = vision_models.PREPARED["squeezed"]
    (folder / "preprocessor_config.json").write_text(json.dumps(told))
    return with_tokeniser(folder)


def forward(folder, title, prompts, padded):
    """Scores by the whole model of transformers."""
    model = getattr(transformers, f"{title}Model").from_pretrained(folder).eval()
    told = json.loads((folder / "preprocessor_config.json").read_text())
    x = torch.from_numpy(PICTURES).permute(0, 3, 1, 2).float() / 255
    mean, spread = (torch.tensor(told[name])[:, None, None] for name in ("image_mean", "image_std"))
    tokeniser = transformers.AutoTokenizer.from_pretrained(folder)
    tokens = tokeniser(
        prompts, padding="max_length" if padded else True, max_length=12, return_tensors="pt"
    )
    asked = {"input_ids": tokens["input_ids"]}
    if not padded:
        asked["attention_mask"] = tokens["attention_mask"]
    with torch.no_grad():
        return model(pixel_values=(x - mean) / spread, **asked).logits_per_image.numpy(), model


def test_clip_is_transformers_own(clip):
    prompts = [f"a photo of a {name}." for name in NAMES]
    expected, _ = forward(clip, "CLIP", prompts, False)
    found = zero_shot(PICTURES, f"hf:{clip}", NAMES)
    assert found.shape == (6, 3)
    np.testing.assert_allclose(found, expected, atol=1e-4)
    assert np.ptp(expected, 1).min() > 1e-3  # texts differ


def test_siglip_is_transformers_own_but_for_its_bias(tmp_path):
    folder = _written(tmp_path, "Siglip", SIGLIP)
    prompts = [f"a photo of a {name}." for name in NAMES]
    expected, model = forward(folder, "Siglip", prompts, True)
    found = zero_shot(PICTURES, str(folder), NAMES)
    np.testing.assert_allclose(found, expected - model.logit_bias.item(), atol=1e-4)


def test_several_prompts_are_one_class(clip):
    two = ("a photo of a {}.", "old {}")
    found = zero_shot(PICTURES, f"hf:{clip}", NAMES, prompts=two)
    single = [zero_shot(PICTURES, f"hf:{clip}", NAMES, prompts=(prompt,)) for prompt in two]
    assert not np.allclose(found, single[0], atol=1e-3)
    same = zero_shot(PICTURES, f"hf:{clip}", NAMES, prompts=(two[0], two[0]))
    np.testing.assert_allclose(same, single[0], atol=1e-5)


def test_braces_in_names_are_letters(clip):
    """A class's name is a text, whatever stands in it."""
    odd = ("{0.__class__}", "{", "dog")
    found = zero_shot(PICTURES, f"hf:{clip}", odd, prompts=("{} {dog}",))
    assert np.isfinite(found).all()


def test_it_narrows_candidate_sets(clip, tmp_path):
    sets = np.ones((6, 3), bool)
    sets[1, 0] = False
    from_arrays(PICTURES, candidates=sets, classes=NAMES).save(tmp_path / "sets.npz")
    out = run(f"candidly labels narrow sets.npz out.npz --by hf:{clip} --mass 0.5 --json", tmp_path)
    scores = zero_shot(PICTURES, f"hf:{clip}", NAMES).astype(np.float64)
    wanted = narrowed(sets, np.exp(scores - scores.max(1, keepdims=True)), 0.5)
    assert (load(tmp_path / "out.npz").candidates == wanted).all()
    assert json.loads(out)["labels a row"]["after"] == wanted.sum(1).mean() < sets.sum(1).mean()


def test_it_judges_without_looking_at_labels(clip):
    """Cross-validation gives the model's own probabilities, whatever the labels are."""
    many = rng.integers(0, 256, (60, 32, 32, 3), dtype=np.uint8)
    labels = np.tile(np.arange(3), 20)
    data = from_arrays(many, labels, classes=NAMES)
    found = cross_validate("zero-shot", data, encoder=f"hf:{clip}")
    scores = zero_shot(many, f"hf:{clip}", NAMES).astype(np.float64)
    expected = np.exp(scores - scores.max(1, keepdims=True))
    np.testing.assert_allclose(found.probs, expected / expected.sum(1, keepdims=True), atol=1e-6)
    other = cross_validate(
        "zero-shot", from_arrays(many, labels[::-1], classes=NAMES), encoder=f"hf:{clip}"
    )
    np.testing.assert_allclose(other.probs, found.probs, atol=1e-12)
    assert found.encoder == f"hf:{clip}"


def test_what_it_cannot_judge(clip):
    pictures = from_arrays(PICTURES, np.tile([0, 1], 3))
    with pytest.raises(ValueError, match="needs a model of pictures and texts"):
        cross_validate("zero-shot", pictures, folds=2, encoder="own")
    table = from_arrays(rng.normal(size=(10, 2)), np.tile([0, 1], 5))
    with pytest.raises(ValueError, match="and these are table; take logistic"):
        cross_validate("zero-shot", table)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"classes": ("cat",)}, "two classes at least"),
        ({"classes": NAMES, "prompts": ("a photo",)}, "no one place {}"),
        ({"classes": NAMES, "prompts": ()}, "no `prompts`"),
        ({}, "two classes at least"),
    ],
)
def test_what_is_refused(clip, asked, said):
    with pytest.raises(ValueError, match=said):
        zero_shot(PICTURES, f"hf:{clip}", **asked)


def test_folders_without_a_half(clip, tmp_path):
    vit = vision_models.written("vit", tmp_path / "vit")
    with pytest.raises(ValueError, match="does not read pictures and texts"):
        zero_shot(PICTURES, str(vit), NAMES)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        zero_shot(PICTURES, "hf:nowhere", NAMES)
    numbers = load_file(clip / "model.safetensors")
    pictures_alone = {k: v for k, v in numbers.items() if not k.startswith("text_")}
    save_file(pictures_alone, clip / "model.safetensors", {"format": "pt"})
    assert features(PICTURES, f"hf:{clip}").shape == (6, 12)
    with pytest.raises(ValueError, match=r"lacks .* of the texts' half of a CLIP"):
        zero_shot(PICTURES, f"hf:{clip}", NAMES)
    del pictures_alone["logit_scale"]
    save_file(pictures_alone, clip / "model.safetensors", {"format": "pt"})
    with pytest.raises(ValueError, match="has no logit_scale among its numbers"):
        zero_shot(PICTURES, f"hf:{clip}", NAMES)
