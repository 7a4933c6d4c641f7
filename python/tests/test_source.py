"""The source of the library: old syntax, complete annotations, the standard library only."""

from __future__ import annotations

import ast
import os
import sys
import typing
import unittest

import holdfast_hooks
from holdfast_hooks import _rows, payloads
from holdfast_hooks._payload import row_of
from tests.programs import ROOT

FOLDER = os.path.join(ROOT, "holdfast_hooks")
FILES = sorted(name for name in os.listdir(FOLDER) if name.endswith(".py"))


def tree_of(name: str) -> ast.Module:
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return ast.parse(file.read(), name, feature_version=(3, 9))


class Source(unittest.TestCase):
    def test_every_function_is_annotated(self) -> None:
        bare = []
        for name in FILES:
            for node in ast.walk(tree_of(name)):
                if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    continue
                arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                arguments += [each for each in (node.args.vararg, node.args.kwarg) if each]
                named = [each for each in arguments if each.arg not in ("self", "cls")]
                if node.returns is None or any(each.annotation is None for each in named):
                    bare.append(f"{name}:{node.lineno} {node.name}")
        self.assertEqual(bare, [])
        self.assertTrue(os.path.exists(os.path.join(FOLDER, "py.typed")))

    def test_annotations_are_never_evaluated(self) -> None:
        for name in FILES:
            names = [node.module for node in tree_of(name).body if isinstance(node, ast.ImportFrom)]
            self.assertIn("__future__", names, name)

    def test_imports_only_the_standard_library(self) -> None:
        known = getattr(sys, "stdlib_module_names", None)
        if known is None:
            self.skipTest("this Python does not list its standard library")
        for name in FILES:
            for node in ast.walk(tree_of(name)):
                wanted = []
                if isinstance(node, ast.Import):
                    wanted = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and node.level == 0:
                    wanted = [node.module or ""]
                for each in wanted:
                    self.assertIn(each.split(".")[0], known, f"{name}:{node.lineno}")

    def test_the_types_match_the_payloads(self) -> None:
        plain = {str: "string", float: "number", bool: "boolean", dict: "object", list: "array"}
        for event in holdfast_hooks.EVENTS:
            row = row_of(event)
            kind = getattr(payloads, event[0].upper() + event[1:])
            found = {}
            for name, hint in typing.get_type_hints(kind).items():
                null = type(None) in typing.get_args(hint)
                hint = typing.get_args(hint)[0] if null else hint
                found[name] = plain[typing.get_origin(hint) or hint] + (" or null" if null else "")
            common = {**_rows.ALWAYS, **(_rows.CONVERSATION if row["conversation"] else {})}
            wanted = {name: each.replace("optional ", "") for name, each in common.items()}
            self.assertEqual(found, {**wanted, **row.get("kinds", {})}, event)
            there = {name for name, each in common.items() if not each.startswith("optional ")}
            there |= {*row.get("defaults", {}), *row.get("required", [])}
            self.assertEqual(kind.__required_keys__, there, event)

    def test_every_public_name_exists(self) -> None:
        for name in holdfast_hooks.__all__:
            self.assertIsNotNone(getattr(holdfast_hooks, name), name)
        with self.assertRaises(AttributeError):
            holdfast_hooks.nothing  # noqa: B018


if __name__ == "__main__":
    unittest.main()
