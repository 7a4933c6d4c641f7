"""The same cases as packages/hooks/src/sdk/tool-input.test.ts."""

from __future__ import annotations

import unittest

from holdfast_hooks import command_of, file_path_of, url_of


def call(tool_name: str, tool_input: object) -> dict:
    return {"tool_name": tool_name, "tool_input": tool_input}


class ToolInput(unittest.TestCase):
    def test_file_path_of(self) -> None:
        for payload, expected in [
            ({"file_path": "a"}, "a"),
            (call("Write", {"file_path": "a", "path": "b"}), "a"),
            (call("Read", {"target_file": "a"}), "a"),
            (call("Write", {"notebook_path": "a"}), "a"),
            (call("Grep", {"pattern": "x", "path": "src"}), "src"),
            (call("Read", {"file_path": "", "path": "b"}), None),
            (call("Read", {"file_path": 7, "path": "b"}), None),
            (call("Read", {"file_path": None, "path": "b"}), "b"),
            (call("Write", {"command": "*** Begin Patch"}), None),
            ({"tool_name": "Read"}, None),
            (call("Read", ["a"]), None),
            (call("Read", {"file_path": 7}), None),
        ]:
            with self.subTest(payload=payload):
                self.assertEqual(file_path_of(payload), expected)

    def test_command_of(self) -> None:
        for payload, expected in [
            ({"command": "ls"}, "ls"),
            (call("Shell", {"command": "ls"}), "ls"),
            (call("Write", {"command": "*** Begin Patch"}), None),
            ({**call("find", "{}"), "command": "npx x"}, None),
            ({}, None),
        ]:
            with self.subTest(payload=payload):
                self.assertEqual(command_of(payload), expected)

    def test_url_of(self) -> None:
        self.assertEqual(url_of(call("WebFetch", {"url": "https://example.com"})), "https://example.com")
        self.assertIsNone(url_of({**call("find", "{}"), "url": "https://x"}))


if __name__ == "__main__":
    unittest.main()
