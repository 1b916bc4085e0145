"""People who answer as fast as the server lets them, over real sockets; a process of its own.

    python load.py LINKS SECONDS LOG

LINKS is a file with a sign-in link a line. Each person keeps one connection open, sends an answer
again under the same id until the server has confirmed it, and writes the id of every confirmed
answer to LOG. Prints what came of it as JSON.
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
from pathlib import Path
from urllib.parse import urlencode, urlsplit

HIDDEN = re.compile(r'<input type="hidden" name="([^"]+)" value="([^"]*)">')
BUTTON = re.compile(r'<button name="([^"]+)" value="([^"]+)"')


class Client:
    """One connection, opened again when it breaks."""

    def __init__(self, link: str) -> None:
        self.place = urlsplit(link)
        self.reader: asyncio.StreamReader | None = None
        self.cookie = ""
        self.broken = 0

    async def ask(self, path: str, fields: Sequence[tuple[str, str]] | None = None) -> tuple:
        """Status, headers and body; raises OSError when the connection breaks."""
        if self.reader is None:
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
            raise OSError("the connection broke") from error
        return int(head.split(" ", 2)[1]), head, text

    async def insist(self, path: str, fields: Sequence[tuple[str, str]] | None = None) -> tuple:
        """The same, again and again until there is an answer."""
        while True:
            try:
                return await self.ask(path, fields)
            except OSError:
                self.broken += 1
                await asyncio.sleep(0.05)


async def person(link: str, end: float, kept: list[str], ms: list[float], refused: list) -> int:
    """One person, from signing in to ``end``; the number of times the connection broke."""
    client = Client(link)
    rng = random.Random(link)
    _, head, _ = await client.insist(client.place.path)
    client.cookie = re.search(r"set-cookie: ([^;]+)", head, re.I).group(1)
    cards: dict[str, str] = {}
    _, _, body = await client.insist("/tasks")
    _take(cards, json.loads(body))
    while time.monotonic() < end and cards:
        key = next(iter(cards))
        card = cards.pop(key)
        form = card[: card.index("</form>")]
        fields = [(name, html.unescape(value)) for name, value in HIDDEN.findall(form)]
        fields = [(n, "900" if n.startswith("ms.") else v) for n, v in fields]
        fields.append(rng.choice(BUTTON.findall(form)[:4]))
        fields += [("have", key) for key in cards]
        start = time.perf_counter()
        status, _, body = await client.insist("/answer", fields)
        if status == 200:
            ms.append(1e3 * (time.perf_counter() - start))
            kept.append(dict(fields)["id"])
            _take(cards, json.loads(body))
        else:
            refused.append((status, body.decode(errors="replace")[:200]))
            cards.clear()
            _, _, body = await client.insist("/tasks")
            _take(cards, json.loads(body))
    return client.broken


def _take(cards: dict[str, str], told: dict) -> None:
    for card in told["cards"]:
        if "html" in card:
            cards[card["key"]] = card["html"]


async def main(links: str, seconds: str, log: str) -> None:
    """Everybody at once."""
    people = Path(links).read_text().split()
    kept: list[str] = []
    ms: list[float] = []
    refused: list = []
    start = time.monotonic()
    end = start + float(seconds)
    broken = await asyncio.gather(*(person(link, end, kept, ms, refused) for link in people))
    took = time.monotonic() - start
    Path(log).write_text("\n".join(kept))
    ms.sort()
    told = {
        "kept": len(kept),
        "seconds": took,
        "refused": refused[:5],
        "refusals": len(refused),
        "broken": sum(broken),
        "p50": ms[len(ms) // 2],
        "p95": ms[int(0.95 * len(ms))],
    }
    print(json.dumps(told))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
