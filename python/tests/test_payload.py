"""Payloads of every version have one shape."""

from __future__ import annotations

import json
import unittest

from holdfast_hooks import EVENTS, Hook, mcp_input
from holdfast_hooks._payload import version_of
from tests.test_responses import payload


def seen(event: str, without: str = "", **values: object) -> dict:
    """The payload that a handler receives."""
    program = Hook()
    got: list = []
    program.on(event)(lambda values: got.append(values))
    sent = json.loads(payload(event, **values))
    sent.pop(without, None)
    reply = program.respond_to(sent)
    assert reply.problem is None, reply.problem
    return got[0]


def problem(event: str, **values: object) -> str:
    program = Hook()
    program.on(event)(lambda _: None)
    return program.respond_to(payload(event, **values)).problem or ""


class Names(unittest.TestCase):
    def test_spellings(self) -> None:
        self.assertEqual(seen("beforeSubmitPrompt", without="prompt", prompt_text="hi")["prompt"], "hi")
        for old in ("path", "filePath"):
            got = seen("beforeReadFile", without="file_path", **{old: "/a"})
            self.assertEqual(got["file_path"], "/a")
            self.assertNotIn(old, got)
        self.assertEqual(seen("beforeReadFile", file_path="/a", path="/b")["file_path"], "/a")
        self.assertEqual(seen("afterShellExecution", exitCode=3)["exit_code"], 3)
        self.assertEqual(seen("beforeMCPExecution", server_name="db")["mcp_server_name"], "db")
        stop = seen("subagentStop", result="done", duration=5)
        self.assertEqual((stop["summary"], stop["duration_ms"]), ("done", 5))

    def test_a_subagent_of_2_4(self) -> None:
        got = seen("subagentStart", cursor_version="2.4.9", prompt="find", model="fast")
        self.assertEqual((got["task"], got["subagent_model"], got["model"]), ("find", "fast", "fast"))
        both = seen("subagentStart", cursor_version="2.4.9", model="fast", subagent_model="own")
        self.assertEqual((both["subagent_model"], both["model"]), ("own", "fast"))
        today = seen("subagentStart", cursor_version="3.2", model="slow", subagent_model="fast")
        self.assertEqual((today["subagent_model"], today["model"]), ("fast", "slow"))

    def test_attachments(self) -> None:
        given = [{"type": "file", "filePath": "/a"}, {"type": "rule", "file_path": "/b"}, 7]
        got = seen("beforeSubmitPrompt", attachments=given)["attachments"]
        self.assertEqual(got, [{"type": "file", "file_path": "/a"}, {"type": "rule", "file_path": "/b"}, 7])
        both = [{"type": "file", "file_path": "/a", "filePath": "/b"}]
        self.assertEqual(seen("beforeSubmitPrompt", attachments=both)["attachments"], both)

    def test_seconds_of_2_3(self) -> None:
        for version, wanted in (("2.3.41", 250), ("2.3", 250), ("2.30.1", 0.25), ("3.0", 0.25), ("", 0.25)):
            got = seen("afterMCPExecution", cursor_version=version, duration=0.25)["duration"]
            self.assertEqual(got, wanted)

    def test_tool_input(self) -> None:
        for given in ({"sql": "select 'ä'"}, '{"sql":"select \'ä\'"}'):
            got = seen("beforeMCPExecution", tool_input=given)
            self.assertEqual(got["tool_input"], '{"sql":"select \'ä\'"}')
            self.assertEqual(mcp_input(got), {"sql": "select 'ä'"})
            tool = seen("preToolUse", tool_input=given)
            self.assertEqual(tool["tool_input"], {"sql": "select 'ä'"})
            self.assertEqual(mcp_input(tool), {"sql": "select 'ä'"})
        for given in (" ", None):
            self.assertEqual(seen("preToolUse", tool_input=given)["tool_input"], {})
        for given in ("ls", "[]", "NaN", 7):
            with self.assertRaisesRegex(AssertionError, '"tool_input" is .*, not an object'):
                seen("preToolUse", tool_input=given)
        self.assertEqual(mcp_input({"tool_input": " "}), {})
        with self.assertRaisesRegex(ValueError, "is an array; expected an object"):
            mcp_input({"tool_input": "[1]"})

    def test_further_fields_pass(self) -> None:
        self.assertEqual(seen("stop", from_the_future=[1])["from_the_future"], [1])


class Defaults(unittest.TestCase):
    def test_common_fields_of_old_versions(self) -> None:
        got = seen("beforeShellExecution", cursor_version=None, conversation_id="c1", workspace_roots=["/p"])
        self.assertEqual(
            got,
            {
                "hook_event_name": "beforeShellExecution",
                "conversation_id": "c1",
                "session_id": "c1",
                "generation_id": "",
                "model": "",
                "cursor_version": "",
                "user_email": None,
                "transcript_path": None,
                "workspace_roots": ["/p"],
                "command": "ls",
                "cwd": "",
                "sandbox": False,
            },
        )

    def test_no_conversation_fields_without_a_conversation(self) -> None:
        self.assertNotIn("conversation_id", seen("workspaceOpen"))

    def test_null_counts_as_missing(self) -> None:
        got = seen("subagentStart", git_branch=None, task=None)
        self.assertNotIn("git_branch", got)
        self.assertEqual(got["task"], "")
        self.assertIsNone(seen("subagentStop", agent_transcript_path=None)["agent_transcript_path"])

    def test_defaults_are_not_shared(self) -> None:
        seen("beforeReadFile")["attachments"].append("x")
        seen("beforeReadFile")["workspace_roots"].append("x")
        self.assertEqual(seen("beforeReadFile")["attachments"], [])
        self.assertEqual(seen("beforeReadFile")["workspace_roots"], [])

    def test_required_fields(self) -> None:
        whole = "The payload of beforeShellExecution is incomplete: "
        for given, said in (
            (None, '"command" is missing.'),
            (7, '"command" is a number, not a string.'),
            (True, '"command" is a boolean, not a string.'),
            ([], '"command" is an array, not a string.'),
        ):
            self.assertEqual(problem("beforeShellExecution", command=given), whole + said)

    def test_values_of_the_wrong_type_count_as_missing(self) -> None:
        got = seen(
            "beforeShellExecution",
            cwd=7,
            sandbox="yes",
            workspace_roots="/p",
            cursor_version={},
            user_email=[],
            model=None,
            model_id=5,
        )
        self.assertEqual((got["cwd"], got["sandbox"], got["workspace_roots"]), ("", False, []))
        self.assertEqual((got["cursor_version"], got["user_email"], got["model"]), ("", None, ""))
        self.assertNotIn("model_id", got)

    def test_numbers_in_texts(self) -> None:
        for given, wanted in (("250", 250), (" 2.5 ", 2.5), ("1e3", 1000), ("x", 0), ("nan", 0), ("inf", 0), ("1_0", 0), ("", 0), (True, 0)):
            self.assertEqual(seen("afterShellExecution", duration=given)["duration"], wanted)
        self.assertNotIn("exit_code", seen("afterShellExecution", exit_code="one"))

    def test_versions(self) -> None:
        for version, wanted in (
            ("2.4.21", "2.4"),
            ("2.3", "2.3"),
            ("2", "2.0"),
            ("3.19.13", "3"),
            ("2026.10.01-abc", "3"),
            ("dev", None),
            ("", None),
            (None, None),
            (7, None),
        ):
            self.assertEqual(version_of({"cursor_version": version}), wanted)


class Garbage(unittest.TestCase):
    """An invalid payload: the policy, and one sentence."""

    BAD = {
        "": "empty",
        " \n": "empty",
        "\ufeff": "empty",
        "hello": "not JSON: Expecting value (line 1, column 1)",
        '{"a": 1,\n "b" 2}': "line 2, column 6",
        "[]": "is an array",
        "null": "is null",
        "7": "is a number",
        '"x"': "is a string",
        "{}": 'does not name its event in "hook_event_name"',
        '{"hook_event_name": 7}': "does not name its event",
        '{"hook_event_name": "beforeShelExecution"}': "did you mean beforeShellExecution?",
        '{"hook_event_name": "x"}': "There is no event 'x'.",
        '{"hook_event_name": "stop", "a": NaN}': "NaN is not a JSON value",
        '{"hook_event_name": "stop", "a": -Infinity}': "-Infinity is not a JSON value",
        "[" * 200_000: "nested too deeply",
        '{"hook_event_name": "stop"} {}': "Extra data",
    }

    def test_with_a_gate(self) -> None:
        program = Hook()
        program.on("beforeShellExecution", "stop")(lambda _: None)
        for text, said in self.BAD.items():
            with self.subTest(text=text[:40]):
                reply = program.respond_to(text)
                self.assertIn(said, reply.problem or "")
                self.assertNotIn("\n", reply.problem or "")
                self.assertEqual((reply.response["permission"], reply.response["continue"]), ("deny", False))
                self.assertEqual(reply.response["user_message"], reply.response["userMessage"])
                self.assertIn(said, reply.response["user_message"])

    def test_without_a_gate_or_with_allow(self) -> None:
        observer, lenient = Hook(), Hook(on_error="allow")
        observer.on("stop", "afterFileEdit")(lambda _: None)
        lenient.on("beforeShellExecution")(lambda _: None)
        for text in self.BAD:
            for program in (observer, lenient):
                reply = program.respond_to(text)
                self.assertEqual(reply.text, "{}")
                self.assertTrue(reply.problem)

    def test_bytes(self) -> None:
        program = Hook()
        program.on("beforeShellExecution")(lambda _: None)
        good = payload("beforeShellExecution").encode()
        self.assertIsNone(program.respond_to(b"\xef\xbb\xbf" + good).problem)
        self.assertEqual(program.respond_to(good[:20] + b"\xff").problem, "The payload is not UTF-8, from byte 21 on.")
        self.assertIn("not UTF-8", program.respond_to(b"\xff\xfe{\x00}\x00").problem or "")

    def test_an_event_without_a_handler(self) -> None:
        program = Hook()
        program.on("beforeShellExecution", "stop")(lambda _: None)
        reply = program.respond_to(payload("beforeReadFile"))
        self.assertEqual(reply.response, {})
        self.assertEqual(
            reply.problem,
            "beforeReadFile has no handler here; this program handles beforeShellExecution, stop.",
        )

    def test_any_value_in_any_field(self) -> None:
        """No value makes a program raise or print what is not JSON."""
        values = [None, True, 0, -1, 1e308, 10**30, "", "x", "\ud800", [], [[]], {}, {"a": None}]
        for event in EVENTS:
            program = Hook()
            program.on(event)(lambda values: None)
            base = json.loads(payload(event))
            fields = [*base, "tool_input", "attachments", "duration", "edits", "workspace_roots", "model"]
            for field in fields:
                for value in values:
                    reply = program.respond_to({**base, field: value})
                    self.assertIsInstance(json.loads(reply.text), dict)
                    self.assertEqual(json.loads(reply.text), reply.response)


if __name__ == "__main__":
    unittest.main()
