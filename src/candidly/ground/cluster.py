"""A Ray cluster: reached, looked at, and refused where its nodes would compute otherwise.

Ray is imported when it is asked for.
"""

from __future__ import annotations

import hashlib
import os
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from .extras import install
from .problem import Refusal
from .process import HUGE_PAGES
from .spec import read
from .version import __version__

CLUSTERS = "ray is a cluster of this machine's cores; write ray:ADDRESS for one that runs"


LOOKS = 2  # more times a node is asked whose worker was lost
LOST, SILENT = "its worker was lost", "it did not answer"


@dataclass(frozen=True)
class Cluster:
    """A cluster, as a person writes it: ``ray``, or ``ray:ADDRESS``.

    Attributes:
        address: the address of a cluster that runs; None: one is started here, for this run alone.
    """

    address: str | None = None


def cluster_of(text: str) -> Cluster:
    """Read which cluster.

    Raises:
        ValueError: it is neither ``ray`` nor ``ray:ADDRESS``.

    >>> cluster_of("ray"), cluster_of("ray:10.0.0.1:6379")
    (Cluster(address=None), Cluster(address='10.0.0.1:6379'))
    """
    asked = read(text, "on", "ray:auto")
    asked.lookup({"ray": None}, "cluster", CLUSTERS)
    if asked.behind is None:
        return Cluster()
    return Cluster(asked.argument("ray:auto", _address, "address"))


def _address(text: str, name: str) -> str:
    if text.startswith("//"):
        raise ValueError(f"{name} is {text!r}, with slashes; write ray:10.0.0.1:6379.")
    return text


def check_device_there(device: object) -> tuple[str]:
    """The kind of device that tasks have on a cluster, whose nodes number their own.

    Raises:
        ValueError: it is neither ``cpu`` nor ``cuda``.
    """
    if device not in ("cpu", "cuda"):
        raise ValueError(
            f"device {device!r}: on a cluster it is cpu or cuda, as Ray chooses among its GPUs."
        )
    return (str(device),)


def ray_module() -> Any:
    """Ray, told to send no statistics about its use.

    Raises:
        ValueError: it is not installed; says how to.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise ValueError(f"clusters need Ray: {install('ray')}") from None
    return ray


@contextmanager
def connected(cluster: Cluster, cores: int | None = None) -> Iterator[Any]:
    """Ray, connected to a cluster, or with one of its own that ends with the block.

    Args:
        cores: the cores of a cluster of its own; None: this machine's.

    Raises:
        ValueError: there is no cluster at the address, or Ray is not installed.
    """
    ray = ray_module()
    own = cluster.address is None and not os.environ.get("RAY_ADDRESS")
    how: dict[str, Any] = {"address": cluster.address}
    if own:
        # told outright: Ray would look for another cluster of this machine
        how = {"address": "local", "num_cpus": cores, "include_dashboard": False}
        how |= {"_node_ip_address": "127.0.0.1"}
    begun_here = not ray.is_initialized()
    if begun_here:
        try:
            _try_port(cluster.address)
            ray.init(
                **how,
                log_to_driver=False,
                logging_level="ERROR",
                job_config=_job(),
                runtime_env={"env_vars": {**HUGE_PAGES, "RAY_USAGE_STATS_ENABLED": "0"}},
            )
        except (OSError, ValueError, RuntimeError) as error:
            where = "on this machine" if own else f"at {cluster.address or 'RAY_ADDRESS'}"
            raise ValueError(
                f"no Ray cluster answers {where}. `ray start --head` starts one, and `candidly "
                "cluster check` looks at it."
            ) from error
    try:
        with _stdout_kept():
            yield ray
    finally:
        if begun_here:
            ray.shutdown()


@contextmanager
def _stdout_kept() -> Iterator[None]:
    """What Ray prints in the block goes to stderr: stdout is for results."""
    sys.stdout.flush()
    try:
        kept = os.dup(1)
    except OSError:  # nobody has one
        yield
        return
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def _job() -> Any:
    """What Ray's workers begin with: the script's folder and the working directory, which Ray would
    put in front of all else, are on their path where this program has them on its own.
    """
    from ray.job_config import JobConfig

    class OwnFolders(JobConfig):
        def _runtime_env_has_working_dir(self) -> bool:
            return True  # and Ray adds nothing

    script, here = os.path.dirname(os.path.realpath(sys.argv[0])), os.getcwd()
    own = [script] if script in sys.path else []
    own += [here] if here in sys.path or "" in sys.path else []
    return OwnFolders(_py_driver_sys_path=own)


def _try_port(address: str | None, wait_s: float = 10.0) -> None:
    """Whether anything listens there; Ray itself would try for minutes.

    Raises:
        OSError: nothing does.
    """
    host, _, port = (address or "").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), wait_s).close()


@dataclass(frozen=True)
class Node:
    """A node of a cluster.

    Attributes:
        name: its address.
        cores, gpus: that Ray hands out.
        memory_bytes: that tasks may take.
        versions: the versions of what numbers depend on; None: it did not answer.
        problem: why it did not; '' if it did.
    """

    name: str
    cores: float
    gpus: float
    memory_bytes: int
    versions: dict[str, str] | None
    problem: str = ""


def look_at(ray: Any, wait_s: float = 300.0) -> list[Node]:
    """Every living node of the connected cluster, asked for its versions."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    there = [node for node in ray.nodes() if node["Alive"]]
    asked = []
    for node in there:
        pinned = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        how = {"num_cpus": 0, "max_retries": LOOKS, "scheduling_strategy": pinned}
        asked.append(ray.remote(versions).options(**how).remote())
    nodes = []
    for node, answer in zip(there, asked):
        found, problem = None, ""
        try:
            found = ray.get(answer, timeout=wait_s)
        except ray.exceptions.GetTimeoutError:
            problem = f"{SILENT} within {wait_s:.0f} s"
        except ray.exceptions.RayTaskError as error:  # it has no candidly
            problem = why(error)
        except ray.exceptions.RayError as error:  # the worker or the node is gone
            problem = f"{LOST}: {why(error)}"
        has = node["Resources"]
        name = f"{node['NodeManagerAddress']} ({node['NodeID'][:8]})"
        numbers = has.get("CPU", 0.0), has.get("GPU", 0.0), int(has.get("memory", 0))
        nodes.append(Node(name, *numbers, found, problem))
    return nodes


def check_nodes(nodes: Sequence[Node], device: str = "cpu") -> None:
    """Refuse a cluster on which numbers would be others, or that lacks the device.

    Raises:
        ValueError: names the node, and what differs.
    """
    mine = versions()
    for node in nodes:
        if node.problem.startswith((LOST, SILENT)):
            raise ValueError(
                f"node {node.name} did not say what it has: {node.problem}. Run the same command "
                "again, give that machine more memory or less to do, or take it out of the cluster."
            )
        if node.versions is None:
            raise ValueError(
                f"node {node.name} has no candidly that works: {node.problem}. Install candidly "
                f"{mine['candidly']} there, or take the node out of the cluster."
            )
        if other := difference(node.versions, mine):
            raise ValueError(
                f"node {node.name} has {other}: its numbers might be others. Install the same "
                "there, or take the node out of the cluster."
            )
    gpus = sum(node.gpus for node in nodes)
    if device == "cuda" and not gpus:
        raise Refusal(
            "device is cuda, and no node of the cluster has a GPU that Ray knows of (`ray start "
            "--num-gpus=1`).",
            "use `device='cpu'`",
            "add such a node",
        )


def difference(theirs: Mapping[str, str], mine: Mapping[str, str]) -> str:
    """What differs, as a phrase; '' without a difference."""
    differing = [name for name in mine if theirs.get(name) != mine[name]]
    return ", ".join(f"{name} {theirs.get(name)}, not {mine[name]} as here" for name in differing)


class OtherVersions(RuntimeError):
    """A node's versions are not those of the process that hands out the tasks."""


def why(error: BaseException) -> str:
    """What went wrong, in a line: of a task's own error its kind and text."""
    cause = getattr(error, "cause", None) or error
    first = str(cause).strip().splitlines()
    return f"{type(cause).__name__}: {first[0]}" if first else type(cause).__name__


def versions() -> dict[str, str]:
    """What numbers depend on, on this machine: programs, and what the processor can do."""
    import platform

    import numpy as np
    import torch

    return {
        "candidly": f"{__version__} ({_source()})",
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "torch": torch.__version__,
        "NumPy": np.__version__,
        "processor": f"{platform.machine()} {torch.backends.cpu.get_cpu_capability()}",
    }


@cache
def _source() -> str:
    """Eight hex digits that stand for candidly's source files."""
    digest, package = hashlib.sha256(), Path(__file__).parents[1]
    for path in sorted(package.rglob("*.py")):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:8]
