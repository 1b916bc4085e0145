"""People who answer as fast as the server lets them, over real sockets; a process of its own.

    python load.py LINKS SECONDS LOG UNDO [THINK]

A closed loop: each person asks again as soon as the answer before is confirmed, so the rate is what
the server bears, and waiting times are those of a full house. With THINK they look at each item for
so many seconds on average, exponentially distributed; they come over the first ten seconds, after
which waiting times count. LINKS is a file with a sign-in link a line. Each person keeps one
connection open, fetches the pictures of their cards once, as a browser does, and takes the share
UNDO of their answers back. What the server does not confirm, or puts off in words, is sent again
under the same id. LOG gets a line for all that was confirmed: the id and the button of an answer;
or the id of an undo, "undo" and the answer that it takes back. Prints what came of it as JSON.
"""

from __future__ import annotations

import asyncio
import html
import json
import random
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')
PICTURE = re.compile(r'src="(/shown/[^"]+)"')
BUTTON = re.compile(r'<button name="([^"]+)" value="([^"]+)"')
ITEM = re.compile(r"The text of item \d+\.")
COME_S = 10.0  # over which people who think come


class Client:
    """One connection, opened again when it breaks."""

    def __init__(self, link: str) -> None:
        self.place = urlsplit(link)
        self.reader: asyncio.StreamReader | None = None
        self.cookie = ""
        self.broken = 0
        self.late = 0
        self.put_off = 0

    async def ask(self, path: str, fields: Sequence[tuple[str, str]] | None = None) -> tuple:
        """Status, headers and body; raises OSError when the connection breaks."""
        if self.reader is not None and self.reader.at_eof():  # it was idle for longer than is kept
            self.writer.close()
            self.reader = None
        fresh = self.reader is None
        if fresh:
            self.reader, self.writer = await asyncio.open_connection(
                self.place.hostname, self.place.port
            )
        body = b"" if fields is None else urlencode(fields).encode()
        lines = [
            f"{'GET' if fields is None else 'POST'} {path} HTTP/1.1",
            f"Host: {self.place.netloc}",
            "Accept: application/json",
            f"Cookie: {self.cookie}",
            "Content-Type: application/x-www-form-urlencoded",
            f"Content-Length: {len(body)}",
        ]
        try:
            self.writer.write("\r\n".join([*lines, "", ""]).encode() + body)
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            headers = dict(
                line.lower().split(": ", 1) if ": " in line else (line, "")
                for line in head.split("\r\n")[1:]
            )
            text = await self.reader.readexactly(int(headers.get("content-length", 0)))
        except (asyncio.IncompleteReadError, OSError) as error:
            self.writer.close()
            self.reader = None
            if not fresh and not getattr(error, "partial", b""):
                self.late += 1  # the server ended it, idle, while this went out; browsers do alike
                return await self.ask(path, fields)
            raise OSError("the connection broke") from error
        return int(head.split(" ", 2)[1]), head, text

    async def insist(self, path: str, fields: Sequence[tuple[str, str]] | None = None) -> tuple:
        """The same, again and again until there is an answer."""
        while True:
            try:
                status, head, body = await self.ask(path, fields)
                if status != 429 and status < 500:
                    return status, head, body
                self.put_off += 1
            except OSError:
                self.broken += 1
            await asyncio.sleep(0.05)


@dataclass
class Told:
    """What came of everybody's work.

    Attributes:
        lines: of the log. kept, undone, pictures: how many were confirmed.
        ms: from each answer to the next card. refused: what was not taken, and why.
        asked: items shown to somebody. twice: how many of them had been shown to them before.
    """

    lines: list[str] = field(default_factory=list)
    kept: int = 0
    undone: int = 0
    pictures: int = 0
    ms: list[float] = field(default_factory=list)
    refused: list[tuple[int, str]] = field(default_factory=list)
    asked: int = 0
    twice: int = 0


class Cards(dict[str, str]):
    """Cards that a person holds, by key; knows the texts of all items that they were asked."""

    def __init__(self, told: Told) -> None:
        self.told = told
        self.texts: dict[str, str] = {}

    def take(self, body: bytes) -> None:
        """Those that a reply brings."""
        for card in json.loads(body)["cards"]:
            if "html" not in card:
                continue
            self[card["key"]] = card["html"]
            text = ITEM.search(card["html"])
            if text is not None:
                before = self.texts.setdefault(text[0], card["key"])
                self.told.twice += before != card["key"]
                self.told.asked += before == card["key"]


async def person(link: str, end: float, undo: float, think: float, told: Told) -> Client:
    """One person, from signing in to ``end``."""
    client = Client(link)
    rng = random.Random(link)
    begun = time.monotonic() + (COME_S if think else 0)
    if think:
        await asyncio.sleep(rng.uniform(0, COME_S))
    _, head, _ = await client.insist("/link", [("link", link)])
    client.cookie = re.search(r"set-cookie: ([^;]+)", head, re.I).group(1)
    cards = Cards(told)
    seen: set[str] = set()
    _, _, body = await client.insist("/tasks")
    cards.take(body)
    while time.monotonic() < end and cards:
        key = next(iter(cards))
        card = cards.pop(key)
        for picture in {*PICTURE.findall(card)} - seen:
            seen.add(picture)
            status, _, _ = await client.insist(picture)
            told.pictures += status == 200
        form = card[: card.index("</form>")]
        fields = [(name, html.unescape(value)) for name, value in HIDDEN.findall(form)]
        fields = [(n, "900" if n.startswith("ms.") else v) for n, v in fields]
        csrf = dict(fields)["csrf"]
        button = rng.choice(BUTTON.findall(form)[:4])
        fields += [button, *(("have", key) for key in cards)]
        if think:
            await asyncio.sleep(min(rng.expovariate(1 / think), max(0.0, end - time.monotonic())))
            if time.monotonic() >= end:
                break
        start = time.perf_counter()
        status, _, body = await client.insist("/answer", fields)
        if status == 200:
            id = dict(fields)["id"]
            if time.monotonic() > begun:
                told.ms.append(1e3 * (time.perf_counter() - start))
            told.lines.append(f"{id} {button[1]}")
            told.kept += 1
            cards.take(body)
            if rng.random() < undo:
                again = f"undo-{id}"
                status, _, body = await client.insist("/undo", [("id", again), ("csrf", csrf)])
                if status == 200:
                    told.lines.append(f"{again} undo {id}")
                    told.undone += 1
                    cards.clear()
                    cards.take(body)
        if status != 200:
            told.refused.append((status, body.decode(errors="replace")[:200]))
            cards.clear()
            _, _, body = await client.insist("/tasks")
            cards.take(body)
    return client


async def main(links: str, seconds: str, log: str, undo: str, think: str = "0") -> None:
    """Everybody at once."""
    people, told = Path(links).read_text().split(), Told()
    start = time.monotonic()
    end = start + float(seconds)
    clients = await asyncio.gather(
        *(person(link, end, float(undo), float(think), told) for link in people)
    )
    took = time.monotonic() - start
    Path(log).write_text("\n".join(told.lines))
    ms = sorted(told.ms)
    about = {
        "kept": told.kept,
        "undone": told.undone,
        "pictures": told.pictures,
        "seconds": took,
        "refused": told.refused[:5],
        "refusals": len(told.refused),
        "late": sum(client.late for client in clients),
        "broken": sum(client.broken for client in clients),
        "put_off": sum(client.put_off for client in clients),
        "p50": ms[len(ms) // 2],
        "p95": ms[int(0.95 * len(ms))],
        "p99": ms[int(0.99 * len(ms))],
        "most": ms[-1],
        "waits": len(ms),
        "asked": told.asked,
        "twice": told.twice,
        "cpu": time.process_time(),
    }
    print(json.dumps(about))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
