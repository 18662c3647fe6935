"""Object code of kernels, kept on disk from one process to the next.

What is linked from here is executed, and one flipped bit of it is a wrong number or a signal. So each file carries a keyed
checksum over itself and over what it was compiled for, whose key is a file that only this user can read; folders and files
that anybody else could have written are not looked at. Whatever is amiss, the code is compiled again: no error ever comes from
here.

The folder is that of the system for caches, or the one named by `LAZYFRAME_CODE_CACHE`; `off` there means none.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import random
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path

MOST_BYTES = 256 << 20

_KEY_FILE = "key"
_KEY_BYTES = 32
_TAG_BYTES = 32
_BLOCK = 4096
_PUTS_BETWEEN_TRIMS = 50
_SECONDS_BETWEEN_MARKS = 3600
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OTHERS_MAY_ANYTHING = stat.S_IRWXG | stat.S_IRWXO
# Windows has neither owners nor modes of this kind: its folder for local data is the user's own.
_HAS_OWNERS = hasattr(os, "geteuid")


def default_folder() -> Path | None:
    """Where the code of this user is kept; None where nowhere."""
    chosen = os.environ.get("LAZYFRAME_CODE_CACHE")
    if chosen:
        return None if chosen.lower() == "off" else Path(chosen).absolute()
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        # A relative path there is to be ignored (XDG Base Directory Specification).
        named = os.environ.get("XDG_CACHE_HOME", "")
        base = Path(named) if named.startswith("/") else home / ".cache"
    # A home that is not there is not made: services run as users without one.
    if not base.parent.is_dir():
        return None
    return base / "lazyframe" / "code"


class CodeCache:
    """A folder of object code.

    Args:
        folder: where; it is made where it is missing.
        most_bytes: what its files may take on disk; those used longest ago go first.
    """

    def __init__(self, folder: Path, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._secret: bytes | None = None
        # Processes that each compile little would otherwise never come to the point of trimming.
        self._puts = random.randrange(_PUTS_BETWEEN_TRIMS)  # noqa: S311 - not for secrecy

    def get(self, name: str) -> bytes | None:
        """The code that was put under a name, if it is there and nobody changed it."""
        with contextlib.suppress(OSError):
            secret = self._open()
            if secret is None:
                return None
            path = self._folder / name
            found = _read(path, _OTHERS_MAY_WRITE, self._mark)
            if found is None:
                return None
            tag, code = found[:_TAG_BYTES], found[_TAG_BYTES:]
            if hmac.compare_digest(tag, _tag(secret, name, code)):
                return code
        return None

    def has(self, name: str) -> bool:
        """Whether something stands under a name; whether it is of any use, `get` says."""
        return os.path.lexists(self._folder / name)

    def put(self, name: str, code: bytes) -> None:
        """Keep code under a name."""
        with contextlib.suppress(OSError):
            secret = self._open()
            if secret is None:
                return
            _write(self._folder / name, _tag(secret, name, code) + code)
            self._puts += 1
            if self._puts % _PUTS_BETWEEN_TRIMS == 0:
                self.trim()

    def trim(self) -> None:
        """Remove what was used longest ago, where there is too much."""
        files = []
        total = 0
        with contextlib.suppress(OSError), os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name == _KEY_FILE:
                    continue
                with contextlib.suppress(OSError):
                    found = entry.stat(follow_symlinks=False)
                    size = -(-found.st_size // _BLOCK) * _BLOCK
                    files.append((found.st_mtime, size, entry.path))
                    total += size
        if total <= self._most_bytes:
            return
        # Well below the bound, so that this is not to be done again soon.
        for _, size, path in sorted(files):
            if total <= self._most_bytes * 3 // 4:
                return
            with contextlib.suppress(OSError):
                Path(path).unlink()
            total -= size

    def _mark(self, file: int, seconds: float) -> None:
        """Note that a file is in use, unless that was noted lately."""
        if time.time() - seconds > _SECONDS_BETWEEN_MARKS and os.utime in os.supports_fd:
            with contextlib.suppress(OSError):
                os.utime(file)

    def _open(self) -> bytes | None:
        """The key of this folder; None where the folder is not ours alone to write."""
        if self._secret is None:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = self._folder.stat()
            if not _is_ours(found, _OTHERS_MAY_WRITE):
                return None
            path = self._folder / _KEY_FILE
            secret = _read(path, _OTHERS_MAY_ANYTHING)
            if secret is None or len(secret) != _KEY_BYTES:
                # Of two processes that come here at once one key stays; what the other wrote is compiled again later.
                _write(path, os.urandom(_KEY_BYTES))
                secret = _read(path, _OTHERS_MAY_ANYTHING)
                if secret is None or len(secret) != _KEY_BYTES:
                    return None
            self._secret = secret
        return self._secret


def _is_ours(found: os.stat_result, forbidden: int) -> bool:
    return not _HAS_OWNERS or (found.st_uid == os.geteuid() and not found.st_mode & forbidden)


def _read(path: Path, forbidden: int, mark: Callable[[int, float], None] | None = None) -> bytes | None:
    """What a file of ours holds; None for a missing one, a link, and one that others may treat in a forbidden way."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        file = os.open(path, flags)
    except OSError:
        return None
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or not _is_ours(found, forbidden):
            return None
        parts = []
        while part := os.read(file, 1 << 20):
            parts.append(part)
        if mark is not None:
            mark(file, found.st_mtime)
        return b"".join(parts)
    finally:
        os.close(file)


def _write(path: Path, content: bytes) -> None:
    """Make a file, or put another in its place; whoever reads sees all of one of them."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.{os.urandom(4).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    file = os.open(partial, flags, 0o600)
    try:
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(file, rest) :]
        finally:
            os.close(file)
        partial.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise


def _tag(secret: bytes, name: str, code: bytes) -> bytes:
    return hmac.digest(secret, hashlib.sha256(name.encode()).digest() + code, "sha256")
