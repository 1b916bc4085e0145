"""Vision models in folders: what they see equals transformers' own forward and preprocessing."""

from __future__ import annotations

import importlib
import json
import logging

import numpy as np
import pytest
import torch

pytest.importorskip("transformers")

from candidly import features
from candidly.learn.encoders._vision import preparation
from learn.encoders.vision_models import PREPARED, SMALL, written

rng = np.random.default_rng(5)
PICTURES = rng.integers(0, 256, (5, 40, 30, 3), dtype=np.uint8)
OWN = {  # what each family's own forward calls the picture's vector
    "clip": lambda model, x: model.get_image_features(pixel_values=x),
    "siglip_vision_model": lambda model, x: model(pixel_values=x).pooler_output,
    **dict.fromkeys(
        ("convnext", "convnextv2", "resnet", "swin"),
        lambda model, x: model(pixel_values=x).pooler_output.flatten(1),
    ),
}


def processed(told, picture):
    """What transformers' own preprocessor of Pillow makes of a picture, (3, h, w)."""
    transformers = importlib.import_module("transformers")
    kind = told.get("image_processor_type", told.get("feature_extractor_type"))
    kind = kind.replace("FeatureExtractor", "ImageProcessor")
    logging.getLogger("transformers").setLevel(logging.ERROR)
    own = getattr(transformers, f"{kind}Pil")
    left = {
        k: v for k, v in told.items() if k not in ("image_processor_type", "feature_extractor_type")
    }
    return own(**left)(picture, return_tensors="np", input_data_format="channels_last")[
        "pixel_values"
    ][0]


@pytest.mark.parametrize("kind", SMALL)
def test_vectors_equal_the_models_own_forward(kind, tmp_path):
    transformers = importlib.import_module("transformers")
    folder = written(kind, tmp_path / kind)
    found = features(PICTURES, str(folder))
    name = SMALL[kind][0]
    model = getattr(transformers, name).from_pretrained(folder).eval()
    x = torch.from_numpy(np.stack([processed(PREPARED["squeezed"], one) for one in PICTURES]))
    with torch.no_grad():
        said = OWN.get(kind, lambda model, x: model(pixel_values=x).last_hidden_state[:, 0])(
            model, x
        )
    said = getattr(said, "pooler_output", said)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, said.numpy(), rtol=1e-5, atol=1e-5)
    assert np.ptp(found, 0).max() > 1e-3  # pictures differ


@pytest.mark.parametrize("shape", [(40, 30), (30, 40), (32, 32), (9, 70), (100, 21)])
@pytest.mark.parametrize("how", PREPARED)
def test_pixels_equal_those_of_the_models_own_preprocessor(how, shape, tmp_path):
    told = PREPARED[how]
    (tmp_path / "preprocessor_config.json").write_text(json.dumps(told))
    mine = preparation(tmp_path)
    picture = rng.integers(0, 256, (*shape, 3), dtype=np.uint8)
    pixels = mine.square(picture).astype(np.float64) * mine.scale
    normed = (pixels - mine.mean) / np.array(mine.spread)
    np.testing.assert_allclose(normed.transpose(2, 0, 1), processed(told, picture), atol=1e-5)


def broken(folder, file, change):
    path = folder / file
    if change is None:
        path.unlink()
    elif isinstance(change, bytes):
        path.write_bytes(change)
    else:
        path.write_text(json.dumps({**json.loads(path.read_text()), **change}))


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("preprocessor_config.json", None, "no preprocessor_config.json, which says how"),
        ("preprocessor_config.json", b"[1]", "holds no object of JSON"),
        ("preprocessor_config.json", {"size": {"height": 32}}, "says what cannot be: .*width"),
        ("preprocessor_config.json", {"size": {"height": 0, "width": 8}}, "a side of 0 pixels"),
        ("preprocessor_config.json", {"size": {"shortest_edge": 32}}, "of different sizes"),
        ("preprocessor_config.json", {"resample": 9}, "ways to mix pixels are 0 to 5"),
        ("preprocessor_config.json", {"image_std": [1, 0, 1]}, "image_std is"),
        (
            "preprocessor_config.json",
            {"image_processor_type": "OddImageProcessor"},
            "of the kind Odd, of which it is not known what it does.*one of ViT, DeiT",
        ),
        (
            "preprocessor_config.json",
            {"size": {"height": 64, "width": 64}},
            "the ViT in .* does not see pictures of 64 x 64 pixels",
        ),
        ("config.json", None, "holds no language model|no config.json"),
        ("config.json", {"model_type": "bert"}, "of the type bert, which is none that sees"),
        ("config.json", {"quantization_config": {"bits": 4}}, "quantised numbers"),
        ("config.json", {"num_hidden_layers": 3}, "lacks .* of the numbers of a ViT"),
        ("config.json", {"hidden_size": 24}, "the ViT in .* cannot be read"),
        ("model.safetensors", None, "has no model.safetensors"),
        ("model.safetensors", b"\x00" * 99, "the ViT in .* cannot be read"),
    ],
)
def test_what_a_folder_lacks_is_said(file, change, message, tmp_path):
    folder = written("vit", tmp_path / "vit")
    broken(folder, file, change)
    with pytest.raises(ValueError, match=f"(?s){message}"):
        features(PICTURES, str(folder))


def test_nothing_of_a_folder_is_run(tmp_path):
    folder = written("vit", tmp_path / "vit")
    (folder / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    broken(folder, "config.json", {"auto_map": {"AutoModel": "evil.Model"}})
    broken(folder, "preprocessor_config.json", {"auto_map": {"AutoImageProcessor": "evil.P"}})
    assert features(PICTURES, str(folder)).shape == (5, 16)
    assert not (tmp_path / "ran").exists()


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*gone"):
        features(PICTURES, f"hf:{tmp_path / 'gone'}")


def test_a_folder_is_named_with_hf_or_without(tmp_path):
    folder = written("vit", tmp_path / "vit")
    np.testing.assert_array_equal(
        features(PICTURES, f"hf:{folder}"), features(PICTURES, str(folder))
    )


def test_a_folder_that_changes_is_read_again(tmp_path):
    folder = written("vit", tmp_path / "vit")
    before = features(PICTURES, str(folder))
    written("deit", folder)
    assert features(PICTURES, str(folder)).shape == before.shape
    assert not np.allclose(features(PICTURES, str(folder)), before)
