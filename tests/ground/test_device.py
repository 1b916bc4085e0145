"""Devices by name: those that are there, one or several, and whose turn it is."""

from __future__ import annotations

from collections import Counter

import pytest
import torch

from candidly.ground.device import check_device, check_devices, device_of


@pytest.fixture
def gpus(monkeypatch):
    """So many of them, as far as names go."""

    def there(count):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: count > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: count)

    return there


@pytest.mark.parametrize(
    "text", ["cpu", "cuda", "cuda:1", "cuda:0,cuda:1", "cuda:1, cuda", "cuda:2"]
)
def test_names_of_devices_that_are_there(gpus, text):
    gpus(3)
    names = tuple(part.strip() for part in text.split(","))
    assert check_devices(text) == names
    for name in names:
        assert check_device(name) == check_device(torch.device(name)) == name


HAS = " This machine has: cpu, cuda:0, cuda:1."
BAD = {
    "cuda:0,cuda:2": "device 'cuda:2' is not there." + HAS,
    "cuda:0,tpu": "device 'tpu' is unknown." + HAS,
    "cuda:0,": "device '' is unknown." + HAS,
    "": "device '' is unknown." + HAS,
    "cuda:0 cuda:1": "device 'cuda:0 cuda:1' is unknown." + HAS,
    "cuda:1,cuda:0,cuda:1": "device 'cuda:1,cuda:0,cuda:1' has cuda:1 twice: name each once. Where "
    "there are more workers than devices, they share them.",
    "cuda:0,cuda": "device 'cuda:0,cuda' has cuda twice: name each once. Where there are more "
    "workers than devices, they share them.",
    "cpu,cpu": "device 'cpu,cpu' has cpu twice: name each once. Where there are more workers than "
    "devices, they share them.",
    "cuda:1,cpu": "device 'cuda:1,cpu' has cpu beside GPUs, whose numbers are rounded otherwise: "
    "give one kind.",
}


@pytest.mark.parametrize(("text", "told"), BAD.items())
def test_what_is_no_list_of_devices_is_a_sentence(gpus, text, told):
    gpus(2)
    with pytest.raises(ValueError) as caught:
        check_devices(text)
    assert str(caught.value) == told


def test_without_a_gpu_each_of_a_list_is_named_as_missing(gpus):
    gpus(0)
    with pytest.raises(ValueError, match="'cuda:0' is not there: this torch finds no CUDA"):
        check_devices("cuda:0,cuda:1")


def test_one_network_takes_one_device(gpus):
    gpus(2)
    with pytest.raises(ValueError) as caught:
        check_device("cuda:0,cuda:1")
    assert str(caught.value) == (
        "device 'cuda:0,cuda:1' names several, and one network trains on one: give one of them. A "
        "sweep (candidly bench run) takes several."
    )


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_workers_take_the_devices_in_turn(workers):
    devices = ("cuda:0", "cuda:1", "cuda:3")
    taken = [device_of(number, devices) for number in range(workers)]
    assert taken[:3] == list(devices)[:workers]
    counts = Counter(taken)
    assert max(counts.values()) - min(counts[device] for device in devices) <= 1
