"""Which networks are compared, how wide they are, and how they are trained at each scale."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

CIFAR10 = ((3, 32, 32), 10)  # shape of an input, classes


@dataclass(frozen=True)
class Network:
    """A network of the study.

    Attributes:
        name: what candidly calls it as it is known.
        narrow: the same with an eighth of its channels; the slowest two have a sixteenth.
        published: what Table S2 of the label-error paper calls it; '' where it has none.
        parameters, multiply_adds: at full width, for pictures of CIFAR-10.
    """

    name: str
    narrow: str
    published: str
    parameters: int
    multiply_adds: int


_TABLE = (
    Network("cnn", "cnn", "", 99_306, 3_736_832),
    Network("densenet22", "densenet22", "", 71_686, 31_238_322),
    Network("resnet32", "resnet32", "", 466_906, 69_124_736),
    Network("vgg11", "vgg11:width=8", "vgg11_bn", 28_149_514, 171_679_744),
    Network("vgg13", "vgg13:width=8", "vgg13_bn", 28_334_410, 247_177_216),
    Network("vgg16", "vgg16:width=8", "vgg16_bn", 33_646_666, 332_111_872),
    Network("vgg19", "vgg19:width=8", "vgg19_bn", 38_958_922, 417_046_528),
    Network("resnet18", "resnet18:width=8", "resnet18", 11_173_962, 555_422_720),
    Network("resnet34", "resnet34:width=8", "resnet34", 21_282_122, 1_159_402_496),
    Network("resnet50", "resnet50:width=8", "resnet50", 23_520_842, 1_297_829_888),
    Network("densenet121", "densenet121:growth=4", "densenet121", 6_956_426, 223_422_464),
    Network("densenet161", "densenet161:growth=6", "densenet161", 26_482_570, 618_894_912),
    Network("densenet169", "densenet169:growth=4", "densenet169", 12_493_450, 266_289_408),
    Network("mobilenet-v2", "mobilenet-v2:width=4", "mobilenet_v2", 2_236_682, 87_976_448),
    Network("googlenet", "googlenet:width=12", "googlenet", 5_490_986, 1_337_141_248),
    Network("inception-v3", "inception-v3:width=12", "inception_v3", 21_638_954, 3_460_465_664),
)
NETWORKS: Mapping[str, Network] = {network.name: network for network in _TABLE}


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
FULL = {name: name for name in NETWORKS}
ADAM = "adam:schedule=cosine,warm_up=0.05,views=weak"
SGD = "sgd:nesterov=true,warm_up=0.02,views=weak"

SCALES: Mapping[str, Scale] = {
    "quick": Scale({name: NARROW[name] for name in ("cnn", "vgg11")}, 5, ADAM, 0.002, 1e-5, 64),
    "reduced": Scale(NARROW, 600, ADAM, 0.002, 1e-5, 64),  # three quarters of 50,000 pictures
    "full": Scale(FULL, 78_125, SGD, 0.1, 5e-4, 128),  # 200 passes
}
