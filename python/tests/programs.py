"""Starts real hook programs for the tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self) -> None:
        holder = tempfile.TemporaryDirectory(prefix="holdfast-python-")
        self.addCleanup(holder.cleanup)
        self.folder = os.path.realpath(holder.name)

    def at(self, *names: str) -> str:
        return os.path.join(self.folder, *names)

    def write(self, name: str, text: str) -> str:
        path = self.at(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def script(self, body: str) -> str:
        """A program with the library on its path."""
        return self.write("guard.py", f"import sys\nsys.path.insert(0, {ROOT!r})\n{body}\n")

    def start(self, body: str, payload: object, env: dict | None = None, limit: float = 20):
        """What a program with this body does with a payload: a dict, or text, or bytes."""
        if isinstance(payload, dict):
            payload = json.dumps(payload)
        data = payload.encode("utf-8") if isinstance(payload, str) else payload
        return subprocess.run(
            [sys.executable, "-I", "-S", "-B", self.script(body)],
            input=data,
            capture_output=True,
            timeout=limit,
            cwd=self.folder,
            env={**os.environ, **(env or {})},
            check=False,
        )
