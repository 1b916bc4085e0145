"""Which networks are compared, how wide they are, and how they are trained at each scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CIFAR10 = ((3, 32, 32), 10)  # shape of an input, classes


@dataclass(frozen=True)
class Network:
    """A network of the study.

    Attributes:
        full, narrow: what candidly calls it, as it is known and with an eighth of its channels.
        published: what Table S2 of the label-error paper calls it; '' where it has none.
    """

    full: str
    narrow: str
    published: str = ""


NETWORKS: Mapping[str, Network] = {
    "cnn": Network("cnn", "cnn"),
    "densenet22": Network("densenet22", "densenet22"),
    "resnet32": Network("resnet32", "resnet32"),
    "vgg11": Network("vgg11", "vgg11:width=8", "vgg11_bn"),
    "vgg13": Network("vgg13", "vgg13:width=8", "vgg13_bn"),
    "vgg16": Network("vgg16", "vgg16:width=8", "vgg16_bn"),
    "vgg19": Network("vgg19", "vgg19:width=8", "vgg19_bn"),
    "resnet18": Network("resnet18", "resnet18:width=8", "resnet18"),
    "resnet34": Network("resnet34", "resnet34:width=8", "resnet34"),
    "resnet50": Network("resnet50", "resnet50:width=8", "resnet50"),
    "densenet121": Network("densenet121", "densenet121:growth=4", "densenet121"),
    "densenet161": Network("densenet161", "densenet161:growth=6", "densenet161"),
    "densenet169": Network("densenet169", "densenet169:growth=4", "densenet169"),
    "mobilenet-v2": Network("mobilenet-v2", "mobilenet-v2:width=4", "mobilenet_v2"),
    "googlenet": Network("googlenet", "googlenet:width=24", "googlenet"),
    "inception-v3": Network("inception-v3", "inception-v3:width=12", "inception_v3"),
}


@dataclass(frozen=True)
class Scale:
    """How much is trained.

    Attributes:
        nets: the networks by name.
        steps, recipe, lr, weight_decay, batch_size: of every one of them; see ``model.fit``.
        seed: of start, order and views.
    """

    nets: Mapping[str, str]
    steps: int
    recipe: str
    lr: float
    weight_decay: float
    batch_size: int
    seed: int = 0

    def training(self, name: str) -> dict[str, str | int | float]:
        """Everything that decides what this network predicts, as JSON values."""
        return {
            "net": self.nets[name],
            "steps": self.steps,
            "recipe": self.recipe,
            "lr": self.lr,
            "weight_decay": self.weight_decay,
            "batch_size": self.batch_size,
            "seed": self.seed,
        }


NARROW = {name: network.narrow for name, network in NETWORKS.items()}
FULL = {name: network.full for name, network in NETWORKS.items()}
ADAM = "adam:schedule=cosine,warm_up=0.05,views=weak"
SGD = "sgd:nesterov=true,warm_up=0.02,views=weak"

SCALES: Mapping[str, Scale] = {
    "quick": Scale({name: NARROW[name] for name in ("cnn", "resnet32")}, 5, ADAM, 0.002, 1e-5, 64),
    "reduced": Scale(NARROW, 600, ADAM, 0.002, 1e-5, 64),  # three quarters of 50,000 pictures
    "full": Scale(FULL, 78_125, SGD, 0.1, 5e-4, 128),  # 200 passes
}
