"""An audit file of JSON lines, to which several processes append."""

from __future__ import annotations

import json
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def append_audit(file: str | os.PathLike[str], entry: Any) -> None:
    """Appends one JSON line. Creates the file and its folders if they are missing, readable by this user only."""
    path = os.path.expanduser(os.fspath(file))
    line = json.dumps(entry, default=str, separators=(",", ":")).encode("ascii") + b"\n"
    opened = _open(path)
    try:
        # One write, so that lines of other processes do not mix with it. A line that a crash cut off is ended first.
        line = line if _ends_in_line(opened) else b"\n" + line
        if os.write(opened, line) != len(line):
            raise OSError(f"{path}: the line could not be written completely")
    finally:
        os.close(opened)


def _open(path: str) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    try:
        return os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        return os.open(path, flags, 0o600)


def _ends_in_line(opened: int) -> bool:
    """A line that another process is writing looks cut off for a moment, so the check is repeated."""
    for _ in range(10):
        if os.fstat(opened).st_size == 0:
            return True
        os.lseek(opened, -1, os.SEEK_END)
        if os.read(opened, 1) in (b"\n", b""):
            return True
        time.sleep(0.002)
    return False
