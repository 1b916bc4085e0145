"""Connections on real sockets of a real server: half-open, slow, many, of one address and two."""

from __future__ import annotations

import contextlib
import json
import resource
import socket
import subprocess
import sys
import threading
import time
import wave
from functools import partial
from urllib.parse import quote, urlsplit

import pytest
import uvicorn

from candidly.people.web import _connections, make_app
from candidly.people.web._connections import Connection, Crowd, places
from candidly.people.web.links import PERSON, VIEWER

from web_cases import TOKEN, a_site, browser

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
DESCRIPTORS = 1024
PATIENCE_S = 60.0  # of these tests, for a server that is late; nothing is measured by it


def ask(address: tuple[str, int], request: bytes, source: str = "127.0.0.1") -> bytes:
    """All that comes back."""
    with socket.create_connection(address, 20, source_address=(source, 0)) as one:
        found = b""
        with contextlib.suppress(ConnectionError):  # of a request that was refused half read
            one.sendall(request)
            while part := one.recv(65536):
                found += part
    return found


def page(address, path="/", more="", source="127.0.0.1") -> bytes:
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{address[1]}\r\nConnection: close\r\n{more}\r\n"
    return ask(address, head.encode(), source)


def enters(address, link: str, source="127.0.0.1") -> bytes:
    """What comes of a link once its button is pressed."""
    form = f"link={quote(link, safe='')}"
    head = (
        f"POST /link HTTP/1.1\r\nHost: 127.0.0.1:{address[1]}\r\nConnection: close\r\n"
        f"Content-Length: {len(form)}\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"
    )
    return ask(address, (head + form).encode(), source)


@pytest.fixture
def running(site):
    """The app on a thread of its own, with a crowd that holds twenty; its address."""
    crowd = Crowd(20)
    config = uvicorn.Config(
        make_app(site), http=partial(Connection, crowd=crowd), log_level="error", lifespan="on"
    )
    server = uvicorn.Server(config)
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [door]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield door.getsockname(), crowd
        server.should_exit = True
        thread.join(20)


@pytest.fixture
def quick(monkeypatch):
    """Nobody is waited for for long."""
    for name, seconds in {"HEAD_S": 0.4, "BODY_S": 0.4, "REST_S": 0.2, "UNREAD_S": 0.4}.items():
        monkeypatch.setattr(_connections, name, seconds)


def ends(one: socket.socket, within: float = PATIENCE_S) -> bool:
    """Whether the server ends this connection; whatever it says before."""
    one.settimeout(within)
    try:
        while one.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


def broken_off(one: socket.socket, text: bytes, every: float = 0.0) -> bool:
    """Whether the server ends a connection on which this is sent again and again; however late."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        time.sleep(every)
        try:
            one.sendall(text)
        except ConnectionError:
            return True
        except TimeoutError:
            return False
    return False


SLOW = {  # what is sent, and nothing more
    "nothing": b"",
    "half a head": HALF,
    "an empty line": b"\r\n",
    "half a form": b"POST /in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\ncode=",
    "half a form that nobody wants": b"POST /nowhere HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Length: 100\r\n\r\ncode=",
    "half a second head": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nX: ",
    "a hundred heads and a half": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100 + HALF,
    "a form that is expected": b"POST /in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n"
    b"Expect: 100-continue\r\n\r\n",
}


def test_half_a_request_is_not_waited_for(running, quick):
    address, crowd = running
    with contextlib.ExitStack() as stack:
        ones = {what: stack.enter_context(socket.create_connection(address, 5)) for what in SLOW}
        for what, one in ones.items():
            one.sendall(SLOW[what])
        for what, one in ones.items():
            assert ends(one), what
    assert page(address).startswith(b"HTTP/1.1 200")
    until_gone(crowd)


def until_gone(crowd: Crowd) -> None:
    end = time.monotonic() + PATIENCE_S
    while (crowd.open or crowd.waiting) and time.monotonic() < end:
        time.sleep(0.01)
    assert not crowd.open
    assert not crowd.waiting


@pytest.mark.parametrize("what", ["half a head", "half a form"])
def test_a_byte_now_and_then_does_not_help(running, quick, what):
    address, _ = running
    with socket.create_connection(address, 5) as one:
        one.sendall(SLOW[what])
        assert broken_off(one, b"x", 0.05)


def test_who_does_not_read_is_not_waited_for(running, quick, monkeypatch):
    address, crowd = running
    come, gone = [], []
    enter, leave = crowd.enter, crowd.leave
    monkeypatch.setattr(crowd, "enter", lambda one: come.append(one) or enter(one))
    monkeypatch.setattr(crowd, "leave", lambda one: gone.append(one.waits_for) or leave(one))
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        one.connect(address)
        one.settimeout(PATIENCE_S)
        ask = b"GET /static/review.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
        assert broken_off(one, ask)
        until_gone(crowd)
    assert len(come) == 1
    assert gone == ["its reader"]


def test_a_reader_that_reads_slowly_gets_everything(running, monkeypatch, site):
    monkeypatch.setattr(_connections, "UNREAD_S", 1.5)
    address, _ = running
    with wave.open(str(site.media / "large.wav"), "wb") as sound:
        sound.setparams((1, 2, 44100, 0, "NONE", ""))
        sound.writeframes(bytes(8_000_000))
    looker = browser(site, VIEWER)
    cookie = f"Cookie: {site.cookie}={looker.client.cookies[site.cookie]}\r\n"
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        one.connect(address)
        one.settimeout(5)
        head = (
            f"GET /media/large.wav HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{cookie}\r\n"
        )
        one.sendall(head.encode())
        size, start = 0, time.monotonic()
        while part := one.recv(400_000):
            size += len(part)
            time.sleep(0.02)
    assert size > 8_000_000
    assert time.monotonic() - start > 1.5  # longer than somebody is waited for who reads nothing


def test_one_too_many_pushes_out_who_has_waited_longest(running):
    address, _ = running
    with contextlib.ExitStack() as stack:
        half = [stack.enter_context(socket.create_connection(address, 5)) for _ in range(10)]
        for one in half:
            one.sendall(HALF)
            time.sleep(0.01)
        assert page(address).startswith(b"HTTP/1.1 200")
        assert ends(half[0])
        assert not ends(half[-1], 0.1)
        # another address has places of its own
        assert page(address, source="127.0.0.2").startswith(b"HTTP/1.1 200")
        assert not ends(half[1], 0.1)


def test_two_addresses_do_not_fill_it_for_a_third(running):
    address, crowd = running
    with contextlib.ExitStack() as stack:
        for k in range(24):
            source = (f"127.0.0.{3 + k % 2}", 0)
            one = stack.enter_context(socket.create_connection(address, 5, source_address=source))
            one.sendall(HALF)
        for source in ("127.0.0.1", "127.0.0.3"):
            assert page(address, source=source).startswith(b"HTTP/1.1 200")
        assert crowd.open.total() <= 20


@contextlib.contextmanager
def served(folder, *more: str, descriptors: int = DESCRIPTORS):
    """``candidly review serve`` in a process of its own: its address, and its links."""
    command = [sys.executable, "-m", "candidly", "review", "serve", str(folder), "--json"]
    limit = partial(resource.setrlimit, resource.RLIMIT_NOFILE, (descriptors, descriptors))
    process = subprocess.Popen(
        [*command, "--port", "0", *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=limit, text=True,
    )  # fmt: skip
    try:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(process.stderr.read())
        told = json.loads(line)
        yield ("127.0.0.1", urlsplit(told["address"]).port), told["links"], process
    finally:
        process.kill()
        process.communicate()


def test_eleven_hundred_half_open_requests_lock_nobody_out(project):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 1300:
        pytest.skip("this process may open too few sockets")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 1300) if soft >= 0 else soft, hard))
    with served(project.folder) as (address, links, process), contextlib.ExitStack() as stack:
        half = []
        for _ in range(1100):
            one = stack.enter_context(socket.create_connection(address, 20))
            half.append(one)
            with contextlib.suppress(OSError):  # the first are gone by now
                one.sendall(HALF)
        for source in ("127.0.0.1", "127.0.0.2"):
            answer = enters(address, links["ann"], source)
            assert answer.startswith(b"HTTP/1.1 303"), answer[:200]
        assert process.poll() is None


@pytest.mark.slow
def test_they_end_by_themselves_after_ten_seconds(project):
    with served(project.folder) as (address, _, _), socket.create_connection(address) as half:
        half.sendall(HALF)
        assert not ends(half, 5)
        assert ends(half)


HEAVY = {  # a part of a body, bytes of all
    "one field again and again": ("id=12345678&task=00&", 940_000),
    "as long as it may be, again and again": ("id=12345678&task=00&", 65_000),
    "one long text": ("%F0%9F%99%82", 940_000),
    "as long as it may be": ("%F0%9F%99%82", 65_000),
}
ALIKE = {"as long as it may be", "one long text"}  # heavy by their length, as the others are


@pytest.mark.parametrize(
    "what",
    [pytest.param(what, marks=pytest.mark.slow if what in ALIKE else ()) for what in HEAVY],
)
def test_seventy_heavy_requests_of_one_leave_others_their_pages(project, what):
    part, size = HEAVY[what]
    site = a_site(project)
    ann = browser(site, PERSON, "ann")
    body = (f"csrf={ann.csrf}&" + part * (size // len(part))).encode()
    with served(project.folder, "--token", TOKEN) as (address, links, _):
        head = (
            f"POST /answer HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            f"Cookie: {site.cookie}={ann.client.cookies[site.cookie]}\r\n"
            f"Content-Length: {len(body)}\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
        ).encode()
        answers: list[bytes] = []
        crowd = [
            threading.Thread(target=lambda: answers.append(ask(address, head + body)))
            for _ in range(70)
        ]
        for one in crowd:
            one.start()
        times = 0
        while not times or any(one.is_alive() for one in crowd):
            assert enters(address, links["bob"]).startswith(b"HTTP/1.1 303")
            times += 1
        for one in crowd:
            one.join()
    assert {answer.split(b" ", 2)[1] for answer in answers if answer} <= {b"413", b"422", b"429"}


def test_descriptors_are_raised_and_shared(monkeypatch):
    limits = {"now": (256, 10**6)}
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits["now"])
    monkeypatch.setattr(resource, "setrlimit", lambda _, new: limits.update(now=new))
    assert places() == _connections.MOST
    assert limits["now"][0] >= _connections.MOST + _connections.KEPT_BACK
    limits["now"] = (1024, 1024)
    assert places() == 512
    limits["now"] = (100, 100)
    assert places() == 64
    limits["now"] = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    assert places() == _connections.MOST


# ---- what stands in front


@pytest.mark.parametrize(("more", "alone"), [((), False), (("--behind-proxy", "127.0.0.1"), True)])
def test_for_whom_a_proxy_asks_is_believed_where_one_was_named(project, more, alone):
    with served(project.folder, *more, "--token", TOKEN) as (address, _, _):
        said = []
        for k in range(25):
            form = b"code=guess"
            head = (
                f"POST /in HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 10.0.0.{k}\r\n"
                f"Content-Length: {len(form)}\r\nConnection: close\r\n"
                "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
            )
            said.append(int(ask(address, head.encode() + form).split()[1]))
    assert (429 in said) is not alone, said


@pytest.mark.parametrize("text", ["everybody", "*", "", "10.0.0.0/99", "127.0.0.1:80"])
def test_proxies_that_are_none_are_refused(project, text):
    from candidly.people.web import open_site

    with pytest.raises(ValueError, match="is no address; give the one"):
        open_site(project, token=TOKEN, proxies=[text])


def test_a_proxy_needs_a_token(project):
    from candidly.people.web import open_site

    with pytest.raises(ValueError, match="`proxies='::1'` lets other machines in"):
        open_site(project, proxies=["::1"])
    site = open_site(project, token=TOKEN, proxies=["10.1.2.3/8", "::1"])
    assert (site.local, site.proxies) == (False, ("10.0.0.0/8", "::1"))


# ---- requests that are none, as raw bytes

ODD = {
    "two lengths": "POST /in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
    "Content-Length: 6\r\n\r\n",
    "length and pieces": "POST /in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
    "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "pieces": "POST /in HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    + "1\r\nx\r\n" * 5000,
    "odd pieces": "POST /in HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: xchunked\r\n\r\n",
    "a length below nought": "POST /in HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
    "an endless length": "POST /in HTTP/1.1\r\nHost: localhost\r\n"
    f"Content-Length: {10**30}\r\n\r\n",
    "no host": "GET / HTTP/1.1\r\n\r\n",
    "an old version": "GET / HTTP/1.0\r\n\r\n",
    "a new version": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no version": "GET /\r\n\r\n",
    "another scheme": "GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "another server": "GET //evil.example/review/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a tunnel": "CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a star": "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a header without a name": "GET / HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n",
    "a space before the colon": "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n",
    "code 0": "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n",
    "a long line": f"GET /{'x' * 200_000} HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "long headers": f"GET / HTTP/1.1\r\nHost: localhost\r\nX: {'x' * 200_000}\r\n\r\n",
    "another protocol": "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: upgrade\r\n"
    "Upgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n",
    "a handshake of TLS": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "x" * 500,
    "letters": "\xff" * 3000 + "\r\n\r\n",
    "ways out": "GET /static/../../serve.py HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "ways out in code": "GET /static/%2e%2e%2f%2e%2e%2fserve.py HTTP/1.1\r\n"
    "Host: localhost\r\n\r\n",
    "ways out from the root": "GET /static//etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


@pytest.mark.parametrize("first", range(0, len(ODD), 5))
def test_what_is_no_request_is_refused_and_forgotten(running, quick, first):
    address, crowd = running
    some = list(ODD)[first : first + 5]
    with contextlib.ExitStack() as stack:
        ones = {what: stack.enter_context(socket.create_connection(address, 5)) for what in some}
        for what, one in ones.items():
            with contextlib.suppress(ConnectionError):
                one.sendall(ODD[what].encode("latin-1"))
        for what, one in ones.items():
            found = b""
            with contextlib.suppress(ConnectionError):
                while part := one.recv(65536):
                    found += part
            lines = [line for line in found.split(b"\r\n") if line.startswith(b"HTTP/1.1 ")]
            allowed = {200} if what == "another protocol" else set(range(400, 500))
            assert {int(line[9:12]) for line in lines} <= allowed, (what, found[:300])
            assert b"evil.example" not in found, what
            assert b"root:" not in found, what
    assert page(address).startswith(b"HTTP/1.1 200")
    until_gone(crowd)


@pytest.mark.parametrize(
    "ranges", ["0-", "-1", "0-0," * 3000, "5-1", "x", "0-99999999999999999999"]
)
def test_parts_of_files(running, site, ranges):
    address, _ = running
    looker = browser(site, VIEWER)
    cookie = f"Cookie: {site.cookie}={looker.client.cookies[site.cookie]}\r\n"
    answer = page(address, "/media/10.png", f"{cookie}Range: bytes={ranges}\r\n")
    assert answer[9:12] in (b"200", b"206", b"400", b"416")
    assert len(answer) < 100_000
