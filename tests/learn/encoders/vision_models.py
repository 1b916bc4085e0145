"""Small vision models of random numbers in folders, as ``save_pretrained`` writes them."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import torch

TRANSFORMER = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 24,
    "image_size": 32,
    "patch_size": 8,
    "initializer_range": 0.3,  # so that pictures differ
}
SMALL: dict[str, tuple[str, str, dict[str, Any]]] = {
    "vit": ("ViTModel", "ViTConfig", TRANSFORMER),
    "deit": ("DeiTModel", "DeiTConfig", TRANSFORMER),
    "dinov2": ("Dinov2Model", "Dinov2Config", {**TRANSFORMER, "mlp_ratio": 2}),
    "dinov2_with_registers": (
        *("Dinov2WithRegistersModel", "Dinov2WithRegistersConfig"),
        {**TRANSFORMER, "mlp_ratio": 2},
    ),
    "dinov3_vit": ("DINOv3ViTModel", "DINOv3ViTConfig", TRANSFORMER),
    "clip": (
        *("CLIPModel", "CLIPConfig"),
        {
            "vision_config": {**TRANSFORMER, "projection_dim": 12},
            "text_config": {
                "hidden_size": 16,
                "num_hidden_layers": 1,
                "num_attention_heads": 2,
                "intermediate_size": 24,
                "vocab_size": 30,
                "max_position_embeddings": 8,
            },
            "projection_dim": 12,
        },
    ),
    "siglip_vision_model": ("SiglipVisionModel", "SiglipVisionConfig", TRANSFORMER),
    "convnext": (
        *("ConvNextModel", "ConvNextConfig"),
        {"hidden_sizes": [8, 12], "depths": [1, 1], "num_stages": 2, "initializer_range": 0.3},
    ),
    "convnextv2": (
        *("ConvNextV2Model", "ConvNextV2Config"),
        {"hidden_sizes": [8, 12], "depths": [1, 1], "num_stages": 2, "initializer_range": 0.3},
    ),
    "resnet": (
        *("ResNetModel", "ResNetConfig"),
        {"embedding_size": 8, "hidden_sizes": [8, 12], "depths": [1, 1], "layer_type": "basic"},
    ),
    "swin": (
        *("SwinModel", "SwinConfig"),
        {
            "embed_dim": 8,
            "depths": [1, 1],
            "num_heads": [1, 2],
            "window_size": 2,
            "image_size": 32,
            "patch_size": 4,
            "initializer_range": 0.3,
        },
    ),
}
NORMED = {"image_mean": [0.4, 0.5, 0.6], "image_std": [0.2, 0.3, 0.25]}
PREPARED: dict[str, dict[str, Any]] = {  # what folders say, new and old, of each kind
    "squeezed": {"image_processor_type": "ViTImageProcessor", "size": {"height": 32, "width": 32}},
    "squeezed, as of 2021": {
        "feature_extractor_type": "ViTFeatureExtractor",
        "size": 32,
        "resample": 3,
        "do_resize": True,
        "do_normalize": True,
    },
    "cut": {
        "image_processor_type": "CLIPImageProcessor",
        "size": {"shortest_edge": 32},
        "crop_size": {"height": 32, "width": 32},
        "resample": 3,
        "do_center_crop": True,
    },
    "cut, as of 2021": {
        "feature_extractor_type": "CLIPFeatureExtractor",
        "size": 32,
        "crop_size": 32,
        "do_center_crop": True,
        "do_normalize": True,
        "do_resize": True,
        "resample": 3,
    },
    "made larger and cut": {
        "image_processor_type": "BitImageProcessor",
        "size": {"shortest_edge": 36},
        "crop_size": {"height": 32, "width": 32},
        "resample": 3,
    },
    "squeezed and cut": {
        "image_processor_type": "DeiTImageProcessor",
        "size": {"height": 36, "width": 36},
        "crop_size": {"height": 32, "width": 32},
        "resample": 3,
    },
    "cut by a share": {
        "image_processor_type": "ConvNextImageProcessor",
        "size": {"shortest_edge": 32},
        "crop_pct": 0.875,
        "resample": 3,
    },
    "padded": {
        "image_processor_type": "CLIPImageProcessor",
        "size": {"shortest_edge": 20},
        "crop_size": {"height": 32, "width": 32},
        "resample": 2,
        "do_center_crop": True,
    },
    "of another scale": {
        "image_processor_type": "SiglipImageProcessor",
        "size": {"height": 32, "width": 32},
        "resample": 3,
        "rescale_factor": 1 / 127.5,
    },
}
PREPARED = {name: {**NORMED, **told} for name, told in PREPARED.items()}


def written(kind: str, folder: Path, prepared: dict[str, Any] | None = None) -> Path:
    """A small model of a kind in a folder, with its preprocessor."""
    transformers = importlib.import_module("transformers")
    model, config, options = SMALL[kind]
    torch.manual_seed(3)
    made = getattr(transformers, model)(getattr(transformers, config)(**options)).eval()
    for name, buffer in made.named_buffers():  # of batch normalisation, as if it had learned
        if name.endswith("running_mean"):
            buffer.normal_(0, 0.1)
        elif name.endswith("running_var"):
            buffer.uniform_(0.01, 0.5)
    made.save_pretrained(folder)
    told = PREPARED["squeezed"] if prepared is None else prepared
    (folder / "preprocessor_config.json").write_text(json.dumps(told))
    return folder
