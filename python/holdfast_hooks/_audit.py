"""An audit file that many processes append to."""

from __future__ import annotations

import json
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def append_audit(file: str | os.PathLike[str], entry: Any) -> None:
    """Adds one line of JSON. The file is made if need be, for its owner alone, with the folders above it."""
    path = os.path.expanduser(os.fspath(file))
    line = json.dumps(entry, default=str, separators=(",", ":")).encode("ascii") + b"\n"
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    opened = os.open(path, flags, 0o600)
    try:
        # One write: lines of processes that append at the same time stay whole.
        if os.write(opened, line) != len(line):
            raise OSError(f"{path}: the line could not be written whole")
    finally:
        os.close(opened)
