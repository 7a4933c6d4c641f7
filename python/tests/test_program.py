"""Handlers and their failures."""

from __future__ import annotations

import contextlib
import io
import os
import unittest
from unittest import mock

from holdfast_hooks import EVENTS, Hook, _program, allow, deny, hook
from tests.test_responses import payload


class Handlers(unittest.TestCase):
    def test_one_program_for_many_events(self) -> None:
        program = Hook()

        @program.on("beforeReadFile", "beforeTabFileRead")
        def no_secrets(values: dict) -> object:
            return deny("Secret.") if values["file_path"].endswith(".env") else None

        @program.on("beforeShellExecution")
        def shell(values: dict) -> object:
            return allow()

        for event in ("beforeReadFile", "beforeTabFileRead"):
            self.assertEqual(
                program.respond_to(payload(event, file_path="/p/.env")).response,
                {"permission": "deny", "user_message": "Secret."},
            )
        self.assertEqual(program.respond_to(payload("beforeShellExecution")).response, {"permission": "allow"})
        self.assertIs(no_secrets, program.handlers["beforeReadFile"][0])

    def test_several_handlers_of_one_event(self) -> None:
        program = Hook()
        program.on("beforeShellExecution")(lambda _: allow())
        program.on("beforeShellExecution")(lambda _: deny("No."))
        got = program.respond_to(payload("beforeShellExecution"))
        self.assertEqual(got.response, {"permission": "deny", "user_message": "No."})

    def test_all_events(self) -> None:
        program = Hook()
        names: list = []
        program.on(*EVENTS)(lambda values: names.append(values["hook_event_name"]))
        for event in EVENTS:
            self.assertEqual(program.respond_to(payload(event)).response, {})
        self.assertEqual(tuple(names), EVENTS)

    def test_async(self) -> None:
        program = Hook()

        @program.on("beforeShellExecution")
        async def slow(values: dict) -> object:
            return deny("Later.")

        self.assertEqual(program.respond_to(payload("beforeShellExecution")).response["user_message"], "Later.")

    def test_a_dict_as_payload(self) -> None:
        program = Hook()
        program.on("stop")(lambda _: None)
        self.assertEqual(program.respond_to({"hook_event_name": "stop"}).response, {})
        self.assertIsNotNone(program.respond_to({"hook_event_name": {1}}).problem)
        self.assertIsNotNone(program.respond_to(7).problem)  # type: ignore[arg-type]

    def test_the_default_program(self) -> None:
        self.assertIsInstance(hook, Hook)
        self.assertEqual(hook.handlers, {})


class Failures(unittest.TestCase):
    def raising(self, error: BaseException, on_error: str = "deny") -> Hook:
        program = Hook(on_error=on_error)  # type: ignore[arg-type]

        @program.on("beforeShellExecution", "beforeSubmitPrompt", "stop")
        def guard(values: dict) -> object:
            raise error

        return program

    def test_a_failure_denies_if_the_event_can_be_stopped(self) -> None:
        errors = [KeyError("x"), SystemExit(1), KeyboardInterrupt(), RecursionError(), MemoryError(), GeneratorExit()]
        for error in errors:
            with self.subTest(error=error):
                program = self.raising(error)
                shell = program.respond_to(payload("beforeShellExecution"))
                self.assertEqual(shell.response["permission"], "deny")
                self.assertRegex(shell.problem or "", rf"^guard\(\) raised {type(error).__name__}.*\(test_program.py:\d+\)\.$")
                self.assertEqual(program.respond_to(payload("beforeSubmitPrompt")).response["continue"], False)
                self.assertEqual(program.respond_to(payload("stop")).response, {})

    def test_exit_2_denies_with_any_policy(self) -> None:
        for policy in ("deny", "allow"):
            with self.subTest(policy=policy):
                program = self.raising(SystemExit(2), policy)
                shell = program.respond_to(payload("beforeShellExecution"))
                self.assertEqual((shell.response, shell.problem, shell.exit_code), ({"permission": "deny"}, None, 2))
                self.assertEqual(program.respond_to(payload("beforeSubmitPrompt")).response, {"continue": False})
                stop = program.respond_to(payload("stop"))
                self.assertEqual((stop.response, stop.exit_code), ({}, 2))

    def test_allow_on_error_abstains(self) -> None:
        got = self.raising(ValueError("x"), "allow").respond_to(payload("beforeShellExecution"))
        self.assertEqual(got.response, {})
        self.assertRegex(got.problem or "", "ValueError: x")

    def test_an_invalid_policy(self) -> None:
        program = Hook(on_error="alow")  # type: ignore[arg-type]
        program.on("beforeShellExecution")(lambda _: None)
        got = program.respond_to(payload("beforeShellExecution"))
        self.assertEqual(got.response["permission"], "deny")
        self.assertEqual(got.problem, "on_error is 'alow'; expected \"deny\" or \"allow\".")

    def test_an_error_without_a_text(self) -> None:
        class Mute(Exception):
            def __str__(self) -> str:
                raise ValueError("no words")

        got = self.raising(Mute()).respond_to(payload("beforeShellExecution"))
        self.assertRegex(got.problem or "", r"^guard\(\) raised Mute \(")

    def test_a_long_error_is_one_short_line(self) -> None:
        got = self.raising(ValueError("a\nb\r\n" * 1_000_000)).respond_to(payload("beforeShellExecution"))
        self.assertLess(len(got.problem or ""), 500)
        self.assertNotIn("\n", got.problem or "")

    def test_a_deny_with_a_failed_handler(self) -> None:
        program = self.raising(ValueError("x"), "allow")
        program.on("beforeShellExecution")(lambda _: deny("No."))
        got = program.respond_to(payload("beforeShellExecution"))
        self.assertEqual(got.response, {"permission": "deny", "user_message": "No."})

    def test_a_misspelt_event_denies(self) -> None:
        program = Hook()
        program.on("beforeShelExecution")(lambda _: None)
        for text in (payload("beforeShellExecution"), "garbage"):
            self.assertEqual(program.respond_to(text).response["permission"], "deny")
        said = program.respond_to(payload("beforeShellExecution")).problem
        self.assertEqual(said, "There is no event 'beforeShelExecution'; did you mean beforeShellExecution?")
        self.assertEqual(program.respond_to(payload("stop")).response, {})
        program.on("beforeShellExecution")(lambda _: allow())
        self.assertEqual(program.respond_to(payload("beforeShellExecution")).response, {"permission": "allow"})

    def test_any_failure_before_the_handlers_denies(self) -> None:
        program = Hook()
        program.on("beforeShellExecution")(lambda _: allow())
        for error in (KeyboardInterrupt(), SystemExit(0), MemoryError(), GeneratorExit(), ValueError("x")):
            with self.subTest(error=error), mock.patch.object(_program, "parse_payload", side_effect=error):
                got = program.respond_to(payload("beforeShellExecution"))
                self.assertEqual((got.response["permission"], got.response["continue"]), ("deny", False))
                self.assertIn(type(error).__name__, got.problem or "")

    def test_an_invalid_payload_without_gates(self) -> None:
        program = Hook()
        program.on("stop", "afterFileEdit")(lambda _: None)
        got = program.respond_to("garbage")
        self.assertEqual(got.response, {})
        self.assertIsNotNone(got.problem)
        program.on("beforeReadFile")(lambda _: None)
        self.assertEqual(program.respond_to("garbage").response["permission"], "deny")

    def test_a_response_is_written_completely(self) -> None:
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
        self.assertEqual(program.respond_to(payload("beforeShellExecution")).problem, "on() names no event.")

    def test_traces_only_on_request(self) -> None:
        for asked in ("", "1"):
            heard = io.StringIO()
            with mock.patch.dict(os.environ, {"HOLDFAST_DEBUG": asked}), contextlib.redirect_stderr(heard):
                self.raising(KeyError("x")).respond_to(payload("beforeShellExecution"))
            self.assertEqual("Traceback" in heard.getvalue(), asked == "1")


if __name__ == "__main__":
    unittest.main()
