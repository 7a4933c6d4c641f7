"""Lines of an audit file stay intact with several writers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
from unittest import mock

from holdfast_hooks import _audit, append_audit
from tests.programs import ROOT, Case

WRITER = """
import sys
sys.path.insert(0, {root!r})
from holdfast_hooks import _audit, append_audit
for number in range(50):
    append_audit({file!r}, {{"writer": sys.argv[1], "number": number, "text": "x" * 5000}})
"""


class Audit(Case):
    def lines(self, path: str) -> list:
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_creates_file_and_folders(self) -> None:
        path = self.at("deep/er/audit.jsonl")
        append_audit(path, {"a": "line\nend", "b": "\ud800", "when": ValueError("x")})
        append_audit(path, [1])
        self.assertEqual(self.lines(path), [{"a": "line\nend", "b": "\ud800", "when": "x"}, [1]])
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(self.at("deep/er")).st_mode & 0o777, 0o700)

    def test_an_incomplete_write_is_an_error(self) -> None:
        path = self.at("audit.jsonl")
        write = os.write
        opened = []

        def half(out: int, data: bytes) -> int:
            opened.append(out)
            return write(out, data[:5])

        with mock.patch.object(os, "write", side_effect=half), self.assertRaisesRegex(OSError, "completely"):
            append_audit(path, {"a": 1})
        self.assertEqual(len(opened), 1)
        with self.assertRaises(OSError):
            os.fstat(opened[0])

    def test_home_and_bare_names(self) -> None:
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        append_audit("here.jsonl", 1)
        self.assertEqual(self.lines(self.at("here.jsonl")), [1])
        self.assertEqual(os.stat(self.at("here.jsonl")).st_mode & 0o777, 0o600)
        with mock.patch.dict(os.environ, {"HOME": self.at("home")}):
            append_audit("~/log/audit.jsonl", 2)
        self.assertEqual(self.lines(self.at("home/log/audit.jsonl")), [2])

    def test_a_line_that_was_cut_off(self) -> None:
        path = self.write("audit.jsonl", '{"a": 1}\n{"b": ')
        append_audit(path, {"c": 3})
        with open(path, encoding="utf-8") as file:
            self.assertEqual(file.read(), '{"a": 1}\n{"b": \n{"c":3}\n')

    def test_a_line_that_another_process_adds_meanwhile_stays(self) -> None:
        path = self.write("audit.jsonl", "1\n")
        look = _audit._ends_in_line

        def late(opened: int) -> bool:
            whole = look(opened)
            with open(path, "a", encoding="utf-8") as other:
                other.write("2\n")
            return whole

        with mock.patch.object(_audit, "_ends_in_line", late):
            append_audit(path, 3)
        self.assertEqual(self.lines(path), [1, 2, 3])

    def test_many_processes(self) -> None:
        path = self.at("audit.jsonl")
        code = WRITER.format(root=ROOT, file=path)
        writers = [subprocess.Popen([sys.executable, "-I", "-B", "-c", code, str(n)]) for n in range(6)]
        self.assertEqual([writer.wait(30) for writer in writers], [0] * 6)
        lines = self.lines(path)
        self.assertEqual(len(lines), 300)
        for writer in range(6):
            numbers = [line["number"] for line in lines if line["writer"] == str(writer)]
            self.assertEqual(numbers, list(range(50)))


if __name__ == "__main__":
    unittest.main()
