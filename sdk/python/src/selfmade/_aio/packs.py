"""Packs: functions that are loaded together."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from selfmade._aio.resource import AsyncResource, forced
from selfmade.models import Pack, PackLoaded


class AsyncPacks(AsyncResource):
    """The packs of a brain."""

    async def list(self) -> _List[Pack]:
        """All of them."""
        return await self._get_all(Pack, "/packs")

    async def load(
        self,
        files: str | Path | Mapping[str, str],
        *,
        name: str | None = None,
        prefix: str = "",
        replace: bool = False,
        force: bool = False,
    ) -> PackLoaded:
        """Loads the decorated functions of a file or folder, which is read and never run.

        Args:
            files: a path here, or texts by their paths.
            name: the name of the pack; that of the file or folder if not given.
            prefix: what is put before each name, such as `airtable.`.
            replace: whether functions of those names that are there already may be changed.
            force: load it even if stored callers, triggers or schedules no longer fit.
        """
        texts = files if isinstance(files, Mapping) else _read(Path(files))
        called = name or ("pack" if isinstance(files, Mapping) else Path(files).resolve().stem)
        body = {
            "name": called,
            "files": [{"path": path, "text": text} for path, text in texts.items()],
            "prefix": prefix,
            "replace": replace,
        }
        return await self._change(PackLoaded, "POST", forced("/packs", force), body)


_List = list


def _read(path: Path) -> dict[str, str]:
    if path.is_file():
        return {path.name: path.read_text(encoding="utf-8")}
    files = (file for pattern in ("*.py", "*.json") for file in path.rglob(pattern))
    return {str(file.relative_to(path)): file.read_text(encoding="utf-8") for file in sorted(files)}
