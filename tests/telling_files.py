"""Pictures and sounds in which more is written than is seen or heard."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import numpy as np
from PIL import Image, PngImagePlugin

SECRET = "Patient: cat, Jane Roe"
PLACE = b"\x26\x4b\x1d\x59"  # of a position, as a number
WORDS = (SECRET.encode(), SECRET.encode("utf-16-le"), PLACE, b"Jane", b"camera 7")


def told_by(content: bytes) -> list[bytes]:
    """Those words that are in it."""
    return [word for word in WORDS if word in content]


def pixels(seed: int = 0) -> np.ndarray:
    """Smooth, so that a JPEG is close to it."""
    y, x = np.mgrid[:48, :64]
    rng = np.random.default_rng(seed)
    planes = [128 + 90 * np.sin(x / rng.uniform(9, 20) + y / rng.uniform(9, 20)) for _ in range(3)]
    return np.stack(planes, -1).astype(np.uint8)


def exif(orientation: int = 1) -> bytes:
    """With a description, a maker, a place and a preview."""
    found = Image.Exif()
    found[0x010E] = SECRET
    found[0x013B] = "Jane Roe"
    found[0x0110] = "camera 7"
    found[0x0112] = orientation
    place = found.get_ifd(0x8825)
    place[1], place[2] = "N", (struct.unpack(">I", PLACE)[0] / 1.0, 7.0, 9.0)
    found.get_ifd(0x8769)[0x9286] = b"ASCII\0\0\0" + SECRET.encode()
    return found.tobytes()


def profile() -> bytes:
    """A profile of colours that has a text."""
    from PIL import ImageCms

    made = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    return made + SECRET.encode()


XMP = f"<x:xmpmeta xmlns:x='adobe:ns:meta/'>{SECRET}</x:xmpmeta>".encode()


def jpeg(path: Path, orientation: int = 1, mode: str = "RGB", **how) -> None:
    file = io.BytesIO()
    picture = Image.fromarray(pixels()).convert(mode)
    more = {"exif": exif(orientation), "icc_profile": profile(), "comment": SECRET.encode()}
    picture.save(file, "JPEG", quality=90, xmp=XMP, **more, **how)
    content = file.getvalue()
    preview = io.BytesIO()
    Image.fromarray(pixels(1)[:8, :8]).save(preview, "JPEG", comment=SECRET.encode())
    for marker, body in (
        (0xED, b"Photoshop 3.0\0" + SECRET.encode()),
        (0xEC, SECRET.encode()),
        (0xE0, b"JFXX\0\x10" + preview.getvalue()),
        (0xFE, SECRET.encode("utf-16-le")),
    ):
        segment = bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body
        content = content[:2] + segment + content[2:]
    path.write_bytes(content + preview.getvalue() + SECRET.encode())


def png(path: Path, mode: str = "RGB", orientation: int = 1) -> None:
    told = PngImagePlugin.PngInfo()
    told.add_text("Description", SECRET)
    told.add_itxt("Comment", SECRET, zip=False)
    told.add_itxt("XML:com.adobe.xmp", XMP.decode())
    told.add(b"teSt", SECRET.encode())
    file = io.BytesIO()
    more = {"exif": exif(orientation), "icc_profile": profile()}
    Image.fromarray(pixels()).convert(mode).save(file, "PNG", pnginfo=told, **more)
    path.write_bytes(file.getvalue() + SECRET.encode())


def png_with_more_data(path: Path) -> None:
    """Behind its data, where decoders look no more."""
    png(path)
    content = path.read_bytes()
    end = content.rindex(b"IEND") - 4
    body = b"IDAT" + SECRET.encode()
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    path.write_bytes(content[:end] + chunk + content[end:])


def webp(path: Path, lossless: bool = False) -> None:
    file = io.BytesIO()
    more = {"exif": exif(), "icc_profile": profile(), "xmp": XMP, "lossless": lossless}
    Image.fromarray(pixels()).save(file, "WEBP", **more)
    path.write_bytes(file.getvalue() + SECRET.encode())


def gif(path: Path) -> None:
    file = io.BytesIO()
    Image.fromarray(pixels()).save(file, "GIF", comment=SECRET.encode())
    path.write_bytes(file.getvalue() + SECRET.encode())


def tiff(path: Path) -> None:
    Image.fromarray(pixels()).save(path, "TIFF", tiffinfo={270: SECRET, 315: "Jane Roe"})


def bmp(path: Path) -> None:
    Image.fromarray(pixels()).save(path, "BMP")
    path.write_bytes(path.read_bytes() + SECRET.encode())


def clear(path: Path) -> None:
    picture = Image.fromarray(pixels()).convert("RGBA")
    picture.putalpha(128)
    told = PngImagePlugin.PngInfo()
    told.add_text("Description", SECRET)
    picture.save(path, "PNG", pnginfo=told)


def moving(path: Path) -> None:
    frames = [Image.fromarray(pixels(k)) for k in range(3)]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], comment=SECRET.encode())
    path.write_bytes(file.getvalue())


PICTURES = {
    "plain.jpg": jpeg,
    "grey.jpg": lambda path: jpeg(path, mode="L"),
    "progressive.jpg": lambda path: jpeg(path, progressive=True, restart_marker_blocks=2),
    "cmyk.jpg": lambda path: jpeg(path, mode="CMYK"),
    **{f"turned-{k}.jpg": lambda path, k=k: jpeg(path, k) for k in range(2, 9)},
    "plain.png": png,
    "palette.png": lambda path: png(path, "P"),
    "grey.png": lambda path: png(path, "L"),
    "bits.png": lambda path: png(path, "1"),
    "turned.png": lambda path: png(path, orientation=6),
    "more.png": png_with_more_data,
    "clear.png": clear,
    "plain.webp": webp,
    "lossless.webp": lambda path: webp(path, True),
    "plain.gif": gif,
    "moving.gif": moving,
    "plain.tif": tiff,
    "plain.bmp": bmp,
}


# ---- sounds


def wav(path: Path) -> None:
    told = b"INFOINAM" + struct.pack("<I", len(SECRET)) + SECRET.encode()
    form = struct.pack("<HHIIHH", 1, 1, 8000, 8000, 1, 8)
    parts = [(b"LIST", told), (b"fmt ", form), (b"data", SOUND), (b"bext", SECRET.encode())]
    body = b"WAVE" + b"".join(
        name + struct.pack("<I", len(one)) + one + b"\0" * (len(one) % 2) for name, one in parts
    )
    path.write_bytes(b"RIFF" + struct.pack("<I", len(body)) + body + SECRET.encode())


SOUND = bytes(range(256)) * 3
FRAME = b"\xff\xfb\x90\x00" + bytes(range(200)) + bytes(213)  # of 128 kbit/s at 44.1 kHz


def mp3(path: Path) -> None:
    text = SECRET.encode() * 9
    size = bytes(len(text) >> shift & 0x7F for shift in (21, 14, 7, 0))
    tail = b"APETAGEX" + SECRET.encode() + b"TAG" + SECRET.encode().ljust(125, b"\0")
    path.write_bytes(b"ID3\x04\0\0" + size + text + FRAME * 5 + tail)


def flac(path: Path) -> None:
    def block(kind: int, body: bytes) -> bytes:
        return bytes((kind,)) + struct.pack(">I", len(body))[1:] + body

    about = bytes(34)
    blocks = block(0, about) + block(4, SECRET.encode()) + block(0x80 | 6, SECRET.encode())
    tail = b"TAG" + SECRET.encode().ljust(125, b"\0")
    path.write_bytes(b"fLaC" + blocks + b"\xff\xf8" + SOUND + tail)


def ogg(path: Path, start: bytes = b"\x03vorbis") -> None:
    from candidly.data.ingest.media._bare_sounds import _checked

    said = struct.pack("<I", len(SECRET)) + SECRET.encode() + struct.pack("<I", 1)
    said += struct.pack("<I", 600) + (SECRET.encode() * 40)[:600] + b"\1"
    first = b"\x01vorbis" + bytes(23) if start.startswith(b"\x03") else b"OpusHead" + bytes(11)
    pages = bytearray()
    for number, packet in enumerate((first, start + said, b"\x05" + SOUND)):
        sizes = bytes([255] * (len(packet) // 255) + [len(packet) % 255])
        head = b"OggS\0\0" + bytes(8) + struct.pack("<III", 7, number, 0)
        pages += head + bytes((len(sizes),)) + sizes + packet
    path.write_bytes(_checked(pages, range(len(pages))) + SECRET.encode())


def m4a(path: Path) -> None:
    def atom(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body) + 8) + name + body

    secret = SECRET.encode()
    track = atom(b"trak", atom(b"udta", secret) + atom(b"mdia", atom(b"minf", b"")))
    movie = atom(b"moov", atom(b"mvhd", bytes(100)) + track + atom(b"udta", atom(b"meta", secret)))
    told = atom(b"free", secret) + atom(b"uuid", secret) + atom(b"mine", secret)
    path.write_bytes(
        atom(b"ftyp", b"M4A \0\0\0\0") + told + movie + atom(b"mdat", SOUND) + told + secret
    )


SOUNDS = {
    "plain.wav": wav,
    "plain.mp3": mp3,
    "plain.flac": flac,
    "vorbis.ogg": ogg,
    "opus.ogg": lambda path: ogg(path, b"OpusTags"),
    "plain.m4a": m4a,
}
