"""Commands end in time, with everything they started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import unittest
from unittest import mock

from holdfast_hooks import _command, run_command
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

    def test_large_output_and_invalid_text(self) -> None:
        ended = self.python("import sys; sys.stdout.buffer.write(b'\\xff' * 3000000)")
        self.assertEqual(len(ended.stdout), 3_000_000)

    def test_a_signal_is_a_negative_code(self) -> None:
        self.assertEqual(run_command("/bin/sh", ["-c", "kill -9 $$"]).code, -9)

    def test_not_found(self) -> None:
        with self.assertRaises(FileNotFoundError):
            run_command(self.at("nothing"))

    def test_no_shell(self) -> None:
        self.assertEqual(run_command("echo", ["$HOME; x"]).stdout, "$HOME; x\n")

    def test_the_limit_ends_the_process_group(self) -> None:
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

    def test_a_signal_to_the_hook_ends_its_command(self) -> None:
        for number in (signal.SIGTERM, signal.SIGHUP):
            pid = self.at(f"pid-{int(number)}")
            body = f"from holdfast_hooks import run_command\nrun_command('/bin/sh', ['-c', 'echo $$ > \"$0\"; exec sleep 20', {pid!r}], timeout=30)"
            hook = subprocess.Popen([sys.executable, "-I", "-S", "-B", self.script(body)])
            deadline = time.monotonic() + 10
            while time.monotonic() < deadline and not (os.path.exists(pid) and os.path.getsize(pid)):
                time.sleep(0.02)
            hook.send_signal(number)
            self.assertEqual(hook.wait(5), -number)
            with open(pid, encoding="ascii") as file:
                started = int(file.read())
            deadline = time.monotonic() + 3
            while time.monotonic() < deadline and alive(started):
                time.sleep(0.02)
            self.assertFalse(alive(started))

    def test_a_signal_while_the_command_is_being_started(self) -> None:
        with mock.patch.object(_command, "_signal_group") as kill, mock.patch.object(
            _command._SignalForwarder, "follow", autospec=True
        ) as follow:
            watch = _command._SignalForwarder()
            signal.raise_signal(signal.SIGTERM)
            self.assertEqual((kill.call_count, follow.call_count), (0, 0))
            watch.started(4711)
            kill.assert_called_once_with(4711, signal.SIGKILL)
            self.assertEqual(follow.call_count, 1)
            watch.close()
            self.assertEqual(follow.call_count, 1)
            # Without a command there is nothing to kill, and the signal still counts.
            alone = _command._SignalForwarder()
            signal.raise_signal(signal.SIGHUP)
            alone.close()
            self.assertEqual((kill.call_count, follow.call_count), (1, 2))
            self.assertEqual(alone.received, signal.SIGHUP)

    def test_signal_handlers_are_restored(self) -> None:
        with self.assertRaises(FileNotFoundError):
            run_command(self.at("nothing"))
        run_command("true")
        for number in (signal.SIGTERM, signal.SIGHUP):
            self.assertEqual(signal.getsignal(number), signal.SIG_DFL)
        heard: list = []
        old = signal.signal(signal.SIGTERM, lambda *_: heard.append(1))
        try:
            watch = _command._SignalForwarder()
            signal.raise_signal(signal.SIGTERM)
            watch.close()
        finally:
            signal.signal(signal.SIGTERM, old)
        self.assertEqual((heard, watch.received), ([1], None))

    def test_runs_in_another_thread(self) -> None:
        ended: list = []
        thread = threading.Thread(target=lambda: ended.append(run_command("echo", ["x"]).stdout))
        thread.start()
        thread.join()
        self.assertEqual(ended, ["x\n"])

    def test_an_interrupted_wait_ends_the_command(self) -> None:
        started: list = []

        def interrupted(process: subprocess.Popen, **_: object) -> None:
            started.append(process)
            raise KeyboardInterrupt

        with mock.patch.object(subprocess.Popen, "communicate", interrupted), self.assertRaises(KeyboardInterrupt):
            run_command("sleep", ["600"])
        self.assertEqual([process.returncode for process in started], [-signal.SIGTERM])

    def test_does_not_read_the_payload_of_the_hook(self) -> None:
        body = "from holdfast_hooks import run_command\nprint(repr(run_command('cat').stdout))"
        self.assertEqual(self.start(body, "payload").stdout, b"''\n")

    def test_background_processes_cause_no_delay(self) -> None:
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
