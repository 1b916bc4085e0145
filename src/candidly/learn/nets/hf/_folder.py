"""What a folder says of the language model in it: read as plain JSON, nothing of it is run."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....ground.bounds import MOST_LAYERS
from ....ground.extras import install
from ....ground.jsons import from_json
from ....ground.problem import said_of
from ._families import FAMILIES, Family, Pooled

POOLING = Path("1_Pooling") / "config.json"  # where sentence-transformers says how
USUAL = {  # of every model; what another configuration says of these is not followed
    "use_cache": False,
    "return_dict": True,
    "output_attentions": False,
    "output_hidden_states": False,
    "output_past": False,
    "is_decoder": False,
    "add_cross_attention": False,
    "gradient_checkpointing": False,
    "dtype": None,
    "torch_dtype": None,
}
LEFT_OUT = {*USUAL, "auto_map", "is_encoder_decoder", "attn_implementation", "_attn_implementation"}


@dataclass(frozen=True)
class Described:
    """A folder's model, without its numbers.

    Attributes:
        name: the name of the folder, for errors.
        config: transformers' configuration.
        pooled: what makes the state of a text; None of what scores names.
        ends_mean: the state is the mean of the tokens.
    """

    folder: Path
    family: Family
    config: Any
    pooled: Pooled | None
    ends_mean: bool

    @property
    def name(self) -> str:
        return str(self.folder)


def described(folder: Path) -> Described:
    """What ``config.json`` and sentence-transformers' ``1_Pooling/config.json`` say.

    Raises:
        FileNotFoundError: no such folder.
        ValueError: it holds no model, or none that can be trained here.
    """
    if not folder.is_dir():
        raise FileNotFoundError(
            f"there is no folder {folder}, which should hold a language model. Nothing is "
            "downloaded: copy the model's folder to this machine, and name it."
        )
    told = _read(folder / "config.json", folder)
    kind = str(told.get("model_type"))
    if kind not in FAMILIES:
        raise ValueError(
            f"{folder} holds a model of the type {kind}. Those that can be trained here: "
            f"{', '.join(FAMILIES)}; take one of them."
        )
    family = FAMILIES[kind]
    if "quantization_config" in told:
        raise ValueError(
            f"{folder} holds a model of quantised numbers, which cannot be trained. Take the model "
            "that it was made of."
        )
    ends_mean = _means(folder) if family.mean is not None else False
    config = configured(folder, family, told)
    pooled = family.mean if ends_mean else family.pooled
    return Described(folder, family, config, pooled, ends_mean)


def configured(folder: Path, family: Family, told: dict[str, Any]) -> Any:
    """Transformers' configuration of a model's plain values."""
    left = {name: value for name, value in told.items() if name not in LEFT_OUT}
    try:
        make = getattr(transformers(), family.config)
        config = make(**left, **USUAL, is_encoder_decoder=family.both)
    except Exception as error:
        raise ValueError(
            f"config.json of {folder} describes no {family.title}: {said_of(error)}. Copy the "
            "folder afresh."
        ) from error
    _check_depth(folder, config)
    config._attn_implementation = "eager"  # products and softmax, no fused kernel
    if family.both and getattr(config, "decoder_start_token_id", None) is None:
        config.decoder_start_token_id = config.pad_token_id
    return config


def _check_depth(folder: Path, config: Any) -> None:
    """Refuse more layers than anybody could count, before each of them is made."""
    for name, value in config.to_dict().items():
        if "layer" in name and isinstance(value, int) and value > MOST_LAYERS:
            raise ValueError(
                f"config.json of {folder} says {name} = {value:,}; a network has at most "
                f"{MOST_LAYERS:,} layers. Correct it, or copy the folder afresh."
            )


def transformers() -> Any:
    """The package, imported when first asked for.

    Raises:
        ValueError: it is not installed.
    """
    try:
        return importlib.import_module("transformers")
    except ImportError:
        raise ValueError(
            "language models need the package transformers, which is not installed. Run: "
            f"{install('text')}"
        ) from None


def _means(folder: Path) -> bool:
    """Whether a sentence encoder ends with the mean of its tokens."""
    if not (folder / POOLING).is_file():
        return False
    modes = {
        name.removeprefix("pooling_mode_")
        for name, value in _read(folder / POOLING, folder).items()
        if name.startswith("pooling_mode_") and value is True
    }
    if modes == {"mean_tokens"}:
        return True
    raise ValueError(
        f"{folder / POOLING} asks for {' and '.join(sorted(modes)) or 'nothing'}; only mean_tokens "
        "is known here. Remove the folder 1_Pooling to have the model's own head."
    )


def _read(path: Path, folder: Path) -> dict[str, Any]:
    if not path.is_file():
        raise ValueError(
            f"{folder} holds no language model: there is no {path.name} in it. Name the folder "
            "that has config.json, a tokeniser and model.safetensors."
        )
    try:
        told = from_json(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: {error} Copy the folder afresh.") from error
    if not isinstance(told, dict):
        raise ValueError(f"{path} holds no object of JSON. Copy the folder afresh.")
    return told
