"""Paths in the workspace."""

from __future__ import annotations

import os
import pathlib
import unittest
from unittest import mock

from holdfast_hooks import is_inside_workspace, workspace_path
from tests.programs import Case


class Paths(Case):
    def setUp(self) -> None:
        super().setUp()
        for name in ("project/src", "project/packages/a", "other", "project-b"):
            os.makedirs(self.at(name))
        self.payload = {"workspace_roots": [self.at("project"), self.at("project/packages/a")], "cwd": ""}

    def test_inside(self) -> None:
        os.symlink(self.at("other"), self.at("project/out"))
        os.symlink(self.at("project/src"), self.at("other/in"))
        cases = {
            self.at("project"): True,
            self.at("project/src/new/file.py"): True,
            "src/a.py": True,
            ".": True,
            "": True,
            self.at("other"): False,
            self.at("project-b/x"): False,
            "../other/x": False,
            "src/../../other": False,
            self.at("project/out/x"): False,
            self.at("other/in/x"): True,
            # Through the link first, then up: not where the text seems to lead.
            self.at("project/out/../project-b"): False,
            "~/x": False,
            "~": False,
            "a\0b": False,
            "/": False,
        }
        for path, wanted in cases.items():
            with self.subTest(path=path):
                self.assertIs(is_inside_workspace(self.payload, path), wanted)
        self.assertTrue(is_inside_workspace(self.payload, pathlib.Path(self.at("project/src"))))

    def test_a_loop_of_links_is_outside(self) -> None:
        os.symlink(self.at("project/b"), self.at("project/a"))
        os.symlink(self.at("project/a"), self.at("project/b"))
        self.assertIsInstance(is_inside_workspace(self.payload, "a/x"), bool)

    def test_a_path_with_nul(self) -> None:
        for payload in ({"workspace_roots": ["/a\0"]}, {**self.payload, "cwd": "a\0b"}):
            self.assertIs(is_inside_workspace(payload, "x"), False)
        # Not every Python refuses to follow such a path.
        with mock.patch.object(os.path, "realpath", side_effect=os.path.abspath):
            self.assertIs(is_inside_workspace(self.payload, "src/a\0b"), False)
            self.assertIs(is_inside_workspace(self.payload, "src/ab"), True)

    def test_without_roots(self) -> None:
        self.assertFalse(is_inside_workspace({}, "/a"))
        self.assertFalse(is_inside_workspace({"workspace_roots": []}, "a"))
        self.assertTrue(is_inside_workspace({"workspace_roots": ["/"]}, "/a"))

    def test_a_root_that_is_a_link(self) -> None:
        os.symlink(self.at("project"), self.at("link"))
        payload = {"workspace_roots": [self.at("link")]}
        self.assertTrue(is_inside_workspace(payload, self.at("project/src")))
        self.assertEqual(workspace_path(payload, self.at("project/src/a.py")), "src/a.py")
        self.assertEqual(workspace_path(payload, self.at("link/src/a.py")), "src/a.py")

    def test_relative_to_its_root(self) -> None:
        os.symlink(self.at("other"), self.at("project/out"))
        cases = {
            self.at("project/src/a.py"): "src/a.py",
            self.at("project/packages/a/b.py"): "b.py",
            self.at("project/src/../x"): "x",
            "src/a.py": "src/a.py",
            self.at("project"): ".",
            self.at("other/x"): self.at("other/x"),
            "out/x": self.at("other/x"),
        }
        for path, wanted in cases.items():
            self.assertEqual(workspace_path(self.payload, path), wanted)

    def test_relative_to_cwd(self) -> None:
        for cwd in (self.at("project/src"), "src"):
            self.assertEqual(workspace_path({**self.payload, "cwd": cwd}, "a.py"), "src/a.py")
        self.assertFalse(is_inside_workspace({**self.payload, "cwd": self.at("other")}, "a.py"))


if __name__ == "__main__":
    unittest.main()
