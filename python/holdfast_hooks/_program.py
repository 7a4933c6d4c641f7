"""A program of handlers: reads one payload on stdin and writes one response to stdout.

- A handler or program that fails gets the response that `on_error` names.
- An invalid response denies, whatever `on_error` is: it may have been a deny.
- A handler that ends with exit code 2 denies, and the program keeps that code.
"""

from __future__ import annotations

import json
import os
import sys

from . import _rows
from ._payload import PayloadError, normalise, parse_payload, row_of, version_of
from ._responses import Response, accepted_kinds, to_fields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, Literal, TypeVar

    Handler = TypeVar("Handler", bound=Callable[[Any], Any])

#: The names of all events.
EVENTS: tuple[str, ...] = tuple(_rows.EVENTS)
#: Hosts read up to 1 MiB.
MAX_LENGTH = 1_000_000
#: The exit code that denies, whatever is printed.
BLOCK_EXIT = 2


class ProgramResult:
    """What a program does with one payload: its response, its message on stderr and its exit code."""

    __slots__ = ("exit_code", "problem", "response", "text")

    def __init__(self, response: dict[str, Any], problem: str | None, text: str) -> None:
        self.response = response
        self.problem = problem
        self.text = text
        self.exit_code = 0

    def __repr__(self) -> str:
        return f"ProgramResult({self.response!r}, problem={self.problem!r})"


class _Results:
    """The results of all handlers of one event."""

    __slots__ = ("has_exited", "is_invalid", "problems", "responses")

    def __init__(self, *problems: str) -> None:
        self.responses: list[Response] = []
        self.problems = list(problems)
        #: A response is invalid.
        self.is_invalid = False
        #: A handler ended with exit code 2.
        self.has_exited = False

    def reject(self, problem: str) -> None:
        self.problems.append(problem)
        self.is_invalid = True


class Hook:
    """The handlers of one program. `on_error` is the response of a program that fails, where the event can be stopped."""

    def __init__(self, on_error: Literal["deny", "allow"] = "deny") -> None:
        self.on_error = on_error
        self.handlers: dict[str, list[Callable[[Any], Any]]] = {}
        self._mistakes: list[str] = []

    def on(self, *events: str) -> Callable[[Handler], Handler]:
        """Calls the decorated function on these events."""
        # Mistakes are reported with the first payload: a program that ended here would deny nothing.
        if not events:
            self._mistakes.append("on() names no event.")
        unknown = [event for event in events if event not in _rows.EVENTS]
        if unknown:
            self._mistakes.append(_unknown_event(unknown[0]))

        def add(handler: Handler) -> Handler:
            for event in events:
                if event not in unknown:
                    self.handlers.setdefault(event, []).append(handler)
            return handler

        return add

    def respond_to(self, payload: str | bytes | Mapping[str, Any]) -> ProgramResult:
        """What this program does with a payload, without a process. Never raises."""
        sent: dict[str, Any] = {}
        row: dict[str, Any] | None = None
        try:
            sent = parse_payload(payload if isinstance(payload, (str, bytes)) else json.dumps(payload))
            event = self._event_of(sent)
            # The handler for this event may be the one with the misspelt name.
            if self._mistakes and event not in self.handlers:
                return self._to_result(_Results(*self._mistakes), row_of(event), sent)
            if event not in self.handlers:
                handled = ", ".join(self.handlers) or "no event"
                return ProgramResult({}, f"{event} has no handler here; this program handles {handled}.", "{}")
            row = row_of(event)
            fields = normalise(event, row, sent)
        except BaseException as error:
            return self._to_result(_Results(_describe(error)), row, sent)
        results = _Results()
        with _ThreadExits(results):
            for handler in self.handlers[event]:
                _call(handler, fields, event, accepted_kinds(row), results)
        if results.has_exited and row["gate"] != "none":
            results.responses.append(Response("deny"))
        result = self._to_result(results, row, sent)
        if results.has_exited:
            result.exit_code = BLOCK_EXIT
        return result

    def run(self) -> None:
        """Reads stdin to its end and writes one response. Output of handlers goes to stderr."""
        out = _take_stdout()
        try:
            result = self.respond_to(sys.stdin.buffer.read())
        except BaseException as error:
            result = self._to_result(_Results(f"stdin could not be read: {_describe(error)}."), None, {})
        text = result.text
        if result.problem:
            _report(result.problem)
            # Other agents ignore hook_error; Holdfast records the run as failed.
            text = json.dumps({**result.response, "hook_error": result.problem}, allow_nan=False)
        is_written = _write(out, text.encode("ascii") + b"\n")
        # A deny that cannot be written is expressed by the exit code.
        denies = result.response.get("permission") == "deny" or result.response.get("continue") is False
        if result.exit_code or not is_written:
            sys.exit(result.exit_code or (BLOCK_EXIT if denies else 1))

    def _event_of(self, sent: Mapping[str, Any]) -> str:
        event = sent.get("hook_event_name")
        if not isinstance(event, str):
            raise PayloadError('The payload does not name its event in "hook_event_name".')
        if event not in _rows.EVENTS:
            raise PayloadError(_unknown_event(event))
        return event

    def _to_result(
        self, results: _Results, row: Mapping[str, Any] | None, sent: Mapping[str, Any]
    ) -> ProgramResult:
        if self.on_error not in ("deny", "allow"):
            results.problems.append(f'on_error is {self.on_error!r}; expected "deny" or "allow".')
        try:
            return self._render(results, row, sent)
        except BaseException as error:
            # A value that is not JSON, or a response that is too long.
            results.reject(f"The response cannot be written: {_describe(error)}.")
            results.responses = []
            return self._render(results, row, sent)

    def _render(
        self, results: _Results, row: Mapping[str, Any] | None, sent: Mapping[str, Any]
    ) -> ProgramResult:
        problem = _one_line(" ".join(results.problems[:5])) or None
        denial = []
        # A deny of a handler keeps its own message.
        has_denied = any(each.kind == "deny" for each in results.responses)
        if problem and not has_denied and (results.is_invalid or self.on_error != "allow"):
            denial = [Response("deny", f"Blocked, because a hook failed: {problem}")]
        if row is None:
            fields = self._fields_without_event(denial)
        else:
            fields = to_fields(results.responses + denial if row["gate"] != "none" else results.responses, row)
        _add_old_names(fields, row, sent)
        text = json.dumps(fields, allow_nan=False)
        if len(text) > MAX_LENGTH:
            raise ValueError(f"it has {len(text)} bytes, and hosts read 1,048,576")
        return ProgramResult(fields, problem, text)

    def _fields_without_event(self, denial: list[Response]) -> dict[str, Any]:
        """A deny in the fields of every gate, if a handled event can be stopped."""
        gates = [json.loads(_rows.EVENTS[event])["gate"] for event in self.handlers]
        if not denial or not (self._mistakes or any(gate != "none" for gate in gates)):
            return {}
        return {"permission": "deny", "continue": False, "user_message": denial[0].value}


#: The program of a script that needs only one.
hook: Hook = Hook()


def _call(
    handler: Callable[[Any], Any], fields: dict[str, Any], event: str, kinds: list[str], results: _Results
) -> None:
    name = getattr(handler, "__name__", "the handler")
    try:
        returned = handler(fields)
        if hasattr(returned, "__await__"):
            returned = _await(returned)
    except BaseException as error:
        if _is_block_exit(error):
            results.has_exited = True
        else:
            _trace(error)
            results.problems.append(f"{name}() raised {_describe(error)}{_location(error, handler)}.")
        return
    for each in _each(returned):
        if not isinstance(each, Response):
            got = f"{name}() returned {type(each).__name__}"
            results.reject(f"{got}; expected a response such as deny(), a list of them, or None.")
        elif each.kind not in kinds:
            accepted = ", ".join(kinds) or "none"
            results.reject(f"{each.kind}() is not a response to {event}; it accepts {accepted}.")
        else:
            results.responses.append(each)


def _each(returned: Any) -> Iterator[Any]:
    if isinstance(returned, (list, tuple)):
        yield from returned
    elif returned is not None:
        yield returned


def _is_block_exit(error: BaseException | None) -> bool:
    return isinstance(error, SystemExit) and error.code == BLOCK_EXIT


class _ThreadExits:
    """Sees threads of handlers that end with exit code 2, which Python ignores."""

    def __init__(self, results: _Results) -> None:
        self.results = results
        # Not imported here: most handlers start no thread.
        self.threading: Any = sys.modules.get("threading")

    def __enter__(self) -> None:
        if self.threading:
            self.before = self.threading.excepthook
            self.threading.excepthook = self.see

    def see(self, thread: Any) -> None:
        if _is_block_exit(thread.exc_value):
            self.results.has_exited = True
        self.before(thread)

    def __exit__(self, *_: object) -> None:
        if self.threading:
            self.threading.excepthook = self.before


def _add_old_names(fields: dict[str, Any], row: Mapping[str, Any] | None, sent: Mapping[str, Any]) -> None:
    """Adds the field names that old versions read."""
    version = version_of(sent)
    if version is None:
        for name, twin in _rows.TWINS.items():
            if name in fields:
                fields[twin] = fields[name]
    elif row and version in row.get("decision", ()) and "permission" in fields:
        fields["decision"] = fields["permission"]
        reason = fields.get("agent_message", fields.get("user_message"))
        if reason is not None:
            fields["reason"] = reason


def _await(returned: Any) -> Any:
    import asyncio

    async def wait() -> Any:
        return await returned

    return asyncio.run(wait())


def _unknown_event(name: object) -> str:
    import difflib

    near = difflib.get_close_matches(str(name), EVENTS, 1)
    return f"There is no event {str(name)[:60]!r}{f'; did you mean {near[0]}?' if near else '.'}"


def _describe(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = ""
    if isinstance(error, PayloadError):
        return text
    name = type(error).__name__
    return f"{name}: {text}" if text else name


def _location(error: BaseException, handler: object) -> str:
    """The line in the author's file."""
    file = getattr(getattr(handler, "__code__", None), "co_filename", None)
    line = 0
    trace = error.__traceback__
    while trace:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return f" ({os.path.basename(file)}:{line})" if file and line else ""


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 400 else f"{line[:400]} ..."


def _trace(error: BaseException) -> None:
    if os.environ.get("HOLDFAST_DEBUG"):
        import traceback

        traceback.print_exception(type(error), error, error.__traceback__, file=sys.stderr)


def _report(problem: str) -> None:
    try:
        sys.stderr.write(f"holdfast: {problem}\n")
        sys.stderr.flush()
    except Exception:
        pass  # stderr is closed; the response is written anyway.


def _take_stdout() -> int | None:
    """The real stdout, for the response only. Prints of handlers and their child processes go to stderr."""
    try:
        out = os.dup(1)
    except OSError:
        return None
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.stdout = sys.stderr
    return out


def _write(out: int | None, data: bytes) -> bool:
    """Whether all of it was written."""
    if out is None:
        return False
    try:
        while data:
            data = data[os.write(out, data) :]
        os.close(out)
    except OSError:
        return False  # The host has ended, or the disk is full.
    return True
