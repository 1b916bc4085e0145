"""Graphics processors in challenge runs: handed on by bubblewrap alone, and nothing else is."""

import os
import stat
from pathlib import Path

import pytest

from candidly.compare.challenge import run_challenge
from candidly.compare.challenge.confine import WAYS, CannotStart, Limits, run_confined, ways
from candidly.compare.challenge.devices import device_files
from candidly.ground.problem import Refusal
from compare.challenge.challenge_cases import small


@pytest.fixture
def device():
    """A device of zeros that is called like one of NVIDIA's."""
    path = Path(f"/dev/nvidia-test{os.getpid()}")
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 5))
        path.chmod(0o666)
        with open(path, "rb") as file:
            file.read(1)
    except OSError:
        path.unlink(missing_ok=True)
        pytest.skip("this user makes no device files")
    yield path
    path.unlink()


def read_four(device, way, devices):
    return run_confined(
        lambda at: ["sh", "-c", f"head -c 4 {device} > {at['out']}/answer; ls /dev"],
        readable={},
        wanted=["answer"],
        limits=Limits(seconds=10.0),
        devices=devices,
        way=way,
    )


@pytest.mark.skipif("bubblewrap" not in ways(), reason="bubblewrap does not work here")
def test_a_run_can_read_the_device_that_it_was_given_and_no_other(device):
    ended = read_four(device, "bubblewrap", device_files([device]))
    assert ended.files == {"answer": bytes(4)}
    assert b"kvm" not in ended.log
    assert b"loop0" not in ended.log
    ended = read_four(device, "bubblewrap", ())
    assert ended.files == {"answer": b""}
    assert device.name.encode() not in ended.log.replace(b"cannot open", b"").split(b"\n")


@pytest.mark.parametrize("way", [name for name in WAYS if not WAYS[name].hands_on])
def test_other_ways_refuse(device, way, tmp_path):
    with pytest.raises(CannotStart, match="bubblewrap alone can hand them on"):
        read_four(device, way, (device,))
    protocol = small(tmp_path / "c", seeds=1)
    with pytest.raises(Refusal, match=f"confined by {way} here, which cannot hand on {device}"):
        run_challenge(tmp_path / "c", protocol, way=way, devices=[device])


@pytest.mark.parametrize(
    "path",
    ["/dev/mem", "/dev/sda", "/dev/loop0", "/dev/null", "/etc/passwd", "nvidia0",
     "/dev/nvidia0/../mem", "/dev/dri/../mem", "/dev/dri/card0"],
)  # fmt: skip
def test_what_is_no_graphics_processor_is_refused(path):
    with pytest.raises(Refusal, match="is no device file of a graphics processor"):
        device_files([path])


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(Refusal, match="there is no device /dev/nvidia987654 here"):
        device_files(["/dev/nvidia987654"])


def test_a_link_is_no_device():
    path = Path(f"/dev/nvidia-link{os.getpid()}")
    try:
        path.symlink_to("/dev/null")
    except OSError:
        pytest.skip("this user cannot write in /dev")
    try:
        with pytest.raises(Refusal, match="no character device"):
            device_files([path])
    finally:
        path.unlink()
