"""Torch modules that cannot be carried are refused, each by a sentence that says why."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from candidly.learn.nets import Module, from_torch
from learn.nets.torch_modules import CLASSES, SHAPE, Tiny

LAST = []  # what some module keeps outside itself


class Lazy(Tiny):
    def __init__(self):
        super().__init__()
        self.fc = nn.LazyLinear(CLASSES)


class MadeInForward(Tiny):
    def features(self, x):
        x = super().features(x)
        if not hasattr(self, "late"):
            self.late = nn.Linear(5, 5)
        return self.late(x)


class Double(Tiny):
    def __init__(self):
        super().__init__()
        self.double()


class Brain(Tiny):
    def __init__(self):
        super().__init__()
        self.register_buffer("low", torch.zeros(3, dtype=torch.bfloat16))


class Elsewhere(Tiny):
    def __init__(self):
        super().__init__()
        self.to("meta")


class Clipped(Tiny):
    def features(self, x):
        self.conv.weight.data.clamp_(-0.1, 0.1)
        return super().features(x)


class Attribute(Tiny):
    def features(self, x):
        self.count = getattr(self, "count", 0) + 1
        return super().features(x)


class InAList(Tiny):
    def __init__(self):
        super().__init__()
        self.kept = {"means": [torch.zeros(1)]}

    def features(self, x):
        self.kept["means"][0] += x.mean()
        return super().features(x)


class InAnArray(Tiny):
    def __init__(self):
        super().__init__()
        self.kept = np.zeros(1)

    def features(self, x):
        self.kept += 1
        return super().features(x)


class Outside(Tiny):
    def features(self, x):
        LAST.append(len(LAST))
        return super().features(x) * len(LAST)


class OtherRandom(Tiny):
    def features(self, x):
        return super().features(x) * np.random.default_rng().random()


class OtherStart(Tiny):
    def __init__(self):
        super().__init__()
        self.conv.weight.data.fill_(np.random.default_rng().random())


class RandomEvaluation(Tiny):
    def features(self, x):
        return super().features(x) * torch.rand(())


class Unlisted(Tiny):
    def __init__(self):
        super().__init__()
        self.more = [nn.Linear(5, 5)]

    def features(self, x):
        return self.more[0](super().features(x))


class Twice(Tiny):
    """Keeps its weights a second time."""

    def __init__(self):
        super().__init__()
        self.own = nn.Linear(5, 5)
        self.again = [self.own.weight]

    def features(self, x):
        return super().features(x) @ self.again[0]


class TwiceUnseen(Twice):
    def features(self, x):
        return Tiny.features(self, x) * self.again[0].detach().sum()


class Behind(Tiny):
    def forward(self, x):
        return super().forward(x).log_softmax(-1)


class OtherInEvaluation(Tiny):
    def forward(self, x):
        logits = super().forward(x)
        return logits if self.training else logits.softmax(-1)


class NoLinear(Tiny):
    def __init__(self):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(5, CLASSES), nn.Tanh())


class HeadTwice(Tiny):
    def forward(self, x):
        return self.fc(self.features(x)) + self.fc(self.features(x))


class HeadTwoNames(Tiny):
    def __init__(self):
        super().__init__()
        self.other = self.fc


class HeadShared(Tiny):
    def __init__(self):
        super().__init__()
        self.scale = self.fc.bias

    def features(self, x):
        return super().features(x) * self.scale.sum()


class HeadAsked(Tiny):
    def forward(self, x):
        return self.fc(self.features(x) + self.fc.weight.mean())


class Maps(Tiny):
    def __init__(self):
        super().__init__()
        self.fc = nn.Sequential(nn.Flatten(), nn.Linear(5 * 16, CLASSES))

    def features(self, x):
        return self.norm(self.conv(x))


class InPlaceHead(Tiny):
    def __init__(self):
        super().__init__()
        self.fc = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(5, CLASSES))

    def features(self, x):
        return super().features(x) - 0.5


class Pair(Tiny):
    def forward(self, x):
        return super().forward(x), x


class Column(Tiny):
    def forward(self, x):
        return super().forward(x)[:, :1]


class Squeezed(Tiny):
    def forward(self, x):
        return self.fc(self.features(x).squeeze())


class Half(Tiny):
    def forward(self, x):
        return super().forward(x).half()


class NoGradient(Tiny):
    def forward(self, x):
        with torch.no_grad():
            return super().forward(x)


class InputsWritten(Tiny):
    def forward(self, x):
        return super().forward(x.mul_(2))


class OtherBuffer(Tiny):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(1))

    def features(self, x):
        self.seen = x.detach().flatten()
        return super().features(x)


class Fails(Tiny):
    def features(self, x):
        return self.norm(self.conv(x[:, :0]))


class Compiled(torch.jit.ScriptModule):
    pass


KEPT = Tiny()
COUNT = iter(range(5, 99))


@pytest.mark.parametrize(
    ("make", "head", "sentence"),
    [
        (Lazy, None, "fc.weight is made at the first forward; give its layer the input size"),
        (MadeInForward, None, "late.* is made or dropped in its forward; make all of it in make"),
        (Double, None, "its parameter conv.weight is torch.float64; make it torch.float32"),
        (Brain, None, "its buffer low is torch.bfloat16; make it torch.float32"),
        (Elsewhere, None, "conv.weight is on meta; make.. has to put it on the CPU"),
        (Clipped, None, "its forward writes into its parameter conv.weight"),
        (Attribute, None, "its forward changes count, which is no buffer; register_buffer"),
        (InAList, None, "its forward changes kept, which is no buffer"),
        (InAnArray, None, "its forward changes kept, which is no buffer"),
        (Outside, None, "two training forwards of one batch differ"),
        (OtherRandom, None, "two training forwards of one batch differ"),
        (OtherStart, None, "starts from random numbers that are not torch's"),
        (RandomEvaluation, None, "draws random numbers in evaluation; draw in training alone"),
        (Unlisted, None, r"a parameter \(5, 5\) that parameters\(\) does not list"),
        (Twice, None, r"a parameter \(5, 5\) that parameters\(\) does not list, or that it keeps"),
        (TwiceUnseen, None, "do not make what its forward makes"),
        (Behind, None, "does not return what a linear layer makes; name .* head='fc'"),
        (Behind, "fc", "do not make what its forward makes; name by head="),
        (OtherInEvaluation, None, "do not make what its forward makes"),
        (NoLinear, None, "does not return what a linear layer makes"),
        (Tiny, "fx", "has no part head='fx'; its own parts: conv, norm, fc"),
        (Tiny, "norm", "its head failed: ValueError: expected 4D input"),
        (HeadTwice, "fc", "its head 'fc' is used elsewhere, too; use it once, at the end"),
        (HeadTwoNames, None, "its head 'fc' is used elsewhere, too"),
        (HeadShared, None, "its head 'fc' shares scale with what is before it"),
        (HeadAsked, None, "without its head, its forward failed: AttributeError.*weight"),
        (Maps, "fc", r"its head is given \(2, 5, 4, 4\), not features \(2, width\)"),
        (InPlaceHead, "fc", "its head writes into its inputs; leave out inplace=True"),
        (Pair, None, r"returns a tuple; return logits \(batch, 3\) alone"),
        (Column, None, r"it makes torch.float32 \(2, 1\); return logits \(2, 3\)"),
        (Squeezed, None, r"of inputs \(1, 1, 6, 6\) it makes torch.float32 \(3,\); return logits"),
        (Half, None, r"it makes torch.float16 \(2, 3\)"),
        (NoGradient, None, "no gradient reaches its parameters; leave out no_grad"),
        (InputsWritten, None, "writes into its inputs; work on a copy"),
        (OtherBuffer, None, "its forward gives seen another shape or dtype"),
        (Fails, None, r"of inputs \(2, 1, 6, 6\) its forward failed: RuntimeError: .*\w\.$"),
        (Compiled, None, "is compiled; return the module that it was made of"),
        (lambda: KEPT, None, "returned it before; it has to make a new one at every call"),
        (lambda: Tiny(width=next(COUNT)), None, "made other parameters before"),
        (lambda: 3, None, r"make\(\) returned a int; return a torch.nn.Module"),
        (lambda: Tiny, None, r"make\(\) returned a type; return a torch.nn.Module"),
        (lambda: (torch.manual_seed(1), Tiny())[1], None, "make.. seeds torch; .*leave it out"),
        (nn.LSTM, None, "make.. failed: TypeError"),
        (
            lambda: 1 / 0,
            None,
            "make.. failed: ZeroDivisionError: division by zero, at line .* it",
        ),
    ],
)
def test_a_module_that_cannot_be_carried_is_refused(make, head, sentence):
    random, given = torch.get_rng_state(), KEPT.state_dict()
    with pytest.raises(ValueError, match=sentence) as refusal:
        from_torch(make, SHAPE, CLASSES, head)
    said = str(refusal.value)
    assert "\n" not in said
    assert said.endswith(".")
    assert torch.equal(random, torch.get_rng_state())
    assert all(torch.equal(given[name], tensor) for name, tensor in KEPT.state_dict().items())


def test_a_module_that_is_another_one_later_is_refused_when_it_starts():
    widths = iter([5, 5, 6])
    net = from_torch(lambda: Tiny(width=next(widths)), SHAPE, CLASSES)
    with pytest.raises(ValueError, match="made other parameters before"):
        net.init(np.random.default_rng(0))


def test_a_module_that_changes_its_shape_is_refused_when_it_does():
    class Shrinks(Tiny):
        def features(self, x):
            return super().features(x)[:5]

    net = from_torch(Shrinks, SHAPE, CLASSES)
    with pytest.raises(ValueError, match=r"the network returned \(5, 5\) for a batch of 8"):
        Module(net, [1])(torch.zeros(1, 8, *SHAPE))
