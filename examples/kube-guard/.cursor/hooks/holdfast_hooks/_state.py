"""Small state of one conversation on disk, without races between processes."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

#: How long to wait for another writer, in seconds.
PATIENCE = 10.0
#: No writer needs this long; who holds the lock longer has died.
STALE = 3.0


def conversation_state(payload: Mapping[str, Any], name: str, initial: Any = None) -> State:
    """A JSON value that hooks of this conversation share under this name. Until it is set it is `initial`."""
    if not re.fullmatch(r"[A-Za-z0-9_.-]{1,80}", name) or not name.strip("."):
        raise ValueError(f"{name!r} cannot be the name of a state; use letters, digits, '-', '_' and '.'")
    conversation = payload.get("conversation_id") or ""
    base = os.environ.get("HOLDFAST_STATE") or os.path.join(os.path.expanduser("~"), ".holdfast", "state")
    key = hashlib.sha256(conversation.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return State(os.path.join(base, key, f"{name}.json"), initial)


class State:
    """One JSON value in one file."""

    __slots__ = ("file", "initial")

    def __init__(self, file: str, initial: Any = None) -> None:
        self.file = file
        self.initial = initial

    def read(self) -> Any:
        """The value as it is now."""
        try:
            with open(self.file, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError, RecursionError):
            # A state that cannot be read is none: better to count anew than never to answer again.
            return json.loads(json.dumps(self.initial))

    def update(self, change: Callable[[Any], Any]) -> Any:
        """Replaces the value by what `change` makes of it, while nobody else can. Gives back the new one."""
        os.makedirs(os.path.dirname(self.file), mode=0o700, exist_ok=True)
        lock = f"{self.file}.lock"
        while True:
            ours = _lock(lock)
            fresh = _beside(self.file)
            try:
                value = change(self.read())
                if value is None:
                    raise TypeError("update() got None; return the new value")
                _write(fresh, json.dumps(value, allow_nan=False) + "\n")
                # Who took longer than a lock lasts must not undo what others wrote meanwhile, and begins again.
                if _holder(lock) == ours:
                    os.replace(fresh, self.file)
                    return value
            finally:
                _remove(fresh)
                if _holder(lock) == ours:
                    _remove(lock)


def _lock(file: str) -> str:
    """Makes the file that only one process can make; gives back what it wrote there."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            ours = f"{os.getpid()}-{time.monotonic_ns()}"
            _write(file, ours)
            return ours
        except FileExistsError:
            if time.monotonic() > until:
                raise TimeoutError(f"{file} was held for {PATIENCE:g} s by another process") from None
        if _is_stale(file):
            _take_away(file)
        # Not all at the same moment again.
        time.sleep(0.002 + time.monotonic_ns() // 1000 % 10 / 1000)


def _is_stale(file: str) -> bool:
    try:
        return time.time() - os.stat(file).st_mtime > STALE
    except OSError:
        return False


def _take_away(file: str) -> None:
    """Of two who find a stale lock one may come late and catch the other's new one; it is then put back."""
    away = _beside(file)
    try:
        os.rename(file, away)
        if not _is_stale(away):
            os.link(away, file)
    except OSError:
        pass  # somebody else was faster
    _remove(away)


def _write(file: str, text: str) -> None:
    opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(opened, "w", encoding="utf-8") as out:
        out.write(text)


def _holder(file: str) -> str | None:
    try:
        with open(file, encoding="utf-8") as lock:
            return lock.read()
    except OSError:
        return None


def _beside(file: str) -> str:
    """A name that nobody else uses."""
    return f"{file}.{os.getpid()}-{time.monotonic_ns()}"


def _remove(file: str) -> None:
    try:
        os.unlink(file)
    except OSError:
        pass
