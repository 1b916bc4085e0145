"""Pictures beside texts: which class a picture shows, as its name says, without any label."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...data.labels.labelled import Labelled
from ...ground.arrays import door
from ...ground.jsons import from_json
from ...ground.problem import Refusal, said_of
from ...ground.progress import OnProgress
from ..written.folders import CONFIG, folder_named
from ._features import features
from ._named import place_of
from ._transformers import LOCAL, quietly

PROMPT = "a photo of a {}."
SCALE = "logit_scale"
AT_ONCE = 64  # texts


class TextHalf(NamedTuple):
    """How texts are read beside pictures.

    Attributes:
        title: what the model is called.
        model: the name of transformers' class.
        vector: what stands for a text, of what the model returns.
        padded: whether every text is as long as the model reads at most.
    """

    title: str
    model: str
    vector: Callable[[Any], Any]
    padded: bool


HALVES: Mapping[str, TextHalf] = {  # by ``model_type`` of config.json
    "clip": TextHalf("CLIP", "CLIPTextModelWithProjection", lambda said: said.text_embeds, False),
    "siglip": TextHalf("SigLIP", "SiglipTextModel", lambda said: said.pooler_output, True),
}


@door
def zero_shot(
    data: Labelled | np.ndarray | Sequence[Path] | Sequence[str],
    encoder: str,
    classes: Sequence[str] | None = None,
    *,
    prompts: Sequence[str] = (PROMPT,),
    watch: OnProgress | None = None,
) -> np.ndarray:
    """Scores of pictures for classes by their names, from a model of pictures and texts.

    Nothing is learned, and no label is looked at. A class is the mean of the vectors of its
    prompts; its score is the cosine with the picture's vector, times the scale that the model was
    trained with. Of SigLIP the bias is left out, which is the same for all.

    Args:
        data: pictures, as of ``features``.
        encoder: ``hf:FOLDER``, or the folder, of a CLIP or SigLIP with both halves and a tokeniser.
        classes: names, q of them; by default those of ``data``.
        prompts: texts with one ``{}``, where the name of the class stands.
        watch: called with work done and work in all.

    Returns:
        float32 (n, q); their softmax along rows is the model's probabilities.

    Raises:
        ValueError: a folder without one of the halves, fewer than two names, a prompt without a
            place for the name. FileNotFoundError: no such folder.

    Source: Radford et al., Learning transferable visual models from natural language supervision,
    ICML 2021.
    """
    names = data.classes if classes is None and isinstance(data, Labelled) else classes
    if names is None or len(names) < 2:
        raise ValueError(f"`classes` are {names}; give the names of two classes at least.")
    for prompt in prompts:
        if prompt.count("{}") != 1:
            raise ValueError(f"the prompt {prompt!r} has no one place {{}} for the class's name.")
    if not prompts:
        raise ValueError("there are no `prompts`.")
    folder = folder_named(place_of(encoder))
    half, scale = _half(folder)
    texts = [prompt.replace("{}", name) for name in names for prompt in prompts]
    vectors = _texts(folder, half, texts).reshape(len(names), len(prompts), -1)
    means = _unit(_unit(vectors).mean(1))
    pictures = _unit(features(data, encoder, watch=watch))
    return np.asarray(scale * pictures @ means.T, dtype=np.float32)


def _unit(vectors: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1))


def _half(folder: Path) -> tuple[TextHalf, float]:
    """How a folder's model reads texts, and its scale."""
    if not folder.is_dir():
        raise FileNotFoundError(f"there is no folder {folder} with a model of pictures and texts.")
    path = folder / CONFIG
    told = from_json(path.read_bytes()) if path.is_file() else {}
    kind = str(told.get("model_type")) if isinstance(told, dict) else ""
    half = HALVES.get(kind)
    if half is None:
        raise Refusal(
            f"{folder} holds a model of the type {kind}, which does not read pictures and texts.",
            f"take one of the types {', '.join(HALVES)}",
        )
    from safetensors import safe_open

    for file in sorted(folder.glob("*.safetensors")):
        with safe_open(file, "np") as numbers:
            if SCALE in numbers.keys():  # noqa: SIM118 - it is no dict
                return half, math.exp(float(np.asarray(numbers.get_tensor(SCALE)).reshape(-1)[0]))
    raise Refusal(
        f"{folder} has no {SCALE} among its numbers: it holds one half of a {half.title}.",
        "take the folder of the whole model",
    )


def _texts(folder: Path, half: TextHalf, texts: Sequence[str]) -> np.ndarray:
    """float32 (texts, d)."""
    import torch

    try:
        with quietly() as transformers, torch.no_grad():
            tokeniser = transformers.AutoTokenizer.from_pretrained(folder, **LOCAL)
            model, about = getattr(transformers, half.model).from_pretrained(
                folder,
                use_safetensors=True,
                output_loading_info=True,
                dtype=torch.float32,
                **LOCAL,
            )
            parts = (texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE))
            found = [_read(list(some), tokeniser, model.eval(), half) for some in parts]
    except (MemoryError, Refusal):
        raise
    except Exception as error:
        raise ValueError(
            f"the texts' half of the {half.title} in {folder} cannot be read: {said_of(error)}. "
            "Copy the folder afresh, with its tokeniser."
        ) from error
    lacking = sorted(map(str, about["missing_keys"]))
    if lacking:
        raise ValueError(
            f"{folder} lacks {len(lacking)} of the numbers of the texts' half of a {half.title}, "
            f"such as {lacking[0]}. Take the whole model's folder."
        )
    return np.concatenate(found)


def _read(texts: list[str], tokeniser: Any, model: Any, half: TextHalf) -> np.ndarray:
    """Some texts, float32 (B, d)."""
    tokens = tokeniser(
        texts,
        padding="max_length" if half.padded else True,
        truncation=True,
        max_length=model.config.max_position_embeddings,
        return_tensors="pt",
    )
    asked = {"input_ids": tokens["input_ids"]}
    if not half.padded:
        asked["attention_mask"] = tokens["attention_mask"]
    return np.asarray(half.vector(model(**asked)).numpy())
