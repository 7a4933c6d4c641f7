"""Payloads of every version become one shape."""

from __future__ import annotations

import json
import unittest

from holdfast_hooks import EVENTS, Hook, mcp_input
from tests.test_answers import payload


def seen(event: str, **facts: object) -> dict:
    """What a handler gets."""
    program = Hook()
    got: list = []
    program.on(event)(lambda facts: got.append(facts))
    reply = program.answer_to(payload(event, **facts))
    assert reply.problem is None, reply.problem
    return got[0]


def problem(event: str, **facts: object) -> str:
    program = Hook()
    program.on(event)(lambda _: None)
    return program.answer_to(payload(event, **facts)).problem or ""


class Words(unittest.TestCase):
    def test_spellings(self) -> None:
        self.assertEqual(seen("beforeSubmitPrompt", prompt=None, prompt_text="hi")["prompt"], "hi")
        for old in ("path", "filePath"):
            got = seen("beforeReadFile", file_path=None, **{old: "/a"})
            self.assertEqual(got["file_path"], "/a")
            self.assertNotIn(old, got)
        self.assertEqual(seen("beforeReadFile", file_path="/a", path="/b")["file_path"], "/a")
        self.assertEqual(seen("afterShellExecution", exitCode=3)["exit_code"], 3)
        self.assertEqual(seen("beforeMCPExecution", server_name="db")["mcp_server_name"], "db")
        stop = seen("subagentStop", result="done", duration=5)
        self.assertEqual((stop["summary"], stop["duration_ms"]), ("done", 5))

    def test_a_subagent_of_2_4(self) -> None:
        got = seen("subagentStart", cursor_version="2.4.9", prompt="find", model="fast")
        self.assertEqual((got["task"], got["subagent_model"], got["model"]), ("find", "fast", ""))
        today = seen("subagentStart", cursor_version="3.2", model="slow", subagent_model="fast")
        self.assertEqual((today["subagent_model"], today["model"]), ("fast", "slow"))

    def test_attachments(self) -> None:
        given = [{"type": "file", "filePath": "/a"}, {"type": "rule", "file_path": "/b"}, 7]
        got = seen("beforeSubmitPrompt", attachments=given)["attachments"]
        self.assertEqual(got, [{"type": "file", "file_path": "/a"}, {"type": "rule", "file_path": "/b"}, 7])

    def test_seconds_of_2_3(self) -> None:
        for version, wanted in (("2.3.41", 250), ("2.3", 250), ("2.30.1", 0.25), ("3.0", 0.25), ("", 0.25)):
            got = seen("afterMCPExecution", cursor_version=version, duration=0.25)["duration"]
            self.assertEqual(got, wanted)
        exact = seen("afterMCPExecution", cursor_version="2.3.41", duration=1.001)["duration"]
        self.assertEqual(repr(exact), "1001")

    def test_tool_input(self) -> None:
        for given in ({"sql": "select 'ä'"}, '{"sql":"select \'ä\'"}'):
            got = seen("beforeMCPExecution", tool_input=given)
            self.assertEqual(got["tool_input"], '{"sql":"select \'ä\'"}')
            self.assertEqual(mcp_input(got), {"sql": "select 'ä'"})
            tool = seen("preToolUse", tool_input=given)
            self.assertEqual(tool["tool_input"], {"sql": "select 'ä'"})
            self.assertEqual(mcp_input(tool), {"sql": "select 'ä'"})
        self.assertIn('"tool_input" is a string; expected an object', problem("preToolUse", tool_input="ls"))
        self.assertIn('"tool_input" is an array', problem("preToolUse", tool_input="[]"))
        self.assertEqual(mcp_input({"tool_input": " "}), {})
        with self.assertRaisesRegex(ValueError, "is an array; expected an object"):
            mcp_input({"tool_input": "[1]"})

    def test_further_fields_pass(self) -> None:
        self.assertEqual(seen("stop", from_the_future=[1])["from_the_future"], [1])


class Filled(unittest.TestCase):
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

    def test_no_conversation_where_there_is_none(self) -> None:
        self.assertNotIn("conversation_id", seen("workspaceOpen"))

    def test_null_is_nothing(self) -> None:
        got = seen("subagentStart", git_branch=None, task=None)
        self.assertNotIn("git_branch", got)
        self.assertEqual(got["task"], "")
        self.assertIsNone(seen("subagentStop", agent_transcript_path=None)["agent_transcript_path"])

    def test_defaults_are_not_shared(self) -> None:
        seen("beforeReadFile")["attachments"].append("x")
        seen("beforeReadFile")["workspace_roots"].append("x")
        self.assertEqual(seen("beforeReadFile")["attachments"], [])
        self.assertEqual(seen("beforeReadFile")["workspace_roots"], [])

    def test_missing_and_wrong(self) -> None:
        self.assertEqual(
            problem("beforeShellExecution", command=None), 'beforeShellExecution: "command" is missing.'
        )
        wrong = {
            '"command" is a number; expected a string.': {"command": 7},
            '"command" is true or false; expected a string.': {"command": True},
            '"sandbox" is a string; expected true or false.': {"sandbox": "no"},
            '"workspace_roots" is a string; expected an array.': {"workspace_roots": "/p"},
            '"cursor_version" is an object; expected a string.': {"cursor_version": {}},
        }
        for said, facts in wrong.items():
            self.assertEqual(problem("beforeShellExecution", **facts), f"beforeShellExecution: {said}")
        self.assertIn('"duration" is true or false', problem("afterShellExecution", duration=True))


class Garbage(unittest.TestCase):
    """Whatever is on stdin: the policy, and one sentence."""

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
        '{"hook_event_name": "stop", "a": NaN}': "NaN is no JSON value",
        '{"hook_event_name": "stop", "a": -Infinity}': "-Infinity is no JSON value",
        "[" * 200_000: "nested too deeply",
        '{"hook_event_name": "stop"} {}': "Extra data",
    }

    def test_with_a_gate(self) -> None:
        program = Hook()
        program.on("beforeShellExecution", "stop")(lambda _: None)
        for text, said in self.BAD.items():
            with self.subTest(text=text[:40]):
                reply = program.answer_to(text)
                self.assertIn(said, reply.problem or "")
                self.assertNotIn("\n", reply.problem or "")
                self.assertEqual((reply.answer["permission"], reply.answer["continue"]), ("deny", False))
                self.assertEqual(reply.answer["user_message"], reply.answer["userMessage"])
                self.assertIn(said, reply.answer["user_message"])

    def test_without_a_gate_or_with_allow(self) -> None:
        observer, lenient = Hook(), Hook(on_error="allow")
        observer.on("stop", "afterFileEdit")(lambda _: None)
        lenient.on("beforeShellExecution")(lambda _: None)
        for text in self.BAD:
            for program in (observer, lenient):
                reply = program.answer_to(text)
                self.assertEqual(reply.text, "{}")
                self.assertTrue(reply.problem)

    def test_bytes(self) -> None:
        program = Hook()
        program.on("beforeShellExecution")(lambda _: None)
        good = payload("beforeShellExecution").encode()
        self.assertIsNone(program.answer_to(b"\xef\xbb\xbf" + good).problem)
        self.assertEqual(program.answer_to(good[:20] + b"\xff").problem, "The payload is not UTF-8, from byte 21 on.")
        self.assertIn("not UTF-8", program.answer_to(b"\xff\xfe{\x00}\x00").problem or "")

    def test_an_event_that_is_not_handled(self) -> None:
        program = Hook()
        program.on("beforeShellExecution", "stop")(lambda _: None)
        reply = program.answer_to(payload("beforeReadFile"))
        self.assertEqual(reply.answer, {})
        self.assertEqual(
            reply.problem,
            "beforeReadFile has no handler here; this program handles beforeShellExecution, stop.",
        )

    def test_any_value_in_any_field(self) -> None:
        """No value makes a program raise or print what is not JSON."""
        values = [None, True, 0, -1, 1e308, 10**30, "", "x", "\ud800", [], [[]], {}, {"a": None}]
        for event in EVENTS:
            program = Hook()
            program.on(event)(lambda facts: None)
            base = json.loads(payload(event))
            fields = [*base, "tool_input", "attachments", "duration", "edits", "workspace_roots", "model"]
            for field in fields:
                for value in values:
                    reply = program.answer_to({**base, field: value})
                    self.assertIsInstance(json.loads(reply.text), dict)
                    self.assertEqual(json.loads(reply.text), reply.answer)


if __name__ == "__main__":
    unittest.main()
