"""Hashes, Base64 and sizes."""

import base64
import binascii
import hashlib

import selfmade


@selfmade.function(
    tests=[
        {
            "input": {"data": "abc"},
            "expect": {"output": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        },
        {
            "name": "bytes, and another way",
            "input": {"data": {"$bytes": "YWJj"}, "algorithm": "md5"},
            "expect": {"output": "900150983cd24fb0d6963f7d28e17f72"},
        },
        {
            "name": "a way that is not known",
            "input": {"data": "", "algorithm": "crc"},
            "expect": {"error": {"type": "ValueError", "message": "sha256"}},
        },
    ],
)
def hash_data(data: str | bytes, algorithm: str = "sha256") -> str:
    """Work out the hash of a text or of bytes, in hexadecimal digits.

    Args:
        data: The text, taken as UTF-8, or the bytes.
        algorithm: "sha256", "sha512", "sha3_256", "blake2b", or, for old checksums only, "sha1" and "md5".
    """
    known = ("sha256", "sha512", "sha3_256", "blake2b", "sha1", "md5")
    if algorithm not in known:
        raise ValueError(f"`{algorithm}` is not one of {', '.join(known)}")
    return hashlib.new(algorithm, data.encode() if isinstance(data, str) else data).hexdigest()


@selfmade.function(
    tests=[
        {"input": {"data": "hé?"}, "expect": {"output": "aMOpPw=="}},
        {
            "name": "for URLs",
            "input": {"data": {"$bytes": "+/8="}, "url_safe": True},
            "expect": {"output": "-_8"},
        },
    ],
)
def encode_base64(data: str | bytes, url_safe: bool = False) -> str:
    """Write a text or bytes in Base64.

    Args:
        data: The text, taken as UTF-8, or the bytes.
        url_safe: Whether to use the letters that are safe in URLs, without `=` at the end.
    """
    raw = data.encode() if isinstance(data, str) else data
    return base64.urlsafe_b64encode(raw).decode().rstrip("=") if url_safe else base64.b64encode(raw).decode()


@selfmade.function(
    tests=[
        {"input": {"text": "aMOpPw=="}, "expect": {"output": "hé?"}},
        {
            "name": "of either kind, and what is not text",
            "input": {"text": "-_8"},
            "expect": {"output": {"$bytes": "+/8="}},
        },
        {
            "name": "what is none",
            "input": {"text": "a$b"},
            "expect": {"error": {"type": "ValueError", "message": "not Base64"}},
        },
    ],
)
def decode_base64(text: str) -> str | bytes:
    """Read Base64 of either kind: text where it is text, bytes where it is not.

    Args:
        text: The Base64, with or without line breaks and `=` at the end.
    """
    letters = "".join(text.split()).rstrip("=").replace("-", "+").replace("_", "/")
    try:
        raw = base64.b64decode(letters + "=" * (-len(letters) % 4), validate=True)
    except binascii.Error as error:
        raise ValueError(f"this is not Base64: {error}") from error
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw


@selfmade.function(
    tests=[
        {"input": {"size": 1536}, "expect": {"output": "1.5 KiB"}},
        {"input": {"size": 1_500_000, "binary": False}, "expect": {"output": "1.5 MB"}},
        {"name": "bytes have no fraction", "input": {"size": 999}, "expect": {"output": "999 B"}},
    ],
)
def format_size(size: int, binary: bool = True) -> str:
    """Write a number of bytes for people: `1.5 KiB`.

    Args:
        size: The number of bytes.
        binary: Whether a step is 1024 (KiB, MiB) or 1000 (kB, MB).
    """
    step, names = (
        (1024, ["KiB", "MiB", "GiB", "TiB", "PiB"]) if binary else (1000, ["kB", "MB", "GB", "TB", "PB"])
    )
    if abs(size) < step:
        return f"{size} B"
    value = float(size)
    for name in names:
        value /= step
        if abs(value) < step or name == names[-1]:
            return f"{value:.1f}".removesuffix(".0") + f" {name}"
    raise AssertionError("the last unit takes everything")
