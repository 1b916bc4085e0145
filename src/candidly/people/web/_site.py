"""What every page of one running review app shares: its project, its key, whom it answers."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from itsdangerous import URLSafeTimedSerializer

from ...ground.problem import Refusal, passed
from ..review import Overview, Project, Shown, all_examples, overview, people_state
from ._recent import Recent
from ._sessions import Sessions

KEY = "review.key"  # in the project's folder, readable by its owner alone
LOCAL = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")  # all addresses of the machine
ADDRESS = re.compile(
    r"https?://([A-Za-z0-9._-]+)(?::\d+)?/?|([A-Za-z0-9._-]+|[0-9A-Fa-f]*:[0-9A-Fa-f:]+)"
)
SHORTEST = 16  # characters of a token that is chosen


@dataclass(frozen=True, eq=False)
class Site:
    """One running review app.

    Attributes:
        project: open.
        key: signs sessions and links. It stays in the project's folder, so that both outlive a
            restart.
        token: what an organiser signs in with, and nobody else should have. On other addresses
            than loopback a code alone signs nobody in; people have links.
        hosts: names under which the app answers; requests with another are refused.
        local: whether only this machine can reach it.
        address: whole, of something that stands in front of it; empty: none.
        proxies: addresses or networks from which ``X-Forwarded-For`` and ``-Proto`` are believed.
    """

    project: Project
    key: str = field(repr=False)
    token: str = field(repr=False)
    hosts: tuple[str, ...]
    local: bool
    address: str = ""
    proxies: tuple[str, ...] = ()

    @property
    def cookie(self) -> str:
        """Name of the session's cookie; ports share cookies, so each project has its own."""
        return f"candidly-{self.project.fingerprint[:8]}"

    @property
    def media(self) -> Path:
        """The one folder from which files are served."""
        return self.project.folder / "media"

    @property
    def title(self) -> str:
        """Of every page."""
        return self.project.rules.title or "Check labels"

    @cached_property
    def examples(self) -> dict[int, Shown]:
        """What examples of classes look like, by number; they never change."""
        return all_examples(self.project)

    @cached_property
    def signers(self) -> dict[str, URLSafeTimedSerializer]:
        """What signs with the key, by what it signs."""
        return {}

    @cached_property
    def sessions(self) -> Sessions:
        """Who is signed in."""
        return Sessions(self.project)

    @cached_property
    def overview(self) -> Recent[Overview]:
        """What organisers look at; several of them may, and every few seconds."""
        return Recent(lambda: overview(self.project), lambda: people_state(self.project))


def open_site(
    project: Project,
    host: str = "127.0.0.1",
    token: str | None = None,
    names: Sequence[str] = (),
    proxies: Sequence[str] = (),
) -> Site:
    """An app for a project; makes its key when there is none.

    Args:
        host: address to bind to. Other than loopback it needs a ``token``.
        token: of the organiser, 16 characters at least; None: one that was made for the project.
        names: further names under which others reach the app, such as that of this machine, or
            ``https://labels.example.org``, the whole address of what stands in front of it; these
            need a ``token``, too.
        proxies: addresses, such as 127.0.0.1, or networks from which web servers in front ask, and
            say in ``X-Forwarded-For`` for whom; these need a ``token``, too.

    Raises:
        ValueError: no token for an address that others can reach, or one that is short; a name
            that is none; a damaged key.
    """
    local = host in LOCAL and not names and not proxies
    if token is None and not local:
        what = passed("host", host)
        if names or proxies:
            what = passed("names", names[0]) if names else passed("proxies", proxies[0])
        raise Refusal(
            f"{what} lets other machines in, which needs a token.",
            f"take {passed('token', secrets.token_urlsafe(18))}",
        )
    if token is not None and len(token) < SHORTEST:
        raise ValueError(f"the token has {len(token)} characters; take at least {SHORTEST}.")
    kept = _kept(project.folder / KEY)
    hosts = [*LOCAL, *map(_host, names)]
    if host not in EVERYWHERE:
        hosts.append(host)
    return Site(
        project=project,
        key=kept["key"],
        token=kept["token"] if token is None else token,
        hosts=tuple(dict.fromkeys(name.lower() for name in hosts)),
        local=local,
        proxies=tuple(map(_network, proxies)),
        address=next((name.rstrip("/") for name in names if "//" in name), ""),
    )


def _host(name: str) -> str:
    """The machine of a name or a whole address."""
    found = ADDRESS.fullmatch(name)
    if found is None:
        raise ValueError(
            f"{passed('names', name)} is no name of a machine, nor an address such as"
            " https://labels.example.org."
        )
    return found[1] or found[2]


def _network(text: str) -> str:
    """An address or a network, in its normal form."""
    try:
        if "/" in text:
            return str(ipaddress.ip_network(text, strict=False))
        return str(ipaddress.ip_address(text))
    except ValueError:
        raise ValueError(
            f"{passed('proxies', text)} is no address; give the one from which the web server in"
            " front asks, such as 127.0.0.1, or a network such as 10.0.0.0/8."
        ) from None


def _kept(path: Path) -> dict[str, str]:
    """Key and token of a project; made at the first time, by whoever comes first."""
    made = {"key": secrets.token_urlsafe(32), "token": secrets.token_urlsafe(18)}
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read(path)
    with os.fdopen(number, "w") as file:
        json.dump(made, file)
    return made


def _read(path: Path) -> dict[str, str]:
    try:
        found = json.loads(path.read_text())
        return {name: str(found[name]) for name in ("key", "token")}
    except (ValueError, KeyError, TypeError):
        raise ValueError(
            f"{path} is damaged; remove it, and sign in again with new links."
        ) from None
