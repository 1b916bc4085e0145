"""What is trained: networks written for a stack of trials, and torch modules."""

from ._files import function_of, loaded_source, neighbours_of
from ._flat import Flat
from ._module import Module
from ._named import NETS, TEXT_NETS, network
from ._net import Buffer, Net, Output, affine, leaf
from ._refusals import made
from ._state import One, State, each, fixed
from .bilstm import bilstm
from .cnn import cnn
from .densenet import densenet22, densenet121, densenet161, densenet169
from .from_torch import from_torch
from .heads import linear, with_classifier, with_head, with_more, with_projection
from .inception import googlenet, inception_v3
from .mlp import mlp
from .mobilenet import mobilenet_v2
from .preact import preact_resnet18, preact_resnet18_dividemix, wide_resnet28_10
from .resnet import resnet18, resnet32, resnet34, resnet50
from .text_encoder import text_encoder
from .vgg import vgg11, vgg13, vgg16, vgg19

__all__ = [
    "NETS",
    "TEXT_NETS",
    "Buffer",
    "Flat",
    "Module",
    "Net",
    "One",
    "Output",
    "State",
    "affine",
    "bilstm",
    "cnn",
    "densenet22",
    "densenet121",
    "densenet161",
    "densenet169",
    "each",
    "fixed",
    "from_torch",
    "function_of",
    "googlenet",
    "inception_v3",
    "leaf",
    "linear",
    "loaded_source",
    "made",
    "mlp",
    "mobilenet_v2",
    "neighbours_of",
    "network",
    "preact_resnet18",
    "preact_resnet18_dividemix",
    "resnet18",
    "resnet32",
    "resnet34",
    "resnet50",
    "text_encoder",
    "vgg11",
    "vgg13",
    "vgg16",
    "vgg19",
    "wide_resnet28_10",
    "with_classifier",
    "with_head",
    "with_more",
    "with_projection",
]
