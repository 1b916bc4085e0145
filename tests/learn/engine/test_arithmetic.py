"""What torch is told of a GPU, for a stack's calls alone. The settings are there without one."""

from __future__ import annotations

import warnings
from dataclasses import replace

import pytest
import torch

from candidly.learn.algorithms import algorithm
from candidly.learn.engine.arithmetic import arithmetic
from candidly.learn.engine.recipe import recipe
from candidly.learn.engine.train import update

from toys import stack_of

GPU, CPU = torch.device("cuda"), torch.device("cpu")
CUDNN = torch.backends.cudnn
HOLDERS = (torch.backends.cuda.matmul, CUDNN.conv, CUDNN.rnn)


def settings():
    return *(h.fp32_precision for h in HOLDERS), CUDNN.deterministic, CUDNN.benchmark


@pytest.fixture(autouse=True)
def as_before():
    before = settings()
    yield
    for holder, value in zip(HOLDERS, before):
        holder.fp32_precision = value
    CUDNN.deterministic, CUDNN.benchmark = before[3:]


def test_float32_is_float32_in_convolutions_too_and_tf32_in_all_of_them():
    usual = settings()
    assert usual[:3] == ("none", "tf32", "tf32")  # torch's: convolutions round
    with arithmetic(GPU):
        assert settings() == ("ieee", "ieee", "ieee", True, False)
        with arithmetic(GPU, "tf32"):
            assert settings() == ("tf32", "tf32", "tf32", True, False)
        assert settings() == ("ieee", "ieee", "ieee", True, False)
        with arithmetic(GPU, "bfloat16"):  # what is not rounded to bfloat16 is not to TF32 either
            assert settings()[:3] == ("ieee", "ieee", "ieee")
    assert settings() == usual


@pytest.mark.parametrize("how", [("none", "tf32"), ("ieee", "none"), ("tf32", "ieee")])
def test_what_a_user_has_set_comes_back_whatever_happens(how):
    for holder, value in zip(HOLDERS, (*how, how[1])):
        holder.fp32_precision = value
    CUDNN.deterministic, CUDNN.benchmark = False, True
    before = settings()

    def fails():
        with arithmetic(GPU, "tf32"):
            assert settings()[3:] == (True, False)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert settings() == before


def test_on_a_cpu_nothing_is_touched():
    CUDNN.benchmark = True
    before = settings()
    with arithmetic(CPU):
        assert settings() == before


def test_a_setting_by_torchs_older_names_comes_back_without_a_warning():
    products = torch.backends.cuda.matmul
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for allowed, how in ((True, "high"), (False, "highest")):
            products.allow_tf32 = allowed
            for precision in ("float32", "tf32"):
                with arithmetic(GPU, precision):
                    pass
                assert (products.allow_tf32, CUDNN.allow_tf32) == (allowed, True)
                assert torch.get_float32_matmul_precision() == how


def test_before_torch_29_the_older_names_are_set(monkeypatch):
    class Holder:
        allow_tf32 = deterministic = benchmark = True

    products, cudnn = Holder(), Holder()
    monkeypatch.setattr(torch.backends, "cudnn", cudnn)
    monkeypatch.setattr(torch.backends.cuda, "matmul", products)
    with arithmetic(GPU):
        assert (products.allow_tf32, cudnn.allow_tf32) == (False, False)
    with arithmetic(GPU, "tf32"):
        assert (products.allow_tf32, cudnn.allow_tf32) == (True, True)
    assert (products.allow_tf32, cudnn.allow_tf32) == (True, True)


@pytest.mark.parametrize(("text", "rounds"), [("adam", "ieee"), ("sgd:precision=tf32", "tf32")])
def test_updates_and_predictions_are_within_it(monkeypatch, text, rounds):
    """The stack's own device says so; here it is a CPU's, and only the settings are looked at."""
    stack = stack_of(algorithm("CC"), steps=10, recipe=recipe(text), dtype=torch.float32)
    seen, module = [], stack.net.net

    def trunk(state, x):
        seen.append(settings()[:3])
        return module.trunk(state, x)

    def told(device, precision):
        return arithmetic(GPU, precision)

    monkeypatch.setattr("candidly.learn.engine.train.arithmetic", told)
    monkeypatch.setattr("candidly.learn.engine.stack.arithmetic", told)
    stack.net.net = replace(module, trunk=trunk)
    usual = settings()
    update(stack)
    stack.logits(0, torch.arange(5))
    assert seen == [(rounds,) * 3] * 2
    assert settings() == usual
