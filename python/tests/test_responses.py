"""The fields of each response on each event."""

from __future__ import annotations

import json
import unittest

from holdfast_hooks import (
    EVENTS,
    Hook,
    allow,
    ask,
    context,
    deny,
    env,
    followup,
    notice,
    plugins,
    reword,
    rewrite,
)
from holdfast_hooks import _rows

NEEDED = {
    "command": "ls",
    "tool_name": "Shell",
    "subagent_type": "explore",
    "file_path": "/project/a",
    "prompt": "hello",
    "text": "hello",
}


def payload(event: str, **values: object) -> str:
    required = json.loads(_rows.EVENTS[event]).get("required", [])
    fields = {name: NEEDED[name] for name in required}
    return json.dumps({"hook_event_name": event, "cursor_version": "3.1", **fields, **values})


def reply(event: str, returned: object, on_error: str = "deny", **values: object):
    program = Hook(on_error=on_error)  # type: ignore[arg-type]
    program.on(event)(lambda _: returned)
    return program.respond_to(payload(event, **values))


class Responses(unittest.TestCase):
    def test_one_response_on_one_event(self) -> None:
        cases = [
            ("beforeShellExecution", allow(), {"permission": "allow"}),
            ("beforeShellExecution", deny(), {"permission": "deny"}),
            ("beforeShellExecution", ask("Sure?"), {"permission": "ask", "user_message": "Sure?"}),
            (
                "preToolUse",
                deny("No.", agent="Do not."),
                {"permission": "deny", "user_message": "No.", "agent_message": "Do not."},
            ),
            ("preToolUse", rewrite({"command": "ls"}), {"updated_input": {"command": "ls"}}),
            ("postToolUse", rewrite({"a": 1}), {"updated_mcp_tool_output": {"a": 1}}),
            ("postToolUse", context("More."), {"additional_context": "More."}),
            ("beforeSubmitPrompt", allow(), {"continue": True}),
            ("beforeSubmitPrompt", deny("No."), {"continue": False, "user_message": "No."}),
            # This event has no model to tell.
            ("beforeSubmitPrompt", deny("No.", agent="x"), {"continue": False, "user_message": "No."}),
            ("sessionStart", env({"A": "b"}), {"env": {"A": "b"}}),
            ("sessionStart", context("Hello."), {"additional_context": "Hello."}),
            ("stop", followup("Go on."), {"followup_message": "Go on."}),
            ("subagentStop", followup("Go on."), {"followup_message": "Go on."}),
            ("preCompact", notice("Soon."), {"user_message": "Soon."}),
            ("workspaceOpen", plugins(["/a", "/b"]), {"pluginPaths": ["/a", "/b"]}),
            ("afterFileEdit", None, {}),
            ("beforeShellExecution", [], {}),
        ]
        for event, answer, wanted in cases:
            with self.subTest(event=event, answer=answer):
                got = reply(event, answer)
                self.assertEqual(got.response, wanted)
                self.assertIsNone(got.problem)
                self.assertEqual(json.loads(got.text), wanted)

    def test_nothing_returned_abstains(self) -> None:
        for event in EVENTS:
            with self.subTest(event=event):
                got = reply(event, None)
                self.assertEqual((got.response, got.text, got.problem), ({}, "{}", None))

    def test_several_responses_are_merged(self) -> None:
        both = reply("sessionStart", [context("One."), env({"A": "1"}), context("Two."), env({"B": "2"})])
        self.assertEqual(both.response, {"additional_context": "One.\n\nTwo.", "env": {"A": "1", "B": "2"}})
        folders = reply("workspaceOpen", [plugins(["/a"]), plugins(["/b"])])
        self.assertEqual(folders.response, {"pluginPaths": ["/a", "/b"]})
        stopped = {"continue": False, "user_message": "No."}
        for answers in ([allow(), deny("No.")], [deny("No."), allow()]):
            self.assertEqual(reply("beforeSubmitPrompt", answers).response, stopped)

    def test_the_strictest_decides_with_its_own_messages(self) -> None:
        got = reply("beforeShellExecution", (allow(), deny("A"), ask("B"), deny("C", agent="D")))
        self.assertEqual(got.response, {"permission": "deny", "user_message": "A\n\nC", "agent_message": "D"})
        for answers in ([allow(), ask("B")], [ask("B"), allow()]):
            self.assertEqual(
                reply("beforeShellExecution", answers).response, {"permission": "ask", "user_message": "B"}
            )

    def test_a_response_that_the_event_does_not_accept(self) -> None:
        got = reply("beforeShellExecution", followup("x"))
        said = "followup() is not a response to beforeShellExecution; it accepts allow, ask, deny."
        self.assertEqual(got.problem, said)
        self.assertEqual(got.response["permission"], "deny")
        self.assertIn(said, got.response["user_message"])
        lenient = reply("beforeShellExecution", followup("x"), on_error="allow")
        self.assertEqual(lenient.response["permission"], "deny")

    def test_every_response_on_every_event(self) -> None:
        made = [allow(), ask(), deny(), followup("x"), context("x"), rewrite({}), reword("x"), env({}), notice("x"), plugins([])]
        taken = {}
        for event in EVENTS:
            taken[event] = {response.kind for response in made if reply(event, response).problem is None}
        self.assertEqual(taken["beforeReadFile"], {"allow", "deny"})
        self.assertEqual(taken["preToolUse"], {"allow", "ask", "deny", "rewrite"})
        self.assertEqual(taken["subagentStart"], {"allow", "deny"})
        self.assertEqual(taken["sessionStart"], {"allow", "deny", "context", "env"})
        self.assertEqual(taken["stop"], {"followup"})
        self.assertEqual(taken["beforeSubmitPrompt"], {"allow", "deny", "context", "reword"})
        self.assertEqual(
            reply("beforeSubmitPrompt", [reword("a"), reword("b")]).response, {"updated_prompt": "b"}
        )
        self.assertEqual(taken["preCompact"], {"notice"})
        self.assertEqual(taken["workspaceOpen"], {"plugins"})
        self.assertEqual(taken["afterFileEdit"], set())
        self.assertEqual(
            reply("afterFileEdit", deny()).problem, "deny() is not a response to afterFileEdit; it accepts none."
        )

    def test_a_deny_with_an_invalid_response(self) -> None:
        for mistake in (followup("x"), 7):
            got = reply("beforeShellExecution", [deny("No."), mistake], on_error="allow")
            self.assertEqual(got.response, {"permission": "deny", "user_message": "No."})
            self.assertIsNotNone(got.problem)

    def test_other_return_values(self) -> None:
        got = reply("beforeShellExecution", {"permission": "allow"})
        self.assertEqual(got.response["permission"], "deny")
        self.assertRegex(got.problem or "", r"returned dict; expected a response such as deny\(\)")
        for value in ({"permission": "deny"}, "deny", True, (x for x in [deny()]), [[deny()]], deny):
            got = reply("beforeShellExecution", value, on_error="allow")
            self.assertEqual(got.response["permission"], "deny")

    def test_a_message_that_cannot_be_converted(self) -> None:
        class Mute:
            def __str__(self) -> str:
                raise ValueError("no")

        got = reply("beforeShellExecution", deny(Mute()), on_error="allow")  # type: ignore[arg-type]
        self.assertEqual(got.response["permission"], "deny")

    def test_many_mistakes_are_one_short_line(self) -> None:
        got = reply("beforeShellExecution", [7] * 100_000)
        self.assertEqual(got.response["permission"], "deny")
        self.assertLess(len(got.text), 2000)

    def test_values_that_are_not_json(self) -> None:
        for value in ({1}, float("nan"), object()):
            got = reply("preToolUse", [allow(), rewrite({"a": value})])
            self.assertEqual(got.response["permission"], "deny")
            self.assertRegex(got.problem or "", "The response cannot be written: ")
            # Without its rewrite, the original input must not run.
            lenient = reply("preToolUse", [allow(), rewrite({"a": value})], on_error="allow")
            self.assertEqual(lenient.response["permission"], "deny")
            for response in (deny("No."), ask("Sure?")):
                strict = reply("preToolUse", [response, rewrite({"a": value})], on_error="allow")
                self.assertEqual(strict.response["permission"], "deny")

    def test_a_response_over_the_limit(self) -> None:
        for answer in (deny("x" * 2_000_000), allow()):
            got = reply("preToolUse", [answer, rewrite({"a": "x" * 1_000_000})])
            self.assertEqual(got.response["permission"], "deny")
            self.assertLess(len(got.text), 1000)
            self.assertIn("and hosts read 1,048,576", got.problem or "")

    def test_wrong_arguments(self) -> None:
        with self.assertRaisesRegex(TypeError, "PORT is a value of the type int"):
            env({"PORT": 1})  # type: ignore[dict-item]
        with self.assertRaises(TypeError):
            plugins("/a")
        self.assertEqual(deny(ValueError("x")).value, "x")  # type: ignore[arg-type]

    def test_shown_and_compared(self) -> None:
        self.assertEqual(repr(deny("a", agent="b")), "deny('a', agent='b')")
        self.assertEqual(repr(allow()), "allow()")
        self.assertEqual(deny("a"), deny("a"))
        self.assertNotEqual(deny("a"), ask("a"))
        self.assertNotEqual(deny("a"), "a")


class OldVersions(unittest.TestCase):
    def test_camel_case_without_a_version(self) -> None:
        got = reply("beforeShellExecution", deny("a", agent="b"), cursor_version="")
        self.assertEqual(
            got.response,
            {
                "permission": "deny",
                "user_message": "a",
                "agent_message": "b",
                "userMessage": "a",
                "agentMessage": "b",
            },
        )

    def test_decision_and_reason_in_2_4(self) -> None:
        for event in ("preToolUse", "subagentStart"):
            got = reply(event, deny("a", agent="b"), cursor_version="2.4.21").response
            self.assertEqual((got["decision"], got["reason"]), ("deny", "b"))
            self.assertEqual(reply(event, deny("a"), cursor_version="2.4").response["reason"], "a")
            self.assertNotIn("reason", reply(event, allow(), cursor_version="2.4.1").response)
        self.assertNotIn("decision", reply("beforeShellExecution", deny(), cursor_version="2.4.1").response)
        self.assertNotIn("decision", reply("preToolUse", deny(), cursor_version="2.40").response)
        self.assertNotIn("decision", reply("preToolUse", None, cursor_version="2.4").response)


if __name__ == "__main__":
    unittest.main()
