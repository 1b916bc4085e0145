"""Vision models in a folder, as ``save_pretrained`` of transformers writes them: what they see in a
picture, and how the folder says that a picture is prepared."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from ...ground.jsons import from_json
from ...ground.problem import Refusal, said_of
from ..written.folders import CONFIG, digest_of_folder
from ._pictures import PictureEncoder, Square
from ._transformers import LOCAL, quietly

PREPARES = "preprocessor_config.json"
LARGEST = 2048  # pixels on a side
NEAREST, LANCZOS, BILINEAR, BICUBIC, BOX, HAMMING = range(6)  # of Pillow, as folders number them


def first(said: Any) -> Tensor:
    """The state of the first token, which stands for the picture."""
    return said.last_hidden_state[:, 0]


def pooled(said: Any) -> Tensor:
    return said.pooler_output.flatten(1)


def projected(said: Any) -> Tensor:
    """Where pictures and texts are compared."""
    return said.image_embeds


class Vision(NamedTuple):
    """A kind of vision model.

    Attributes:
        title: what it is called.
        model: the name of transformers' class.
        vector: what stands for a picture, of what the model returns.
        options: what the class is called with.
    """

    title: str
    model: str
    vector: Callable[[Any], Tensor]
    options: Mapping[str, Any] = {}


VISIONS: Mapping[str, Vision] = {  # by ``model_type`` of config.json
    "vit": Vision("ViT", "ViTModel", first, {"add_pooling_layer": False}),
    "deit": Vision("DeiT", "DeiTModel", first, {"add_pooling_layer": False}),
    "dinov2": Vision("DINOv2", "Dinov2Model", first),
    "dinov2_with_registers": Vision("DINOv2", "Dinov2WithRegistersModel", first),
    "dinov3_vit": Vision("DINOv3", "DINOv3ViTModel", first),
    "clip": Vision("CLIP", "CLIPVisionModelWithProjection", projected),
    "clip_vision_model": Vision("CLIP", "CLIPVisionModelWithProjection", projected),
    "siglip": Vision("SigLIP", "SiglipVisionModel", pooled),
    "siglip_vision_model": Vision("SigLIP", "SiglipVisionModel", pooled),
    "convnext": Vision("ConvNeXt", "ConvNextModel", pooled),
    "convnextv2": Vision("ConvNeXt", "ConvNextV2Model", pooled),
    "resnet": Vision("ResNet", "ResNetModel", pooled),
    "swin": Vision("Swin", "SwinModel", pooled),
}


class Prepares(NamedTuple):
    """What a kind of preprocessor does where the folder does not say.

    Attributes:
        square: a size of one number is of both sides, not of the shorter one.
        resample: how pixels are mixed.
        crops: it cuts out the middle.
        share: what is left by cutting, of a picture that is made smaller than 384 pixels; 1: all.
    """

    square: bool
    resample: int
    crops: bool = False
    share: float = 1.0


PREPARERS: Mapping[str, Prepares] = {  # by its name in the folder, without what all names end in
    "ViT": Prepares(True, BILINEAR),
    "DeiT": Prepares(True, BICUBIC, crops=True),
    "CLIP": Prepares(False, BICUBIC, crops=True),
    "Bit": Prepares(False, BICUBIC, crops=True),
    "ConvNext": Prepares(False, BILINEAR, share=224 / 256),
    "Siglip": Prepares(True, BICUBIC),
    "DINOv3ViT": Prepares(True, BILINEAR),
}
ENDINGS = ("Fast", "Pil", "ImageProcessor", "FeatureExtractor")
LARGE = 384  # pixels; ConvNeXt's pictures of that size and more are not cut


@dataclass(frozen=True)
class PicturePreparation:
    """How a picture becomes what a model sees.

    Attributes:
        size: (height, width) to resize to; an int: the shorter side; None: it stays as it is.
        crop: (height, width) of the middle that is cut out, with zeros where there is none; None:
            all.
        scale: what pixels are multiplied by.
        mean, spread: of the three colours, after that.
    """

    size: tuple[int, int] | int | None
    crop: tuple[int, int] | None
    resample: int
    scale: float
    mean: tuple[float, ...]
    spread: tuple[float, ...]

    def square(self, picture: np.ndarray) -> np.ndarray:
        """uint8 (h, w, 3) to uint8 of one size."""
        from PIL import Image

        if self.size is not None:
            high, wide = self.size if isinstance(self.size, tuple) else self._kept(picture)
            resample = Image.Resampling(self.resample)
            picture = np.asarray(Image.fromarray(picture).resize((wide, high), resample))
        return picture if self.crop is None else _middle(picture, *self.crop)

    def _kept(self, picture: np.ndarray) -> tuple[int, int]:
        """(height, width) in proportion, whose shorter side is ``size``."""
        assert isinstance(self.size, int)
        high, wide = picture.shape[:2]
        longer = int(self.size * max(high, wide) / min(high, wide))
        return (self.size, longer) if high <= wide else (longer, self.size)


def _middle(picture: np.ndarray, high: int, wide: int) -> np.ndarray:
    """The middle of a picture, with zeros around where it is smaller."""
    out = np.zeros((high, wide, 3), np.uint8)
    (top, above), (left, before) = (
        _place(have, want) for have, want in zip(picture.shape, (high, wide))
    )
    part = picture[top : top + high, left : left + wide]
    out[above : above + part.shape[0], before : before + part.shape[1]] = part
    return out


def _place(have: int, want: int) -> tuple[int, int]:
    """Where the middle begins in what there is, and in what is wanted."""
    if have >= want:
        return (have - want) // 2, 0
    return 0, math.ceil((want - have) / 2)


class Sees(nn.Module):
    """uint8 (B, H, W, 3) to vectors (B, width)."""

    mean: Tensor
    spread: Tensor

    def __init__(self, model: nn.Module, vector: Callable[[Any], Tensor], how: PicturePreparation):
        super().__init__()
        self.model, self.vector, self.scale = model, vector, how.scale
        self.register_buffer("mean", torch.tensor(how.mean)[:, None, None])
        self.register_buffer("spread", torch.tensor(how.spread)[:, None, None])

    def forward(self, pixels: Tensor) -> Tensor:
        x = pixels.permute(0, 3, 1, 2).float() * self.scale
        return self.vector(self.model(pixel_values=(x - self.mean) / self.spread))


def vision_encoder(folder: Path, name: str) -> PictureEncoder:
    """The encoder in a folder. Nothing is downloaded, and of the folder nothing is run.

    Of ViT, DeiT and DINO a picture's vector is the state of the first token; of CLIP what is
    compared with texts; of SigLIP, ConvNeXt, ResNet and Swin what the model pools.

    Args:
        folder: with ``config.json``, ``preprocessor_config.json`` and ``model.safetensors``.
        name: as somebody wrote it.

    Raises:
        FileNotFoundError: no such folder.
        ValueError: it holds no vision model, a damaged one or one that lacks something; the message
            says what to do.
    """
    digest = digest_of_folder(folder, name)
    kind = str(_read(folder / CONFIG, folder).get("model_type"))
    vision = VISIONS.get(kind)
    if vision is None:
        raise Refusal(
            f"{folder} holds a model of the type {kind}, which is none that sees pictures.",
            f"take one of the types {', '.join(VISIONS)}",
        )
    how = preparation(folder)
    net = Sees(_model(folder, vision), vision.vector, how).eval()
    square: Square = how.square
    probe = square(np.zeros((32, 32, 3), np.uint8))
    try:
        with torch.no_grad():
            width = net(torch.from_numpy(probe)[None]).shape[1]
    except Exception as error:
        raise ValueError(
            f"the {vision.title} in {folder} does not see pictures of {probe.shape[0]} x "
            f"{probe.shape[1]} pixels, as {PREPARES} has them: {said_of(error)}. Copy the folder "
            "afresh."
        ) from error
    return PictureEncoder(name, f"{kind}-{digest}", width, None, square, net)


def _model(folder: Path, vision: Vision) -> nn.Module:
    """The model with its numbers, in float32."""
    if not any(folder.glob("*.safetensors")):
        raise Refusal(
            f"{folder} has no model.safetensors, the numbers of its model.", "copy it there"
        )
    if "quantization_config" in _read(folder / CONFIG, folder):
        raise Refusal(
            f"{folder} holds a model of quantised numbers.", "take the model that it was made of"
        )
    try:
        with quietly() as transformers:
            model, about = getattr(transformers, vision.model).from_pretrained(
                folder,
                use_safetensors=True,
                output_loading_info=True,
                dtype=torch.float32,
                **LOCAL,
                **vision.options,
            )
    except (MemoryError, Refusal):
        raise
    except Exception as error:
        mixed = "mismatched_sizes" in str(error)  # names an option of transformers, which none has
        why = f"its numbers are not of the sizes that {CONFIG} says" if mixed else said_of(error)
        raise ValueError(
            f"the {vision.title} in {folder} cannot be read: {why}. Copy the folder afresh."
        ) from error
    lacking = sorted(map(str, about["missing_keys"]))
    if lacking:
        raise ValueError(
            f"{folder} lacks {len(lacking)} of the numbers of a {vision.title}, such as "
            f"{lacking[0]}: it holds another model, or a part of one. Take the whole model's "
            "folder."
        )
    return model


def preparation(folder: Path) -> PicturePreparation:
    """What ``preprocessor_config.json`` says of how a picture is prepared.

    Raises:
        Refusal: there is none, or it is of a kind that is not known.
        ValueError: it says what cannot be.
    """
    path = folder / PREPARES
    if not path.is_file():
        raise Refusal(
            f"{folder} has no {PREPARES}, which says how its model's pictures are prepared.",
            "copy it from where the model is from",
        )
    told = _read(path, folder)
    kind = str(told.get("image_processor_type", told.get("feature_extractor_type")))
    for ending in ENDINGS:
        kind = kind.removesuffix(ending)
    usual = PREPARERS.get(kind)
    if usual is None:
        raise Refusal(
            f"{path} is of the kind {kind}, of which it is not known what it does.",
            f"take a model whose pictures are prepared by one of {', '.join(PREPARERS)}",
        )
    try:
        return _prepared(told, usual)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"{path} says what cannot be: {said_of(error)}. Copy the folder afresh."
        ) from error


def _prepared(told: Mapping[str, Any], usual: Prepares) -> PicturePreparation:
    size: tuple[int, int] | int | None = None
    crop = None
    if told.get("do_resize", True):
        size = _size(told["size"], usual.square)
    if told.get("do_center_crop", usual.crops):
        both = _size(told.get("crop_size", told.get("size")), True)
        crop = both if isinstance(both, tuple) else (both, both)
    if usual.share < 1 and isinstance(size, int):
        whole = size
        if whole < LARGE:
            size = int(whole / float(told.get("crop_pct", usual.share)))
            crop = whole, whole
        else:
            size = whole, whole
    if (isinstance(size, int) and crop is None) or (size is None and crop is None):
        raise ValueError("pictures would be of different sizes")
    normed = told.get("do_normalize", True)
    mean = told["image_mean"] if normed else (0.0, 0.0, 0.0)
    spread = told["image_std"] if normed else (1.0, 1.0, 1.0)
    scale = float(told.get("rescale_factor", 1 / 255)) if told.get("do_rescale", True) else 1.0
    resample = int(told.get("resample", usual.resample))
    if len(mean) != 3 or len(spread) != 3 or resample not in range(6):
        raise ValueError("colours are three, and ways to mix pixels are 0 to 5")
    if not min(map(float, spread)) > 0:
        raise ValueError(f"image_std is {spread}")
    return PicturePreparation(
        size, crop, resample, scale, tuple(map(float, mean)), tuple(map(float, spread))
    )


def _size(told: Any, square: bool) -> tuple[int, int] | int:
    if isinstance(told, Mapping) and "height" in told:
        found: tuple[int, int] | int = _sane(told["height"]), _sane(told["width"])
    elif isinstance(told, Mapping):
        found = _sane(told["shortest_edge"])
    else:
        one = _sane(told)
        found = (one, one) if square else one
    return found


def _sane(pixels: Any) -> int:
    if isinstance(pixels, bool) or not isinstance(pixels, int) or not 1 <= pixels <= LARGEST:
        raise ValueError(f"a side of {pixels!r} pixels; they are 1 to {LARGEST:,}")
    return pixels


def _read(path: Path, folder: Path) -> dict[str, Any]:
    try:
        told = from_json(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: {error} Copy the folder {folder} afresh.") from error
    if not isinstance(told, dict):
        raise ValueError(f"{path} holds no object of JSON. Copy the folder {folder} afresh.")
    return told
