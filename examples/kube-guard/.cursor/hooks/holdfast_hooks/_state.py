"""State of a conversation on disk, with locks between processes."""

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

#: Seconds to wait for the lock.
LOCK_TIMEOUT = 10.0
#: Seconds after which a lock is stale: its process has died.
STALE_AFTER = 3.0


def conversation_state(payload: Mapping[str, Any], name: str, initial: Any = None) -> State:
    """A JSON value that hooks of this conversation share. Until it is set, it is `initial`."""
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
        """The current value."""
        try:
            with open(self.file, encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError, RecursionError):
            # An unreadable state counts as missing, so that a damaged file does not fail every later hook.
            return json.loads(json.dumps(self.initial))

    def update(self, change: Callable[[Any], Any]) -> Any:
        """Replaces the value by `change(value)` under a lock, and returns the new one."""
        os.makedirs(os.path.dirname(self.file), mode=0o700, exist_ok=True)
        lock = f"{self.file}.lock"
        while True:
            token = _lock(lock)
            temporary = _temporary_name(self.file)
            try:
                value = change(self.read())
                if value is None:
                    raise TypeError("update() got None; return the new value")
                _write(temporary, json.dumps(value, allow_nan=False) + "\n")
                # If the lock became stale meanwhile, another process may have written: start again.
                if _holder(lock) == token:
                    os.replace(temporary, self.file)
                    return value
            finally:
                _remove(temporary)
                if _holder(lock) == token:
                    _remove(lock)


def _lock(file: str) -> str:
    """Creates the lock file, which only one process can create. Returns its content."""
    deadline = time.monotonic() + LOCK_TIMEOUT
    while True:
        try:
            token = f"{os.getpid()}-{time.monotonic_ns()}"
            _write(file, token)
            return token
        except FileExistsError:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{file} was held for {LOCK_TIMEOUT:g} s by another process") from None
        if _is_stale(file):
            _remove_stale(file)
        # Spread the retries of several processes.
        time.sleep(0.002 + time.monotonic_ns() // 1000 % 10 / 1000)


def _is_stale(file: str) -> bool:
    try:
        return time.time() - os.stat(file).st_mtime > STALE_AFTER
    except OSError:
        return False


def _remove_stale(file: str) -> None:
    """Another process may have replaced the stale lock already; a new lock is put back."""
    away = _temporary_name(file)
    try:
        os.rename(file, away)
        if not _is_stale(away):
            os.link(away, file)
    except OSError:
        pass  # Another process was faster.
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


def _temporary_name(file: str) -> str:
    """A name that no other process uses."""
    return f"{file}.{os.getpid()}-{time.monotonic_ns()}"


def _remove(file: str) -> None:
    try:
        os.unlink(file)
    except OSError:
        pass
