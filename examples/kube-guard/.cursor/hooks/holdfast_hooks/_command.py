"""Runs another program with a time limit."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: Seconds between SIGTERM and SIGKILL.
GRACE = 0.5
#: Signals that end a hook. They do not reach the command, which has its own session.
END_SIGNALS = ("SIGTERM", "SIGHUP")
#: Seconds between checks whether the program has ended while another process keeps its output open.
POLL_INTERVAL = 0.1


class CommandResult:
    """The exit code of a command (negative: the signal) and its output."""

    __slots__ = ("code", "stderr", "stdout")

    def __init__(self, code: int, stdout: str, stderr: str) -> None:
        self.code = code
        self.stdout = stdout
        self.stderr = stderr

    def __repr__(self) -> str:
        return f"CommandResult(code={self.code}, stdout={self.stdout!r}, stderr={self.stderr!r})"


def run_command(
    command: str,
    args: Sequence[str] = (),
    *,
    timeout: float = 10,
    cwd: str | os.PathLike[str] | None = None,
    input: str | None = None,
) -> CommandResult:
    """Runs a program without a shell. After `timeout` seconds, kills it and its children, and raises TimeoutError."""
    watch = _SignalForwarder()
    try:
        process = subprocess.Popen(
            [command, *args],
            stdin=subprocess.DEVNULL if input is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            start_new_session=True,
        )
    except BaseException:
        watch.close()
        raise
    deadline = time.monotonic() + timeout
    try:
        watch.started(process.pid)
        if input is not None:
            _feed(process, input.encode("utf-8", "surrogatepass"))
        while True:
            left = deadline - time.monotonic()
            has_ended = process.poll() is not None
            try:
                out, err = process.communicate(timeout=max(0, min(POLL_INTERVAL, left)))
                break
            except subprocess.TimeoutExpired as waited:
                if has_ended:
                    # A background process keeps its output open; use the output so far.
                    out, err = waited.stdout or b"", waited.stderr or b""
                    break
                if left <= 0 and process.poll() is None:
                    raise TimeoutError(f"{command} did not end within {timeout:g} s") from None
    except BaseException:
        _end(process)
        raise
    finally:
        watch.close()
        for pipe in (process.stdout, process.stderr):
            if pipe:
                _close(pipe)
    return CommandResult(process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


class _SignalForwarder:
    """Kills the command when a signal ends the hook, also while the command is being started."""

    def __init__(self) -> None:
        self.group: int | None = None
        self.received: int | None = None
        self.before: dict[int, Any] = {}
        for number in [getattr(signal, name) for name in END_SIGNALS if os.name != "nt"]:
            # Existing handlers are kept, and only the main thread may set one.
            if signal.getsignal(number) == signal.SIG_DFL:
                try:
                    self.before[number] = signal.signal(number, self.end)
                except ValueError:
                    break

    def started(self, group: int) -> None:
        self.group = group
        if self.received is not None:
            self.end(self.received)

    def end(self, number: int, _: object = None) -> None:
        self.received = number
        if self.group is not None:
            _signal_group(self.group, signal.SIGKILL)
            self.follow()

    def follow(self) -> None:
        signal.signal(self.received, signal.SIG_DFL)
        os.kill(os.getpid(), self.received)

    def close(self) -> None:
        for number, old in self.before.items():
            signal.signal(number, old)
        # The signal arrived, but the command was never started.
        if self.group is None and self.received is not None:
            self.follow()


def _feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    """Writes the input in a thread: `communicate` does not continue to write it after a timeout."""
    pipe, process.stdin = process.stdin, None

    def write() -> None:
        try:
            pipe.write(data)  # type: ignore[union-attr]
        except OSError:
            pass  # The program does not read all of it.
        finally:
            _close(pipe)

    threading.Thread(target=write, daemon=True).start()


def _end(process: subprocess.Popen[bytes]) -> None:
    if os.name == "nt":
        subprocess.run(["taskkill", "/pid", str(process.pid), "/t", "/f"], capture_output=True, check=False)
        process.wait()
        return
    _signal_group(process.pid, signal.SIGTERM)
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        pass
    # The group exists as long as one of its processes.
    _signal_group(process.pid, signal.SIGKILL)
    process.wait()


def _signal_group(group: int, number: int) -> None:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        pass


def _close(pipe: object) -> None:
    try:
        pipe.close()  # type: ignore[attr-defined]
    except OSError:
        pass
