"""Small files in the form of PLCIFAR10's, and files that only look like it or mean harm."""

from __future__ import annotations

import os
import pickle
import struct
from collections import OrderedDict

import numpy as np

FILE = "plcifar10.pkl"
START = b"\x80\x04"
PLAIN = {0: [[3], [3, 5], [5]], 1: [[1, 1, 1], [2, 4]], 2: [[], [7]], 3: [[9, 9]]}


def answers(n, seed=0, most=6):
    """{picture: list of answers, each a list of different class numbers}, some ten a picture."""
    rng = np.random.default_rng(seed)
    return {
        image: [
            rng.choice(10, rng.integers(1, most + 1), replace=False).tolist()
            for _ in range(rng.integers(9, 12))
        ]
        for image in range(n)
    }


def write(folder, stored, protocol=4):
    content = stored if isinstance(stored, bytes) else pickle.dumps(stored, protocol)
    (folder / FILE).write_bytes(content)


class Harm:
    """What makes a folder when it is unpickled."""

    def __init__(self, folder):
        self.folder = str(folder)

    def __reduce__(self):
        return os.mkdir, (self.folder,)


def shared(times):
    """A list of lists of lists ..., each the one before many times: small, and endless to walk."""
    inner = [1]
    for _ in range(4):
        inner = [inner] * times
    return {0: inner}


def looped():
    """An answer that holds itself."""
    answer = [1]
    answer.append(answer)
    return {0: [answer]}


# stored value or bytes -> what the refusal says
REFUSED = {
    "a list": ([[1]], "it holds a list and no dict"),
    "nothing": ({}, "it holds a dict and no dict of answers"),
    "a name as picture": ({"0": [[1]]}, "the step (SHORT_BINUNICODE|BINUNICODE)"),
    "a picture beyond": ({50_000: [[1]]}, "50000 is no training picture, 0 to 49999"),
    "a picture before": ({-1: [[1]]}, "-1 is no training picture"),
    "one answer, no list": ({0: [1, 2]}, "picture 0 has a int as an answer, no list"),
    "no answers": ({0: 3}, "picture 0 has a int and no answers"),
    "a dict for answers": ({0: {1: 2}}, "picture 0 has a dict and no answers"),
    "a dict for an answer": ({4: [{1: 2}]}, "picture 4 has a dict as an answer"),
    "a class beyond": ({0: [[1]], 6: [[2], [3, 10]]}, "picture 6 has 10 as a label, .* 0 to 9"),
    "a class before": ({0: [[-1]]}, "picture 0 has -1 as a label"),
    "a list as class": ({0: [[[1]]]}, "picture 0 has a list as a label"),
    "true for 1": ({0: [[True]]}, "the step NEWTRUE"),
    "half a class": ({0: [[0.5]]}, "the step BINFLOAT"),
    "tuples": ({0: [(1, 2)]}, "the step TUPLE2"),
    "sets": ({0: [{1, 2}]}, "the step (EMPTY_SET|GLOBAL)"),
    "bytes": ({0: [b"12"]}, "the step (SHORT_BINBYTES|GLOBAL)"),
    "an array": ({0: [np.array([1])]}, "the step (GLOBAL|SHORT_BINUNICODE|BINUNICODE)"),
    "another dict": (OrderedDict({0: [[1]]}), "the step (GLOBAL|SHORT_BINUNICODE|BINUNICODE)"),
    "a huge number": ({0: [[1 << 70]]}, "the step LONG1"),
    "a huger number": ({0: [[1 << 5000]]}, "the step LONG4"),
    "lists in lists": (shared(10), "picture 0 has a list as a label"),
    "an answer in itself": (looped(), "picture 0 has a list as a label"),
}
DAMAGED = {
    "empty": b"",
    "text": b"no pickle at all",
    "no end": pickle.dumps(PLAIN, 4)[:-1],
    "cut": pickle.dumps(PLAIN, 2)[:20],
    "a name to call": START + b"cos\nsystem\n.",
    "a name in the pickle's extension": START + b"\x82\x01.",
    "a persistent name": START + b"Pname\n.",
    "a memo far away": START + b"]r\xff\xff\xff\xffj\x00\x00\x00\x7f.",
    "text as long as it says": START + b"X\xff\xff\xff\xff.",
    "bytes beyond memory": START + b"\x8e" + struct.pack("<Q", 1 << 62) + b".",
    "a number beyond memory": START + b"\x8b" + struct.pack("<i", 2**31 - 1) + b".",
    "a frame beyond memory": START + b"\x95" + struct.pack("<Q", 1 << 62) + b"}.",
    "items of nothing": START + b"(K\x01K\x02u.",
    "an end of nothing": START + b".",
    "no mark": START + b"]e.",
    "never put": START + b"h\x07.",
    "a dict as key": START + b"}}]s.",
}


def many(step, times):
    """A file whose steps are all alike: a byte or two each, and more in memory."""
    return START + b"]" + step * times + b"."


BOMBS = {  # 2000 steps, each of which makes something
    "lists": many(b"]", 2000),
    "dicts": many(b"}", 2000),
    "memo": many(b"\x94", 2000),
    "far memo": START + b"]" + b"".join(b"r" + struct.pack("<I", k) for k in range(2000)) + b".",
    "deep": START + b"]" * 2000 + b"a" * 1999 + b".",
}
