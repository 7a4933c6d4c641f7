"""Commands end in time, with everything they started."""

from __future__ import annotations

import os
import sys
import time
import unittest

from holdfast_hooks import run_command
from tests.programs import Case


class Commands(Case):
    def python(self, code: str, **options: object):
        return run_command(sys.executable, ["-I", "-S", "-c", code], **options)  # type: ignore[arg-type]

    def test_ends(self) -> None:
        ended = self.python("import sys; print('out'); sys.stderr.write('err'); sys.exit(3)")
        self.assertEqual((ended.code, ended.stdout, ended.stderr), (3, "out\n", "err"))
        self.assertIn("code=3", repr(ended))

    def test_input_and_folder(self) -> None:
        big = "ä" * 1_000_000
        ended = self.python("import sys; d = sys.stdin.buffer.read(); print(len(d))", input=big)
        self.assertEqual(ended.stdout, "2000000\n")
        self.assertEqual(self.python("import os; print(os.getcwd())", cwd=self.folder).stdout, f"{self.folder}\n")
        self.assertEqual(self.python("import sys; print(len(sys.stdin.read()))").stdout, "0\n")
        self.assertEqual(self.python("pass", input=big).code, 0)

    def test_input_that_is_read_late(self) -> None:
        code = "import sys, time; time.sleep(0.3); print(len(sys.stdin.buffer.read()))"
        self.assertEqual(self.python(code, input="x" * 1_000_000).stdout, "1000000\n")

    def test_a_lot_of_output_and_no_text(self) -> None:
        ended = self.python("import sys; sys.stdout.buffer.write(b'\\xff' * 3000000)")
        self.assertEqual(len(ended.stdout), 3_000_000)

    def test_a_signal_is_a_negative_code(self) -> None:
        self.assertEqual(run_command("/bin/sh", ["-c", "kill -9 $$"]).code, -9)

    def test_not_found(self) -> None:
        with self.assertRaises(FileNotFoundError):
            run_command(self.at("nothing"))

    def test_no_shell(self) -> None:
        self.assertEqual(run_command("echo", ["$HOME; x"]).stdout, "$HOME; x\n")

    def test_the_limit_ends_the_whole_group(self) -> None:
        pids = self.at("pids")
        stay = "trap '' TERM; while :; do sleep 0.1; done"
        code = f"echo $$ >> \"$0\"; sh -c \"echo \\$\\$ >> '$0'; {stay}\" & {stay}"
        began = time.monotonic()
        with self.assertRaisesRegex(TimeoutError, r"/bin/sh did not end within 0\.4 s"):
            run_command("/bin/sh", ["-c", code, pids], timeout=0.4)
        self.assertLess(time.monotonic() - began, 3)
        with open(pids, encoding="ascii") as file:
            started = [int(line) for line in file]
        self.assertEqual(len(started), 2)
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline and any(map(alive, started)):
            time.sleep(0.02)
        self.assertEqual([pid for pid in started if alive(pid)], [])

    def test_a_hook_that_is_ended_takes_its_command_along(self) -> None:
        import signal
        import subprocess

        pid = self.at("pid")
        body = f"from holdfast_hooks import run_command\nrun_command('/bin/sh', ['-c', 'echo $$ > \"$0\"; exec sleep 20', {pid!r}], timeout=30)"
        hook = subprocess.Popen([sys.executable, "-I", "-S", "-B", self.script(body)])
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and not (os.path.exists(pid) and os.path.getsize(pid)):
            time.sleep(0.02)
        hook.terminate()
        self.assertEqual(hook.wait(5), -signal.SIGTERM)
        with open(pid, encoding="ascii") as file:
            started = int(file.read())
        deadline = time.monotonic() + 3
        while time.monotonic() < deadline and alive(started):
            time.sleep(0.02)
        self.assertFalse(alive(started))
        self.assertEqual(signal.getsignal(signal.SIGTERM), signal.SIG_DFL)

    def test_what_is_left_running_delays_nothing(self) -> None:
        began = time.monotonic()
        ended = run_command("/bin/sh", ["-c", "sleep 6 & echo done"], timeout=5)
        self.assertEqual((ended.code, ended.stdout), (0, "done\n"))
        self.assertLess(time.monotonic() - began, 3)


def alive(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        if os.path.isdir("/proc/self"):
            return False
    except ProcessLookupError:
        return False
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False


if __name__ == "__main__":
    unittest.main()
