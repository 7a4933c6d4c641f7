"""Another program, within a time limit."""

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

#: How long a program that was told to end may take.
GRACE = 0.5
#: How a host ends a hook. The session of its own, which a command has, does not hear of it.
ENDS = ("SIGTERM", "SIGHUP")
#: How often it is looked whether the program has ended although something else still holds its output.
GLANCE = 0.1


class Ended:
    """How a command ended: its exit code (negative: the signal) and what it printed."""

    __slots__ = ("code", "stderr", "stdout")

    def __init__(self, code: int, stdout: str, stderr: str) -> None:
        self.code = code
        self.stdout = stdout
        self.stderr = stderr

    def __repr__(self) -> str:
        return f"Ended(code={self.code}, stdout={self.stdout!r}, stderr={self.stderr!r})"


def run_command(
    command: str,
    args: Sequence[str] = (),
    *,
    timeout: float = 10,
    cwd: str | os.PathLike[str] | None = None,
    input: str | None = None,
) -> Ended:
    """Runs a program, without a shell. After `timeout` seconds it is ended with all it started: TimeoutError."""
    watch = _EndWithHook()
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
    until = time.monotonic() + timeout
    try:
        watch.started(process.pid)
        if input is not None:
            _feed(process, input.encode("utf-8", "surrogatepass"))
        while True:
            left = until - time.monotonic()
            has_ended = process.poll() is not None
            try:
                out, err = process.communicate(timeout=max(0, min(GLANCE, left)))
                break
            except subprocess.TimeoutExpired as waited:
                if has_ended:
                    # Something that it left running holds its output; what it printed is here.
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
    return Ended(process.returncode, out.decode("utf-8", "replace"), err.decode("utf-8", "replace"))


class _EndWithHook:
    """Ends the command when a host ends the hook, also in the moment in which it is being started."""

    def __init__(self) -> None:
        self.group: int | None = None
        self.came: int | None = None
        self.before: dict[int, Any] = {}
        for number in [getattr(signal, name) for name in ENDS if os.name != "nt"]:
            # Who listens already decides; and only the main thread may.
            if signal.getsignal(number) == signal.SIG_DFL:
                try:
                    self.before[number] = signal.signal(number, self.end)
                except ValueError:
                    break

    def started(self, group: int) -> None:
        self.group = group
        if self.came is not None:
            self.end(self.came)

    def end(self, number: int, _: object = None) -> None:
        self.came = number
        if self.group is not None:
            _signal_group(self.group, signal.SIGKILL)
            self.follow()

    def follow(self) -> None:
        signal.signal(self.came, signal.SIG_DFL)
        os.kill(os.getpid(), self.came)

    def close(self) -> None:
        for number, old in self.before.items():
            signal.signal(number, old)
        # It came before there was a command, and there is none.
        if self.group is None and self.came is not None:
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
    # The group outlives its leader while anybody in it does.
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
