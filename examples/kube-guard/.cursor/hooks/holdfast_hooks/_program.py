"""A program of handlers: one payload on stdin, one answer on stdout, whatever happens in between."""

from __future__ import annotations

import json
import os
import sys

from . import _rows
from ._answers import Answer, takes, written
from ._payload import PayloadError, in_todays_words, parsed, row_of, version_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal, TypeVar

    Handler = TypeVar("Handler", bound=Callable[[Any], Any])

#: The names of all events.
EVENTS: tuple[str, ...] = tuple(_rows.EVENTS)
#: Hosts read up to 1 MiB; past it the answer would be lost.
LONGEST = 1_000_000


#: The exit code that denies, whatever is printed.
BLOCK_EXIT = 2


class Reply:
    """What a program does with one payload: its response, its message on stderr and its exit code."""

    __slots__ = ("answer", "exit_code", "problem", "text")

    def __init__(self, answer: dict[str, Any], problem: str | None, text: str) -> None:
        self.answer = answer
        self.problem = problem
        self.text = text
        self.exit_code = 0

    def __repr__(self) -> str:
        return f"Reply({self.answer!r}, problem={self.problem!r})"


class Hook:
    """The handlers of one program. `on_error` says what a failure means: deny, where the event can, or allow."""

    def __init__(self, on_error: Literal["deny", "allow"] = "deny") -> None:
        self.on_error = on_error
        self.handlers: dict[str, list[Callable[[Any], Any]]] = {}
        self._mistakes: list[str] = []

    def on(self, *events: str) -> Callable[[Handler], Handler]:
        """Calls the function below on these events."""
        # A mistake is kept until there is a payload to answer: a program that ended here would let everything through.
        if not events:
            self._mistakes.append("on() names no event.")
        unknown = [event for event in events if event not in _rows.EVENTS]
        if unknown:
            self._mistakes.append(_not_an_event(unknown[0]))

        def add(handler: Handler) -> Handler:
            for event in events:
                if event not in unknown:
                    self.handlers.setdefault(event, []).append(handler)
            return handler

        return add

    def answer_to(self, payload: str | bytes | Mapping[str, Any]) -> Reply:
        """What this program does with a payload, without a process. Never raises."""
        sent: dict[str, Any] = {}
        row: dict[str, Any] | None = None
        try:
            sent = parsed(payload if isinstance(payload, (str, bytes)) else json.dumps(payload))
            event = self._event_of(sent)
            # The handler that was meant for this event may be the one whose name is wrong.
            if self._mistakes and event not in self.handlers:
                return self._settled([], list(self._mistakes), row_of(event), sent)
            if event not in self.handlers:
                handled = ", ".join(self.handlers) or "nothing"
                return Reply({}, f"{event} has no handler here; this program handles {handled}.", "{}")
            row = row_of(event)
            facts = in_todays_words(event, row, sent)
        except BaseException as error:
            return self._settled([], [_said(error)], row, sent)
        answers: list[Answer] = []
        problems: list[str] = []
        has_exited = [self._call(each, facts, event, takes(row), answers, problems) for each in self.handlers[event]]
        reply = self._settled(answers, problems, row, sent)
        if any(has_exited):
            reply.exit_code = BLOCK_EXIT
        return reply

    def run(self) -> None:
        """Reads stdin to its end and writes one response. Output of handlers goes to stderr."""
        out = _take_stdout()
        try:
            reply = self.answer_to(sys.stdin.buffer.read())
        except BaseException as error:
            reply = self._settled([], [f"stdin could not be read: {_said(error)}."], None, {})
        text = reply.text
        if reply.problem:
            _complain(reply.problem)
            # Agents ignore the second field; Holdfast records the run as failed.
            text = json.dumps({**reply.answer, "hook_error": reply.problem}, allow_nan=False)
        is_written = _write(out, text.encode("ascii") + b"\n")
        # A deny that cannot be written is expressed by the exit code.
        denies = reply.answer.get("permission") == "deny" or reply.answer.get("continue") is False
        if reply.exit_code or not is_written:
            sys.exit(reply.exit_code or (BLOCK_EXIT if denies else 1))

    def _event_of(self, sent: Mapping[str, Any]) -> str:
        event = sent.get("hook_event_name")
        if not isinstance(event, str):
            raise PayloadError('The payload does not name its event in "hook_event_name".')
        if event not in _rows.EVENTS:
            raise PayloadError(_not_an_event(event))
        return event

    def _call(
        self,
        handler: Callable[[Any], Any],
        facts: dict[str, Any],
        event: str,
        words: list[str],
        answers: list[Answer],
        problems: list[str],
    ) -> bool:
        """Adds what the handler returns. True if it ended with exit code 2: that is a deny, not an error."""
        name = getattr(handler, "__name__", "the handler")
        try:
            returned = handler(facts)
            if hasattr(returned, "__await__"):
                returned = _awaited(returned)
            if returned is None:
                returned = []
            for each in returned if isinstance(returned, (list, tuple)) else [returned]:
                if not isinstance(each, Answer):
                    said = f"{name}() returned {type(each).__name__}"
                    problems.append(f"{said}; expected an answer such as deny(), a list of them, or None.")
                elif each.word not in words:
                    problems.append(_not_an_answer(each.word, event, words))
                else:
                    answers.append(each)
        except BaseException as error:
            if isinstance(error, SystemExit) and error.code == BLOCK_EXIT:
                answers.extend([Answer("deny")] if "deny" in words else [])
                return True
            _trace(error)
            problems.append(f"{name}() raised {_said(error)}{_place(error, handler)}.")
        return False

    def _settled(
        self,
        answers: list[Answer],
        problems: list[str],
        row: Mapping[str, Any] | None,
        sent: Mapping[str, Any],
    ) -> Reply:
        """The answer of the handlers; where something went wrong, with what the policy says about that."""
        if self.on_error not in ("deny", "allow"):
            problems = [*problems, f'on_error is {self.on_error!r}; expected "deny" or "allow".']
        try:
            return self._reply(answers, problems, row, sent)
        except BaseException as error:
            # A value that is no JSON, or too much of it. A deny holds nevertheless.
            strict = [Answer(each.word) for each in answers if each.word in ("deny", "ask")]
            problems = [*problems, f"The answer cannot be written: {_said(error)}."]
            return self._reply(strict, problems, row, sent)

    def _reply(
        self,
        answers: list[Answer],
        problems: list[str],
        row: Mapping[str, Any] | None,
        sent: Mapping[str, Any],
    ) -> Reply:
        problem = _one_line(" ".join(problems[:5])) or None
        fields: dict[str, Any] = {}
        denial = []
        if problem and self.on_error != "allow":
            denial = [Answer("deny", f"Blocked, because a hook failed: {problem}")]
        if row is None:
            fields = self._blind(denial)
        else:
            fields = written(answers + denial if row["gate"] != "none" else answers, row)
        _add_old_words(fields, row, sent)
        text = json.dumps(fields, allow_nan=False)
        if len(text) > LONGEST:
            raise ValueError(f"it has {len(text)} bytes, and hosts read 1,048,576")
        return Reply(fields, problem, text)

    def _blind(self, denial: list[Answer]) -> dict[str, Any]:
        """Without an event to go by: a deny in both words, if anything that is handled can be stopped."""
        gates = [json.loads(_rows.EVENTS[event])["gate"] for event in self.handlers]
        if not denial or not (self._mistakes or any(gate != "none" for gate in gates)):
            return {}
        return {"permission": "deny", "continue": False, "user_message": denial[0].value}


#: The program of a script that needs only one.
hook: Hook = Hook()


def _add_old_words(fields: dict[str, Any], row: Mapping[str, Any] | None, sent: Mapping[str, Any]) -> None:
    """Beside today's words, where the version that asks may read nothing else."""
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


def _awaited(returned: Any) -> Any:
    import asyncio

    async def wait() -> Any:
        return await returned

    return asyncio.run(wait())


def _not_an_event(name: object) -> str:
    import difflib

    near = difflib.get_close_matches(str(name), EVENTS, 1)
    return f"There is no event {str(name)[:60]!r}{f'; did you mean {near[0]}?' if near else '.'}"


def _not_an_answer(word: str, event: str, words: list[str]) -> str:
    return f"{word}() is not an answer to {event}; it takes {', '.join(words) or 'none'}."


def _said(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:
        text = ""
    if isinstance(error, PayloadError):
        return text
    name = type(error).__name__
    return f"{name}: {text}" if text else name


def _place(error: BaseException, handler: object) -> str:
    """The line of the author's own file."""
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


def _complain(problem: str) -> None:
    try:
        sys.stderr.write(f"holdfast: {problem}\n")
        sys.stderr.flush()
    except Exception:
        pass  # nobody listens; the answer still counts


def _take_stdout() -> int | None:
    """The real stdout, for the answer alone: from here on prints, of programs that are started too, go to stderr."""
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
    """Whether all of it was taken."""
    if out is None:
        return False
    try:
        while data:
            data = data[os.write(out, data) :]
        os.close(out)
    except OSError:
        return False  # the host has gone, or the disk is full
    return True
