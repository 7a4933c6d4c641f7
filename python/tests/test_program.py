"""Handlers, and what happens when they fail."""

from __future__ import annotations

import contextlib
import io
import os
import unittest
from unittest import mock

from holdfast_hooks import EVENTS, Hook, _program, allow, deny, hook
from tests.test_answers import payload


class Handlers(unittest.TestCase):
    def test_one_program_for_many_events(self) -> None:
        program = Hook()

        @program.on("beforeReadFile", "beforeTabFileRead")
        def no_secrets(facts: dict) -> object:
            return deny("Secret.") if facts["file_path"].endswith(".env") else None

        @program.on("beforeShellExecution")
        def shell(facts: dict) -> object:
            return allow()

        for event in ("beforeReadFile", "beforeTabFileRead"):
            self.assertEqual(
                program.answer_to(payload(event, file_path="/p/.env")).answer,
                {"permission": "deny", "user_message": "Secret."},
            )
        self.assertEqual(program.answer_to(payload("beforeShellExecution")).answer, {"permission": "allow"})
        self.assertIs(no_secrets, program.handlers["beforeReadFile"][0])

    def test_several_handlers_of_one_event(self) -> None:
        program = Hook()
        program.on("beforeShellExecution")(lambda _: allow())
        program.on("beforeShellExecution")(lambda _: deny("No."))
        got = program.answer_to(payload("beforeShellExecution"))
        self.assertEqual(got.answer, {"permission": "deny", "user_message": "No."})

    def test_all_events(self) -> None:
        program = Hook()
        names: list = []
        program.on(*EVENTS)(lambda facts: names.append(facts["hook_event_name"]))
        for event in EVENTS:
            self.assertEqual(program.answer_to(payload(event)).answer, {})
        self.assertEqual(tuple(names), EVENTS)

    def test_async(self) -> None:
        program = Hook()

        @program.on("beforeShellExecution")
        async def slow(facts: dict) -> object:
            return deny("Later.")

        self.assertEqual(program.answer_to(payload("beforeShellExecution")).answer["user_message"], "Later.")

    def test_a_dict_as_payload(self) -> None:
        program = Hook()
        program.on("stop")(lambda _: None)
        self.assertEqual(program.answer_to({"hook_event_name": "stop"}).answer, {})
        self.assertIsNotNone(program.answer_to({"hook_event_name": {1}}).problem)
        self.assertIsNotNone(program.answer_to(7).problem)  # type: ignore[arg-type]

    def test_the_ready_made_program(self) -> None:
        self.assertIsInstance(hook, Hook)
        self.assertEqual(hook.handlers, {})


class Failures(unittest.TestCase):
    def raising(self, error: BaseException, on_error: str = "deny") -> Hook:
        program = Hook(on_error=on_error)  # type: ignore[arg-type]

        @program.on("beforeShellExecution", "beforeSubmitPrompt", "stop")
        def guard(facts: dict) -> object:
            raise error

        return program

    def test_deny_where_the_event_can(self) -> None:
        errors = [KeyError("x"), SystemExit(1), KeyboardInterrupt(), RecursionError(), MemoryError(), GeneratorExit()]
        for error in errors:
            with self.subTest(error=error):
                program = self.raising(error)
                shell = program.answer_to(payload("beforeShellExecution"))
                self.assertEqual(shell.answer["permission"], "deny")
                self.assertRegex(shell.problem or "", rf"^guard\(\) raised {type(error).__name__}.*\(test_program.py:\d+\)\.$")
                self.assertEqual(program.answer_to(payload("beforeSubmitPrompt")).answer["continue"], False)
                self.assertEqual(program.answer_to(payload("stop")).answer, {})

    def test_exit_2_is_a_deny_whatever_the_policy(self) -> None:
        for policy in ("deny", "allow"):
            with self.subTest(policy=policy):
                program = self.raising(SystemExit(2), policy)
                shell = program.answer_to(payload("beforeShellExecution"))
                self.assertEqual((shell.answer, shell.problem, shell.exit_code), ({"permission": "deny"}, None, 2))
                self.assertEqual(program.answer_to(payload("beforeSubmitPrompt")).answer, {"continue": False})
                stop = program.answer_to(payload("stop"))
                self.assertEqual((stop.answer, stop.exit_code), ({}, 2))

    def test_allow_is_no_grant(self) -> None:
        got = self.raising(ValueError("x"), "allow").answer_to(payload("beforeShellExecution"))
        self.assertEqual(got.answer, {})
        self.assertRegex(got.problem or "", "ValueError: x")

    def test_a_policy_that_is_none(self) -> None:
        program = Hook(on_error="alow")  # type: ignore[arg-type]
        program.on("beforeShellExecution")(lambda _: None)
        got = program.answer_to(payload("beforeShellExecution"))
        self.assertEqual(got.answer["permission"], "deny")
        self.assertEqual(got.problem, "on_error is 'alow'; expected \"deny\" or \"allow\".")

    def test_an_error_that_cannot_be_said(self) -> None:
        class Mute(Exception):
            def __str__(self) -> str:
                raise ValueError("no words")

        got = self.raising(Mute()).answer_to(payload("beforeShellExecution"))
        self.assertRegex(got.problem or "", r"^guard\(\) raised Mute \(")

    def test_a_long_error_is_one_short_line(self) -> None:
        got = self.raising(ValueError("a\nb\r\n" * 1_000_000)).answer_to(payload("beforeShellExecution"))
        self.assertLess(len(got.problem or ""), 500)
        self.assertNotIn("\n", got.problem or "")

    def test_a_deny_holds_beside_a_handler_that_fails(self) -> None:
        program = self.raising(ValueError("x"), "allow")
        program.on("beforeShellExecution")(lambda _: deny("No."))
        got = program.answer_to(payload("beforeShellExecution"))
        self.assertEqual(got.answer, {"permission": "deny", "user_message": "No."})

    def test_a_misspelt_event_lets_nothing_through(self) -> None:
        program = Hook()
        program.on("beforeShelExecution")(lambda _: None)
        for text in (payload("beforeShellExecution"), "garbage"):
            self.assertEqual(program.answer_to(text).answer["permission"], "deny")
        said = program.answer_to(payload("beforeShellExecution")).problem
        self.assertEqual(said, "There is no event 'beforeShelExecution'; did you mean beforeShellExecution?")
        self.assertEqual(program.answer_to(payload("stop")).answer, {})
        program.on("beforeShellExecution")(lambda _: allow())
        self.assertEqual(program.answer_to(payload("beforeShellExecution")).answer, {"permission": "allow"})

    def test_any_failure_before_the_handlers_denies(self) -> None:
        program = Hook()
        program.on("beforeShellExecution")(lambda _: allow())
        for error in (KeyboardInterrupt(), SystemExit(0), MemoryError(), GeneratorExit(), ValueError("x")):
            with self.subTest(error=error), mock.patch.object(_program, "parsed", side_effect=error):
                got = program.answer_to(payload("beforeShellExecution"))
                self.assertEqual((got.answer["permission"], got.answer["continue"]), ("deny", False))
                self.assertIn(type(error).__name__, got.problem or "")

    def test_garbage_where_nothing_can_be_stopped(self) -> None:
        program = Hook()
        program.on("stop", "afterFileEdit")(lambda _: None)
        got = program.answer_to("garbage")
        self.assertEqual(got.answer, {})
        self.assertIsNotNone(got.problem)
        program.on("beforeReadFile")(lambda _: None)
        self.assertEqual(program.answer_to("garbage").answer["permission"], "deny")

    def test_an_answer_is_written_to_its_end(self) -> None:
        write = os.write
        for most in (1, 3, 100):
            reader, writer = os.pipe()
            with mock.patch.object(os, "write", side_effect=lambda out, data: write(out, data[:most])):
                self.assertTrue(_program._write(writer, b'{"permission": "deny"}'))
            with os.fdopen(reader, "rb") as pipe:
                # Ends only because the writer was closed.
                self.assertEqual(pipe.read(), b'{"permission": "deny"}')

    def test_on_without_a_name(self) -> None:
        program = Hook()
        program.on()(lambda _: None)
        self.assertEqual(program.answer_to(payload("beforeShellExecution")).problem, "on() names no event.")

    def test_traces_only_on_request(self) -> None:
        for asked in ("", "1"):
            heard = io.StringIO()
            with mock.patch.dict(os.environ, {"HOLDFAST_DEBUG": asked}), contextlib.redirect_stderr(heard):
                self.raising(KeyError("x")).answer_to(payload("beforeShellExecution"))
            self.assertEqual("Traceback" in heard.getvalue(), asked == "1")


if __name__ == "__main__":
    unittest.main()
