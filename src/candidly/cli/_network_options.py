"""The options that say which network learns, and how: the same words wherever one can be named."""

from __future__ import annotations

from typing import Annotated

import typer

NET = "NAME[:KEY=VALUE,...], FILE.py:FUNCTION or hf:FOLDER"

Net = Annotated[
    str | None,
    typer.Option(
        "--net",
        metavar=NET,
        help="Network: mlp:128, linear, cnn:width=32, resnet32, ...; for texts encoder, bilstm or "
        "hf:FOLDER, a language model; or a function of your own that returns a torch module. "
        "(default: mlp; for arrays of pictures cnn)",
    ),
]
SavedNet = Annotated[
    str | None,
    typer.Option(
        "--net",
        metavar="FILE.py:FUNCTION or hf:FOLDER",
        help="The file or folder that made the model's network, if one did; as it was.",
    ),
]
Encoder = Annotated[
    str | None,
    typer.Option(
        "--encoder",
        metavar="NAME",
        help="What makes numbers of the inputs: own; of columns skrub; of pictures an encoder such "
        "as efficientnet-lite0; of texts a folder or package with a language model; of either "
        "FILE.py:make, but for a model that is kept. (default: own; of pictures an encoder that "
        "is installed, where it agrees with more of the labels)",
    ),
]
Training = Annotated[
    str | None,
    typer.Option(
        "--recipe",
        metavar="NAME[:KEY=VALUE,...]",
        help="How to train: adam, sgd, adamw or fine-tune, such as sgd:schedule=steps,at=0.6. "
        "(default: adam; for pictures adam:views=weak; for language models fine-tune)",
    ),
]
