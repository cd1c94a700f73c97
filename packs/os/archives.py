"""Archives of files in the run's folder."""

import fnmatch
import gzip
import io
import re
import tarfile
import zipfile
from typing import Any

import selfmade


@selfmade.function(
    files=True,
    tests=[
        {
            "input": {"archive": "all.zip", "pattern": "*.txt"},
            "mocks": [
                {"function": "files.list", "output": ["a.txt", "b.txt", "c.csv"]},
                {"function": "files.read", "output": "text"},
                {"function": "files.write", "output": None},
            ],
            "expect": {"output": ["a.txt", "b.txt"]},
        },
        {
            "name": "an ending that is not known",
            "input": {"archive": "all.rar"},
            "expect": {"error": {"type": "ValueError", "message": "`all.rar`"}},
        },
        {
            "name": "nothing to pack",
            "input": {"archive": "all.tar.gz", "pattern": "x*"},
            "mocks": [{"function": "files.list", "output": ["a.txt"]}],
            "expect": {"error": {"type": "ValueError", "message": "no file fits `x*`"}},
        },
    ],
)
def pack_files(archive: str, pattern: str = "*") -> list[str]:
    """Pack files of the run's folder into one archive there, and return their names.

    Args:
        archive: The archive's name, ending in `.zip` or `.tar.gz`. The same files make the same archive, byte
            for byte.
        pattern: Which files, with `*` for any part.
    """
    from selfmade import files

    if not archive.endswith((".zip", ".tar.gz")):
        raise ValueError(f"`{archive}` must end in `.zip` or `.tar.gz`")
    names = [name for name in fnmatch.filter(files.list(), pattern) if name != archive]
    if not names:
        raise ValueError(f"no file fits `{pattern}`")

    def content(name: str) -> bytes:
        read = files.read(name)
        return read.encode() if isinstance(read, str) else read

    out = io.BytesIO()
    if archive.endswith(".zip"):
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
            for name in names:
                entry = zipfile.ZipInfo(name)
                entry.compress_type = zipfile.ZIP_DEFLATED
                packed.writestr(entry, content(name))
        files.write(archive, out.getvalue())
        return names
    with tarfile.open(fileobj=out, mode="w") as packed:
        for name in names:
            data = content(name)
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            packed.addfile(entry, io.BytesIO(data))
    files.write(archive, gzip.compress(out.getvalue(), mtime=0))
    return names


@selfmade.function(
    files=True,
    tests=[
        {
            "name": "folders become part of the name",
            "input": {"archive": "a.zip"},
            "mocks": [
                {
                    "function": "files.read",
                    "output": {
                        "$bytes": "UEsDBBQAAAAAAAAAIQCsKpPYAgAAAAIAAAAHAAAAZC9hLnR4dGhpUEsBAhQDFAAAAAAAAAAhAKwqk9gCAAAAAgAAAAcAAAAAAAAAAAAAAIABAAAAAGQvYS50eHRQSwUGAAAAAAEAAQA1AAAAJwAAAAAA"
                    },
                },
                {"function": "files.write", "output": None},
            ],
            "expect": {"output": ["d_a.txt"]},
        },
        {
            "name": "what is no archive",
            "input": {"archive": "a.zip"},
            "mocks": [{"function": "files.read", "output": "text"}],
            "expect": {"error": {"type": "ValueError", "message": "`a.zip` is no archive"}},
        },
    ],
)
def unpack_files(archive: str, limit: int = 50_000_000) -> list[str]:
    """Unpack a `.zip` or `.tar` archive, compressed or not, into the run's folder, and return the names.

    Args:
        archive: The archive's name. The folder has no folders: `docs/a.txt` becomes `docs_a.txt`. Links are
            left out.
        limit: The most bytes that may come out of it, so that a small archive cannot fill the folder.
    """
    from selfmade import files

    read = files.read(archive)
    data = io.BytesIO(read.encode() if isinstance(read, str) else read)
    names: list[str] = []
    left = limit

    def keep(path: str, size: int, content: Any) -> None:
        nonlocal left
        left -= size
        if left < 0:
            raise ValueError(f"`{archive}` holds more than {limit} bytes")
        parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        name = re.sub(r"[^\w ._+@()-]", "_", "_".join(parts)).lstrip(".") or "unnamed"
        # No more than was announced, whatever the archive says.
        files.write(name, content.read(size))
        names.append(name)

    try:
        if zipfile.is_zipfile(data):
            with zipfile.ZipFile(data) as packed:
                for entry in packed.infolist():
                    if not entry.is_dir():
                        keep(entry.filename, entry.file_size, packed.open(entry))
            return names
        data.seek(0)
        with tarfile.open(fileobj=data) as packed:
            for member in packed:
                if member.isfile():
                    keep(member.name, member.size, packed.extractfile(member))
        return names
    except (tarfile.TarError, zipfile.BadZipFile) as error:
        raise ValueError(f"`{archive}` is no archive that can be read: {error}") from error
