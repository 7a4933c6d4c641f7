"""Real programs: their stdin and stdout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest

from tests.programs import Case
from tests.test_responses import payload

GUARD = """
from holdfast_hooks import allow, ask, deny, hook

@hook.on("beforeShellExecution", "beforeSubmitPrompt")
def guard(payload):
    {body}

hook.run()
{after}
"""


def guard(body: str, after: str = "") -> str:
    return GUARD.format(body=body.replace("\n", "\n    "), after=after)


SHELL = payload("beforeShellExecution", command="git push --force")


class Programs(Case):
    def check(self, ended: subprocess.CompletedProcess, answer: dict | None = None) -> dict:
        """Exit 0, exactly one JSON object on stdout."""
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(ended.stdout.count(b"\n"), 1, ended.stdout)
        got = json.loads(ended.stdout)
        if answer is not None:
            self.assertEqual(got, answer)
        return got

    def test_responses(self) -> None:
        body = 'if payload["command"].startswith("git push --force"):\n    return deny("No.", agent="Pull.")'
        denied = self.start(guard(body), SHELL)
        self.check(denied, {"permission": "deny", "user_message": "No.", "agent_message": "Pull."})
        self.assertEqual(denied.stderr, b"")
        self.check(self.start(guard(body), payload("beforeShellExecution")), {})

    def test_prints_go_to_stderr(self) -> None:
        body = 'print("one")\nimport os, subprocess\nos.write(1, b"two")\nos.system("echo three")\nsubprocess.run(["echo", "four"])\nsys.__stdout__.write("five")'
        ended = self.start("print('zero')\n" + guard(body, 'print("six")'), SHELL)
        self.check(ended, {})
        for word in (b"zero", b"one", b"two", b"three", b"four", b"five", b"six"):
            self.assertIn(word, ended.stderr)

    def test_failures_are_one_line_and_exit_0(self) -> None:
        for body, said in (
            ('payload["comand"]', b"guard() raised KeyError: 'comand' (guard.py:8)."),
            ("sys.exit(3)", b"guard() raised SystemExit: 3 (guard.py:8)."),
            ("raise KeyboardInterrupt", b"guard() raised KeyboardInterrupt (guard.py:8)."),
            ("return guard(payload)", b"RecursionError"),
        ):
            with self.subTest(body=body):
                ended = self.start(guard(body), SHELL)
                self.assertEqual(self.check(ended)["permission"], "deny")
                self.assertIn(said, ended.stderr)
                self.assertEqual(ended.stderr.count(b"\n"), 1)
                self.assertNotIn(b"Traceback", ended.stderr)

    def test_traceback_with_debug(self) -> None:
        ended = self.start(guard("1 / 0"), SHELL, env={"HOLDFAST_DEBUG": "1"})
        self.assertEqual(self.check(ended)["permission"], "deny")
        self.assertIn(b"Traceback", ended.stderr)

    def test_allow_on_error(self) -> None:
        ended = self.start("from holdfast_hooks import hook\nhook.on_error = 'allow'\n" + guard("1 / 0"), SHELL)
        self.check(ended, {"hook_error": "guard() raised ZeroDivisionError: division by zero (guard.py:10)."})
        self.assertIn(b"ZeroDivisionError", ended.stderr)

    def test_exit_2_stays_exit_2(self) -> None:
        for policy in ("deny", "allow"):
            with self.subTest(policy=policy):
                start = f"from holdfast_hooks import hook\nhook.on_error = {policy!r}\n"
                for body in ("sys.exit(2)", "import os\nos._exit(2)"):
                    self.assertEqual(self.start(start + guard(body), SHELL).returncode, 2)

    def test_exit_2_of_a_thread(self) -> None:
        for thread in (
            "t = threading.Thread(target=sys.exit, args=(2,)); t.start(); t.join()",
            "concurrent.futures.ThreadPoolExecutor().submit(sys.exit, 2).result()",
            "asyncio.run(asyncio.to_thread(sys.exit, 2))",
            "print('noise'); os._exit(2)",
        ):
            body = f"""
import asyncio, concurrent.futures, os, sys, threading
from holdfast_hooks import hook
hook.on_error = "allow"
@hook.on("beforeShellExecution")
def guard(payload):
    {thread}
hook.run()
"""
            with self.subTest(thread=thread):
                self.assertEqual(self.start(body, SHELL).returncode, 2)

    def test_garbage(self) -> None:
        deep = b"[" * 500_000
        for data in (b"", b"\xff", b"[]", b"{", b"NaN", deep, b'{"hook_event_name":"x"}', b"\x00" * 1000):
            with self.subTest(data=data[:20]):
                ended = self.start(guard("return allow()"), data)
                got = self.check(ended)
                self.assertEqual((got["permission"], got["continue"]), ("deny", False))
                self.assertTrue(ended.stderr.startswith(b"holdfast: "), ended.stderr)
                self.assertEqual(ended.stderr.count(b"\n"), 1)

    def test_fifty_megabytes(self) -> None:
        big = payload("beforeShellExecution", command="x" * 50_000_000)
        ended = self.start(guard('return deny(str(len(payload["command"])))'), big, limit=60)
        self.assertEqual(self.check(ended)["user_message"], "50000000")
        broken = self.start(guard("return allow()"), big[:-1], limit=60)
        self.assertEqual(self.check(broken)["permission"], "deny")
        self.assertLess(len(broken.stderr), 1000)

    def test_bom_and_letters(self) -> None:
        text = "\ufeff" + json.dumps({**json.loads(SHELL), "command": "grüße 🚀"}, ensure_ascii=False)
        ended = self.start(guard('return deny(payload["command"])'), text, env={"LC_ALL": "C"})
        self.assertEqual(self.check(ended)["user_message"], "grüße 🚀")

    def test_lone_surrogates(self) -> None:
        text = SHELL.replace("git push", "\\ud800")
        ended = self.start(guard('print(payload["command"])\nreturn deny(payload["command"])'), text)
        self.assertEqual(self.check(ended)["user_message"], "\ud800 --force")
        raised = self.start(guard('raise ValueError(payload["command"])'), text)
        self.assertEqual(self.check(raised)["permission"], "deny")

    def test_a_stdin_that_cannot_be_read_denies(self) -> None:
        for error in ("OSError('gone')", "KeyboardInterrupt()", "SystemExit(0)"):
            with self.subTest(error=error):
                body = f"class Broken:\n    @property\n    def buffer(self):\n        raise {error}\nsys.stdin = Broken()\n"
                ended = self.start(body + guard("return allow()"), SHELL)
                got = self.check(ended)
                self.assertEqual((got["permission"], got["continue"]), ("deny", False))
                self.assertIn(b"stdin could not be read", ended.stderr)

    def test_a_closed_stdout(self) -> None:
        path = self.script(guard('print("x" * 100000)\nreturn deny("y" * 900000)'))
        for closed in ("1>&-", "2>&-", "0<&-", "0<&- 2>&-", "0<&- 1>&- 2>&-"):
            with self.subTest(closed=closed):
                ended = subprocess.run(
                    ["/bin/sh", "-c", f'exec "$0" -I -S -B "$1" {closed}', sys.executable, path],
                    input=SHELL.encode() if not closed.startswith("0") else None,
                    stdin=subprocess.DEVNULL if closed.startswith("0") else None,
                    capture_output=True,
                    timeout=20,
                    check=False,
                )
                self.assertEqual(ended.returncode, 2 if "1>" in closed else 0, ended.stderr)
                if "1>" not in closed:
                    self.assertEqual(json.loads(ended.stdout)["permission"], "deny")
        gone = subprocess.Popen([sys.executable, "-I", "-S", "-B", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        gone.stdout.close()
        gone.communicate(SHELL.encode(), timeout=20)
        self.assertEqual(gone.returncode, 2)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no device is full here")
    def test_a_deny_that_cannot_be_written_is_exit_2(self) -> None:
        prompt = payload("beforeSubmitPrompt")
        for text, body, code in (
            (SHELL, "return deny('No.')", 2),
            (SHELL, "return allow()", 1),
            (prompt, "return deny('No.')", 2),
            (prompt, "return allow()", 1),
        ):
            with open("/dev/full", "wb") as full:
                child = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-B", self.script(guard(body))],
                    stdin=subprocess.PIPE,
                    stdout=full,
                    stderr=subprocess.DEVNULL,
                )
                child.communicate(text.encode(), timeout=10)
            self.assertEqual(child.returncode, code)

    def test_a_background_child_does_not_keep_stdout_open(self) -> None:
        body = 'import subprocess\nsubprocess.Popen(["sleep", "5"], stderr=subprocess.DEVNULL)\nreturn allow()'
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", self.script(guard(body))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        # Ends before the sleeper does, or the time is over.
        out, _ = child.communicate(SHELL.encode(), timeout=4)
        self.assertEqual(json.loads(out), {"permission": "allow"})


class Start(Case):
    def test_unused_modules_are_not_imported(self) -> None:
        heavy = ["typing", "subprocess", "hashlib", "pathlib", "asyncio", "difflib", "traceback", "tempfile"]
        ended = self.start(
            guard("return allow()", f"print([name for name in {heavy!r} if name in sys.modules])"), SHELL
        )
        self.assertEqual(ended.stderr.strip(), b"[]")

    def test_a_copy_next_to_the_script(self) -> None:
        """As in the guide: the package is in the folder of the script, which -I removes from the path."""
        from tests.programs import ROOT

        os.symlink(os.path.join(ROOT, "holdfast_hooks"), self.at("holdfast_hooks"))
        path = self.write(
            "own.py", 'import os, sys\nsys.path.insert(0, os.path.dirname(__file__))\n' + guard("return allow()")
        )
        for args in (["-I", "-S", path], [path], ["-I", "-S", "own.py"]):
            ended = subprocess.run(
                [sys.executable, "-B", *args], input=SHELL.encode(), capture_output=True, cwd=self.folder, check=False
            )
            self.assertEqual((ended.stdout, ended.stderr), (b'{"permission": "allow"}\n', b""))


if __name__ == "__main__":
    unittest.main()
