"""What ``docs/deploy.md`` shows, tried: unit, compose file, web servers in front, a dump."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from candidly import review
from candidly.people.web import organiser_link, person_link, viewer_link
from candidly.people.web.links import follow_link

from needs import program, skip_without
from review_cases import take
from web_browser import until
from web_cases import TOKEN, a_project, a_site, browser, fields_of, follow, said

FILES = Path(__file__).parents[3] / "docs" / "examples" / "deploy"
NAME = "labels.example.org"
on_postgresql = pytest.mark.parametrize("url", ["postgresql"], indirect=True)


def words_of_the_unit() -> list[str]:
    unit = (FILES / "candidly-review.service").read_text()
    return shlex.split(re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)[1])


def words_of_compose() -> list[str]:
    yaml = pytest.importorskip("yaml")
    services = yaml.safe_load((FILES / "compose.yaml").read_text())["services"]
    words = services["review"]["command"]
    return ["candidly", *(re.sub(r"\$\{CANDIDLY_NAME[^}]*\}", NAME, word) for word in words)]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return door.getsockname()[1]


def at_home(words: list[str], folder: Path, port: int) -> list[str]:
    """A command line of the documents, on this project and loopback."""
    changed = {"--port": str(port), "--host": "127.0.0.1", "--behind-proxy": "127.0.0.1"}
    changed["--processes"] = "2"  # of a small machine
    assert words[1:3] == ["review", "serve"]
    ours = [*words[1:3], str(folder), *words[4:]]
    ours = [changed.get(before, word) for before, word in zip(["", *ours], ours)]
    return [sys.executable, "-m", "candidly", *ours]


@contextmanager
def running(words: list[str], folder: Path, port: int):
    """The same, while it runs; what it prints first."""
    process = subprocess.Popen(
        [*at_home(words, folder, port), "--json"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "CANDIDLY_TOKEN": TOKEN},
    )
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == -signal.SIGTERM
        process.stdout.close()


@pytest.mark.slow
@on_postgresql
@pytest.mark.parametrize("words", [words_of_the_unit, words_of_compose])
def test_the_command_lines_run(tmp_path, url, words):
    a_project(tmp_path / "check", url=url).close()
    port = free_port()
    with running(words(), tmp_path / "check", port) as told:
        assert told["address"] == f"https://{NAME}"
        assert told["links"]["ann"].startswith(f"https://{NAME}/link#")
        headers = {"host": NAME, "x-forwarded-proto": "https", "x-forwarded-for": "192.0.2.1"}
        form = {"link": told["links"]["ann"]}
        answer = httpx.post(f"http://127.0.0.1:{port}/link", data=form, headers=headers)
        assert answer.status_code == 303
        assert "; secure" in answer.headers["set-cookie"].lower()
        unknown = httpx.get(f"http://127.0.0.1:{port}/", headers={"host": "elsewhere.org"})
        assert unknown.status_code == 400


def test_systemd_takes_the_unit(tmp_path):
    if program("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze (install the Debian package systemd)")
    unit = tmp_path / "candidly-review.service"
    started = words_of_the_unit()[0]
    unit.write_text((FILES / unit.name).read_text().replace(started, sys.executable))
    checked = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    about = [line for line in checked.stderr.splitlines() if unit.name in line]
    assert (checked.returncode, about) == (0, []), checked.stderr


def test_the_compose_file_is_whole():
    yaml = pytest.importorskip("yaml")
    found = yaml.safe_load((FILES / "compose.yaml").read_text())
    services = found["services"]
    named = {volume.split(":")[0] for one in services.values() for volume in one.get("volumes", ())}
    assert named == set(found["volumes"])
    build = services["review"]["build"]
    root = (FILES / build["context"]).resolve()
    assert (root / build["dockerfile"]).resolve() == FILES / "Dockerfile"
    assert (root / "constraints.txt").is_file()
    for one in services.values():
        assert set(one.get("depends_on", ())) <= set(services)
    words = services["review"]["command"]
    [network] = found["networks"]["default"]["ipam"]["config"]
    assert words[words.index("--behind-proxy") + 1] == network["subnet"]
    # no secret is in the file
    for name in ("CANDIDLY_TOKEN", "PGPASSWORD"):
        assert services["review"]["environment"][name].startswith("${")


# ---- web servers in front


def certificate(folder: Path) -> tuple[Path, Path]:
    """One that nobody has signed, and its key."""
    places = folder / "labels.pem", folder / "labels.key"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", f"/CN={NAME}", "-out", places[0], "-keyout", places[1]]
    subprocess.run(command, check=True, capture_output=True)
    return places


def nginx(folder: Path, door: int, port: int) -> list[str]:
    public, key = certificate(folder)
    text = (FILES / "nginx.conf").read_text()
    for theirs, ours in {
        "listen 443 ssl": f"listen 127.0.0.1:{door} ssl",
        "/etc/ssl/certs/labels.pem": str(public),
        "/etc/ssl/private/labels.key": str(key),
        "127.0.0.1:8765": f"127.0.0.1:{port}",
    }.items():
        assert theirs in text
        text = text.replace(theirs, ours)
    whole = f"pid {folder}/pid; daemon off; error_log {folder}/errors; events {{}}\n"
    whole += f"http {{ access_log {folder}/access; client_body_temp_path {folder}/body;\n{text}}}\n"
    (folder / "whole.conf").write_text(whole)
    return ["nginx", "-p", str(folder), "-c", str(folder / "whole.conf")]


def caddy(folder: Path, door: int, port: int) -> list[str]:
    text = re.search(r"labels\.example\.org \{.*?\n\}\n", DEPLOY.read_text(), re.DOTALL)[0]
    assert "127.0.0.1:8765" in text
    text = text.replace("127.0.0.1:8765", f"127.0.0.1:{port}")
    text = text.replace("labels.example.org {", f"{NAME}:{door} {{\n    bind 127.0.0.1")
    public, key = certificate(folder)
    more = f"    tls {public} {key}\n    log\n"  # on stderr
    text = text.replace("    reverse_proxy", f"{more}    reverse_proxy")
    (folder / "Caddyfile").write_text(
        f"{{\n    admin off\n    auto_https disable_redirects\n}}\n{text}"
    )
    return ["caddy", "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


DEPLOY = FILES.parents[1] / "deploy.md"


def written_by_the_unit(folder: Path) -> dict[str, object]:
    """Where what the app says goes, as the unit says; what goes to the journal goes to a file."""
    unit = (FILES / "candidly-review.service").read_text()
    places = {"null": subprocess.DEVNULL}
    found = {}
    for stream in ("stdout", "stderr"):
        name = {"stdout": "StandardOutput", "stderr": "StandardError"}[stream]
        place = re.search(rf"^{name}=(\w+)$", unit, re.MULTILINE)[1]
        found[stream] = places.get(place) or (folder / f"journal-{stream}").open("wb")
    return found


@pytest.mark.slow
@on_postgresql
@pytest.mark.parametrize("front", [nginx, caddy])
def test_no_log_of_what_is_shipped_has_what_signs_in(tmp_path, url, front):
    for needed in (front.__name__, "openssl"):
        if program(needed) is None:
            pytest.skip(f"needs {needed} (install the Debian package {needed})")
    port, door = free_port(), free_port()
    logs = tmp_path / "logs"
    logs.mkdir()
    with a_project(tmp_path / "check", url=url) as project:
        site = a_site(project, names=[f"https://{NAME}"])
        links = [person_link(site, site.address, one) for one in review.people(project)]
        links += [viewer_link(site, site.address), organiser_link(site, site.address)]
        words = at_home(words_of_the_unit(), project.folder, port)
        env = {**os.environ, "HOME": str(tmp_path), "CANDIDLY_TOKEN": TOKEN}
        said = {"env": env, "stdin": subprocess.DEVNULL}
        with (logs / "front").open("wb") as own:
            before = subprocess.Popen(front(logs, door, port), stdout=own, stderr=own, **said)
        app = subprocess.Popen(words, **said, **written_by_the_unit(logs))
        try:
            until(lambda: reached(door))
            for link in links:
                with through(door) as one:
                    signed = follow(one, link.removeprefix(site.address))
                    assert signed.status_code == 303
                    one.headers["cookie"] = signed.headers["set-cookie"].partition(";")[0]
                    one.headers["referer"] = f"{site.address}/link"
                    assert one.get(signed.headers["location"]).status_code == 200
            with through(door) as one:
                one.get("/in/what-stands-in-an-address")
                assert one.post("/link", data={"link": "x"}).status_code == 403
                assert one.post("/in", data={"token": TOKEN}).status_code == 303
            app.terminate()
            app.wait()
            with through(door) as one:  # whoever comes while the app is away is logged as an error
                assert one.post("/link", data={"link": links[0]}).status_code == 502
        finally:
            for process in (app, before):
                process.terminate()
                process.wait()
        written = {
            path.name: path.read_bytes()
            for path in logs.iterdir()
            if path.is_file() and path.suffix not in (".pem", ".key")
        }
    logged = b"".join(written.values())
    assert b"/in/what-stands-in-an-address" in logged  # addresses are
    assert logged.count(b"/link") > 5
    for name, content in written.items():
        for link in links:
            secret = link.partition("#")[2]
            for part in (secret, *secret.split(".")):
                assert part.encode() not in content, name
        assert TOKEN.encode() not in content, name


def test_what_compose_runs_drops_the_links_that_are_printed(tmp_path):
    yaml = pytest.importorskip("yaml")
    services = yaml.safe_load((FILES / "compose.yaml").read_text())["services"]
    [shell, flag, line, name] = services["review"]["entrypoint"]
    program = tmp_path / "candidly"  # prints as the app does
    program.write_text("#!/bin/sh\necho https://x/link#secret\necho trouble >&2\n")
    program.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    said = subprocess.run(
        [shell, flag, line.replace("$$", "$"), name, "review"],
        env={"PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (said.stdout, said.stderr) == ("", "trouble\n")


@pytest.mark.slow
@on_postgresql
@pytest.mark.parametrize("front", [nginx, caddy])
def test_behind_a_web_server_with_tls(tmp_path, url, front):
    for needed in (front.__name__, "openssl"):
        if program(needed) is None:
            pytest.skip(f"needs {needed} (install the Debian package {needed})")
    project = a_project(tmp_path / "check", url=url)
    port, door = free_port(), free_port()
    (tmp_path / "front").mkdir()
    before = subprocess.Popen(
        front(tmp_path / "front", door, port),
        stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(tmp_path)},
    )
    try:
        with running(words_of_the_unit(), project.folder, port) as told:
            until(lambda: reached(door))
            with through(door) as ann:
                signed = follow(ann, told["links"]["ann"].removeprefix(f"https://{NAME}"))
                assert (signed.status_code, signed.headers["location"]) == (303, "/review")
                ann.headers["cookie"] = signed.headers["set-cookie"].partition(";")[0]
                cards = ann.get("/tasks", headers={"accept": "application/json"}).json()["cards"]
                card = cards[0]["html"]
                picture = re.search(r'src="(/shown/[^"]+)"', card)[1]
                assert ann.get(picture).headers["content-type"] == "image/png"
                csrf = re.search(r'name="csrf" value="([^"]+)"', card)[1]
                form = dict([*fields_of(card), (said(card), "a"), ("csrf", csrf)])
                own = {"origin": f"https://{NAME}"}
                assert ann.post("/answer", data=form, headers=own).status_code == 303
                other = {"origin": "https://elsewhere.org"}
                assert ann.post("/answer", data=form, headers=other).status_code == 403
                assert review.progress(project).answers == 1
    finally:
        before.terminate()
        before.wait()
        project.close()


def through(door: int) -> httpx.Client:
    """Asks the web server in front as a browser that looks for it by its name."""
    transport = httpx.HTTPTransport(verify=False)
    client = httpx.Client(transport=transport, base_url=f"https://127.0.0.1:{door}")
    client.headers["host"] = NAME
    client.event_hooks["request"] = [lambda request: request.extensions.update(sni_hostname=NAME)]
    return client


def reached(door: int) -> bool:
    try:
        with through(door) as client:
            return client.get("/page.css").status_code == 200
    except httpx.TransportError:
        return False


# ---- copies


@on_postgresql
def test_machines_with_a_copy_of_the_folder_are_one_app(tmp_path, url):
    with a_project(tmp_path / "check", url=url) as project:
        here = a_site(project)
        ann = review.find_person(project, "ann")
        shutil.copytree(project.folder, tmp_path / "copy")
        with review.open_project(tmp_path / "copy") as copy:
            there = a_site(copy)
            assert follow_link(there, person_link(here, "", ann))[1] == ann
            one, other = browser(here, "person", "ann"), browser(there)
            other.client.cookies.update(one.client.cookies)
            card = one.cards()[0]
            assert other.say(card, "a").status_code == 200
            picture = re.search(r'src="(/shown/[^"]+)"', card)[1]
            assert other.get(picture).status_code == 200
        assert review.progress(project).answers == 1


@pytest.mark.slow
@on_postgresql
def test_a_dump_is_a_whole_copy(tmp_path, url):
    dump, restore = program("pg_dump"), program("psql")
    if dump is None or restore is None:
        skip_without("PostgreSQL")
    place = re.search(r"host=([^&]+)", url)[1]
    schema = url.rpartition("%3D")[2]
    name = f"again_{schema}"
    to = ["-h", place, "-U", "postgres"]
    with a_project(tmp_path / "check", url=url) as project:
        ann = review.find_person(project, "ann")
        for _ in range(4):
            assert take(project, ann)
        before = list(review.log(project))
        made = subprocess.run(
            [dump, *to, "-n", schema, "postgres"], check=True, capture_output=True
        )
        subprocess.run([restore, *to, "-c", f"CREATE DATABASE {name}", "postgres"], check=True)
        subprocess.run(
            [restore, *to, "-q", name], input=made.stdout, check=True, capture_output=True
        )
        shutil.copytree(project.folder, tmp_path / "copy")
    address = url.replace("/postgres?", f"/{name}?")
    (tmp_path / "copy" / "review.json").write_text(json.dumps({"url": address}))
    with review.open_project(tmp_path / "copy") as copy:
        assert list(review.log(copy)) == before
        assert take(copy, review.find_person(copy, "ann")) is not None  # and work goes on there
        assert len(list(review.log(copy))) == len(before) + 1


# ---- numbers


RESULTS = FILES.parents[2] / "bench" / "results" / "review_scale.json"


def measured() -> list[str]:
    """A line of the page's table for each run, from the committed result."""
    runs: dict[str, dict[str, float]] = {}
    for claim in json.loads(RESULTS.read_text())["claims"]:
        run, _, what = claim["name"].partition(": ")
        if " people, " in run:
            runs.setdefault(run, {})[what] = claim["value"]
    lines = []
    for run, found in runs.items():
        people, processes, *killed = run.split(", ")
        waits = [found[f"answer to next item, {k} ms"] for k in WAITS]
        busy = [v for what, v in found.items() if re.match("processors busy with (the|Post)", what)]
        cells = [people.split()[0], processes.split()[0] + (", killed ten times" if killed else "")]
        cells += [f"{found['answers a second']:.0f}", *(f"{wait:.0f}" for wait in waits)]
        lines.append(f"| {' | '.join([*cells, *(f'{one:.2f}' for one in busy)])} |")
    return lines


WAITS = ("median", "95th percentile,", "99th percentile,")


@pytest.mark.skipif(not RESULTS.exists(), reason="comes without bench/results")
def test_the_table_is_of_the_committed_result():
    lines = measured()
    assert len(lines) >= 5
    for line in lines:
        assert f"{line}\n" in DEPLOY.read_text(), line
